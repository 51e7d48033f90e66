"""A link to a real gRPC server: what is asked, what comes back, and when."""

import asyncio
import itertools
import os
import time
from contextlib import asynccontextmanager
from types import SimpleNamespace

import grpc
import pytest
from grpc_health.v1 import health_pb2

from arena.errors import Disconnected, InfraError, StartFailed, TimedOut
from arena.links.connection import BotConnection, tcp_connect, unix_connect
from arena.referee import priority
from arena.referee.heartbeat import STEADY
from arena.referee.player import ReplyPolicy
from arena.untrusted.text import escaped
from tests.links.links_kit import connected

pytestmark = pytest.mark.real(reason="replies come over sockets, against deadlines")

CODEC = SimpleNamespace(wire=SimpleNamespace(DESCRIPTOR=SimpleNamespace(package="test")), prefix="Echo")
SERVING = health_pb2.HealthCheckResponse(status=health_pb2.HealthCheckResponse.SERVING)


class Handler(grpc.GenericRpcHandler):
    def __init__(self, play, health):
        self.play = play
        self.health = health

    def service(self, details):
        if details.method == "/test.EchoBotService/Play":
            return grpc.stream_stream_rpc_method_handler(self.play)
        if details.method == "/grpc.health.v1.Health/Check" and self.health:
            return grpc.unary_unary_rpc_method_handler(self.health)
        return None


SLEEPY = ReplyPolicy(lambda reply: reply.startswith(b"sleep"), STEADY)


async def serving(_request, _context):
    return SERVING.SerializeToString()


async def echo(requests, _context):
    async for request in requests:
        if request.startswith(b"sleep"):
            await asyncio.sleep(float(request[5:]))
        if not request.startswith(b"tell"):
            yield request


@asynccontextmanager
async def server(path, play=echo, health=serving, options=()):
    grpc_server = grpc.aio.server(handlers=[Handler(play, health)], options=options)
    port = grpc_server.add_insecure_port(str(path))
    await grpc_server.start()
    try:
        yield port
    finally:
        await grpc_server.stop(None)


@asynccontextmanager
async def echoing(tmp_path, **kinds):
    """A connection to a server that echoes, unless `play` does something else."""
    async with server(f"unix:{tmp_path}/s", **kinds), connected(tmp_path / "s") as connection:
        yield connection


async def test_only_while_a_reply_is_waited_for_the_thread_goes_before_all_others(tmp_path):
    with priority.raised():
        raised = os.sched_getscheduler(0)  # that of any thread where it is not allowed

    async def say_policy(requests, _context):  # on the same loop, and so in the thread of the link
        async for _ in requests:
            yield str(os.sched_getscheduler(0)).encode()

    async with echoing(tmp_path, play=say_policy) as connection:
        link = await connection.open_match(CODEC)
        assert int((await link.call(b"?", 10.0)).reply) == raised
        assert os.sched_getscheduler(0) == os.SCHED_OTHER


async def test_every_reply_comes_back_with_its_time(tmp_path):
    async with echoing(tmp_path) as connection:
        link = await connection.open_match(CODEC)
        for number in range(20):
            request = f"request {number}".encode()
            answer = await link.call(request, 5.0)
            assert answer.reply == request
            assert answer.wall > 0
            assert answer.transport > 0
        slow = await link.call(b"sleep 0.5", 5.0)
        assert 0.4 < slow.wall < 3.0
        await link.close()


@pytest.mark.parametrize("size", [0, 1, 16383, 16384, 65536, 1 << 20])
async def test_messages_of_any_size_up_to_a_mebibyte(tmp_path, size):
    async with echoing(tmp_path) as connection:
        link = await connection.open_match(CODEC)
        for _ in range(3):
            answer = await link.call(bytes(size), 10.0)
            assert answer.reply == bytes(size)
            assert answer.wall > 0
        await link.close()


async def test_a_request_that_is_too_long_is_our_own_fault(tmp_path):
    async with echoing(tmp_path) as connection:
        link = await connection.open_match(CODEC)
        with pytest.raises(InfraError):
            await link.call(bytes((1 << 20) + 1), 5.0)
        assert (await link.call(b"next", 5.0)).reply == b"next"
        await link.close()


