"""A contestant's main program: `serve(MyBot, game="claim")` answers the referee until it is told to stop."""

import os
import queue
import signal
import sys
import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent import futures
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from arena import registry
from arena.codec import MAX_MESSAGE
from arena.errors import UsageError
from arena.game import AnyGame
from arena.sdk.bot import Bot, Session

BotFactory = Callable[[], Bot[Any, Any]]
"""A bot's class, or any function that makes a new bot for one match."""


THREADS = 32
"""Matches at the same time, and a few more for the health check; threads start only when they are needed."""
OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE),
    ("grpc.max_send_message_length", MAX_MESSAGE),
    ("grpc.so_reuseport", 0),  # a port that is taken must be an error
)


_collected: ContextVar[dict[str, BotFactory] | None] = ContextVar("_collected", default=None)


@contextmanager
def collect_bots() -> Iterator[Mapping[str, BotFactory]]:
    """Within this context `serve` does nothing but add its bots to the mapping: so a bot's program can be loaded."""
    served: dict[str, BotFactory] = {}
    token = _collected.set(served)
    try:
        yield served
    finally:
        _collected.reset(token)


def serve(bot: BotFactory | Mapping[str, BotFactory], game: str | None = None) -> None:
    """Play the matches that come in over ARENA_SOCKET (or `--port`, ARENA_PORT), until SIGTERM or Ctrl-C.

    Give one bot and its game, or a bot for each of several games: `serve({"claim": ClaimBot, "rrr": RrrBot})`.
    """
    if (collected := _collected.get()) is not None:
        collected.update(bots_by_game(bot, game))
        return
    stop: queue.SimpleQueue[int] = queue.SimpleQueue()  # its `put` may be called from a signal handler
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda got, _frame: stop.put(got))
    try:
        server = make_server(bots_by_game(bot, game), address(sys.argv[1:], os.environ))
    except UsageError as error:
        sys.stderr.write(f"{sys.argv[0]}: {error}\n")
        sys.exit(2)
    server.start()
    stop.get()
    server.stop(grace=0).wait()
    sys.stdout.flush()
    sys.stderr.flush()
    # A thread that is deep in thought cannot be stopped, and would keep a normal exit waiting.
    os._exit(0)


def bots_by_game(bot: BotFactory | Mapping[str, BotFactory], game: str | None) -> Mapping[str, BotFactory]:
    """The bot for each game, however it was given."""
    if isinstance(bot, Mapping):
        return bot
    if game is None:
        raise UsageError('say which game the bot plays: serve(MyBot, game="claim")')
    return {game: bot}


def address(arguments: list[str], environment: Mapping[str, str]) -> str:
    """Where to listen, in the words of gRPC: ARENA_SOCKET, else the port of `--port` or ARENA_PORT."""
    if path := environment.get("ARENA_SOCKET"):
        return f"unix:{path}"
    import argparse  # noqa: PLC0415  (a referee's bot starts without it)

    parser = argparse.ArgumentParser(allow_abbrev=False)
    parser.add_argument("--port", default=environment.get("ARENA_PORT"), help="listen on this port, for development")
    port = parser.parse_known_args(arguments)[0].port
    if port is None:
        raise UsageError("where shall the bot listen? Give --port 5000, or set ARENA_SOCKET as the referee does")
    return f"127.0.0.1:{port}"


def make_server(bots: Mapping[str, BotFactory], where: str) -> grpc.Server:
    """A server of these bots and of the standard health check, not started yet."""
    server = grpc.server(futures.ThreadPoolExecutor(THREADS), options=OPTIONS)
    for name, factory in bots.items():
        game = registry.find(name)
        service = f"{game.codec.wire.DESCRIPTOR.package}.{game.codec.prefix}BotService"
        play = grpc.stream_stream_rpc_method_handler(_player(game, factory))
        server.add_registered_method_handlers(service, {"Play": play})
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler(service, {"Play": play}),))
    checker = health.HealthServicer()
    checker.set("", health_pb2.HealthCheckResponse.SERVING)
    health_pb2_grpc.add_HealthServicer_to_server(checker, server)
    try:
        server.add_insecure_port(where)
    except RuntimeError as error:
        raise UsageError(f"cannot listen on {where}: {error}") from error
    return server


def _player(game: AnyGame, factory: BotFactory) -> Callable[[Iterator[bytes], grpc.ServicerContext], Iterator[bytes]]:
    def play(requests: Iterator[bytes], context: grpc.ServicerContext) -> Iterator[bytes]:
        """Answer one match with a bot of its own; its error is printed and ends the stream."""
        try:
            session = Session(game, factory())
            for request in requests:
                if (reply := session.handle(request)) is not None:
                    yield reply
        except grpc.RpcError:
            return  # the referee left
        except Exception as error:  # whatever a bot raises, its author wants to see it
            traceback.print_exc()
            context.abort(grpc.StatusCode.UNKNOWN, f"{type(error).__name__}: {error}"[:500])

    return play
