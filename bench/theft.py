"""Whether a bot can steal another's time: loop iterations per move beside a burner, as a ratio to beside a sleeper.

    python -m bench.theft [--rounds 12]

A counting bot counts for a fixed time on every move. Its opponent sleeps, or burns all that it can get with many
processes and threads on both turns. Short matches against the two alternate in one run, because the machine's noise
is larger than the difference; a round is one of each, and gives the ratio of the medians over all moves.
"""

import argparse
import asyncio
import statistics
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid

from arena import registry
from arena.bots.launch import python_paths
from arena.bots.running import SandboxedBot
from arena.bots.table import Table
from arena.clock import TimeControl
from arena.errors import InfraError
from arena.match import FINE, Contestant, MatchSpec
from arena.sandboxes.base import BotDirectory, Limits
from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox

BOTS = Path(__file__).parent / "theft_bots"
ROLES = ("counter", "sleeper", "burner")
WARM_UP = 1
"""Rounds that are not counted: the first one still loads code."""
SETTLE_S = 0.05
"""Until what was printed is read, and what burned is out."""
AIM = 0.95
CONTROL = TimeControl.parse("5s/move+60s")
GAME = registry.find("claim")


@dataclass(frozen=True, slots=True)
class Mode:
    """One way to hold the bots."""

    freezing: bool
    cpu_limit: bool

    @property
    def limits(self) -> Limits:
        """One processor, or as many as anybody could use."""
        return Limits(cpus=1.0 if self.cpu_limit else 64.0, start_s=30.0)


MODES = tuple(Mode(freezing, cpu_limit) for freezing in (True, False) for cpu_limit in (True, False))


def sandboxed(role: str, mode: Mode) -> SandboxedBot:
    """One of the bots in its sandbox."""
    program = BotDirectory(BOTS, (sys.executable, "bot.py", role), tuple(python_paths()))
    sandbox = BubblewrapSandbox(program, mode.limits, require=("cpu", "freeze"))
    return SandboxedBot(Contestant(role), sandbox, ponder=not mode.freezing)


async def count(table: Table, counter: SandboxedBot, place: int, seed: int) -> float:
    """How far the counting bot came on its median move of a match against the bot at this place."""
    already = len(counter.log().split())
    names = (counter.contestant, Contestant(ROLES[place]))
    spec = MatchSpec("theft", "claim", GAME.configure(2, {}), seed, names, CONTROL)
    record = await table.play(GAME, spec, (0, place))
    if any(verdict != FINE for verdict in record.verdicts):
        raise InfraError(f"the match was not played: {record.verdicts}, {counter.log()[-500:]}")
    await asyncio.sleep(SETTLE_S)
    return statistics.median(map(int, counter.log().split()[already:]))


async def measure(mode: Mode, rounds: int) -> float:
    """What is left to the counting bot beside the burner, as a share of what it has beside the sleeper."""
    bots = [sandboxed(role, mode) for role in ROLES]
    ratios = []
    async with Table(bots) as table:
        for seed in range(rounds + WARM_UP):
            calm, burning = [await count(table, bots[0], place, seed) for place in (1, 2)]
            ratios.append(burning / calm)
    return statistics.median(ratios[WARM_UP:])


def lines(rounds: int) -> Iterator[tuple[Mode, float]]:
    """The ratio of every mode."""
    for mode in MODES:
        yield mode, asyncio.run(measure(mode, rounds))


def main() -> None:
    """Print the ratios."""
    parser = argparse.ArgumentParser(description="How much of a bot's time its opponent can steal.")
    parser.add_argument("--rounds", type=int, default=12, help="matches of each kind")
    chosen = parser.parse_args()
    grid = Grid("opponent's turn", "processors per bot", "iterations beside a burner", "aim")
    for mode, ratio in lines(chosen.rounds):
        words = ("frozen" if mode.freezing else "pondering", "1" if mode.cpu_limit else "no limit", f"{ratio:.1%}")
        grid.add_row(*words, f"{AIM:.0%}" if mode.freezing else "-")
    Console().print(grid)


if __name__ == "__main__":
    main()
