"""Plain processes for bots that the operator trusts: limits where there are control groups, and no isolation."""

import contextlib
import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from arena.errors import InfraError
from arena.referee.enforcement import Enforcement
from arena.sandboxes import processors
from arena.sandboxes.base import SOCKET_NAME
from arena.sandboxes.kernel import procfs
from arena.sandboxes.launched.child_process import LaunchPlan, gated
from arena.sandboxes.launched.lifecycle import LaunchedSandbox

_ID_VARIABLE = "ARENA_SANDBOX"
"""Environment variable with a random token, by which the processes of a bot are found."""
_INHERITED = ("PATH", "HOME", "LANG")


class ProcessSandbox(LaunchedSandbox):
    """A bot as a plain process, which can do whatever the referee can; its enforcement says so in every record."""

    _socket_directory: Path | None = None

    def _acquire(self) -> None:
        super()._acquire()
        self._socket_directory = Path(tempfile.mkdtemp(prefix="arena-"))

    @property
    def _uid(self) -> int:
        return os.getuid()

    def _plan(self) -> LaunchPlan:
        inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
        own = {"ARENA_SOCKET": f"{self._socket_directory}/{SOCKET_NAME}", _ID_VARIABLE: self._token}
        return LaunchPlan(
            argv=gated(self._program.command),
            cwd=str(self._program.path.resolve()),
            env={**inherited, **processors.environment(self._limits), **self._program.env, **own},
            uid=None,
            rlimits=self._rlimits(),
            processors=processors.for_bot(self._limits),
            procs_files=self._group.procs_files(),
            staging=None,
            extra={},
        )

    async def _read_back(self, directory: int | None, init: int | None) -> Enforcement:
        if directory is not None or init is not None or self._socket_directory is None:
            raise InfraError("a plain process has a socket directory and no staging directory")
        self._directory = os.open(self._socket_directory, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._check_membership([self._running().pid])
        return {
            "sandbox": "process",
            "memory": self._enforced_by("memory", "rlimit"),
            "pids": self._enforced_by("pids", "none"),
            "cpu": self._enforced_by("cpu", "none"),
            "cputime": self._enforced_by("cputime", "processes"),
            "freeze": self._enforced_by("freeze", "signal"),
            "kill": self._enforced_by("kill", "process group"),
            "network": "none",
            "files": "none",
            "inodes": "none",
            "seccomp": "none",
            "uid": "shared",
        }

    def _processes(self) -> list[int]:
        return procfs.with_environment(f"{_ID_VARIABLE}={self._token}".encode())

    def _begin_kill(self) -> None:
        session = self._running().pid
        self._escaped = any(_session(pid) not in (session, None) for pid in self._processes())
        if self._death is not None:
            self._death = replace(self._death, escaped=self._escaped)
        self._kill_all()

    def _free_resources(self) -> None:
        try:
            if self._socket_directory is not None:
                shutil.rmtree(self._socket_directory)
        except OSError as error:
            raise InfraError(f"the folder of a bot cannot be removed: {error}") from error


def _session(pid: int) -> int | None:
    with contextlib.suppress(ProcessLookupError):
        return os.getsid(pid)
    return None
