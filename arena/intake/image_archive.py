"""Archives that `docker save` writes: read without docker, written anew, and only our copy is loaded."""

import hashlib
import io
import json
import posixpath
import shutil
import tarfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

from arena.errors import InfraError, UsageError
from arena.intake.image_layers import Budget, LayerWriter
from arena.intake.image_settings import diff_ids_of, read_settings, write_configuration
from arena.intake.readers import map_archive_errors, members, tar_stream
from arena.intake.unpacking import map_write_errors, read_some
from arena.sandboxes.docker import images
from arena.sandboxes.docker.client import DockerClient
from arena.sandboxes.docker.image_files import LayerCheck
from arena.untrusted import streams
from arena.untrusted.filetree import map_read_errors
from arena.untrusted.limited import Allowance, run_limited
from arena.untrusted.tar import BLOCK, Content, Kind, Member, read_members
from arena.untrusted.text import escaped, quoted
from arena.untrusted.units import MIB

MANIFEST = "manifest.json"
MAX_LAYERS = 128
LOAD_S = 300.0
"""Seconds that docker may take to load an image."""
_MAX_SEARCHED = 100_000
_MAX_MEMBERS = 8 * MAX_LAYERS
_MAX_JSON_BYTES = 1 << 20
_CHUNK = 1 << 20
_RESERVE_BYTES = 256 * MIB
_ALLOWANCE = Allowance(seconds=300, file_bytes=images.MAX_ARCHIVE_BYTES)
"""Images have gigabytes."""


def holds_image(path: Path, bot_manifest: str) -> bool:
    """Whether a tar archive is one of an image; UsageError if it is neither that nor one of a bot's folder."""
    return bool(run_limited(find_manifest, str(path), bot_manifest, what=path.name, allowance=_ALLOWANCE))


def find_manifest(path: str, bot_manifest: str) -> bool:
    """The same, in the process with limits."""
    with tar_stream(Path(path), images.MAX_ARCHIVE_BYTES) as archive:
        for number, member in enumerate(members(archive)):
            name = member.name.removeprefix("./")
            if name == MANIFEST:
                return True
            if posixpath.basename(name) == bot_manifest and name.count("/") <= 1:
                return False
            if number > _MAX_SEARCHED:
                break
    raise UsageError(f"{Path(path).name} holds neither a {bot_manifest} nor an image as `docker save` writes it")


@dataclass(frozen=True, slots=True, kw_only=True)
class Copy:
    """An image that was written anew."""

    source: str
    """The digest of the image as it was handed in."""
    size: int
    """How many bytes its layers unpack to."""


def save(digest: str, target: Path, what: str) -> None:
    """Write an image that docker has to a file; what the daemon kept of a stranger's archive is still a stranger's."""
    with DockerClient(images.SAVE_S) as client, map_write_errors(what), target.open("xb") as file:
        limited = streams.SizeLimited(client.call(images.saved, client, digest), images.MAX_ARCHIVE_BYTES, what)
        client.call(shutil.copyfileobj, limited, file, _CHUNK)


def load(path: Path, *, working_folder: Path, tag: str, reference: str | None = None) -> tuple[str, str]:
    """Check the archive of one image, and load a copy of ours under our own name for it.

    Returns the digests of the image as it was handed in and as it was loaded. `reference` is its name if it has one.
    """
    what = path.name if reference is None else f"the image {reference}"
    named = f"in {path.name}" if reference is None else reference
    copy = working_folder / "image.tar"
    try:
        made = run_limited(copy_image, str(path), str(copy), [what, named, tag], what=what, allowance=_ALLOWANCE)
        with DockerClient(LOAD_S) as client, copy.open("rb") as file:
            check_room(client, int(made["size"]))
            _load_into_docker(client, file, what)
            return str(made["source"]), str(client.call(client.api.inspect_image, tag)["Id"])
    finally:
        copy.unlink(missing_ok=True)


def copy_image(source: str, target: str, names: list[str]) -> dict[str, Any]:
    """In the process with limits: check an archive, and write an image with the same files to a new one."""
    what, reference, tag = names
    path = Path(source)
    with _seekable(path, Path(f"{target}.unpacked"), what) as file, map_archive_errors(what):
        archive = _Archive(file, what)
        with map_write_errors(what), Path(target).open("xb") as copy:
            return asdict(_copy(archive, copy, reference, tag))


@contextmanager
def _seekable(path: Path, unpacked: Path, what: str) -> Iterator[io.BufferedReader]:
    """The archive itself, or unpacked into a temporary file if it is compressed."""
    with map_read_errors(what):
        packed = path.open("rb")
    with packed as file:
        if streams.unpacker(file) is None:
            yield file
            return
        most = images.MAX_ARCHIVE_BYTES
        content = streams.decompressed(file, packed_bytes=path.stat().st_size, most=most, what=what)
        with map_write_errors(what), unpacked.open("xb") as target:
            while data := read_some(content, _CHUNK, what):
                target.write(data)
    try:
        with unpacked.open("rb") as plain:
            yield plain
    finally:
        unpacked.unlink()


