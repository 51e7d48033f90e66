"""The bots of bench/transport.py, run inside and outside of a sandbox; nothing else of bench can be seen there.

ARENA_SOCKET=/tmp/bot python transport_bots.py 0|1|sdk
"""

import asyncio
import os
import sys
import time
from collections.abc import AsyncIterator
from typing import Any

import grpc
from grpc_health.v1 import health_pb2

from arena import registry
from arena.clock import TimeControl
from arena.links.local import LocalLink
from arena.match import Contestant, MatchSpec, Turn
from arena.referee.player import STRICT, Answer, Player, ReplyPolicy
from arena.referee.referee import play
from arena.sdk import Bot, Session, serve

METHOD = "/arena.wire.v1.ClaimBotService/Play"
GAME = registry.find("claim")
CONTROL = TimeControl.parse("5s/move+10s")
SPEC = MatchSpec("bench", "claim", GAME.configure(2, {}), 7, (Contestant("a"), Contestant("b")), CONTROL)
SEATS = ("0", "1")

Payload = list[tuple[bytes, bytes]]


class First(Bot[Any, Any]):
    """Thinks about nothing."""

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """The first legal move."""
        return (turn.legal or ())[0]


class Recorder(LocalLink):
    """Keeps what was said."""

    said: Payload

    async def call(self, request: bytes, wait: float, reply_policy: ReplyPolicy = STRICT) -> Answer:
        """Ask, and keep both."""
        answer = await super().call(request, wait, reply_policy)
        self.said.append((request, answer.reply))
        return answer


async def record() -> list[Payload]:
    """Every request and reply of either seat in one match."""
    links = [Recorder(Session(GAME, First()).handle, time.perf_counter) for _ in SEATS]
    for link in links:
        link.said = []
    await play(GAME, [Player(GAME.codec, link, CONTROL) for link in links], SPEC)
    return [link.said for link in links]


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


def main() -> None:
    """Serve as the bot of a seat, which answers from a table, or as one on the SDK."""
    if sys.argv[1] == "sdk":
        serve(First, game="claim")
    else:
        asyncio.run(serve_table(os.environ["ARENA_SOCKET"], int(sys.argv[1])))


if __name__ == "__main__":
    main()
