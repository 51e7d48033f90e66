"""A way to a server that can fall silent: nothing is forwarded any more, and nothing is closed."""

import asyncio
import threading
from contextlib import suppress


class StallingProxy:
    """Forwards a TCP port of this machine to a Unix socket, in a thread of its own; closed with the context."""

    def __init__(self, target):
        self._target = target
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._flowing = True
        self._tasks = set()
        self.connections = 0

    def __enter__(self):
        self._thread.start()
        self._server = self._do(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    def __exit__(self, *_):
        self._do(self._end())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()

    def stall(self):
        """Forward nothing more on any connection that there is, or comes, until `flow`."""
        self._flowing = False

    def flow(self):
        """Forward what new connections send; those that were silent stay so, as behind a router that forgot them."""
        self._flowing = True

    def _do(self, work):
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(10)

    async def _end(self):
        self._server.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    async def _serve(self, reader, writer):
        self._tasks.add(asyncio.current_task())
        self.connections += 1
        with suppress(OSError, asyncio.CancelledError):
            there = await asyncio.open_unix_connection(self._target)
            mute = asyncio.Event()
            await asyncio.gather(self._pipe(reader, there[1], mute), self._pipe(there[0], writer, mute))
        for end in (writer, there[1]):
            end.transport.abort()

    async def _pipe(self, reader, writer, mute):
        while data := await reader.read(1 << 16):
            if not self._flowing:
                mute.set()
            if not mute.is_set():
                writer.write(data)
                await writer.drain()
        if not mute.is_set():
            writer.close()
