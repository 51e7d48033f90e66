"""A process beside the referee that removes a container when the referee is killed."""

import os
import subprocess
import sys
from collections.abc import Collection
from pathlib import Path

from arena.errors import InfraError
from arena.untrusted.python_process import python_environment

_SCRIPT = Path(__file__).with_name("watch.py")
_REMOVE = "import sys; from arena.sandboxes.sweeping import remove_sandbox; remove_sandbox(*sys.argv[1:])"
_END_S = 5.0


class Watchdog:
    """The watchdog of one container and its directories, started before the container is made."""

    def __init__(self, container: str, directories: Collection[Path], *, leases: Collection[int] = ()) -> None:
        """`leases` are descriptors that the watchdog inherits, to keep them open as long as the container exists."""
        remove = [sys.executable, "-c", _REMOVE, container, *map(str, directories)]
        # The watchdog must find the same Arena as this process; it imports it only when it has to clean up.
        env = python_environment()
        try:
            self._process = subprocess.Popen(  # noqa: S603  (the command is our own)
                [sys.executable, "-I", "-S", str(_SCRIPT), str(os.getpid()), *remove],
                stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=env, cwd="/",
                pass_fds=tuple(leases), start_new_session=True,  # no signals to the referee's process group
            )  # fmt: skip
        except OSError as error:
            raise InfraError(f"the watchdog of a container cannot be started: {error}") from error

    def stop(self) -> None:
        """End the watchdog, because nothing is left to be removed."""
        try:
            self._process.communicate(b".", timeout=_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
