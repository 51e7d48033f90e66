"""Runs in the peers' environment: microseconds per move of kaggle-environments, one number for every line.

    python peer_kaggle.py in-process|http

Two agents that play ConnectX at random; with `http` each is asked over HTTP, as its remote agents are.
"""

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import StringIO

with redirect_stdout(StringIO()):  # it says which games cannot be loaded
    from kaggle_environments import make  # type: ignore[import-not-found, unused-ignore]

WAIT_S = 60.0


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return int(sock.getsockname()[1])


@contextmanager
def server() -> Iterator[str]:
    """Its own HTTP server with a random agent; the address."""
    port = free_port()
    command = [sys.executable, "-m", "kaggle_environments.main", "http-server", "--port", str(port)]
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # noqa: S603
    try:
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"http://127.0.0.1:{port}/?agents[]=random"
    finally:
        child.kill()
        child.wait()


def answer(agent: str) -> None:
    """Play a match for every line."""
    for _ in sys.stdin:
        environment = make("connectx")
        began = time.perf_counter()
        with redirect_stdout(StringIO()):
            steps = environment.run([agent, agent])
        took = time.perf_counter() - began
        if steps[-1][0].status != "DONE":
            sys.exit(f"the match ended with {steps[-1][0].status}")
        print(took / (len(steps) - 1) * 1e6, flush=True)


if __name__ == "__main__":
    if sys.argv[1] == "http":
        with server() as url:
            answer(url)
    else:
        answer("random")
