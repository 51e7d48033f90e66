"""Single conversations with a bot, byte by byte: what is read when, whose time it is, and what never may come out."""

import asyncio
import struct
import threading
import time
from contextlib import suppress

import h2.config
import h2.connection
import h2.events
import h2.settings
import pytest

from arena.errors import Abuse, BadMessage, BotFault, Disconnected, TimedOut
from arena.links import http2
from arena.referee import looptime
from arena.referee.heartbeat import STEADY
from arena.referee.player import ReplyPolicy
from tests.links.hostile_server import (
    CONTINUATION,
    DATA,
    GOAWAY,
    HEADERS,
    PING,
    PUSH_PROMISE,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    frame,
    message,
)
from tests.links.wire_kit import END_HEADERS, END_STREAM, GREETING, HEAD, TRAILERS, greeted, literal, reply, wired

pytestmark = pytest.mark.real(reason="replies come over sockets, against deadlines")

JUNK, LAST = frame(0xEE, bytes(1000)), frame(0xEF)
SETTING = struct.Struct(">HI").pack


def grant(amount, stream=0):
    return frame(WINDOW_UPDATE, struct.pack(">I", amount), stream=stream)


# -- a bot's bytes are worked on when somebody waits for it -----------------------------------------------


async def test_what_follows_a_reply_waits_for_the_next_turn():
    async with greeted() as wire:
        await wire.ask(reply() + JUNK * 5, JUNK * 50)
        worked = wire.http.cpu_seconds
        await asyncio.sleep(0.1)
        assert wire.http.cpu_seconds == worked
        await wire.ask(reply())
        assert wire.http.cpu_seconds > worked


async def test_a_reply_that_nobody_asked_for_is_counted_at_the_next_turn():
    async with greeted() as wire:
        for _ in range(3):
            assert (await wire.ask(reply(b"asked"), reply(b"surplus"))).reply == b"asked"
        assert (await wire.ask(reply(b"asked") + reply(b"surplus"))).reply == b"asked"
        with pytest.raises(BadMessage, match="nobody asked"):
            await wire.link.call(b"", 5.0)


@pytest.mark.parametrize("ending", [b"", frame(GOAWAY, bytes(8)), frame(RST_STREAM, bytes(4), stream=1)])
async def test_an_end_that_nobody_waited_for_is_found_at_the_next_turn(ending):
    async with greeted() as wire:
        await wire.ask(reply() + ending)
        if not ending:
            await wire.say(JUNK)
            wire.far.close()
        with pytest.raises(Disconnected):
            await wire.link.call(b"", 5.0)


PINGED = frame(PING, b"12345678")
PONG = frame(PING, b"12345678", flags=1)


@pytest.mark.slow
@pytest.mark.parametrize("before", [b"", grant(100), frame(0xEE, bytes(500)), reply(b"surplus") + frame(SETTINGS)])
async def test_pings_are_answered_while_nobody_waits(before):
    """Soon, whatever stands before them, and all else is left for the next turn."""
    async with greeted() as wire:
        await wire.ask(reply())
        wire.far.recv(65536)
        for unasked in (before + PINGED, PINGED):  # again, though the rest of what came is still held
            await wire.say(unasked)
            await asyncio.sleep(2.2 * http2.IDLE_LOOK_S)
            assert wire.far.recv(65536) == PONG
        assert (await wire.ask(reply(b"next"))).reply == b"next"
        assert PONG not in wire.far.recv(65536)


async def test_a_ping_behind_a_reply_is_answered_while_nobody_waits(monkeypatch):
    """It came in one piece with the reply, and nothing comes after it."""
    monkeypatch.setattr(http2, "IDLE_LOOK_S", 0.05)
    async with greeted() as wire:
        await wire.ask(reply() + grant(1) + PINGED)
        wire.far.recv(65536)
        await asyncio.sleep(0.15)
        assert wire.far.recv(65536) == PONG


async def test_a_ping_is_not_looked_at_while_others_may_be_asked_at_a_quick_pace():
    async with greeted() as wire:
        for _ in range(10):
            await wire.ask(reply() + PINGED)
            worked = wire.http.cpu_seconds
            await asyncio.sleep(0.1)  # the opponent's turn
            assert wire.http.cpu_seconds == worked


