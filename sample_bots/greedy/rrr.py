"""RRR by a rule of thumb: try every move, and take the one after which most is on your side.

A round is won by more allies on a full board, so the lead in allies is what counts. But who runs out of tiles loses
too, and powers that are still in hand can turn the board later: so a tile in hand counts for half an ally. That makes
the bot take from the neutral zone, which both share, before it uses up its own.
"""

from collections.abc import Sequence
from random import Random

from engines.rrr.determinize import imagine
from engines.rrr.moves import Move
from engines.rrr.rules import Observation, RrrState
from engines.rrr.table import Table

IN_HAND = 0.5
"""What a tile in hand is worth, measured in allies."""
ROUND = 100.0
"""What a round is worth: more than everything that can lie on a table."""


def choose(seen: Observation, legal: Sequence[Move], rng: Random) -> Move:
    """The move of the highest value; chance decides among equals."""
    state = imagine(seen, rng)  # fills in what this seat cannot see, so that moves can be tried
    return max(legal, key=lambda move: (value(seen, after(state, move)), rng.random()))


def after(state: RrrState, move: Move) -> RrrState:
    """The position after the move."""
    child = state.clone()
    child.apply(move)
    return child


def value(seen: Observation, child: RrrState) -> float:
    """How good this position, one move later, is for the seat that saw the other."""
    me, you = seen.seat, 1 - seen.seat
    won, lost = child.score[me] - seen.score[me], child.score[you] - seen.score[you]
    return ROUND * (won - lost) + side(child.table, me) - side(child.table, you)


def side(table: Table, seat: int) -> float:
    """What a seat has: its allies on the board, and its tiles in hand."""
    in_hand = len(table.areas[seat]) + len(table.hidden[seat])
    return table.allies(seat).bit_count() + IN_HAND * in_hand
