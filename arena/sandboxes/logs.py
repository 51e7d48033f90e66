"""Reading the output of a bot: bounded in rate and size, and escaped before it is shown."""

import asyncio
import contextlib
import os
from itertools import islice

TAIL_BYTES = 4096
_CHUNK = 1 << 16
_PAUSE_S = 1.0
"""After the free bytes, one chunk per pause is read: enough for an honest talker, nothing for a flood."""
_GROWTH = 1 << 16
"""By how many characters a log may grow when it is escaped; an ordinary one never does by so many."""
_BLOCK = 1 << 15
"""Characters that are escaped at a time: a thread that does it never holds the interpreter's lock for long."""
_FEW = 12
"""Different unprintable characters up to which a block is text, in which each of them is replaced by itself."""


def escape(raw: bytes) -> str:
    r"""Text that cannot steer a terminal: everything unprintable becomes \x.., only line ends stay.

    Escaped, a byte may become four characters; only a bounded number of them is worked on and given, the newest.
    """
    # An invalid byte becomes a lone surrogate, which no valid UTF-8 holds: far cheaper than `backslashreplace`.
    text = raw.decode("utf-8", errors="surrogateescape")
    most = len(raw) + _GROWTH
    blocks: list[str] = []
    room = most
    for end in range(len(text), 0, -_BLOCK):
        blocks.append(_escape_block(text[max(0, end - _BLOCK) : end]))
        room -= len(blocks[-1])
        if room <= 0:
            break
    return "".join(reversed(blocks))[-most:]


def _escape_block(text: str) -> str:
    """Escape a piece of text by a few passes over the whole, never one character after the other."""
    if text.replace("\n", "").isprintable():
        return text
    # Bidirectional overrides and other invisible format characters are not printable either.
    found = (character for character in set(text) if not character.isprintable() and character != "\n")
    unprintable = list(islice(found, _FEW + 1))
    if len(unprintable) > _FEW:
        return _escape_to_ascii(text)
    for character in unprintable:
        text = text.replace(character, _escape_to_ascii(character))
    return text


def _escape_to_ascii(text: str) -> str:
    """Escape all that is not printable ASCII: what is left of a block that holds too many unprintable characters."""
    coded = text.encode("unicode_escape").replace(rb"\\", b"\0")  # now every backslash begins an escape of a character
    coded = coded.replace(rb"\n", b"\n").replace(rb"\udc", rb"\x").replace(b"\0", b"\\")
    return coded.decode("ascii")


class LogReader:
    """Reads one pipe on the event loop and keeps the newest bytes."""

    def __init__(self, descriptor: int, *, keep: int) -> None:
        os.set_blocking(descriptor, False)
        self._descriptor = descriptor
        self._keep = max(keep, TAIL_BYTES)
        self._free = keep
        self._kept = bytearray()
        self._received = 0
        self._escaped = (0, "")
        self._loop = asyncio.get_running_loop()
        self._timer: asyncio.TimerHandle | None = None
        self._listen()

    def text(self) -> str:
        """All that was kept, escaped; may be called in a thread, and costs nothing when nothing new was printed."""
        received = self._received
        if self._escaped[0] != received:
            self._escaped = (received, escape(bytes(self._kept)))
        return self._escaped[1]

    def tail(self) -> str:
        """The last 4 kB, escaped."""
        return escape(bytes(self._kept[-TAIL_BYTES:]))

    def close(self) -> None:
        """Take what still lies in the pipe and stop; writers that outlive the bot are not waited for."""
        if self._descriptor < 0:
            return
        for _ in range(1 + self._keep // _CHUNK):
            if not self._read():
                break
        self._stop()

    def _listen(self) -> None:
        self._timer = None
        self._loop.add_reader(self._descriptor, self._readable)

    def _readable(self) -> None:
        size = self._read()
        if size == 0:
            self._stop()
            return
        self._free -= size or 0
        if self._free <= 0:
            self._loop.remove_reader(self._descriptor)
            self._timer = self._loop.call_later(_PAUSE_S, self._listen)

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
        self._loop.remove_reader(self._descriptor)
        os.close(self._descriptor)
        self._descriptor = -1
