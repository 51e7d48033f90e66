"""Gives up a PostgreSQL that does not answer any more although its connection looks alive.

The kernel notices a host that acknowledges nothing (see the keepalives in database.py). It cannot notice a server that
hangs, or a proxy or router in between that swallows what is sent: that takes a clock of our own.
"""

import os
import socket
import threading
import time
from contextlib import suppress
from typing import Any

from sqlalchemy import Engine, event

ANSWER_S = 60.0
"""Seconds after which a statement without an answer is given up; those of a tournament take milliseconds."""


class Watchdog:
    """Shuts down the sockets of connections that wait too long, so that whoever waits there is told of a loss."""

    def __init__(self) -> None:
        self._waiting: dict[int, float] = {}
        """By the number of its socket, since when a connection has waited."""
        self._lock = threading.Lock()
        self._off = threading.Event()
        self._thread: threading.Thread | None = None

    def started_waiting(self, socket_number: int) -> None:
        with self._lock:
            self._waiting[socket_number] = time.monotonic()
            if self._thread is None:
                self._off = off = threading.Event()
                self._thread = threading.Thread(target=self._watch, args=(off,), name="store-watchdog", daemon=True)
                self._thread.start()

    def stopped_waiting(self, socket_number: int) -> None:
        """From now on its socket is not touched."""
        with self._lock:
            self._waiting.pop(socket_number, None)

    def stop(self) -> None:
        """End the thread until a connection waits again."""
        with self._lock:
            self._off.set()
            self._thread = None

    def _watch(self, off: threading.Event) -> None:
        while not off.wait(ANSWER_S / 4):
            with self._lock:
                latest = time.monotonic() - ANSWER_S
                for number, since in self._waiting.items():
                    if since < latest:
                        _shut_down(number)


def watch(engine: Engine) -> None:
    """Let a watchdog look after all connections that this engine makes from now on."""
    import psycopg  # noqa: PLC0415  (only whoever uses PostgreSQL has it)

    watchdog = Watchdog()

    class WatchedConnection(psycopg.Connection[Any]):
        """A connection whose every wait for the server is watched."""

        def wait(self, *arguments: Any, **options: Any) -> Any:
            """What the server answers."""
            number = self.fileno()
            watchdog.started_waiting(number)
            try:
                return super().wait(*arguments, **options)
            finally:
                watchdog.stopped_waiting(number)

    event.listen(engine, "do_connect", lambda _, __, given, options: WatchedConnection.connect(*given, **options))
    event.listen(engine, "engine_disposed", lambda _: watchdog.stop())


def _shut_down(number: int) -> None:
    with suppress(OSError), socket.socket(fileno=os.dup(number)) as own:
        own.shutdown(socket.SHUT_RDWR)
