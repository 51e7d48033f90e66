"""Small temporary directories in memory that are mounted into containers: for the socket, or for read-only files."""

import ctypes
import os
import shutil
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path

from arena.errors import InfraError
from arena.sandboxes.base import SOCKET_DIR_BYTES, SOCKET_DIR_INODES
from arena.sandboxes.kernel import procfs
from arena.sandboxes.referee_id import PREFIX, is_alive, referee_id

_PARENT = Path("/run/arena")
_MS_NOSUID, _MS_NODEV, _MS_NOEXEC, _MNT_DETACH = 2, 4, 8, 2


class SocketDirectory:
    """A tmpfs of limited size if we are root, or else a private directory on an existing file system in memory."""

    def __init__(self, uid: int, files: Mapping[str, str] | None = None) -> None:
        self.mounted = os.geteuid() == 0
        texts = files or {}
        self.path = (
            _mount(uid, SOCKET_DIR_BYTES + 2 * sum(map(len, texts.values()))) if self.mounted else _make_in_memory()
        )
        for name, text in texts.items():
            (self.path / name).write_text(text, encoding="utf-8")
            (self.path / name).chmod(0o444)

    def remove(self) -> None:
        """Unmount and remove the directory, without reading what the bot has put there."""
        remove(self.path)


def remove(path: Path) -> None:
    """Remove a socket directory, which another process of this user may have made."""
    if os.geteuid() == 0:
        _unmount(path)
    else:
        shutil.rmtree(path, ignore_errors=True)


def sweep() -> list[str]:
    """Remove the directories of referees that are gone; the names of those that could be removed."""
    dead = [path for path in _PARENT.glob("*-*-*-*") if not is_alive(path.name.rpartition("-")[0])]
    return [path.name for path in dead if _try_unmount(path)]


def _try_unmount(path: Path) -> bool:
    try:
        _unmount(path)
    except InfraError:
        return False
    return True


def _mount(uid: int, size: int) -> Path:
    _PARENT.mkdir(mode=0o711, exist_ok=True)
    path = Path(tempfile.mkdtemp(prefix=f"{referee_id()}-", dir=_PARENT))
    options = f"size={size},nr_inodes={SOCKET_DIR_INODES},mode=0700,uid={uid},gid={uid}"
    libc = ctypes.CDLL(None, use_errno=True)
    flags = ctypes.c_ulong(_MS_NOSUID | _MS_NODEV | _MS_NOEXEC)
    if libc.mount(b"tmpfs", str(path).encode(), b"tmpfs", flags, options.encode()) != 0:
        path.rmdir()
        raise InfraError(f"cannot mount a socket directory: {os.strerror(ctypes.get_errno())}")
    return path


def _unmount(path: Path) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    # Not mounted (a referee killed between the two steps) is fine; a directory that is still busy is not.
    libc.umount2(str(path).encode(), _MNT_DETACH)
    try:
        path.rmdir()
    except FileNotFoundError:
        return
    except OSError as error:
        raise InfraError(f"cannot remove the socket directory {path}: {error.strerror}") from error


def _make_in_memory() -> Path:
    """Make a private directory in memory, where what the bot writes counts against its memory limit."""
    for place in _memory_file_systems():
        return Path(tempfile.mkdtemp(prefix=f"{PREFIX}-", dir=place))
    raise InfraError("no file system in memory for the socket directory: set XDG_RUNTIME_DIR, or run as root")


def _memory_file_systems() -> Iterator[str]:
    kinds = {mount.point: mount.kind for mount in procfs.mounts("self")}
    for place in (os.environ.get("XDG_RUNTIME_DIR", ""), "/dev/shm"):  # noqa: S108
        if kinds.get(place) == "tmpfs" and os.access(place, os.W_OK):
            yield place
