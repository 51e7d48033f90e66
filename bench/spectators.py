"""`arena serve` beside a tournament, and readers of its live pages.

python -m bench.spectators PORT COUNT      so many readers, until the input ends
"""

import http.client
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def serving(db: Path) -> Iterator[int]:
    """The port of a server of this store."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "arena", "serve", "--db", str(db), "--port", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True)  # noqa: S603
    try:
        assert process.stdout is not None  # noqa: S101
        process.stdout.readline()
        yield port
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)


class Spectators:
    """Threads that hold a stream each, in one process, as long as they are entered."""

    def __init__(self, port: int, count: int) -> None:
        self._port, self._stop = port, threading.Event()
        self.received = 0
        self._threads = [threading.Thread(target=self._watch, args=(number,), daemon=True) for number in range(count)]

    def __enter__(self) -> "Spectators":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()

    def _watch(self, number: int) -> None:
        while not self._stop.is_set():
            with suppress(OSError, http.client.HTTPException):
                self._read("events/index.html" if number % 2 else self._match())
            self._stop.wait(0.2)

    def _match(self) -> str:
        """Where the events of the match come from that is played now."""
        text = self._get("index.html").read().decode()
        name = text.partition('aural"> live')[0].rpartition('class="watch" href="')[2].partition('"')[0]
        return f"events/{name}?attempt=1&from=0" if name.startswith("matches/") else "events/index.html"

    def _read(self, path: str) -> None:
        stream = self._get(path)
        while not self._stop.is_set() and (line := stream.readline()):
            self.received += len(line)
            if line.startswith((b"event: end", b"event: again", b"event: gone")):
                return

    def _get(self, path: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        connection.request("GET", f"/{path}")
        return connection.getresponse()


@contextmanager
def watching(port: int, count: int) -> Iterator[None]:
    """So many spectators in a process of their own, with the lowest priority, as they would be elsewhere."""
    command = ["nice", "-n", "19", sys.executable, "-m", "bench.spectators", str(port), str(count)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603
    time.sleep(2)
    try:
        yield
    finally:
        received, _ = process.communicate("", timeout=30)
        print(f"the spectators received {int(received or 0) / 1e6:.1f} MB")


def main() -> None:
    """Watch until the input ends, and print how many bytes came."""
    port, count = map(int, sys.argv[1:])
    with Spectators(port, count) as watching:
        sys.stdin.read()
        print(watching.received, flush=True)


if __name__ == "__main__":
    main()
