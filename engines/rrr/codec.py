"""RRR's values to and from the messages of rrr.proto."""

from collections.abc import Iterable
from typing import Any

from arena.codec import Codec, require
from arena.match import Seat
from arena.wire.v1 import rrr_pb2 as pb
from engines.rrr.moves import (
    EVERY,
    HIDDEN,
    LINE,
    NEIGHBOURS,
    NOT_USED,
    SHIFT,
    TILE,
    Choice,
    Move,
    NameFirst,
    Pick,
    Place,
)
from engines.rrr.rules import Config, Event, Observation, Phase, RrrState, Setup, Victory
from engines.rrr.table import Row, Table
from engines.rrr.tiles import BIT, NEUTRALS, NO_TILE, SPACES, TILES, TOWER, Tile
from engines.rrr.validate import HIDDEN_ROW, require_observation, require_state

make: Any = pb
"""The generated types ask for enum members where the wire, and this game, have numbers."""

SETUPS = {pb.RrrSetup.Value(f"RRR_SETUP_{setup.name}"): setup for setup in Setup}
VICTORIES = {pb.RrrVictory.Value(f"RRR_VICTORY_{victory.name}"): victory for victory in Victory}
SETUP_NUMBERS = {setup: number for number, setup in SETUPS.items()}
VICTORY_NUMBERS = {victory: number for number, victory in VICTORIES.items()}