class _Archive:
    """The members of an archive by their names; of two with one name neither counts."""

    def __init__(self, file: io.BufferedReader, what: str) -> None:
        self.what = what
        self._file = file
        self._found: dict[str, tuple[Member, int]] = {}
        for member, _ in islice(read_members(file, what), _MAX_MEMBERS):
            name = member.name.removeprefix("./").rstrip("/")
            if name in self._found:
                raise UsageError(f"{what}: {quoted(name)} is there twice")
            self._found[name] = member, file.tell()

    def open(self, name: object) -> tuple[io.BufferedReader, int]:
        """The file of this name and its size; `docker save` writes a layer that comes twice as a link to the first."""
        member, offset = self._found.get(str(name), (None, 0))
        if member is not None and member.kind is Kind.SYMLINK:
            target = posixpath.normpath(posixpath.join(posixpath.dirname(str(name)), member.target))
            member, offset = self._found.get(target, (None, 0))
        if member is None or member.kind is not Kind.FILE:
            raise UsageError(f"{self.what}: the file {quoted(str(name))} of the image is missing")
        self._file.seek(offset)
        return io.BufferedReader(Content(self._file, member.size, self.what), _CHUNK), member.size

    def json(self, name: str) -> tuple[Any, bytes]:
        """A small file of this name that holds JSON: its value and its bytes."""
        content, size = self.open(name)
        if size > _MAX_JSON_BYTES:
            raise UsageError(f"{self.what} holds no image as `docker save` writes it")
        raw = content.read()
        try:
            return json.loads(raw), raw
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{self.what}: {quoted(name)} is not valid JSON") from error


def _copy(archive: _Archive, target: IO[bytes], reference: str, tag: str) -> Copy:
    config_name, layer_names = _listed(archive)
    configuration, raw = archive.json(config_name)
    settings = read_settings(configuration, archive.what)
    images.check(reference, settings, 0)
    check = LayerCheck(f"the image {reference}", images.workdir_of(reference, settings))
    budget, image = Budget(archive.what), _ImageWriter(target)
    sources = [_copy_layer(archive, name, image, budget, check) for name in layer_names]
    check.finish()
    if sources != diff_ids_of(configuration):
        raise UsageError(f"{archive.what}: its layers are not those that its configuration names")
    image.finish(write_configuration(settings, configuration, image.diff_ids), tag)
    return Copy(source=f"sha256:{hashlib.sha256(raw).hexdigest()}", size=budget.size)


def _listed(archive: _Archive) -> tuple[str, list[object]]:
    """The names of the configuration and the layers."""
    match archive.json(MANIFEST)[0]:
        case [{"Config": str(config_name), "Layers": list(layer_names)}]:
            pass
        case _:
            raise UsageError(f"{archive.what} must hold exactly one image")
    if not 0 < len(layer_names) <= MAX_LAYERS:
        raise UsageError(f"{archive.what} must hold an image of 1 to {MAX_LAYERS} layers")
    return config_name, layer_names


def _copy_layer(archive: _Archive, name: object, image: "_ImageWriter", budget: Budget, check: LayerCheck) -> str:
    """Write one layer anew; the digest of its bytes as they were handed in."""
    packed, size = archive.open(name)
    unpacked = streams.decompressed(
        packed, packed_bytes=size, most=images.MAX_ARCHIVE_BYTES, what=f"a layer of {archive.what}"
    )
    source = _Hashed(unpacked)
    layer = io.BufferedReader(source, _CHUNK)
    with image.layer() as target:
        image.diff_ids.append(LayerWriter(target, budget, archive.what).copy(layer, check))
    return source.finish()


class _Hashed(io.RawIOBase):
    """A stream that computes the digest of what is read from it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream = stream
        self._hash = hashlib.sha256()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        """Read on; how many bytes there were."""
        data = self._stream.read(len(buffer))
        self._hash.update(data)
        buffer[: len(data)] = data
        return len(data)

    def finish(self) -> str:
        """The digest of the whole stream, whose end is read too."""
        while self.read(_CHUNK):
            pass
        return f"sha256:{self._hash.hexdigest()}"


class _ImageWriter:
    """Writes an image as `docker load` reads it."""

    def __init__(self, target: IO[bytes]) -> None:
        self.diff_ids: list[str] = []
        self._target = target

    @contextmanager
    def layer(self) -> Iterator[IO[bytes]]:
        """The file to which the next layer is written; its header is put before it when its size is known."""
        start = self._target.tell()
        self._target.write(bytes(BLOCK))
        yield self._target
        end = self._target.tell()
        self._target.seek(start)
        self._target.write(_plain_header(_layer_name(len(self.diff_ids) - 1), end - start - BLOCK))
        self._target.seek(end)

    def finish(self, configuration: bytes, tag: str) -> None:
        """Write the configuration, and the one name that the image gets: one of the stranger's could be in use."""
        layers = [_layer_name(number) for number in range(len(self.diff_ids))]
        listed = json.dumps([{"Config": "config.json", "RepoTags": [tag], "Layers": layers}]).encode()
        for name, content in (("config.json", configuration), (MANIFEST, listed)):
            self._target.write(_plain_header(name, len(content)) + content + bytes(-len(content) % BLOCK))
        self._target.write(bytes(2 * BLOCK))


def _layer_name(number: int) -> str:
    return f"{number}.tar"


def _plain_header(name: str, size: int) -> bytes:
    header = tarfile.TarInfo(name)
    header.size = size
    return header.tobuf(tarfile.GNU_FORMAT)


def check_room(client: DockerClient, size: int) -> None:
    """InfraError if docker's disk has no room for an image, which the daemon writes twice while it loads it."""
    folder = Path(client.call(client.api.info)["DockerRootDir"])
    try:
        free = shutil.disk_usage(folder).free
    except OSError:
        return  # the daemon has another root folder than we
    needed = 2 * size + _RESERVE_BYTES
    if free < needed:
        raise InfraError(
            f"docker has {free // MIB} MiB left in {folder}, and to load the image takes {needed // MIB}: make room"
        )


def _load_into_docker(client: DockerClient, file: IO[bytes], what: str) -> None:
    events: list[dict[str, Any]] = client.call(lambda: list(client.api.load_image(file)))
    for event in events:
        if "error" in event:
            raise UsageError(f"{what} cannot be loaded: {escaped(str(event['error']), limit=2000)}")
    if not events:
        raise InfraError(f"docker did not say what became of {what}")
