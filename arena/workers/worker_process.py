"""The tournament's handle of a worker process: starts it, sends it matches, ends it."""

import asyncio
import os
import signal
import socket
import sys
import tempfile
from collections.abc import Collection
from contextlib import suppress
from typing import IO, Any

from arena.errors import InfraError
from arena.sandboxes.sweeping import sweep
from arena.untrusted.python_process import python_environment
from arena.workers.base import (
    NULL_SPECTATOR,
    Assignment,
    FinishedMatch,
    Spectator,
    VoidMatch,
    WorkerCleanupFailed,
    WorkerDied,
)
from arena.workers.messages import Failure, MovesReport, PlayMatch, WorkerPlan, pack, receive

END_S = 20.0
"""Seconds that a worker may take to end its bots, before it is killed and they die with it."""
TAIL_BYTES = 2000
PROGRAM = "arena.workers.worker_main"
"""The module that a worker process runs."""

IN_BACKGROUND = ("/bin/sh", "-c", '"$@" & wait $!', "sh")
"""Runs a command as a grandchild: whoever kills our children does not kill the worker, which then ends by itself."""


class WorkerProcess:
    """Plays one match at a time, in a process that does nothing else.

    `cores` are the processors that it and its bots may use, all if there are none. `as_grandchild` is for a parent
    whose children may be killed at its end: the worker notices the end by its socket, and ends its bots in order.
    """

    node = ""

    def __init__(
        self,
        plan: WorkerPlan,
        *,
        cores: Collection[int] = (),
        as_grandchild: bool = False,
        spectator: Spectator = NULL_SPECTATOR,
    ) -> None:
        self._plan = plan
        self._spectator = spectator
        self._cores = cores
        self._prefix = IN_BACKGROUND if as_grandchild else ()
        self._process: asyncio.subprocess.Process | None = None
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._output: IO[bytes] | None = None
        """What it prints, which is nothing unless it fails."""

    async def play(self, bots: tuple[int, ...], assignment: Assignment, *, new_leg: bool) -> FinishedMatch | VoidMatch:
        """Play a match there; WorkerDied if the process ends meanwhile, WorkerCleanupFailed if it has to before."""
        answer: FinishedMatch | VoidMatch | Failure | MovesReport
        answer = await self._ask(PlayMatch(bots, assignment, new_leg))
        while isinstance(answer, MovesReport):
            self._spectator.played(assignment.spec.match_id, answer.attempt, answer.moves, answer.played, answer.faults)
            answer = await self._receive()
        if isinstance(answer, Failure):
            if answer.kind is WorkerCleanupFailed:
                await self.close()
                await sweep()
            raise answer.error()
        return answer

    async def close(self) -> None:
        """Close the socket, so that it ends its bots and itself; kill it if it does not."""
        process, self._process = self._process, None
        if self._writer is not None:
            self._writer.close()
        if process is not None:
            try:
                await asyncio.wait_for(process.wait(), END_S)
            except (TimeoutError, asyncio.CancelledError):
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                await process.wait()
        if self._output is not None:
            self._output.close()

    async def start(self) -> None:
        """Start it and wait until it is ready to play; InfraError if it cannot."""
        ours, theirs = socket.socketpair()
        self._output = tempfile.TemporaryFile()  # noqa: SIM115  (closed with the worker)
        with theirs:
            try:
                self._process = await asyncio.create_subprocess_exec(
                    # -P and the path: the same modules as here, and none out of the current folder.
                    *self._prefix,
                    sys.executable, "-P", "-m", PROGRAM, str(theirs.fileno()),
                    env=python_environment(),
                    stdin=asyncio.subprocess.DEVNULL, stdout=self._output, stderr=self._output,
                    pass_fds=[theirs.fileno()],
                    start_new_session=True,  # Ctrl-C is for the tournament, which knows what to do with it
                )  # fmt: skip
            except OSError as error:
                ours.close()
                raise InfraError(f"a worker process cannot be started: {error}") from error
        if self._cores:
            with suppress(OSError):  # a wish: without it the worker only shares its cores
                os.sched_setaffinity(self._process.pid, self._cores)
        self._reader, self._writer = await asyncio.open_connection(sock=ours)
        await self._ask(self._plan)

    async def _ask(self, request: WorkerPlan | PlayMatch) -> Any:
        if self._writer is None:
            raise InfraError("the worker process is not running")
        with suppress(ConnectionError):  # what is wrong is said where the answer is read
            self._writer.write(pack(request))
            await self._writer.drain()
        return await self._receive()

    async def _receive(self) -> Any:
        if self._reader is None:
            raise InfraError("the worker process is not running")
        try:
            return await receive(self._reader)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise WorkerDied(await self._exit_report()) from error

    async def _exit_report(self) -> str:
        code, tail = None, ""
        if self._process is not None:
            code = await self._process.wait()
        if self._output is not None:
            self._output.seek(max(0, self._output.seek(0, os.SEEK_END) - TAIL_BYTES))
            tail = self._output.read().decode(errors="replace").strip()
        await self.close()
        await sweep()  # its bots died with it, but not their control groups
        return f"a worker process ended with code {code}" + (f": {tail}" if tail else "")
