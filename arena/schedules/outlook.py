"""The outlook of a running tournament: the standing, the settled places, and the games that the next ones need."""

from dataclasses import dataclass

from arena.match import ordinal
from arena.ratings import Rating, Results, rate
from arena.ratings.model import ENVIRONMENT, ROLE_SIGMA
from arena.schedules.adaptive import games_to_separate
from arena.schedules.certainty import settled

TOO_MANY = 10_000
"""Bots that need more games than this to be separated count as equal."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """The standing, best bot first, and how sure its order is."""

    rows: tuple[Rating, ...]
    settled: int
    """So many places from the first on are certain, all together."""
    games: float
    """About how many games between the bots on the next two places would settle these."""

    def sentence(self) -> str:
        """What is settled and what is not, in words."""
        if self.settled >= len(self.rows):
            return "all places settled"
        done = f"top {self.settled} settled" if self.settled else "no place settled"
        places = f"{ordinal(self.settled + 1)} and {ordinal(self.settled + 2)}"
        if self.games > TOO_MANY:
            return f"{done}; {places} are too close to tell apart"
        more = "one more game" if round(self.games) == 1 else f"{self.games:.0f} more games"
        return f"{done}; about {more} for {places}"


def outlook(results: Results, confidence: float) -> Outlook:
    """What these results tell of the order; a place is settled when it is certain to this confidence."""
    table = rate(results, ENVIRONMENT, role_sigma=ROLE_SIGMA if results.blocks else 0.0)
    known = table.posterior
    certain = settled(known.mu, known.skills, ENVIRONMENT, confidence)
    games = 0.0
    if certain < len(table.rows):
        first, second = (known.bots.index(row.bot) for row in table.rows[certain : certain + 2])
        games = games_to_separate(
            known.mu, known.skills, ENVIRONMENT, first=first, second=second, confidence=confidence
        )
    # The places are settled all together, so two neighbours can be certain of their order before their places are.
    return Outlook(table.rows, certain, max(games, 1.0))
