"""The child process that runs a bot: started by the launcher, held at a gate until it is checked, then watched."""

import array
import asyncio
import json
import marshal
import os
import resource
import signal
import socket
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypedDict

from arena.errors import InfraError
from arena.sandboxes.base import Limits
from arena.sandboxes.logs import LogReader
from arena.untrusted.limited import NO_CORE

CONTROL, FILTER, INFO = 9, 8, 7
"""Descriptor numbers in the child process, of one digit because the shell takes no more."""

LAUNCH_S = 20.0
_LAUNCHER = Path(__file__).with_name("launcher.py")
_RUN_CODE = "import marshal, sys; exec(marshal.load(sys.stdin.buffer))"
# The gate: the command starts only after the referee has checked the sandbox and has answered "go".
_GATE = f'echo up >&{CONTROL}; read -r go <&{CONTROL}; exec {CONTROL}>&-; [ "$go" = go ] || exit 125; exec "$@"'


class Staging(TypedDict):
    """The staging directory, which the launcher builds in its own mount namespace and from which bubblewrap binds."""

    top: str
    binds: Sequence[tuple[str, str]]
    """The source of each bind mount, and its name below `top`."""
    files: Mapping[str, str]
    """Names and texts of the files that the launcher writes below `top`."""
    folder: str
    """The name below `top` of an empty folder."""
    devices: Sequence[str]
    """Devices to be mounted read-only: they can be used, but their times cannot be set."""
    tmpfs: Sequence[tuple[str, str, bool]]
    """The file systems that the bot may write to: the name below `top`, the mount options, and whether programs may be
    run from it. The referee gets a descriptor of the first."""
    user_namespace: bool


class LaunchPlan(TypedDict):
    """The instructions for launcher.py, sent by marshal, which both sides have without an import."""

    argv: Sequence[str]
    cwd: str
    env: Mapping[str, str]
    uid: int | None
    rlimits: Mapping[str, int]
    processors: Sequence[int]
    procs_files: Sequence[str]
    staging: Staging | None
    extra: Mapping[int, int]
    """Further descriptors: the number in the child process, and the number here."""


def gated(command: Sequence[str], *, pids: int | None = None) -> list[str]:
    """The command line that limits the processes of its user, if asked to, waits at the gate and runs the command."""
    # Shells name this limit -u or -p; that it took is read back from outside.
    limit = "" if pids is None else f"ulimit -u {pids} 2>/dev/null || ulimit -p {pids}; "
    return ["/bin/sh", "-c", limit + _GATE, "gate", *command]


def rlimits(limits: Limits) -> dict[str, int]:
    """The resource limits that are set in every sandbox."""
    return {
        "RLIMIT_CORE": NO_CORE,
        # No sum over all matches: the clock bounds every move, and what outlives the referee dies with it.
        "RLIMIT_CPU": resource.RLIM_INFINITY,
        "RLIMIT_FSIZE": limits.file_bytes,
        "RLIMIT_MEMLOCK": 1 << 16,
        "RLIMIT_MSGQUEUE": 0,
        "RLIMIT_NICE": 0,
        "RLIMIT_NOFILE": limits.open_files,
        "RLIMIT_RTPRIO": 0,  # nobody may go before the referee, even if its user may
    }


