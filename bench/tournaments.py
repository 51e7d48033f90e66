"""What a tournament costs: decisions and matches per second, our own processor time per decision, memory and bytes.

    make -C sample_bots/random_cpp               # two of these meet in Claim
    arena bot build sample_bots/random           # the image of the rows with docker
    python -m bench.tournaments [--matches 200] [--profile build]

Processor time is that of this process alone, which does what a worker process does: it plays, seals and packs matches
on the processors of a table, where there are as many tables as cores. With `--profile`, py-spy (installed apart, as
root) writes a flame graph of it into that folder. Sandboxes and bots that are not there are left out.
"""

import argparse
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from arena import registry
from arena.bots.launch import SandboxOptions, make_sandbox
from arena.bots.manifest import locate
from arena.bots.running import RunningBot, SandboxedBot, close_all
from arena.clock import TimeControl
from arena.errors import ArenaError
from arena.match import Contestant, MatchSpec
from arena.referee import looptime
from arena.referee.faults import FORFEIT
from arena.referee.heartbeat import ThreadHeartbeat
from arena.sandboxes.base import Limits
from arena.store.sql import Store
from arena.workers.base import Assignment, FinishedMatch
from arena.workers.cores import divide_cores, physical_cores, processors_needed
from arena.workers.worker import Worker, finish
from bench.environment import ROOT
from bench.table import Row

GAME = registry.find("claim")
CONTROL = TimeControl.parse("5s/move+10s")
CONTESTANTS = (Contestant("a", "1", "sha256:0"), Contestant("b", "1", "sha256:0"))
CPP, PYTHON = ROOT / "sample_bots" / "random_cpp", ROOT / "sample_bots" / "random"
IMAGE = "arena-bot/random:1"
MIB = 1 << 20
WITHOUT, WITH = "without freezing", "with freezing"
AIMS = {WITHOUT: 6000.0, WITH: 4000.0}
"""Decisions for every second of our own processor time."""
BOTS_HELD = (1, 16, 64)
MATCHES, FRESH_MATCHES = 40, 4


@dataclass(frozen=True, slots=True)
class Cost:
    """What a series of matches took."""

    matches: int
    decisions: int
    wall: float
    cpu: float
    """Processor seconds of this process, without those of the bots."""
    record_bytes: int


def spec(seed: int) -> MatchSpec[object]:
    """A match with this deal."""
    return MatchSpec(f"{seed:016x}", "claim", GAME.configure(2, {}), seed, CONTESTANTS, CONTROL)


def holding(sandbox: str, *, freezing: bool) -> SandboxOptions:
    """How bots are held."""
    return SandboxOptions(sandbox, Limits(start_s=60.0), ponder=not freezing)


@contextmanager
def at_a_table(*, freezing: bool) -> Iterator[None]:
    """Use the processors of one table, where there are as many tables as cores."""
    everything = os.sched_getaffinity(0)
    cores = physical_cores(everything)
    needed = processors_needed([holding("bubblewrap", freezing=freezing)])
    os.sched_setaffinity(0, divide_cores(cores, len(cores), needed)[-1] or everything)
    try:
        yield
    finally:
        os.sched_setaffinity(0, everything)


def maker(source: str, sandbox: str, *, freezing: bool) -> Callable[[int], RunningBot]:
    """Makes bots of this program in this sandbox."""
    options = holding(sandbox, freezing=freezing)
    return lambda number: SandboxedBot(
        CONTESTANTS[number % 2], make_sandbox(locate(source, ()), options), ponder=options.ponder
    )


async def play(make_bot: Callable[[int], RunningBot], matches: int, *, fresh: bool = False) -> Cost:
    """Play, seal and pack matches as a worker does; the first two are not counted unless every match has new bots."""
    with ThreadHeartbeat() as heartbeat:
        worker = Worker(GAME, make_bot, policy=FORFEIT, heartbeat=heartbeat, fresh=fresh)
        try:
            for seed in range(0 if fresh else 2):
                await finished(worker, seed)
            wall, cpu = time.perf_counter(), time.process_time()
            played = [await finished(worker, 2 + number) for number in range(matches)]
            wall, cpu = time.perf_counter() - wall, time.process_time() - cpu
        finally:
            await worker.clear()
    decisions = sum(match.entry.moves for match in played)
    return Cost(matches, decisions, wall, cpu, sum(len(match.record) for match in played))


async def finished(worker: Worker, seed: int) -> FinishedMatch:
    """One match with all that the store keeps of it."""
    assignment = Assignment(seed, (0, 1), spec(seed))
    played = await worker.play((0, 1), assignment, new_leg=False)
    match = finish(GAME, played, assignment, tournament=1, places=(0, 1), bot_ids=(1, 2))
    if not isinstance(match, FinishedMatch):
        sys.exit(f"a match of the bench was void: {match.reason}")
    return match


# -- rows -------------------------------------------------------------------------------------------------------


