"""The bots of bench/theft.py, one by each name: `python bot.py counter|sleeper|burner`."""

import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from typing import Any

from arena.sdk import Bot, MatchEnd, MatchStart, Turn, serve

COUNT_S = 0.02
"""How long the counter counts on each move, by the clock on the wall."""
TURN_S = 0.01
"""How long its opponents take for their own moves."""
PROCESSES, THREADS = 8, 3


class Counter(Bot[Any, Any]):
    """Counts as far as it comes in its time and prints how far that was."""

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """The first move; the count is what matters."""
        count, until = 0, time.monotonic() + COUNT_S
        while time.monotonic() < until:
            count += 1
        sys.stdout.write(f"{count}\n")
        sys.stdout.flush()
        return (turn.legal or ())[0]


class Sleeper(Bot[Any, Any]):
    """Takes its time and uses nothing."""

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """The first move, after a nap."""
        time.sleep(TURN_S)
        return (turn.legal or ())[0]


class Burner(Sleeper):
    """Burns all that it can get from the start of a match to its end, whoever is to move."""

    def begin(self, start: MatchStart[Any]) -> None:  # noqa: ARG002
        """Let the fires burn."""
        signal_all(signal.SIGCONT)

    def end(self, end: MatchEnd) -> None:  # noqa: ARG002
        """Stop them, so that the next match is a calm one."""
        signal_all(signal.SIGSTOP)


def light_fires() -> Iterator[int]:
    """Start processes that burn with many threads; the numbers of the processes."""
    for _ in range(PROCESSES):
        if child := os.fork():
            yield child
        else:
            for _ in range(THREADS):
                threading.Thread(target=burn, daemon=True).start()
            burn()


def signal_all(number: signal.Signals) -> None:
    """Signal every fire."""
    for child in FIRES:
        os.kill(child, number)


def burn() -> None:
    """Use a processor and nothing else."""
    while True:
        pass


FIRES: list[int] = []
BOTS = {"counter": Counter, "sleeper": Sleeper, "burner": Burner}

if __name__ == "__main__":
    if sys.argv[1] == "burner":
        FIRES.extend(light_fires())  # before gRPC starts its threads, which a fork would leave in pieces
        signal_all(signal.SIGSTOP)
    serve(BOTS[sys.argv[1]], game="claim")
