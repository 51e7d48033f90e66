"""What spectators cost a tournament: its decisions per second with nobody watching, and with a hundred who do.

    python -m bench.live [--spectators 100] [--rounds 4] [--deals 8]

The same short tournament is played again and again, in turns without the feed of running matches, with it, and with
`arena serve` and its spectators on the same machine: half of them watch the running match, the others the first page.

Decisions per second also fall because server and spectators use the same processors, which they would not from another
machine. What the tournament itself pays is the processor time of its driver and of its worker, told apart from all
others, for each decision.
"""

import argparse
import http.client
import itertools
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from arena.store.sql import SqlStore

BOT = """
import time
from arena.sdk import Bot, serve


class Quick(Bot):
    def choose(self, turn):
        time.sleep({pause})
        return turn.legal[0]


serve(Quick, "claim")
"""
PAUSE_S = 0.005
"""What a bot waits before it answers: so a match is long enough to be watched."""
WITHOUT_FEED = (
    "import arena.tournaments.session as s\n"
    "make = s.LocalExecutor\n"
    "s.LocalExecutor = lambda plan, *, spectator, **more: make(plan, **more)\n"
    "from arena.cli import main\n"
    "main()\n"
)
WORKER = b"arena.tournaments.executors.worker_main"
LOOK_S = 0.05
"""Seconds between two looks at the processor time."""
CLOCK_OF_PROCESS = 2
"""The kind of Linux's clocks that count the processor time of a process, in the lowest bits of a clock's number."""
KINDS = ("no feed", "nobody watches", "spectators")


def make_bots(folder: Path) -> list[Path]:
    """Two bots that answer at once."""
    for name in ("one", "two"):
        (folder / name).mkdir()
        lines = f'name = "{name}"\nversion = "1"\ngames = ["claim"]\ncommand = ["python3", "bot.py"]\n'
        (folder / name / "bot.toml").write_text(lines)
        (folder / name / "bot.py").write_text(BOT.format(pause=PAUSE_S))
    return [folder / "one", folder / "two"]


@dataclass(frozen=True, slots=True)
class Cost:
    """What a tournament took from the end of its first match on, so that its start does not count."""

    rate: float
    """Decisions per second."""
    processor_us: float
    """Processor time of driver and worker for each decision."""


class Meter:
    """The processor time of a tournament's driver and of its workers, looked up until they end; bots are left out."""

    def __init__(self, driver: int) -> None:
        self._driver, self._over = driver, threading.Event()
        self._times: list[float] = []
        self._used: list[float] = []
        self._thread = threading.Thread(target=self._run, daemon=True)

    def __enter__(self) -> "Meter":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over.set()
        self._thread.join()

    def used(self, begin: float, end: float) -> float:
        """Seconds of a processor between two times."""
        first, last = (float(np.interp(moment, self._times, self._used)) for moment in (begin, end))
        return last - first

    def _run(self) -> None:
        known = {self._driver: 0.0}
        while not self._over.wait(LOOK_S):
            with suppress(OSError):
                tasks = Path(f"/proc/{self._driver}/task").glob("*/children")
                children = [child for task in tasks for child in task.read_text().split()]
                workers = [child for child in children if WORKER in Path(f"/proc/{child}/cmdline").read_bytes()]
                known |= {int(child): 0.0 for child in workers if int(child) not in known}
            for pid in known:
                with suppress(OSError):
                    known[pid] = time.clock_gettime((~pid << 3) | CLOCK_OF_PROCESS)
            self._times.append(time.time())
            self._used.append(sum(known.values()))


