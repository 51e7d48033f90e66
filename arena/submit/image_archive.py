"""Archives that `docker save` writes: checked without docker, and loaded without the tags inside them."""

import hashlib
import io
import json
import posixpath
import tarfile
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Any

from arena.errors import InfraError, UsageError
from arena.sandboxes.docker import images
from arena.sandboxes.docker.client import DockerClient, NotFound
from arena.sandboxes.docker.image_files import LayerCheck
from arena.submit import streams
from arena.submit.readers import map_archive_errors, members, open_tar, tar_stream
from arena.submit.unpacking import map_write_errors, read_some
from arena.untrusted.filetree import map_read_errors
from arena.untrusted.limited import Allowance, run_limited
from arena.untrusted.text import escaped, quoted
from arena.untrusted.units import MIB

MANIFEST = "manifest.json"
MAX_LAYERS = 128
MAX_LAYER_ENTRIES = 100_000
LOAD_S = 300.0
"""Seconds that docker may take to load an image."""
_MAX_MEMBERS = 8 * MAX_LAYERS
_MAX_JSON_BYTES = 1 << 20
_MOST = images.MAX_IMAGE_BYTES + 64 * MIB
_CHUNK = 1 << 20
_ALLOWANCE = Allowance(seconds=300, file_bytes=_MOST)
"""Images have gigabytes."""


def holds_image(path: Path, bot_manifest: str) -> bool:
    """Whether a tar archive is one of an image; UsageError if it is neither that nor one of a bot's folder."""
    return bool(run_limited(find_manifest, str(path), bot_manifest, what=path.name, allowance=_ALLOWANCE))


def find_manifest(path: str, bot_manifest: str) -> bool:
    """The same, in the process with limits."""
    with tar_stream(Path(path), _MOST) as archive:
        for number, member in enumerate(members(archive)):
            name = member.name.removeprefix("./")
            if name == MANIFEST:
                return True
            if posixpath.basename(name) == bot_manifest and name.count("/") <= 1:
                return False
            if number > MAX_LAYER_ENTRIES:
                break
    raise UsageError(f"{Path(path).name} holds neither a {bot_manifest} nor an image as `docker save` writes it")


@dataclass(frozen=True, slots=True)
class _Parts:
    """The members of an archive that make up its image."""

    config: tarfile.TarInfo
    layers: Sequence[tarfile.TarInfo]
    digest: str


def load(client: DockerClient, path: Path, tag: str) -> str:
    """Check the archive of one image, load it under our own name for it, and return its digest."""
    with tempfile.TemporaryDirectory(prefix="arena-image-") as place:
        stripped = Path(place, "image.tar")
        digest = str(run_limited(strip, str(path), str(stripped), what=path.name, allowance=_ALLOWANCE))
        with stripped.open("rb") as file:
            _load_into_docker(file, path.name)
    repository, _, label = tag.partition(":")
    try:
        client.call(client.api.tag, digest, repository, label)
    except NotFound:
        raise UsageError(f"{path.name}: its layers are not those that its configuration names") from None
    return digest


def strip(source: str, target: str) -> str:
    """In the process with limits: check an archive, write its image alone to a new file, and return its digest."""
    path = Path(source)
    with _seekable(path) as file, map_archive_errors(path.name), open_tar(file, "r:") as archive:
        parts = _examine(archive, path.name)
        with map_write_errors(path.name), Path(target).open("xb") as stripped:
            _strip(archive, parts, stripped)
    return parts.digest


@contextmanager
def _seekable(path: Path) -> Iterator[IO[bytes]]:
    """The archive unpacked, in a temporary file if it is compressed."""
    with map_read_errors(path.name):
        packed = path.open("rb")
    with packed as file, tempfile.TemporaryFile() as unpacked:
        if streams.unpacker(file) is None:
            yield file
            return
        content = streams.decompressed(file, packed_bytes=path.stat().st_size, most=_MOST, what=path.name)
        while data := read_some(content, _CHUNK, path.name):
            with map_write_errors(path.name):
                unpacked.write(data)
        unpacked.seek(0)
        yield unpacked


