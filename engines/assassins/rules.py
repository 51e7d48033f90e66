"""King & Assassins (Łukasz Woźniak): a hated king walks home through a crowd in which three assassins hide.

Seat 1 first names the three secretly; on side B seat 0 then chooses where his king starts. Each round opens a
card with action points for the king, the knights and the crowd; seat 0 spends his, then seat 1, one action per
move, until each says that his turn ends. The king walks on streets and wins by leaving through a castle door,
or as soon as all three assassins are killed or captured. Knights climb, shove lines of citizens before them,
kill revealed assassins and capture one citizen on a card with fetters. Citizens only walk; a revealed assassin
climbs better, kills up to two knights a turn and wounds the king. Two wounds, or a king who is still outside
after the last card, win the game for seat 1.

A figure is a number: 0 the king, 1 to 12 the citizens, 13 to 19 the knights. A move is a number too, see moves.py.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, cast

from arena.errors import IllegalMove
from arena.game import check_seat
from arena.match import Outcome, Seat
from arena.rng import shuffle, stream
from engines.assassins import board as boards
from engines.assassins.board import (
    CITIZENS,
    DOWN,
    ENGAGED,
    FIGURES,
    FIRST_KNIGHT,
    KING,
    LEVEL,
    OFF,
    PROWL_PRICE,
    SQUARES,
    UP,
    WALK_PRICE,
    Board,
    Steps,
)
from engines.assassins.moves import (
    ALL_CHOICES,
    ATTACK,
    CAPTURE,
    CHOICES,
    CHOOSE,
    END_TURN,
    ENTER,
    KILL,
    KIND,
    REVEAL,
    START,
    Move,
    shown_to_all,
)

Event = tuple[Seat, Move]

CARDS: Final[tuple[tuple[int, int, bool, int], ...]] = (
    (1, 6, True, 5),
    (1, 5, False, 4),
    (2, 7, False, 5),
    (2, 7, False, 4),
    (2, 5, False, 4),
    (1, 5, True, 4),
    (1, 5, True, 5),
)
"""Per kind of card: action points of the king and of the knights, fetters, action points of the crowd."""

CHOOSING: Final = 1
STARTING: Final = 2
KINGS_TURN: Final = 3
ASSASSINS_TURN: Final = 4
OVER: Final = 5
MOVER: Final[tuple[Seat | None, ...]] = (None, 1, 0, 0, 1, None)
"""Who decides in each phase."""

ENTERED: Final = 1
ASSASSINS_GONE: Final = 2
KING_DEAD: Final = 3
TOO_LATE: Final = 4
ENDINGS: Final[tuple[Outcome | None, ...]] = (
    None,
    Outcome((1, 2), (1.0, 0.0), "the king entered the castle"),
    Outcome((1, 2), (1.0, 0.0), "all three assassins are gone"),
    Outcome((2, 1), (0.0, 1.0), "the king was killed"),
    Outcome((2, 1), (0.0, 1.0), "the king was still outside after the last card"),
)

ATTACK_PRICE: Final = 2
MAX_KILLS: Final = 2
WOUNDS_TO_DIE: Final = 2


@dataclass(frozen=True, slots=True)
class Config:
    """The options of a match."""

    board: str = "a"


@dataclass(frozen=True, slots=True)
class Observation:
    """What one seat may know; the fields are explained in assassins.proto."""

    seat: Seat
    config: Config
    phase: int
    ending: int
    where: tuple[int, ...]
    """The square of every figure, by its number."""
    assassins: tuple[int, ...]
    revealed: tuple[int, ...]
    removed: tuple[int, ...]
    wounds: int
    king_points: int
    knight_points: int
    crowd_points: int
    captured: bool
    kills: int
    cards: tuple[int, ...]
    deck_size: int
    events: tuple[Event, ...]
    earlier: tuple[Event, ...]


class AssassinsState:
    """A position."""

    __slots__ = (
        "config", "board", "phase", "ending", "where", "at", "assassins", "hidden", "revealed", "hunters", "removed",
        "wounds", "king_points", "knight_points", "crowd_points", "captured", "kills", "deck", "drawn", "log_seat",
        "log", "_steps", "_legal",
    )  # fmt: skip

    config: Config
    board: Board
    phase: int
    ending: int
    where: list[int]
    """The square of every figure, `OFF` if it is not on the board."""
    at: list[int]
    """The figure on every square, -1 if there is none."""
    assassins: tuple[int, ...]
    """The three of them in ascending order, also those that are gone; empty before the choice."""
    hidden: list[int]
    """The citizens on the board who are not revealed, in ascending order."""
    revealed: list[int]
    """Every assassin who was ever revealed, in ascending order."""
    hunters: list[int]
    """The revealed assassins on the board, in ascending order."""
    removed: list[int]
    """The citizens and assassins who left the board, in that order."""
    wounds: int
    king_points: int
    knight_points: int
    crowd_points: int
    captured: bool
    """True if this round's capture was made."""
    kills: int
    """The knights killed in this turn of the assassins."""
    deck: list[int]
    """All cards in the order in which they are opened."""
    drawn: int
    """How many cards were opened; the last of them is the current one."""
    log_seat: Seat
    log: list[Move]
    """The latest moves that one seat made in a row, which the other seat has not answered yet."""
    _steps: list[Steps | None]
    """The steps of every figure, None if something beside it has changed since it last looked around."""
    _legal: tuple[Move, ...] | None

    @classmethod
    def deal(cls, config: Config, seed: int) -> "AssassinsState":
        """The first position of the game with this seed."""
        state = cls.empty(config)
        deck = list(state.board.deck)
        shuffle(stream(seed, "assassins", "deck"), deck)
        state.deck = deck
        state.where = state.board.opening()
        state.recompute()
        return state

    @classmethod
    def empty(cls, config: Config) -> "AssassinsState":
        """A position before the choice, without figures and cards; fill it and then call `recompute`."""
        state = cls()
        state.config, state.board = config, boards.load(config.board)
        state.phase, state.ending = CHOOSING, 0
        state.where = [OFF] * FIGURES
        state.assassins, state.revealed, state.removed = (), [], []
        state.wounds = state.king_points = state.knight_points = state.crowd_points = state.kills = 0
        state.captured = False
        state.deck, state.drawn = [], 0
        state.log_seat, state.log = 0, []
        return state

    def recompute(self) -> None:
        """Work out what follows from the fields after they were set from outside."""
        self.at = [-1] * SQUARES
        for figure, square in enumerate(self.where):
            if square != OFF:
                self.at[square] = figure
        present = [citizen for citizen in CITIZENS if self.where[citizen] != OFF]
        self.hidden = [citizen for citizen in present if citizen not in self.revealed]
        self.hunters = [citizen for citizen in present if citizen in self.revealed]
        self._steps = [None] * FIGURES
        self._legal = None

    # -- the contract -----------------------------------------------------------------------------------

    def to_move(self) -> Seat | None:
        return MOVER[self.phase]

    def legal(self) -> Sequence[Move]:
        """Every legal move: by figure in ascending order, then by square to the north, east, south and west.

        The king's steps and his way in come before the knights' actions; the steps of hidden citizens come before the
        actions of revealed assassins, and the reveals follow. The end of the turn comes last.
        """
        if self._legal is None:
            self._legal = self._list_moves()
        return self._legal

    def apply(self, move: object) -> None:
        legal: tuple[object, ...] = self._legal or self._list_moves()
        for listed in legal:  # mostly it is the very object that was listed, and identity is found faster than equality
            if listed is move:
                break
        else:
            if type(move) is not int or move not in legal:  # 1.0 and True are no moves, although they equal one
                raise IllegalMove(f"{move!r} is not among the {len(legal)} legal moves")
        chosen = cast("Move", move)
        self._legal = None
        if self.log_seat == MOVER[self.phase]:
            self.log.append(chosen)
        else:
            self.log_seat, self.log = 1 - self.log_seat, [chosen]
        if chosen < KILL:
            self._step(chosen // SQUARES, chosen % SQUARES)
        elif chosen < CHOOSE:
            ACTIONS[chosen // KIND](self, chosen // SQUARES % FIGURES, chosen % SQUARES)
        elif chosen == END_TURN:
            self._end_turn()
        else:
            self._decide(chosen)

    def clone(self) -> "AssassinsState":
        """An independent copy; the board, the deck and the list of legal moves never change and are shared."""
        twin = AssassinsState()
        twin.config, twin.board, twin.phase, twin.ending = self.config, self.board, self.phase, self.ending
        twin.where, twin.at = self.where[:], self.at[:]
        twin.assassins, twin.hidden, twin.revealed = self.assassins, self.hidden[:], self.revealed[:]
        twin.hunters, twin.removed = self.hunters[:], self.removed[:]
        twin.wounds, twin.captured, twin.kills = self.wounds, self.captured, self.kills
        twin.king_points, twin.knight_points = self.king_points, self.knight_points
        twin.crowd_points = self.crowd_points
        twin.deck, twin.drawn = self.deck, self.drawn
        twin.log_seat, twin.log = self.log_seat, self.log[:]
        twin._steps, twin._legal = self._steps[:], self._legal
        return twin

    def outcome(self) -> Outcome | None:
        """One seat wins; there is no draw."""
        return ENDINGS[self.ending]

    def view(self, seat: object) -> Observation:
        return self._known_to(check_seat(seat, 2))

    def _known_to(self, seat: Seat) -> Observation:
        """What this seat may know: the deck's order is hidden from both, who the assassins are from seat 0."""
        return Observation(
            seat=seat,
            config=self.config,
            phase=self.phase,
            ending=self.ending,
            where=tuple(self.where),
            assassins=self.assassins if seat == 1 else (),
            revealed=tuple(self.revealed),
            removed=tuple(self.removed),
            wounds=self.wounds,
            king_points=self.king_points,
            knight_points=self.knight_points,
            crowd_points=self.crowd_points,
            captured=self.captured,
            kills=self.kills,
            cards=tuple(self.deck[: self.drawn]),
            deck_size=len(self.deck) - self.drawn,
            events=() if self.log_seat == seat else tuple((1 - seat, shown_to_all(move)) for move in self.log),
            earlier=tuple((seat, move) for move in self.log) if self.log_seat == seat else (),
        )

    # -- what is legal ----------------------------------------------------------------------------------

    def _list_moves(self) -> tuple[Move, ...]:
        """The legal moves of this phase."""
        if self.phase == KINGS_TURN:
            return tuple(self._kings_moves())
        if self.phase == ASSASSINS_TURN:
            return tuple(self._crowds_moves())
        if self.phase == CHOOSING:
            return ALL_CHOICES
        if self.phase == STARTING:
            return tuple(range(START, START + len(self.board.starts)))
        return ()

    def _kings_moves(self) -> list[Move]:
        legal: list[Move] = []
        known = self._steps
        if self.king_points:
            steps = known[KING] or self._look_around(KING)
            legal += steps[LEVEL]  # he is on a street and stays there
            if self.where[KING] in self.board.doors:
                legal.append(ENTER)
        if self.knight_points:
            rise = LEVEL if self.knight_points == 1 else UP
            for knight in range(FIRST_KNIGHT, FIGURES):
                steps = known[knight] or self._look_around(knight)
                if steps is ENGAGED:
                    self._add_knights_moves(knight, legal)
                else:
                    legal += steps[rise]
        legal.append(END_TURN)
        return legal

    def _look_around(self, figure: int) -> Steps:
        """The steps of a figure, remembered until something changes beside it."""
        at, board, square = self.at, self.board, self.where[figure]
        taken, bit, meets = 0, 1, False
        for to in board.around[square]:
            other = at[to]
            if other >= 0:
                taken += bit
                if (KING < other < FIRST_KNIGHT) == (figure >= FIRST_KNIGHT):
                    meets = True
            bit += bit
        if meets and (figure >= FIRST_KNIGHT or figure in self.hunters):
            steps = ENGAGED
        else:
            place = 16 * square + taken
            steps = board.steps[figure][place] or board.make_steps(figure, place)
        self._steps[figure] = steps
        return steps

    def _add_knights_moves(self, knight: int, legal: list[Move]) -> None:
        """The moves of a knight who has one of the crowd beside him."""
        at, own = self.at, SQUARES * knight
        may_capture = not self.captured and CARDS[self.deck[self.drawn - 1]][2]
        for to, line, can_strike in self.board.marches[min(self.knight_points, 2)][self.where[knight]]:
            figure = at[to]
            if figure < 0:
                legal.append(own + to)
            elif KING < figure < FIRST_KNIGHT:
                if self._has_room(line):
                    legal.append(own + to)
                if not can_strike:
                    continue
                if figure in self.revealed:
                    legal.append(KILL + own + to)
                elif may_capture:
                    legal.append(CAPTURE + own + to)

    def _has_room(self, line: tuple[int, ...]) -> bool:
        """True if a shove along this line ends on an empty square with only citizens before it."""
        at = self.at
        for square in line:
            figure = at[square]
            if figure < 0:
                return True
            if figure == KING or figure >= FIRST_KNIGHT:
                return False
        return False

    def _crowds_moves(self) -> list[Move]:
        legal: list[Move] = []
        known, points = self._steps, self.crowd_points
        if points:
            rise = LEVEL if points == 1 else UP
            for citizen in self.hidden:
                steps = known[citizen] or self._look_around(citizen)
                legal += steps[rise]
        rise = UP if points else DOWN
        for hunter in self.hunters:
            steps = known[hunter] or self._look_around(hunter)
            if steps is ENGAGED:
                self._add_hunters_moves(hunter, legal)
            else:
                legal += steps[rise]
        if len(self.revealed) < len(self.assassins):
            for figure in self.assassins:
                if self.where[figure] != OFF and figure not in self.revealed:
                    legal.append(REVEAL + figure)
        legal.append(END_TURN)
        return legal

    def _add_hunters_moves(self, hunter: int, legal: list[Move]) -> None:
        """The moves of a revealed assassin who has the king or a knight beside him."""
        at, points, own = self.at, self.crowd_points, SQUARES * hunter
        may_kill = self.kills < MAX_KILLS and self.kills < points
        for to, price, can_strike in self.board.prowls[self.where[hunter]]:
            figure = at[to]
            if figure < 0:
                if price <= points:
                    legal.append(own + to)
            elif figure == KING:
                if points >= ATTACK_PRICE:
                    legal.append(ATTACK + own + to)
            elif figure >= FIRST_KNIGHT and may_kill and can_strike:
                legal.append(KILL + own + to)

    # -- what moves do ----------------------------------------------------------------------------------

    def _step(self, figure: int, to: int) -> None:
        at, roof = self.at, self.board.roof
        square = self.where[figure]
        rise = roof[to] - roof[square]
        if KING < figure < FIRST_KNIGHT:
            self.crowd_points -= PROWL_PRICE[rise] if rise and figure in self.revealed else WALK_PRICE[rise]
        elif figure == KING:
            self.king_points -= 1
        else:
            self.knight_points -= WALK_PRICE[rise]
            if at[to] >= 0:
                self._shove(to, to - square)
        self.where[figure] = to
        at[square] = -1
        at[to] = figure
        self._disturb(square, to)

    def _disturb(self, start: int, end: int) -> None:
        """Let a figure that went from one square to the next, and all who stand beside them, look around again."""
        at, steps, around = self.at, self._steps, self.board.around
        for square in around[start]:
            figure = at[square]
            if figure >= 0:
                steps[figure] = None
        for square in around[end]:
            figure = at[square]
            if figure >= 0:
                steps[figure] = None

    def _shove(self, square: int, ahead: int) -> None:
        """Move the line of figures that begins on this square on by one."""
        figure = self.at[square]
        while figure >= 0:
            square += ahead
            self.where[figure] = square
            self.at[square], figure = figure, self.at[square]
            self._disturb(square - ahead, square)

    def _kill(self, figure: int, square: int) -> None:
        if figure < FIRST_KNIGHT:
            self.kills += 1
            self.crowd_points -= self.kills
            self._take_away(square)
        else:
            self.knight_points -= 1
            victim = self._take_away(square)
            self.hunters.remove(victim)
            self._note_removal(victim)

    def _capture(self, _knight: int, square: int) -> None:
        self.knight_points -= 1
        self.captured = True
        victim = self._take_away(square)
        self.hidden.remove(victim)
        self._note_removal(victim)

    def _attack(self, _hunter: int, square: int) -> None:
        self.crowd_points -= ATTACK_PRICE
        self.wounds += 1
        if self.wounds == WOUNDS_TO_DIE:
            self._take_away(square)
            self._end(KING_DEAD)

    def _take_away(self, square: int) -> int:
        figure = self.at[square]
        self.at[square] = -1
        self.where[figure] = OFF
        self._steps[figure] = None
        self._disturb(square, OFF)
        return figure

    def _note_removal(self, victim: int) -> None:
        self.removed.append(victim)
        if all(self.where[figure] == OFF for figure in self.assassins):
            self._end(ASSASSINS_GONE)

    def _decide(self, move: Move) -> None:
        """The moves that are no actions of a figure on the board, apart from the end of a turn."""
        if move == ENTER:
            self.king_points -= 1
            self._take_away(self.where[KING])
            self._end(ENTERED)
        elif move >= REVEAL:
            figure = move - REVEAL
            self.hidden.remove(figure)
            self.revealed = sorted((*self.revealed, figure))
            self.hunters = sorted((*self.hunters, figure))
            self._steps[figure] = None
        elif move >= START:
            self.where = self.board.squares(move - START)
            self.recompute()
            self._open_card()
        else:
            self.assassins = CHOICES[move - CHOOSE]
            if len(self.board.starts) > 1:
                self.phase = STARTING
            else:
                self._open_card()

    def _end_turn(self) -> None:
        if self.phase == KINGS_TURN:
            self.king_points = self.knight_points = 0
            self.phase = ASSASSINS_TURN
            return
        self.crowd_points = 0
        if self.drawn < len(self.deck):
            self._open_card()
        else:
            self._end(TOO_LATE)

    def _open_card(self) -> None:
        self.king_points, self.knight_points, _, self.crowd_points = CARDS[self.deck[self.drawn]]
        self.drawn += 1
        self.captured = False
        self.kills = 0
        self.phase = KINGS_TURN

    def _end(self, ending: int) -> None:
        self.phase, self.ending = OVER, ending


ACTIONS: Final[tuple[Callable[[AssassinsState, int, int], None], ...]] = (
    AssassinsState._step,
    AssassinsState._kill,
    AssassinsState._capture,
    AssassinsState._attack,
)
"""What carries out an action, per kind."""
