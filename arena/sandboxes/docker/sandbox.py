"""Bots given as an image, each in a hardened container of its own."""

import asyncio
import contextlib
import os
import time
from collections.abc import Collection, Sequence
from typing import Any

from arena.errors import InfraError
from arena.sandboxes.base import BotImage, Death, Enforcement, Limits
from arena.sandboxes.docker import images
from arena.sandboxes.docker.client import DockerClient, NotFound, is_conflict
from arena.sandboxes.docker.container import check_process, check_settings, container_config
from arena.sandboxes.docker.watchdog import Watchdog
from arena.sandboxes.kernel import cgroup_tree, masks, procfs
from arena.sandboxes.kernel.cgroups import Group
from arena.sandboxes.kernel.users import LeasedUser
from arena.sandboxes.lifecycle import SandboxLifecycle, split_code, to_the_end
from arena.sandboxes.logs import TAIL_BYTES, escape
from arena.sandboxes.owner import PREFIX, owner
from arena.sandboxes.socketdir import SocketDirectory
from arena.sandboxes.sweeping import sweep_containers_once

_END_S = 15.0
_LINES = 200
"""Lines of output that are asked for while a bot lives."""


class DockerSandbox(SandboxLifecycle):
    """A container without network, rights or lasting storage."""

    kind = "docker"

    def __init__(
        self,
        program: BotImage,
        limits: Limits,
        *,
        require: Collection[str] = (),
        hierarchies: Sequence[cgroup_tree.Hierarchy] | None = None,
    ) -> None:
        super().__init__(limits, require=require, hierarchies=hierarchies)
        self._program = program
        self._client: DockerClient | None = None
        self._user: LeasedUser | None = None
        self._socket: SocketDirectory | None = None
        self._facts: SocketDirectory | None = None
        self._watchdog: Watchdog | None = None
        self._container: str | None = None
        self._process = -1
        self._pids: int | None = None
        self._paused = False
        self._text = ""
        self._burial: asyncio.Task[None] | None = None
        self._unknown_end: InfraError | None = None

    @property
    def _uid(self) -> int:
        # Without root the referee could not reach a socket of another user.
        return os.geteuid() if self._user is None else self._user.uid

    def log(self) -> str:
        """The newest of its output, as far as the daemon was asked for it: it is when the bot dies."""
        return self._text

    async def read_log(self) -> None:
        """Ask the daemon, unless the bot is dead and all is known."""
        if self._death is None and self._container is not None and self._ending is None:
            client, container = self._open()
            output = await client.ask(client.api.logs, container, stdout=True, stderr=True, tail=_LINES)
            self._text = escape(output[-self._limits.log_bytes :])

    # Beginning.

    async def _launch(self) -> Enforcement:
        await to_the_end(self._acquire)
        pid = await to_the_end(self._run)
        self._watch(pid)
        if procfs.status(pid):
            # A bot that ends at once takes its files in /proc and its groups along.
            with contextlib.suppress(OSError):
                return await self._read_back(pid)
        # Either it has ended already, or it runs where we cannot see it, which `_bury` will find out.
        await self._await_death(2 * _END_S)
        return {"sandbox": self.kind}

    async def _release(self) -> None:
        """Nothing: a container runs from its start, and a sandbox that is not tight was killed by then."""

    def _acquire(self) -> None:
        sweep_containers_once()
        self._client = DockerClient()
        image = images.resolve(self._client, self._program.reference)
        if os.geteuid() == 0:
            self._user = LeasedUser()
        self._socket = SocketDirectory(self._uid)
        self._directory = os.open(self._socket.path, os.O_PATH | os.O_DIRECTORY | os.O_CLOEXEC)
        self._facts = SocketDirectory(os.geteuid(), masks.facts())
        name = f"{PREFIX}-{owner()}-{self._token}"
        leases = () if self._user is None else (self._user.fileno(),)
        self._watchdog = Watchdog(name, (self._socket.path, self._facts.path), leases=leases)
        config = container_config(
            self._program,
            self._limits,
            image=image.digest,
            socket_dir=str(self._socket.path),
            facts_dir=str(self._facts.path),
            uid=self._uid,
        )
        self._adapt(config["HostConfig"])
        made = self._client.call(self._client.api.create_container_from_config, config, name)
        self._container = made["Id"]
        if made.get("Warnings"):
            raise InfraError(f"docker would not keep every limit: {'; '.join(made['Warnings'])}")

    def _adapt(self, host_config: dict[str, Any]) -> None:
        """What another runtime wants otherwise."""

    def _run(self) -> int:
        client, container = self._open()
        client.call(client.api.start, container)
        return int(client.call(client.api.inspect_container, container)["State"]["Pid"])

    def _watch(self, pid: int) -> None:
        """Learn of the container's end without a thread that waits for it."""
        try:
            self._process = os.pidfd_open(pid) if pid else -1
        except ProcessLookupError:
            self._process = -1
        if self._process >= 0:
            asyncio.get_running_loop().add_reader(self._process, self._ended)
        else:
            self._burial = asyncio.create_task(self._bury())

    async def _read_back(self, pid: int) -> Enforcement:
        """What the kernel says of the container's first process, and the daemon of the container."""
        client, container = self._open()
        self._group = Group.of_process(pid, container, self._hierarchies)
        # The daemon takes such a limit and forgets it, so it can only be set now that the group is there.
        self._lever(lambda: self._group.limit_sockets(self._limits))
        return self._check(pid, await client.ask(client.api.inspect_container, container))

    def _check(self, pid: int, found: dict[str, Any]) -> Enforcement:
        """What holds the container; InfraError when that is not what was asked for."""
        self._pids = procfs.namespace(pid, "pid")
        self._group.check(self._limits)
        status = procfs.status(pid)
        if status:
            check_process(pid, status, self._uid)
        check_settings(found, self._limits)
        return {
            "sandbox": self.kind,
            "runtime": str(found["HostConfig"].get("Runtime", "")),
            "memory": self._by_group("memory", "docker"),
            "pids": self._by_group("pids", "docker"),
            "cpu": self._by_group("cpu", "docker"),
            "freeze": self._by_group("freeze", "docker"),
            "kill": "pid namespace",
            "network": "namespace",
            "files": "namespace",
            "seccomp": "filter",
            "uid": "shared" if self._user is None else "own",
        }

    def _open(self) -> tuple[DockerClient, str]:
        if self._client is None or self._container is None:
            raise InfraError("the container does not exist")
        return self._client, self._container

    # Meanwhile.

    async def _freeze_otherwise(self) -> bool:
        """Pause by the daemon, which at times gives up on a busy bot: no failure of ours to void a match for."""
        client, container = self._open()
        try:
            await client.ask(client.api.pause, container)
        except InfraError:
            return False
        self._paused = True
        return True

    async def _thaw_otherwise(self) -> None:
        client, container = self._open()
        if self._paused:
            self._paused = False
            await client.ask(client.api.unpause, container)

    def _cpu_time_otherwise(self) -> float:
        return 0.0 if self._pids is None else sum(map(procfs.cpu_time, procfs.members(self._pids)))

    # End.

    def _ended(self) -> None:
        self._unwatch()
        self._burial = asyncio.create_task(self._bury())

    def _unwatch(self) -> None:
        if self._process >= 0:
            asyncio.get_running_loop().remove_reader(self._process)
            os.close(self._process)
            self._process = -1

    async def _bury(self) -> None:
        """Ask the daemon how it ended, once it knows."""
        try:
            state, output = await asyncio.to_thread(self._last_words)
        except InfraError as error:
            # Without its exit status the sandbox still has to come down; `wait` and `start` will raise this.
            self._unknown_end = error
            self._died.set()
            return
        self._text = escape(output[-self._limits.log_bytes :])
        code, number = split_code(int(state["ExitCode"]))
        self._buried(
            Death(
                exit_code=code,
                signal=number,
                out_of_memory=bool(state["OOMKilled"]),
                by_referee=self._by_referee,
                escaped=False,
                log=escape(output[-TAIL_BYTES:]),
            )
        )

    def _last_words(self) -> tuple[dict[str, Any], bytes]:
        client, container = self._open()
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
            self._unwatch()
            await asyncio.to_thread(self._give_back)

    async def _end_container(self) -> None:
        client, container = self._open()
        if self._frozen:
            await self._thaw_for_the_end()
        if self._process >= 0 or self._burial is not None:
            # It may have ended by itself at the same time; that it has ended is what is waited for.
            with contextlib.suppress(InfraError):
                await client.ask(client.api.kill, container)
            await self._await_death(_END_S)

    async def _await_death(self, within_s: float) -> None:
        try:
            async with asyncio.timeout(within_s):
                await self._died.wait()
        except TimeoutError:
            raise InfraError(f"docker did not end the container within {within_s:g} s") from None
        if self._unknown_end is not None:
            raise self._unknown_end

    async def _thaw_for_the_end(self) -> None:
        """Frozen processes of version 1 would not feel the kill."""
        if "freeze" in self._group.features:
            with contextlib.suppress(InfraError):
                self._group.thaw()
        else:
            with contextlib.suppress(InfraError):
                await self._thaw_otherwise()

    def _give_back(self) -> None:
        """Give back what was acquired, last things first, and all of it even if one step fails."""
        with contextlib.ExitStack() as stack:
            if self._user is not None:
                stack.callback(self._user.free)
            for directory in filter(None, (self._socket, self._facts)):
                stack.callback(directory.remove)
            if self._client is not None:
                stack.callback(self._client.close)
            if self._watchdog is not None:
                stack.callback(self._watchdog.call_off)
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
