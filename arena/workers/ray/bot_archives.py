"""Bots as archives: folders and images in pieces that can be sent to another machine."""

import gzip
import io
import tarfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from arena.bots.files import folder_files
from arena.errors import InfraError, UsageError
from arena.sandboxes.docker.client import DockerClient
from arena.sandboxes.docker.images import SAVE_S, saved
from arena.untrusted.units import MIB

PIECE_BYTES = 32 * MIB
"""Small enough for the object store of any node, large enough to be worth a transfer."""


def pack_folder(folder: Path) -> Iterator[bytes]:
    """The files of a bot as a compressed tar; the same files give the same bytes, whatever their times and owners."""
    packed = io.BytesIO()
    try:
        with gzip.GzipFile(fileobj=packed, mode="wb", mtime=0) as stream, tarfile.open(fileobj=stream, mode="w") as tar:
            for path in folder_files(folder):
                tar.add(path, str(path.relative_to(folder)), recursive=False, filter=_plain)
    except OSError as error:
        raise UsageError(f"{folder} cannot be read: {error.strerror or error}") from error
    packed.seek(0)
    return pieces(packed)


def pack_image(digest: str) -> Iterator[bytes]:
    with DockerClient(SAVE_S) as client:
        stream = client.call(saved, client, digest)
        try:
            yield from pieces(stream)  # the client's own limit per call does not cover a stream
        except OSError as error:
            raise InfraError(f"docker stopped in the middle of the image {digest}: {error}") from error


def pieces(stream: IO[bytes]) -> Iterator[bytes]:
    """The same bytes in pieces of one size; only the last is shorter."""
    return iter(lambda: stream.read(PIECE_BYTES), b"")


def _plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
    """Without all that the digest of a folder does not count."""
    member.mode = 0o755 if member.mode & 0o100 else 0o644
    member.uid = member.gid = 0
    member.uname = member.gname = ""
    member.mtime = 0
    return member
