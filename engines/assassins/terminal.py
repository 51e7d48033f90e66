"""King & Assassins in a terminal."""

from collections.abc import Callable, Iterable, Iterator
from itertools import zip_longest

from arena.match import Seat
from engines.assassins import moves
from engines.assassins.board import CITIZENS, KING, KNIGHTS, OFF, SIZE, SQUARES
from engines.assassins.moves import CHOICES, CHOOSE, ENTER, HIDDEN_CHOICE, REVEAL, START, Move, shown_to_all
from engines.assassins.rules import CARDS, CHOOSING, STARTING, WOUNDS_TO_DIE, AssassinsState

KING_COLOUR, KNIGHT_COLOUR, CITIZEN_COLOUR, HIDDEN_COLOUR, REVEALED_COLOUR = (
    "bold yellow", "bold cyan", "green", "magenta", "bold red",
)  # fmt: skip
ROOF = " on grey35"
DOOR = "[yellow]⌂[/]"
IN_A_ROW = 6
"""Names of figures in a line beside the board."""
VERBS = {-1: "climbs down to", 0: "goes to", 1: "climbs to"}


def show(state: AssassinsState, viewer: Seat | None = None) -> str:
    """The position: the board with everybody on it, the card, the action points, who is gone.

    With a viewer only what that seat knows: the king does not know the assassins.
    """
    if viewer == 0:
        state = _as_seen_by_the_king(state)
    side = [*_title(state), *_card(state), *_losses(state), *_legend(state)]
    rows = ["    " + "".join(f"{column:^4}" for column in range(SIZE)), *(_row(state, row) for row in range(SIZE))]
    # The board is on the left and what is to be said about it on the right, in the rest of 80 columns.
    rows += [" " * (4 + 4 * SIZE)] * (len(side) - len(rows))
    return "\n".join(f"{row}   {text}".rstrip() for row, text in zip_longest(rows, side, fillvalue=""))


def describe_move(state: AssassinsState, move: Move, seat: Seat | None = None) -> str:
    """What this move does, as this seat sees it."""
    if seat == 0:
        state, move = _as_seen_by_the_king(state), shown_to_all(move)
    return f"seat {state.to_move()}: {_sentence(state, move)}"


def _as_seen_by_the_king(state: AssassinsState) -> AssassinsState:
    """The position with everybody a citizen who has not been revealed; good for words only."""
    seen = state.clone()
    seen.assassins = ()
    return seen


def figure_name(state: AssassinsState, figure: int) -> str:
    """A figure as its letter and number: K, N13, c5 for a citizen, a5 for a hidden assassin, A5 for a revealed one."""
    text, colour = _figure(state, figure)
    return f"[{colour}]{text}[/]"


def _figure(state: AssassinsState, figure: int) -> tuple[str, str]:
    if figure == KING:
        return "K", KING_COLOUR
    if figure in KNIGHTS:
        return f"N{figure}", KNIGHT_COLOUR
    if figure in state.revealed:
        return f"A{figure}", REVEALED_COLOUR
    return (f"a{figure}", HIDDEN_COLOUR) if figure in state.assassins else (f"c{figure}", CITIZEN_COLOUR)


# -- the board ----------------------------------------------------------------------------------------------


def _row(state: AssassinsState, row: int) -> str:
    return f"{row:>3} " + "".join(_cell(state, SIZE * row + column) for column in range(SIZE))


def _cell(state: AssassinsState, square: int) -> str:
    """Four characters: roofs are filled, so that they can be told from streets without colours too."""
    figure, roof = state.at[square], state.board.roof[square]
    if figure < 0 and square in state.board.doors:
        return f" {DOOR}  "
    if figure < 0:
        return "[grey35]▒▒▒▒[/]" if roof else "[dim] ·  [/]"
    text, colour = _figure(state, figure)
    return f"[{colour}{ROOF}]▒{text:▒<3}[/]" if roof else f"[{colour}] {text:<3}[/]"


def _title(state: AssassinsState) -> Iterator[str]:
    if (outcome := state.outcome()) is not None:
        yield "[bold]The game is over:[/]"
        yield f"[bold]{outcome.reason}[/]"
        return
    step = {CHOOSING: "seat 1 chooses the assassins", STARTING: "seat 0 chooses a start"}
    about = step.get(state.phase, f"round {state.drawn} of {len(state.deck)}, seat {state.to_move()} to move")
    yield f"[bold]{about}[/]"
    yield f"[dim]{state.board.origin}[/]"


