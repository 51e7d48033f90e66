"""Records that a stranger may have made, read from files in a process with limits."""

import base64
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from arena import registry
from arena.errors import RecordError, UsageError
from arena.game import AnyGame
from arena.match import AnyRecord
from arena.play import record
from arena.untrusted.limited import Allowance, run_limited

_BATCH = 50
"""Records that one process reads: starting it takes as long as reading many of them."""
_ALLOWANCE = Allowance(file_bytes=0)

GameAndRecord = tuple[AnyGame, AnyRecord]


def read_record(path: Path) -> GameAndRecord:
    """The record in a file with its game; RecordError says why it is none."""
    ((_, read),) = read_records([path])
    return read()


def read_records(paths: Sequence[Path]) -> Iterator[tuple[Path, Callable[[], GameAndRecord]]]:
    """Every path with what gives its record or raises what is wrong with it."""
    for start in range(0, len(paths), _BATCH):
        batch = paths[start : start + _BATCH]
        try:
            found = run_limited(reencode, *map(str, batch), what=f"{batch[0]}", allowance=_ALLOWANCE)
        except UsageError:
            if len(batch) == 1:
                raise
            yield from ((path, partial(read_record, path)) for path in batch)  # one of them is too dear: which?
        else:
            yield from ((path, partial(_restored, *words)) for path, words in zip(batch, found))


def _restored(written: str, complaint: str) -> GameAndRecord:
    """The record, from what our own encoder wrote in the other process."""
    if complaint:
        raise RecordError(complaint)
    kept = record.load(base64.b64decode(written), registry.find)
    return registry.find(kept.spec.game), kept


def reencode(*paths: str) -> list[tuple[str, str]]:
    """In the process with limits: each record as it was understood, or what is wrong with it."""
    return [_reencode_file(Path(path)) for path in paths]


def _reencode_file(path: Path) -> tuple[str, str]:
    try:
        kept = record.read(path, registry.find)
        return base64.b64encode(record.dump(kept, registry.find(kept.spec.game))).decode(), ""
    except RecordError as error:
        return "", str(error)
