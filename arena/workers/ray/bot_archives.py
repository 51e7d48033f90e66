"""Bots as archives: folders and images in pieces that can be sent to another machine."""

import gzip
import tempfile
from collections.abc import Iterator
from pathlib import Path

from arena.errors import InfraError
from arena.intake.packing import cut, pack
from arena.sandboxes.docker.client import DockerClient
from arena.sandboxes.docker.images import SAVE_S, saved
from arena.untrusted.filetree import map_read_errors
from arena.untrusted.units import MIB

PIECE_BYTES = 32 * MIB
"""Small enough for the object store of any node, large enough to be worth a transfer."""


def pack_folder(folder: Path) -> Iterator[bytes]:
    """The files of a bot in their packed form, compressed; the same files give the same bytes."""
    with tempfile.TemporaryFile() as packed:
        with map_read_errors(str(folder)), gzip.GzipFile(filename="", fileobj=packed, mode="wb", mtime=0) as stream:
            pack(folder, stream)
        packed.seek(0)
        yield from cut(packed, PIECE_BYTES)


def pack_image(digest: str) -> Iterator[bytes]:
    with DockerClient(SAVE_S) as client:
        stream = client.call(saved, client, digest)
        try:
            yield from cut(stream, PIECE_BYTES)  # the client's own limit per call does not cover a stream
        except OSError as error:
            raise InfraError(f"docker stopped in the middle of the image {digest}: {error}") from error