def rows() -> Iterator[Row]:
    """Decisions, matches, memory and bytes."""
    if (CPP / "build" / "bot").exists():
        yield from decision_rows(MATCHES)
        yield store_row(MATCHES)
    yield from match_rows()
    yield from memory_rows()


def decision_rows(matches: int) -> Iterator[Row]:
    """C++ bots in bubblewrap, without and with freezing."""
    for name, aim in AIMS.items():
        with at_a_table(freezing=name == WITH):
            cost = looptime.run(play(maker(str(CPP), "bubblewrap", freezing=name == WITH), matches))
        what = f"tournament: C++ bots in bubblewrap, {name}"
        yield Row(f"{what}, per processor second of ours", cost.decisions / cost.cpu, None, "/s", None, aim, "ours")
        yield Row(f"{what}, on the clock", cost.decisions / cost.wall, None, "/s", None, None)
        yield Row(f"{what}, processor time of ours", cost.cpu / cost.decisions * 1e6, None, "µs", None, None)
        yield Row(f"{what}, record", cost.record_bytes / cost.decisions, None, "B/move", None, None)


def match_rows() -> Iterator[Row]:
    """Matches per second between Python bots that stay warm, and between new ones."""
    for sandbox, source in {"bubblewrap": str(PYTHON), "docker": IMAGE}.items():
        for kind, matches in {"warm": MATCHES, "fresh": FRESH_MATCHES}.items():
            try:
                with at_a_table(freezing=True):
                    cost = looptime.run(play(maker(source, sandbox, freezing=True), matches, fresh=kind == "fresh"))
            except ArenaError as error:
                print(f"{sandbox} is left out: {error}", file=sys.stderr)
                break
            yield Row(f"tournament: {kind} Python bots in {sandbox}", cost.matches / cost.wall, None, "/s", None, None)


def store_row(matches: int) -> Row:
    """A whole tournament by the command line: what its matches add to the store."""
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "arena.db"
        command = [sys.executable, "-m", "arena", "tournament", "--game", "claim", "--db", str(store)]
        command += ["--bots", f"{CPP},{PYTHON}", "--clock", str(CONTROL), "--rounds"]
        sizes = []
        for rounds in (1, matches // 2):
            subprocess.run([*command, str(rounds)], check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
            Store(store).close()  # moves what is in the journal into the file
            sizes.append(sum(path.stat().st_size for path in Path(folder).iterdir()))
    return Row("tournament: store", (sizes[1] - sizes[0]) / (matches // 2 * 2), None, "B/match", None, None)


def memory_rows() -> Iterator[Row]:
    """What this process holds with so many bots connected, compared with none; measured in a process of its own."""
    own = [sys.executable, "-m", "bench.tournaments", "--memory"]
    floor = None
    for count in (0, *BOTS_HELD):
        held = float(subprocess.run([*own, str(count)], check=True, capture_output=True, text=True).stdout)  # noqa: S603
        floor = held if floor is None else floor
        if count:
            yield Row(f"memory: referee with {count} bots, beside none", held, floor, "MiB", held / floor, None)


async def memory(count: int) -> float:
    """MiB of this process with so many bots in their sandboxes, each with an open match."""
    make = maker(str(CPP if (CPP / "build" / "bot").exists() else PYTHON), "bubblewrap", freezing=True)
    bots = [make(number) for number in range(count)]
    try:
        for bot in bots:
            await bot.start()
            await bot.open_match(GAME.codec)
            assert isinstance(bot, SandboxedBot)  # noqa: S101
            await bot.pause()
        return resident()
    finally:
        await close_all(bots)


def resident() -> float:
    """MiB of this process that are in memory now."""
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / MIB


# -- the command ------------------------------------------------------------------------------------------------


def profile(folder: Path, matches: int) -> None:
    """A flame graph of the decisions with freezing, by py-spy."""
    out = folder / "decisions.svg"
    own = [sys.executable, "-m", "bench.tournaments", "--play", str(matches)]
    subprocess.run(["py-spy", "record", "--rate", "500", "--output", str(out), "--", *own], check=True)  # noqa: S603, S607
    print(f"wrote {out}")


def report(matches: int) -> None:
    """Print the cost of the decisions."""
    for row in decision_rows(matches):
        print(f"{row.name}: {row.ours:.0f} {row.unit}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=200)
    parser.add_argument("--profile", type=Path, metavar="FOLDER", help="write a flame graph into this folder")
    parser.add_argument("--play", type=int, help=argparse.SUPPRESS)
    parser.add_argument("--memory", type=int, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.memory is not None:
        print(looptime.run(memory(given.memory)))
    elif given.play:
        with at_a_table(freezing=True):
            looptime.run(play(maker(str(CPP), "bubblewrap", freezing=True), given.play))
    elif given.profile:
        profile(given.profile, given.matches)
    else:
        report(given.matches)


if __name__ == "__main__":
    main()