async def test_a_late_reply_is_not_taken_for_the_next_one(tmp_path):
    async with echoing(tmp_path) as connection:
        link = await connection.open_match(CODEC)
        for number in range(6):  # more often than replies that nobody asked for are forgiven
            with pytest.raises(TimedOut):
                await link.call(b"sleep 0.2", 0.05)
            answer = await link.call(f"turn {number}".encode(), 5.0, SLEEPY)
            assert answer.reply == f"turn {number}".encode()
        await link.close()


async def test_what_has_no_reply_does_not_disturb(tmp_path):
    async with echoing(tmp_path) as connection:
        link = await connection.open_match(CODEC)
        await link.tell(b"tell 1")
        assert (await link.call(b"turn", 5.0)).reply == b"turn"
        await link.tell(b"tell 2")
        await link.close()
        await link.close()


async def test_match_after_match_and_many_at_once(tmp_path):
    async def one(connection, name):
        link = await connection.open_match(CODEC)
        for number in range(10):
            request = f"{name} {number}".encode()
            assert (await link.call(request, 10.0)).reply == request
        await link.close()

    async with echoing(tmp_path) as connection:
        for number in range(5):
            await one(connection, f"match {number}")
        async with asyncio.TaskGroup() as group:
            for number in range(10):
                group.create_task(one(connection, f"parallel {number}"))


async def test_a_bot_that_ends_its_stream_is_disconnected_and_may_play_the_next_match(tmp_path):
    async def leave(requests, context):
        async for request in requests:
            if request == b"leave":
                await context.abort(grpc.StatusCode.UNAVAILABLE, "\x1b[31mgone")
            yield request

    async with echoing(tmp_path, play=leave) as connection:
        link = await connection.open_match(CODEC)
        with pytest.raises(Disconnected) as caught:
            await link.call(b"leave", 5.0)
        assert str(caught.value).isprintable()
        for _ in range(2):
            with pytest.raises(Disconnected):
                await link.call(b"anyone?", 5.0)
        with pytest.raises(Disconnected):
            await link.tell(b"anyone?")
        await link.close()
        link = await connection.open_match(CODEC)
        assert (await link.call(b"stay", 5.0)).reply == b"stay"
        await link.close()


async def test_an_unknown_game_is_a_disconnect_that_says_why(tmp_path):
    async with echoing(tmp_path) as connection:
        codec = SimpleNamespace(wire=CODEC.wire, prefix="Other")
        link = await connection.open_match(codec)
        await asyncio.sleep(0.2)
        with pytest.raises(Disconnected, match="UNIMPLEMENTED"):
            await link.call(b"hello", 5.0)


async def test_readiness_is_awaited(tmp_path):
    asked = []

    async def soon(_request, _context):
        asked.append(1)
        status = (
            health_pb2.HealthCheckResponse.SERVING if len(asked) > 3 else health_pb2.HealthCheckResponse.NOT_SERVING
        )
        return health_pb2.HealthCheckResponse(status=status).SerializeToString()

    async with echoing(tmp_path, health=soon):
        assert len(asked) == 4


async def hanging(_request, _context):
    await asyncio.sleep(9)


async def garbled(_request, _context):
    return b"\xff\xff"


async def not_serving(_request, _context):
    return health_pb2.HealthCheckResponse(status=health_pb2.HealthCheckResponse.NOT_SERVING).SerializeToString()


async def failing(_request, context):
    if failing.seen:
        await asyncio.sleep(9)  # what it does later does not hide what it said
    failing.seen = True
    await context.abort(grpc.StatusCode.FAILED_PRECONDITION, "no weights.bin")


@pytest.mark.parametrize(
    ("health", "reason"),
    [
        (None, "grpc.health.v1.Health/Check of the empty service failed with UNIMPLEMENTED"),
        (hanging, "it does not answer the health check"),
        (not_serving, "its health check says NOT_SERVING"),
        (failing, "FAILED_PRECONDITION: no weights.bin"),
    ],
)
async def test_without_a_good_health_check_there_is_no_start(tmp_path, health, reason):
    failing.seen = False
    async with server(f"unix:{tmp_path}/s", health=health):
        with pytest.raises(StartFailed, match=r"was not ready within 0\.4 s: .*" + reason):
            await BotConnection.open(unix_connect(tmp_path / "s"), 0.4)