async def test_a_bot_that_nobody_waits_for_is_looked_at_only_a_little(monkeypatch):
    monkeypatch.setattr(http2, "IDLE_LOOK_S", 0.02)
    async with greeted() as wire:
        await wire.ask(reply())
        with suppress(BlockingIOError):
            while True:
                wire.far.send(frame(0xEE) * 1000)
        await asyncio.sleep(0.2)
        assert not wire.http.over
        assert len(wire.http._frames) < 4096


async def test_much_that_came_behind_a_reply_is_not_looked_through(monkeypatch):
    """It would keep the referee busy for some milliseconds of the opponent's turn."""
    monkeypatch.setattr(http2, "IDLE_LOOK_S", 0.02)
    async with greeted() as wire:
        await wire.ask(reply() + frame(0xEE) * 6000 + PINGED)
        await wire.say(PINGED)
        await asyncio.sleep(0.1)
        assert PONG not in wire.far.recv(65536)
        assert len(wire.http._frames) > 6000 * len(frame(0xEE))


async def test_pings_without_end_are_a_flood_even_if_nobody_waits(monkeypatch):
    monkeypatch.setattr(http2, "IDLE_LOOK_S", 0.01)
    async with greeted() as wire:
        ended = time.monotonic() + 5
        while not wire.http.over and time.monotonic() < ended:
            await wire.say(PINGED * 20)
            await asyncio.sleep(0.01)
        assert isinstance(wire.http.fault, Abuse)
        assert wire.http.cpu_seconds < 0.1


async def test_a_bot_that_closes_its_connection_while_nobody_waits_is_gone_at_once():
    async with greeted() as wire:
        await wire.say(PINGED)
        wire.far.close()
        await asyncio.sleep(2.2 * http2.IDLE_LOOK_S)
        assert wire.http.over


# -- what HTTP/2 allows --------------------------------------------------------------------------------


def in_pieces(block, *, last=0, size=7):
    """A block of headers, a few bytes in every frame."""
    pieces = [block[at : at + size] for at in range(0, len(block), size)]
    kinds = [HEADERS] + [CONTINUATION] * (len(pieces) - 1)
    ends = [last] + [0] * (len(pieces) - 2) + [END_HEADERS]
    return b"".join(frame(*of, flags=flags, stream=1) for *of, flags in zip(kinds, pieces, ends, strict=True))


async def test_headers_may_come_in_pieces():
    async with greeted(GREETING + in_pieces(HEAD[9:] + literal(b"x-trace", b"1" * 60))) as wire:
        assert (await wire.ask(reply(), in_pieces(TRAILERS[9:], last=END_STREAM, size=3))).reply == b"reply"
        with pytest.raises(Disconnected, match=r"ended the stream before the match was over \(OK"):
            await wire.link.call(b"", 5.0)


def goaway(last, code=0):
    return frame(GOAWAY, struct.pack(">II", last, code))


@pytest.mark.parametrize("announced", [goaway(1), goaway(2**31 - 1) + goaway(1) + frame(PING, bytes(8))])
async def test_a_match_goes_on_when_its_connection_is_to_be_closed(announced):
    async with greeted() as wire:
        for segment in (announced + reply(b"1"), reply(b"2") + announced, grant(1) + reply(b"3")):
            assert message((await wire.ask(segment)).reply) in segment
        assert wire.http.is_ended()
        assert not wire.http.over
        later = asyncio.create_task(wire.answer_soon(TRAILERS))
        await wire.link.close()
        await later


@pytest.mark.parametrize("announced", [goaway(0), goaway(1, code=0xB), goaway(2**31 - 1, code=2)])
async def test_a_connection_that_is_closed_in_anger_ends_the_match(announced):
    async with greeted() as wire:
        with pytest.raises(Disconnected, match="closed the connection"):
            await wire.ask(announced)


# -- whose time it is ----------------------------------------------------------------------------------


def answer_in_a_thread(far, seconds):
    """A bot that thinks for a while, beside a referee that may be busy."""

    def think():
        time.sleep(seconds)
        far.send(reply())

    thread = threading.Thread(target=think)
    thread.start()
    return thread


def answer_at_once(wire):
    """A bot that has answered as soon as a request is written."""
    transport = wire.http._transport
    write = transport.write

    def write_and_answer(data):
        write(data)
        wire.far.send(reply())

    transport.write = write_and_answer


