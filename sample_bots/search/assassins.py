"""What the search knows about King & Assassins besides its rules: how each side sees its chances.

A turn is a row of actions with about fifty choices each, so play-outs tell little. The search weighs all actions of a
position at once instead, each seat by its own eyes, and follows those that look good. The king's side does not know the
assassins and weighs chances. The assassins know who can strike, and want to be near.
"""

from functools import cache
from heapq import heappop, heappush
from math import comb, exp

from engines.assassins import board as boards
from engines.assassins.board import CITIZENS, KING, KNIGHTS, OFF, SQUARES
from engines.assassins.rules import (
    ASSASSINS_GONE,
    ASSASSINS_TURN,
    ATTACK_PRICE,
    CARDS,
    ENTERED,
    KING_DEAD,
    KINGS_TURN,
    TOO_LATE,
    WOUNDS_TO_DIE,
    AssassinsState,
)

REACH = 7
"""A citizen who needs this many action points to come beside the king is no threat."""

# The king's side, in chances: how much of his hope counts, how gently it falls with the way, what a wound takes of it;
# then what each step of the crowd and of the knights towards him is worth, and each assassin less.
HOPE, PATIENCE, WOUND_FEAR = 0.7, 3.0, 0.35
PRESSURE, ESCORT, KILLED, CAPTURED = 0.0014, 0.002, 0.1, 0.15
CITIZEN_AHEAD, KNIGHT_AHEAD, KNIGHT_BESIDE = 1.0, 0.4, 0.8
"""What stands in the king's way, in steps: a citizen, a knight, and something more for a knight right beside him."""

# The assassins' side, in steps of the king: what is good for him, and what is bad.
GAME, NEAR = 30.0, 6
"""A lead of so many steps is worth a game; who is NEAR steps away does not count."""
WAY_OPEN, KNIGHT, REVEALED, GONE = 0.6, 0.3, 1.0, 4.0
WOUND, DEADLY, WOUNDING, CROWD, KNIFE, HUNTER = 6.0, 3.0, 1.5, 0.05, 0.05, 0.1


# -- what the search asks -------------------------------------------------------------------------------


def weigh(state: AssassinsState) -> list[float]:
    """How each action looks to the seat that makes it; the secret choice and the king's start are left to chance."""
    if state.phase < KINGS_TURN:
        return [0.5] * len(state.legal())
    chance, chances = kings_chance if state.phase == KINGS_TURN else crowds_chance, []
    for move in state.legal():
        child = state.clone()
        child.apply(move)
        chances.append(chance(child))
    return chances


def evaluate(state: AssassinsState) -> list[float]:
    """The chances of both seats, each as it sees them."""
    return [0.5, 0.5] if state.phase < KINGS_TURN else [kings_chance(state), crowds_chance(state)]


# -- the king's side ------------------------------------------------------------------------------------


def kings_chance(state: AssassinsState) -> float:
    """How likely the king's side, which knows only who was revealed, thinks to win."""
    if state.ending in (KING_DEAD, TOO_LATE):
        return 0.0
    # A capture that ends the game would tell who was an assassin, so such an end counts only if all were revealed.
    if state.ending == ENTERED or (state.ending == ASSASSINS_GONE and len(state.revealed) == len(state.assassins)):
        return 1.0
    killed = sum([state.where[figure] == OFF for figure in state.revealed])
    hidden_share = (3 - len(state.revealed)) / (12 - len(state.revealed))
    losses = KILLED * killed + CAPTURED * hidden_share * (len(state.removed) - killed)
    costs = threats(state)
    company = ESCORT * escort(state) - PRESSURE * sum([REACH - cost for cost in costs.values()])
    return max(0.01, min(0.99, (1 - HOPE) / 2 + HOPE * hope(state) * safety(state, costs) + losses + company))


def hope(state: AssassinsState) -> float:
    """How likely the king is to be home in time: his way against the points on the cards to come."""
    to_come = all_steps(state.config.board) - sum([CARDS[kind][0] for kind in state.deck[: state.drawn]])
    return 1 / (1 + exp((way_home(state) - to_come) / PATIENCE))


def safety(state: AssassinsState, costs: dict[int, int]) -> float:
    """What is left of his hope after all that the assassins can do with this card's action points."""
    points, fatal = state.crowd_points, ATTACK_PRICE * (WOUNDS_TO_DIE - state.wounds)
    deadly = chance_of_assassin(state, [figure for figure in costs if costs[figure] + fatal <= points])
    wounding = chance_of_assassin(state, [figure for figure in costs if costs[figure] + ATTACK_PRICE <= points])
    return (1 - deadly) * (1 - WOUND_FEAR * (wounding - deadly))


