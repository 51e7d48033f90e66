"""A connection that a server closes in good order, because it is idle or old, costs nobody a match."""

import asyncio
import time
from contextlib import asynccontextmanager
from types import SimpleNamespace

import h2.config
import h2.connection
import h2.events
import h2.settings
import pytest

from arena.errors import Abuse, BadMessage, Disconnected, TimedOut
from arena.links import connection as connection_module
from arena.links.connection import BotConnection, unix_connect
from tests.links.hostile_server import GOAWAY, PING, frame, message

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="replies come over sockets, against deadlines")]

CODEC = SimpleNamespace(wire=SimpleNamespace(DESCRIPTOR=SimpleNamespace(package="test")), prefix="Echo")
PLAY = b"/test.EchoBotService/Play"
LEAVING = frame(GOAWAY, bytes.fromhex("7fffffff00000000"))


class Server:
    """Echoes every message; `on_request(connection, stream)` and `on_message(connection, text)` may do more.

    `settings` are those of every connection but the first.
    """

    def __init__(self, path):
        self.path = path
        self.connections, self.heard = 0, []
        self.idle_s, self.silent, self.settings, self.greeting = None, False, None, b""
        self.on_request = self.on_message = lambda *_: None

    async def serve(self, reader, writer):
        self.connections += 1
        if self.silent:
            await reader.read()
            writer.close()
            return
        await Connection(self, reader, writer).run()


class Connection:
    def __init__(self, server, reader, writer):
        self.server, self.reader, self.writer = server, reader, writer
        self.number = server.connections
        self.http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
        if self.number > 1:
            self.http.local_settings = h2.settings.Settings(client=False, initial_values=server.settings)
        self.paths = {}
        self.timer = None

    async def run(self):
        if self.server.greeting:
            self.writer.write(self.server.greeting)
        self.http.initiate_connection()
        self.watch_idleness()
        while not self.writer.is_closing():
            self.writer.write(self.http.data_to_send())
            if not (data := await self.reader.read(65536)):
                break
            for event in self.http.receive_data(data):
                self.on(event)
        self.writer.close()

    def on(self, event):
        if isinstance(event, h2.events.RequestReceived):
            if self.timer:
                self.timer.cancel()
            self.paths[event.stream_id] = dict(event.headers)[b":path"]
            if self.paths[event.stream_id] == PLAY:
                self.server.on_request(self, event.stream_id)
            self.http.send_headers(event.stream_id, [(":status", "200"), ("content-type", "application/grpc")])
        elif isinstance(event, h2.events.DataReceived) and len(event.data) >= 5:
            self.http.acknowledge_received_data(event.flow_controlled_length, event.stream_id)
            text = event.data[5:]
            if self.paths[event.stream_id] == PLAY:
                self.server.heard.append((self.number, text))
                self.server.on_message(self, text)
            self.http.send_data(event.stream_id, message(text or b"\x08\x01"))
        elif isinstance(event, h2.events.StreamEnded):
            self.http.send_headers(event.stream_id, [("grpc-status", "0")], end_stream=True)
            self.watch_idleness()

    def watch_idleness(self):
        if self.server.idle_s:
            self.timer = asyncio.get_running_loop().call_later(self.server.idle_s, self.close)

    def close(self):
        self.writer.close()


@asynccontextmanager
async def served(path, **behaviour):
    server = Server(f"{path}/s")
    vars(server).update(behaviour)
    listening = await asyncio.start_unix_server(server.serve, server.path)
    connection = await BotConnection.open(unix_connect(server.path), 10.0)
    server.listening = listening
    try:
        yield server, connection
    finally:
        await connection.close()
        listening.close()
        await asyncio.sleep(0.05)


async def play(connection, *texts):
    """A match of these requests."""
    link = await connection.open_match(CODEC)
    for text in texts:
        assert (await link.call(text, 2.0)).reply == text
    await link.close()


