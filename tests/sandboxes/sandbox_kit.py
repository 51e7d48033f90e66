"""Bots for the tests: they do what they are told over their socket, or one hostile thing by themselves."""

import asyncio
import base64
import contextlib
import importlib.util
import os
import socket
import sys
import time
from pathlib import Path

from arena.sandboxes.base import BotDirectory, BotImage, Limits
from arena.sandboxes.docker.gvisor import GvisorSandbox
from arena.sandboxes.docker.sandbox import DockerSandbox
from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox
from arena.sandboxes.launched.process import ProcessSandbox
from arena.untrusted.units import MIB

BASE_IMAGE = "arena/base:bookworm"
SYSTEM_PYTHON = Path("/usr/bin/python3")
KINDS = {
    "bubblewrap": BubblewrapSandbox,
    "docker": DockerSandbox,
    "gvisor": GvisorSandbox,
    "process": ProcessSandbox,
}

# Runs what each connection brings and answers with what it leaves in `result`, or with the error.
OBEDIENT = """
import base64, ctypes, errno, os, signal, socket, sys, threading, time
listener = socket.socket(socket.AF_UNIX)
listener.bind(os.environ["ARENA_SOCKET"])
listener.listen()
libc = ctypes.CDLL(None, use_errno=True)
def syscall(*arguments):
    "The result of a system call, or the name of its error."
    value = libc.syscall(*map(ctypes.c_long, arguments))
    return value if value >= 0 else errno.errorcode[ctypes.get_errno()]
while True:
    line, _ = listener.accept()
    names = dict(globals(), result=None)
    try:
        exec(base64.b64decode(line.makefile("rb").readline()).decode(), names)
        answer = repr(names["result"])
    except BaseException as error:
        answer = f"{type(error).__name__}: {error}"
    try:
        line.sendall(base64.b64encode(answer.encode()) + b"\\n")
    except OSError:
        pass
    line.close()
    del line, names
"""

MEMORY_BOMB = """
kept = []
while True:
    kept.append(bytearray(b"x" * (1 << 20)))
"""

FORK_BOMB = """
made = 0
try:
    while made < 500:
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
        made += 1
except OSError as error:
    result = made, errno.errorcode[error.errno]
else:
    result = made, "no end"
"""


class Bench:
    """Makes sandboxes of one kind around the Python source of a bot."""

    def __init__(self, kind: str, folder: Path) -> None:
        self.kind = kind
        self.folder = folder / "bot"
        self.folder.mkdir(mode=0o755, exist_ok=True)

    def sandbox(self, source: str = OBEDIENT, *, limits: Limits | None = None, command=None, **options):
        limits = limits or Limits()
        if self.kind in ("docker", "gvisor"):
            image = BotImage(BASE_IMAGE, command or ("python3", "-c", source))
            return KINDS[self.kind](image, limits, **options)
        command = command or (sys.executable, "-c", source)
        program = BotDirectory(self.folder, command, read_only=python_paths())
        return KINDS[self.kind](program, limits, **options)

    def ask(self, code: str, *, limits: Limits | None = None, **options) -> str:
        """What a fresh bot answers to a piece of code."""

        async def play() -> str:
            async with self.sandbox(limits=limits, **options) as sandbox:
                return await tell(await sandbox.start(), code)

        return asyncio.run(play())


def python_paths() -> tuple[Path, ...]:
    """This interpreter and its environment, wherever they are: under a home of mode 0700 here."""
    return tuple(
        sorted({Path(place) for place in (sys.prefix, sys.base_prefix) if not Path(place).is_relative_to("/usr")})
    )


def package_path(name: str) -> Path:
    """The folder of a package."""
    found = importlib.util.find_spec(name)
    assert found is not None
    assert found.origin is not None
    return Path(found.origin).parent


async def connect(endpoint, timeout_s: float) -> socket.socket:
    """A connection to a bot that may not listen yet."""
    async with asyncio.timeout(timeout_s):
        while True:
            with contextlib.suppress(BlockingIOError, ConnectionRefusedError):
                return endpoint.connect_once()
            await asyncio.sleep(0.002)


async def tell(endpoint, code: str, timeout_s: float = 30) -> str:
    """Give the obedient bot something to do; its answer."""
    with await connect(endpoint, timeout_s) as line:
        loop = asyncio.get_running_loop()
        async with asyncio.timeout(timeout_s):
            await loop.sock_sendall(line, base64.b64encode(code.encode()) + b"\n")
            answer = b""
            # Not until the end of the stream: the bot's children may hold the connection open.
            while not answer.endswith(b"\n") and (data := await loop.sock_recv(line, 1 << 16)):
                answer += data
    return base64.b64decode(answer).decode()


def left_behind(pid: int | None = None) -> list[str]:
    """Traces of the sandboxes of a process, or of this one, on the machine: control groups, mounts, directories."""
    part = f"-{pid or os.getpid()}-"
    # os.walk, because the groups of other tests vanish while one looks.
    groups = [
        f"{folder}/{name}"
        for folder, names, _ in os.walk("/sys/fs/cgroup")
        for name in names
        if name.startswith("arena-") and part in name
    ]
    mounts = [line for line in Path("/proc/self/mounts").read_text().splitlines() if "/run/arena/" in line]
    return [*groups, *(line for line in mounts if part in line), *map(str, _directories(part))]


def _directories(part: str) -> list[Path]:
    return [path for path in Path("/run/arena").glob("*") if part in path.name]


def processes_with(mark: str) -> list[int]:
    """Processes of the machine whose command line holds a mark."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if mark.encode() in path.read_bytes() and int(path.parent.name) != os.getpid():
                found.append(int(path.parent.name))
        except OSError:
            continue
    return found


def until(test, within_s: float = 10.0) -> bool:
    """Whether something becomes true in time."""
    deadline = time.monotonic() + within_s
    while not test():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


def small(**changes) -> Limits:
    """Limits that a bomb reaches quickly."""
    return Limits(**{"memory_bytes": 128 * MIB, "pids": 32, "start_s": 30.0, **changes})


def listen_abstract(name: str) -> socket.socket:
    """A socket of the referee's in the abstract space, which only the network namespace guards."""
    line = socket.socket(socket.AF_UNIX)
    line.bind(f"\0{name}")
    line.listen()
    return line
