"""Lifecycle shared by bubblewrap and plain processes, which our own launcher starts."""

import asyncio
import contextlib
import signal
import time
from abc import abstractmethod
from collections.abc import Collection, Sequence

from arena.errors import InfraError
from arena.referee.enforcement import Enforcement
from arena.sandboxes.base import BotDirectory, Death
from arena.sandboxes.kernel import procfs
from arena.sandboxes.kernel.cgroups import ControlGroup
from arena.sandboxes.launched.child_process import ChildProcess, LaunchPlan, rlimits
from arena.sandboxes.lifecycle import SandboxLifecycle, run_to_completion, split_exit_code, wait_until
from arena.sandboxes.referee_id import PREFIX, referee_id
from arena.untrusted.text import printable_bytes
from arena.untrusted.units import MIB

_END_S = 10.0
_KILL_AGAIN_S = 0.3
"""Seconds after which SIGKILL is sent again to processes that are left."""
_POLL_S = 0.003
_WATCH_S, _LOOK_S = 0.1, 0.025
_LEAST_ADDRESS_SPACE = 2048 * MIB
"""gRPC does not start with less address space, however little memory it uses."""


class LaunchedSandbox(SandboxLifecycle[BotDirectory]):
    """A bot started by our own launcher."""

    _child: ChildProcess | None = None
    _over_memory = _escaped = False
    _watchdogs: Sequence[asyncio.Task[None]] = ()

    def _acquire(self) -> None:
        """Make what the sandbox needs, in a thread; `_free_resources` must also work if only a part was made."""
        self._group = ControlGroup.create(f"{PREFIX}-{referee_id()}-{self._token}", self._hierarchies)
        self._group.limit(self._limits)

    @abstractmethod
    def _plan(self) -> LaunchPlan:
        """The instructions for the launcher."""

    @abstractmethod
    async def _read_back(self, directory: int | None, init: int | None) -> Enforcement:
        """Check what the launcher has built while the bot waits at its gate; what is enforced."""

    @abstractmethod
    def _free_resources(self) -> None:
        """Free what `_acquire` made, when all processes are gone."""

    def log(self) -> str:
        """The end of the bot's output."""
        return "" if self._child is None else self._child.log.text()

    async def read_log(self) -> None:
        """Escape the output in a thread, so that the event loop can time moves meanwhile."""
        if self._child is not None:
            await asyncio.to_thread(self._child.log.text)

    def mark(self) -> float:
        """The number of bytes printed so far."""
        return 0.0 if self._child is None else float(self._child.log.printed())

    def output_stalls(self) -> int:
        """How often the bot had to wait until more of its output was read."""
        return 0 if self._child is None else self._child.log.stalls()

    async def read_outputs(self, marks: Sequence[float]) -> list[str]:
        """The output between these numbers of bytes, escaped in a thread."""
        pieces = [b""] * len(marks) if self._child is None else self._child.log.between(marks)
        return await asyncio.to_thread(lambda: list(map(printable_bytes, pieces)))

    # Start.

    async def _launch(self) -> Enforcement:
        await run_to_completion(self._acquire)
        self._child = ChildProcess(self._plan(), log_bytes=self._limits.log_bytes, on_exit=self._ended)
        directory, init = await self._child.handshake()
        return await self._read_back(directory, init)

    async def _release(self) -> None:
        self._running().release()
        watches = {"memory": self._watch_memory, "cputime": self._watch_processor_time}
        missing = [watch for feature, watch in watches.items() if feature not in self._group.features]
        self._watchdogs = [asyncio.create_task(watch()) for watch in missing]

    def _rlimits(self) -> dict[str, int]:
        limits = rlimits(self._limits)
        if "memory" not in self._group.features:
            limits["RLIMIT_AS"] = max(_LEAST_ADDRESS_SPACE, self._limits.memory_bytes)
        return limits

    def _check_membership(self, pids: Collection[int]) -> None:
        """Check that these processes are in the control group, and that its limits are in force."""
        if not all(ControlGroup.members_of(path).issuperset(pids) for path in self._group.paths):
            raise InfraError("the bot is not in its control group")
        self._group.check(self._limits)

    def _running(self) -> ChildProcess:
        if self._child is None:
            raise InfraError("the sandbox was not started")
        return self._child

    # While the bot runs.

    async def _watch_memory(self) -> None:
        """Replace a missing memory limit: measure every 100 ms and kill the bot when it uses too much."""
        while self._death is None:
            used = await asyncio.to_thread(lambda: sum(map(procfs.memory, self._processes())))
            self._peak_memory = max(used, self._peak_memory or 0)
            if used > self._limits.memory_bytes:
                self._over_memory = True
                self._kill_all()
            await asyncio.sleep(_WATCH_S)

    async def _watch_processor_time(self) -> None:
        """Replace a missing count: look often at what runs, since what nobody waits for takes its time with it."""
        while self._death is None:
            if not self._frozen:
                self.cpu_time()
            await asyncio.sleep(_LOOK_S)

    async def _freeze_without_group(self) -> bool:
        procfs.send_signal(self._processes(), signal.SIGSTOP)
        return await wait_until(self._all_stopped)

    async def _thaw_without_group(self) -> None:
        procfs.send_signal(self._processes(), signal.SIGCONT)

    def _all_stopped(self) -> bool:
        running = [pid for pid in self._processes() if not procfs.is_stopped(pid)]
        procfs.send_signal(running, signal.SIGSTOP)
        return not running

    # End.

    def _ended(self) -> None:
        child = self._running()
        with contextlib.suppress(OSError):
            self._over_memory = self._over_memory or self._group.oom_kills() > 0
        child.log.close()
        code, number = split_exit_code(child.returncode)
        self._record_death(
            Death(
                exit_code=code,
                signal=number,
                out_of_memory=self._over_memory,
                by_referee=self._by_referee,
                escaped=self._escaped,
                log=child.log.tail(),
            )
        )

    def _begin_kill(self) -> None:
        """Begin to end the bot; a subclass may do it in a more orderly way."""
        self._kill_all()

    def _kill_all(self) -> None:
        """Send SIGKILL to all processes of the bot that can be found now."""
        try:
            if self._group.features:
                self._group.kill()
        finally:
            procfs.send_signal(self._processes(), signal.SIGKILL)
            self._running().signal(signal.SIGKILL)

    async def _end(self) -> None:
        async with contextlib.AsyncExitStack() as stack:  # in reverse order, and all even if one fails
            stack.callback(self._free_resources)
            stack.push_async_callback(asyncio.to_thread, self._group.remove)
            stack.callback(self._stop_watchdogs)
            if self._child is not None:
                await self._end_child(self._child)

    def _stop_watchdogs(self) -> None:
        for task in self._watchdogs:
            task.cancel()

    async def _end_child(self, child: ChildProcess) -> None:
        began = time.monotonic()
        self._begin_kill()
        while not child.exited.is_set() or self._processes() or self._group.processes():
            await asyncio.sleep(_POLL_S)
            if time.monotonic() > began + _KILL_AGAIN_S:
                self._kill_all()
            if time.monotonic() > began + _END_S:
                raise InfraError(f"processes of the bot cannot be ended: {self._processes()}")
        child.close()