@pytest.mark.parametrize("pause", [0.0, 0.02, 0.3])
async def test_a_server_may_close_an_idle_connection(tmp_path, pause):
    """Also at the very moment at which the next match begins."""
    async with served(tmp_path, idle_s=pause or 0.02) as (server, connection):
        for _ in range(5):
            await asyncio.sleep(pause)
            await play(connection, b"start", b"turn")
        assert server.connections <= 6
        if pause == 0.3:
            assert server.connections == 6
        assert [text for _, text in server.heard].count(b"turn") == 5


def close_first(connection, _):
    if connection.number == 1:
        connection.close()


async def test_a_connection_that_is_closed_when_a_match_begins_is_replaced(tmp_path):
    async with served(tmp_path, on_request=close_first) as (server, connection):
        await play(connection, b"start", b"turn")
        assert server.heard[-2:] == [(2, b"start"), (2, b"turn")]


async def test_a_connection_that_is_closed_before_the_first_move_is_replaced(tmp_path):
    async with served(tmp_path) as (server, connection):
        link = await connection.open_match(CODEC)
        opened = []
        server.on_message = lambda *of: opened.append(of[0])
        await link.call(b"start", 2.0)
        opened[0].close()
        await asyncio.sleep(0.1)
        assert (await link.call(b"turn", 2.0)).reply == b"turn"
        assert server.heard == [(1, b"start"), (2, b"start"), (2, b"turn")]
        opened[1].close()
        await asyncio.sleep(0.1)
        with pytest.raises(Disconnected):
            await link.call(b"turn 2", 2.0)
        assert server.connections == 2


async def test_a_bot_that_has_seen_its_first_turn_is_not_asked_again(tmp_path):
    def close_at_turn(connection, text):
        if text == b"turn":
            connection.close()

    async with served(tmp_path, on_message=close_at_turn) as (server, connection):
        link = await connection.open_match(CODEC)
        await link.call(b"start", 2.0)
        with pytest.raises(Disconnected):
            await link.call(b"turn", 2.0)
        assert server.connections == 1


async def test_a_bot_whose_first_turn_was_given_up_is_not_told_of_the_match_again(tmp_path):
    """It has seen the turn, and would have all the time of a start to think about it."""
    async with served(tmp_path) as (server, connection):
        link = await connection.open_match(CODEC)
        opened = []
        server.on_message = lambda *of: opened.append(of[0])
        await link.call(b"start", 2.0)
        opened[0].http.send_data = lambda *_: None  # it is silent
        with pytest.raises(TimedOut):
            await link.call(b"turn", 0.05)
        opened[0].close()
        await asyncio.sleep(0.05)
        with pytest.raises(Disconnected):
            await link.call(b"turn 2", 2.0)
        assert server.connections == 1


async def test_a_match_connects_again_only_once(tmp_path):
    async with served(tmp_path, on_request=lambda connection, _: connection.close()) as (server, connection):
        for match in range(1, 4):
            link = await connection.open_match(CODEC)
            with pytest.raises(Disconnected, match="closed the connection"):
                await link.call(b"start", 2.0)
            await link.close()
            assert server.connections == match + 1


async def test_a_new_connection_without_a_stream_is_a_fault_of_the_bot(tmp_path):
    """As any other that it causes: whatever else came out of the call would void the match."""
    none = {h2.settings.SettingCodes.MAX_CONCURRENT_STREAMS: 0}
    async with served(tmp_path, on_request=close_first, settings=none) as (server, connection):
        link = await connection.open_match(CODEC)
        with pytest.raises(Disconnected, match="does not accept another stream"):
            await link.call(b"start", 2.0)
        assert server.connections == 2


@pytest.mark.parametrize(
    ("greeting", "fault"),
    [(b"220 mail.example.org ESMTP\r\n", BadMessage), (frame(PING, bytes(8)) * 1000, Abuse)],
)
async def test_what_is_wrong_with_a_new_connection_is_said(tmp_path, greeting, fault):
    async with served(tmp_path, on_request=close_first) as (server, connection):
        server.greeting = greeting
        link = await connection.open_match(CODEC)
        with pytest.raises(fault):
            await link.call(b"start", 2.0)