async def test_quick_replies_need_no_turn_of_the_loop_which_still_gets_its_turns():
    async with greeted() as wire:
        answer_at_once(wire)
        turns, ended = [], time.monotonic() + 0.2
        await asyncio.sleep(0)
        asyncio.get_running_loop().call_soon(turns.append, 1)
        assert (await wire.link.call(b"", 5.0)).reply == b"reply"
        assert not turns
        while time.monotonic() < ended:
            assert (await wire.link.call(b"", 5.0)).reply == b"reply"
        assert turns


async def test_two_calls_at_once_need_the_loop_and_leave_no_trace():
    async with greeted() as wire, greeted() as other:
        for each in (wire, other):
            answer_at_once(each)
        selector = looptime.current()
        seen = []
        wait_for = selector.wait_for
        selector.wait_for = lambda file: seen.append(len(selector.callers)) or wait_for(file)
        await asyncio.gather(wire.link.call(b"", 5.0), other.link.call(b"", 5.0))
        assert max(seen) == 1  # the first was answered before the second was asked
        other.http._transport.write = lambda _: None  # it is not asked, and does not answer
        late = asyncio.create_task(other.link.call(b"", 0.3))
        await asyncio.sleep(0.05)
        assert (await wire.link.call(b"", 5.0)).reply == b"reply"
        assert max(seen) == 2
        with pytest.raises(TimedOut):
            await late
        assert not selector.callers


async def test_a_bot_that_hangs_up_while_it_is_waited_for_is_disconnected():
    async with greeted() as wire:
        write = wire.http._transport.write
        wire.http._transport.write = lambda data: (write(data), wire.far.close())
        with pytest.raises(Disconnected):
            await wire.link.call(b"", 5.0)


@pytest.mark.slow
async def test_our_own_work_is_never_charged():
    async with greeted() as wire:
        thread = answer_in_a_thread(wire.far, 0.5)
        asyncio.get_running_loop().call_later(0.02, time.sleep, 1.5)
        answer = await wire.link.call(b"", 5.0)
        thread.join()
        assert answer.wall < 0.5
        assert answer.transport > 0.9


async def test_time_spent_on_a_bots_own_bytes_is_its_own():
    """It keeps the referee busy and answers meanwhile: what cannot be seen to have come later came later."""

    def work():
        began = time.thread_time()
        while time.thread_time() - began < 0.01:
            pass

    async with greeted() as wire:
        on_frame = wire.http._on_frame

        def slowly(head, data):
            if data == JUNK:
                work()
            elif data == LAST:
                wire.far.send(reply())
            on_frame(head, data)

        wire.http._on_frame = slowly
        asyncio.get_running_loop().call_later(0.01, wire.far.send, JUNK * 8 + LAST)
        answer = await wire.link.call(b"", 5.0)
        assert answer.wall > 0.04


class Lagging:
    """A machine that stood still for so long since the beginning."""

    def __init__(self, seconds):
        self.seconds = seconds

    def lag(self, since, until):
        return self.seconds


def never_late(_reply):
    return False


async def test_a_lag_prolongs_the_wait_and_then_it_is_over():
    async with greeted() as wire:
        began = time.monotonic()
        with pytest.raises(TimedOut):
            await wire.link.call(b"", 0.1, ReplyPolicy(never_late, Lagging(0.3)))
        assert 0.4 <= time.monotonic() - began < 5.0


async def test_a_reply_in_the_prolonged_time_counts_and_says_how_much_was_lag():
    async with greeted() as wire:
        answer = await wire.ask(reply(), after=0.2, wait=0.1, policy=ReplyPolicy(never_late, Lagging(5.0)))
        assert answer.reply == b"reply"
        assert answer.lag == pytest.approx(5.0, abs=0.1)


async def test_nobody_gains_time_by_making_the_referee_work():
    class Busy:
        def __init__(self, http):
            self.http = http
            self.before = http.cpu_seconds

        def lag(self, since, until):
            return self.http.cpu_seconds - self.before  # all that the machine did was to read this bot's bytes

    async with greeted() as wire:
        answer = await wire.ask(JUNK * 50, JUNK * 50, reply(), policy=ReplyPolicy(never_late, Busy(wire.http)))
        assert wire.http.cpu_seconds > 0
        assert answer.lag == 0.0


# -- pairing -------------------------------------------------------------------------------------------


