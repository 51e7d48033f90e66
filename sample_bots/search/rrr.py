"""What the search knows about RRR besides its rules: what lies on a table, and so how good each move looks.

There are about 75 moves, and the powers of most turn the board round, so play-outs tell little. The search weighs all
moves of a position at once instead, follows those that look good, and judges where the best of them leads.
"""

from math import exp

from arena.sdk.search import rewards
from engines.rrr.rules import Phase, RrrState, Victory
from engines.rrr.table import Table

SHIELDED, IN_HAND = 0.5, 0.5
"""What a shield over an ally and a tile in hand are worth, measured in allies."""
EVEN = 2.0
"""A lead of this many allies wins three rounds of four."""
PER_ROUND = 0.25
"""What a round is worth: the seat that is one ahead wins three matches of four."""


def weigh(state: RrrState) -> list[float]:
    """How likely the seat to move wins the match after each of its moves."""
    seat, chances = state.to_move(), []
    for move in state.legal():
        child = state.clone()
        child.apply(move)
        chances.append(evaluate(child)[seat or 0])
    return chances


def evaluate(state: RrrState) -> list[float]:
    """How likely each seat wins the match."""
    if (outcome := state.outcome()) is not None:
        return rewards(outcome)
    mine, yours = state.score
    lead = side(state.table, 0) - side(state.table, 1) if state.phase is Phase.PLACE else 0.0
    if state.config.victory is Victory.POINTS:
        chance = logistic(mine - yours + lead)
    else:
        chance = 0.5 + PER_ROUND * (mine - yours + 2 * logistic(lead) - 1)
    return [chance, 1 - chance]


def side(table: Table, seat: int) -> float:
    """What a seat has on the table, measured in allies."""
    allies = table.allies(seat)
    shielded = (allies & table.shields()).bit_count()
    in_hand = len(table.areas[seat]) + len(table.hidden[seat])
    return allies.bit_count() + SHIELDED * shielded + IN_HAND * in_hand


def logistic(lead: float) -> float:
    """The chance that a lead brings."""
    return 1 / (1 + exp(-lead / EVEN))


OPTIONS = {"weigh": weigh, "evaluate": evaluate, "exploration": 0.15}
