"""A strategy for both sides of King & Assassins: plan the whole turn by beam search, with one evaluation per side.

The evaluations ask how likely the king is to be home in time, how likely he is to be stabbed in the coming turn, and
what is left of both sides. They use only what the seat may know: the king's side never looks at the identities, and
nobody at the order of the deck. `bench/balance_assassins.py` plays it against itself to see how even the boards are.
"""

from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from heapq import heappop, heappush
from math import comb, exp
from random import Random

from engines.assassins import board as boards
from engines.assassins.board import CITIZENS, KING, KNIGHTS, OFF, SQUARES
from engines.assassins.moves import CHOOSE, END_TURN, ENTER, REVEAL, Move, figure_of
from engines.assassins.rules import (
    ASSASSINS_GONE,
    ATTACK_PRICE,
    CARDS,
    ENTERED,
    KING_DEAD,
    KINGS_TURN,
    WOUNDS_TO_DIE,
    AssassinsState,
)

BEAM = 3
"""How many positions of one kind the search follows."""
NEAR = 7
"""Threats that cost more action points than this count for nothing."""
WON = 1e3

# What stands in the king's way, in steps: a citizen, a knight, and something more for a knight right beside him.
CITIZEN_AHEAD, KNIGHT_AHEAD, KNIGHT_BESIDE = 1.0, 0.4, 0.8

# The king's side. His chance to be home in time goes from 0 to 100; the patience says how gently it falls.
KING_PATIENCE, WOUND_FEAR, PRESSURE_FEAR, ESCORT_WORTH, KILL_WORTH, CAPTURE_WORTH = 3.0, 0.35, 0.2, 0.3, 15.0, 20.0

# The assassins' side: the same patience, what a wound leaves of the king's chance, how much citizens and assassins
# near the king are worth, and what they think of their own and of the knights.
CROWD_PATIENCE, WOUND_LEAVES, CROWD_WORTH, KNIFE_WORTH = 2.5, 0.5, 0.4, 0.6
ASSASSIN_WORTH, EXPOSED_SHARE, KNIGHT_WORTH, CAUTION = 20.0, 0.15, 2.0, 0.5

Plan = tuple[Move, ...]
Score = Callable[[AssassinsState], float]
Node = tuple[float, float, AssassinsState, Plan]
"""The score, a random number that decides ties, the position, and the moves that lead to it."""


# -- distances ----------------------------------------------------------------------------------------------


@cache
def approaches(name: str) -> tuple[tuple[tuple[int, int, bool], ...], ...]:
    """Per square: from where an assassin can come, what the step costs him, and if he could kill a knight there."""
    board = boards.load(name)
    found: list[list[tuple[int, int, bool]]] = [[] for _ in range(SQUARES)]
    for square in range(SQUARES):
        for to, price, can_strike in board.prowls[square]:
            found[to].append((square, price, can_strike))
    return tuple(map(tuple, found))


@cache
def steps_home(name: str) -> dict[int, int]:
    """The king's steps from every street into the castle, nobody being in his way."""
    board = boards.load(name)
    steps = dict.fromkeys(board.doors, 1)
    queue = list(steps)
    for square in queue:
        for to in board.streets[square]:
            if to not in steps:
                steps[to] = steps[square] + 1
                queue.append(to)
    return steps


@cache
def points_of_all_cards(name: str) -> int:
    """The king's action points on all cards of this board's deck."""
    return sum(CARDS[kind][0] for kind in boards.load(name).deck)


def threats(state: AssassinsState) -> dict[int, int]:
    """What it costs each citizen, were he an assassin, to come beside the king; only those that are near."""
    king, at, ways = state.where[KING], state.at, approaches(state.config.board)
    best = [NEAR + 1] * SQUARES
    best[king] = -1
    buckets: list[list[int]] = [[] for _ in range(NEAR + 1)]
    for square, _, _ in ways[king]:
        best[square] = 0
        buckets[0].append(square)
    costs: dict[int, int] = {}
    for cost, bucket in enumerate(buckets):
        for square in bucket:
            if best[square] < cost:
                continue
            figure = at[square]
            if figure in CITIZENS:
                costs[figure] = cost
            # Somebody in the way costs a kill, or a step aside.
            entry = cost if figure < 0 else cost + 1
            for origin, price, can_strike in ways[square]:
                total = entry + price
                if total < best[origin] and (figure < KNIGHTS[0] or can_strike):
                    best[origin] = total
                    buckets[total].append(origin)
    return costs


