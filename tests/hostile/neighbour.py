"""An honest bot beside every attack, at the same table and at another one: its clock tells whether it was hurt.

It is reached over a real link, so that whatever keeps the referee's loop busy shows in what it is charged.
"""

import asyncio
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from arena.bots.builtin import BUILTIN
from arena.bots.running import LocalBot, RemoteBot, RunningBot
from arena.bots.table import Table
from arena.clock import TimeControl
from arena.links.connection import unix_connect
from arena.match import Contestant, Ending, MatchRecord, MatchSpec, Seat
from arena.play.heartbeat import Heartbeat
from arena.play.record import match_id
from arena.sdk import Session
from engines.claim import GAME
from tests.hostile import backends

SEED = 0x5EED_0F_A_C0DE
CALM = TimeControl.parse("5s/move+30s")
START_S = 20.0


@dataclass
class Witness:
    """What an honest bot went through."""

    charged: list[float] = field(default_factory=list)
    """Seconds that each of its moves cost it."""
    faults: list[str] = field(default_factory=list)
    matches: int = 0

    def note(self, record: MatchRecord[Any, Any], seat: Seat) -> None:
        """Add a match in which it had this seat."""
        self.matches += 1
        self.charged += [move.times.charged / 1e6 for move in record.played if move.seat == seat]
        verdict = record.verdicts[seat]
        if verdict.ending is not Ending.NORMAL:
            self.faults.append(f"{verdict.ending.name}: {verdict.sentence}")

    @property
    def longest(self) -> float:
        """The most that one move cost it."""
        return max(self.charged, default=0.0)


async def calm(heartbeat: Heartbeat) -> Witness:
    """What it goes through while nobody attacks."""
    witness = Witness()
    async with Table([remote("neighbour"), inside("calm")], heartbeat=heartbeat) as table:
        witness.note(await table.play(GAME, make_spec(("neighbour", "calm"), SEED, CALM), (0, 1)), 0)
    return witness


@asynccontextmanager
async def at_another_table(heartbeat: Heartbeat) -> AsyncIterator[Witness]:
    """Let it play one match after the other for as long as this is entered."""
    witness, over = Witness(), asyncio.Event()

    async def play() -> None:
        async with Table([remote("neighbour"), inside("other")], heartbeat=heartbeat) as table:
            while not over.is_set():
                spec = make_spec(("neighbour", "other"), SEED + witness.matches, CALM)
                witness.note(await table.play(GAME, spec, (0, 1)), 0)

    async with asyncio.TaskGroup() as group:
        group.create_task(play())
        try:
            yield witness
        finally:
            over.set()


def remote(name: str) -> RunningBot:
    """The honest bot, in the one process that this process keeps for it."""
    return RemoteBot(Contestant(name), unix_connect("\0" + _started(os.getpid())), START_S)


def inside(name: str) -> RunningBot:
    """A good bot in the referee."""
    return LocalBot(Contestant(name), lambda: Session(GAME, BUILTIN["random"](1)).handle)


def make_spec(names: Sequence[str], seed: int, control: TimeControl) -> MatchSpec[Any]:
    """A match of Claim: the attacks are on the table, not on the rules."""
    contestants = tuple(map(Contestant, names))
    config = GAME.configure(2, {})
    return MatchSpec(match_id(GAME, config, seed, contestants), "claim", config, seed, contestants, control)


@cache
def _started(pid: int) -> str:
    """Start the bot of this process, which ends when this process does, and give the name of its socket."""
    name = f"arena-hostile-neighbour-{pid}"
    command = [sys.executable, str(backends.KIT / "neighbour" / "bot.py"), name]
    environment = {**os.environ, "PYTHONPATH": str(backends.KIT)}
    process = subprocess.Popen(command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    PROCESSES.append(process)
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n", "the honest bot does not start"
    return name


PROCESSES: list[subprocess.Popen[bytes]] = []
"""Kept, because it is the end of their standard input that ends them."""