async def test_a_late_reply_is_dropped_whenever_it_comes():
    owed = {b"1", b"2"}

    def drop_late(data):
        late = data in owed
        owed.discard(data)
        return late

    async with greeted() as wire:
        lenient = ReplyPolicy(drop_late, STEADY)
        for _ in range(2):
            with pytest.raises(TimedOut):
                await wire.link.call(b"", 0.02, lenient)
        assert (await wire.ask(reply(b"1"), reply(b"3") + reply(b"2"), policy=lenient)).reply == b"3"
        assert (await wire.ask(reply(b"2"), reply(b"4"), policy=lenient)).reply == b"2"  # a second time it is nobody's
        assert not owed


# -- flow control --------------------------------------------------------------------------------------


async def echo(far, *, window, opens_at):
    """A server that is polite and grants only so much at a time."""
    loop = asyncio.get_running_loop()
    http = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False))
    http.local_settings = h2.settings.Settings(
        client=False, initial_values={h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: 0 if opens_at else window}
    )
    http.initiate_connection()
    await loop.sock_sendall(far, http.data_to_send())
    if opens_at:
        await asyncio.sleep(opens_at)
        http.update_settings({h2.settings.SettingCodes.INITIAL_WINDOW_SIZE: window})
    heard = b""
    while True:
        await loop.sock_sendall(far, http.data_to_send())
        for event in http.receive_data(await loop.sock_recv(far, 65536)):
            if isinstance(event, h2.events.RequestReceived):
                http.send_headers(1, [(":status", "200"), ("content-type", "application/grpc")])
            elif isinstance(event, h2.events.DataReceived):
                http.acknowledge_received_data(event.flow_controlled_length, 1)
                heard += event.data
                if len(heard) >= 5 and len(heard) == 5 + int.from_bytes(heard[1:5], "big"):
                    http.send_data(1, message(struct.pack(">I", len(heard) - 5)))
                    heard = b""


@pytest.mark.parametrize(
    ("size", "window", "opens_at"),
    [(70_000, 65535, 0), (300_000, 65535, 0), (70_000, 5000, 0), (300, 10, 0), (300, 65535, 0.1), (70_000, 9000, 0.1)],
)
async def test_a_request_may_be_longer_than_the_window(size, window, opens_at):
    async with wired() as wire:
        server = asyncio.create_task(echo(wire.far, window=window, opens_at=opens_at))
        await wire.greet()
        for _ in range(2):
            answer = await wire.link.call(bytes(size), 10.0)
            assert int.from_bytes(answer.reply, "big") == size
        server.cancel()


def window(size):
    """The bot's SETTINGS with this window for every stream; that of the connection stays 65,535."""
    return frame(SETTINGS, SETTING(4, size))


LACKING = 40
HELD_BACK = {
    "stream, short": (window(100), 100 - 5 + LACKING, grant(LACKING, 1)),
    "stream, long": (window(20_000), 20_000 - 5 + LACKING, grant(LACKING, 1)),
    "connection": (window(1 << 20), 65_535 - 5 + LACKING, grant(LACKING)),
    "all of it": (window(0), 300, grant(1000, 1)),
}


@pytest.mark.parametrize(("settings", "size", "room"), HELD_BACK.values(), ids=HELD_BACK)
async def test_a_bot_pays_for_the_time_in_which_its_window_holds_a_request_back(settings, size, room):
    async with greeted(settings + HEAD) as wire:
        answer = await wire.ask(room, reply(), after=0.09, request=bytes(size))
        assert answer.wall >= 0.085
        assert answer.transport < 0.05


async def test_a_bot_pays_for_the_time_in_which_it_does_not_read_its_socket():
    async with greeted(window(1 << 24) + grant(1 << 24) + HEAD) as wire:

        async def read_late():
            await asyncio.sleep(0.09)
            assert wire.http._writing_paused  # or nothing was shown
            heard = 0
            while heard < 1_000_000:
                heard += len(await asyncio.get_running_loop().sock_recv(wire.far, 65536))
            await wire.say(reply())

        later = asyncio.create_task(read_late())
        answer = await wire.link.call(bytes(1_000_000), 5.0)
        await later
        assert answer.wall >= 0.085


async def test_a_stream_is_ended_whatever_is_left_of_its_window():
    """A bot may make its window smaller than what it holds already; h2 4.1 then sends not even an empty frame."""
    async with greeted() as wire:
        await wire.ask(reply(), request=b"request")
        await wire.say(frame(SETTINGS, SETTING(4, 0)))
        later = asyncio.create_task(wire.answer_soon(TRAILERS))
        await wire.link.close()
        await later
        assert frame(DATA, flags=END_STREAM, stream=1) in wire.far.recv(65536)


