"""An honest bot beside every attack, at the same table and at another one: its clock tells whether it was hurt.

It is reached over a real link, so that whatever keeps the referee's loop busy shows in what it is charged. It stamps
its replies itself, so that what the referee charged can be compared with what it took, on however busy a machine. The
other table has a process of its own, as in a tournament: `python -m tests.hostile.neighbour` is its program.
"""

import asyncio
import atexit
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Coroutine, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import asdict, dataclass, field
from functools import cache
from typing import Any

from arena.bots.builtin import BUILTIN
from arena.bots.running import AnyCodec, LocalBot, RemoteBot, RunningBot
from arena.bots.table import Table
from arena.clock import TimeControl
from arena.links.connection import unix_connect
from arena.links.match_link import MatchLink
from arena.match import Contestant, Ending, MatchRecord, MatchSpec, Seat
from arena.referee import looptime
from arena.referee.heartbeat import Heartbeat, ThreadHeartbeat
from arena.referee.player import STRICT, Answer, Link, ReplyPolicy
from arena.referee.record import match_id
from arena.sdk import Session
from engines.claim import GAME
from tests.hostile import backends

SEED = 0x5EED_0F_A_C0DE
CALM = TimeControl.parse("5s/move+30s")
START_S = 20.0
BEGIN, END = b"(", b")"
"""What the other table is told: to play, and to stop after the match that it plays."""


@dataclass
class Witness:
    """What an honest bot went through."""

    charged: list[float] = field(default_factory=list)
    """Seconds that each of its moves cost it."""
    late: list[float] = field(default_factory=list)
    """Seconds from when it sent each reply to when the referee says that the reply arrived."""
    overpaid: list[float] = field(default_factory=list)
    """Seconds that each move cost it beyond the time that it took, without the lag that the referee knows of."""
    faults: list[str] = field(default_factory=list)
    matches: int = 0

    def note(self, record: MatchRecord[Any, Any], seat: Seat, bot: RunningBot) -> None:
        """Add the match that it has just played in this seat."""
        self.matches += 1
        times = [move.times for move in record.played if move.seat == seat]
        self.charged += [time.charged / 1e6 for time in times]
        calls = bot.calls[1:] if isinstance(bot, StampedBot) else []  # the first call is the start of the match
        for turn, (time, (asked, answered)) in enumerate(zip(times, calls), 1):
            sent = sent_at(record.shown_id, turn)
            if sent is not None and sent >= asked:
                self.late.append(answered - sent)
                self.overpaid.append((time.charged - time.lag) / 1e6 - (sent - asked))
        verdict = record.verdicts[seat]
        if verdict.ending is not Ending.NORMAL:
            self.faults.append(f"{verdict.ending.name}: {verdict.sentence}")

    def add(self, other: "Witness") -> None:
        """Take over what another one has noted."""
        for name, noted in vars(other).items():
            setattr(self, name, getattr(self, name) + noted)

    @property
    def longest(self) -> float:
        """The most that one move cost it."""
        return max(self.charged, default=0.0)


async def calm(heartbeat: Heartbeat) -> Witness:
    """What it goes through while nobody attacks."""
    witness = Witness()
    async with Table([bot := remote("neighbour"), inside("calm")], heartbeat=heartbeat) as table:
        witness.note(await table.play(GAME, make_spec(("neighbour", "calm"), SEED, CALM), (0, 1)), 0, bot)
    return witness


@asynccontextmanager
async def at_another_table() -> AsyncIterator[Witness]:
    """Let it play one match after the other in another process for as long as this is entered."""
    process, witness = other_table(os.getpid()), Witness()
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(BEGIN)
    try:
        yield witness
    finally:
        process.stdin.write(END)
        witness.add(Witness(**json.loads(await asyncio.to_thread(process.stdout.readline))))


async def serve() -> None:
    """The other table: play from BEGIN to END on standard input, and then say what the honest bot went through."""
    loop, reader = asyncio.get_running_loop(), asyncio.StreamReader()
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    with ThreadHeartbeat() as heartbeat:
        while await reader.read(1) == BEGIN:
            print(json.dumps(asdict(await _play_until(reader.read(1), heartbeat))), flush=True)


