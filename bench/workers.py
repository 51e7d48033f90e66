"""Matches per second with one and more worker processes, and whose processor time a match takes.

    python -m bench.workers [--tables 1 2] [--seconds 8] [--times 3]

The numbers of tables are measured in turns in one run, because the machine's noise is larger than the differences.
What is measured begins when every table has played its first matches, so that no start of a bot is part of it.

`most` is how many times as many matches this machine could play as with the fewest tables, if it had nothing to do but
what these cost: bots, referee and driver work at the same time, so that one table can use more than one processor. The
last column says how many processors other programs used meanwhile: where that is not near 0, the figures say little.
"""

import argparse
import asyncio
import os
import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from arena import registry
from arena.store.base import MatchEntry
from arena.store.sql import Store
from arena.tournaments.field import choose_field, worker_plan
from arena.tournaments.settings import Settings
from arena.tournaments.tournament import Tournament
from arena.workers.local import LocalExecutor

GAME = "claim"
WARM_UP = 4
"""Matches of every table before the measurement."""
PROGRAM = """
import time
from arena.sdk import Bot, serve

class Player(Bot):
    def choose(self, turn):
        {think}
        return turn.legal[0]

serve(Player, "claim")
"""
MANIFEST = 'name = "{name}"\nversion = "1"\ngames = ["claim"]\ncommand = ["python3", "bot.py"]\n'
THINKING = {
    "sleep 20 ms for a move": "time.sleep(0.02)",
    "answer at once": "pass",
}
INSIDE = "answer at once, inside the worker"


@dataclass(frozen=True, slots=True)
class Rate:
    """What one run showed."""

    per_second: float
    driver_ms: float
    """Processor time of the tournament's own process for a match: schedule, store, messages."""
    worker_ms: float
    """Processor time of the worker process for a match: referee, links, freezing."""
    bots_ms: float
    """Processor time of its bots for a match."""
    by_others: float
    """Processors that all else on this machine used meanwhile."""

    @property
    def busy(self) -> float:
        """Processors that the tournament used."""
        return self.per_second * (self.driver_ms + self.worker_ms + self.bots_ms) / 1000


@dataclass(frozen=True, slots=True)
class Moment:
    """How much was done until now: processor times are in seconds."""

    at: float
    driver_s: float
    workers_s: float
    bots_s: float
    machine_s: float
    """Of all programs."""

    @classmethod
    def now(cls) -> "Moment":
        """Look at this process, its workers and their bots, which all live until the measurement is over."""
        parents, times = dict[int, int](), dict[int, float]()
        for pid, parent, used in _processes():
            parents[pid], times[pid] = parent, used
        workers = {pid for pid, parent in parents.items() if parent == os.getpid()}
        bots = {pid for pid in parents if pid not in workers and _descends(pid, workers, parents)}
        workers_s, bots_s = (sum(times[pid] for pid in pids) for pids in (workers, bots))
        return cls(time.monotonic(), time.process_time(), workers_s, bots_s, _machine_s())


_TICKS = os.sysconf("SC_CLK_TCK")


def _processes() -> Iterator[tuple[int, int, float]]:
    """Of every process its id, its parent and its processor time."""
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):  # it has ended
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            yield int(folder.name), int(fields[1]), (int(fields[11]) + int(fields[12])) / _TICKS


def _descends(pid: int, ancestors: set[int], parents: dict[int, int]) -> bool:
    while pid in parents:
        pid = parents[pid]
        if pid in ancestors:
            return True
    return False


def _machine_s() -> float:
    user, nice, system, _, _, irq, softirq, *_ = map(int, Path("/proc/stat").read_text().split()[1:9])
    return (user + nice + system + irq + softirq) / _TICKS


def make_bots(folder: Path, think: str) -> list[str]:
    """Two bots that differ in nothing but their names."""
    for name in ("a", "b"):
        (folder / name).mkdir()
        (folder / name / "bot.toml").write_text(MANIFEST.format(name=name))
        (folder / name / "bot.py").write_text(PROGRAM.format(think=think))
    return [str(folder / "a"), str(folder / "b")]


