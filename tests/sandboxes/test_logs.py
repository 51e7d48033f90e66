"""What a bot prints is shown in safe characters, and escaping it costs the same whatever it prints."""

import asyncio
import contextlib
import os
import random
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.sandboxes.docker.sandbox import sort_lines
from arena.sandboxes.logs import LogReader
from arena.untrusted.text import printable_bytes
from tests.sandboxes.sandbox_kit import tell

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="starts sandboxes, and measures processor time")]

MIB = 1 << 20
GROWTH = 1 << 16
ORDINARY = [
    b"line 1\n",
    b"\t",
    b"\r",
    b"\x1b[31m",
    b"\\",
    b"\\\\x1b",
    b"\\n",
    b"\x00",
    b"\xff",
    b"\xc3",
    b"\xed\xb3\xbf",
]
ORDINARY += ["Käse 日本 🎲".encode(), "\u200b".encode()]
COSTLY = {
    "control bytes": b"\x01",
    "alternating": b"\x01a",
    "invalid": b"\xff",
    "backslashes": b"\\\x01",
    "random": random.Random(1).randbytes(MIB),
    "mixed": "ä\x01".encode(),
    "all private characters": "".join(map(chr, range(0xE000, 0xF8FF))).encode(),
    "all control characters": bytes(range(32)),
}
"""Repeated to a MiB, each would cost half a second if every character were looked at by itself."""


def calls(action):
    """How many functions an action calls, in Python or in C."""
    count = 0

    def note(_frame, event, _argument):
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        action()
    finally:
        sys.setprofile(None)
    return count


def processor_seconds(action):
    """What an action costs this thread, at best."""
    spent = []
    for _ in range(3):
        before = time.thread_time()
        action()
        spent.append(time.thread_time() - before)
    return min(spent)


@given(st.lists(st.sampled_from(ORDINARY), max_size=40).map(b"".join))
def test_an_ordinary_log_is_escaped_character_by_character(raw):
    text = raw.decode("utf-8", errors="backslashreplace")
    shown = (
        character if character == "\n" or character.isprintable() else character.encode("unicode_escape").decode()
        for character in text
    )
    assert printable_bytes(raw) == "".join(shown)


@pytest.mark.parametrize("kind", COSTLY)
def test_the_cost_of_a_log_is_bounded_whatever_is_in_it(kind):
    raw = (COSTLY[kind] * (1 + MIB // len(COSTLY[kind])))[:MIB]
    shown = printable_bytes(raw)
    assert shown.replace("\n", "").isprintable()
    assert len(shown) <= MIB + GROWTH
    assert calls(lambda: printable_bytes(raw)) < MIB // 50
    assert processor_seconds(lambda: printable_bytes(raw)) < 2 * processor_seconds(lambda: [chr(byte) for byte in raw])


def test_of_a_long_log_the_newest_is_shown():
    raw = b"".join(b"\x01%06d\n" % number for number in range(MIB // 8))
    assert len(printable_bytes(raw)) == len(raw) + GROWTH
    assert printable_bytes(raw).endswith("".join(f"\\x01{number:06}\n" for number in range(MIB // 8 - 1000, MIB // 8)))


async def test_what_was_escaped_is_kept_until_more_is_printed():
    reading, writing = os.pipe()
    log = LogReader(reading, keep=MIB)
    os.write(writing, b"\x01" * 1000)
    await asyncio.sleep(0.01)
    first = await asyncio.to_thread(log.text)
    again = log.text()
    os.write(writing, b"more")
    os.close(writing)
    log.close()
    later = log.text()
    assert first == "\\x01" * 1000
    assert again is first
    assert later == first + "more"


def test_a_long_line_does_not_push_out_what_was_printed_before():
    assert printable_bytes(b"\x1b[2J first\n" + b"a" * 400_000).startswith("\\x1b[2J first\n")


async def test_bytes_are_counted_before_they_are_read_and_found_again_by_their_number():
    reading, writing = os.pipe()
    log = LogReader(reading, keep=8192)
    marks = [log.printed()]
    for word in (b"one", b"two", b"x" * 8000):
        os.write(writing, word)
        marks.append(log.printed())  # the loop has had no time to read
    os.write(writing, b"end")
    os.close(writing)
    log.close()
    assert log.printed() == marks[-1] + 3
    before = log.between(marks)
    log._kept[:] = log._kept[-10:]  # the rest was pushed out
    after = log.between(marks)
    assert marks == [0, 3, 6, 8006]
    assert before == [b"one", b"two", b"x" * 8000, b"end"]
    assert after == [b"", b"", b"x" * 7, b"end"]


def test_lines_are_sorted_by_the_stamps_of_the_daemon():
    stamped = (
        b"2026-11-17T05:00:00.999999999Z before\n"
        b"2026-11-17T05:00:01.000000000Z one\n"
        b"cut off\n"
        b"2026-11-17T05:00:01.500000001Z \x1b[2J\n"
        b"2026-11-17T05:00:03.1Z last"
    )
    start = 1794891600.0
    assert sort_lines(stamped, [start + 1.0, start + 2.0, start + 3.0]) == ["one\n\\x1b[2J\n", "", "last"]
    assert sort_lines(b"", []) == []


async def test_what_is_printed_between_two_marks_is_told_apart(any_bench):
    async with any_bench.sandbox() as sandbox:
        endpoint = await sandbox.start()
        marks = []
        for word in ("one", "two", "three"):
            marks.append(sandbox.mark())
            await tell(endpoint, f"print({word!r}, flush=True)")
            await sandbox.freeze()
            await asyncio.sleep(0.2)  # others think meanwhile
            await sandbox.thaw()
        await sandbox.read_log()
        outputs, log = await sandbox.read_outputs([0.0, *marks]), sandbox.log()
    assert outputs == ["", "one\n", "two\n", "three\n"]
    assert log == "one\ntwo\nthree\n"


async def test_a_bot_that_prints_much_is_read_on_and_only_a_flood_has_to_wait():
    """20 kB a move, twenty moves a second, are more than the first MiB after three seconds, and less than the rate."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    log, refused = LogReader(reading, keep=MIB // 4), 0
    for _ in range(40):
        try:
            os.write(writing, b"x" * 20_000)
        except BlockingIOError:
            refused += 1
        await asyncio.sleep(0.03)
    calm = refused, log.stalls()
    for _ in range(200):
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writing, b"y" * 50_000)
        await asyncio.sleep(0.002)
    received = log.printed()
    os.close(writing)
    log.close()
    stalls = log.stalls()
    assert calm == (0, 0)
    assert stalls > 0
    assert received < 40 * 20_000 + 3 * MIB


@pytest.mark.parametrize("size", [50_000, 3_000, 100])
async def test_a_writer_that_waits_is_noticed_however_long_its_lines_are(size):
    """A pipe holds 65 kB in long lines, but only 48 kB in lines of 3 kB."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    log = LogReader(reading, keep=1)
    for _ in range(2):  # what is read once, and what then waits
        with contextlib.suppress(BlockingIOError):
            while True:
                os.write(writing, b"x" * size)
        await asyncio.sleep(0.01)
    stalls = log.stalls()
    os.close(writing)
    log.close()
    assert stalls == 1
