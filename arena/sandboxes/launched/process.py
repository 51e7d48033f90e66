"""Bots that the operator trusts, as plain processes: limits where control groups give them, no isolation at all."""

import contextlib
import os
import shutil
import tempfile
from dataclasses import replace
from pathlib import Path

from arena.errors import InfraError
from arena.sandboxes.base import SOCKET_NAME, Enforcement
from arena.sandboxes.kernel import procfs
from arena.sandboxes.launched.child_process import Plan, gated
from arena.sandboxes.launched.lifecycle import LaunchedSandbox

_MARK = "ARENA_SANDBOX"
_KEPT = ("PATH", "HOME", "LANG")


class ProcessSandbox(LaunchedSandbox):
    """No sandbox: the bot can read, write and reach whatever the referee can, and every record of it says so."""

    _home: Path | None = None

    def _acquire(self) -> None:
        super()._acquire()
        self._home = Path(tempfile.mkdtemp(prefix="arena-"))

    @property
    def _uid(self) -> int:
        return os.getuid()

    def _plan(self) -> Plan:
        kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
        own = {"ARENA_SOCKET": f"{self._home}/{SOCKET_NAME}", _MARK: self._token}
        return Plan(
            argv=gated(self._program.command),
            cwd=str(self._program.path.resolve()),
            env={**kept, **self._program.env, **own},
            uid=None,
            rlimits=self._rlimits(),
            doors=self._group.doors(),
        )

    async def _settle(self, directory: int | None, init: int | None) -> Enforcement:
        if directory is not None or init is not None or self._home is None:
            raise InfraError("a plain process has a home and no stage")
        self._directory = os.open(self._home, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._check_membership(self._running().pid)
        return {
            "sandbox": "process",
            "memory": self._by_group("memory", "rlimit"),
            "pids": self._by_group("pids", "none"),
            "cpu": self._by_group("cpu", "none"),
            "freeze": self._by_group("freeze", "signal"),
            "kill": self._by_group("kill", "process group"),
            "network": "none",
            "files": "none",
            "seccomp": "none",
            "uid": "shared",
        }

    def _processes(self) -> list[int]:
        return procfs.carrying(f"{_MARK}={self._token}".encode())

    def _begin_to_end(self) -> None:
        session = self._running().pid
        self._escaped = any(_session(pid) not in (session, None) for pid in self._processes())
        if self._death is not None:
            self._death = replace(self._death, escaped=self._escaped)
        self._strike()

    def _discard(self) -> None:
        try:
            if self._home is not None:
                shutil.rmtree(self._home)
        except OSError as error:
            raise InfraError(f"the folder of a bot cannot be removed: {error}") from error


def _session(pid: int) -> int | None:
    with contextlib.suppress(ProcessLookupError):
        return os.getsid(pid)
    return None
