"""Search for games with hidden facts: information-set Monte Carlo tree search, ready to import and to read.

Every iteration imagines a full position that fits what the seat knows, walks down one tree shared by all of them,
adds a node, plays the rest at random (or asks `evaluate` after a few moves), and credits every seat on the way. A move
that is not possible in every imagined position is judged by the share of iterations in which it was there.

    class MyBot(Bot):
        def begin(self, start):
            self.search = Search(find("claim"), seed=1)
        def choose(self, turn):
            return self.search.choose(turn)
"""

import math
import time
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

from arena.game import AnyGame, AnyState
from arena.match import Outcome, Turn

Evaluate = Callable[[AnyState], Sequence[float]]
"""How good a position is for each seat, from 0 (lost) to 1 (won)."""
Playout = Callable[[AnyState, Random], Any]
"""The move that a play-out makes in a position."""

MARGIN = 0.15
"""The share of its time that a bot keeps for the way back."""
BANK_SHARE = 0.05
"""The share of its bank that a bot spends on one decision."""


class Node:
    """A move in the tree, with what came of it for the seat that made it."""

    __slots__ = ("available", "children", "reward", "seat", "visits")

    def __init__(self, seat: int) -> None:
        self.seat = seat
        self.visits = 0
        self.available = 0
        self.reward = 0.0
        self.children: dict[Any, Node] = {}

    def promise(self, exploration: float) -> float:
        """The upper confidence bound, counted over the iterations in which the move was there."""
        return self.reward / self.visits + exploration * math.sqrt(math.log(self.available) / self.visits)


class Search:
    """Chooses moves by search; one object may serve a whole match."""

    def __init__(
        self,
        game: AnyGame,
        *,
        seed: int,
        evaluate: Evaluate | None = None,
        depth: int | None = None,
        playout: Playout | None = None,
        exploration: float = 0.7,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        self._game = game
        self._rng = Random(seed)
        self._evaluate = evaluate
        self._depth = depth if evaluate is not None else None
        self._playout = playout or _any_move
        self._exploration = exploration
        self._now = now
        self.iterations = 0
        """How many the last decision took."""

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """The move that was tried most in the time that this turn may take."""
        return self.think(turn.observation, budget(turn))

    def plan(self, turn: Turn[Any, Any], sure: int = 50) -> list[Any]:
        """The move that was tried most, and those that follow it while this seat decides and they were tried enough.

        Only for games in which a seat learns nothing new between its own moves of one turn.
        """
        return self._line(self.grow(turn.observation, budget(turn)), sure)

    def think(self, observation: Any, seconds: float) -> Any:
        """The move that was tried most within these seconds."""
        return self._line(self.grow(observation, seconds), sure=0)[0]

    def grow(self, observation: Any, seconds: float) -> "Node":
        """The tree after this many seconds; if there is but one move, at once."""
        deadline = self._now() + seconds
        state = self._game.imagine(observation, self._rng)
        moves = len(state.legal())
        root = Node(-1)
        self.iterations = 0
        while self.iterations < moves or (moves > 1 and self._now() < deadline):
            self._iterate(root, state)
            self.iterations += 1
            state = self._game.imagine(observation, self._rng)
        return root

    def _line(self, root: "Node", sure: int) -> list[Any]:
        """The moves that were tried most, one after another, for as long as the first one's seat makes them."""
        line: list[Any] = []
        node, seat = root, -1
        while node.children:
            move, child = max(node.children.items(), key=lambda item: item[1].visits)
            if line and (child.seat != seat or child.visits < sure):
                break
            line.append(move)
            node, seat = child, child.seat
        return line

    def _iterate(self, root: Node, state: AnyState) -> None:
        path = [root]
        node = root
        while (seat := state.to_move()) is not None:
            move, child, is_new = self._descend(node, seat, state.legal())
            state.apply(move)
            path.append(child)
            node = child
            if is_new:
                break
        rewards = self._finish(state)
        for each in path[1:]:
            each.visits += 1
            each.reward += rewards[each.seat]

    def _descend(self, node: Node, seat: int, legal: Sequence[Any]) -> tuple[Any, Node, bool]:
        """A move that was never tried, if there is one, else the most promising."""
        children = node.children
        fresh = [move for move in legal if move not in children]
        for move in legal:
            if move in children:
                children[move].available += 1
        if fresh:
            move = fresh[int(self._rng.random() * len(fresh))]
            child = children[move] = Node(seat)
            child.available = 1
            return move, child, True
        move = max(legal, key=lambda each: children[each].promise(self._exploration))
        return move, children[move], False

    def _finish(self, state: AnyState) -> Sequence[float]:
        """Play on to the end, or to the depth at which the position is judged instead."""
        steps = 0
        while state.to_move() is not None:
            if self._evaluate is not None and steps == self._depth:
                return self._evaluate(state)
            state.apply(self._playout(state, self._rng))
            steps += 1
        outcome = state.outcome()
        return () if outcome is None else rewards(outcome)


def budget(turn: Turn[Any, Any]) -> float:
    """How many seconds a decision should take: the free time of the move, and a little of the bank."""
    free = turn.available - turn.bank
    return max(0.0, (free + BANK_SHARE * turn.bank) * (1.0 - MARGIN))


def rewards(outcome: Outcome) -> list[float]:
    """The share of opponents that each seat beat, ties counting half."""
    ranks = outcome.ranks
    others = len(ranks) - 1
    return [(sum((mine < rank) + 0.5 * (mine == rank) for rank in ranks) - 0.5) / others for mine in ranks]


def _any_move(state: AnyState, rng: Random) -> Any:
    legal = state.legal()
    return legal[int(rng.random() * len(legal))]
