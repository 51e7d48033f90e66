"""What bubblewrap and plain processes share: our launcher, its gate, signals as a last resort, a memory watchdog."""

import asyncio
import contextlib
import signal
import time
from abc import abstractmethod
from collections.abc import Collection, Sequence

from arena.errors import InfraError
from arena.sandboxes.base import MIB, BotDirectory, Death, Enforcement, Limits
from arena.sandboxes.kernel import cgroup_tree, procfs
from arena.sandboxes.kernel.cgroups import Group
from arena.sandboxes.launched.child_process import Child, Plan, rlimits
from arena.sandboxes.lifecycle import SandboxLifecycle, soon, split_code, to_the_end
from arena.sandboxes.owner import PREFIX, owner

_END_S = 10.0
_PATIENCE_S = 0.3
_LOOK_S = 0.003
_WATCH_S = 0.1
_LEAST_ADDRESS_SPACE = 2048 * MIB
"""Less than this stops gRPC from starting, however little memory it then uses."""


class LaunchedSandbox(SandboxLifecycle):
    """A bot started by our own launcher."""

    def __init__(
        self,
        program: BotDirectory,
        limits: Limits,
        *,
        require: Collection[str] = (),
        hierarchies: Sequence[cgroup_tree.Hierarchy] | None = None,
    ) -> None:
        super().__init__(limits, require=require, hierarchies=hierarchies)
        self._program = program
        self._child: Child | None = None
        self._over_memory = self._escaped = False
        self._watchdog: asyncio.Task[None] | None = None

    def _acquire(self) -> None:
        """Get what the sandbox is made of; runs in a thread, and `_discard` must give back even half of it."""
        self._group = Group.create(f"{PREFIX}-{owner()}-{self._token}", self._hierarchies)
        self._group.limit(self._limits)

    @abstractmethod
    def _plan(self) -> Plan:
        """What the launcher shall do."""

    @abstractmethod
    async def _settle(self, directory: int | None, init: int | None) -> Enforcement:
        """Take over what the launcher has built, and read back what holds the bot that waits at its gate."""

    @abstractmethod
    def _processes(self) -> list[int]:
        """Every process of the bot, found without control groups."""

    @abstractmethod
    def _discard(self) -> None:
        """Remove what is left when all processes are gone."""

    def log(self) -> str:
        """The newest of its output."""
        return "" if self._child is None else self._child.log.text()

    async def read_log(self) -> None:
        """Escape its output, which is read as it comes, in a thread: the loop has moves to time."""
        if self._child is not None:
            await asyncio.to_thread(self._child.log.text)

    # Beginning.

    async def _launch(self) -> Enforcement:
        await to_the_end(self._acquire)
        self._child = Child(self._plan(), log_bytes=self._limits.log_bytes, on_exit=self._ended)
        directory, init = await self._child.handshake()
        return await self._settle(directory, init)

    async def _release(self) -> None:
        self._running().release()
        if "memory" not in self._group.features:
            self._watchdog = asyncio.create_task(self._watch_memory())

    def _rlimits(self) -> dict[str, int]:
        limits = rlimits(self._limits)
        if "memory" not in self._group.features:
            limits["RLIMIT_AS"] = max(_LEAST_ADDRESS_SPACE, self._limits.memory_bytes)
        return limits

    def _check_membership(self, pid: int) -> None:
        """Make sure that the control groups really hold a process that waits at the gate."""
        if any(pid not in Group.members_of(path) for path in self._group.paths):
            raise InfraError("the bot is not in its control group")
        self._group.check(self._limits)

    def _running(self) -> Child:
        if self._child is None:
            raise InfraError("the sandbox was not started")
        return self._child

    # Meanwhile.

    async def _watch_memory(self) -> None:
        """Stand in for a memory limit: look every 100 ms and end the bot when it holds too much."""
        while self._death is None:
            used = await asyncio.to_thread(lambda: sum(map(procfs.memory, self._processes())))
            self._peak_memory = max(used, self._peak_memory or 0)
            if used > self._limits.memory_bytes:
                self._over_memory = True
                self._strike()
            await asyncio.sleep(_WATCH_S)

    async def _freeze_otherwise(self) -> bool:
        procfs.send(self._processes(), signal.SIGSTOP)
        return await soon(self._all_stopped)

    async def _thaw_otherwise(self) -> None:
        procfs.send(self._processes(), signal.SIGCONT)

    def _all_stopped(self) -> bool:
        running = [pid for pid in self._processes() if not procfs.is_stopped(pid)]
        procfs.send(running, signal.SIGSTOP)
        return not running

    def _cpu_time_otherwise(self) -> float:
        return sum(map(procfs.cpu_time, self._processes()))

    # End.

    def _ended(self) -> None:
        child = self._running()
        with contextlib.suppress(OSError):
            self._over_memory = self._over_memory or self._group.oom_kills() > 0
        child.log.close()
        code, number = split_code(child.returncode)
        self._buried(
            Death(
                exit_code=code,
                signal=number,
                out_of_memory=self._over_memory,
                by_referee=self._by_referee,
                escaped=self._escaped,
                log=child.log.tail(),
            )
        )

    def _begin_to_end(self) -> None:
        """The first blow; a sandbox whose end can be had in better order overrides it."""
        self._strike()

    def _strike(self) -> None:
        """Send SIGKILL to everything that can be found now."""
        try:
            if self._group.features:
                self._group.kill()
        finally:
            procfs.send(self._processes(), signal.SIGKILL)
            self._running().signal(signal.SIGKILL)

    async def _end(self) -> None:
        async with contextlib.AsyncExitStack() as stack:  # the last one first, and each even if one before it fails
            stack.callback(self._discard)
            stack.push_async_callback(asyncio.to_thread, self._group.remove)
            stack.callback(self._stop_watchdog)
            if self._child is not None:
                await self._end_child(self._child)

    def _stop_watchdog(self) -> None:
        if self._watchdog is not None:
            self._watchdog.cancel()

    async def _end_child(self, child: Child) -> None:
        began = time.monotonic()
        self._begin_to_end()
        while not child.exited.is_set() or self._processes() or self._group.processes():
            await asyncio.sleep(_LOOK_S)
            if time.monotonic() > began + _PATIENCE_S:
                self._strike()
            if time.monotonic() > began + _END_S:
                raise InfraError(f"processes of the bot cannot be ended: {self._processes()}")
        child.close()
