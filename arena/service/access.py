"""Who may see what: decided here alone, for pages, streams, files and whatever is asked for in another form."""

from collections.abc import Mapping
from dataclasses import dataclass

from arena.contest.people import Person
from arena.contest.settings import CONTESTANTS, PUBLIC


@dataclass(frozen=True, slots=True)
class Everybody:
    """What needs no account: what the contest is, the rules of its games, the way in."""


@dataclass(frozen=True, slots=True)
class Results:
    """Standings, bots, tournaments and matches, which contest.toml shows to some or to all."""

    standings: str


@dataclass(frozen=True, slots=True)
class Account:
    """What is there for everybody with an account."""


@dataclass(frozen=True, slots=True)
class OfTeam:
    """What belongs to one team: its submissions, its files, what its bots printed."""

    team_id: int


@dataclass(frozen=True, slots=True)
class Organising:
    """The queue, the people and what was done."""


Thing = Everybody | Results | Account | OfTeam | Organising


def may_see(person: Person | None, thing: Thing) -> bool:
    """Whether somebody may see this, or change it where it can be changed; nobody in particular has no account."""
    match thing:
        case Everybody():
            return True
        case Results(standings) if standings == PUBLIC:
            return True
        case _ if person is None or person.disabled:
            return False
        case OfTeam(team_id):
            return person.organises or person.team.id == team_id
        case Results(standings):
            return person.organises or standings == CONTESTANTS
        case Account():
            return True
    return person.organises


_PLAIN: Mapping[Thing, str] = {
    Everybody(): "asset module api contest rules login join missing",
    Account(): "mine submit submission download logout do submission_events",
    Organising(): "organiser audit",
}
_RESULTS = (
    "home ladder bots bot pair tournaments tournament matches match embed replay "
    "home_events tournament_events match_events embed_events"
)
FRAMED = "embed", "embed_events"
"""Other sites show these in frames, so they are the same for everybody: nobody's cookie is read for them."""


def things(standings: str) -> Mapping[str, Thing]:
    """What is behind every route, by its name; there is no route that is not here."""
    by_name = {name: thing for thing, names in _PLAIN.items() for name in names.split()}
    return by_name | dict.fromkeys(_RESULTS.split(), Results(standings))
