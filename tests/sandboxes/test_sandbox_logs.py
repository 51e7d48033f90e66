"""What a bot prints is shown in safe characters, and escaping it costs the same whatever it prints."""

import asyncio
import os
import random
import sys
import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.sandboxes.logs import LogReader
from arena.untrusted.text import printable_bytes

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


def test_what_was_escaped_is_kept_until_more_is_printed():
    async def play():
        reading, writing = os.pipe()
        log = LogReader(reading, keep=MIB)
        os.write(writing, b"\x01" * 1000)
        await asyncio.sleep(0.01)
        first = await asyncio.to_thread(log.text)
        again = log.text()
        os.write(writing, b"more")
        os.close(writing)
        log.close()
        return first, again, log.text()

    first, again, later = asyncio.run(play())
    assert first == "\\x01" * 1000
    assert again is first
    assert later == first + "more"


def test_a_long_line_does_not_push_out_what_was_printed_before():
    assert printable_bytes(b"\x1b[2J first\n" + b"a" * 400_000).startswith("\\x1b[2J first\n")
