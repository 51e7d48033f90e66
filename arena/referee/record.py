"""Match records as bytes and files: a magic word, a checksum over the rest, and a Record message."""

import hashlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from arena.codec import (
    pack_control,
    pack_outcome,
    pack_verdict,
    parse,
    unpack_control,
    unpack_outcome,
    unpack_verdict,
)
from arena.errors import BadMessage, RecordError
from arena.game import AnyGame
from arena.match import (
    AnyRecord,
    Contestant,
    Fault,
    MatchRecord,
    MatchSpec,
    Outcome,
    PlayedMove,
    SandboxReport,
    Strike,
    Times,
    cut_short,
)
from arena.referee.illegal_moves import MAX_TRIED
from arena.referee.outputs import shortened
from arena.wire.v1 import match_pb2

MAGIC = b"arena-record-1\n"
MAX_RECORD_BYTES = 1 << 20
"""A usual record has ten thousand; two bytes can encode an empty submessage that takes a hundred in memory."""
_MAX_ENFORCEMENT = 256
"""Entries of the enforcement of one sandbox."""
_HEAD = len(MAGIC) + hashlib.sha256().digest_size


def dump(record: AnyRecord, game: AnyGame) -> bytes:
    payload = _pack(record, game).SerializeToString(deterministic=True)
    return MAGIC + hashlib.sha256(payload).digest() + payload


def load(data: bytes, find: Callable[[str], AnyGame]) -> AnyRecord:
    """The record in these bytes; RecordError if a single one of them was changed."""
    if len(data) > MAX_RECORD_BYTES:
        raise RecordError(f"the record has more than {MAX_RECORD_BYTES >> 20} MiB")
    payload = data[_HEAD:]
    if not data.startswith(MAGIC):
        raise RecordError("this is not a match record")
    if data[len(MAGIC) : _HEAD] != hashlib.sha256(payload).digest():
        raise RecordError("the record is damaged: its checksum does not fit its content")
    return load_begun(payload, find)


def load_begun(message_bytes: bytes, find: Callable[[str], AnyGame]) -> AnyRecord:
    """The record in a bare Record message: of a match that has begun, it has no verdicts and no outcome."""
    with _refusing():
        message = parse(match_pb2.Record, message_bytes)
        game = find(message.game)
        _check_counts(message, game)
        return _unpack(message, game)


@contextmanager
def _refusing() -> Iterator[None]:
    try:
        yield
    except BadMessage as error:
        raise RecordError(f"the record cannot be read: {error}") from error


def dump_begun(spec: MatchSpec[Any], game: AnyGame) -> bytes:
    """A match that has begun, for those who watch it; what `dump_moves` gives can be appended to it."""
    begun: AnyRecord = MatchRecord(spec, game.info.version, (), (), Outcome((), (), ""))
    return _pack(begun, game).SerializeToString(deterministic=True)


def dump_moves(moves: Iterable[PlayedMove[Any]], game: AnyGame, faults: Iterable[Fault] = ()) -> bytes:
    """Further moves and faults of a match that has begun: bytes of a Record message can be joined, and so can these."""
    return match_pb2.Record(moves=_pack_moves(moves, game), faults=_pack_faults(faults)).SerializeToString()


def sandbox_reports(data: bytes) -> tuple[SandboxReport, ...]:
    """What held the bots, from the bytes of a record that was proven before."""
    with _refusing():
        return _unpack_sandboxes(_message(data))


def faults_in(data: bytes) -> tuple[Fault, ...]:
    """The faults that ended a bot, from the bytes of a record of ours."""
    with _refusing():
        return _unpack_faults(_message(data))


def rules_version(data: bytes) -> str:
    """The version of the rules that a match was played with, from the bytes of a record that was kept."""
    with _refusing():
        return str(_message(data).rules_version)


def ended_at_fault(data: bytes) -> bool:
    """See `MatchRecord.ended_at_fault`; False for bytes that are no record, which verification refuses."""
    with suppress(BadMessage):
        message = _message(data)
        return not message.faults and cut_short([unpack_verdict(verdict) for verdict in message.verdicts])
    return False


def has_output(data: bytes) -> bool:
    """Whether what bots printed stands beside their moves; False for bytes that are no record, as above."""
    with suppress(BadMessage):
        return any(move.output for move in _message(data).moves)
    return False


def _message(data: bytes) -> Any:
    return parse(match_pb2.Record, data[_HEAD:])


def save(path: Path, record: AnyRecord, game: AnyGame) -> None:
    """Write the record to a file, whole or not at all."""
    partial = path.with_name(f".{path.name}.partial")
    partial.write_bytes(dump(record, game))
    partial.replace(path)


def read(path: Path, find: Callable[[str], AnyGame]) -> AnyRecord:
    try:
        with path.open("rb") as file:
            data = file.read(MAX_RECORD_BYTES + 1)
    except OSError as error:
        raise RecordError(f"the record cannot be read: {error.strerror}") from error
    return load(data, find)


