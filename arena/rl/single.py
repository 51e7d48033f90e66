"""A game as a Gymnasium environment: one learning seat, and a fixed opponent in all others."""

from collections.abc import Mapping
from functools import partial
from random import Random
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AsyncVectorEnv, SyncVectorEnv, VectorEnv
from numpy.typing import NDArray

from arena.errors import UsageError
from arena.rl.environment import ILLEGAL_REWARD, SEEDS, BoardGame
from arena.rl.opponents import Opponent, opponent_of
from arena.rng import choice


class SingleAgent(gymnasium.Env[NDArray[np.float32], int]):
    """Plays one seat against an opponent that does not learn: a function, a bot or its name; random moves if none.

    The observation is the vector of the seat; `action_masks()`, and `action_mask` in every info, say what is legal.
    Without a `seat` the learner takes another one in every game. The reward comes at the end: see `BoardGame`.
    """

    def __init__(
        self,
        game: str,
        opponent: Opponent | None = None,
        *,
        seat: int | None = None,
        options: Mapping[str, str] | None = None,
        seats: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        self.board = BoardGame(game, options=options, seats=seats, render_mode=render_mode)
        self.seats = len(self.board.possible_agents)
        if seat is not None and not 0 <= seat < self.seats:
            raise UsageError(f"there is no seat {seat}: seats are 0 to {self.seats - 1}")
        self.metadata = self.board.metadata
        self.render_mode = render_mode
        self.observation_space = spaces.Box(0.0, 1.0, (self.board.vectors.observation.size,), np.float32)
        self.action_space = spaces.Discrete(self.board.vectors.actions.size)  # type: ignore[assignment]  # of np.int64
        self._fixed_seat = seat
        self._rng = Random()
        self._opponent = opponent_of(self.board.game, opponent or (lambda _, legal: choice(self._rng, legal)))
        self._mask: NDArray[Any] = np.zeros(self.board.vectors.actions.size, np.int8)
        self.seat = seat or 0
        """The seat of the learner in this game."""

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Deal a new game, and play on to the first decision of the learner."""
        super().reset(seed=seed, options=options)
        if seed is not None:
            self._rng = Random(seed)
        self.seat = self._rng.randrange(self.seats) if self._fixed_seat is None else self._fixed_seat
        self.board.reset(seed=self._rng.randrange(SEEDS))
        self._opponent.begin(self.board.config, self.seats, self.seat, self._rng)
        self._play_others()
        return self._observe()

    def step(self, action: int) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Play the move with this number, and on to the learner's next decision; an illegal one loses the game."""
        if not self.action_masks()[int(action)]:
            seen, info = self._observe()
            return seen, ILLEGAL_REWARD, True, False, {**info, "illegal": True}
        self.board.step(int(action))
        self._play_others()
        seen, info = self._observe()
        over = self.board.position.to_move() is None
        return seen, self.board.rewards[self._agent] if over else 0.0, over, False, info

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal now, in the form that sb3-contrib asks for."""
        return self._mask.astype(np.bool_)

    def render(self) -> str | None:
        """The whole position as it looks in a terminal."""
        return self.board.render()

    @property
    def _agent(self) -> str:
        return self.board.possible_agents[self.seat]

    def _observe(self) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """What the learner sees now; its legal moves are kept for `action_masks`."""
        seen = self.board.observe(self._agent)
        self._mask = seen["action_mask"]
        return seen["observation"], {"action_mask": seen["action_mask"], "seat": self.seat}

    def _play_others(self) -> None:
        position = self.board.position
        while (mover := position.to_move()) is not None and mover != self.seat:
            move = self._opponent.choose(mover, position.view(mover), position.legal())
            number = next(number for number, known in self.board.legal_moves().items() if known == move)
            self.board.step(number)


def vector_env(
    game: str, count: int, opponent: Opponent | None = None, *, processes: bool = False, **given: Any
) -> VectorEnv[Any, Any, Any]:
    """`count` games at once, in this process or each in one of its own; `given` is that of `SingleAgent`."""
    makers = [partial(SingleAgent, game, opponent, **given) for _ in range(count)]
    return AsyncVectorEnv(makers) if processes else SyncVectorEnv(makers)
