"""What Go compiles of gRPC for every bot, made once from the packages of this machine, and read-only in a build.

No stranger's file has a part in it. Go itself looks up what it reuses by all that went into it, so what is out of date
costs time and nothing else.
"""

import hashlib
import shutil
import tempfile
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

from arena.errors import UsageError
from arena.intake.folder_storage import FolderStorage, make_read_only
from arena.sandboxes.base import BotDirectory
from arena.sandboxes.launched.build import BuildSandbox

LIBRARIES = Path("/usr/share/gocode")
PACKAGES = ("google.golang.org/grpc", "google.golang.org/grpc/health", "google.golang.org/protobuf/runtime/protoimpl")
_GO = Path("/usr/bin/go")
_AS_THE_TEMPLATE = {"GO111MODULE": "off", "GOPATH": str(LIBRARIES), "CGO_ENABLED": "0"}
"""As `arena bot new --lang go` builds: Go reuses nothing that was compiled otherwise."""
_INTO = "cache"
_LINK = 'mkdir -p ~/.cache && cp -rs "$0" ~/.cache/go-build && exec "$@"'
"""Links, since copies would count as the build's own memory; what Go adds are files beside them, which end with it."""


async def with_go_cache(program: BotDirectory, storage: FolderStorage) -> BotDirectory:
    """The same build, beginning with this cache if it is one of Go."""
    if not _GO.exists() or not any(program.path.glob("*.go")):
        return program
    cache = storage.folder / f".go-{_key()}"
    with suppress(UsageError):  # such as no gRPC here: the build itself says what it lacks
        if not cache.is_dir():
            await _make(program, cache, storage)
        command = ("/bin/sh", "-c", _LINK, str(cache.resolve()), *program.command)
        return replace(program, command=command, read_only=(*program.read_only, cache.resolve()))
    return program


def _key() -> str:
    """Changes with Go and with the libraries, each of which a package manager replaces as a whole."""
    parts = [(path, path.stat().st_mtime_ns) for path in (_GO.resolve(), *sorted(LIBRARIES.glob("src/*/*")))]
    return hashlib.sha256(repr((parts, PACKAGES)).encode()).hexdigest()[:16]


async def _make(program: BotDirectory, cache: Path, storage: FolderStorage) -> None:
    """Compile the packages in a sandbox like any build, in a folder of ours."""
    with tempfile.TemporaryDirectory(prefix="arena-go-") as empty, storage.working_folder() as working:
        Path(empty).chmod(0o755)
        # The folder of a build is its current one.
        command = ("/bin/sh", "-c", f'export GOCACHE=$PWD/{_INTO}; exec go build -trimpath "$@"', "go", *PACKAGES)
        ours = BotDirectory(Path(empty), command, read_only=program.read_only, env=_AS_THE_TEMPLATE)

        def collect(made: Path) -> None:
            shutil.copytree(made / _INTO, working / _INTO)

        await BuildSandbox(ours).build(collect)
        (working / _INTO / "trim.txt").unlink(missing_ok=True)  # Go's note of when it last tidied up, to be its own
        make_read_only(working / _INTO)
        (working / _INTO).chmod(0o755)  # without this nobody but root could move it
        with suppress(OSError):  # another one was faster
            (working / _INTO).rename(cache)
