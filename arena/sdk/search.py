"""Search for games with hidden facts: information-set Monte Carlo tree search, ready to import and to read.

Every iteration imagines a full position that fits what the seat knows, walks down one tree shared by all of them,
adds a node, plays on (at random, or as `playout` says, until the end or until `evaluate` judges the position), and
credits every seat on the way. A move that is not possible in every imagined position is judged by the share of
iterations in which it was there.

    search = Search(find("claim"), seed=1)    # in a bot's `begin`
    return search.choose(turn)                # in its `choose`
"""

import math
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from arena.game import AnyGame, AnyState
from arena.match import Outcome, Turn, points
from arena.rng import choice

Evaluate = Callable[[Any], Sequence[float] | None]
"""How good a position is for each seat, from 0 (lost) to 1 (won); None to play on, as in the middle of an exchange."""
Playout = Callable[[Any, Random], Any]
"""The move that a play-out makes in a position."""
Weigh = Callable[[Any], Sequence[float]]
"""How good each legal move looks to the seat that makes it, from 0 to 1."""

MARGIN = 0.15
"""The share of its time that a bot leaves unused for the transport of its reply."""
SAMPLES, RESERVE = 3, 4
"""Random games by which a bot guesses how many decisions are still to come, and how many more it saves its bank for."""
NO_CLOCK, UNHURRIED = 3600.0, 1.0
"""A bot with more than an hour for a decision plays without a clock, and takes this many seconds."""


class Node:
    """A move in the tree, with what came of it for the seat that made it."""

    __slots__ = ("available", "children", "move", "reward", "seat", "visits")

    def __init__(self, seat: int, move: Any, visits: int = 0, reward: float = 0.0) -> None:
        self.seat, self.move, self.visits, self.reward = seat, move, visits, reward
        self.available = 1
        self.children: dict[Any, Node] = {}

    def upper_bound(self, exploration: float) -> float:
        """The upper confidence bound, counted over the iterations in which the move was there."""
        return self.reward / self.visits + exploration * math.sqrt(math.log(self.available) / self.visits)


class Search:
    """Chooses moves by search; one object may serve a whole match.

    `depth` is how many moves a play-out makes before `evaluate` is asked. The higher `exploration`, the longer moves
    that seem bad are tried. A `width` of about 1 tries few moves often instead of all: a position that was visited n
    times gets at most width * sqrt(n) of them, first those that `playout` makes there. With `weigh`, every move counts
    as tried from the start, `trust` times, so that those that look bad need not be tried at all.
    """

    def __init__(
        self,
        game: AnyGame,
        *,
        seed: int,
        evaluate: Evaluate | None = None,
        depth: int = 0,
        playout: Playout | None = None,
        exploration: float = 0.7,
        width: float = math.inf,
        weigh: Weigh | None = None,
        trust: int = 1,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._game = game
        self._rng = Random(seed)
        self._evaluate = evaluate
        self._depth = depth
        self._playout = playout or any_move
        self._exploration = exploration
        self._width = width
        self._weigh = weigh
        self._trust = trust
        self._now = now
        self.iterations = 0
        """How many the last decision took."""

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """The move that was tried most in the time that this turn may take."""
        return self.think(turn.observation, self.seconds(turn))

    def think(self, observation: Any, seconds: float) -> Any:
        """The move that was tried most within these seconds."""
        tried = self.grow(observation, seconds).children
        return max(tried, key=lambda move: (tried[move].visits, tried[move].reward))

    def seconds(self, turn: Turn[Any, Any]) -> float:
        """How long to think; a bank is shared out evenly among the decisions that are still to come."""
        return budget(turn, self._decisions_left(turn.observation) if turn.bank else 1.0)

    def grow(self, observation: Any, seconds: float) -> Node:
        """The tree after this many seconds, or after one iteration if there is but one move."""
        deadline = self._now() + seconds
        root, self.iterations, thinking = Node(0, None), 0, True
        while thinking:
            state = self._game.imagine(observation, self._rng)
            has_choice = len(state.legal()) > 1
            self._iterate(root, state)
            self.iterations += 1
            thinking = has_choice and self._now() < deadline
        return root

    def _iterate(self, root: Node, state: AnyState) -> None:
        node, path, is_new = root, [root], False
        while not is_new and (seat := state.to_move()) is not None:
            move, node, is_new = self._descend(node, seat, state)
            state.apply(move)
            path.append(node)
        gained = self._finish(state)
        for visited in path:
            visited.visits += 1
            visited.reward += gained[visited.seat]

    def _descend(self, node: Node, seat: int, state: AnyState) -> tuple[Any, Node, bool]:
        """A move that was never tried, if the position deserves one more, else the most promising."""
        legal, children = state.legal(), node.children
        weigh = None if children else self._weigh
        if weigh:
            trust = self._trust
            children.update((move, Node(seat, move, trust, trust * worth)) for move, worth in zip(legal, weigh(state)))
        tried = [child for move in legal if (child := children.get(move))]
        for child in tried:
            child.available += 1
        if len(tried) < len(legal) and len(tried) < self._width * math.sqrt(node.visits + 1):
            move = self._playout(state, self._rng)
            if move in children:
                move = choice(self._rng, [untried for untried in legal if untried not in children])
            child = children[move] = Node(seat, move)
            return move, child, True
        bounds = [child.upper_bound(self._exploration) for child in tried]
        child = tried[bounds.index(max(bounds))]
        return child.move, child, weigh is not None

    def _finish(self, state: AnyState) -> Sequence[float]:
        """Play on to the end, or to where the position is judged instead."""
        if self._playout is any_move and not self._evaluate:
            play_on(state, self._rng)
        steps = 0
        while state.to_move() is not None:
            if self._evaluate and steps >= self._depth and (judged := self._evaluate(state)):
                return judged
            state.apply(self._playout(state, self._rng))
            steps += 1
        outcome = state.outcome()
        return () if outcome is None else rewards(outcome)

    def _decisions_left(self, observation: Any) -> float:
        """How many real choices the seat to move will have, this one included, as random games go."""
        count = 0
        for _ in range(SAMPLES):
            state = self._game.imagine(observation, self._rng)
            own_seat = state.to_move()
            while (seat := state.to_move()) is not None:
                count += seat == own_seat and len(state.legal()) > 1
                state.apply(any_move(state, self._rng))
        return count / SAMPLES


def budget(turn: Turn[Any, Any], decisions_left: float) -> float:
    """How many seconds a decision should take: the free time of the move, and its share of the bank."""
    if turn.available > NO_CLOCK:
        return UNHURRIED
    free = turn.available - turn.bank
    return (free + turn.bank / (decisions_left + RESERVE)) * (1.0 - MARGIN)


def rewards(outcome: Outcome) -> list[float]:
    """The share of opponents that each seat beat, ties counting half."""
    others = len(outcome.ranks) - 1
    return [beaten / others for beaten in points(outcome.ranks)]


def any_move(state: AnyState, rng: Random) -> Any:
    """A uniformly random legal move, the default play-out."""
    return choice(rng, state.legal())


def play_on(state: AnyState, rng: Random) -> None:
    """Make the moves of `any_move` to the end of the game, with as few calls as it can: most of a search goes here."""
    random, legal_moves, apply = rng.random, state.legal, state.apply
    while legal := legal_moves():
        apply(legal[int(random() * len(legal))])