def _card(state: AssassinsState) -> Iterator[str]:
    if not state.drawn:
        starts = " or ".join(f"{start.king:02}" for start in state.board.starts)
        yield "no card is open yet"
        yield f"the king starts on {starts}"
        return
    king, knights, fetters, crowd = CARDS[state.deck[state.drawn - 1]]
    yield f"card  king {king}  knights {knights}  crowd {crowd}"
    yield f"left  king {state.king_points}  knights {state.knight_points}  crowd {state.crowd_points}"
    capture = "no fetters" if not fetters else "fetters: capture " + ("made" if state.captured else "possible")
    yield f"      {capture}"
    yield f"wounds {state.wounds} of {WOUNDS_TO_DIE}, kills this turn {state.kills}"


def _losses(state: AssassinsState) -> Iterator[str]:
    knights = [knight for knight in KNIGHTS if state.where[knight] == OFF] if state.drawn else []
    gone = (*state.removed, *knights)
    yield f"gone  {_names(state, gone[:IN_A_ROW]) or '–'}"
    for first in range(IN_A_ROW, len(gone), IN_A_ROW):
        yield f"      {_names(state, gone[first : first + IN_A_ROW])}"


def _legend(state: AssassinsState) -> Iterator[str]:
    yield f"[{KING_COLOUR}]K[/] king  [{KNIGHT_COLOUR}]N[/] knight  [{CITIZEN_COLOUR}]c[/] citizen"
    yield f"[{HIDDEN_COLOUR}]a[/] hidden, [{REVEALED_COLOUR}]A[/] revealed assassin"
    doors = ", ".join(f"{square:02} ({towards})" for square, towards in state.board.doors.items())
    yield "▒ roof  · street"
    yield f"{DOOR} door: {doors}"


def _names(state: AssassinsState, figures: Iterable[int]) -> str:
    return " ".join(figure_name(state, figure) for figure in figures)


# -- moves --------------------------------------------------------------------------------------------------


def _sentence(state: AssassinsState, move: Move) -> str:
    if move < CHOOSE:
        return TELL[moves.kind_of(move)](state, moves.figure_of(move), moves.square_of(move))
    if move <= HIDDEN_CHOICE:
        chosen = CHOICES[move - CHOOSE] if move < HIDDEN_CHOICE else ()
        return f"the assassins are [{HIDDEN_COLOUR}]{' '.join(f'a{figure}' for figure in chosen) or 'chosen'}[/]"
    if move < REVEAL:
        return f"the king starts on {state.board.starts[move - START].king:02}"
    if move < ENTER:
        return f"{figure_name(state, move - REVEAL)} is revealed as an assassin"
    return "the king enters the castle" if move == ENTER else "ends the turn"


def _tell_step(state: AssassinsState, figure: int, square: int) -> str:
    origin, roof = state.where[figure], state.board.roof
    shoved = list(_shoved(state, square, square - origin))
    push = f", shoving {_names(state, shoved)}" if shoved else ""
    return f"{figure_name(state, figure)} {VERBS[roof[square] - roof[origin]]} {square:02}{push}"


def _shoved(state: AssassinsState, square: int, ahead: int) -> Iterator[int]:
    while ahead and 0 <= square < SQUARES and state.at[square] in CITIZENS:
        yield state.at[square]
        square += ahead


def _tell_kill(state: AssassinsState, figure: int, square: int) -> str:
    return f"{figure_name(state, figure)} kills {figure_name(state, state.at[square])} on {square:02}"


def _tell_capture(state: AssassinsState, figure: int, square: int) -> str:
    return f"{figure_name(state, figure)} captures {figure_name(state, state.at[square])} on {square:02}"


def _tell_attack(state: AssassinsState, figure: int, square: int) -> str:
    verb = "kills" if state.wounds + 1 == WOUNDS_TO_DIE else "wounds"
    return f"{figure_name(state, figure)} {verb} {figure_name(state, KING)} on {square:02}"


TELL: dict[int, Callable[[AssassinsState, int, int], str]] = {
    moves.STEP: _tell_step,
    moves.KILL: _tell_kill,
    moves.CAPTURE: _tell_capture,
    moves.ATTACK: _tell_attack,
}
"""What describes an action, per kind."""
