"""What a move costs on the way to a bot and back, as a ratio to a bare grpc.aio stream with the same payload.

    python -m bench.transport [--rounds 40]

All paths are measured in turns in one run, because the machine's noise is larger than the differences. Unless a row
says otherwise, the bots answer from a table, as the peer of the bare stream does: what is measured is the path alone.
"""

import argparse
import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import grpc
from grpc_health.v1 import health_pb2
from rich.console import Console
from rich.table import Table

from arena import registry
from arena.bots.making import python_paths
from arena.bots.running import RemoteBot, RunningBot, SandboxedBot
from arena.clock import TimeControl
from arena.errors import Disconnected
from arena.links.connection import BotConnection, unix_connect
from arena.links.local import LocalLink
from arena.match import Contestant, Ending, MatchSpec, Turn
from arena.play import looptime
from arena.play.heartbeat import STEADY, Heartbeat, ThreadHeartbeat
from arena.play.player import STRICT, Answer, Leniency, Link, Player
from arena.play.referee import play
from arena.sandboxes import BotDirectory, BubblewrapSandbox, Limits
from arena.sdk import Bot, Session, serve

METHOD = "/arena.wire.v1.ClaimBotService/Play"
GAME = registry.find("claim")
CONTROL = TimeControl.parse("5s/move+10s")
SPEC = MatchSpec("bench", "claim", GAME.configure(2, {}), 7, (Contestant("a"), Contestant("b")), CONTROL)
SEATS = ("0", "1")
WARM_UP = 3
FLOOR = "bare grpc.aio stream"

Payload = list[tuple[bytes, bytes]]
Way = Callable[[], Awaitable[tuple[float, int]]]
"""Carries one match's messages, and says how many seconds that took and how many requests it were."""


class First(Bot[Any, Any]):
    """Thinks about nothing."""

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """The first legal move."""
        return (turn.legal or ())[0]


class Recorder(LocalLink):
    """Keeps what was said."""

    said: Payload

    async def call(self, request: bytes, wait: float, leniency: Leniency = STRICT) -> Answer:
        """Ask, and keep both."""
        answer = await super().call(request, wait, leniency)
        self.said.append((request, answer.reply))
        return answer


async def record() -> list[Payload]:
    """Every request and reply of either seat in one match."""
    links = [Recorder(Session(GAME, First()).handle, time.perf_counter) for _ in SEATS]
    for link in links:
        link.said = []
    await play(GAME, [Player(GAME.codec, link, CONTROL) for link in links], SPEC)
    return [link.said for link in links]


# -- the other side: a process that answers from a table, and a process with a real bot -------------------


def table_handler(replies: list[bytes]) -> grpc.GenericRpcHandler:
    """Answers the requests of each stream with these replies."""

    async def answer(requests: AsyncIterator[bytes], _context: Any) -> AsyncIterator[bytes]:
        left = iter(replies)
        async for _ in requests:
            if (reply := next(left, None)) is not None:  # the end of the match wants no answer
                yield reply

    async def check(_request: bytes, _context: Any) -> bytes:
        return bytes(health_pb2.HealthCheckResponse(status=health_pb2.HealthCheckResponse.SERVING).SerializeToString())

    class Handler(grpc.GenericRpcHandler):  # type: ignore[misc]  # grpc has no types
        def service(self, details: Any) -> Any:
            if details.method == METHOD:
                return grpc.stream_stream_rpc_method_handler(answer)
            return grpc.unary_unary_rpc_method_handler(check)

    return Handler()


async def serve_table(path: str, seat: int) -> None:
    """A bot of grpc.aio and nothing else."""
    server = grpc.aio.server(handlers=[table_handler([reply for _, reply in (await record())[seat]])])
    server.add_insecure_port(f"unix:{path}")
    await server.start()
    await server.wait_for_termination()


def command(kind: str) -> list[str]:
    """This very file as a server of this kind; with -P, for the folder's other files have names of packages."""
    return [sys.executable, "-P", Path(__file__).name, "--serve", kind]


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
    if any(verdict.ending is not Ending.NORMAL for verdict in result.verdicts):
        raise Disconnected(str(result.verdicts))
    return len(result.played) + len(links)


def sandboxed(seat: str, *, freezing: bool) -> SandboxedBot:
    """A bot that answers from its table, in its sandbox."""
    program = BotDirectory(Path(__file__).parent, tuple(command(seat)), tuple(python_paths()))
    return SandboxedBot(
        Contestant(seat), BubblewrapSandbox(program, Limits(start_s=30.0)), start_s=30.0, ponder=not freezing
    )


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
            "our link": lambda: linked(connection, payload),
            "referee, clock, codec, link": lambda: whole(plain, heartbeat, []),
            "the same, in bubblewrap": lambda: whole(free, heartbeat, opening),
            "the same, and frozen between turns": lambda: whole(frozen, heartbeat, []),
            "unconfined, with a bot on the SDK": lambda: whole(real, heartbeat, []),
            "rules and codec of both sides alone": local,
        }
        return await in_turns(ways, rounds), opening[WARM_UP:]


async def in_turns(ways: dict[str, Way], rounds: int) -> dict[str, list[float]]:
    """Microseconds per move of all ways, each measured once in every round."""
    took: dict[str, list[float]] = {name: [] for name in ways}
    for number in range(WARM_UP + rounds):
        for name, run in ways.items():
            seconds, moves = await run()
            if number >= WARM_UP:
                took[name].append(seconds / moves * 1e6)
    return took


def report(took: dict[str, list[float]], opening: list[float]) -> None:
    """Print the table."""
    table = Table("path", "µs per move (median)", "best", "ratio to bare (median of rounds)")
    for name, times in took.items():
        ratio = statistics.median(each / low for each, low in zip(times, took[FLOOR]))
        table.add_row(name, f"{statistics.median(times):.0f}", f"{min(times):.0f}", f"{ratio:.2f}")
    console = Console()
    console.print(table)
    console.print(f"To open and close a match in bubblewrap takes {statistics.median(opening) * 1e3:.1f} ms (median).")


def main() -> None:
    """Measure and print, or be one of the servers."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--serve", choices=(*SEATS, "sdk"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve == "sdk":
        serve(First, game="claim")
    elif options.serve:
        asyncio.run(serve_table(os.environ["ARENA_SOCKET"], int(options.serve)))
    else:
        with tempfile.TemporaryDirectory() as folder:
            report(*looptime.run(measure(options.rounds, Path(folder))))


if __name__ == "__main__":
    main()
