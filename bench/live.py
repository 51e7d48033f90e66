"""What spectators cost a tournament: the referee's process, the driver, and decisions per second.

    python -m bench.live [--spectators 100] [--rounds 8] [--deals 4] [--pairs 100] [--pause 0.05]

The same short tournament is played again and again, in turns without the feed of running matches, with it, and with
`arena serve` and its spectators on the same machine: half of them watch the running match, the others the first page.
The referee is the worker process, which measures the bots' time; the driver stores matches and shows what is played.

Three things are measured, the first two while spectators watch:

- what the calls that only the feed makes take of the processor time of worker and driver, within one run. This hardly
  depends on what else the machine does, and is what the aim of 2 % is about;
- the worker's processor time for a decision in matches that are reported, beside that in matches that are not, which
  alternate within one tournament: a median over pairs of neighbours, with its interval of 95 %;
- the three kinds of tournaments beside each other: medians of the ratios within each round, with their quartiles.

Decisions per second also fall because server and spectators use the same processors, which they would not from another
machine.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from itertools import pairwise
from operator import attrgetter
from pathlib import Path

from rich.console import Console
from rich.table import Table

from arena.store.sql import Store
from bench.live_meter import ALTERNATING, FEED, FOLDER, KIND, NO_FEED, Line, read_lines
from bench.spectators import serving, watching
from bench.table import Row, machine

BOT = """
import time
from arena.sdk import Bot, serve


class Quick(Bot):
    def choose(self, turn):
        time.sleep({pause})
        return turn.legal[0]


serve(Quick, "claim")
"""
PAUSE_S = 0.05
"""What a bot waits before it answers: so a match is long enough for all spectators to come and watch it."""
SPECTATORS = 100
AIM = 2.0
"""Per cent of the worker's processor time that reports may take."""
KINDS = ("no feed", "nobody watches", "spectators")


@dataclass(frozen=True, slots=True)
class Used:
    """What a process used from the end of its first match to the end of its last, so that its start does not count."""

    decision_us: float
    """Processor time for a decision."""
    feed_us: float
    """The part of it that the feed took."""
    feed_load: float
    """The share of one processor that the feed took."""

    @property
    def feed_share(self) -> float:
        """The share of its own processor time that the feed took."""
        return self.feed_us / self.decision_us


@dataclass(frozen=True, slots=True)
class Cost:
    """What a tournament took."""

    rate: float
    """Decisions per second."""
    worker: Used
    driver: Used


class Cup:
    """Plays short tournaments with metered processes, all in one store."""

    def __init__(self, folder: Path, pause: float) -> None:
        self._folder, self._seed = folder, 0
        self.db = folder / "arena.db"
        self._bots = ",".join(map(str, make_bots(folder, pause)))
        Store(self.db).close()

    def play(self, kind: str, deals: int) -> tuple[list[Line], list[Line]]:
        """Play a tournament; what its worker and its driver wrote."""
        self._seed += 1
        lines = self._folder / f"lines-{self._seed}"
        lines.mkdir()
        words = ["tournament", "--game", "claim", "--bots", self._bots, "--rounds", str(deals), "--concurrency", "1"]
        words += ["--sandbox", "process", "--clock", "1s/move+60s", "--seed", str(self._seed), "--db", str(self.db)]
        subprocess.run(  # noqa: S603
            [sys.executable, "-m", "bench.live_driver", *words], check=True,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env={**os.environ, FOLDER: str(lines), KIND: kind},
        )  # fmt: skip
        worker, driver = (next(lines.glob(f"{role}-*.jsonl")) for role in ("worker", "driver"))
        return read_lines(worker), read_lines(driver)

    def cost(self, kind: str, deals: int) -> Cost:
        """What a tournament takes."""
        worker, driver = self.play(kind, deals)
        decisions = sum(line.moves for line in worker[1:])
        return Cost(decisions / (worker[-1].at - worker[0].at), used(worker), used(driver))


def make_bots(folder: Path, pause: float) -> list[Path]:
    """Two bots that answer after a moment."""
    for name in ("one", "two"):
        (folder / name).mkdir()
        lines = f'name = "{name}"\nversion = "1"\ngames = ["claim"]\ncommand = ["python3", "bot.py"]\n'
        (folder / name / "bot.toml").write_text(lines)
        (folder / name / "bot.py").write_text(BOT.format(pause=pause))
    return [folder / "one", folder / "two"]


def used(lines: Sequence[Line]) -> Used:
    """What a process used, by its own account."""
    first, last = lines[0], lines[-1]
    decisions = sum(line.moves for line in lines[1:])
    feed = last.feed - first.feed
    return Used(
        1e6 * (last.processor - first.processor) / decisions, 1e6 * feed / decisions, feed / (last.at - first.at)
    )


