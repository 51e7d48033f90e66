"""A game as a PettingZoo environment: one agent per seat, who act in the order of the game."""

from collections.abc import Mapping
from random import Random
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from rich.console import Console

from arena import registry
from arena.errors import IllegalMove, UsageError
from arena.game import AnyState
from arena.match import Outcome, points
from arena.vectors import vectors

Observed = dict[str, NDArray[Any]]
RENDER_MODES = ("ansi",)
SEEDS = 1 << 32
ILLEGAL_REWARD = -1.0


def env(
    game: str,
    *,
    options: Mapping[str, str] | None = None,
    seats: int | None = None,
    render_mode: str | None = None,
) -> AECEnv:
    """The game as PettingZoo's own classic games are: an illegal action ends it, with -1 for the agent that took it."""
    bare = BoardGame(game, options=options, seats=seats, render_mode=render_mode)
    safe = wrappers.TerminateIllegalWrapper(bare, illegal_reward=ILLEGAL_REWARD)
    return wrappers.OrderEnforcingWrapper(wrappers.AssertOutOfBoundsWrapper(safe))


class BoardGame(AECEnv):  # type: ignore[misc]  # PettingZoo has no types
    """The bare environment, which is faster: an illegal action raises IllegalMove and changes nothing."""

    agents: list[str]
    agent_selection: str
    rewards: dict[str, float]
    _cumulative_rewards: dict[str, float]
    terminations: dict[str, bool]
    truncations: dict[str, bool]
    infos: dict[str, dict[str, Any]]
    position: AnyState
    _moves: dict[int, Any] | None

    def __init__(
        self,
        game: str,
        *,
        options: Mapping[str, str] | None = None,
        seats: int | None = None,
        render_mode: str | None = None,
    ) -> None:
        super().__init__()
        if render_mode not in (None, *RENDER_MODES):
            raise UsageError(f"there is no render mode {render_mode!r}: choose {', '.join(RENDER_MODES)}, or None")
        self.game = registry.find(game)
        self.vectors = vectors(self.game)
        seats = self.game.info.min_seats if seats is None else seats
        self.config = self.game.configure(seats, options or {})
        self.metadata = {"name": f"arena_{game}_v{self.game.info.version}", "render_modes": list(RENDER_MODES)}
        self.render_mode = render_mode
        self.possible_agents = [f"seat_{seat}" for seat in range(seats)]
        self._seat_of = {agent: seat for seat, agent in enumerate(self.possible_agents)}
        self.observation_spaces = {agent: self._observation_space() for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(self.vectors.actions.size) for agent in self.possible_agents}
        self._seeds = Random()

    def observation_space(self, agent: str) -> spaces.Dict:
        """A vector between 0 and 1, and the mask of the legal actions."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """The numbers of all moves of the game."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:  # noqa: ARG002
        """Deal a new game: with a seed that of `arena match --seed`, and from then on always the same row of games."""
        if seed is not None:
            self._seeds = Random(seed)
        self._begin(self.game.start(self.config, self._seeds.randrange(SEEDS) if seed is None else seed))

    def observe(self, agent: str) -> Observed:
        """What the agent's seat may know; its mask is all zeros while it is not to move."""
        seat = self._seat_of[agent]
        seen = self.position.view(seat)
        vector = np.frombuffer(self.vectors.vector(seen), dtype=np.float32)
        mask = np.zeros(self.vectors.actions.size, dtype=np.int8)
        if self.position.to_move() == seat:
            mask[list(self._legal(seen))] = 1
        return {"observation": vector, "action_mask": mask}

    def step(self, action: int | None) -> None:
        """Play the move with this number; at the end of the game every agent gets its reward."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        moves = self._legal()
        if action not in moves:
            raise IllegalMove(f"action {action} is not legal now; legal are {sorted(moves)}")
        self.position.apply(moves[int(action)])
        self._moves = None
        self._cumulative_rewards[agent] = 0.0
        outcome = self.position.outcome()
        if outcome is None:
            self.agent_selection = self.possible_agents[self.position.to_move() or 0]
        else:
            self._finish(outcome)

    def render(self) -> str | None:
        """The whole position as it looks in a terminal, hidden cards included; None without a render mode."""
        if self.render_mode is None:
            return None
        console = Console(width=120, force_terminal=True, color_system="standard", highlight=False)
        with console.capture() as capture:
            console.print(self.game.show(self.position))
        return capture.get()

    def close(self) -> None:
        """Nothing is open."""

    def legal_moves(self) -> Mapping[int, Any]:
        """The legal moves of the agent to move, by their numbers."""
        return self._legal()

    def _observation_space(self) -> spaces.Dict:
        return spaces.Dict(
            {
                "observation": spaces.Box(0.0, 1.0, (self.vectors.observation.size,), np.float32),
                "action_mask": spaces.Box(0, 1, (self.vectors.actions.size,), np.int8),
            }
        )

    def _begin(self, state: AnyState) -> None:
        self.position = state
        self._moves = None
        self.agents = self.possible_agents[:]
        self.agent_selection = self.agents[state.to_move() or 0]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos = {agent: {} for agent in self.agents}

    def _legal(self, seen: Any = None) -> dict[int, Any]:
        """The legal moves by their numbers, worked out once for each position."""
        if self._moves is None:
            state = self.position
            seen = state.view(state.to_move() or 0) if seen is None else seen
            self._moves = self.vectors.numbered(seen, state.legal())
        return self._moves

    def _finish(self, outcome: Outcome) -> None:
        self.rewards = dict(zip(self.possible_agents, zero_sum_rewards(outcome), strict=True))
        self.terminations = dict.fromkeys(self.agents, True)
        self._accumulate_rewards()
        self.agent_selection = self.agents[0]


def zero_sum_rewards(outcome: Outcome) -> tuple[float, ...]:
    """What each seat gets: the share of the others that it beat minus the share that beat it; the sum is zero."""
    others = len(outcome.ranks) - 1
    return tuple((2.0 * beaten - others) / others for beaten in points(outcome.ranks))
