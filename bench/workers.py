"""Matches per second with one and more worker processes, and whose processor time a match takes.

    python -m bench.workers [--tables 1 2] [--seconds 8] [--times 3]

The numbers of tables are measured in turns in one run, because the machine's noise is larger than the differences.
What is measured begins when every table has played its first matches, so that no start of a bot is part of it.
"""

import argparse
import asyncio
import math
import os
import resource
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from arena import registry
from arena.store.base import MatchEntry
from arena.store.sql import SqlStore
from arena.tournaments.executors.local import LocalExecutor
from arena.tournaments.field import choose_field, worker_plan
from arena.tournaments.settings import Settings
from arena.tournaments.tournament import Tournament

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
    """Processor time of a worker and its bots for a match, their start included."""


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
        store = SqlStore(Path(folder, "arena.db"))
        field = choose_field(store, GAME, bots)
        settings = Settings(
            game=GAME, options=registry.find(GAME).info.choose({}), seats=2, format="round-robin", rounds=100_000,
            seed=7, clock="none", strikes=0, sandbox=sandbox, memory_bytes=256 << 20, cpus=1.0, ponder=False,
            fresh=False, bots=tuple((bot.name, bot.version, bot.digest) for bot in field),
        )  # fmt: skip
        entry = store.begin_tournament(GAME, settings.to_json())
        tournament = Tournament(registry.find(GAME), entry, field, store)
        plan = worker_plan(tournament.id, settings, field)
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        rate, driver_ms = asyncio.run(_play(tournament, LocalExecutor(plan, concurrency=tables), tables, seconds))
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
        store.close()
        return Rate(rate, driver_ms, 1000 * used / tournament.played)


async def _play(
    tournament: Tournament, executor: LocalExecutor, tables: int, seconds: float
) -> tuple[float, float]:  # fmt: skip
    """Matches per second, and the processor milliseconds of this process for each."""
    matches, began, used = 0, math.inf, 0.0
    ended, used_at_end = 0.0, 0.0

    def note(_: MatchEntry) -> None:
        nonlocal matches, began, used, ended, used_at_end
        if tournament.played == WARM_UP * tables:
            began, used = time.monotonic(), time.process_time()
        elif began < math.inf and not ended:
            matches += 1
            if time.monotonic() > began + seconds:
                ended, used_at_end = time.monotonic(), time.process_time()
                executor.stop()

    await tournament.run(executor, note)
    return matches / (ended - began), 1000 * (used_at_end - used) / matches


def main() -> None:
    """Print a row for each kind of bot and number of tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tables", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--seconds", type=float, default=8.0)
    parser.add_argument("--times", type=int, default=3, help="runs of each kind; the median counts")
    parser.add_argument("--sandbox", default="bubblewrap")
    given = parser.parse_args()
    shown = Table("bots", "tables", "matches/s", "×", "driver ms", "worker and bots ms", "processors busy")
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
    for tables, found in rates.items():
        ratio = statistics.median(a.per_second / b.per_second for a, b in zip(found, rates[first], strict=True))
        speed, driver, worker = (
            statistics.median(getattr(rate, field) for rate in found)
            for field in ("per_second", "driver_ms", "worker_ms")
        )
        busy = speed * (driver + worker) / 1000
        shown.add_row(
            name, str(tables), f"{speed:.1f}", f"{ratio:.2f}", f"{driver:.1f}", f"{worker:.1f}", f"{busy:.2f}"
        )


if __name__ == "__main__":
    main()
