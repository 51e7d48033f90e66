"""Our rules beside those of open_spiel and PettingZoo: moves per second of uniform random play, measured alternately.

Every side plays in a process of its own, in turns of a quarter of a second of processor time, so that whatever else
the machine does slows all of them. A ratio is the median over the rounds of the ratios within a round.

The peers live in an environment of their own, which `make bench-peers` makes: nothing here imports them.
"""

import argparse
import platform
import subprocess
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from statistics import median

from rich.console import Console
from rich.table import Table

from arena.registry import compiled

PEERS_PYTHON = Path(sys.prefix) / "peers" / "bin" / "python"
PLAYER = Path(__file__).with_name("peer_player.py")

PAIRS = (
    ("claim", "hearts", 8.0),
    ("kingdoms", "hearts", 6.0),
    ("assassins", "hearts", 3.0),
    ("rrr", "hearts", 1.0),
    ("claim", "breakthrough", None),
    ("claim", "connect_four", None),
    ("rrr", "connect_four", None),
)
"""Ours, theirs and the aim; hearts and breakthrough are open_spiel's (C++), connect_four is PettingZoo's (Python)."""


@contextmanager
def player(python: Path | str, game: str) -> Iterator["subprocess.Popen[str]"]:
    """A process that plays the game for a while whenever it gets a line."""
    command = [str(python), str(PLAYER), game]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:  # noqa: S603
        yield process
        process.communicate()


def turn(process: "subprocess.Popen[str]") -> float:
    """Moves per second of processor time in one turn."""
    assert process.stdin is not None  # noqa: S101  (both are pipes)
    assert process.stdout is not None  # noqa: S101
    process.stdin.write("\n")
    process.stdin.flush()
    return float(process.stdout.readline())


def measure(rounds: int) -> dict[str, list[float]]:
    """Moves per second of every game in every round."""
    ours, theirs = {own for own, _, _ in PAIRS}, {peer for _, peer, _ in PAIRS}
    with ExitStack() as stack:
        players = {game: stack.enter_context(player(sys.executable, game)) for game in sorted(ours)}
        players |= {game: stack.enter_context(player(PEERS_PYTHON, game)) for game in sorted(theirs)}
        for process in players.values():
            turn(process)  # tables are filled, caches are warm
        speeds: dict[str, list[float]] = {game: [] for game in players}
        for _ in range(rounds):
            for game, process in players.items():
                speeds[game].append(turn(process))
    return speeds


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Compare the speed of our rules with that of other libraries.")
    parser.add_argument("--rounds", type=int, default=12)
    rounds = parser.parse_args().rounds
    if not PEERS_PYTHON.exists():
        sys.exit("the peers are not installed: run `make bench-peers`")
    speeds = measure(rounds)
    kind = "compiled" if compiled() else "interpreted"
    table = Table("ours", "moves/s", "peer", "moves/s", "ratio", "aim", title=f"random play-outs, our rules {kind}")
    for own, peer, aim in PAIRS:
        ratio = median(mine / theirs for mine, theirs in zip(speeds[own], speeds[peer]))
        row = (own, f"{median(speeds[own]):,.0f}", peer, f"{median(speeds[peer]):,.0f}", f"{ratio:.2f}")
        table.add_row(*row, f"≥ {aim:g}" if aim else "")
    Console(width=100).print(table)
    print(f"{platform.platform()}, Python {platform.python_version()}, {rounds} rounds")


if __name__ == "__main__":
    main()
