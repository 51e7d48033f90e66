"""Uploads: streamed to a file of a random name, and named by their digest when all is there; never looked into."""

import asyncio
import hashlib
import os
import tempfile
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from python_multipart.exceptions import FormParserError
from python_multipart.multipart import MultipartParser, parse_options_header
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from arena.service.forms import MAX_FIELDS, MAX_FORM, Fields, arriving, check_length, collected
from arena.service.refusals import Refusal

PARTIAL = ".arriving-"
"""How the names of files begin that are not complete."""
FILE_FIELD = "file"


@dataclass(frozen=True, slots=True)
class Patience:
    """How long an upload may take."""

    piece_s: float = 30.0
    """Seconds without a byte."""
    total_s: float = 900.0


PATIENCE = Patience()


@dataclass(frozen=True, slots=True)
class Received:
    """A file that is there."""

    digest: str
    size: int


class FormWithFile:
    """A form as it arrives: fields, and after them one file, whose pieces are taken away at once."""

    def __init__(self, content_type: str) -> None:
        kind, options = parse_options_header(content_type)
        if kind != b"multipart/form-data" or not options.get(b"boundary"):
            raise Refusal(415, "An upload is sent as multipart/form-data")
        names = (
            "part_begin",
            "part_data",
            "part_end",
            "header_field",
            "header_value",
            "header_end",
            "headers_finished",
        )
        callbacks = {f"on_{name}": getattr(self, f"_{name}") for name in (*names, "end")}
        try:
            self._parser = MultipartParser(options[b"boundary"], callbacks)  # type: ignore[arg-type]  # built above
        except FormParserError as error:
            raise Refusal(400, "This upload cannot be read") from error
        self._pairs: list[tuple[str, str]] = []
        self._length = 0
        self._header: list[bytearray] = []
        self._headers: dict[bytes, bytes] = {}
        self._name, self._value = "", bytearray()
        self.file_name: str | None = None
        """What the file is called at home; None until it has begun."""
        self._pieces: list[bytes] = []
        self.complete = False

    @property
    def fields(self) -> Fields:
        """The fields before the file."""
        return collected(self._pairs)

    def feed(self, data: bytes) -> list[bytes]:
        """Read on; the pieces of the file that came with it. Refusal if this is no such form."""
        try:
            self._parser.write(data)
        except (FormParserError, UnicodeDecodeError) as error:
            raise Refusal(400, "This upload cannot be read") from error
        pieces, self._pieces = self._pieces, []
        return pieces

    def _part_begin(self) -> None:
        if self.file_name is not None:
            raise Refusal(400, "The file must be the last part of the form")
        if len(self._pairs) >= MAX_FIELDS:
            raise Refusal(400, "This form has too many fields")
        self._headers, self._header, self._value = {}, [bytearray(), bytearray()], bytearray()

    def _header_field(self, data: bytes, start: int, end: int) -> None:
        self._header[0] += data[start:end]

    def _header_value(self, data: bytes, start: int, end: int) -> None:
        self._header[1] += data[start:end]

    def _header_end(self) -> None:
        self._headers[bytes(self._header[0]).lower()] = bytes(self._header[1])
        self._header = [bytearray(), bytearray()]

    def _headers_finished(self) -> None:
        _, options = parse_options_header(self._headers.get(b"content-disposition", b""))
        self._name = options.get(b"name", b"").decode()
        if self._name == FILE_FIELD and b"filename" in options:
            self.file_name = plain_name(options[b"filename"].decode())

    def _part_data(self, data: bytes, start: int, end: int) -> None:
        if self.file_name is not None:
            self._pieces.append(data[start:end])
            return
        self._length += end - start
        if self._length > MAX_FORM:
            raise Refusal(413, "This form is too long")
        self._value += data[start:end]

    def _part_end(self) -> None:
        if self.file_name is None:
            self._pairs.append((self._name, self._value.decode()))

    def _end(self) -> None:
        self.complete = True


