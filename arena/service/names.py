"""What teams are called: their own names, or numbers for the public if the contest says so."""

import re
import time
from collections.abc import Mapping
from contextlib import suppress

from arena.contest.people import People, Person, Team
from arena.errors import ArenaError

KEPT_S = 2.0
"""Seconds for which the names are taken from memory."""
_OWNER = re.compile(r"team-([1-9][0-9]{0,9})")


class Names:
    """The names of all teams, as they are at present."""

    def __init__(self, people: People, *, pseudonyms: bool) -> None:
        self._people, self._pseudonyms = people, pseudonyms
        self._teams: Mapping[int, Team] = {}
        self._until = 0.0

    def owner_name(self, owner: str, person: Person | None) -> str:
        """How an owner of bots in the results is called when this person looks."""
        found = _OWNER.fullmatch(owner)
        if not found:
            return owner  # a bot of the organiser's own, such as one that teaches
        team = self.teams().get(int(found[1]))
        return f"Team {found[1]}" if team is None or (self._pseudonyms and person is None) else team.display

    def teams(self) -> Mapping[int, Team]:
        """All teams by their ids."""
        if time.monotonic() >= self._until:
            with suppress(ArenaError):  # the page that says that the database is away has names of teams, too
                self._teams = self._people.teams()
            self._until = time.monotonic() + KEPT_S
        return self._teams
