"""A launched process: started from the loop's thread, held at a gate until it is checked, watched until its end."""

import array
import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from arena.errors import InfraError
from arena.sandboxes.base import Limits
from arena.sandboxes.logs import LogReader

CONTROL, FILTER, INFO = 9, 8, 7
"""Descriptor numbers in the launched process; a shell can only name one digit."""

LAUNCH_S = 20.0
_LAUNCHER = Path(__file__).with_name("launcher.py")
# Nothing of the bot runs before the referee has read back what holds it and has answered.
_GATE = f'echo up >&{CONTROL}; read -r go <&{CONTROL}; exec {CONTROL}>&-; [ "$go" = go ] || exit 125; exec "$@"'


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """The mounts that the launcher makes in a namespace of its own."""

    top: str
    binds: Sequence[tuple[str, str]]
    """Where from, and under which name below `top`."""
    files: Mapping[str, str]
    """Files below `top` that the launcher writes, and their text."""
    folder: str
    """The name below `top` of a folder with nothing in it."""
    devices: Sequence[str]
    """Devices to be shown read-only, which protects their times and lets them be used."""
    room: str
    """The name below `top` of the small file system that the bot may write to and the referee gets a handle of."""
    options: str
    """The options of that file system."""
    executable: bool
    """Whether programs may be run from there."""
    user_namespace: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What launch.py is told."""

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    uid: int | None
    rlimits: Mapping[str, int]
    doors: Sequence[str]
    stage: Stage | None = None
    extra: Mapping[int, int] = field(default_factory=dict)
    """Further descriptors: the number there, the number here."""


def gated(command: Sequence[str]) -> list[str]:
    """The command behind a gate that opens when the referee says so."""
    return ["/bin/sh", "-c", _GATE, "gate", *command]


def rlimits(limits: Limits) -> dict[str, int]:
    """The limits that each process carries with it, whatever else holds it."""
    return {
        "RLIMIT_CORE": 0,
        "RLIMIT_CPU": limits.cpu_s,
        "RLIMIT_FSIZE": limits.file_bytes,
        "RLIMIT_MEMLOCK": 1 << 16,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_NOFILE": limits.open_files,
    }


class Child:
    """One launched process; its number stays reserved until `close`, so signals cannot hit a stranger."""

    def __init__(self, plan: Plan, *, log_bytes: int, on_exit: Callable[[], None]) -> None:
        """Start it. This must run in the loop's thread: the process dies with the thread that started it."""
        self._loop = asyncio.get_running_loop()
        self._on_exit = on_exit
        self._control, there = socket.socketpair()
        self._control.setblocking(False)
        self._words, self._spoken = bytearray(), asyncio.Event()
        self._directory: int | None = None
        reading, writing = os.pipe()
        descriptors = {CONTROL: there.fileno(), INFO: there.fileno(), **plan.extra}
        words = {**asdict(plan), "parent": os.getpid(), "control": there.fileno(), "descriptors": descriptors}
        try:
            self._popen = subprocess.Popen(  # noqa: S603  (the command is our own launcher)
                [sys.executable, "-I", "-S", str(_LAUNCHER)],
                stdin=subprocess.PIPE, stdout=writing, stderr=writing, env={}, cwd="/",
                pass_fds=tuple(set(descriptors.values())),
            )  # fmt: skip
        except OSError as error:
            os.close(reading)
            self._control.close()
            raise InfraError(f"the launcher cannot be started: {error}") from error
        finally:
            os.close(writing)
            there.close()
        self.log = LogReader(reading, keep=log_bytes)
        self.exited = asyncio.Event()
        self._pidfd = os.pidfd_open(self._popen.pid)
        self._loop.add_reader(self._pidfd, self._ended)
        self._tell(words)

    @property
    def pid(self) -> int:
        """The process number."""
        return self._popen.pid

    @property
    def returncode(self) -> int:
        """The exit code of a process that has ended, negative for a signal."""
        return self._popen.wait()

    async def handshake(self) -> tuple[int | None, int | None]:
        """Wait until it stands at its gate: the handle of its socket directory and the number of its init process."""
        self._loop.add_reader(self._control, self._hear)
        try:
            async with asyncio.timeout(LAUNCH_S):
                await self._spoken.wait()
                words = self._words.decode(errors="replace")
                if words.endswith("up\n"):
                    return self.take_directory(), _init_process(words)
                await self.exited.wait()
        except TimeoutError:
            raise InfraError(f"the sandbox was not built within {LAUNCH_S:.0f} s") from None
        finally:
            self._loop.remove_reader(self._control)
        self.log.close()
        raise InfraError(f"the sandbox could not be built: {_complaint(words) or self.log.tail().strip()}")

    def take_directory(self) -> int | None:
        """The handle of the socket directory, which is the caller's to close from now on."""
        handle, self._directory = self._directory, None
        return handle

    def release(self) -> None:
        """Open the gate: from here on, everything is the bot's own doing."""
        self._control.sendall(b"go\n")
        self._control.close()

    def signal(self, number: signal.Signals) -> None:
        """Signal the process itself, if it still runs."""
        if self._popen.returncode is None:
            signal.pidfd_send_signal(self._pidfd, number)

    def close(self) -> None:
        """Let go of everything; the process must have ended."""
        directory = self.take_directory()
        if directory is not None:
            os.close(directory)
        self._control.close()
        self.log.close()

    def _tell(self, words: Mapping[str, Any]) -> None:
        assert self._popen.stdin is not None  # noqa: S101  (for the type checker: it was opened as a pipe)
        try:
            with self._popen.stdin as pipe:
                pipe.write(json.dumps(words).encode())
        except BrokenPipeError:
            # The launcher is dead already; the handshake will say so with its output.
            return

    def _hear(self) -> None:
        """Read the control line up to the gate's word or its end."""
        data, rights, _, _ = self._control.recvmsg(4096, socket.CMSG_SPACE(4), socket.MSG_CMSG_CLOEXEC)
        for _, _, payload in rights:
            self._directory = array.array("i", payload)[0]
        self._words += data
        if not data or self._words.endswith(b"up\n"):
            self._loop.remove_reader(self._control)
            self._spoken.set()

    def _ended(self) -> None:
        self._loop.remove_reader(self._pidfd)
        self._popen.wait()
        os.close(self._pidfd)
        self.exited.set()
        self._on_exit()


def _init_process(words: str) -> int | None:
    """The process number that bubblewrap writes as JSON between the other words."""
    start, end = words.find("{"), words.rfind("}")
    return int(json.loads(words[start : end + 1])["child-pid"]) if end > start else None


def _complaint(words: str) -> str:
    """What the launcher says of its own failure."""
    return words.partition("error: ")[2].strip()
