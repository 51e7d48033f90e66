"""Conversations that no honest bot has: frames in any order, cut anywhere, real ones with bytes changed, mere noise.

    python tests/links/fuzz_wire.py [--cases 100000] [--seed 1]

Whatever is sent, a call answers or raises a BotFault, asyncio has nothing to complain about, and the work is bounded.
"""

import argparse
import asyncio
import gc
import struct
import time
from collections import Counter
from random import Random

from arena.errors import BotFault
from arena.referee import looptime
from tests.links.hostile_server import (
    CONTINUATION,
    DATA,
    GOAWAY,
    HEADERS,
    PING,
    PRIORITY,
    PUSH_PROMISE,
    RST_STREAM,
    SETTINGS,
    WINDOW_UPDATE,
    frame,
    message,
)
from tests.links.wire_kit import GREETING, HEAD, TRAILERS, literal, reply, wired

STREAMS = (0, 1, 1, 1, 1, 2, 3, 5, 2**31 - 1)
NUMBERS = (0, 1, 2, 10, 100, 16383, 16384, 65535, 65536, 2**24 - 1, 2**31 - 1, 2**31, 2**32 - 1)
SIZES = (0, 1, 10, 100, 5000, 65530, 65531, 70_000, 200_000)
WAIT = 0.005
MOST_WORK = 0.6
"""Processor seconds for a whole conversation: the guard's own limit, and what may be granted on top."""


def number(rng):
    return rng.choice(NUMBERS) if rng.random() < 0.8 else rng.randrange(2**32)


def header_block(rng):
    """Headers that are right, nearly right, or noise."""
    fields = [b"\x88", b"\x08\x03103", b"\x20", b"\x3f\xe1\x1f", b"\xbe", b"\x40\x01a\x01b", rng.randbytes(3)]
    fields += [literal(b"grpc-status", value) for value in (b"0", b"16", b"99", b"x", b"-1", b"")]
    fields += [literal(b"content-type", value) for value in (b"application/grpc", b"text/html")]
    fields += [literal(b"grpc-message", value) for value in (b"%", b"%ff%00", rng.randbytes(9))]
    return b"".join(rng.choices(fields, k=rng.randrange(5)))


def any_frame(rng):
    """One frame of a kind that a server could think of."""
    stream = rng.choice(STREAMS)
    flags = rng.choice((0, 0, 0, 1, 4, 5, 8, 0x20, rng.randrange(256)))
    body = rng.randbytes(rng.choice((0, 1, 5, 8, 30)))
    settings = b"".join(
        struct.pack(">HI", rng.choice((1, 2, 3, 4, 5, 6, 8, rng.randrange(65536))), number(rng))
        for _ in range(rng.choice((0, 1, 1, 2, 3, 33)))
    )
    kinds = {
        "reply": lambda: reply(body, stream=stream),
        "head": lambda: HEAD,
        "trailers": lambda: TRAILERS,
        "data": lambda: frame(DATA, message(body) * rng.randrange(4) + body, flags=flags, stream=stream),
        "headers": lambda: frame(HEADERS, header_block(rng), flags=flags | rng.choice((4, 0)), stream=stream),
        "priority": lambda: frame(PRIORITY, rng.randbytes(rng.choice((5, 5, 4))), flags=flags, stream=stream),
        "reset": lambda: frame(RST_STREAM, rng.randbytes(rng.choice((4, 4, 3))), flags=flags, stream=stream),
        "settings": lambda: frame(SETTINGS, settings, stream=rng.choice((0, 0, 0, 1))),
        "settings ack": lambda: frame(SETTINGS, flags=1),
        "push": lambda: frame(PUSH_PROMISE, struct.pack(">I", 2) + header_block(rng), flags=4, stream=stream),
        "ping": lambda: frame(PING, rng.randbytes(rng.choice((8, 8, 7))), flags=flags & 1),
        "goaway": lambda: frame(GOAWAY, struct.pack(">II", number(rng) & 0x7FFFFFFF, number(rng)) + body),
        "grant": lambda: frame(WINDOW_UPDATE, struct.pack(">I", number(rng)), stream=stream),
        "continuation": lambda: frame(CONTINUATION, header_block(rng), flags=flags, stream=stream),
        "other": lambda: frame(rng.randrange(10, 256), body, flags=flags, stream=stream),
        "lie": lambda: frame(rng.randrange(12), body, flags=flags, stream=stream)[: rng.randrange(9, 40)],
        "many": lambda: any_frame(rng) * rng.choice((2, 3, 50, 300)),
    }
    return kinds[rng.choice(list(kinds))]()