def match_id(game: AnyGame, config: Any, seed: int, contestants: tuple[Contestant, ...]) -> str:
    """The id of a match: a digest of its game, rules version, config, seed and bots, but not of its time control."""
    parts = [game.info.name, game.info.version, game.codec.dump_config(config).hex(), str(seed)]
    parts += [f"{bot.name}\0{bot.version}\0{bot.digest}" for bot in contestants]
    return hashlib.blake2b("\n".join(parts).encode(), digest_size=8).hexdigest()


def _pack(record: AnyRecord, game: AnyGame) -> match_pb2.Record:
    spec, codec = record.spec, game.codec
    return match_pb2.Record(
        match_id=spec.match_id,
        game=spec.game,
        rules_version=record.rules_version,
        config=codec.dump_config(spec.config),
        seed=spec.seed,
        contestants=[match_pb2.Contestant(name=c.name, version=c.version, digest=c.digest) for c in spec.contestants],
        time_control=pack_control(spec.control),
        moves=_pack_moves(record.played, game),
        verdicts=map(pack_verdict, record.verdicts),
        outcome=pack_outcome(record.outcome),
        strikes=[match_pb2.Strike(seat=s.seat, ply=s.ply, verdict=pack_verdict(s.verdict)) for s in record.strikes],
        boxes=[match_pb2.Box(kind=report.kind, enforcement=report.enforcement) for report in record.sandboxes],
        faults=_pack_faults(record.faults),
        told_match_id=record.shown_id,
    )


def _pack_faults(faults: Iterable[Fault]) -> list[match_pb2.Fault]:
    return [match_pb2.Fault(seat=f.seat, ply=f.ply, verdict=pack_verdict(f.verdict), tried=f.tried) for f in faults]


def _pack_moves(moves: Iterable[PlayedMove[Any]], game: AnyGame) -> Iterator[match_pb2.PlayedMove]:
    for played in moves:
        times = played.times
        yield match_pb2.PlayedMove(
            seat=played.seat,
            move=game.codec.dump_move(played.move),
            substituted=played.substituted,
            output=played.output,
            wall_us=times.wall,
            charged_us=times.charged,
            cpu_us=times.cpu,
            transport_us=times.transport,
            referee_us=times.referee,
            lag_us=times.lag,
        )


def _check_counts(message: match_pb2.Record, game: AnyGame) -> None:
    """Refuse a message with more parts than a match of this game can have, before it is converted."""
    seats, moves = game.info.max_seats, game.info.max_moves
    per_seat = (
        message.contestants,
        message.verdicts,
        message.outcome.ranks,
        message.outcome.scores,
        message.boxes,
        message.faults,
    )
    if any(len(parts) > seats for parts in per_seat):
        raise RecordError(f"the record has more than {seats} seats")
    if len(message.moves) > moves or len(message.strikes) > moves:
        raise RecordError(f"the record has more than {moves} moves, the most that {game.info.name} can have")
    if any(len(box.enforcement) > _MAX_ENFORCEMENT for box in message.boxes):
        raise RecordError(f"the record has more than {_MAX_ENFORCEMENT} lines of enforcement for a sandbox")


def _unpack(message: match_pb2.Record, game: AnyGame) -> AnyRecord:
    spec = MatchSpec(
        match_id=message.match_id,
        game=message.game,
        config=game.codec.load_config(message.config),
        seed=message.seed,
        contestants=tuple(Contestant(c.name, c.version, c.digest) for c in message.contestants),
        control=unpack_control(message.time_control),
    )
    played = tuple(
        PlayedMove(
            part.seat,
            game.codec.load_move(part.move),
            _unpack_times(part),
            part.substituted,
            shortened(part.output),
        )
        for part in message.moves
    )
    return MatchRecord(
        spec=spec,
        rules_version=message.rules_version,
        played=played,
        verdicts=tuple(map(unpack_verdict, message.verdicts)),
        outcome=unpack_outcome(message.outcome),
        strikes=tuple(Strike(s.seat, s.ply, unpack_verdict(s.verdict)) for s in message.strikes),
        sandboxes=_unpack_sandboxes(message),
        faults=_unpack_faults(message),
        shown_id=message.told_match_id,
    )


def _unpack_sandboxes(message: match_pb2.Record) -> tuple[SandboxReport, ...]:
    return tuple(SandboxReport(box.kind, dict(box.enforcement)) for box in message.boxes)


def _unpack_faults(message: match_pb2.Record) -> tuple[Fault, ...]:
    return tuple(Fault(f.seat, f.ply, unpack_verdict(f.verdict), f.tried[:MAX_TRIED]) for f in message.faults)


def _unpack_times(move: match_pb2.PlayedMove) -> Times:
    return Times(move.wall_us, move.charged_us, move.cpu_us, move.transport_us, move.referee_us, move.lag_us)
