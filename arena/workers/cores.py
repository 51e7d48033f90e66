"""Which processors a table has for itself, by the cores that they belong to."""

import math
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

from arena.bots.launch import SandboxOptions
from arena.referee import priority
from arena.sandboxes.kernel import cgroup_tree

TOPOLOGY = Path("/sys/devices/system/cpu")


def processors_needed(bots: Iterable[SandboxOptions]) -> int:
    """How many processors a table of such bots needs.

    Bots that are frozen between their turns run one at a time, and a referee of real-time priority goes before the one
    that it waits for: on one processor, whose caches they share, all of them do best. Any other referee needs a second
    one, or it would wait for a bot that goes on after its answer.
    """
    options = tuple(bots)
    busy = max((math.ceil(option.limits.cpus) for option in options), default=1)
    take_turns = not any(option.ponder for option in options) and cgroup_tree.can_freeze()
    return busy if take_turns and priority.is_allowed() else max(busy, 2)


def physical_cores(processors: Iterable[int], topology: Path = TOPOLOGY) -> list[tuple[int, ...]]:
    """These processors by core, because those of one core slow each other down; cores of one chip are neighbours."""
    cores: dict[tuple[int, int], list[int]] = {}
    for processor in sorted(processors):
        folder = topology / f"cpu{processor}" / "topology"
        package, core = _number(folder / "physical_package_id", 0), _number(folder / "thread_siblings_list", processor)
        cores.setdefault((package, core), []).append(processor)
    return [tuple(cores[key]) for key in sorted(cores)]


def divide_cores(cores: Sequence[tuple[int, ...]], tables: int, needed: int) -> list[tuple[int, ...]]:
    """For each table the processors of its own cores; nothing for any table where these are fewer than it needs.

    The first core is left to the tournament, unless a single processor is enough for a table and every core is wanted:
    then the tournament runs where there is time. Where there are too few, the kernel shares them out better than a
    fixed division would: who waits for a bot needs no processor. And a table that is alone is never kept to a single
    one, on which its bots could not start side by side.
    """
    if tables == 1:
        needed = max(needed, 2)
    playing = cores if needed == 1 and len(cores) == tables else cores[1:]
    per_table = len(playing) // tables
    shares = [playing[number * per_table :][:per_table] for number in range(tables)]
    divided = [tuple(processor for core in share for processor in core) for share in shares]
    return divided if min(map(len, divided)) >= needed else [()] * tables


def _number(path: Path, default: int) -> int:
    """The first number in a file of the kernel."""
    with suppress(OSError):
        if found := re.match(r"\d+", path.read_text()):
            return int(found[0])
    return default