def way_home(state: AssassinsState) -> float:
    """The king's steps into the castle, where whoever stands in the way counts for more steps."""
    board, at, steps = state.board, state.at, steps_home(state.config.board)
    start = state.where[KING]
    best = {start: 0.0}
    heap = [(float(steps[start]), 0.0, start)]
    while heap:
        _, cost, square = heappop(heap)
        if square in board.doors:
            return cost + 1
        if cost > best[square]:
            continue
        for to in board.streets[square]:
            total = cost + 1 + hindrance(at[to], beside=square == start)
            if total < best.get(to, 1e9):
                best[to] = total
                heappush(heap, (total + steps[to], total, to))
    raise ValueError("the board has no way home")


def hindrance(figure: int, *, beside: bool) -> float:
    """What a figure in the king's way is worth in steps."""
    if figure < 0:
        return 0.0
    return CITIZEN_AHEAD if figure in CITIZENS else KNIGHT_AHEAD + KNIGHT_BESIDE * beside


def hope(state: AssassinsState, patience: float) -> float:
    """How likely, from 0 to 100, the king is to be home in time: his way against the points on the cards to come."""
    name = state.config.board
    to_come = points_of_all_cards(name) - sum(CARDS[kind][0] for kind in state.deck[: state.drawn])
    return 100 / (1 + exp((way_home(state) - to_come) / patience))


# -- the king's side ----------------------------------------------------------------------------------------


def kings_score(state: AssassinsState) -> float:
    """How good it is for the king to end his turn in this position."""
    # A capture that ends the game would tell who was an assassin, so such an end counts only if all were revealed.
    if state.ending == ENTERED or (state.ending == ASSASSINS_GONE and len(state.revealed) == 3):
        return WON
    killed = sum(state.where[figure] == OFF for figure in state.revealed)
    hidden_share = (3 - len(state.revealed)) / (12 - len(state.revealed))
    losses = KILL_WORTH * killed + CAPTURE_WORTH * hidden_share * (len(state.removed) - killed)
    return safe_hope(state) + losses + ESCORT_WORTH * escort(state)


def safe_hope(state: AssassinsState) -> float:
    """The king's hope if he survives what the assassins can do with this card's action points."""
    points, fatal = state.crowd_points, ATTACK_PRICE * (WOUNDS_TO_DIE - state.wounds)
    costs = threats(state)
    deadly = chance_of_assassin(state, [figure for figure, cost in costs.items() if cost + fatal <= points])
    wounding = chance_of_assassin(state, [figure for figure, cost in costs.items() if cost + ATTACK_PRICE <= points])
    pressure = sum(NEAR - cost for cost in costs.values())
    safety = (1 - deadly) * (1 - WOUND_FEAR * (wounding - deadly))
    return hope(state, KING_PATIENCE) * safety - PRESSURE_FEAR * pressure


def chance_of_assassin(state: AssassinsState, figures: list[int]) -> float:
    """The chance that one of these is an assassin, to one who knows only those who were revealed."""
    revealed = len(state.revealed)
    if any(figure in state.revealed for figure in figures):
        return 1.0
    return 1 - comb(12 - revealed - len(figures), 3 - revealed) / comb(12 - revealed, 3 - revealed)


def escort(state: AssassinsState) -> int:
    """How close the knights are to the king."""
    king = state.where[KING]
    return sum(max(0, 4 - distance(king, state.where[knight])) for knight in KNIGHTS if state.where[knight] != OFF)