def play(db: Path, bots: list[Path], seed: int, deals: int, *, feed: bool) -> Cost:
    """Play a tournament in a process of its own."""
    words = ["tournament", "--game", "claim", "--bots", ",".join(map(str, bots)), "--rounds", str(deals)]
    words += ["--sandbox", "process", "--clock", "1s/move+60s", "--seed", str(seed), "--db", str(db)]
    start = [sys.executable, "-m", "arena"] if feed else [sys.executable, "-c", WITHOUT_FEED]
    process = subprocess.Popen([*start, *words], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    with Meter(process.pid) as meter:
        if process.wait():
            raise SystemExit("the tournament failed")
    store = SqlStore(db)
    played = store.latest_matches(tournament_id=store.tournaments()[-1].id, limit=2 * deals)
    store.close()
    begin, end = (match.created.timestamp() for match in (played[-1], played[0]))
    decisions = sum(match.entry.moves for match in played[:-1])
    return Cost(decisions / (end - begin), 1e6 * meter.used(begin, end) / decisions)


@contextmanager
def serving(db: Path) -> Iterator[tuple[int, int]]:
    """The port and process id of a server of this store."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "arena", "serve", "--db", str(db), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)  # noqa: S603
    try:
        assert process.stdout is not None  # noqa: S101
        process.stdout.readline()
        yield port, process.pid
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)


class Spectators:
    """Threads that hold a stream each, in one process, as long as they are entered."""

    def __init__(self, port: int, count: int) -> None:
        self._port, self._stop = port, threading.Event()
        self.received = 0
        self._threads = [threading.Thread(target=self._watch, args=(number,), daemon=True) for number in range(count)]

    def __enter__(self) -> "Spectators":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()

    def _watch(self, number: int) -> None:
        while not self._stop.is_set():
            with suppress(OSError, http.client.HTTPException):
                self._read("events/index.html" if number % 2 else self._match())
            self._stop.wait(0.2)

    def _match(self) -> str:
        """Where the events of the match come from that is played now."""
        text = self._get("index.html").read().decode()
        name = text.partition('aural"> live')[0].rpartition('class="watch" href="')[2].partition('"')[0]
        return f"events/{name}?attempt=1&from=0" if name.startswith("matches/") else "events/index.html"

    def _read(self, path: str) -> None:
        stream = self._get(path)
        while not self._stop.is_set() and (line := stream.readline()):
            self.received += len(line)
            if line.startswith((b"event: end", b"event: again", b"event: gone")):
                return

    def _get(self, path: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        connection.request("GET", f"/{path}")
        return connection.getresponse()


def spectators_main(port: int, count: int) -> None:
    """The program of the spectators' process: it ends when its input does."""
    with Spectators(port, count) as watching:
        sys.stdin.read()
        print(watching.received, flush=True)


@contextmanager
def watching(port: int, count: int) -> Iterator[None]:
    """So many spectators in a process of their own, with the lowest priority, as they would be elsewhere."""
    command = ["nice", "-n", "19", sys.executable, "-m", "bench.live", "--watch", str(port), "--spectators", str(count)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603
    time.sleep(2)
    try:
        yield
    finally:
        received, _ = process.communicate("", timeout=30)
        print(f"the spectators received {int(received or 0) / 1e6:.1f} MB")


def measure(folder: Path, spectators: int, rounds: int, deals: int) -> dict[str, list[Cost]]:
    """What every kind took, once per round."""
    bots, db = make_bots(folder), folder / "arena.db"
    found: dict[str, list[Cost]] = {kind: [] for kind in KINDS}
    SqlStore(db).close()
    with serving(db) as (port, _):
        seed = 0
        for _ in range(rounds):
            for kind in KINDS:
                seed += 1
                if kind == "spectators":
                    with watching(port, spectators):
                        cost = play(db, bots, seed, deals, feed=True)
                else:
                    cost = play(db, bots, seed, deals, feed=kind != "no feed")
                found[kind].append(cost)
    return found


def main() -> None:
    """Measure and print the table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spectators", type=int, default=100)
    parser.add_argument("--rounds", type=int, default=4)
    parser.add_argument("--deals", type=int, default=8, help="deals of each tournament, two matches each")
    parser.add_argument("--watch", type=int, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.watch:
        return spectators_main(chosen.watch, chosen.spectators)
    with tempfile.TemporaryDirectory() as folder:
        found = measure(Path(folder), chosen.spectators, chosen.rounds, chosen.deals)
    title = f"{chosen.spectators} spectators, {chosen.rounds} rounds"
    table = Table("", "decisions/s", "of the first", "driver and worker, µs a decision", "of the first", title=title)
    for kind, costs in found.items():
        cells = (
            _compared([getattr(cost, name) for cost in costs], [getattr(cost, name) for cost in found[KINDS[0]]])
            for name in ("rate", "processor_us")
        )
        table.add_row(kind, *itertools.chain(*cells))
    Console().print(table)
    return None


def _compared(values: list[float], others: list[float]) -> tuple[str, str]:
    """The median with the least and the most, and its share of the median of the others."""
    median = statistics.median(values)
    return f"{median:.0f} ({min(values):.0f}–{max(values):.0f})", f"{median / statistics.median(others):.1%}"


if __name__ == "__main__":
    main()
