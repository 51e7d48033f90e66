"""Compressed files, read as a plain stream that ends before it can fill a memory or a disk."""

import gzip
import io
import lzma
from collections.abc import Callable
from typing import IO, Any

from arena.errors import UsageError
from arena.untrusted.units import MIB

MAX_RATIO = 100
FREE_BYTES = 16 * MIB
"""Unpacked bytes that need no explanation; beyond them a file that shrinks more than programs do is a bomb."""
_XZ_MEMORY = 80 * MIB
"""What `xz -9` needs to be unpacked; a header may ask for gigabytes."""
_CHUNK = 1 << 16


class SizeLimited(io.RawIOBase):
    """A stream that gives up when it has given more bytes than allowed."""

    def __init__(self, inner: IO[bytes], most: int, what: str) -> None:
        self._inner = inner
        self._left = most
        self._complaint = f"{what} unpacks to more than {most // MIB} MiB"

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Read on; UsageError beyond the limit."""
        data = self._inner.read(len(buffer))
        self._left -= len(data)
        if self._left < 0:
            raise UsageError(self._complaint)
        buffer[: len(data)] = data
        return len(data)


class _Xz(io.RawIOBase):
    """One xz stream, unpacked within a bounded memory."""

    def __init__(self, inner: IO[bytes]) -> None:
        self._inner = inner
        self._unpacker = lzma.LZMADecompressor(memlimit=_XZ_MEMORY)

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        while not self._unpacker.eof:
            packed = self._inner.read(_CHUNK) if self._unpacker.needs_input else b""
            if not packed and self._unpacker.needs_input:
                raise EOFError("the compressed stream ends too early")
            if data := self._unpacker.decompress(packed, max_length=len(buffer)):
                buffer[: len(data)] = data
                return len(data)
        return 0


def _gzip(inner: IO[bytes]) -> IO[bytes]:
    return io.BufferedReader(gzip.GzipFile(fileobj=inner))


def _xz(inner: IO[bytes]) -> IO[bytes]:
    return io.BufferedReader(_Xz(inner))


Unpacker = Callable[[IO[bytes]], IO[bytes]]

UNPACKERS: dict[bytes, Unpacker] = {b"\x1f\x8b": _gzip, b"\xfd7zXZ\0": _xz}
"""By the first bytes: names and endings are the sender's choice."""
_ZSTD = b"\x28\xb5\x2f\xfd"


def unpacker(file: io.BufferedReader) -> Unpacker | None:
    """What unpacks this file, or None if it is not compressed."""
    start = file.peek(8)[:8]
    if start.startswith(_ZSTD):
        raise UsageError("archives compressed by zstd are not read: use .tar.gz, .tar.xz or .zip")
    return next((unpack for magic, unpack in UNPACKERS.items() if start.startswith(magic)), None)


def decompressed(file: io.BufferedReader, *, packed_bytes: int, most: int, what: str) -> io.BufferedReader:
    """The content of a file that may be compressed, at most so many bytes of it."""
    unpack = unpacker(file)
    if unpack is None:
        return io.BufferedReader(SizeLimited(file, most, what))
    return io.BufferedReader(SizeLimited(unpack(file), min(most, FREE_BYTES + MAX_RATIO * packed_bytes), what))