def distance(one: int, other: int) -> int:
    """Rows and columns between two squares."""
    return abs(one // 10 - other // 10) + abs(one % 10 - other % 10)


# -- the assassins' side ------------------------------------------------------------------------------------


def assassins_score(state: AssassinsState) -> float:
    """How good it is for the assassins to end their turn in this position."""
    if state.ending == KING_DEAD:
        return WON
    costs = threats(state)
    crowd = sum(NEAR - cost for cost in costs.values())
    knives = sum(NEAR - costs[figure] for figure in state.assassins if figure in costs)
    left = sum(
        1.0 if figure in state.hidden else EXPOSED_SHARE for figure in state.assassins if state.where[figure] != OFF
    )
    knights = [state.where[knight] for knight in KNIGHTS if state.where[knight] != OFF]
    return (
        CROWD_WORTH * crowd
        + KNIFE_WORTH * knives
        - hope(state, CROWD_PATIENCE) * WOUND_LEAVES**state.wounds
        - ASSASSIN_WORTH / (left + 0.3)
        - KNIGHT_WORTH * len(knights)
        - CAUTION * risk_of_capture(state, knights)
    )


def risk_of_capture(state: AssassinsState, knights: list[int]) -> int:
    """How close knights are to the hidden assassins."""
    hidden = [state.where[figure] for figure in state.assassins if figure in state.hidden]
    return sum(max(0, 4 - min((distance(square, knight) for knight in knights), default=4)) for square in hidden)


def strikes(state: AssassinsState) -> Iterator[tuple[AssassinsState, Plan]]:
    """What any one assassin who can reach the king in this turn can do to him and to the knights."""
    costs = threats(state)
    for figure in state.assassins:
        if costs.get(figure, NEAR) + ATTACK_PRICE > state.crowd_points:
            continue
        start = state.clone()
        reveal = (REVEAL + figure,) if figure in state.hidden else ()
        for move in reveal:
            start.apply(move)
        yield from raids(start, figure, reveal)


def raids(start: AssassinsState, figure: int, reveal: Plan) -> Iterator[tuple[AssassinsState, Plan]]:
    """Every position that this revealed assassin reaches by his own actions after he has hurt somebody."""
    seen: set[tuple[int, ...]] = set()
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


# -- planning a turn ----------------------------------------------------------------------------------------


def best_plan(state: AssassinsState, score: Score, rng: Random) -> Plan:
    """The best sequence of actions that beam search finds for this turn."""
    frontier: list[Node] = [(score(state), 0.0, state, ())]
    if state.phase != KINGS_TURN:
        raided = [(score(child), rng.random(), child, plan) for child, plan in strikes(state)]
        frontier += sorted(raided, key=by_score, reverse=True)[:BEAM]
    best = max(frontier, key=by_score)
    seen: set[tuple[int, ...]] = set()
    while frontier and best[0] < WON:
        frontier = expand(frontier, score, rng, seen)
        best = max([best, *frontier[:1]], key=by_score)
    return best[3]


def by_score(node: Node) -> tuple[float, float]:
    """What nodes are sorted by."""
    return node[:2]


def expand(frontier: list[Node], score: Score, rng: Random, seen: set[tuple[int, ...]]) -> list[Node]:
    """The best positions that are one action further on; a hidden assassin shows himself only for a strike."""
    children: list[Node] = []
    for _, _, state, plan in frontier:
        for move in state.legal():
            if move == END_TURN or REVEAL <= move < ENTER:
                continue
            child = state.clone()
            child.apply(move)
            key = (*child.where, child.king_points, child.knight_points, child.crowd_points)
            if key not in seen:
                seen.add(key)
                children.append((score(child), rng.random(), child, (*plan, move)))
    children.sort(key=by_score, reverse=True)
    kinds: Counter[object] = Counter()
    kept: list[Node] = []
    for node in children:
        kind = kind_of_position(node[2])
        kinds[kind] += 1
        if kinds[kind] <= BEAM:
            kept.append(node)
    return kept


def kind_of_position(state: AssassinsState) -> object:
    """Positions of different kinds do not push each other out of the beam.

    The king's step pays off only after a knight has made room for it, so where he is and if he can go on is followed
    apart from all that looks better at once.
    """
    king = state.where[KING]
    if state.phase != KINGS_TURN or not state.king_points:
        return state.phase, king
    steps = steps_home(state.config.board)
    return king, any(state.at[to] < 0 and steps[to] < steps[king] for to in state.board.streets[king])
