"""The gRPC server of a contestant's program: every match is a stream, answered by a bot of its own."""

import traceback
from collections.abc import Callable, Iterator, Mapping
from concurrent import futures

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc

from arena import registry
from arena.codec import MAX_MESSAGE
from arena.errors import UsageError
from arena.game import AnyGame
from arena.sdk.bot import Session
from arena.sdk.serve import BotFactory

THREADS = 32
"""Matches at the same time, and a few more for the health check; threads start only when they are needed."""
OPTIONS = (
    ("grpc.max_receive_message_length", MAX_MESSAGE),
    ("grpc.max_send_message_length", MAX_MESSAGE),
    ("grpc.so_reuseport", 0),  # a port that is taken must be an error
)


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
        except (grpc.RpcError, GeneratorExit):
            return  # the referee left
        except BaseException as error:  # even sys.exit(), which in this thread would end nothing and say nothing
            traceback.print_exc()
            context.abort(grpc.StatusCode.UNKNOWN, f"{type(error).__name__}: {error}"[:500])

    return play
