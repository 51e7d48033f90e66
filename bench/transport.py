"""What a move costs on the way to a bot and back, as a ratio to a bare grpc.aio stream with the same payload.

    python -m bench.transport [--rounds 40]

All paths are measured in turns in one run, because the machine's noise is larger than the differences. Unless a row
says otherwise, the bots answer from a table, as the peer of the bare stream does: what is measured is the path alone.
"""

import argparse
import asyncio
import os
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import grpc
from h2.config import H2Configuration
from h2.connection import H2Connection
from rich.console import Console
from rich.table import Table

from arena.bots.launch import SandboxOptions, make_sandbox, python_paths
from arena.bots.manifest import locate
from arena.bots.running import RemoteBot, RunningBot, SandboxedBot
from arena.errors import Disconnected
from arena.links.connection import BotConnection, unix_connect
from arena.links.frames import DATA, pack_frame, pack_message
from arena.links.http2 import READ_BYTES
from arena.links.local import LocalLink
from arena.match import FINE, Contestant
from arena.referee import looptime
from arena.referee.heartbeat import STEADY, Heartbeat, ThreadHeartbeat
from arena.referee.player import Link, Player
from arena.referee.referee import play
from arena.sandboxes.base import BotDirectory, Limits
from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox
from arena.sdk import Session
from bench.environment import PEERS_PYTHON, ROOT, has_peers
from bench.table import Row
from bench.transport_bots import CONTROL, GAME, METHOD, SEATS, SPEC, First, Payload, record
from bench.turns import Measure, program, ratio

WARM_UP, ROWS_ROUNDS = 3, 30
FLOOR, FLOOR_OF_TWO = "bare grpc.aio stream", "two of them at once"
BYTES = "the bytes alone, over a plain socket"
HEADERS = [
    (":method", "POST"),
    (":scheme", "http"),
    (":authority", "localhost"),
    (":path", METHOD),
    ("te", "trailers"),
    ("content-type", "application/grpc"),
]
LINK, PATH, SANDBOXED, FROZEN = "our link", "referee, clock, codec, link", "the same, in bubblewrap", "the same, frozen"
AIMS = {LINK: 0.8, PATH: 0.9, SANDBOXED: 1.0, FROZEN: 1.2}
"""Times of the bare stream."""
TWO = "two matches at once"
CPP_BOT = ROOT / "sample_bots" / "random_cpp"
CPP, CPP_FROZEN = "C++ bot in bubblewrap", "C++ bot, frozen between turns"
"""Left out unless `make` was run in its folder."""
SDK = "unconfined, with a bot on the SDK"
KAGGLE, KAGGLE_HTTP = "kaggle-environments, ConnectX in process", "kaggle-environments, ConnectX over HTTP"
"""Left out unless it is in the peers' environment."""
PEERS = {PATH: KAGGLE, FROZEN: KAGGLE_HTTP}
"""What two of the paths are compared with, beside the bare stream."""

Way = Callable[[], Awaitable[tuple[float, int]]]
"""Carries one match's messages, and says how many seconds that took and how many requests it were."""


def command(kind: str) -> list[str]:
    """A server of this kind; with -P, for the folder's other files have names of packages."""
    return [sys.executable, "-P", "transport_bots.py", kind]


@contextmanager
def process(kind: str, path: Path) -> Iterator[None]:
    """A server in another process, without a sandbox."""
    environment = {**os.environ, "ARENA_SOCKET": str(path)}
    child = subprocess.Popen(command(kind), env=environment, cwd=Path(__file__).parent)  # noqa: S603
    try:
        yield
    finally:
        child.kill()
        child.wait()


# -- the ways ---------------------------------------------------------------------------------------------


async def bare(channel: Any, payload: Payload) -> tuple[float, int]:
    """One seat's messages over a bare stream."""
    stream = channel.stream_stream(METHOD)()
    await stream.wait_for_connection()
    started = time.perf_counter()
    for request, _ in payload:
        await stream.write(request)
        await stream.read()
    took = time.perf_counter() - started
    stream.cancel()
    return took, len(payload)