@contextmanager
def watched_cup(pause: float = PAUSE_S) -> Iterator[tuple[Cup, int]]:
    """A cup, and the port of a server of its store."""
    with tempfile.TemporaryDirectory() as folder:
        cup = Cup(Path(folder), pause)
        with serving(cup.db) as port:
            yield cup, port


def in_rounds(cup: Cup, port: int, spectators: int, rounds: int, deals: int) -> dict[str, list[Cost]]:
    """What every kind of tournament took in each round; every round begins with another kind."""
    found: dict[str, list[Cost]] = {kind: [] for kind in KINDS}
    for number in range(rounds):
        first = number % len(KINDS)
        for kind in (*KINDS[first:], *KINDS[:first]):
            with watching(port, spectators) if kind == "spectators" else nullcontext():
                found[kind].append(cup.cost(NO_FEED if kind == "no feed" else FEED, deals))
    return found


def paired(cup: Cup, port: int, spectators: int, pairs: int) -> list[float]:
    """The worker's processor time in a reported match divided by that in its neighbour that is not reported."""
    with watching(port, spectators):
        worker, _ = cup.play(ALTERNATING, 2 + pairs)
    took = [later.processor - line.processor for line, later in pairwise(worker)]
    matches = list(zip(took, worker[1:]))[3:]  # from the second four on: the bots are warm
    ratios = []
    for (one, first), (other, second) in zip(matches[::2], matches[1::2]):
        if first.reported != second.reported:
            ratios.append(one / other if first.reported else other / one)
    return ratios


def median_interval(values: Sequence[float]) -> tuple[float, float]:
    """Where the median of what these were drawn from is, with 95 % certainty: two of them in their order."""
    ordered, reach = sorted(values), 0.98 * len(values) ** 0.5
    middle = (len(values) - 1) / 2
    return ordered[max(0, int(middle - reach))], ordered[min(len(values) - 1, round(middle + reach))]


def rows() -> list[Row]:
    """What `make bench` shows: the share of the worker's processor time that goes into reports."""
    with watched_cup() as (cup, port), watching(port, SPECTATORS):
        cost = cup.cost(FEED, 8)
    name = f"reports of running matches, of the worker's processor time, {SPECTATORS} spectators"
    return [Row(name, 100 * cost.worker.feed_share, None, "%", None, AIM, "ours")]


def main() -> None:
    """Measure and print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spectators", type=int, default=SPECTATORS)
    parser.add_argument("--rounds", type=int, default=8, help="of the three kinds of tournaments")
    parser.add_argument("--deals", type=int, default=4, help="deals of each tournament, two matches each")
    parser.add_argument("--pairs", type=int, default=100, help="pairs of a match that is reported and one that is not")
    parser.add_argument("--pause", type=float, default=PAUSE_S, help="seconds that a bot waits before it answers")
    chosen = parser.parse_args()
    with watched_cup(chosen.pause) as (cup, port):
        found = in_rounds(cup, port, chosen.spectators, chosen.rounds, chosen.deals)
        ratios = paired(cup, port, chosen.spectators, chosen.pairs)
    console = Console(width=120)
    console.print(feed_table(found["spectators"], chosen.spectators), kinds_table(found))
    low, high = median_interval(ratios)
    print(
        f"The worker's processor time in reported matches beside others: {statistics.median(ratios):.3f}"
        f" ({low:.3f} to {high:.3f}), {len(ratios)} pairs"
    )
    print(machine())


def feed_table(costs: Sequence[Cost], spectators: int) -> Table:
    """What only the feed does."""
    table = Table("", "µs a decision", "of its processor time", "of one processor")
    table.title = f"Calls that only the feed makes, {spectators} spectators"
    for name, parts in (
        ("worker: reports", [cost.worker for cost in costs]),
        ("driver: reads and shows them", [cost.driver for cost in costs]),
    ):
        table.add_row(
            name,
            spread([part.feed_us for part in parts], ".1f"),
            spread([part.feed_share for part in parts], ".2%"),
            spread([part.feed_load for part in parts], ".2%"),
        )
    return table


def kinds_table(found: dict[str, list[Cost]]) -> Table:
    """The kinds of tournaments beside each other."""
    table = Table("", "decisions/s", "ratio", "worker, µs a decision", "ratio", "driver, µs a decision", "ratio")
    table.title = "Tournaments in turns"
    for kind, costs in found.items():
        texts = []
        for figure in ("rate", "worker.decision_us", "driver.decision_us"):
            values, others = (list(map(attrgetter(figure), each)) for each in (costs, found[KINDS[0]]))
            texts += [f"{statistics.median(values):.0f}", spread([a / b for a, b in zip(values, others)], ".2f")]
        table.add_row(kind, *texts)
    return table


def spread(values: Sequence[float], form: str) -> str:
    """The median and the quartiles."""
    low, middle, high = statistics.quantiles(values, n=4, method="inclusive") if len(values) > 1 else [values[0]] * 3
    return f"{middle:{form}} ({low:{form}}–{high:{form}})"


if __name__ == "__main__":
    main()