class Spool:
    """A file that grows under a random name."""

    def __init__(self, folder: Path, most: int) -> None:
        descriptor, name = tempfile.mkstemp(prefix=PARTIAL, dir=folder)
        self._file, self._path, self._most = open(descriptor, "wb"), Path(name), most  # noqa: SIM115  (closed below)
        self._digest, self._size = hashlib.sha256(), 0

    def write(self, pieces: Sequence[bytes]) -> None:
        """Add these; Refusal if it becomes too large."""
        for piece in pieces:
            self._size += len(piece)
            if self._size > self._most:
                raise Refusal(413, f"This file is larger than the {self._most >> 20} MiB that are taken")
            self._digest.update(piece)
            self._file.write(piece)

    def keep(self) -> Received:
        """Give it the name of its digest, by which the runner finds it."""
        if not self._size:
            raise Refusal(400, "This file is empty")
        self._file.flush()
        os.fchmod(self._file.fileno(), 0o640)  # the runner may be of the same group
        os.fsync(self._file.fileno())
        digest = self._digest.hexdigest()
        self._path.replace(self._path.with_name(digest))
        return Received(digest, self._size)

    def end(self) -> None:
        """Close it, and take it away unless it was kept."""
        self._file.close()
        self._path.unlink(missing_ok=True)


async def receive(
    request: Request, folder: Path, most: int, admit: Callable[[Fields, str], Awaitable[bool]], patience: Patience
) -> Received | None:
    """The file of a form with its digest; `admit` is asked with the fields before it, and ends it by answering False.

    Refusal if it is not whole, too large, or too slow; then nothing is left of it.
    """
    check_length(request, most + 2 * MAX_FORM)
    form, spool = FormWithFile(request.headers.get("content-type", "")), None
    try:
        async with _in_time(patience):
            async for data in arriving(request, patience.piece_s):
                pieces = form.feed(data)
                if spool is None and form.file_name is not None:
                    if not await admit(form.fields, form.file_name):
                        return None
                    spool = await run_in_threadpool(Spool, folder, most)
                if spool is not None and pieces:
                    await run_in_threadpool(spool.write, pieces)
            if spool is None or not form.complete:
                raise Refusal(400, "The upload was broken off" if spool else "Choose a file")
            return await run_in_threadpool(spool.keep)
    finally:
        if spool is not None:
            spool.end()


async def receive_body(request: Request, folder: Path, most: int, patience: Patience) -> Received:
    """The body of a request as a file, under the same conditions."""
    check_length(request, most)
    async with _in_time(patience):
        spool = await run_in_threadpool(Spool, folder, most)
        try:
            async for data in arriving(request, patience.piece_s):
                await run_in_threadpool(spool.write, [data])
            return await run_in_threadpool(spool.keep)
        finally:
            spool.end()


@asynccontextmanager
async def _in_time(patience: Patience) -> AsyncIterator[None]:
    """Refusal if what is done here takes too long, or finds no room."""
    try:
        async with asyncio.timeout(patience.total_s):
            yield
    except TimeoutError as error:
        raise Refusal(408, "The upload took too long") from error
    except OSError as error:
        raise Refusal(507, "The file could not be kept, through no fault of yours: tell an organiser") from error


def plain_name(text: str) -> str:
    """What a file is called, without folders; Refusal for a name that cannot be shown."""
    name = text.replace("\\", "/").rpartition("/")[2].strip()
    if not name or name in (".", ".."):
        raise Refusal(400, "Choose a file")
    if not name.isprintable() or len(name) > 120:
        raise Refusal(400, "The name of this file cannot be shown: give it a plain one of at most 120 characters")
    return name


def sweep(folder: Path, patience: Patience = PATIENCE) -> None:
    """Take away what a process left that was killed while something arrived."""
    old = time.time() - 2 * patience.total_s
    for path in folder.glob(f"{PARTIAL}*"):
        with suppress(FileNotFoundError):
            if path.stat().st_mtime < old:
                path.unlink()