async def test_a_reply_to_half_a_request_is_no_reply():
    async with greeted(window(100) + HEAD) as wire:
        answer = await wire.ask(reply(b"guess"), grant(1000, 1), reply(b"answer"), request=bytes(300))
        assert answer.reply == b"answer"


# -- what may not be raised ----------------------------------------------------------------------------

HOSTILE = {
    "window and reset": (grant(1, 1) + frame(RST_STREAM, bytes(4), stream=1), Disconnected),
    "window and end": (grant(1, 1) + TRAILERS, Disconnected),
    "window and goaway": (grant(70_000) + grant(70_000, 1) + frame(GOAWAY, bytes(8)), Disconnected),
    "a window too many": (grant(2**31 - 1) * 2, BadMessage),
    "no window after all": (frame(SETTINGS, SETTING(4, 0)), TimedOut),
    "long status": (
        frame(
            HEADERS,
            b"\0\x0bgrpc-status\x7f\xa9\x45" + b"9" * 9000,
            flags=END_HEADERS | END_STREAM,
            stream=1,
        ),
        Disconnected,
    ),
    "status of another script": (
        frame(HEADERS, literal(b"grpc-status", "٣".encode()), flags=END_HEADERS | END_STREAM, stream=1),
        Disconnected,
    ),
    "bad text": (
        frame(HEADERS, literal(b"grpc-status", b"2") + literal(b"grpc-message", b"%ff%\xff%zz"), flags=5, stream=1),
        Disconnected,
    ),
    "interim headers": (frame(HEADERS, b"\x08\x03103", flags=END_HEADERS, stream=1), BadMessage),
    "headers on another stream": (frame(HEADERS, b"\x88", flags=END_HEADERS, stream=2), BadMessage),
    "headers without an end": (frame(HEADERS, b"\x88", stream=1) + frame(CONTINUATION, stream=1) * 90, TimedOut),
    "headers in empty pieces": (frame(HEADERS, b"\x88", stream=1) + frame(CONTINUATION, stream=1) * 900, Abuse),
    "headers in large pieces": (frame(HEADERS, stream=1) + frame(CONTINUATION, bytes(8200), stream=1) * 2, BadMessage),
    "data between headers": (frame(HEADERS, b"\x88", stream=1) + reply(), BadMessage),
    "headers of two streams": (frame(HEADERS, stream=1) + frame(CONTINUATION, stream=3), BadMessage),
    "headers that continue none": (frame(CONTINUATION, b"\x88", flags=END_HEADERS, stream=1), BadMessage),
    "resized tables in pieces": (
        frame(HEADERS, b"\x20" * 3, stream=1) + frame(CONTINUATION, b"\x20" * 3, flags=END_HEADERS, stream=1),
        Abuse,
    ),
    "padded headers": (frame(HEADERS, b"\0\x88", flags=END_HEADERS | 0x8, stream=1), BadMessage),
    "push": (frame(PUSH_PROMISE, b"\0\0\0\2\x88", flags=END_HEADERS, stream=1), BadMessage),
    "resized tables": (frame(HEADERS, b"\x3f\0" * 8000, flags=END_HEADERS, stream=1), Abuse),
    "many settings": (frame(SETTINGS, b"".join(SETTING(number, 1) for number in range(10, 2010))), Abuse),
    "ever new settings": (b"".join(frame(SETTINGS, SETTING(number, 1)) for number in range(10, 60)), Abuse),
    "settings again and again": (frame(SETTINGS, SETTING(4, 70_000) * 32) * 20, Abuse),
    "single bytes of window": (grant(1, 1) * 2000, Abuse),
    "empty messages": (HEAD + frame(DATA, message(b"") * 3000, stream=1), BadMessage),
}


async def ask_twice(wire, request):
    for _ in range(2):
        await wire.link.call(request, 0.5)


@pytest.mark.parametrize("size", [10, 100_000])
@pytest.mark.parametrize(("segment", "fault"), HOSTILE.values(), ids=HOSTILE)
async def test_only_a_fault_of_the_bot_comes_out(segment, fault, size):
    async with greeted(GREETING + (b"" if b"103" in segment or segment.startswith(HEAD) else HEAD)) as wire:
        later = asyncio.create_task(wire.answer_soon(segment))
        with pytest.raises(BotFault) as caught:
            await ask_twice(wire, bytes(size))
        await later
        assert wire.http.cpu_seconds < 0.2
    assert isinstance(caught.value, fault)
