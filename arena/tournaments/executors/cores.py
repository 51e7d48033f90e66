"""Which processors a table has for itself, by the cores that they belong to."""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

TOPOLOGY = Path("/sys/devices/system/cpu")
PER_TABLE = 2
"""Processors that a table needs: on a single one, the referee could wait for a bot that goes on after its answer."""


def physical_cores(processors: Iterable[int], topology: Path = TOPOLOGY) -> list[tuple[int, ...]]:
    """These processors by core, because those of one core slow each other down; cores of one chip are neighbours."""
    cores: dict[tuple[int, int], list[int]] = {}
    for processor in sorted(processors):
        folder = topology / f"cpu{processor}" / "topology"
        package, core = _number(folder / "physical_package_id", 0), _number(folder / "thread_siblings_list", processor)
        cores.setdefault((package, core), []).append(processor)
    return [tuple(cores[key]) for key in sorted(cores)]


def divide_cores(cores: Sequence[tuple[int, ...]], tables: int) -> list[tuple[int, ...]]:
    """For each table the processors of its own cores; nothing for any table where these are too few.

    The first core is left to the tournament itself. Where there are too few, the kernel shares them out better than
    a fixed division would: who waits for a bot needs no processor.
    """
    per_table = (len(cores) - 1) // tables
    shares = [cores[1 + number * per_table :][:per_table] for number in range(tables)]
    divided = [tuple(processor for core in share for processor in core) for share in shares]
    return divided if min(map(len, divided)) >= PER_TABLE else [()] * tables


def _number(path: Path, default: int) -> int:
    """The first number in a file of the kernel."""
    with suppress(OSError):
        if found := re.match(r"\d+", path.read_text()):
            return int(found[0])
    return default