class RrrCodec(Codec[Config, RrrState, Move, Observation]):
    """Packs and unpacks RRR."""

    wire = pb
    prefix = "Rrr"

    def pack_config(self, config: Config) -> pb.RrrConfig:
        message: pb.RrrConfig = make.RrrConfig(
            setup=SETUP_NUMBERS[config.setup],
            victory=VICTORY_NUMBERS[config.victory],
            rounds=config.rounds,
            first=config.first,
        )
        return message

    def unpack_config(self, message: pb.RrrConfig) -> Config:
        """The configuration in a message; what is not set has its default."""
        setup, victory = message.setup or pb.RRR_SETUP_NEUTRAL_ZONE, message.victory or pb.RRR_VICTORY_ROUNDS
        require(setup in SETUPS, f"there is no set-up {setup}")
        require(victory in VICTORIES, f"there is no victory condition {victory}")
        require(message.rounds <= 9, "a match has at most 9 rounds")
        return Config(SETUPS[setup], VICTORIES[victory], message.rounds or 3, _seat(message.first))

    def pack_move(self, move: Move) -> pb.RrrMove:
        message: pb.RrrMove
        match move:
            case Place():
                message = pb.RrrMove(place=_pack_place(move))
            case Pick(tile):
                message = make.RrrMove(pick=tile)
            case NameFirst(seat):
                message = pb.RrrMove(first=seat)
        return message

    def unpack_move(self, message: pb.RrrMove) -> Move:
        """The move in a message; its tiles and spaces need not exist."""
        match message.WhichOneof("kind"):
            case "place":
                return _unpack_place(message.place)
            case "pick":
                return Pick(message.pick)
            case _:
                require(message.HasField("first"), "the move is empty: set `place`, `pick` or `first`")
                return NameFirst(message.first)

    def pack_observation(self, observation: Observation) -> pb.RrrObservation:
        seen, table, other = observation, observation.table, 1 - observation.seat
        message: pb.RrrObservation = make.RrrObservation(
            seat=seen.seat, config=self.pack_config(seen.config), phase=seen.phase.value, mover=seen.mover,
            round=seen.round, first=seen.first, placements=seen.placements, score=seen.score,
            board=_pack_board(table), area=table.areas[seen.seat], hidden=table.hidden[seen.seat],
            opponent_area=table.areas[other], opponent_hidden_count=len(table.hidden[other]), zone=table.zone,
            discard=table.discard, banished=table.banished, offer=seen.offer, offered=seen.offer_size,
            picks=seen.picks, draws=seen.draws, opponent_unseen=seen.unseen,
            events=map(self._pack_event, seen.events), earlier=map(self._pack_event, seen.earlier),
        )  # fmt: skip
        return message

    def unpack_observation(self, message: pb.RrrObservation) -> Observation:
        seat, phase = _seat(message.seat), _phase(message.phase)
        require(message.opponent_hidden_count <= HIDDEN_ROW, "the hidden row is too long")
        require(message.offered <= 5 and message.picks < 4, "there is no such draft")
        require(message.HasField("mover") == (phase is not Phase.OVER), "somebody decides exactly until the end")
        config = self.unpack_config(message.config)
        table = _unpack_table(message)
        table.areas = _by_seat(seat, _row(message.area), _row(message.opponent_area))
        hidden = (NO_TILE,) * message.opponent_hidden_count
        table.hidden = _by_seat(seat, tuple(_tiles(message.hidden)), hidden)
        seen = Observation(
            seat=seat,
            config=config,
            phase=phase,
            mover=_seat(message.mover) if message.HasField("mover") else None,
            round=message.round,
            first=_seat(message.first),
            placements=message.placements,
            score=_score(message.score),
            table=table,
            offer=tuple(_tiles(message.offer)),
            offer_size=message.offered,
            picks=message.picks,
            draws=tuple(_neutrals(message.draws, (NO_TILE, *NEUTRALS))),
            unseen=_places(message.opponent_unseen, len(message.draws)),
            events=self._unpack_events(message.events),
            earlier=self._unpack_events(message.earlier),
        )
        require_observation(seen)
        return seen

    def pack_state(self, state: RrrState) -> pb.RrrState:
        table = state.table
        seats = [
            make.RrrSeat(area=table.areas[seat], hidden=table.hidden[seat], unseen=state.unseen[seat])
            for seat in (0, 1)
        ]
        message: pb.RrrState = make.RrrState(
            config=self.pack_config(state.config), phase=state.phase.value, mover=state.mover or 0,
            round=state.round, first=state.first, placements=state.placements, score=state.score,
            board=_pack_board(table), seats=seats, zone=table.zone, discard=table.discard, banished=table.banished,
            offer=state.offer, picks=state.picks, draws=state.draws, drawn=state.drawn,
            events=map(self._pack_event, state.log),
        )  # fmt: skip
        return message

    def unpack_state(self, message: pb.RrrState) -> RrrState:
        """The position in a message; tiles may be missing, but there must be a decision to make."""
        require(len(message.seats) in (0, 2), "RRR has two seats")
        state = RrrState.empty(self.unpack_config(message.config))
        state.phase = _phase(message.phase)
        state.mover = None if state.phase is Phase.OVER else _seat(message.mover)
        state.round, state.first, state.placements = message.round or 1, _seat(message.first), message.placements
        state.score = _score(message.score)
        state.table = _unpack_table(message)
        state.offer, state.picks = tuple(_tiles(message.offer)), message.picks
        state.draws, state.drawn = tuple(_neutrals(message.draws, NEUTRALS)), message.drawn
        require(state.drawn <= len(state.draws), "more was drawn than there is")
        if message.seats:
            one, two = message.seats
            state.table.areas = [_row(one.area), _row(two.area)]
            state.table.hidden = [tuple(_tiles(one.hidden)), tuple(_tiles(two.hidden))]
            state.unseen = _places(one.unseen, state.drawn), _places(two.unseen, state.drawn)
        state.log = self._unpack_events(message.events)
        require_state(state)
        return state

    def _pack_event(self, event: Event) -> pb.RrrEvent:
        seat, move = event
        return pb.RrrEvent(seat=seat, move=self.pack_move(move))

    def _unpack_events(self, messages: Iterable[pb.RrrEvent]) -> tuple[Event, ...]:
        events = tuple((_seat(message.seat), self.unpack_move(message.move)) for message in messages)
        require(len({seat for seat, _ in events}) <= 1, "events are the moves of one seat")
        return events


# -- parts ----------------------------------------------------------------------------------------------


def _pack_board(table: Table) -> pb.RrrBoard:
    stances = [_stance(table, space) for space in SPACES]
    ally = table.facing >> table.board.index(TOWER) & 1 if table.covered else 0
    message: pb.RrrBoard = make.RrrBoard(tiles=table.board, stances=stances, covered=table.covered, covered_ally=ally)
    return message


def _stance(table: Table, space: int) -> int:
    if table.up >> space & 1:
        return pb.RRR_STANCE_ALLY_OF_0 + (table.facing >> space & 1)
    if not table.board[space]:
        return pb.RRR_STANCE_UNSPECIFIED
    return pb.RRR_STANCE_DESTROYED_BY_0 + (table.down[1] >> space & 1)


