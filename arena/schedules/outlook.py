"""The outlook of a running tournament: the settled places, and the games that the next ones need."""

from dataclasses import dataclass

import numpy as np

from arena.match import about, ordinal
from arena.ratings import Posterior
from arena.schedules.adaptive import games_to_separate
from arena.schedules.certainty import settled

TOO_MANY = 10_000
"""Bots that need more games than this to be separated count as equal."""


@dataclass(frozen=True, slots=True)
class Outlook:
    """How sure the order of a field is."""

    bots: int
    settled: int
    """So many places from the first on are certain, all together."""
    games: float
    """About how many games between the bots on the next two places would settle these."""

    def sentence(self) -> str:
        """What is settled and what is not, in words."""
        if self.settled >= self.bots:
            return "all places settled"
        done = f"top {self.settled} settled" if self.settled else "no place settled"
        places = f"{ordinal(self.settled + 1)} and {ordinal(self.settled + 2)}"
        if self.games > TOO_MANY:
            return f"{done}; {places} are too close to tell apart"
        more = "one more game" if round(self.games) == 1 else f"{about(self.games)} more games"
        return f"{done}; about {more} for {places}"


def outlook(known: Posterior, confidence: float) -> Outlook:
    """What is known of the order of bots that have met; a place is settled when it is certain to this confidence."""
    certain = settled(known.mu, known.skills, confidence)
    games = 0.0
    if certain < len(known.bots):
        first, second = np.argsort(-known.mu, kind="stable")[certain : certain + 2].tolist()
        games = games_to_separate(known.mu, known.skills, first=first, second=second, confidence=confidence)
    # The places are settled all together, so two neighbours can be certain of their order before their places are.
    return Outlook(len(known.bots), certain, max(games, 1.0))
