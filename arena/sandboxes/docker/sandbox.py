"""Bots given as an image, each in a hardened container of its own."""

import asyncio
import contextlib
import os
import select
import time
from bisect import bisect_right
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

from arena.errors import InfraError
from arena.referee.enforcement import Enforcement
from arena.sandboxes.base import BotImage, Death, Limits
from arena.sandboxes.docker import images
from arena.sandboxes.docker.client import DockerClient, NoAnswer, NotFound, is_conflict
from arena.sandboxes.docker.container import check_mounts, check_process, check_settings, container_config
from arena.sandboxes.docker.watchdog import Watchdog
from arena.sandboxes.kernel import masks, procfs
from arena.sandboxes.kernel.cgroups import ControlGroup
from arena.sandboxes.kernel.users import LeasedUser
from arena.sandboxes.lifecycle import SandboxLifecycle, run_to_completion, split_exit_code, wait_until
from arena.sandboxes.logs import TAIL_BYTES
from arena.sandboxes.referee_id import PREFIX, referee_id
from arena.sandboxes.socketdir import SocketDirectory
from arena.sandboxes.sweeping import sweep_containers_once
from arena.untrusted.text import printable_bytes

_END_S = 15.0
_BEHIND_S, _RETRY_S = 1.0, 0.005
"""How long the daemon may be behind with what it knows of a container, and how often it is asked again."""
_LINES = 200
"""Lines of output that are asked for while a bot lives."""