async def test_to_connect_again_gives_no_new_budgets(tmp_path):
    async with served(tmp_path, on_request=close_first) as (_, connection):
        first = connection._http._guard
        await play(connection, b"start")
        assert connection._http._guard is not first
        assert connection._http._guard._frames is first._frames
        assert connection._http._guard._work is first._work
        assert connection._http._guard._bytes is first._bytes


async def test_a_bot_that_is_gone_is_not_waited_for(tmp_path):
    async with served(tmp_path, idle_s=0.02) as (server, connection):
        server.listening.close()
        await asyncio.sleep(0.1)
        link = await connection.open_match(CODEC)
        began = time.monotonic()
        with pytest.raises(Disconnected, match="refuses a new one"):
            await link.call(b"start", 5.0)
        assert time.monotonic() - began < 1.0


async def test_a_bot_that_is_silent_on_its_new_connection_is_not_waited_for_any_longer(tmp_path):
    async with served(tmp_path, idle_s=0.02) as (server, connection):
        server.silent = True
        await asyncio.sleep(0.1)
        link = await connection.open_match(CODEC)
        began = time.monotonic()
        with pytest.raises(Disconnected, match="did not answer on a new one"):
            await link.call(b"start", 0.3)
        assert 0.25 < time.monotonic() - began < 1.0


async def test_a_bot_that_is_silent_at_its_second_start_is_not_late_with_a_move(tmp_path):
    """A late move could be forgiven, and the answer to the start would be taken for the next one."""

    def be_silent(connection, _):
        if connection.number == 2:
            connection.http.send_data = lambda *_: None

    async with served(tmp_path) as (server, connection):
        link = await connection.open_match(CODEC)
        opened = []
        server.on_message = lambda *of: opened.append(of[0])
        await link.call(b"start", 0.2)
        server.on_message = be_silent
        opened[0].close()
        await asyncio.sleep(0.05)
        with pytest.raises(Disconnected, match="did not answer the start of the match on a new one"):
            await link.call(b"turn", 2.0)


async def test_to_connect_again_takes_longer_when_our_own_machine_stands_still(tmp_path):
    async with served(tmp_path, idle_s=0.02) as (_, connection):
        await asyncio.sleep(0.1)
        link = await connection.open_match(CODEC)
        asyncio.get_running_loop().call_soon(time.sleep, 0.4)
        assert (await link.call(b"start", 0.3)).reply == b"start"
        await link.close()


async def test_a_stream_is_waited_for_longer_when_our_own_machine_stands_still(tmp_path, monkeypatch):
    monkeypatch.setattr(connection_module, "OPEN_WAIT", 0.1)
    async with served(tmp_path) as (_, connection):
        allowed = []
        monkeypatch.setattr(connection._http, "can_open_stream", lambda: bool(allowed))
        asyncio.get_running_loop().call_soon(time.sleep, 0.3)
        asyncio.get_running_loop().call_later(0.33, allowed.append, 1)
        await connection.open_match(CODEC)


async def test_an_old_connection_is_left_after_its_matches(tmp_path):
    """As gRPC servers do it by a maximal age: they announce the end, and close when the streams have ended."""

    def leave(connection, text):
        if text == b"leave" and connection.number == 1:
            connection.writer.write(connection.http.data_to_send() + LEAVING)

    async with served(tmp_path, on_message=leave) as (server, connection):
        one, two = [await connection.open_match(CODEC) for _ in range(2)]
        for link in (one, two):
            await link.call(b"start", 2.0)
        await one.call(b"leave", 2.0)
        three = await connection.open_match(CODEC)
        await three.call(b"start 3", 2.0)
        for link in (one, two, three):
            assert (await link.call(b"turn", 2.0)).reply == b"turn"
        for link in (one, two, three):
            await link.close()
        await play(connection, b"start 4", b"turn 4")
        assert server.connections == 2
        assert [number for number, text in server.heard if text in (b"turn", b"start 3", b"turn 4")] == [
            2, 1, 1, 2, 2,
        ]  # fmt: skip
