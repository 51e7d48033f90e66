"""Reading untrusted record files: they are parsed in a process with limits."""

import base64
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from arena import registry
from arena.errors import RecordError, UsageError
from arena.game import AnyGame
from arena.match import AnyRecord
from arena.referee import record
from arena.untrusted.limited import Allowance, run_limited

_BATCH = 50
"""Records that one process reads: starting it takes as long as reading many of them."""
_ALLOWANCE = Allowance(file_bytes=0)

GameAndRecord = tuple[AnyGame, AnyRecord]


def read_record(path: Path) -> GameAndRecord:
    """The record in a file with its game; RecordError says what is wrong with it."""
    ((_, read),) = read_records([path])
    return read()


def read_records(paths: Sequence[Path]) -> Iterator[tuple[Path, Callable[[], GameAndRecord]]]:
    """Every path with a function that returns its record or raises RecordError."""
    for start in range(0, len(paths), _BATCH):
        batch = paths[start : start + _BATCH]
        try:
            found = run_limited(reencode, *map(str, batch), what=f"{batch[0]}", allowance=_ALLOWANCE)
        except UsageError:
            if len(batch) == 1:
                raise
            # One of them exceeds the limits: read them one by one to find out which.
            yield from ((path, partial(read_record, path)) for path in batch)
        else:
            yield from ((path, partial(_decode, *answer)) for path, answer in zip(batch, found))


def _decode(encoded: str, error: str) -> GameAndRecord:
    """The record that our own encoder wrote in the other process, or its error."""
    if error:
        raise RecordError(error)
    decoded = record.load(base64.b64decode(encoded), registry.find)
    return registry.find(decoded.spec.game), decoded


def reencode(*paths: str) -> list[tuple[str, str]]:
    """In the process with limits: each record parsed and encoded again in base64, or its error."""
    return [_reencode_file(Path(path)) for path in paths]


def _reencode_file(path: Path) -> tuple[str, str]:
    try:
        parsed = record.read(path, registry.find)
        return base64.b64encode(record.dump(parsed, registry.find(parsed.spec.game))).decode(), ""
    except RecordError as error:
        return "", str(error)
