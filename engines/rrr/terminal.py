"""RRR in a terminal."""

from collections.abc import Iterable, Iterator
from itertools import zip_longest

from arena.errors import IllegalMove
from arena.match import Seat
from engines.rrr.moves import EVERY, HIDDEN, LINE, NEIGHBOURS, NOT_USED, SHIFT, TILE, Move, NameFirst, Pick, Place
from engines.rrr.rules import Phase, RrrState, Setup
from engines.rrr.table import Table
from engines.rrr.tiles import NAMES, NO_TILE, POWER, SPACES, Power, Space, Tile

SIDES = ("Regality", "Religion")
COLOURS = ("red", "blue")
ARROWS = ("▲", "▼")
DIRECTION_NAMES = ("up", "up and right", "right", "down and right", "down", "down and left", "left", "up and left")
VERBS = {
    Power.KING: "destroys",
    Power.QUEEN: "rotates everything",
    Power.PRINCESS: "rotates all",
    Power.MINISTER: "rotates",
    Power.GENERAL: "destroys",
    Power.SORCERER: "destroys",
    Power.ASSASSIN: "banishes",
    Power.PIRATE: "destroys",
    Power.FAIRY: "moves",
    Power.SEER: "rotates the tiles ahead of it",
    Power.DRAGON: "rotates all tiles around it",
    Power.SAMURAI: "banishes",
    Power.NINJA: "banishes",
    Power.ADVENTURER: "recruits",
    Power.HERMIT: "recovers",
    Power.MAGICIAN: "takes back",
}
WIDTH = 14
CELL_RULE = "─" * WIDTH


def show(state: RrrState, viewer: Seat | None = None) -> str:
    """The position: the board between the two play areas, and what lies beside it.

    With a viewer only what that seat knows: what the opponent keeps or picks in secret is counted.
    """
    # The legend is beside the board, so that all of it is low enough for a terminal of 24 lines.
    board = [
        f"{row}   {text}".rstrip() for row, text in zip_longest(_board_lines(state.table), _legend(), fillvalue="")
    ]
    lines = [f"[bold]{_headline(state)}[/bold]", *_seat_lines(state, 1, viewer), *board]
    lines += _seat_lines(state, 0, viewer)
    for title, row in _side_rows(state, viewer):
        lines.append(f"  {title:<9}{tile_names(row)}")
    return "\n".join(lines)


def describe_move(state: RrrState, move: Move, seat: Seat | None = None) -> str:
    """What this move does, as this seat sees it."""
    who = _seat_name(state.to_move() or 0)
    match move if seat in (None, state.to_move()) else state.without_secrets(move):
        case NameFirst(first):
            return f"{who} lets {_seat_name(first)} be first in round {state.round + 1}"
        case Pick(tile):
            return f"{who} keeps the {tile_name(tile)}" if tile else f"{who} keeps a tile in secret"
        case Place() as placed:
            return f"{who} {_tell_placement(state, placed)}{_aftermath(state, placed)}"


def tile_name(tile: Tile) -> str:
    """A tile by its name, in the colour of the side that it belongs to before the first round."""
    if tile == NO_TILE:
        return "[dim]??[/dim]"
    if 1 <= tile <= 14:
        colour = COLOURS[tile > 7]
        return f"[{colour}]{NAMES[tile]}[/{colour}]"
    return NAMES[tile]


def tile_names(tiles: Iterable[Tile]) -> str:
    return "  ".join(map(tile_name, tiles)) or "–"


def _seat_name(seat: Seat) -> str:
    return f"[{COLOURS[seat]}]seat {seat} ({SIDES[seat]})[/{COLOURS[seat]}]"


# -- the position ---------------------------------------------------------------------------------------


def _headline(state: RrrState) -> str:
    score = f"{state.config.victory.value} {state.score[0]} : {state.score[1]}"
    if state.phase is Phase.OVER:
        return f"The match is over, {score}"
    doing = {
        Phase.PLACE: f"placement {state.placements + 1}",
        Phase.NAME: "over; its loser names the next first player",
        Phase.PICK: f"pick {state.picks + 1} of the draft",
    }
    return f"Round {state.round}, {doing[state.phase]}, {score}"


def _seat_lines(state: RrrState, seat: Seat, viewer: Seat | None) -> list[str]:
    table = state.table
    mark = "[bold]>[/bold]" if state.to_move() == seat else " "
    first = ", first player" if state.first == seat else ""
    lines = [
        f"{mark} {_seat_name(seat)}{first}, allies: {state.allies()[seat]}",
        f"  area     {tile_names(table.areas[seat])}",
    ]
    if table.hidden[seat]:
        hidden = table.hidden[seat]
        shown = tile_names(hidden) if viewer in (None, seat) else tile_names((NO_TILE,) * len(hidden))
        lines.append(f"  hidden   {shown}")
    return lines


