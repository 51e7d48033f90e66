"""Plays what train.py has learned: of the legal moves, the one that the policy gives the highest score."""

import os
from pathlib import Path
from typing import Any

# A bot has one processor: more threads of numpy's than that would only get in each other's way.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import numpy as np
from model import Policy

from arena.sdk import Bot, Turn, serve

POLICY = Policy.load(Path(__file__).with_name("policy.npz"))


class PolicyBot(Bot[Any, Any]):
    """Sees a position as the learning environment showed it, and numbers the moves as it did."""

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """The legal move with the highest score."""
        seen, told = turn.observation, POLICY.vectors
        moves = told.numbered(seen, turn.legal or ())
        vector = np.frombuffer(told.vector(seen), dtype=np.float32)
        scores = POLICY(vector[np.newaxis])[1][0]
        return moves[max(moves, key=lambda number: scores[number])]


if __name__ == "__main__":
    serve(PolicyBot, game=POLICY.game.info.name)
