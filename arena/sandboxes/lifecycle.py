"""Lifecycle shared by all sandboxes: start, freeze and thaw, accounting, end."""

import asyncio
import contextlib
import os
import secrets
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from types import TracebackType
from typing import Generic, Self, TypeVar

from arena.errors import InfraError, StartFailed
from arena.referee.enforcement import Enforcement, weaknesses
from arena.referee.looptime import Deadline
from arena.sandboxes.base import SOCKET_NAME, BotProgram, Death, Limits
from arena.sandboxes.endpoint import Endpoint, wait_for_socket
from arena.sandboxes.kernel import cgroup_tree
from arena.sandboxes.kernel.cgroups import ControlGroup
from arena.sandboxes.kernel.procfs import ProcessorTime

FREEZE_S = 0.02
"""Seconds that `freeze` waits before it returns False; the match goes on, and its record counts the missed freezes."""

_POLL_S = 0.003
_YIELD_S, _NAP_S, _SPIN_S = 0.00005, 0.00002, 0.001
"""How long `wait_until` only yields the processor, how long it sleeps between two looks, and until when it does so."""

_SIGNALS = frozenset(signal.valid_signals())

T = TypeVar("T")
P = TypeVar("P", bound=BotProgram)


class SandboxLifecycle(ABC, Generic[P]):
    """Lifecycle shared by all sandboxes; subclasses start, freeze and end the processes of the bot."""

    _listener: int | None = None
    """The user that listens on the bot's socket, if it is not the bot's own user."""

    def __init__(
        self,
        program: P,
        limits: Limits,
        *,
        require: Collection[str] = (),
        hierarchies: Sequence[cgroup_tree.Hierarchy] | None = None,
    ) -> None:
        """`require` names restrictions that must not be weak; `hierarchies` are discovered unless given."""
        self._program, self._limits, self._require = program, limits, frozenset(require)
        self._hierarchies = cgroup_tree.discover() if hierarchies is None else tuple(hierarchies)
        self._token = secrets.token_hex(6)
        self._group = ControlGroup({})
        self._deadline: Deadline | None = None
        self._endpoint: Endpoint | None = None
        self._directory = -1
        self._enforcement: Enforcement = {}
        self._death: Death | None = None
        self._exited = asyncio.Event()
        """Set when the bot's process has exited, even if how is not known yet."""
        self._died = asyncio.Event()
        self._frozen = self._started = self._by_referee = False
        self._freezing = self._stopped = False
        """Whether a freeze has begun that nobody waited for, and whether one without a control group is confirmed."""
        self._cpu_time = 0.0
        self._processor_time = ProcessorTime()
        self._peak_memory: int | None = None
        self._end_task: asyncio.Task[None] | None = None

    # Implemented by each kind of sandbox.

    @abstractmethod
    async def _launch(self) -> Enforcement:
        """Build the sandbox until the bot runs or waits for `_release`, and read back what is enforced."""

    @abstractmethod
    async def _release(self) -> None:
        """Let the bot run, after its enforcement was checked."""

    @abstractmethod
    async def _end(self) -> None:
        """End every process of the bot and remove the sandbox."""

    @abstractmethod
    async def _freeze_without_group(self) -> bool:
        """Freeze the bot by other means than a control group."""

    @abstractmethod
    async def _thaw_without_group(self) -> None:
        """Thaw the bot by other means than a control group."""

    @abstractmethod
    def _processes(self) -> list[int]:
        """The processes of the bot, found without control groups."""

    @property
    @abstractmethod
    def _uid(self) -> int:
        """The user id of the bot on the host."""

    # The methods of `Sandbox`.

    async def start(self) -> Endpoint:
        """Run the bot and open its socket; on any failure the sandbox is removed."""
        try:
            await self._build()
            await self._release()
            self._deadline = Deadline(self._limits.start_s)
            self._endpoint = await self._await_socket(self._deadline)
        except BaseException:
            with contextlib.suppress(InfraError):  # why it did not start stands; who kills it again hears of this
                await self.kill()
            raise
        return self._endpoint

    def start_deadline(self) -> Deadline:
        if self._deadline is None:
            raise InfraError("the sandbox was not started")
        return self._deadline

    async def dry_run(self) -> Enforcement:
        """Build the sandbox, read back what it enforces, and remove it without running the bot."""
        try:
            await self._build()
        finally:
            await self.kill()
        return self.enforcement()

    async def begin_freeze(self) -> None:
        """Begin to stop the bot; with a control group this takes microseconds, and the kernel does the rest."""
        if self._end_task is not None:
            return
        self._frozen = self._freezing = True
        if "freeze" in self._group.features:
            self._apply_to_group(self._group.freeze)  # a thread would cost more than it saves
        else:
            self._stopped = await self._freeze_without_group()

    async def freeze(self) -> bool:
        """Stop the bot; reliable with a control group, while a bot that forks can outrun signals."""
        if not self._freezing:
            await self.begin_freeze()
        self._freezing = False
        if self._end_task is not None:
            return True
        return await wait_until(self._is_frozen) if "freeze" in self._group.features else self._stopped

    async def thaw(self) -> None:
        if not self._frozen or self._end_task is not None:
            return
        self._frozen = self._freezing = False
        if "freeze" in self._group.features:
            self._apply_to_group(self._group.thaw)
        else:
            await self._thaw_without_group()

    def _apply_to_group(self, operation: Callable[[], None]) -> None:
        """Write to the control group; tolerate that the group has vanished because the bot has just died."""
        try:
            operation()
        except InfraError:
            if self._group.exists():
                raise

    def _is_frozen(self) -> bool:
        try:
            return self._group.is_frozen()
        except OSError:
            return not self._group.exists()

    def cpu_time(self) -> float:
        """Processor seconds; without a control group, lost children count as far as they were seen."""
        if self._end_task is None:
            with contextlib.suppress(OSError):
                counted = self._group.cpu_time()
                if counted is None:
                    counted = self._processor_time.total(self._processes())
                self._cpu_time = max(self._cpu_time, counted)
        return self._cpu_time

    def peak_memory(self) -> int | None:
        if self._end_task is None:
            with contextlib.suppress(OSError):
                self._peak_memory = self._group.peak_memory() or self._peak_memory
        return self._peak_memory

    def output_stalls(self) -> int:
        """How often the bot had to wait with its output, which it never has where somebody else reads it."""
        return 0

    def enforcement(self) -> Enforcement:
        return dict(self._enforcement)

    def death(self) -> Death | None:
        return self._death

    async def wait(self) -> Death:
        await self._died.wait()
        if self._death is None:
            raise InfraError("the sandbox was ended before its bot was started")
        return self._death

    async def wait_for_exit(self, within_s: float) -> Death | None:
        try:
            async with asyncio.timeout(within_s):
                await self._exited.wait()
        except TimeoutError:
            return None
        return await self.wait()

    async def kill(self) -> None:
        """End every process and remove the sandbox, which goes on if the caller is cancelled."""
        if self._end_task is None:
            self._by_referee = self._death is None
            self.cpu_time()
            self.peak_memory()
            self._end_task = asyncio.create_task(self._finish())
        await asyncio.shield(self._end_task)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.kill()

    # Helpers for the subclasses.

    async def _build(self) -> None:
        if self._started or self._end_task is not None:
            raise InfraError("a sandbox can be started only once")
        self._started = True
        self._enforcement = await self._launch()
        lacking = [line for line in weaknesses(self._enforcement) if line.partition(":")[0] in self._require]
        if lacking:
            raise InfraError(f"this machine cannot enforce what was required: {', '.join(lacking)}")

    async def _await_socket(self, deadline: Deadline) -> Endpoint:
        async def pause() -> bool:
            await asyncio.sleep(_POLL_S)
            return not self._died.is_set() and deadline.left() > 0

        endpoint = await wait_for_socket(self._directory, SOCKET_NAME, self._uid, pause, self._listener)
        if endpoint is not None:
            return endpoint
        if self._death is not None:
            raise StartFailed(f"before it opened its socket, {self._death.sentence}")
        if self._died.is_set():
            raise InfraError("the bot ended before it opened its socket, and how cannot be found out")
        raise StartFailed(f"it did not open its socket within {self._limits.start_s:g} s")

    async def _finish(self) -> None:
        try:
            await self._end()
        finally:
            self._exited.set()
            self._died.set()
            self._close_files()

    def _close_files(self) -> None:
        with contextlib.ExitStack() as stack:  # in reverse order, and all of them even if one fails
            if self._directory >= 0:
                stack.callback(os.close, self._directory)
            if self._endpoint is not None:
                stack.callback(self._endpoint.close)
            stack.callback(self._group.close)

    def _enforced_by(self, feature: str, otherwise: str) -> str:
        """The mechanism for a feature: the control group if it has the feature, or the one given."""
        return "cgroup" if feature in self._group.features else otherwise

    def _record_death(self, death: Death) -> None:
        self._death = death
        self._exited.set()
        self._died.set()