def mutated(rng, data):
    """These bytes with some of them changed, dropped, doubled or made up."""
    data = bytearray(data)
    for _ in range(rng.randrange(1, 5)):
        at = rng.randrange(len(data) + 1)
        match rng.randrange(4):
            case 0:
                data[at : at + 1] = rng.randbytes(1)
            case 1:
                del data[at : at + rng.randrange(1, 20)]
            case 2:
                data[at:at] = data[at : at + rng.randrange(1, 40)]
            case 3:
                data[at:at] = rng.randbytes(rng.randrange(1, 10))
    return bytes(data)


def conversation(rng):
    """Segments as a bot might send them."""
    real = HEAD + reply() + frame(PING, bytes(8)) + frame(WINDOW_UPDATE, struct.pack(">I", 70_000), stream=1)
    real += frame(WINDOW_UPDATE, struct.pack(">I", 70_000)) + reply(bytes(300)) + TRAILERS
    match rng.randrange(5):
        case 0 | 1:
            data = (HEAD if rng.random() < 0.6 else b"") + b"".join(any_frame(rng) for _ in range(rng.randrange(1, 12)))
        case 2 | 3:
            data = mutated(rng, real)
        case 4:
            data = rng.randbytes(rng.randrange(1, 300))
    cuts = sorted(rng.randrange(len(data) + 1) for _ in range(rng.choice((0, 0, 1, 2, 5))))
    return [data[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(data)]) if begin < end]


async def converse(rng):
    """One match with such a bot; what became of its calls."""
    outcomes = []
    segments = conversation(rng)
    async with wired() as wire:
        if rng.random() < 0.9:
            await wire.greet(
                GREETING if rng.random() < 0.7 else frame(SETTINGS, struct.pack(">HI", 4, number(rng) >> 1))
            )
        first = rng.randrange(len(segments) + 1)
        for last, part in ((False, segments[:first]), (True, segments[first:])):
            later = asyncio.ensure_future(talk(wire, part, hang_up=last or rng.random() < 0.1))
            outcomes.append(await outcome(wire.link.call(bytes(rng.choice(SIZES)), WAIT)))
            await asyncio.wait({later}, timeout=0.1)
            later.cancel()  # nobody reads on for a bot that is not asked, so it may be stuck in its sending
        await outcome(wire.link.tell(b"end"))
        await wire.link.close()
        assert wire.http.cpu_seconds < MOST_WORK, wire.http.cpu_seconds
    return outcomes


async def outcome(step):
    """What became of it, in a word."""
    try:
        await step
    except BotFault as fault:
        return type(fault).__name__ if str(fault).isprintable() else "unprintable"
    return "answer"


async def talk(wire, segments, *, hang_up):
    await wire.say(*segments)
    if hang_up:
        wire.far.close()


def run(cases, seed):
    """So many conversations; how often each outcome was seen."""
    seen = Counter()

    async def all_of_them():
        for case in range(cases):
            try:
                seen.update(await asyncio.wait_for(converse(Random(f"{seed}/{case}")), 20.0))
            except Exception as error:
                raise AssertionError(f"conversation {case} of seed {seed}") from error

    looptime.run(all_of_them())
    assert "unprintable" not in seen
    gc.collect()
    return seen


if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--cases", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    began = time.monotonic()
    print(dict(run(options.cases, options.seed)), f"{options.cases} in {time.monotonic() - began:.0f} s")
