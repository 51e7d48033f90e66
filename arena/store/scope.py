"""Which matches a question to the store, or a table, is about."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Scope:
    """All rated matches of a game, or those of one tournament, of tests, or of tournaments begun since a moment.

    Tests of two bots are not rated, and are counted by themselves; tournaments that are apart are in neither.
    """

    game: str | None = None
    tournament_id: int | None = None
    tests: bool = False
    since: datetime | None = None
    everybody: bool = False
    """Whether a table of them has versions too that are older, retired, or were only tried out."""
