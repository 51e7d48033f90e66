"""What two bots can tell each other past the referee, although only one of them runs at a time.

    python -m bench.channels [--bits 32] [--sandbox bubblewrap] [--sandbox docker] [--sandbox gvisor]

A sender and a receiver sit in sandboxes of their own and take turns as in a match: whoever is not to act is frozen. Per
channel the sender is told random bits. Where an exchange carries one bit, each is sent as its opposite and then as
itself, and the receiver takes the difference, because the rest of the machine moves most of what is read. The first
bits teach where the border between 0 and 1 lies, the others are counted. A channel that counts something carries more
than one bit: the rate is a floor. Channels of many bits at a time send them as they are.
"""

import argparse
import asyncio
import math
import random
import socket
import statistics
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table as Grid

from arena.sandboxes import BotDirectory, BotImage, BubblewrapSandbox, DockerSandbox, GvisorSandbox, Limits
from arena.sandboxes.base import Sandbox
from arena.sandboxes.endpoint import Endpoint
from bench.channel_bots.bot import CHANNELS, WIDTHS

BOT = Path(__file__).parent / "channel_bots" / "bot.py"
IMAGE = "arena/base:bookworm"
LESSONS = 8
"""Bits at the beginning of which the receiver is told the truth."""
ANSWER_S = 60.0
RETRY_S = 0.002
LIMITS = Limits(start_s=60.0)
CONTAINERS = {"docker": DockerSandbox, "gvisor": GvisorSandbox}
KINDS = ["bubblewrap", *CONTAINERS]


@dataclass(frozen=True, slots=True)
class Finding:
    """What came through one channel."""

    channel: str
    right: int
    of: int
    seconds: float
    closed_by: str = ""

    @property
    def is_open(self) -> bool:
        """Whether more came through than luck explains: three standard deviations above one half."""
        return not self.closed_by and self.right > self.of / 2 + 1.5 * math.sqrt(self.of)

    @property
    def bits_per_second(self) -> float:
        """Shannon's capacity of the exchanges at the error rate that was seen."""
        if not self.is_open:
            return 0.0
        wrong = 1 - self.right / self.of
        lost = -sum(share * math.log2(share) for share in (wrong, 1 - wrong) if share > 0)
        return (1 - lost) * self.of / self.seconds


class End:
    """One of the two bots in its sandbox, frozen whenever it is not told anything."""

    def __init__(self, sandbox: Sandbox, endpoint: Endpoint) -> None:
        self._sandbox = sandbox
        self._endpoint = endpoint

    async def tell(self, words: str) -> str:
        """Thaw it, say something, hear its answer, freeze it."""
        await self._sandbox.thaw()
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(ANSWER_S):
            with await self._connect() as connection:
                await loop.sock_sendall(connection, f"{words}\n".encode())
                answer = await loop.sock_recv(connection, 1 << 16)
        while not await self._sandbox.freeze():
            pass
        return answer.decode().strip()

    async def _connect(self) -> socket.socket:
        while True:
            with suppress(BlockingIOError, ConnectionRefusedError):  # it does not listen yet
                return self._endpoint.connect_once()
            await asyncio.sleep(RETRY_S)


def sandbox(kind: str) -> Sandbox:
    """A sandbox of a kind around one end."""
    if kind in CONTAINERS:
        return CONTAINERS[kind](BotImage(IMAGE, ("python3", "-c", BOT.read_text())), LIMITS)
    program = BotDirectory(BOT.parent, ("/usr/bin/python3", "bot.py"))
    return BubblewrapSandbox(program, LIMITS, require=("freeze",))


