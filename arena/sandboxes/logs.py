"""Reading the output of a bot: bounded in rate and size, and escaped before it is shown."""

import asyncio
import contextlib
import fcntl
import os
import select
import struct
import termios
from collections.abc import Sequence

from arena.untrusted.text import printable_bytes

TAIL_BYTES = 4096
RATE = 1 << 20
"""Bytes a second that are read in the long run, beside what may be printed at once: a flood blocks its own writer."""
_CHUNK = 1 << 16


class LogReader:
    """Reads one pipe on the event loop and keeps the newest bytes."""

    def __init__(self, descriptor: int, *, keep: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._keep = max(keep, TAIL_BYTES)
        self._free = float(keep)
        """Bytes that may be read at once; they come back with time."""
        self._stalls = 0
        self._kept = bytearray()
        self._received = 0
        self._escaped = (0, "")
        self._loop = asyncio.get_running_loop()
        self._refilled = self._loop.time()
        self._timer: asyncio.TimerHandle | None = None
        self._loop.add_reader(descriptor, self._readable)

    def text(self) -> str:
        """All that was kept, escaped; may be called in a thread, and costs nothing when nothing new was printed."""
        received = self._received
        if self._escaped[0] != received:
            self._escaped = (received, printable_bytes(bytes(self._kept)))
        return self._escaped[1]

    def tail(self) -> str:
        """The last 4 kB, escaped."""
        return printable_bytes(bytes(self._kept[-TAIL_BYTES:]))

    def printed(self) -> int:
        """How many bytes were printed so far, including those that are still in the pipe."""
        return self._received + self._unread()

    def stalls(self) -> int:
        """How often the bot had to wait, by now, until more of its output was read."""
        return self._stalls + (self._timer is not None and self._is_full())

    def between(self, marks: Sequence[float]) -> list[bytes]:
        """The bytes from each of these numbers of bytes to the next, and to the end, as far as they are kept."""
        first = self._received - len(self._kept)
        places = [max(0, int(mark) - first) for mark in marks]
        return [bytes(self._kept[begin:end]) for begin, end in zip(places, [*places[1:], len(self._kept)])]

    def close(self) -> None:
        """Take what still lies in the pipe and stop; writers that outlive the bot are not waited for."""
        if self._descriptor < 0:
            return
        self._stalls = self.stalls()
        for _ in range(1 + self._keep // _CHUNK):
            if not self._read():
                break
        self._stop()

    def _unread(self) -> int:
        if self._descriptor < 0:
            return 0
        unread: int = struct.unpack("i", fcntl.ioctl(self._descriptor, termios.FIONREAD, bytes(4)))[0]
        return unread

    def _is_full(self) -> bool:
        """Whether a writer has to wait: only the pipe itself knows, since lines of 3 kB take a page of it each."""
        writing = os.open(f"/proc/self/fd/{self._descriptor}", os.O_WRONLY | os.O_NONBLOCK)
        try:
            room = select.poll()
            room.register(writing, select.POLLOUT)
            return not room.poll(0)
        finally:
            os.close(writing)

    def _listen_again(self) -> None:
        self._timer = None
        self._stalls += self._is_full()
        self._loop.add_reader(self._descriptor, self._readable)

    def _refill(self) -> None:
        """Give back what the time since the last look allows."""
        now = self._loop.time()
        self._free = min(float(self._keep), self._free + (now - self._refilled) * RATE)
        self._refilled = now

    def _readable(self) -> None:
        size = self._read()
        if size == 0:
            self._stop()
            return
        self._refill()
        self._free -= size or 0
        if self._free <= 0:
            self._loop.remove_reader(self._descriptor)
            self._timer = self._loop.call_later((_CHUNK - self._free) / RATE, self._listen_again)

    def _read(self) -> int | None:
        """Read a chunk: its size, 0 at the end of the pipe, None when the pipe is empty."""
        with contextlib.suppress(BlockingIOError):
            data = os.read(self._descriptor, _CHUNK)
            self._kept += data
            del self._kept[: -self._keep]
            self._received += len(data)
            return len(data)
        return None

    def _stop(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._loop.remove_reader(self._descriptor)
        os.close(self._descriptor)
        self._descriptor = -1
