"""Records that a stranger may have made, read from files in a process with limits."""

import base64
from collections.abc import Iterator, Sequence
from pathlib import Path

from arena import record, registry
from arena.errors import RecordError, UsageError
from arena.game import AnyGame
from arena.limited import Allowance, run_limited
from arena.record import AnyRecord
from arena.replay import verify

_BATCH = 50
"""Records that one process proves: starting it takes as long as proving many of them."""
_ALLOWANCE = Allowance(file_bytes=0)


def read_record(path: Path) -> tuple[AnyGame, AnyRecord]:
    """The record in a file with its game, as our own words say it after it was read in the other process."""
    data = base64.b64decode(run_limited(reword, str(path), what=str(path), allowance=_ALLOWANCE))
    kept = record.load(data, registry.find)
    return registry.find(kept.spec.game), kept


def reword(path: str) -> str:
    """In the process with limits: read a record, and write what was understood of it."""
    kept = record.read(Path(path), registry.find)
    return base64.b64encode(record.dump(kept, registry.find(kept.spec.game))).decode()


def prove_records(paths: Sequence[Path]) -> Iterator[tuple[Path, str]]:
    """Every path with what is not true in its record; no words if it is true."""
    for start in range(0, len(paths), _BATCH):
        batch = paths[start : start + _BATCH]
        try:
            findings = run_limited(prove, *map(str, batch), what="a record", allowance=_ALLOWANCE)
        except UsageError:
            findings = [_prove_alone(path) for path in batch]  # one of them is too dear: which?
        yield from zip(batch, findings)


def _prove_alone(path: Path) -> str:
    try:
        return str(run_limited(prove, str(path), what="the record", allowance=_ALLOWANCE)[0])
    except UsageError as error:
        return str(error)


def prove(*paths: str) -> list[str]:
    """In the process with limits: what is not true in each record."""
    return [_prove_one(Path(path)) for path in paths]


def _prove_one(path: Path) -> str:
    try:
        kept = record.read(path, registry.find)
        verify(registry.find(kept.spec.game), kept)
    except RecordError as error:
        return str(error)
    return ""