async def bytes_alone(path: Path, payload: Payload) -> tuple[float, int]:
    """One seat's messages as bytes that were made before, over a blocking socket: what bot and kernel take alone."""
    http = H2Connection(H2Configuration(client_side=True, header_encoding=None))
    http.initiate_connection()
    http.send_headers(1, HEADERS)
    frames = [(pack_frame(DATA, 1, pack_message(request)), pack_message(reply)) for request, reply in payload]
    with socket.socket(socket.AF_UNIX) as bot:
        bot.settimeout(10.0)
        bot.connect(str(path))
        bot.sendall(http.data_to_send())
        http.receive_data(bot.recv(READ_BYTES))
        bot.sendall(http.data_to_send())  # takes note of its settings
        started = time.perf_counter()
        for request, reply in frames:
            bot.sendall(request)
            heard = b""
            while reply not in heard:
                heard += bot.recv(READ_BYTES)
        return time.perf_counter() - started, len(payload)


async def linked(connection: BotConnection, payload: Payload) -> tuple[float, int]:
    """One seat's messages over a link."""
    link = await connection.open_match(GAME.codec)
    started = time.perf_counter()
    for request, _ in payload:
        await link.call(request, 5.0)
    took = time.perf_counter() - started
    await link.close()
    return took, len(payload)


async def whole(bots: Sequence[RunningBot], heartbeat: Heartbeat, opening: list[float]) -> tuple[float, int]:
    """A real match; what it takes to open and close it is put aside."""
    started = time.perf_counter()
    links = await asyncio.gather(*(bot.open_match(GAME.codec) for bot in bots))
    opened = time.perf_counter()
    moves = await refereed(links, heartbeat)
    ended = time.perf_counter()
    await asyncio.gather(*(link.close() for link in links))
    opening.append(opened - started + time.perf_counter() - ended)
    return ended - opened, moves


async def local() -> tuple[float, int]:
    """The same match in this process, to know what the rules and the codec of both sides cost."""
    links = [LocalLink(Session(GAME, First()).handle, time.perf_counter) for _ in SEATS]
    started = time.perf_counter()
    moves = await refereed(links, STEADY)
    return time.perf_counter() - started, moves


async def refereed(links: Sequence[Link], heartbeat: Heartbeat) -> int:
    """Play a match over these links; how many requests were answered."""
    result = await play(GAME, [Player(GAME.codec, link, CONTROL, heartbeat=heartbeat) for link in links], SPEC)
    if any(verdict != FINE for verdict in result.verdicts):
        raise Disconnected(str(result.verdicts))
    return len(result.played) + len(links)


def sandboxed(seat: str, *, freezing: bool) -> SandboxedBot:
    """A bot that answers from its table, in its sandbox."""
    program = BotDirectory(Path(__file__).parent, tuple(command(seat)), tuple(python_paths()))
    return SandboxedBot(Contestant(seat), BubblewrapSandbox(program, Limits(start_s=30.0)), ponder=not freezing)


def cpp_bot(*, freezing: bool) -> SandboxedBot:
    """The sample bot in C++, which plays at random, in its sandbox."""
    options = SandboxOptions("bubblewrap", Limits(start_s=30.0), ponder=not freezing)
    return SandboxedBot(Contestant("c++"), make_sandbox(locate(str(CPP_BOT), ()), options), ponder=not freezing)


async def together(*ways: Awaitable[tuple[float, int]]) -> tuple[float, int]:
    """All of these at once: the seconds until the last is done, and the requests of all."""
    started = time.perf_counter()
    done = await asyncio.gather(*ways)
    return time.perf_counter() - started, sum(requests for _, requests in done)


