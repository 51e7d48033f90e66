"""Plays King & Assassins by planning its whole turn; strategy.py says what it is after."""

from collections.abc import Sequence
from random import Random

from strategy import assassins_score, best_plan, kings_score

from arena.registry import find
from arena.sdk import Bot, MatchStart, Turn, serve
from engines.assassins.moves import END_TURN, Move
from engines.assassins.rules import KINGS_TURN, Observation

GAME = find("assassins")


class Planner(Bot[Move, Observation]):
    """Plans with beam search, and sends all actions of a turn in one reply."""

    def begin(self, start: MatchStart[object]) -> None:
        """Choose the secret three, and the king's start, by lot: a habit would give them away."""
        self.rng = Random()
        self.score = (kings_score, assassins_score)[start.seat]

    def choose(self, turn: Turn[Move, Observation]) -> Move:
        """The first action of the plan."""
        return self.choose_several(turn)[0]

    def choose_several(self, turn: Turn[Move, Observation]) -> Sequence[Move]:
        """The whole plan and the end of the turn; a plan that ends the game needs none."""
        if turn.observation.phase < KINGS_TURN:
            return [self.rng.choice(turn.legal or ())]
        # Who the assassins are and how the deck lies is drawn at random here, and the plan does not look at it.
        state = GAME.imagine(turn.observation, self.rng)
        plan = best_plan(state, self.score, self.rng)
        for move in plan:
            state.apply(move)
        return plan if state.to_move() is None else (*plan, END_TURN)


if __name__ == "__main__":
    serve(Planner, game="assassins")
