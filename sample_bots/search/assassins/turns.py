"""King & Assassins as a game of whole turns, which is how the search plays it.

A turn is a row of up to ten actions with about fifty choices each, and most orders of the same actions come to the
same. A tree of single actions would hardly see the end of one turn. So the turns of each side are planned by beam
search, as it sees its chances, and the search decides among the best plans by what can be answered to them.
"""

import time
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from math import inf
from operator import itemgetter
from random import Random

from arena.match import Outcome, Seat
from engines.assassins.board import KING
from engines.assassins.determinize import imagine
from engines.assassins.moves import CHOOSE, END_TURN, ENTER, REVEAL, Move, figure_of
from engines.assassins.rules import ATTACK_PRICE, KINGS_TURN, AssassinsState, Observation

from .chances import REACH, crowds_chance, kings_chance, threats

BEAM, KEPT = 3, 8
"""How many positions of one kind a plan may go through, and how many plans are kept."""
REPLY_BEAM, REPLIES_KEPT = 1, 3
"""The same for what may follow after this turn."""

Plan = tuple[Move, ...]
Node = tuple[float, AssassinsState, Plan]
"""How good a position looks, the position, and the actions that lead to it."""

by_chance = itemgetter(0)


class Turns:
    """The game of whole turns."""

    def __init__(self, now: Callable[[], float] = time.monotonic) -> None:
        self._now = now
        self._until = inf
        self._plans: dict[Hashable, dict[Plan, float]] = {}

    def begin_turn(self, until: float) -> None:
        """Forget the plans of the last turn; those of this one should be made until then."""
        self._until = until
        self._plans.clear()

    def imagine(self, observation: Observation, rng: Random) -> "TurnState":
        """A position that fits what a seat knows."""
        return TurnState(imagine(observation, rng), self)

    def plans(self, state: AssassinsState) -> dict[Plan, float]:
        """The best plans for this turn, the best first, and how good each looks."""
        key = position(state)
        if key not in self._plans:
            beam, kept = (REPLY_BEAM, REPLIES_KEPT) if self._plans else (BEAM, KEPT)
            best = sorted(self._found(state, beam), key=by_chance, reverse=True)[:kept]
            self._plans[key] = {complete(plan, end): chance for chance, end, plan in best}
        return self._plans[key]

    def _found(self, state: AssassinsState, beam: int) -> Iterator[Node]:
        """Every position that beam search keeps on the way."""
        chance = kings_chance if state.phase == KINGS_TURN else crowds_chance
        hits = sorted(((chance(end), end, plan) for end, plan in strikes(state)), key=by_chance, reverse=True)
        frontier = [(chance(state), state, ()), *hits[:beam]]
        seen: set[Hashable] = set()
        while frontier and self._now() < self._until:
            yield from frontier
            children = sorted(self._children(frontier, chance, seen), key=by_chance, reverse=True)
            frontier = list(best_of_each_kind(children, beam))
        yield from frontier

    def _children(
        self, frontier: list[Node], chance: Callable[[AssassinsState], float], seen: set[Hashable]
    ) -> Iterator[Node]:
        """New positions that are one action further on; a hidden assassin shows himself only for a strike."""
        for _, state, plan in frontier:
            if self._now() > self._until:
                return
            for move in state.legal():
                if move == END_TURN or REVEAL <= move < ENTER:
                    continue
                child = state.clone()
                child.apply(move)
                key = (*child.where, child.king_points, child.knight_points, child.crowd_points)
                if key not in seen:
                    seen.add(key)
                    yield chance(child), child, (*plan, move)


class TurnState:
    """A position in the game of whole turns: what the search needs of a state, and no more."""

    __slots__ = ("state", "turns")

    def __init__(self, state: AssassinsState, turns: Turns) -> None:
        self.state = state
        self.turns = turns

    def to_move(self) -> Seat | None:
        """Whose turn it is."""
        return self.state.to_move()

    def legal(self) -> list[Plan]:
        """The plans worth trying."""
        return list(self.turns.plans(self.state))

    def apply(self, plan: Plan) -> None:
        """Make all actions of a plan; a capture may end the game before the last of them."""
        for move in plan:
            if self.state.to_move() is not None:
                self.state.apply(move)

    def outcome(self) -> Outcome | None:
        """Who won."""
        return self.state.outcome()


def weigh(turn: TurnState) -> Iterable[float]:
    """How the plans look to the seat that makes them."""
    return turn.turns.plans(turn.state).values()


def evaluate(turn: TurnState) -> list[float]:
    """The chances of both seats, each as it sees them."""
    return [kings_chance(turn.state), crowds_chance(turn.state)]


OPTIONS = {"weigh": weigh, "evaluate": evaluate, "exploration": 0.05, "trust": 30}
"""A chance after one answer says little, so many answers are needed to prefer a plan that looks worse."""


# -- planning a turn ------------------------------------------------------------------------------------


def position(state: AssassinsState) -> Hashable:
    """All that the plans of the seat to move depend on."""
    card = state.drawn, state.deck[state.drawn - 1], state.king_points, state.knight_points, state.crowd_points
    known = state.captured if state.phase == KINGS_TURN else state.assassins
    return (state.phase, card, *state.where, state.wounds, *state.revealed, known)


def complete(plan: Plan, end: AssassinsState) -> Plan:
    """The plan with the end of the turn, unless the game is over before."""
    return plan if end.to_move() is None else (*plan, END_TURN)


def best_of_each_kind(nodes: Iterable[Node], beam: int) -> Iterator[Node]:
    """Positions of different kinds do not push each other out of the beam.

    The king's step pays off only after a knight has made room for it, so where he is and if he can go on is followed
    apart from all that looks better at once.
    """
    kinds: Counter[Hashable] = Counter()
    for node in nodes:
        kind = kind_of(node[1])
        kinds[kind] += 1
        if kinds[kind] <= beam:
            yield node


def kind_of(state: AssassinsState) -> Hashable:
    """Where the king is, and if he can go on."""
    king = state.where[KING]
    if state.phase != KINGS_TURN or not state.king_points:
        return state.phase, king
    steps = state.board.steps_home
    return king, any(state.at[to] < 0 and steps[to] < steps[king] for to in state.board.streets[king])


def strikes(state: AssassinsState) -> Iterator[tuple[AssassinsState, Plan]]:
    """What any one assassin who can reach the king in this turn can do to him and to the knights."""
    if state.phase == KINGS_TURN:
        return
    costs = threats(state)
    for figure in state.assassins:
        if costs.get(figure, REACH) + ATTACK_PRICE <= state.crowd_points:
            start, reveal = state.clone(), (REVEAL + figure,) if figure in state.hidden else ()
            for move in reveal:
                start.apply(move)
            yield from raids(start, figure, reveal)


def raids(start: AssassinsState, figure: int, reveal: Plan) -> Iterator[tuple[AssassinsState, Plan]]:
    """Every position that this revealed assassin reaches by his own actions after he has hurt somebody."""
    seen: set[Hashable] = set()
    stack = [(start, reveal)]
    while stack:
        state, plan = stack.pop()
        for move in state.legal():
            if move >= CHOOSE or figure_of(move) != figure:
                continue
            child = state.clone()
            child.apply(move)
            key = (*child.where, child.crowd_points, child.wounds)
            if key not in seen:
                seen.add(key)
                stack.append((child, (*plan, move)))
                if child.wounds > start.wounds or child.kills > start.kills:
                    yield child, (*plan, move)