def measure(bots: Sequence[str], *, sandbox: str, tables: int, seconds: float) -> Rate:
    """Play a tournament of these two for so long."""
    with tempfile.TemporaryDirectory() as folder:
        store = Store(Path(folder, "arena.db"))
        field = choose_field(store, GAME, bots)
        settings = Settings(
            game=GAME, options=registry.find(GAME).info.choose({}), seats=2, format="round-robin", rounds=100_000,
            seed=7, clock="none", strikes=0, sandbox=sandbox, memory_bytes=256 << 20, cpus=1.0, ponder=False,
            fresh=False, bots=tuple((bot.name, bot.version, bot.digest) for bot in field),
        )  # fmt: skip
        with Tournament.start(registry.find(GAME), settings, field, store) as tournament:
            plan = worker_plan(tournament.id, settings, field)
            rate = asyncio.run(_play(tournament, LocalExecutor(plan, concurrency=tables), tables, seconds))
        store.close()
        return rate


async def _play(tournament: Tournament, executor: LocalExecutor, tables: int, seconds: float) -> Rate:
    matches, began, ended = 0, None, None

    def note(_: MatchEntry) -> None:
        nonlocal matches, began, ended
        if tournament.played == WARM_UP * tables:
            began = Moment.now()
        elif began is not None and ended is None:
            matches += 1
            if time.monotonic() > began.at + seconds:
                ended = Moment.now()
                executor.stop()

    await tournament.run(executor, note)
    if began is None or ended is None:
        raise SystemExit("the tournament ended before it was measured")
    return _rate(began, ended, matches)


def _rate(began: Moment, ended: Moment, matches: int) -> Rate:
    took = ended.at - began.at
    driver, workers = ended.driver_s - began.driver_s, ended.workers_s - began.workers_s
    bots = ended.bots_s - began.bots_s
    others = max(0.0, ended.machine_s - began.machine_s - driver - workers - bots) / took
    driver_ms, worker_ms, bots_ms = (1000 * used / matches for used in (driver, workers, bots))
    return Rate(matches / took, driver_ms, worker_ms, bots_ms, others)


def main() -> None:
    """Print a row for each kind of bot and number of tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--times", type=int, default=3, help="runs of each kind; the median counts")
    parser.add_argument("--sandbox", default="bubblewrap")
    given = parser.parse_args()
    shown = Table(
        "bots", "tables", "matches/s", "×", "most", "driver ms", "worker ms", "bots ms", "processors", "by others"
    )
    with tempfile.TemporaryDirectory() as folder:
        fields: dict[str, list[str]] = {}
        for number, (name, think) in enumerate(THINKING.items()):
            Path(folder, str(number)).mkdir()
            fields[name] = make_bots(Path(folder, str(number)), think)
        fields[INSIDE] = ["first", "random"]
        for name, bots in fields.items():
            rates: dict[int, list[Rate]] = {tables: [] for tables in given.tables}
            for _ in range(given.times):
                for tables, found in rates.items():
                    found.append(measure(bots, sandbox=given.sandbox, tables=tables, seconds=given.seconds))
            add_rows(shown, name, rates)
    Console(width=130).print(shown)
    Console().print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}; medians of {given.times} runs")


def add_rows(shown: Table, name: str, rates: dict[int, list[Rate]]) -> None:
    """The medians, and how many times as many matches there are as with the fewest tables."""
    first = min(rates)
    most = (os.cpu_count() or 1) / statistics.median(rate.busy for rate in rates[first])
    for tables, found in rates.items():
        ratio = statistics.median(a.per_second / b.per_second for a, b in zip(found, rates[first], strict=True))
        fields = ("per_second", "driver_ms", "worker_ms", "bots_ms", "busy", "by_others")
        middle = {field: statistics.median(getattr(rate, field) for rate in found) for field in fields}
        times = (f"{middle[field]:.1f}" for field in fields[1:4])
        shares = (f"{middle[field]:.2f}" for field in fields[4:])
        limit = f"{min(tables / first, most):.2f}"
        shown.add_row(name, str(tables), f"{middle['per_second']:.1f}", f"{ratio:.2f}", limit, *times, *shares)


if __name__ == "__main__":
    main()