def _examine(archive: tarfile.TarFile, what: str) -> _Parts:
    found = {member.name.removeprefix("./"): member for member in islice(members(archive), _MAX_MEMBERS)}
    listed = _json(archive, found.get(MANIFEST), what)
    match listed:
        case [{"Config": str(config_name), "Layers": list(layer_names)}]:
            pass
        case _:
            raise UsageError(f"{what} must hold exactly one image")
    if not 0 < len(layer_names) <= MAX_LAYERS:
        raise UsageError(f"{what} must hold an image of 1 to {MAX_LAYERS} layers")
    layers = [_plain_member(found, name, what) for name in layer_names]
    config = _plain_member(found, config_name, what)
    settings = _json(archive, config, what)
    if not isinstance(settings, dict) or not isinstance(settings.get("config") or {}, dict):
        raise UsageError(f"{what}: the configuration of the image is none")
    workdir = images.workdir_of(f"in {what}", settings.get("config") or {})
    files = LayerCheck(f"the image in {what}", workdir)
    size = sum(_layer_size(archive, layer, what, files) for layer in {layer.name: layer for layer in layers}.values())
    files.finish()
    images.check(f"in {what}", settings.get("config") or {}, size)
    content = _content(archive, config).read()
    return _Parts(config, layers, f"sha256:{hashlib.sha256(content).hexdigest()}")


def _plain_member(found: dict[str, tarfile.TarInfo], name: object, what: str) -> tarfile.TarInfo:
    """The file of this name; `docker save` writes a layer that comes twice as a link to the first."""
    member = found.get(str(name))
    if member is not None and member.issym():
        member = found.get(posixpath.normpath(posixpath.join(posixpath.dirname(str(name)), member.linkname)))
    if member is None or not member.isreg() or member.issparse():
        raise UsageError(f"{what}: the file {quoted(str(name))} of the image is missing")
    return member


def _json(archive: tarfile.TarFile, member: tarfile.TarInfo | None, what: str) -> Any:
    if member is None or not member.isreg() or member.size > _MAX_JSON_BYTES:
        raise UsageError(f"{what} holds no image as `docker save` writes it")
    try:
        return json.loads(_content(archive, member).read())
    except (ValueError, RecursionError) as error:
        raise UsageError(f"{what}: {quoted(member.name)} is no valid JSON") from error


def _layer_size(archive: tarfile.TarFile, layer: tarfile.TarInfo, what: str, files: LayerCheck) -> int:
    """How large a layer is when it is unpacked; a bomb, or a file that no image may have, is noticed on the way."""
    content = streams.decompressed(
        _content(archive, layer), packed_bytes=layer.size, most=_MOST, what=f"a layer of {what}"
    )
    total = 0

    def counted(entries: Iterable[tarfile.TarInfo]) -> Iterator[tarfile.TarInfo]:
        nonlocal total
        for number, member in enumerate(entries):
            total += member.size
            if number > MAX_LAYER_ENTRIES or total > images.MAX_IMAGE_BYTES:
                raise UsageError(f"{what}: a layer has more than {MAX_LAYER_ENTRIES} entries, or is too large")
            yield member

    with open_tar(content, "r|") as tar:
        files.add(counted(members(tar)))
    return total


def _content(archive: tarfile.TarFile, member: tarfile.TarInfo) -> IO[bytes]:
    return archive.extractfile(member) or io.BytesIO()


def _strip(archive: tarfile.TarFile, parts: _Parts, target: IO[bytes]) -> None:
    """Write the image alone: a name in the archive could take the place of an image that is here already."""
    layers = [f"{number}.tar" for number in range(len(parts.layers))]
    listed = json.dumps([{"Config": "config.json", "RepoTags": None, "Layers": layers}]).encode()
    with tarfile.open(fileobj=target, mode="w") as stripped:
        _add(stripped, MANIFEST, io.BytesIO(listed), len(listed))
        _add(stripped, "config.json", _content(archive, parts.config), parts.config.size)
        for name, layer in zip(layers, parts.layers):
            _add(stripped, name, _content(archive, layer), layer.size)


def _add(archive: tarfile.TarFile, name: str, content: IO[bytes], size: int) -> None:
    header = tarfile.TarInfo(name)
    header.size = size
    archive.addfile(header, content)


def _load_into_docker(file: IO[bytes], what: str) -> None:
    with DockerClient(LOAD_S) as client:
        events: list[dict[str, Any]] = client.call(lambda: list(client.api.load_image(file)))
    for event in events:
        if "error" in event:
            raise UsageError(f"{what} cannot be loaded: {escaped(str(event['error']), limit=2000)}")
    if not events:
        raise InfraError(f"docker did not say what became of {what}")
