"""RRR – Regality vs. Religion: Revolution (Seiji Kanai, Hayato Kisaragi): most allies on a full 3x3 board win a round.

A turn: discard what you destroyed on your last turn, place a tile from your area or the neutral zone on a free space,
facing you, and use its power or not. A tile is the ally of the seat that it faces. Powers rotate tiles, destroy them
(face down until the destroyer's next turn), banish them, shield them, move them, take them back, or wake other powers.
The first player of a round opens it with the Citizen. The round ends as soon as nine tiles lie face up; the ally of
the Reaper loses it, and so does a seat that must place a tile and cannot. Its loser names the next first player.
Two rounds win the match, or the points of a fixed number of rounds, one for each ally.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Final

from arena.errors import IllegalMove
from arena.game import check_seat
from arena.match import Outcome, Seat
from arena.rng import stream
from engines.rrr import placements, powers
from engines.rrr.moves import NOT_USED, ROUTES, Move, NameFirst, Pick, Place, is_listed
from engines.rrr.supply import draw_order
from engines.rrr.table import Row, Table
from engines.rrr.tiles import BOARD, CITIZEN, NO_TILE, SIDE_TILES, Tile

MOST_PLACEMENTS: Final = 60
"""A round is scored after this many placements, full board or not."""
ROUNDS_TO_WIN: Final = 2
OPENINGS: Final = tuple(route.unused for route in ROUTES[CITIZEN])
"""The first player opens a round with the Citizen."""
PACKET: Final = 4
"""How many tiles a seat opens in a secret draft."""


class Setup(Enum):
    """Which neutral tiles a round has, and how the seats get them."""

    NEUTRAL_ZONE = "neutral-zone"
    FIRST_GAME = "first-game"
    RANDOM = "random"
    SECRET_RANDOM = "secret-random"  # noqa: S105  (no password)
    DRAFT = "draft"
    SECRET_DRAFT = "secret-draft"  # noqa: S105


class Victory(Enum):
    """What wins the match."""

    ROUNDS = "rounds"
    POINTS = "points"


class Phase(Enum):
    """What is to be decided."""

    PLACE = 1
    NAME = 2
    PICK = 3
    OVER = 4


# To ask an enumeration for its member takes ten times as long as to load a constant.
PLACE: Final = Phase.PLACE
NAME: Final = Phase.NAME
PICK: Final = Phase.PICK
OVER: Final = Phase.OVER

PER_ROUND: Final = {
    Setup.NEUTRAL_ZONE: 5,
    Setup.FIRST_GAME: 0,
    Setup.RANDOM: 4,
    Setup.SECRET_RANDOM: 4,
    Setup.DRAFT: 5,
    Setup.SECRET_DRAFT: 2 * PACKET,
}
"""How many neutral tiles a round draws."""
DRAFT_ORDER: Final = (0, 1, 0)
"""Who picks in a draft: 0 is the first player, 1 the second, who also gets the last two."""
SECRET_DRAFT_ORDER: Final = (0, 1, 1, 0)


@dataclass(frozen=True, slots=True)
class Config:
    """The options of a match."""

    setup: Setup = Setup.NEUTRAL_ZONE
    victory: Victory = Victory.ROUNDS
    rounds: int = 3
    first: Seat = 0

    @property
    def most_rounds(self) -> int:
        """How many rounds the match can have."""
        return self.rounds if self.victory is Victory.POINTS else 3


Event = tuple[Seat, Move]


@dataclass(frozen=True, slots=True)
class Observation:
    """What one seat may know; the fields are explained in rrr.proto."""

    seat: Seat
    config: Config
    phase: Phase
    mover: Seat | None
    round: int
    first: Seat
    placements: int
    score: tuple[int, int]
    table: Table
    """The opponent's hidden tiles are NO_TILE."""
    offer: Row
    offer_size: int
    picks: int
    draws: Row
    unseen: tuple[int, ...]
    """Past draws that the opponent has not seen."""
    events: tuple[Event, ...]
    earlier: tuple[Event, ...]