@pytest.mark.slow
async def test_a_bot_that_listens_no_more_is_told_what_it_said_before(tmp_path):
    asked_again = asyncio.Event()  # by then its first answer has been read
    asked = itertools.count(1)

    async def health(request, context):
        if next(asked) > 1:
            asked_again.set()
        return await not_serving(request, context)

    async with server(f"unix:{tmp_path}/s", health=health):
        opening = asyncio.create_task(BotConnection.open(unix_connect(tmp_path / "s"), 3.0))
        await asked_again.wait()
    with pytest.raises(StartFailed, match="its health check says NOT_SERVING"):
        await opening


async def test_what_can_become_no_better_is_told_at_once(tmp_path):
    async with server(f"unix:{tmp_path}/s", health=garbled):
        began = time.monotonic()
        with pytest.raises(StartFailed, match="failed its health check: the answer to the health check is garbled"):
            await BotConnection.open(unix_connect(tmp_path / "s"), 10.0)
        assert time.monotonic() - began < 5.0


async def test_a_bot_that_starts_late_is_found(tmp_path):
    opening = asyncio.create_task(BotConnection.open(unix_connect(tmp_path / "s"), 10.0))
    await asyncio.sleep(0.3)
    async with server(f"unix:{tmp_path}/s"):
        connection = await opening
        link = await connection.open_match(CODEC)
        assert (await link.call(b"hello", 5.0)).reply == b"hello"
        await link.close()
        await connection.close()


async def test_a_bot_on_a_port(tmp_path):
    async with server("127.0.0.1:0") as port:
        connection = await BotConnection.open(tcp_connect("127.0.0.1", port), 10.0)
        link = await connection.open_match(CODEC)
        assert (await link.call(b"hello", 5.0)).reply == b"hello"
        await link.close()
        await connection.close()


async def test_nothing_is_left_behind(tmp_path):
    async with server(f"unix:{tmp_path}/s"):
        descriptors = []
        for _ in range(5):
            async with connected(tmp_path / "s") as connection:
                link = await connection.open_match(CODEC)
                await link.call(b"hello", 5.0)
            with pytest.raises(Disconnected):
                await link.call(b"hello", 5.0)
            await asyncio.sleep(0.1)
            descriptors.append(len(os.listdir("/proc/self/fd")))
        assert descriptors[-1] <= descriptors[1]


@pytest.mark.parametrize("text", ["\x1b[2J", "\u202eabc", "a\r\nb", "\0", "🎉", "x" * 1000])
def test_text_of_a_bot_is_made_harmless(text):
    assert escaped(text).isprintable()
    assert escaped(text).isascii()
    assert len(escaped(text)) <= 800


async def test_a_cancelled_call_leaves_no_reply_behind(tmp_path):
    async with echoing(tmp_path) as connection:
        link = await connection.open_match(CODEC)
        call = asyncio.create_task(link.call(b"sleep 0.2", 5.0))
        await asyncio.sleep(0.05)
        call.cancel()
        with pytest.raises(asyncio.CancelledError):
            await call
        with pytest.raises(Disconnected):
            await link.call(b"next", 5.0)
        link = await connection.open_match(CODEC)
        assert (await link.call(b"next", 5.0)).reply == b"next"
        await link.close()


AGES = {
    "idle": [("grpc.max_connection_idle_ms", 100)],
    "old": [("grpc.max_connection_age_ms", 300), ("grpc.max_connection_age_grace_ms", 10_000)],
}


@pytest.mark.slow
@pytest.mark.parametrize("options", AGES.values(), ids=AGES)
async def test_a_server_may_close_old_and_idle_connections(tmp_path, options):
    """The match lasts longer than its connection may, and there is a pause before the next one."""
    async with echoing(tmp_path, options=options) as connection:
        for turns in (b"start", b"1", b"2", b"3"), (b"start", b"1"):
            link = await connection.open_match(CODEC)
            for turn in turns:
                assert (await link.call(turn, 5.0)).reply == turn
                await asyncio.sleep(0.4 if turn == b"2" else 0.0)
            await link.close()
            await asyncio.sleep(0.5)
