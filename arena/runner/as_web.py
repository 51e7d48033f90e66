"""Runs a command as the user of the web process: `python -m … FOLDER COMMAND`, started by root.

Where this Python or the contest lies below a folder that only its owner may enter, such as /root, the command sees an
empty folder in its place, with nothing in it but what it needs.
"""

import ctypes
import os
import stat
import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from arena.errors import UsageError
from arena.runner.web_user import WEB_UID
from arena.untrusted.python_process import end_with_parent

_CLONE_NEWNS = 0x20000
_MS_BIND, _MS_REC, _MS_PRIVATE = 4096, 16384, 1 << 18
_MS_NOSUID, _MS_NODEV = 2, 4


def as_web(folder: Path, command: Sequence[str]) -> list[str]:
    """The command as one of the web process of the contest in this folder; only root needs another user for it."""
    if os.geteuid() != 0:
        return list(command)
    return [sys.executable, "-P", "-m", "arena.runner.as_web", str(folder), *command]


def main() -> None:
    parent = os.getppid()
    needed = {Path(sys.prefix), Path(sys.base_prefix), *map(Path, sys.path), Path(sys.argv[1])}
    try:
        uncover([path.resolve() for path in needed if path.is_dir()])
    except UsageError as error:
        sys.stderr.write(f"Error: {error}\n")
        sys.exit(error.exit_code)
    os.setgroups([])
    os.setresgid(WEB_UID, WEB_UID, WEB_UID)
    os.setresuid(WEB_UID, WEB_UID, WEB_UID)
    end_with_parent(parent, 15)  # once more, since the change of user has cleared it
    os.environ["HOME"] = "/nonexistent"
    os.umask(0o077)
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606  (no shell is the point)


def uncover(needed: Sequence[Path]) -> None:
    """Let everybody reach these folders, in this process and what it starts; all else beside them is hidden."""
    shut = {path: _shut_above(path) for path in needed}
    covers = sorted({cover for cover in shut.values() if cover is not None})
    if not covers:
        return
    _call("unshare", _CLONE_NEWNS)
    _mount(b"none", b"/", None, _MS_REC | _MS_PRIVATE)
    with ExitStack() as stack:
        held = {}
        for path in sorted(path for path, cover in shut.items() if cover is not None):
            held[path] = os.open(path, os.O_PATH | os.O_DIRECTORY)
            stack.callback(os.close, held[path])
        for cover in covers:
            _mount(b"none", bytes(cover), b"tmpfs", _MS_NOSUID | _MS_NODEV, b"mode=0755,size=1m")
        for path, number in held.items():
            path.mkdir(parents=True, exist_ok=True)
            _mount(f"/proc/self/fd/{number}".encode(), bytes(path), None, _MS_BIND | _MS_REC)


def _shut_above(path: Path) -> Path | None:
    """The topmost folder on the way to it that not everybody may enter."""
    return next((top for top in reversed(path.parents) if not top.stat().st_mode & stat.S_IXOTH), None)


def _mount(source: bytes, target: bytes, kind: bytes | None, flags: int, options: bytes | None = None) -> None:
    _call("mount", source, target, kind, ctypes.c_ulong(flags), options)


def _call(name: str, *words: object) -> None:
    if getattr(ctypes.CDLL(None, use_errno=True), name)(*words) != 0:
        reason = os.strerror(ctypes.get_errno())
        raise UsageError(
            f"the web process does not run as root, and cannot be shown this Python or the contest ({name}: {reason}): "
            "put both into folders that everybody may enter, or start this as another user"
        )


if __name__ == "__main__":
    main()
