"""Plays any legal move, in every game. Copy this folder with `arena bot new`, and make `choose` better."""

import random
from typing import Any

from arena.registry import games
from arena.sdk import Bot, MatchEnd, MatchStart, Turn, serve


class RandomBot(Bot[Any, Any]):
    """One object of this class plays one match, in one seat."""

    def begin(self, start: MatchStart[Any]) -> None:
        """Get ready: the match begins, but the clock does not run yet."""
        self.seat = start.seat

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """Decide on one move: `turn.observation` is all you may know, `turn.available` the seconds you have."""
        return random.choice(turn.legal)

    def end(self, end: MatchEnd) -> None:
        """Look back: the match is over. What a bot prints is shown when something went wrong."""
        print(f"seat {self.seat}: {end.outcome.reason}; {end.verdict.sentence}")


if __name__ == "__main__":
    # The same class for every game; a bot for one game says: serve(MyBot, game="claim")
    serve(dict.fromkeys(games(), RandomBot))