async def run_to_completion(function: Callable[[], T]) -> T:
    """Run a function in a thread and wait for it even when cancelled, so that whatever it made can be removed."""
    task = asyncio.create_task(asyncio.to_thread(function))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with contextlib.suppress(asyncio.CancelledError):  # who cancels twice waits as well
                await asyncio.wait([task])
        task.exception()  # nobody else asks for it, and asyncio would complain
        raise


async def wait_until(condition: Callable[[], bool], within_s: float = FREEZE_S) -> bool:
    """Poll until a condition is true; False if it was not within the time."""
    started = time.monotonic()
    while not condition():
        waited = time.monotonic() - started
        if waited > within_s:
            return False
        # The shortest sleep of the loop takes a millisecond, and most freezes take less than a turn of it. But the
        # processes that are being frozen may need this very processor for their last steps.
        if waited < _YIELD_S:
            os.sched_yield()
        elif waited < _SPIN_S:
            time.sleep(_NAP_S)
        else:
            await asyncio.sleep(_SPIN_S)
    return True


def split_exit_code(code: int) -> tuple[int | None, int | None]:
    """Split into exit code and signal, one of them None: bubblewrap, tini and shells exit with 128 + signal."""
    number = -code if code < 0 else code - 128
    return (None, number) if number in _SIGNALS else (code, None)