async def measure(rounds: int, folder: Path) -> tuple[dict[str, list[float]], list[float]]:
    """Microseconds per move of every path, one number per round; and those of opening and closing a match."""
    payload = (await record())[0]
    opening: list[float] = []
    async with AsyncExitStack() as stack:
        heartbeat = stack.enter_context(ThreadHeartbeat())
        for kind in (*SEATS, "sdk"):
            stack.enter_context(process(kind, folder / kind))

        async def started(*bots: RunningBot) -> Sequence[RunningBot]:
            for bot in bots:
                stack.push_async_callback(bot.close)
                await bot.start()
            return bots

        async def unconfined(*kinds: str) -> Sequence[RunningBot]:
            return await started(*(RemoteBot(Contestant(kind), unix_connect(folder / kind), 30.0) for kind in kinds))

        plain, real = await unconfined(*SEATS), await unconfined("sdk", "sdk")
        free = await started(*(sandboxed(seat, freezing=False) for seat in SEATS))
        frozen = await started(*(sandboxed(seat, freezing=True) for seat in SEATS))
        channel = await stack.enter_async_context(grpc.aio.insecure_channel(f"unix:{folder / SEATS[0]}"))
        connection = await BotConnection.open(unix_connect(folder / SEATS[0]), 10.0)
        stack.push_async_callback(connection.close)
        ways: dict[str, Way] = {
            FLOOR: lambda: bare(channel, payload),
            BYTES: lambda: bytes_alone(folder / SEATS[0], payload),
            LINK: lambda: linked(connection, payload),
            PATH: lambda: whole(plain, heartbeat, []),
            SANDBOXED: lambda: whole(free, heartbeat, opening),
            FROZEN: lambda: whole(frozen, heartbeat, []),
            FLOOR_OF_TWO: lambda: together(bare(channel, payload), bare(channel, payload)),
            TWO: lambda: together(whole(plain, heartbeat, []), whole(plain, heartbeat, [])),
            SDK: lambda: whole(real, heartbeat, []),
            "rules and codec of both sides alone": local,
        }
        if (CPP_BOT / "build" / "bot").exists():
            free_cpp = await started(*(cpp_bot(freezing=False) for _ in SEATS))
            frozen_cpp = await started(*(cpp_bot(freezing=True) for _ in SEATS))
            ways |= {
                CPP: lambda: whole(free_cpp, heartbeat, []),
                CPP_FROZEN: lambda: whole(frozen_cpp, heartbeat, []),
            }
        if has_kaggle():
            for name, kind in ((KAGGLE, "in-process"), (KAGGLE_HTTP, "http")):
                ask = stack.enter_context(program([PEERS_PYTHON, ROOT / "bench" / "peer_kaggle.py", kind]))
                ways[name] = partial(answered, ask)
        return await in_turns(ways, rounds), opening[WARM_UP:]


def has_kaggle() -> bool:
    """Whether the peers' environment has kaggle-environments."""
    command = [str(PEERS_PYTHON), "-c", "import kaggle_environments"]
    return has_peers() and not subprocess.run(command, capture_output=True, check=False).returncode  # noqa: S603


async def answered(ask: Measure) -> tuple[float, int]:
    """One measurement of a program, in microseconds per move, which takes a while."""
    return await asyncio.to_thread(ask) / 1e6, 1


async def in_turns(ways: dict[str, Way], rounds: int) -> dict[str, list[float]]:
    """Microseconds per move of all ways, each measured once in every round."""
    took: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(WARM_UP + rounds):
        for name, run in ways.items():
            seconds, moves = await run()
            if number >= WARM_UP:
                took[name].append(seconds / moves * 1e6)
    return took


def rows() -> Iterator[Row]:
    """Every path beside the bare stream."""
    with tempfile.TemporaryDirectory() as folder:
        took, _ = looptime.run(measure(ROWS_ROUNDS, Path(folder)))
    for name in took:
        if name not in (FLOOR, FLOOR_OF_TWO, KAGGLE, KAGGLE_HTTP):
            yield row(took, name, FLOOR_OF_TWO if name == TWO else FLOOR, AIMS.get(name))
    for name, peer in PEERS.items():
        if peer in took:
            yield row(took, name, peer, None)


def row(took: dict[str, list[float]], name: str, other: str, aim: float | None) -> Row:
    """One path beside another."""
    ours, theirs = took[name], took[other]
    what = f"path: {name}, beside {other}"
    return Row(what, statistics.median(ours), statistics.median(theirs), "µs", ratio(ours, theirs), aim)


def report(took: dict[str, list[float]], opening: list[float]) -> None:
    """Print the table."""
    table = Table("path", "µs per move (median)", "best", "ratio to bare (median of rounds)")
    for name, times in took.items():
        factor = ratio(times, took[FLOOR])
        table.add_row(name, f"{statistics.median(times):.0f}", f"{min(times):.0f}", f"{factor:.2f}")
    console = Console()
    console.print(table)
    console.print(f"To open and close a match in bubblewrap takes {statistics.median(opening) * 1e3:.1f} ms (median).")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        report(*looptime.run(measure(options.rounds, Path(folder))))


if __name__ == "__main__":
    main()
