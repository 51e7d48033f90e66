"""What every real sandbox shares: a control group, a pinned socket, one start, one end."""

import asyncio
import contextlib
import os
import secrets
import signal
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Sequence
from types import TracebackType
from typing import Self, TypeVar

from arena.errors import InfraError, StartFailed
from arena.play import looptime
from arena.sandboxes.base import SOCKET_NAME, Death, Enforcement, Limits, weaknesses
from arena.sandboxes.endpoint import Endpoint, appear
from arena.sandboxes.kernel import cgroup_tree
from arena.sandboxes.kernel.cgroups import Group

FREEZE_S = 0.02
"""How long a freeze is waited for; a bot that needs longer is reported, and the match goes on."""

_LOOK_S = 0.003
_AT_ONCE_S = 0.001

_SIGNALS = frozenset(signal.valid_signals())

T = TypeVar("T")


class SandboxLifecycle(ABC):
    """The common half of a sandbox; the other half says what the sandbox is made of."""

    _listener: int | None = None
    """The user that listens on the bot's socket, if that is not the bot itself."""

    def __init__(
        self,
        limits: Limits,
        *,
        require: Collection[str] = (),
        hierarchies: Sequence[cgroup_tree.Hierarchy] | None = None,
    ) -> None:
        """`require` names lines of the enforcement that must not be weak; `hierarchies` are found when not given."""
        self._limits, self._require = limits, frozenset(require)
        self._hierarchies = cgroup_tree.discover() if hierarchies is None else tuple(hierarchies)
        self._token = secrets.token_hex(6)
        self._group = Group({})
        self._endpoint: Endpoint | None = None
        self._directory = -1
        self._enforcement: Enforcement = {}
        self._death: Death | None = None
        self._died = asyncio.Event()
        self._frozen = self._begun = self._by_referee = False
        self._cpu_time = 0.0
        self._peak_memory: int | None = None
        self._ending: asyncio.Task[None] | None = None

    # What differs between the sandboxes.

    @abstractmethod
    async def _launch(self) -> Enforcement:
        """Build the sandbox up to the point where the bot runs or is about to, and read back what holds it."""

    @abstractmethod
    async def _release(self) -> None:
        """Let the bot run, now that what holds it was found good enough."""

    @abstractmethod
    async def _end(self) -> None:
        """End every process and take the sandbox down."""

    @abstractmethod
    async def _freeze_otherwise(self) -> bool:
        """Stop the bot without a control group."""

    @abstractmethod
    async def _thaw_otherwise(self) -> None:
        """Undo that."""

    @abstractmethod
    def _cpu_time_otherwise(self) -> float:
        """Processor seconds without a control group."""

    @property
    @abstractmethod
    def _uid(self) -> int:
        """The user that the bot is, seen from outside."""

    # The protocol.

    async def start(self) -> Endpoint:
        """Run the bot and pin its socket; on any failure nothing is left of it."""
        try:
            await self._build()
            await self._release()
            self._endpoint = await self._await_socket()
        except BaseException:
            await self.kill()
            raise
        return self._endpoint

    async def rehearse(self) -> Enforcement:
        """Build the sandbox, read back what it enforces and take it down again."""
        try:
            await self._build()
        finally:
            await self.kill()
        return self.enforcement()

    async def freeze(self) -> bool:
        """Stop the bot; a control group does it for sure, signals can be raced by a bot that forks."""
        if self._ending is not None:
            return True
        self._frozen = True
        if "freeze" not in self._group.features:
            return await self._freeze_otherwise()
        # Writing to a control group takes microseconds; a thread would cost more than it saves.
        return self._lever(self._group.freeze) and await soon(self._is_frozen)

    async def thaw(self) -> None:
        """Let the bot run again."""
        if not self._frozen or self._ending is not None:
            return
        self._frozen = False
        if "freeze" in self._group.features:
            self._lever(self._group.thaw)
        else:
            await self._thaw_otherwise()

    def _lever(self, pull: Callable[[], None]) -> bool:
        """Use the group; that a bot has just died and taken its group along is no failure of ours."""
        try:
            pull()
        except InfraError:
            if self._group.exists():
                raise
        return True

    def _is_frozen(self) -> bool:
        try:
            return self._group.is_frozen()
        except OSError:
            return not self._group.exists()

    def cpu_time(self) -> float:
        """Processor seconds; without a control group, those of children nobody waited for are missing."""
        if self._ending is None:
            with contextlib.suppress(OSError):
                counted = self._group.cpu_time()
                self._cpu_time = max(self._cpu_time, self._cpu_time_otherwise() if counted is None else counted)
        return self._cpu_time

    def peak_memory(self) -> int | None:
        """The most memory ever used; None where nothing counts it."""
        if self._ending is None:
            with contextlib.suppress(OSError):
                self._peak_memory = self._group.peak_memory() or self._peak_memory
        return self._peak_memory

    def enforcement(self) -> Enforcement:
        """What was read back after the launch."""
        return dict(self._enforcement)

    def death(self) -> Death | None:
        """How it died."""
        return self._death

    async def wait(self) -> Death:
        """Wait until it is dead."""
        await self._died.wait()
        if self._death is None:
            raise InfraError("the sandbox was ended before its bot was started")
        return self._death

    async def kill(self) -> None:
        """End every process and remove the sandbox; a cancelled caller does not stop it half-way."""
        if self._ending is None:
            self._by_referee = self._death is None
            self.cpu_time()
            self.peak_memory()
            self._ending = asyncio.create_task(self._finish())
        await asyncio.shield(self._ending)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.kill()

    # For the other half.

    async def _build(self) -> None:
        if self._begun or self._ending is not None:
            raise InfraError("a sandbox starts once")
        self._begun = True
        self._enforcement = await self._launch()
        lacking = [line for line in weaknesses(self._enforcement) if line.partition(":")[0] in self._require]
        if lacking:
            raise InfraError(f"this machine cannot enforce what was required: {', '.join(lacking)}")

    async def _await_socket(self) -> Endpoint:
        began = time.monotonic()

        async def pause() -> bool:
            await asyncio.sleep(_LOOK_S)
            # What our own machine stood still for is not the bot's time.
            limit = began + self._limits.start_s + looptime.stood_still(began)
            return not self._died.is_set() and time.monotonic() < limit

        endpoint = await appear(self._directory, SOCKET_NAME, self._uid, pause, self._listener)
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
            self._died.set()
            self._close_files()

    def _close_files(self) -> None:
        with contextlib.ExitStack() as stack:  # the last one first, and each even if one before it fails
            if self._directory >= 0:
                stack.callback(os.close, self._directory)
            if self._endpoint is not None:
                stack.callback(self._endpoint.close)
            stack.callback(self._group.close)

    def _by_group(self, feature: str, otherwise: str) -> str:
        return "cgroup" if feature in self._group.features else otherwise

    def _buried(self, death: Death) -> None:
        self._death = death
        self._died.set()


async def to_the_end(function: Callable[[], T]) -> T:
    """Run something in a thread and wait for it even when cancelled: what it makes must be known to be removed."""
    task = asyncio.create_task(asyncio.to_thread(function))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        while not task.done():
            with contextlib.suppress(asyncio.CancelledError):  # who cancels twice waits as well
                await asyncio.wait([task])
        task.exception()  # nobody else asks for it, and asyncio would complain
        raise


async def soon(test: Callable[[], bool], within_s: float = FREEZE_S) -> bool:
    """Look again and again whether something comes true in time."""
    started = time.monotonic()
    while not test():
        waited = time.monotonic() - started
        if waited > within_s:
            return False
        # The shortest sleep takes a millisecond, and most freezes take less. But who freezes may need this very
        # processor for its last steps.
        os.sched_yield()
        await asyncio.sleep(0.0 if waited < _AT_ONCE_S else _AT_ONCE_S)
    return True


def split_code(code: int) -> tuple[int | None, int | None]:
    """An exit code and a signal, one of them None: bubblewrap, tini and shells add 128 to a signal's number."""
    number = -code if code < 0 else code - 128
    return (None, number) if number in _SIGNALS else (code, None)