class ChildProcess:
    """A child process that runs a bot; signals go through a pidfd, so they cannot hit another process."""

    def __init__(self, plan: LaunchPlan, *, log_bytes: int, on_exit: Callable[[], None]) -> None:
        """Start it, in the event loop's thread: the child process dies with the thread that started it."""
        self._loop = asyncio.get_running_loop()
        self._on_exit = on_exit
        self._control, peer = socket.socketpair()
        self._control.setblocking(False)
        self._received, self._handshake_done = bytearray(), asyncio.Event()
        self._directory: int | None = None
        reading, writing = os.pipe()
        descriptors = {CONTROL: peer.fileno(), INFO: peer.fileno(), **plan["extra"]}
        message = {**plan, "parent": os.getpid(), "control": peer.fileno(), "descriptors": descriptors}
        try:
            self._popen = subprocess.Popen(  # noqa: S603  (the command is our own launcher)
                [sys.executable, "-I", "-S", "-c", _RUN_CODE, str(_LAUNCHER)],  # the path is for who lists processes
                stdin=subprocess.PIPE, stdout=writing, stderr=writing, env={}, cwd="/",
                pass_fds=tuple(set(descriptors.values())),
            )  # fmt: skip
        except OSError as error:
            os.close(reading)
            self._control.close()
            raise InfraError(f"the launcher cannot be started: {error}") from error
        finally:
            os.close(writing)
            peer.close()
        self.log = LogReader(reading, keep=log_bytes)
        self.exited = asyncio.Event()
        self._pidfd = os.pidfd_open(self._popen.pid)
        self._loop.add_reader(self._pidfd, self._ended)
        self._send(_launcher_code() + marshal.dumps(message))

    @property
    def pid(self) -> int:
        return self._popen.pid

    @property
    def returncode(self) -> int:
        """The exit code of the ended process, negative for a signal."""
        return self._popen.wait()

    async def handshake(self) -> tuple[int | None, int | None]:
        """Wait for the gate: the descriptor of the writable directory, and the process id of bubblewrap's init."""
        self._loop.add_reader(self._control, self._read_control)
        try:
            async with asyncio.timeout(LAUNCH_S):
                await self._handshake_done.wait()
                message = self._received.decode(errors="replace")
                if message.endswith("up\n"):
                    return self.take_directory(), _init_process(message)
                await self.exited.wait()
        except TimeoutError:
            raise InfraError(f"the sandbox was not built within {LAUNCH_S:.0f} s") from None
        finally:
            self._loop.remove_reader(self._control)
        self.log.close()
        raise InfraError(f"the sandbox could not be built: {_launcher_error(message) or self.log.tail().strip()}")

    def take_directory(self) -> int | None:
        """The descriptor of the writable directory, which the caller must close."""
        handle, self._directory = self._directory, None
        return handle

    def release(self) -> None:
        """Open the gate: the bot runs from here on."""
        self._control.sendall(b"go\n")
        self._control.close()

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process, if it still runs."""
        if self._popen.returncode is None:
            signal.pidfd_send_signal(self._pidfd, number)

    def close(self) -> None:
        """Close all descriptors; the process must have ended."""
        directory = self.take_directory()
        if directory is not None:
            os.close(directory)
        self._control.close()
        self.log.close()

    def _send(self, message: bytes) -> None:
        assert self._popen.stdin is not None  # noqa: S101  (for the type checker: it was opened as a pipe)
        try:
            with self._popen.stdin as pipe:
                pipe.write(message)
        except BrokenPipeError:
            # The launcher is dead already; the handshake reports that with its output.
            return

    def _read_control(self) -> None:
        """Read from the control socket until the gate reports or the socket is closed."""
        data, rights, _, _ = self._control.recvmsg(4096, socket.CMSG_SPACE(4), socket.MSG_CMSG_CLOEXEC)
        for _, _, payload in rights:
            self._directory = array.array("i", payload)[0]
        self._received += data
        if not data or self._received.endswith(b"up\n"):
            self._loop.remove_reader(self._control)
            self._handshake_done.set()

    def _ended(self) -> None:
        self._loop.remove_reader(self._pidfd)
        self._popen.wait()
        os.close(self._pidfd)
        self.exited.set()
        self._on_exit()


@cache
def _launcher_code() -> bytes:
    """The launcher, compiled: a script that is run by its path would be compiled at every start of a bot."""
    return marshal.dumps(compile(_LAUNCHER.read_bytes(), _LAUNCHER, "exec"))


def _init_process(message: str) -> int | None:
    """The process id of the init process, which bubblewrap writes as JSON into the control socket."""
    start, end = message.find("{"), message.rfind("}")
    return int(json.loads(message[start : end + 1])["child-pid"]) if end > start else None


def _launcher_error(message: str) -> str:
    """The error message of the launcher, if there is one."""
    return message.partition("error: ")[2].strip()
