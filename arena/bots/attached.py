"""A bot as a plain child process with the user's terminal, for debugging: it runs without a sandbox."""

import asyncio
import os
import shutil
import tempfile
from contextlib import AsyncExitStack, suppress

from arena.bots.running import AnyCodec, RunningBot, connect_or_end
from arena.clock import UNTIMED_WAIT
from arena.errors import StartFailed
from arena.links.connection import BotConnection, unix_connect
from arena.match import Contestant
from arena.referee.player import Link
from arena.sandboxes.base import SOCKET_NAME, BotDirectory

TERMINATE_S = 3.0
"""Seconds between SIGTERM and SIGKILL."""


class AttachedBot(RunningBot):
    """Runs with the terminal, the environment and the rights of the user, without a time limit."""

    def __init__(self, contestant: Contestant, program: BotDirectory) -> None:
        super().__init__(contestant)
        self._program = program
        self._home: str | None = None
        self._process: asyncio.subprocess.Process | None = None
        self._connection: BotConnection | None = None

    async def start(self) -> None:
        """Start it and wait, however long a breakpoint takes, until it serves or ends."""
        self._home = tempfile.mkdtemp(prefix="arena-")
        socket = f"{self._home}/{SOCKET_NAME}"
        env = {**os.environ, **self._program.env, "ARENA_SOCKET": socket}
        try:
            # Standard input and output are not redirected: `breakpoint()` talks to the user's terminal.
            self._process = await asyncio.create_subprocess_exec(
                *self._program.command, cwd=self._program.path, env=env
            )
        except OSError as error:
            raise StartFailed(f"the bot cannot be started: {error}") from error
        opening = BotConnection.open(unix_connect(socket), UNTIMED_WAIT)
        self._connection, code = await connect_or_end(opening, self._process.wait())
        if self._connection is None:
            raise StartFailed(f"the bot ended before it was ready, with code {code}")

    async def open_match(self, codec: AnyCodec) -> Link:
        """A stream of its own for the match."""
        if self._connection is None:
            raise StartFailed("the bot is not running")
        return await self._connection.open_match(codec)

    async def close(self) -> None:
        """Close the connection and terminate the process; kill it if it does not end."""
        async with AsyncExitStack() as stack:  # in reverse order, and every step even if another fails
            if self._home is not None:
                stack.callback(shutil.rmtree, self._home, ignore_errors=True)
            if self._process is not None and self._process.returncode is None:
                stack.push_async_callback(self._end, self._process)
            if self._connection is not None:
                connection, self._connection = self._connection, None
                stack.push_async_callback(connection.close)

    @staticmethod
    async def _end(process: asyncio.subprocess.Process) -> None:
        with suppress(ProcessLookupError):
            process.terminate()
            try:
                await asyncio.wait_for(process.wait(), TERMINATE_S)
            except (TimeoutError, asyncio.CancelledError) as reason:
                process.kill()
                await process.wait()
                if isinstance(reason, asyncio.CancelledError):
                    raise  # but it does not outlive us
