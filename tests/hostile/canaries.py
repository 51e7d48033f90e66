"""Things on the host that no bot may ever reach: a secret in files and in the environment, and doors that listen."""

import contextlib
import os
import socket
from pathlib import Path

SECRET = "canary-5f1d0c7e"
"""In the referee's environment and in files that every user of the host may read."""
VARIABLE = "ARENA_HOSTILE_CANARY"
ABSTRACT = "\0arena-hostile-canary"
PORT = 61999
PLACES = tuple(Path(place) for place in ("/tmp", "/var/tmp", "/run", "/dev/shm"))


class Canaries:
    """Sets the traps for as long as it is entered as a context."""

    def __enter__(self) -> "Canaries":
        os.environ[VARIABLE] = SECRET
        self._doors = [door for door in (_abstract(), _port()) if door is not None]
        self._files = [place / f"arena-hostile-canary-{os.getpid()}" for place in PLACES if os.access(place, os.W_OK)]
        for path in self._files:
            path.write_text(SECRET)
            path.chmod(0o666)
        return self

    def __exit__(self, *_: object) -> None:
        del os.environ[VARIABLE]
        for door in self._doors:
            door.close()
        for path in self._files:
            path.unlink(missing_ok=True)

    def sung(self) -> list[str]:
        """What was touched."""
        found = [f"{path} was changed" for path in self._files if not path.exists() or path.read_text() != SECRET]
        for door in self._doors:
            with contextlib.suppress(BlockingIOError):
                door.accept()[0].close()
                found.append(f"somebody connected to {door.getsockname()!r}")
        return found


def _abstract() -> socket.socket | None:
    return _listening(socket.AF_UNIX, ABSTRACT)


def _port() -> socket.socket | None:
    return _listening(socket.AF_INET, ("127.0.0.1", PORT))


def _listening(family: int, address: str | tuple[str, int]) -> socket.socket | None:
    """A listening socket; None when another test process has set this trap already."""
    door = socket.socket(family)
    door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        door.bind(address)
        door.listen()
        door.setblocking(False)
    except OSError:
        door.close()
        return None
    return door