def _unpack_table(message: pb.RrrState | pb.RrrObservation) -> Table:
    """The board and what both seats see around it."""
    table, board = Table(), message.board
    require((len(board.tiles), len(board.stances)) in ((0, 0), (9, 9)), "the board has 9 spaces")
    for space, (tile, stance) in enumerate(zip(board.tiles, board.stances)):
        require((tile == NO_TILE) == (stance == pb.RRR_STANCE_UNSPECIFIED), "exactly free spaces have no stance")
        if tile:
            _unpack_space(table, space, _tile(tile), stance)
    if board.covered:
        table.covered = _tile(board.covered)
        require(TOWER in table.board, "only the Tower covers a tile")
        space = table.board.index(TOWER)
        if not table.up >> space & 1:
            table.facing |= BIT[space] * _seat(board.covered_ally)
    table.zone = _row(message.zone)
    table.discard, table.banished = tuple(_tiles(message.discard)), tuple(_tiles(message.banished))
    return table


def _unpack_space(table: Table, space: int, tile: Tile, stance: int) -> None:
    require(stance <= pb.RRR_STANCE_DESTROYED_BY_1, f"there is no stance {stance}")
    if stance >= pb.RRR_STANCE_DESTROYED_BY_0:
        table.board[space] = tile
        table.down[stance - pb.RRR_STANCE_DESTROYED_BY_0] |= BIT[space]
    else:
        table.put(stance - pb.RRR_STANCE_ALLY_OF_0, tile, space)


def _pack_place(move: Place) -> Any:
    tile, space, woken, choice = move
    message: Any = make.RrrPlacement(tile=tile, space=space, woken=woken)
    if choice >= HIDDEN:
        message.hidden_place = choice - HIDDEN
    elif choice >= TILE:
        message.chosen = choice - TILE
    elif choice >= SHIFT:
        message.shift.source, message.shift.destination = divmod(choice - SHIFT, 10)
        message.shift.SetInParent()
    elif choice == EVERY:
        message.every = True
    elif choice >= NEIGHBOURS:
        message.neighbours = choice - NEIGHBOURS + 1
    elif choice >= LINE:
        message.direction = choice - LINE + 1
    elif choice != NOT_USED:
        message.target = choice
    return message


def _unpack_place(message: pb.RrrPlacement) -> Place:
    require(len(message.woken) <= 2, "at most two tiles can be re-activated")
    return Place(message.tile, message.space, tuple(message.woken), _unpack_use(message))


def _unpack_use(message: pb.RrrPlacement) -> Choice:
    match message.WhichOneof("use"):
        case None:
            return NOT_USED
        case "target":
            return _within(message.target, 0, 8)
        case "direction":
            return LINE - 1 + _within(message.direction, 1, 8)
        case "neighbours":
            return NEIGHBOURS - 1 + _within(message.neighbours, 1, 2)
        case "every":
            require(message.every, "`every` is true or not set")
            return EVERY
        case "shift":
            return SHIFT + 10 * _within(message.shift.source, 0, 8) + _within(message.shift.destination, 0, 8)
        case "chosen":
            return TILE + _tile(message.chosen)
        case _:
            return HIDDEN + message.hidden_place


def _within(number: int, low: int, high: int) -> int:
    require(low <= number <= high, f"{number} is not between {low} and {high}")
    return number


def _by_seat(seat: Seat, mine: Row, theirs: Row) -> list[Row]:
    return [theirs, mine] if seat else [mine, theirs]


def _phase(number: int) -> Phase:
    return Phase(_within(number or Phase.PLACE.value, Phase.PLACE.value, Phase.OVER.value))


def _seat(number: int) -> Seat:
    require(number < 2, f"there is no seat {number}")
    return number


def _score(numbers: Iterable[int]) -> tuple[int, int]:
    score = tuple(numbers) or (0, 0)
    require(len(score) == 2, "a score has two numbers")
    return score[0], score[1]


def _places(numbers: Iterable[int], drawn: int) -> tuple[int, ...]:
    places = tuple(numbers)
    require(all(place < drawn for place in places), "unseen draws must have been drawn")
    return places


def _tile(number: int) -> Tile:
    require(number in TILES, f"there is no tile {number}")
    return number


def _tiles(numbers: Iterable[int]) -> list[Tile]:
    return [_tile(number) for number in numbers]


def _row(numbers: Iterable[int]) -> Row:
    return tuple(sorted(_tiles(numbers)))


def _neutrals(numbers: Iterable[int], allowed: tuple[Tile, ...]) -> list[Tile]:
    tiles = list(numbers)
    require(all(tile in allowed for tile in tiles), "only neutral tiles are drawn")
    return tiles


CODEC = RrrCodec()