class RrrState:
    """A position of a match; the tiles of the current round are on its table."""

    __slots__ = (
        "_legal", "config", "draws", "drawn", "first", "log", "mover", "offer", "phase", "picks", "placements",
        "round", "score", "table", "unseen",
    )  # fmt: skip

    config: Config
    phase: Phase
    mover: Seat | None
    round: int
    """Counted from 1."""
    first: Seat
    """The first player of the round."""
    placements: int
    """How many tiles were placed in the round."""
    score: tuple[int, int]
    """Rounds or points won."""
    table: Table
    offer: Row
    """The tiles of which the mover picks one."""
    picks: int
    """How many picks the draft of this round has had."""
    draws: Row
    """The neutral tiles of the whole match in the order in which they are drawn."""
    drawn: int
    """How many of these have been drawn, those of the current round last."""
    unseen: tuple[tuple[int, ...], tuple[int, ...]]
    """For each seat, the draws of past rounds that it never saw."""
    log: tuple[Event, ...]
    """The moves that one seat has made in a row; the other has not answered them yet."""
    _legal: tuple[Move, ...] | None

    @classmethod
    def deal(cls, config: Config, seed: int) -> "RrrState":
        """The first position of the match with this seed."""
        state = cls.empty(config)
        order = stream(seed, "rrr", "supply")
        state.draws = draw_order(PER_ROUND[config.setup], config.most_rounds, order)
        state.start_round(config.first)
        return state

    @classmethod
    def empty(cls, config: Config) -> "RrrState":
        """A match before its first round."""
        state = cls()
        state.config = config
        state.phase, state.mover = PLACE, config.first
        state.round, state.first, state.placements = 0, config.first, 0
        state.score = (0, 0)
        state.table = Table()
        state.offer, state.picks = (), 0
        state.draws, state.drawn, state.unseen = (), 0, ((), ())
        state.log = ()
        state._legal = None
        return state

    # -- the contract -----------------------------------------------------------------------------------

    def to_move(self) -> Seat | None:
        """The seat that places a tile, picks one or names the first player."""
        return self.mover

    def legal(self) -> Sequence[Move]:
        """Placements in the order of `placements.placements`, picks in the order of the offer, or seats."""
        if self._legal is None:
            self._legal = self._find_legal()
        return self._legal

    def apply(self, move: object) -> None:
        """Place a tile, pick one, or name the first player."""
        seat, legal = self.mover, self._legal or self._find_legal()
        if seat is None or not is_listed(move, legal):
            raise IllegalMove(f"{move} is not possible now")
        self._legal = None
        latest: tuple[Event, ...] = ((seat, move),)
        self.log = self.log + latest if self.log and self.log[0][0] == seat else latest
        if isinstance(move, Place):
            self._place(seat, move)
        elif isinstance(move, Pick):
            self._pick(seat, move.tile)
        else:
            self.start_round(move.seat)

    def clone(self) -> "RrrState":
        """An independent copy; only the table is ever changed in place."""
        twin = RrrState()
        twin.config, twin.phase, twin.mover = self.config, self.phase, self.mover
        twin.round, twin.first, twin.placements, twin.score = self.round, self.first, self.placements, self.score
        twin.table = self.table.clone()
        twin.offer, twin.picks = self.offer, self.picks
        twin.draws, twin.drawn, twin.unseen = self.draws, self.drawn, self.unseen
        twin.log, twin._legal = self.log, self._legal
        return twin

    def outcome(self) -> Outcome | None:
        """Rounds or points decide; points can be equal."""
        if self.phase is not OVER:
            return None
        mine, yours = self.score
        ranks = (1, 1) if mine == yours else (1, 2) if mine > yours else (2, 1)
        return Outcome(ranks, (float(mine), float(yours)), f"{self.config.victory.value} {mine} to {yours}")

    def view(self, seat: object) -> Observation:
        return self._known_to(check_seat(seat, 2))

    def _known_to(self, seat: Seat) -> Observation:
        """What this seat may know: not the draws to come, nor in secret set-ups what the opponent keeps hidden."""
        other = 1 - seat
        table = self.table.clone()
        table.hidden[other] = (NO_TILE,) * len(table.hidden[other])
        unknown = {*self.unseen[seat], *self.unseen_now(seat)}
        sees_offer = self.mover == seat or self.config.setup is Setup.DRAFT
        return Observation(
            seat=seat,
            config=self.config,
            phase=self.phase,
            mover=self.mover,
            round=self.round,
            first=self.first,
            placements=self.placements,
            score=self.score,
            table=table,
            offer=self.offer if sees_offer else (),
            offer_size=len(self.offer),
            picks=self.picks,
            draws=tuple(NO_TILE if n in unknown else tile for n, tile in enumerate(self.draws[: self.drawn])),
            unseen=self.unseen[other],
            events=tuple((mover, self.without_secrets(move)) for mover, move in self.log if mover == other),
            earlier=self.log if self.log and self.log[0][0] == seat else (),
        )

    def without_secrets(self, move: Move) -> Move:
        """The move as the other seat sees it: everything is open but what is picked in a secret draft."""
        return Pick(NO_TILE) if type(move) is Pick and self.config.setup is Setup.SECRET_DRAFT else move

    # -- rounds -----------------------------------------------------------------------------------------

    def start_round(self, first: Seat) -> None:
        """Draw the neutral tiles of the next round and deal."""
        self.unseen = (self.unseen[0] + self.unseen_now(0), self.unseen[1] + self.unseen_now(1))
        self.round += 1
        self.first, self.placements, self.picks = first, 0, 0
        self.phase, self.mover = PLACE, first
        self.table = table = Table()
        table.areas = list(SIDE_TILES)
        table.gain(first, CITIZEN)
        count = PER_ROUND[self.config.setup]
        if count and len(self.draws) >= self.drawn + count:
            self.drawn += count
            self._deal(self.draws[self.drawn - count : self.drawn])

    def _deal(self, tiles: Row) -> None:
        first, table = self.first, self.table
        match self.config.setup:
            case Setup.NEUTRAL_ZONE:
                table.zone = tuple(sorted(tiles))
            case Setup.RANDOM:
                for place, tile in enumerate(tiles):
                    table.gain(first if place < 2 else 1 - first, tile)
            case Setup.SECRET_RANDOM:
                table.hidden[first], table.hidden[1 - first] = tiles[:2], tiles[2:]
            case Setup.DRAFT:
                self.phase, self.offer = PICK, tiles
            case Setup.SECRET_DRAFT:
                self.phase, self.offer = PICK, tiles[:PACKET]

    def _pick(self, seat: Seat, tile: Tile) -> None:
        self.offer = tuple(other for other in self.offer if other != tile)
        self.picks += 1
        if self.config.setup is Setup.DRAFT:
            self.table.gain(seat, tile)
            self._next_pick(DRAFT_ORDER)
        else:
            self.table.hidden[seat] += (tile,)
            if self.picks == 2:
                self.offer = self.draws[self.drawn - PACKET : self.drawn]
            self._next_pick(SECRET_DRAFT_ORDER)

    def _next_pick(self, order: tuple[int, ...]) -> None:
        if self.picks < len(order):
            self.mover = self.first ^ order[self.picks]
            return
        if self.config.setup is Setup.DRAFT:
            for tile in self.offer:
                self.table.gain(1 - self.first, tile)
        self.offer, self.picks = (), 0
        self.phase, self.mover = PLACE, self.first

    def unseen_now(self, seat: Seat) -> tuple[int, ...]:
        """The draws of this round that the seat has not seen."""
        setup = self.config.setup
        begin = self.drawn - PER_ROUND[setup]
        if begin < 0:
            return ()
        if setup is Setup.SECRET_RANDOM:
            return self._kept(1 - seat, range(begin, self.drawn))
        if setup is Setup.SECRET_DRAFT:
            opened = range(begin, begin + PACKET), range(begin + PACKET, self.drawn)
            return self._unseen_of_packet(seat, 0, opened[0]) + self._unseen_of_packet(seat, 1, opened[1])
        return ()

    def _unseen_of_packet(self, seat: Seat, number: int, places: range) -> tuple[int, ...]:
        """One seat opens the packet and sees it whole; the other gets it without the tile that was kept."""
        picks = self.picks if self.phase is PICK else len(SECRET_DRAFT_ORDER)
        opener = self.first ^ number
        if seat == opener:
            return () if picks >= 2 * number else tuple(places)
        return self._kept(opener, places) if picks > 2 * number else tuple(places)

    def _kept(self, seat: Seat, places: range) -> tuple[int, ...]:
        return tuple(place for place in places if self.draws[place] in self.table.hidden[seat])

    # -- turns ------------------------------------------------------------------------------------------

    def _find_legal(self) -> tuple[Move, ...]:
        seat, phase = self.mover, self.phase
        if seat is None:
            return ()
        if phase is NAME:
            return (NameFirst(0), NameFirst(1))
        if phase is PICK:
            return tuple([Pick(tile) for tile in self.offer])
        if not self.placements and CITIZEN in self.table.areas[seat]:
            return OPENINGS
        return placements.placements(self.table, seat)

    def _place(self, seat: Seat, move: Place) -> None:
        table = self.table
        tile, space, woken, choice = move
        table.place(seat, tile, space)
        if choice != NOT_USED:
            powers.use(table, seat, woken[-1] if woken else space, choice)
        self.placements += 1
        if table.up == BOARD or self.placements == MOST_PLACEMENTS:
            self._count(last=seat)
        else:
            self._begin_turn(1 - seat)

    def _begin_turn(self, seat: Seat) -> None:
        table = self.table
        table.clean_up(seat)
        while table.up != BOARD and not table.free():
            seat = 1 - seat  # a tile that this seat has destroyed is in the way: the other passes
            table.clean_up(seat)
        if table.up == BOARD:
            self._count(last=seat)
        elif table.can_place(seat):
            self.mover = seat
        else:
            self._give_up(seat)

    def _give_up(self, seat: Seat) -> None:
        # A hidden tile that cannot be placed on a free space can only be the Tower, so now it is known to all.
        for tile in self.table.hidden[seat]:
            self.table.gain(seat, tile)
        self.table.hidden[seat] = ()
        self._finish_round(seat, forfeit=True)

    def _count(self, last: Seat) -> None:
        doomed = self.table.reaper_ally()
        allies = self.allies()
        if doomed is not None:
            self._finish_round(doomed, forfeit=True)
        else:
            self._finish_round(last if allies[0] == allies[1] else int(allies[0] > allies[1]), forfeit=False)

    def allies(self) -> tuple[int, int]:
        """How many face-up tiles face each seat."""
        return self.table.allies(0).bit_count(), self.table.allies(1).bit_count()

    def _finish_round(self, loser: Seat, *, forfeit: bool) -> None:
        gain = list(self.allies()) if self.config.victory is Victory.POINTS else [1, 1]
        if forfeit or self.config.victory is Victory.ROUNDS:
            gain[loser] = 0
        self.score = (self.score[0] + gain[0], self.score[1] + gain[1])
        by_points = self.config.victory is Victory.POINTS
        if self.round >= self.config.rounds if by_points else max(self.score) >= ROUNDS_TO_WIN:
            self.phase, self.mover = OVER, None
        else:
            self.phase, self.mover = NAME, loser
