"""Which positions of King & Assassins can be: figures, cards, points, and the latest moves.

A position may lack citizens, knights and cards, so that a few figures make a puzzle; what is there must fit.
"""

from collections import Counter

from arena.codec import require
from arena.match import Seat
from engines.assassins import board as boards
from engines.assassins.board import CITIZENS, FIRST_KNIGHT, KING, OFF
from engines.assassins.moves import CHOICES, CHOOSE, END_TURN, ENTER, HIDDEN_CHOICE, REVEAL, START, Move, figure_of
from engines.assassins.rules import (
    ASSASSINS_GONE,
    ASSASSINS_TURN,
    CARDS,
    CHOOSING,
    ENDINGS,
    ENTERED,
    KING_DEAD,
    KINGS_TURN,
    MAX_KILLS,
    MOVER,
    OVER,
    STARTING,
    TOO_LATE,
    WOUNDS_TO_DIE,
    Observation,
)

SETUP = (CHOOSING, STARTING)
KILLS_PRICE = (0, 1, 3)
"""What the assassins have paid, by the knights that they killed in this turn."""


def require_position(seen: Observation) -> None:
    """Refuse what no game could come to and what the rules could not go on from."""
    require(CHOOSING <= seen.phase <= OVER, f"there is no phase {seen.phase}")
    require(0 <= seen.ending < len(ENDINGS), f"there is no ending {seen.ending}")
    require(bool(seen.ending) == (seen.phase == OVER), "a game that is over has an ending")
    _require_cards(seen)
    _require_points(seen)
    _require_assassins(seen)
    if seen.phase in SETUP:
        _require_setup(seen)
    else:
        _require_king(seen)
    _require_log(seen)


def _require_setup(seen: Observation) -> None:
    board = boards.load(seen.config.board)
    require(seen.phase == CHOOSING or len(board.starts) > 1, "this board has one start")
    require(seen.where == tuple(board.opening()), "before the first round all figures are where the board puts them")
    require(not seen.revealed and not seen.wounds and not seen.kills and not seen.captured, "nothing has happened yet")
    require(not (seen.events or seen.earlier) or seen.phase != CHOOSING, "nothing has happened yet")


def _require_king(seen: Observation) -> None:
    square, gone = seen.where[KING], seen.ending in (ENTERED, KING_DEAD)
    require((square == OFF) == gone, "the king is on the board until he enters the castle or is killed")
    require(gone or not boards.load(seen.config.board).roof[square], "the king is never on a roof")
    require(seen.wounds <= WOUNDS_TO_DIE, "the king has two wounds at most")
    require((seen.wounds == WOUNDS_TO_DIE) == (seen.ending == KING_DEAD), "the second wound kills the king")
    require(not seen.wounds or seen.revealed, "only a revealed assassin wounds the king")


def _require_cards(seen: Observation) -> None:
    deck = boards.load(seen.config.board).deck
    require(not Counter(seen.cards) - Counter(deck), "the deck has no such cards")
    require(len(seen.cards) + seen.deck_size <= len(deck), "the deck has not so many cards")
    require(bool(seen.cards) == (seen.phase not in SETUP), "cards are opened from the first round on")
    require(seen.cards or seen.deck_size, "there is no card to play with")
    require(seen.ending != TOO_LATE or not seen.deck_size, "there is a card to come")


def _require_points(seen: Observation) -> None:
    king, knights, fetters, crowd = CARDS[seen.cards[-1]] if seen.cards else (0, 0, False, 0)
    points = (seen.king_points, seen.knight_points, seen.crowd_points)
    require(all(left <= most for left, most in zip(points, (king, knights, crowd))), "the card has not so many points")
    require(seen.phase != KINGS_TURN or seen.crowd_points == crowd, "the crowd has spent nothing before its turn")
    late = seen.phase == ASSASSINS_TURN or seen.ending in (KING_DEAD, TOO_LATE)
    require(not late or not (seen.king_points or seen.knight_points), "the king's side has no points after its turn")
    require(seen.kills <= MAX_KILLS, "two knights at most are killed in a turn")
    require(seen.kills <= seen.where[FIRST_KNIGHT:].count(OFF), "a killed knight is still on the board")
    require(seen.crowd_points + KILLS_PRICE[seen.kills] <= crowd, "the kills were not paid for")
    require(not seen.captured or fetters, "nobody is captured without fetters")
    captives = len(set(seen.removed) - set(seen.revealed))
    require(not seen.captured or captives, "nobody was captured")


def _require_assassins(seen: Observation) -> None:
    require(len(seen.revealed) <= 3, "there are three assassins")
    require(not seen.kills or seen.revealed, "only a revealed assassin kills")
    if seen.seat == 0:
        require(not seen.assassins, "seat 0 is never shown the assassins")
        return
    require(len(seen.assassins) == (0 if seen.phase == CHOOSING else 3), "seat 1 has chosen three assassins")
    require(set(seen.revealed) <= set(seen.assassins), "only assassins can be revealed")
    if seen.phase != CHOOSING:
        gone = all(seen.where[figure] == OFF for figure in seen.assassins)
        require(gone == (seen.ending == ASSASSINS_GONE), "the game is over when all assassins are gone")
        require(not gone or seen.removed[-1] in seen.assassins, "the last who left was an assassin")


# -- the latest moves -------------------------------------------------------------------------------------


def _require_log(seen: Observation) -> None:
    """The latest moves are such as their seat can make, and lead to the seat that decides now."""
    log = seen.events or seen.earlier
    if not log:
        return
    (seat, last), mover = log[-1], MOVER[seen.phase]
    require(all(_can_make(seat, move) for _, move in log), "the events have a move of the other seat")
    require(not any(_passes(move) for _, move in log[:-1]), "the events go on after the end of the turn")
    require(mover is None or (mover != seat) == _passes(last), "the events do not lead to the seat that decides")
    for _, move in log:
        if CHOOSE <= move < HIDDEN_CHOICE:
            require(seen.seat == 1 and CHOICES[move - CHOOSE] == seen.assassins, "other assassins were chosen")
        require(move != HIDDEN_CHOICE or seen.seat == 0, "a seat knows its own choice")
        require(not REVEAL <= move < ENTER or move - REVEAL in seen.revealed, "who was revealed is not")


def _can_make(seat: Seat, move: Move) -> bool:
    if move < CHOOSE:
        return (figure_of(move) in CITIZENS) == (seat == 1)
    if move <= HIDDEN_CHOICE or REVEAL <= move < ENTER:
        return seat == 1
    return move == END_TURN or seat == 0


def _passes(move: Move) -> bool:
    """True if the other seat decides after this move."""
    return move == END_TURN or CHOOSE <= move < START
