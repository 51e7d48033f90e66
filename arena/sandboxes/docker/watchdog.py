"""A process beside the referee that removes a container when the referee is killed."""

import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

from arena.errors import InfraError
from arena.untrusted.python_process import python_environment

_SCRIPT = Path(__file__).with_name("watch.py")
_REMOVE = "import sys; from arena.sandboxes.sweeping import remove_box; remove_box(*sys.argv[1:])"
_END_S = 5.0


class Watchdog:
    """Knows one container and its directories by name, before they are started."""

    def __init__(self, container: str, directories: Collection[Path], *, leases: Collection[int] = ()) -> None:
        """`leases` are descriptors that it holds too, so that they last as long as the container."""
        remove = [sys.executable, "-c", _REMOVE, container, *map(str, directories)]
        # Where this process finds Arena, that one shall find it too; it is small until it is needed.
        env = python_environment()
        try:
            self._process = subprocess.Popen(  # noqa: S603  (the command is our own)
                [sys.executable, "-I", "-S", str(_SCRIPT), str(os.getpid()), *remove],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env, cwd="/",
                pass_fds=tuple(leases), start_new_session=True,  # what is sent to the referee's group is not for it
            )  # fmt: skip
        except OSError as error:
            raise InfraError(f"the watchdog of a container cannot be started: {error}") from error

    def call_off(self) -> None:
        """Tell it that nothing is left to be removed, and wait for its end."""
        try:
            self._process.communicate(b".", timeout=_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