async def measure(sender: End, receiver: End, channel: str, bits: int) -> Finding:
    """Send bits through one channel and count how many arrive."""
    if channel in WIDTHS:
        return await measure_many(sender, receiver, channel, bits)
    index = list(CHANNELS).index(channel)
    first = random.randrange(1 << 30)
    await receiver.tell(f"{index} {first}")
    sent, seen = [], []
    started = time.perf_counter()
    for number in range(LESSONS + bits):
        bit = number % 2 if number < LESSONS else random.getrandbits(1)
        values = []
        for half, state in ((0, 1 - bit), (1, bit)):
            said = await sender.tell(f"{index} {first + 2 * number + half} {state}")
            heard = await receiver.tell(f"{index} {first + 2 * number + half}")
            if not is_number(said) or not is_number(heard):
                return Finding(channel, 0, bits, 1.0, heard if is_number(said) else said)
            values.append(int(heard))
        sent.append(bit)
        seen.append(values[1] - values[0])
    seconds = (time.perf_counter() - started) * bits / (LESSONS + bits)
    await sender.tell(f"{index} 0 0")
    guess = learn(sent[:LESSONS], seen[:LESSONS])
    right = sum(guess(value) == bit for value, bit in zip(seen[LESSONS:], sent[LESSONS:], strict=True))
    return Finding(channel, right, bits, seconds)


async def measure_many(sender: End, receiver: End, channel: str, exchanges: int) -> Finding:
    """Send many bits at a time; those that no sender moves, because others use the same thing, are left out."""
    index, width = list(CHANNELS).index(channel), WIDTHS[channel]
    first = random.randrange(1 << 20)
    await sender.tell(f"{index} {first} 0")
    await receiver.tell(f"{index} {first}")
    usable, wrong, seconds = -1, 0, 0.0
    for number in range(1, exchanges + 2):
        value = 0 if number == 1 else random.getrandbits(width)
        started = time.perf_counter()
        said = await sender.tell(f"{index} {first + number} {value}")
        heard = await receiver.tell(f"{index} {first + number}")
        if not is_number(said) or not is_number(heard):
            return Finding(channel, 0, width, 1.0, heard if is_number(said) else said)
        if number == 1:
            usable = ~int(heard) & ((1 << width) - 1)
            continue
        seconds += time.perf_counter() - started
        wrong += ((value ^ int(heard)) & usable).bit_count()
    await sender.tell(f"{index} 0 0")
    total = exchanges * usable.bit_count()
    return Finding(channel, total - wrong, total, seconds)


def is_number(text: str) -> bool:
    """Whether an answer is a value and not the name of an error."""
    return text.lstrip("-").isdecimal()


def learn(bits: Sequence[int], values: Sequence[int]) -> "Border":
    """The border halfway between the medians of what 0 and 1 look like."""
    low, high = (statistics.median(v for b, v in zip(bits, values, strict=True) if b == bit) for bit in (0, 1))
    return Border((low + high) / 2, high > low)


@dataclass(frozen=True, slots=True)
class Border:
    """Tells a 1 from a 0."""

    at: float
    ones_above: bool

    def __call__(self, value: int) -> int:
        """The bit that a value stands for."""
        return int((value > self.at) == self.ones_above)


async def examine(kind: str, bits: int, words: str) -> list[Finding]:
    """Every channel between two sandboxes of a kind whose name holds these words."""
    async with sandbox(kind) as one, sandbox(kind) as two:
        sender, receiver = End(one, await one.start()), End(two, await two.start())
        return [await measure(sender, receiver, channel, bits) for channel in CHANNELS if words in channel]


def rows(found: Sequence[Finding]) -> Iterator[tuple[str, ...]]:
    """The table's lines."""
    for each in found:
        state = f"closed ({each.closed_by})" if each.closed_by else "open" if each.is_open else "closed"
        right = "-" if each.closed_by else f"{each.right} of {each.of}"
        yield each.channel, right, f"{each.bits_per_second:.1f}" if each.is_open else "-", state


def main() -> None:
    """Print a table per sandbox."""
    parser = argparse.ArgumentParser(description="What two bots can tell each other past the referee.")
    parser.add_argument("--bits", type=int, default=32, help="bits that are counted per channel")
    parser.add_argument("--sandbox", action="append", choices=KINDS, help="default: all")
    parser.add_argument("--channel", default="", help="a part of the names of those to be measured; default: all")
    chosen = parser.parse_args()
    for kind in chosen.sandbox or KINDS:
        grid = Grid("channel", "bits right", "bits/s", "", title=kind)
        for row in rows(asyncio.run(examine(kind, chosen.bits, chosen.channel))):
            grid.add_row(*row)
        Console(width=100).print(grid)


if __name__ == "__main__":
    main()