class DockerSandbox(SandboxLifecycle[BotImage]):
    """A container without network, rights or lasting storage."""

    kind = "docker"

    _client: DockerClient | None = None
    _user: LeasedUser | None = None
    _socket: SocketDirectory | None = None
    _snapshots: SocketDirectory | None = None
    _watchdog: Watchdog | None = None
    _container: str | None = None
    _process = -1
    """A pidfd of the container's first process while it is watched."""
    _pids: int | None = None
    """The pid namespace of the container."""
    _paused = False
    _out_of_memory = False
    """Whether the kernel counted a process that it killed for lack of memory."""
    _text = ""
    _exit_status_task: asyncio.Task[None] | None = None
    _exit_status_error: InfraError | None = None

    @property
    def _uid(self) -> int:
        # Without root the referee could not reach a socket of another user.
        return os.geteuid() if self._user is None else self._user.uid

    async def wait(self) -> Death:
        """Wait until the bot is dead; InfraError when the daemon does not tell how it died."""
        await self._died.wait()
        if self._death is None and self._exit_status_error is not None:
            raise self._exit_status_error
        return await super().wait()

    def log(self) -> str:
        """The end of the bot's output, as fetched by `read_log` or when the bot died."""
        return self._text

    async def read_log(self) -> None:
        """Fetch the output from the daemon, unless the bot is dead."""
        if self._death is None and self._container is not None and self._end_task is None:
            client, container = self._client_and_container()
            output = await client.call_in_thread(client.api.logs, container, stdout=True, stderr=True, tail=_LINES)
            self._text = printable_bytes(output[-self._limits.log_bytes :])

    def mark(self) -> float:
        """The time: the daemon stamps every line, and a frozen bot prints nothing before it is asked again."""
        return time.time()

    async def read_outputs(self, marks: Sequence[float]) -> list[str]:
        """The lines that the daemon stamped between these times, fetched from it again if there are any."""
        if not self._text or self._container is None or self._end_task is not None:
            return [""] * len(marks)
        client, container = self._client_and_container()
        lines = await client.call_in_thread(
            client.api.logs, container, stdout=True, stderr=True, tail=_LINES, timestamps=True
        )
        return await asyncio.to_thread(sort_lines, lines[-self._limits.log_bytes :], marks)

    # Start.

    async def _launch(self) -> Enforcement:
        await run_to_completion(self._acquire)
        pid = await run_to_completion(self._run)
        self._watch_process(pid)
        if procfs.status(pid):
            # When a bot ends at once, its files in /proc and its control groups vanish.
            with contextlib.suppress(OSError):
                return await self._read_back(pid)
        # It has ended already, or runs where we cannot see it, and `_collect_exit_status` finds out which.
        await self._await_death(2 * _END_S)
        return {"sandbox": self.kind}

    async def _release(self) -> None:
        """Nothing to do: a container runs from its start, and is killed if a check fails."""

    def _acquire(self) -> None:
        sweep_containers_once()
        self._client = DockerClient()
        image = images.resolve(self._client, self._program.reference)
        if os.geteuid() == 0:
            self._user = LeasedUser()
        self._socket = SocketDirectory(self._uid)
        self._directory = os.open(self._socket.path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._snapshots = SocketDirectory(os.geteuid(), masks.snapshots())
        name = f"{PREFIX}-{referee_id()}-{self._token}"
        leases = () if self._user is None else (self._user.fileno(),)
        self._watchdog = Watchdog(name, (self._socket.path, self._snapshots.path), leases=leases)
        config = container_config(
            self._program,
            self._limits,
            image=image,
            socket_dir=str(self._socket.path),
            snapshots_dir=str(self._snapshots.path),
            uid=self._uid,
        )
        self._adapt_host_config(config["HostConfig"])
        made = self._client.call(self._client.api.create_container_from_config, config, name)
        self._container = made["Id"]
        if made.get("Warnings"):
            raise InfraError(f"docker would not keep every limit: {'; '.join(made['Warnings'])}")

    def _adapt_host_config(self, host_config: dict[str, Any]) -> None:
        """Change the configuration for another runtime."""

    def _run(self) -> int:
        client, container = self._client_and_container()
        client.call(client.api.start, container)
        return int(client.call(client.api.inspect_container, container)["State"]["Pid"])

    def _watch_process(self, pid: int) -> None:
        """Have the event loop call `_ended` when the container's process ends."""
        try:
            self._process = os.pidfd_open(pid) if pid else -1
        except ProcessLookupError:
            self._process = -1
        if self._process >= 0:
            asyncio.get_running_loop().add_reader(self._process, self._ended)
        else:
            self._exit_status_task = asyncio.create_task(self._collect_exit_status())

    async def _read_back(self, pid: int) -> Enforcement:
        """Check the container by what the kernel and the daemon report."""
        client, container = self._client_and_container()
        # Until it runs the bot, the process is the runtime's own, which an ordinary user may not look into.
        await wait_until(lambda: procfs.namespace(pid, "pid") is not None or procfs.is_ending(pid), _END_S)
        self._group = ControlGroup.of_process(pid, container, self._hierarchies)
        # The daemon accepts this limit but does not set it, so it is set here, after the group was made.
        self._apply_to_group(lambda: self._group.limit_sockets(self._limits))
        return self._check(pid, await client.call_in_thread(client.api.inspect_container, container))

    def _check(self, pid: int, found: dict[str, Any]) -> Enforcement:
        """The enforcement of the container; InfraError when a requested restriction is not in force."""
        self._pids = procfs.namespace(pid, "pid")
        self._check_limits(pid, self._limits)
        status = procfs.status(pid)
        if status:
            check_process(pid, status, self._uid)
        check_settings(found, self._limits)
        return {
            "sandbox": self.kind,
            "runtime": str(found["HostConfig"].get("Runtime", "")),
            "memory": self._enforced_by("memory", "docker"),
            "pids": self._enforced_by("pids", "docker"),
            "cpu": self._enforced_by("cpu", "docker"),
            "cputime": self._enforced_by("cputime", "processes"),
            "freeze": self._enforced_by("freeze", "docker"),
            "kill": "pid namespace",
            "network": "namespace",
            "files": "namespace",
            "inodes": check_mounts(pid, self._limits),
            "seccomp": "filter",
            "uid": "shared" if self._user is None else "own",
        }

    def _check_limits(self, pid: int, limits: Limits) -> None:
        """Compare the limits in force with those wanted, unless their files have vanished with a bot that ended."""
        try:
            self._group.check(limits)
        except InfraError:
            if not procfs.is_ending(pid):
                raise

    def _client_and_container(self) -> tuple[DockerClient, str]:
        if self._client is None or self._container is None:
            raise InfraError("the container does not exist")
        return self._client, self._container

    # While the bot runs.

    async def _freeze_without_group(self) -> bool:
        """Pause by the daemon, which sometimes fails for a busy bot; that is no reason to void a match."""
        client, _ = self._client_and_container()
        try:
            await self._persist(client.api.pause)
        except InfraError:
            return False
        self._paused = True
        return True

    async def _thaw_without_group(self) -> None:
        """Let the daemon go on with it; if the bot has ended meanwhile there is nothing to go on with."""
        client, _ = self._client_and_container()
        if self._paused:
            self._paused = False
            try:
                await self._persist(client.api.unpause)
            except InfraError:
                if not self._has_ended():
                    raise

    async def _persist(self, call: Callable[[str], None]) -> None:
        """Pause or unpause the container, and again if the daemon is behind.

        It notes each of them twice, the second time when it is told of it, and so may take the container for a moment
        to be still what it was before.
        """
        client, container = self._client_and_container()
        until = time.monotonic() + _BEHIND_S
        while True:
            try:
                await client.call_in_thread(call, container)
            except InfraError as error:
                if isinstance(error, NoAnswer) or time.monotonic() > until or self._has_ended():
                    raise
                await asyncio.sleep(_RETRY_S)
            else:
                return

    def _has_ended(self) -> bool:
        """Whether the first process has ended, also before the event loop or the daemon has noticed."""
        if self._exited.is_set() or self._process < 0:
            return self._exited.is_set()
        ended = select.poll()  # which takes descriptors of any number
        ended.register(self._process, select.POLLIN)
        return bool(ended.poll(0))

    def _processes(self) -> list[int]:
        return [] if self._pids is None else procfs.members(self._pids)

    # End.

    def _ended(self) -> None:
        """Note the exit at once: the daemon may take seconds to notice it, and longer to hear why."""
        self._unwatch_process()
        with contextlib.suppress(OSError):  # the daemon may have removed the group already
            self._out_of_memory = self._group.oom_kills() > 0
        self._exited.set()
        self._exit_status_task = asyncio.create_task(self._collect_exit_status())

    def _unwatch_process(self) -> None:
        if self._process >= 0:
            asyncio.get_running_loop().remove_reader(self._process)
            os.close(self._process)
            self._process = -1

    async def _collect_exit_status(self) -> None:
        """Wait until the daemon has noticed the end, and record the exit status and the output."""
        try:
            state, output = await asyncio.to_thread(self._read_exit_status)
        except Exception as error:
            # The sandbox is removed even if the exit status is unknown; `wait` and `_await_death` raise this error.
            unknown = InfraError(f"docker does not tell how the bot ended: {type(error).__name__}: {error}")
            self._exit_status_error = error if isinstance(error, InfraError) else unknown
            self._died.set()
            return
        self._text = printable_bytes(output[-self._limits.log_bytes :])
        code, number = split_exit_code(int(state["ExitCode"]))
        self._record_death(
            Death(
                exit_code=code,
                signal=number,
                out_of_memory=self._out_of_memory or bool(state["OOMKilled"]),
                by_referee=self._by_referee,
                escaped=False,
                log=printable_bytes(output[-TAIL_BYTES:]),
            )
        )

    def _read_exit_status(self) -> tuple[dict[str, Any], bytes]:
        client, container = self._client_and_container()
        deadline = time.monotonic() + _END_S
        while True:
            state: dict[str, Any] = client.call(client.api.inspect_container, container)["State"]
            if not state["Running"]:
                break
            if time.monotonic() > deadline:
                raise InfraError("docker does not notice that the container has ended")
            time.sleep(0.005)
        output: bytes = client.call(client.api.logs, container, stdout=True, stderr=True)
        return state, output

    async def _end(self) -> None:
        try:
            if self._container is not None:
                await self._end_container()
        finally:
            self._unwatch_process()
            await asyncio.to_thread(self._free_resources)

    async def _end_container(self) -> None:
        client, container = self._client_and_container()
        if self._frozen:
            await self._thaw_before_kill()
        if self._process >= 0 or self._exit_status_task is not None:
            # It may have ended by itself at the same time, so only its end is waited for.
            with contextlib.suppress(InfraError):
                await client.call_in_thread(client.api.kill, container)
            await self._await_death(_END_S)

    async def _await_death(self, within_s: float) -> None:
        try:
            async with asyncio.timeout(within_s):
                await self._died.wait()
        except TimeoutError:
            raise InfraError(f"docker did not end the container within {within_s:g} s") from None
        if self._exit_status_error is not None:
            raise self._exit_status_error

    async def _thaw_before_kill(self) -> None:
        """Thaw the bot: processes frozen by version 1 control groups do not receive SIGKILL."""
        if "freeze" in self._group.features:
            with contextlib.suppress(InfraError):
                self._group.thaw()
        else:
            with contextlib.suppress(InfraError):
                await self._thaw_without_group()

    def _free_resources(self) -> None:
        """Free what `_acquire` made, in reverse order, and all of it even if one step fails."""
        with contextlib.ExitStack() as stack:
            if self._user is not None:
                stack.callback(self._user.free)
            for directory in filter(None, (self._socket, self._snapshots)):
                stack.callback(directory.remove)
            if self._client is not None:
                stack.callback(self._client.close)
            if self._watchdog is not None:
                stack.callback(self._watchdog.stop)
            if self._client is not None and self._container is not None:
                stack.callback(self._remove, self._client, self._container)

    @staticmethod
    def _remove(client: DockerClient, container: str) -> None:
        try:
            client.call(client.api.remove_container, container, force=True, v=True)
        except NotFound:
            return
        except InfraError as error:
            if not is_conflict(error):  # or else somebody removes it at this moment
                raise


def sort_lines(output: bytes, marks: Sequence[float]) -> list[str]:
    """Stamped lines of output, sorted into the intervals that begin at these times and escaped."""
    pieces = [b""] * len(marks)
    for line in output.splitlines(keepends=True):
        stamp, _, text = line.partition(b" ")
        try:
            place = bisect_right(marks, datetime.fromisoformat(stamp.decode()).timestamp()) - 1
        except ValueError:  # the rest of a line that was cut
            continue
        if place >= 0:
            pieces[place] += text
    return list(map(printable_bytes, pieces))
