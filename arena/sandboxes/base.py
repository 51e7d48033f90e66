"""The interface of all sandboxes, and the types that describe a bot's program, its limits and its end."""

import signal
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

from arena.errors import BotFault, Crashed, OutOfMemory, UsageError
from arena.referee.enforcement import Enforcement
from arena.referee.looptime import Deadline
from arena.sandboxes.endpoint import Endpoint
from arena.untrusted.units import KIB, MIB

SOCKET_NAME = "b.sock"
SOCKET_DIR_BYTES = 64 * KIB
SOCKET_DIR_INODES = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """The resources that a bot may use."""

    memory_bytes: int = 512 * MIB
    cpus: float = 1.0
    pids: int = 128
    tmp_bytes: int = 64 * MIB
    shm_bytes: int = 16 * MIB
    inodes: int = 16_384
    """Files, folders and links that /tmp and /dev/shm hold, each; the kernel takes long to clear millions away."""
    file_bytes: int = 64 * MIB
    open_files: int = 256
    log_bytes: int = MIB
    """Bytes of output that are read at once; the rest is read at a rate at which a flood blocks its own writer."""
    start_s: float = 10.0
    """Seconds within which the bot must open its socket and answer the health check, from when it may run."""
    file_locks: bool = False
    """Locks on shared files let two bots talk, so only games without secrets should allow them (SQLite needs them)."""

    def __post_init__(self) -> None:
        if min(self.cpus, self.start_s) <= 0:
            raise UsageError("cpus and start_s must be above 0")
        if self.memory_bytes < 16 * MIB or self.pids < 8 or self.open_files < 16:
            raise UsageError("a bot needs at least 16 MiB of memory, 8 processes and 16 open files")


@dataclass(frozen=True, slots=True)
class BotDirectory:
    """A bot given as a directory and the command that starts it there."""

    path: Path
    command: tuple[str, ...]
    read_only: tuple[Path, ...] = ()
    """Further paths that the bot may read, each seen under its own name: an interpreter, a virtual environment."""
    env: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BotImage:
    """A bot given as a container image, by name or digest."""

    reference: str
    command: tuple[str, ...] | None = None
    """Replaces the image's own command."""
    env: Mapping[str, str] = field(default_factory=dict)


BotProgram = BotDirectory | BotImage


@dataclass(frozen=True, slots=True)
class Death:
    """How a bot ended."""

    exit_code: int | None
    signal: int | None
    out_of_memory: bool
    by_referee: bool
    """The referee had begun to kill the bot before it ended."""
    escaped: bool
    """Some of its processes had left its process tree and were ended elsewhere; only `process` lets that happen."""
    log: str
    """The last 4 kB of its output, with control characters escaped."""

    @property
    def sentence(self) -> str:
        """How the bot ended, as an English phrase without the log."""
        if self.out_of_memory:
            return "it used more memory than it had"
        if self.by_referee:
            return "the referee ended it"
        if self.signal is not None:
            return f"it was ended by signal {self.signal} ({_signal_name(self.signal)})"
        return f"it exited with code {self.exit_code}"

    def fault(self) -> BotFault:
        """The error to raise when the bot ends this way during a match."""
        return (OutOfMemory if self.out_of_memory else Crashed)(self.sentence)


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return "unknown"


class Sandbox(Protocol):
    """Runs one bot under limits; leaving the context kills the bot and removes everything that was made for it."""

    async def start(self) -> Endpoint:
        """Run the bot under its limits and pin its socket.

        Raises StartFailed or Abuse when the bot is to blame, InfraError when a restriction is not in force.
        """
        ...

    def start_deadline(self) -> Deadline:
        """By when the bot must be ready; its time began when it could run, after all that we had to set up."""
        ...

    async def begin_freeze(self) -> None:
        """Begin to stop the bot's processes, as far as that takes no waiting; `freeze` waits for the rest."""
        ...

    async def freeze(self) -> bool:
        """Stop the bot's processes; False when they could not be confirmed stopped within a few milliseconds."""
        ...

    async def thaw(self) -> None:
        """Let the bot's processes run again."""
        ...

    def cpu_time(self) -> float:
        """Processor seconds used by all processes of the bot; the last known number once it is dead."""
        ...

    def peak_memory(self) -> int | None:
        """Peak memory in bytes, or None where nothing counts it."""
        ...

    def enforcement(self) -> Enforcement:
        """What was read back after the launch."""
        ...

    def death(self) -> Death | None:
        """How the bot died; None while it runs, or if it was never started."""
        ...

    async def wait(self) -> Death:
        """Wait until the bot is dead."""
        ...

    async def wait_for_exit(self, within_s: float) -> Death | None:
        """Wait this long for the bot's process to exit, and if it did, until it is known how; None if it still runs."""
        ...

    def log(self) -> str:
        """The end of the bot's output, at most `Limits.log_bytes`, with control characters escaped."""
        ...

    async def read_log(self) -> None:
        """Bring `log` up to date, for sandboxes whose output must be fetched."""
        ...

    def mark(self) -> float:
        """A mark in the bot's output at its present end; cheap enough to be made before every request."""
        ...

    def output_stalls(self) -> int:
        """How often the bot had to wait, by now, because it printed faster than its output is read."""
        ...

    async def read_outputs(self, marks: Sequence[float]) -> list[str]:
        """What was printed from each mark to the next, and from the last one to now, with control characters escaped.

        A mark of 0 is the start of the bot.
        """
        ...

    async def kill(self) -> None:
        """End every process of the bot and remove the sandbox; may be called at any time and any number of times."""
        ...

    async def __aenter__(self) -> Self: ...

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None: ...
