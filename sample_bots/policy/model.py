"""The policy: a network with one hidden layer, in numpy alone. bot.py plays it and train.py makes it."""

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from arena.registry import find
from arena.vectors import vectors

Array = NDArray[np.float32]
HIDDEN = 32
TORCH = {
    "in": "mlp_extractor.policy_net.0.weight",
    "in_bias": "mlp_extractor.policy_net.0.bias",
    "out": "action_net.weight",
    "out_bias": "action_net.bias",
}
"""The names of the weights in the state of a MaskablePPO with one hidden layer."""


class Policy:
    """Gives every action of a game a score, and every position a value, from what a seat sees."""

    def __init__(self, game: str, weights: dict[str, Array]) -> None:
        self.game, self.weights = find(game), weights
        self.vectors = vectors(self.game)
        expected = (self.vectors.observation.size, self.vectors.actions.size + 1)
        if (len(weights["in"]), len(weights["out_bias"])) != expected:
            raise SystemExit(f"this policy fits another version of {game}'s vectors: run train.py again")

    @classmethod
    def new(cls, game: str, rng: np.random.Generator) -> "Policy":
        """A policy that plays almost at random."""
        told = vectors(find(game))
        shapes = {"in": (told.observation.size, HIDDEN), "in_bias": (HIDDEN,)}
        shapes |= {"out": (HIDDEN, told.actions.size + 1), "out_bias": (told.actions.size + 1,)}
        scale = {"in": 0.2, "out": 0.02, "in_bias": 0.0, "out_bias": 0.0}
        return cls(game, {name: rng.normal(0, scale[name], shapes[name]).astype(np.float32) for name in shapes})

    @classmethod
    def load(cls, file: Path) -> "Policy":
        """The policy in this file."""
        with np.load(file) as data:
            return cls(str(data["game"]), {name: data[name].astype(np.float32) for name in data if name != "game"})

    @classmethod
    def of_torch(cls, game: str, state: Mapping[str, Array]) -> "Policy":
        """The policy that train_ppo.py has learned; torch keeps matrices the other way round."""
        weights = {name: np.asarray(state[theirs].T, np.float32) for name, theirs in TORCH.items()}
        # The last output is the value of a position, which the bot does not need and MaskablePPO keeps elsewhere.
        weights["out"] = np.pad(weights["out"], ((0, 0), (0, 1)))
        weights["out_bias"] = np.pad(weights["out_bias"], (0, 1))
        return cls(game, weights)

    def save(self, file: Path) -> None:
        """Write it in half precision, which is enough to play."""
        arrays = {name: weights.astype(np.float16) for name, weights in self.weights.items()}
        np.savez_compressed(file, allow_pickle=False, game=np.array(self.game.info.name), **arrays)

    def __call__(self, seen: Array) -> tuple[Array, Array, Array]:
        """For each vector: the hidden layer, the scores of all actions, and the reward that it expects."""
        hidden = np.maximum(seen @ self.weights["in"] + self.weights["in_bias"], 0)
        out = hidden @ self.weights["out"] + self.weights["out_bias"]
        return hidden, out[:, :-1], np.tanh(out[:, -1])
