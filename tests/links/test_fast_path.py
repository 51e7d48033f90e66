"""The frames that do not pass through h2 leave its books as they would be if they did."""

import asyncio
import struct

import h2.config
import h2.connection
import h2.events
import pytest

from arena.errors import BadMessage
from arena.links.fast_path import FastPath
from arena.links.frames import DATA, HEADER_BYTES, FrameHeader, pack_frame
from arena.links.http2 import WINDOW
from tests.links.hostile_server import WINDOW_UPDATE, frame, message
from tests.links.wire_kit import GREETING, HEAD, greeted, literal, wired

pytestmark = pytest.mark.real(reason="replies come over sockets, against deadlines")

HEADERS = [(":method", "POST"), (":scheme", "http"), (":path", "/x"), (":authority", "localhost")]


def client():
    """A connection with stream 1 open on it."""
    http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=True, header_encoding=None))
    http.initiate_connection()
    http.send_headers(1, HEADERS)
    http.data_to_send()
    return http


def head_of(data):
    return FrameHeader(data[3], data[4], int.from_bytes(data[5:9], "big"), len(data) - HEADER_BYTES)


def grant(amount, stream=0):
    return frame(WINDOW_UPDATE, struct.pack(">I", amount), stream=stream)


def test_bytes_and_windows_are_those_of_h2():
    with_h2, without = client(), client()
    fast = FastPath(without, WINDOW)
    fast.on_response(1, [])
    for size, window in ((10, grant(7)), (5000, grant(3, 1)), (1, grant(100_000, 1)), (16384, grant(100_000))):
        with_h2.send_data(1, bytes(size))
        fast.send(1, bytes(size))
        assert fast.data_to_send() == with_h2.data_to_send()
        with_h2.receive_data(window)
        assert fast.widen(head_of(window), window)
        assert without.local_flow_control_window(1) == with_h2.local_flow_control_window(1)
        assert without.outbound_flow_control_window == with_h2.outbound_flow_control_window


def test_what_h2_sends_keeps_its_place_among_our_frames():
    http = client()
    fast = FastPath(http, WINDOW)
    http.ping(b"12345678")
    fast.send(1, b"first")
    http.send_data(1, b"last", end_stream=True)
    ping, first, last = fast.data_to_send().partition(pack_frame(DATA, 1, b"first"))
    assert (ping[3], first, last[4] & 1) == (6, pack_frame(DATA, 1, b"first"), 1)
    assert fast.data_to_send() == b""


@pytest.mark.parametrize(
    "odd",
    [
        grant(0),
        grant(0, 1),
        grant(2**31 - 1),
        grant(2**31 - 1, 1),
        grant(1, 3),
        frame(WINDOW_UPDATE, bytes(3)),
        frame(DATA, b"end", flags=1, stream=1),
        frame(DATA, b"padded", flags=8, stream=1),
        frame(DATA, b"other", stream=3),
        frame(DATA, b"none", stream=0),
    ],
)
def test_whatever_is_unusual_is_left_to_h2(odd):
    http = client()
    fast = FastPath(http, WINDOW)
    fast.on_response(1, [])
    before = http.local_flow_control_window(1), http.outbound_flow_control_window
    assert fast.data(head_of(odd), odd) is None
    assert not fast.widen(head_of(odd), odd)
    assert (http.local_flow_control_window(1), http.outbound_flow_control_window) == before
    assert fast.data_to_send() == b""


def test_a_stream_that_is_over_is_left_to_h2():
    fast = FastPath(client(), WINDOW)
    data = frame(DATA, b"late", stream=1)
    assert fast.data(head_of(data), data) is None  # its headers have not come yet
    fast.on_response(1, [(b"content-type", b"application/grpc")])
    assert fast.data(head_of(data), data) == b"late"
    fast.close(1)
    assert fast.data(head_of(data), data) is None


async def test_a_length_that_was_announced_is_compared():
    headers = HEAD[HEADER_BYTES:] + literal(b"content-length", b"7")
    async with greeted(GREETING + frame(1, headers, flags=4, stream=1)) as wire:
        with pytest.raises(BadMessage):
            await wire.ask(frame(DATA, message(b"reply"), stream=1))


class Lenient:
    """Takes whatever comes on a stream, so that only the connection itself can refuse it."""

    def __init__(self):
        self.data, self.fault = b"", None

    def on_sent(self):
        pass

    def on_headers(self, headers):
        pass

    def on_data(self, data):
        self.data += data

    def on_end(self, fault):
        self.fault = fault


@pytest.mark.parametrize(
    ("status", "data", "fault"), [(b"\x08\x03103", b"", BadMessage), (b"\x88", b"early", type(None))]
)
async def test_data_is_taken_from_the_final_response_on(status, data, fault):
    async with wired() as wire:
        listener = Lenient()
        stream = wire.http.open([(name.encode(), value.encode()) for name, value in HEADERS], listener)
        response = frame(1, status, flags=4, stream=stream)
        await wire.greet(GREETING + response + frame(DATA, b"early", stream=stream))
        assert (listener.data, type(listener.fault)) == (data, fault)


async def test_a_bot_may_send_more_than_the_window_in_all():
    """An honest server that keeps to flow control, with replies that are larger together than the window."""

    async def answer(far, size):
        loop = asyncio.get_running_loop()
        http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        http.initiate_connection()
        waiting = bytearray()
        while True:
            while waiting and (room := min(http.local_flow_control_window(1), http.max_outbound_frame_size)) > 0:
                http.send_data(1, bytes(waiting[:room]))
                del waiting[:room]
            await loop.sock_sendall(far, http.data_to_send())
            for event in http.receive_data(await loop.sock_recv(far, 65536)):
                if isinstance(event, h2.events.RequestReceived):
                    http.send_headers(1, [(":status", "200"), ("content-type", "application/grpc")])
                elif isinstance(event, h2.events.DataReceived):
                    http.acknowledge_received_data(event.flow_controlled_length, 1)
                    waiting += message(bytes(size))

    async with wired() as wire:
        server = asyncio.create_task(answer(wire.far, WINDOW // 8))
        await wire.greet()
        for _ in range(12):
            assert len((await wire.link.call(b"more", 10.0)).reply) == WINDOW // 8
        server.cancel()
