"""`arena serve` beside a tournament, and readers of its live pages.

python -m bench.spectators PORT COUNT      so many readers, until the input ends
"""

import gzip
import html
import http.client
import json
import signal
import socket
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from urllib.parse import urljoin

PAUSE_S = 0.2
"""Seconds before a spectator tries again."""


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
    """Threads that hold a stream each, in one process, as long as they are entered.

    Every other one watches the running match and then the next one, the rest the first page.
    """

    def __init__(self, port: int, count: int) -> None:
        self._port, self._stop = port, threading.Event()
        self._match, self._open, self._lock = "", 0, threading.Lock()
        self.received = 0
        self.samples: list[int] = []
        """How many streams were open, every now and then."""
        self._threads = [threading.Thread(target=self._find_match, daemon=True)]
        self._threads += [
            threading.Thread(target=self._watch_matches if number % 2 else self._watch_page, daemon=True)
            for number in range(count)
        ]

    def __enter__(self) -> "Spectators":
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()

    def _find_match(self) -> None:
        """Look up which match is played, for all who watch it."""
        while not self._stop.wait(PAUSE_S):
            self.samples.append(self._open)
            with suppress(OSError, http.client.HTTPException, KeyError):
                text = self._get("index.html").read().decode()
                name = text.partition('aural"> live')[0].rpartition('class="watch" href="')[2].partition('"')[0]
                if 'aural"> live' in text and name not in self._match:
                    self._match = f"events/{name}?attempt={self._attempt(name)}&from=0"

    def _attempt(self, name: str) -> int:
        """Which attempt at a match is played, as its page learns it."""
        page = self._get(name).read().decode()
        data = html.unescape(page.partition('data-replay="')[2].partition('"')[0])
        packed = self._get(urljoin(name, data)).read()
        return int(json.loads(gzip.decompress(packed))["attempt"])

    def _watch_page(self) -> None:
        while not self._stop.wait(PAUSE_S):
            with suppress(OSError, http.client.HTTPException):
                self._read("events/index.html")

    def _watch_matches(self) -> None:
        seen = ""
        while not self._stop.wait(PAUSE_S):
            if (match := self._match) in ("", seen):
                continue
            with suppress(OSError, http.client.HTTPException):
                self._read(match)
                seen = match

    def _read(self, path: str) -> None:
        stream = self._get(path)
        self._count(1)
        try:
            while not self._stop.is_set() and (line := stream.readline()):
                self.received += len(line)
                if line.startswith((b"event: end", b"event: again", b"event: gone")):
                    return
        finally:
            self._count(-1)

    def _count(self, more: int) -> None:
        with self._lock:
            self._open += more

    def _get(self, path: str) -> http.client.HTTPResponse:
        connection = http.client.HTTPConnection("127.0.0.1", self._port, timeout=30)
        connection.request("GET", f"/{path}")
        return connection.getresponse()


@contextmanager
def watching(port: int, count: int) -> Iterator[None]:
    """So many spectators in a process of their own, with the lowest priority, as they would be elsewhere."""
    command = ["nice", "-n", "19", sys.executable, "-m", "bench.spectators", str(port), str(count)]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)  # noqa: S603
    assert process.stdout is not None  # noqa: S101
    process.stdout.readline()
    try:
        yield
    finally:
        told, _ = process.communicate("", timeout=30)
        print(told.strip())


def main() -> None:
    """Watch until the input ends, and print how many did and how much came."""
    port, count = map(int, sys.argv[1:])
    with Spectators(port, count) as watching:
        # Those of the first page can be there before anything is played.
        while not watching.samples or watching.samples[-1] < count // 2:
            time.sleep(PAUSE_S)
        first = len(watching.samples)
        print("ready", flush=True)
        sys.stdin.read()
        samples = watching.samples[first:] or watching.samples
        megabytes = watching.received / 1e6
        print(
            f"{statistics.median(samples):.0f} streams were open (median), {max(samples)} at most, {megabytes:.1f} MB"
        )


if __name__ == "__main__":
    main()
