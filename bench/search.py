"""How many iterations per second `arena.sdk.search` makes, beside imagining and playing out alone.

    python -m bench.search [--before FOLDER] [--game claim]

FOLDER is an older version of this repository (`git archive COMMIT | tar -x -C FOLDER`), which is then measured in turns
with the present one.
"""

import argparse
import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from statistics import median

from bench.environment import ROOT, folders
from bench.table import Row, show
from bench.turns import in_turns, program, ratio

ROUNDS = 7
PLAYER = Path(__file__).with_name("search_player.py")
GAMES = ("assassins", "claim", "kingdoms", "rrr")
BEFORE = "before"


def rows(before: Path | None = None, games: Sequence[str] = GAMES) -> list[Row]:
    """Every game, with interpreted and compiled rules, beside the play-outs or beside the older version."""
    found = []
    sources = {**folders(), **({BEFORE: before} if before else {})}
    for game in games:
        speeds = measure(game, sources)
        for kind in sources.keys() - {BEFORE}:
            other, words = (f"{BEFORE} tree", "the older version") if before else (f"{kind} playout", "play-outs alone")
            own, others = speeds[f"{kind} tree"], speeds[other]
            name = f"search: {game}, {kind}, beside {words}"
            found.append(Row(name, median(own), median(others), "iterations/s", ratio(own, others), None))
    return found


def measure(game: str, sources: Mapping[str, Path]) -> dict[str, list[float]]:
    """Iterations per second of the search and of play-outs alone, for each version of the sources."""
    with ExitStack() as stack:
        players = {
            f"{kind} {work}": stack.enter_context(program((sys.executable, "-P", PLAYER, game, work), (folder, ROOT)))
            for kind, folder in sources.items()
            for work in ("tree", "playout")
        }
        return in_turns(players, ROUNDS)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description="Measure the speed of the search.")
    parser.add_argument("--before", type=Path, help="a folder with an older version of this repository")
    parser.add_argument("--game", action="append", choices=GAMES, help="only this game; may be repeated")
    given = parser.parse_args()
    show(rows(given.before, given.game or GAMES))


if __name__ == "__main__":
    main()
