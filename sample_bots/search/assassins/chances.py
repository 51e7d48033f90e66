"""How each side of King & Assassins sees its chances, by what it may know.

The king weighs his way home against the chance that somebody near him is an assassin. The assassins weigh the king's
hope against how many knives are near him, and how many of them nobody knows yet. Nobody looks at the order of the deck.
"""

from functools import cache
from math import comb, exp

from engines.assassins import board as boards
from engines.assassins.board import CITIZENS, KING, KNIGHTS, OFF, SQUARES
from engines.assassins.rules import (
    ASSASSINS_GONE,
    ATTACK_PRICE,
    CARDS,
    ENTERED,
    KING_DEAD,
    TOO_LATE,
    WOUNDS_TO_DIE,
    AssassinsState,
)

REACH = 5
"""A citizen who needs this many action points to come beside the king is no threat."""

# The king's side, in chances: how much of his hope counts, how gently it falls with the way, what a wound takes of it;
# then what each step of the crowd and of the knights towards him is worth, and each assassin less.
HOPE, PATIENCE, WOUND_FEAR = 0.7, 3.0, 0.35
PRESSURE, ESCORT, KILLED, CAPTURED = 0.002, 0.002, 0.1, 0.15
DETOUR, MOST_DETOUR = 0.2, 100
"""The unit in which the king's way is longer than the shortest, in steps, and how many of it are looked at."""
CITIZEN_AHEAD, KNIGHT_AHEAD, KNIGHT_BESIDE = 5, 2, 4
"""What stands in his way, in that unit: a citizen, a knight, and something more for a knight right beside him."""
HINDRANCE = (0, *[CITIZEN_AHEAD] * len(CITIZENS), *[KNIGHT_AHEAD] * len(KNIGHTS), 0)
"""The same by the number of the figure; an empty square has the number -1."""

# The assassins' side: how gently the king's hope falls, what a wound leaves of it; what each step of the crowd and of
# the assassins towards him is worth; what they think of themselves, of one who is revealed, of knights, and of knights
# near somebody who is not revealed.
CROWDS_PATIENCE, WOUND_LEAVES, CROWD, KNIFE = 2.5, 0.5, 0.002, 0.003
ASSASSIN, EXPOSED, KNIGHT, CAUTION = 0.1, 0.15, 0.01, 0.0025


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
    company = ESCORT * escort(state) - PRESSURE * pressure(costs)
    return max(0.01, min(0.99, (1 - HOPE) / 2 + HOPE * hope(state, PATIENCE) * safety(state, costs) + losses + company))


def hope(state: AssassinsState, patience: float) -> float:
    """How likely the king is to be home in time: his way against the points on the cards to come."""
    to_come = all_steps(state.config.board) - sum([CARDS[kind][0] for kind in state.deck[: state.drawn]])
    return 1 / (1 + exp((way_home(state) - to_come) / patience))


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
    doors, at, start, ways = state.board.doors, state.at, state.where[KING], ways_home(state.config.board)
    best = [MOST_DETOUR] * SQUARES
    best[start] = 0
    buckets: list[list[int]] = [[] for _ in range(MOST_DETOUR)]
    buckets[0].append(start)
    for detour, bucket in enumerate(buckets):
        while bucket:
            square = bucket.pop()
            if square in doors:
                return state.board.steps_home[start] + detour * DETOUR
            if best[square] == detour:
                beside = KNIGHT_BESIDE if square == start else 0
                for to, extra in ways[square]:
                    figure = at[to]
                    total = detour + extra + HINDRANCE[figure] + (beside if figure >= KNIGHTS[0] else 0)
                    if total < best[to]:
                        best[to] = total
                        buckets[total].append(to)
    raise ValueError("the board has no way home")


# -- the assassins' side --------------------------------------------------------------------------------


def crowds_chance(state: AssassinsState) -> float:
    """How likely the assassins, who know each other, think to win."""
    if state.ending:
        return float(state.ending in (KING_DEAD, TOO_LATE))
    costs = threats(state)
    knives = {figure: cost for figure, cost in costs.items() if figure in state.assassins}
    left = sum([1.0 if figure in state.hidden else EXPOSED for figure in state.assassins if state.where[figure] != OFF])
    knights = [state.where[knight] for knight in KNIGHTS if state.where[knight] != OFF]
    kings_hope = hope(state, CROWDS_PATIENCE) * WOUND_LEAVES**state.wounds
    company = CROWD * pressure(costs) + KNIFE * pressure(knives)
    losses = ASSASSIN / (left + 0.3) + KNIGHT * len(knights) + CAUTION * exposure(state, knights)
    return max(0.01, min(0.99, 0.8 - kings_hope / 2 + company - losses))


def exposure(state: AssassinsState, knights: list[int]) -> int:
    """How close knights are to the hidden assassins."""
    hidden = [DISTANCE[state.where[figure]] for figure in state.assassins if figure in state.hidden]
    return sum([max(0, 4 - min([away[knight] for knight in knights], default=4)) for away in hidden])


# -- distances ------------------------------------------------------------------------------------------


def pressure(costs: dict[int, int]) -> int:
    """How near those are who can come beside the king."""
    return sum([REACH - cost for cost in costs.values()])


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
def ways_home(name: str) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Per street: the streets beside it, and what a step there adds to the shortest way, in units of DETOUR."""
    board = boards.load(name)
    streets, steps = board.streets, board.steps_home
    return tuple(
        tuple((to, round((1 + steps[to] - steps[square]) / DETOUR)) for to in streets[square] if square in steps)
        for square in range(SQUARES)
    )


@cache
def all_steps(name: str) -> int:
    """The king's action points on all cards of this board's deck."""
    return sum(CARDS[kind][0] for kind in boards.load(name).deck)