def chance_of_assassin(state: AssassinsState, figures: list[int]) -> float:
    """The chance that one of these is an assassin, to one who knows only those who were revealed."""
    revealed = len(state.revealed)
    if not set(state.revealed).isdisjoint(figures):
        return 1.0
    return 1 - comb(12 - revealed - len(figures), 3 - revealed) / comb(12 - revealed, 3 - revealed)


def escort(state: AssassinsState) -> int:
    """How close the knights are to the king."""
    away = DISTANCE[state.where[KING]]
    return sum([max(0, 4 - away[state.where[knight]]) for knight in KNIGHTS])


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
        for to in board.streets[square]:
            total = cost + 1 + hindrance(at[to], beside=square == start)
            if total < best.get(to, SQUARES):
                best[to] = total
                heappush(heap, (total + steps[to], total, to))
    raise ValueError("the board has no way home")


def hindrance(figure: int, *, beside: bool) -> float:
    """What a figure in the king's way is worth in steps."""
    if figure < 0:
        return 0.0
    return CITIZEN_AHEAD if figure in CITIZENS else KNIGHT_AHEAD + KNIGHT_BESIDE * beside


# -- the assassins' side --------------------------------------------------------------------------------


def crowds_chance(state: AssassinsState) -> float:
    """How likely the assassins think to win."""
    if state.ending:
        return float(state.ending in (KING_DEAD, TOO_LATE))
    return max(0.01, min(0.99, 0.5 - (kings_lead(state) - danger(state)) / GAME))


def kings_lead(state: AssassinsState) -> float:
    """The steps that the king has to spare, and what the figures on the board are worth to him."""
    steps, king = steps_home(state.config.board), state.where[KING]
    to_come = all_steps(state.config.board) - sum([CARDS[kind][0] for kind in state.deck[: state.drawn]])
    is_open = steps[king] == 1 or any(state.at[to] < 0 and steps[to] < steps[king] for to in state.board.streets[king])
    return (
        to_come + state.king_points - steps[king] + WAY_OPEN * is_open
        + KNIGHT * sum([state.where[knight] != OFF for knight in KNIGHTS])
        + REVEALED * len(state.hunters)
        + GONE * sum([state.where[figure] == OFF for figure in state.assassins])
        - WOUND * state.wounds
        - CROWD * closeness(state, state.hidden)
        - KNIFE * closeness(state, state.assassins)
        - HUNTER * closeness(state, state.hunters)
    )  # fmt: skip


def closeness(state: AssassinsState, figures: list[int] | tuple[int, ...]) -> int:
    """By how many steps these are nearer to the king than NEAR."""
    away = DISTANCE[state.where[KING]]
    return sum([max(0, NEAR - away[state.where[figure]]) for figure in figures])


def danger(state: AssassinsState) -> float:
    """What the assassins can do to the king with the points that are left in their turn."""
    if state.phase != ASSASSINS_TURN:
        return 0.0
    costs = threats(state)
    spare = state.crowd_points - min([costs.get(figure, REACH) for figure in state.assassins])
    fatal = ATTACK_PRICE * (WOUNDS_TO_DIE - state.wounds)
    return DEADLY * (spare >= fatal) + WOUNDING * (spare >= ATTACK_PRICE)


# -- distances ------------------------------------------------------------------------------------------


def threats(state: AssassinsState) -> dict[int, int]:
    """What it costs each citizen, were he an assassin, to come beside the king; only those in reach."""
    king, at, ways = state.where[KING], state.at, approaches(state.config.board)
    best = [REACH] * SQUARES
    best[king] = -1
    buckets: list[list[int]] = [[] for _ in range(REACH)]
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
            entry = cost + (figure >= 0)  # somebody in the way costs a kill, or a step aside
            for origin, price, can_strike in ways[square]:
                total = entry + price
                if total < best[origin] and (figure < KNIGHTS[0] or can_strike):
                    best[origin] = total
                    buckets[total].append(origin)
    return costs


def _distance(one: int, other: int) -> int:
    """Rows and columns between two squares; who has left the board is far away."""
    if OFF in (one, other):
        return SQUARES
    return abs(one // 10 - other // 10) + abs(one % 10 - other % 10)


DISTANCE = tuple(tuple(_distance(one, other) for other in range(SQUARES + 1)) for one in range(SQUARES + 1))


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
def all_steps(name: str) -> int:
    """The king's action points on all cards of this board's deck."""
    return sum(CARDS[kind][0] for kind in boards.load(name).deck)


OPTIONS = {"weigh": weigh, "evaluate": evaluate, "exploration": 0.05}