async def _play_until(word: Coroutine[Any, Any, bytes], heartbeat: Heartbeat) -> Witness:
    witness, over = Witness(), asyncio.create_task(word)
    async with Table([bot := remote("neighbour"), inside("other")], heartbeat=heartbeat) as table:
        while not over.done():
            spec = make_spec(("neighbour", "other"), SEED + witness.matches, CALM)
            witness.note(await table.play(GAME, spec, (0, 1)), 0, bot)
    return witness


def remote(name: str) -> RunningBot:
    """The honest bot, in the one process that this process keeps for it."""
    return StampedBot(Contestant(name), unix_connect("\0" + _started(os.getpid()).name), START_S)


def inside(name: str) -> RunningBot:
    """A good bot in the referee."""
    return LocalBot(Contestant(name), lambda: Session(GAME, BUILTIN["random"](1)).handle)


def make_spec(names: Sequence[str], seed: int, control: TimeControl) -> MatchSpec[Any]:
    """A match of Claim: the attacks are on the table, not on the rules."""
    contestants = tuple(map(Contestant, names))
    config = GAME.configure(2, {})
    return MatchSpec(match_id(GAME, config, seed, contestants), "claim", config, seed, contestants, control)


class StampedBot(RemoteBot):
    """The honest bot, with the moments at which the referee asked and was answered in its latest match."""

    calls: list[tuple[float, float]]

    async def open_match(self, codec: AnyCodec) -> Link:
        """A link that notes the moments of its calls."""
        link = await super().open_match(codec)
        assert isinstance(link, MatchLink)
        self.calls = []
        return StampedLink(link, self.calls)


class StampedLink:
    """A link that notes, on the monotonic clock, when each request was out and when its reply had arrived."""

    def __init__(self, link: MatchLink, calls: list[tuple[float, float]]) -> None:
        self._link, self._calls = link, calls
        self.wait_frozen, self.tell, self.close = link.wait_frozen, link.tell, link.close

    async def call(self, request: bytes, wait: float, reply_policy: ReplyPolicy = STRICT) -> Answer:
        """Ask, and note what the link says of the time."""
        answer = await self._link.call(request, wait, reply_policy)
        answered = self._link.stream._answered_at
        self._calls.append((answered - answer.wall, answered))
        return answer


@dataclass
class _Started:
    """The honest bot of a process, and what it wrote down."""

    name: str
    file: int
    read: int = 0
    """Bytes of the file that were read."""
    sent: dict[tuple[str, int], float] = field(default_factory=dict)


def sent_at(match: str, turn: int) -> float | None:
    """When the bot sent its reply to a turn; None if it has not written it down yet."""
    started = _started(os.getpid())
    lines = os.pread(started.file, 1 << 20, started.read)
    complete = lines[: lines.rfind(b"\n") + 1]
    started.read += len(complete)
    for line in complete.decode().splitlines():
        of_match, number, moment = line.split()
        started.sent[of_match, int(number)] = float(moment)
    return started.sent.pop((match, turn), None)


@cache
def _started(pid: int) -> _Started:
    """Start the bot of this process, which ends when this process does."""
    started = _Started(f"arena-hostile-neighbour-{pid}", os.memfd_create("stamps"))
    command = [str(backends.KIT / "neighbour" / "bot.py"), started.name, str(started.file)]
    process = _child(pid, command, {"PYTHONPATH": str(backends.KIT)}, pass_fds=[started.file])
    assert process.stdout is not None
    assert process.stdout.readline() == b"ready\n", "the honest bot does not start"
    return started


@cache
def other_table(pid: int) -> subprocess.Popen[bytes]:
    """Start the process of the other table, which ends when this process does."""
    return _child(pid, ["-m", "tests.hostile.neighbour"], {"PYTHONPATH": str(backends.ROOT)})


def _child(
    pid: int, command: Sequence[str], environment: Mapping[str, str], pass_fds: Sequence[int] = ()
) -> subprocess.Popen[bytes]:
    """A Python process that ends with this one; a killed one ends it, too, by the end of its standard input."""
    process = subprocess.Popen(
        [sys.executable, *command], env={**os.environ, **environment}, stdin=subprocess.PIPE, stdout=subprocess.PIPE,
        bufsize=0, pass_fds=pass_fds,
    )  # fmt: skip
    atexit.register(_end, process, pid)
    return process


def _end(process: subprocess.Popen[bytes], pid: int) -> None:
    """End the child with the process that started it, and not with one that was forked from that."""
    if os.getpid() == pid:
        with process:
            process.kill()


if __name__ == "__main__":
    looptime.run(serve())
