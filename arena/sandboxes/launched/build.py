"""A bubblewrap sandbox that builds the folder of a bot, so that the commands of its author never run on the host."""

import asyncio
import os
from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path

from arena.errors import UsageError
from arena.sandboxes.base import BotDirectory, Limits
from arena.sandboxes.launched.bubblewrap import BOT, BubblewrapSandbox, WritableTmpfs
from arena.untrusted.units import MIB

BUILD_S = 600.0
BUILD_LIMITS = Limits(
    memory_bytes=2048 * MIB,
    cpus=2.0,
    pids=256,
    tmp_bytes=512 * MIB,
    inodes=50_000,
    file_bytes=256 * MIB,
    open_files=1024,
    file_locks=True,  # compilers lock their caches, and there is no opponent to talk to
)
_SOURCE = "/source"
_COPY = f'cp -a {_SOURCE}/. {BOT}/ && exec "$@"'


class BuildSandbox(BubblewrapSandbox):
    """A bubblewrap sandbox with a writable copy of the folder in memory, from which the result is collected."""

    _tmpfs = WritableTmpfs("work", BOT, 768 * MIB, BUILD_LIMITS.inodes, executable=True)
    _folder = _SOURCE
    _has_loopback = True  # compilers and test runners listen there, and there is no opponent to talk to

    def __init__(self, program: BotDirectory, limits: Limits = BUILD_LIMITS) -> None:
        super().__init__(replace(program, command=("/bin/sh", "-c", _COPY, "build", *program.command)), limits)

    async def build(self, collect: Callable[[Path], None], *, within_s: float = BUILD_S) -> None:
        """Run the build command, end its processes, and call `collect` with the path of the built folder."""
        with ExitStack() as stack:
            try:
                await self._build()
                await self._release()
                await self._wait_for_success(within_s)
                stack.callback(os.close, built := os.dup(self._directory))
            finally:
                await self.kill()
            await asyncio.to_thread(collect, Path(f"/proc/self/fd/{built}"))

    async def _wait_for_success(self, within_s: float) -> None:
        try:
            death = await asyncio.wait_for(self.wait(), within_s)
        except TimeoutError:
            raise UsageError(f"the build took longer than {within_s:g} s") from None
        if death.exit_code != 0:
            raise UsageError(f"the build failed: {death.sentence}\n{death.log.strip() or '(it printed nothing)'}")