def _side_rows(state: RrrState, viewer: Seat | None) -> list[tuple[str, Iterable[Tile]]]:
    table = state.table
    rows = [("neutral", table.zone), ("discard", table.discard), ("banished", table.banished)]
    if state.phase is Phase.PICK:
        open_to_all = state.config.setup is not Setup.SECRET_DRAFT or viewer in (None, state.mover)
        rows.append(("on offer", state.offer if open_to_all else (NO_TILE,) * len(state.offer)))
    return [(title, row) for title, row in rows if row]


def _board_lines(table: Table) -> list[str]:
    lines = ["  ┌" + "┬".join([CELL_RULE] * 3) + "┐"]
    for row in range(3):
        cells = [_cell(table, space) for space in SPACES[3 * row : 3 * row + 3]]
        lines += ["  │" + "│".join(parts) + "│" for parts in zip(*cells)]
        lines.append("  ├" + "┼".join([CELL_RULE] * 3) + "┤")
    lines[-1] = "  └" + "┴".join([CELL_RULE] * 3) + "┘"
    return lines


def _cell(table: Table, space: Space) -> tuple[str, str]:
    """Two lines of text of the same width: the tile, and how it lies."""
    tile = table.board[space]
    if not tile:
        return f"[dim]{space:^{WIDTH}}[/dim]", " " * WIDTH
    if not table.up >> space & 1:
        destroyer = int(table.down[1] >> space & 1)
        return _styled("dim", f"▒ {NAMES[tile]}"), _styled("dim", f"until seat {destroyer}")
    side = table.facing >> space & 1
    shield = " ◈" if table.shields() >> space & 1 else ""
    below = f"on {NAMES[table.covered]}" if table.covered and NAMES[tile] == "Tower" else ""
    return _styled(f"bold {COLOURS[side]}", f"{ARROWS[side]} {NAMES[tile]}{shield}"), _styled(COLOURS[side], below)


def _styled(style: str, text: str) -> str:
    return f"[{style}]{text:^{WIDTH}}[/{style}]"


def _legend() -> Iterator[str]:
    yield ""
    for seat in (1, 0):
        yield f"[{COLOURS[seat]}]{ARROWS[seat]} ally of seat {seat}[/{COLOURS[seat]}]"
    for line in ("◈ shield", "▒ face down until that", "  seat's next turn", "0–8 free space"):
        yield f"[dim]{line}[/dim]"


# -- a move ---------------------------------------------------------------------------------------------


def _tell_placement(state: RrrState, move: Place) -> str:
    table = state.table
    text = f"places the {tile_name(move.tile)} on {move.space}"
    if move.tile == NAMES.index("Tower"):
        text += f", over the {tile_name(table.board[move.space])}"
    for space in move.woken:
        text += f", wakes the {tile_name(table.board[space])} on {space}"
    if move.choice == NOT_USED:
        return f"{text}, power not used" if POWER[move.tile] else text
    after = table.board[:]
    after[move.space] = move.tile
    power = POWER[after[move.woken[-1] if move.woken else move.space]]
    return f"{text}, {VERBS[power]}{_tell_choice(after, move.choice)}"


def _aftermath(state: RrrState, move: Place) -> str:
    after = state.clone()
    try:
        after.apply(move)
    except IllegalMove:  # it is told all the same what a bot tried
        return ""
    if after.phase is not Phase.PLACE:
        return f"; the round is over, {state.config.victory.value} {after.score[0]} : {after.score[1]}"
    return "; the opponent has no space and passes" if after.mover == state.mover else ""


def _tell_choice(board: list[Tile], choice: int) -> str:
    if choice >= HIDDEN:
        return f" hidden tile {choice - HIDDEN + 1} of the opponent"
    if choice >= TILE:
        return f" the {tile_name(choice - TILE)}"
    if choice >= SHIFT:
        space, to = divmod(choice - SHIFT, 10)
        return f" the {tile_name(board[space])} from {space} to {to}"
    if choice == EVERY:
        return ""
    if choice >= NEIGHBOURS:
        return (" orthogonal neighbours", " diagonal neighbours")[choice - NEIGHBOURS]
    if choice >= LINE:
        return f" {DIRECTION_NAMES[choice - LINE]}"
    return f" the {tile_name(board[choice])} on {choice}"
