"""How many positions and play-outs per second a bot in Go gets from the rules service, beside the same rules in Python.

    make -C bench/rules_go && python -m bench.rules_service

Per second of processor time, of the bot and of the rules together: both are the bot's.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from statistics import median
from tempfile import TemporaryDirectory
from time import process_time

from arena.game import AnyGame
from arena.registry import find
from bench.environment import folders
from bench.search_player import observations
from bench.table import Row, show
from bench.turns import Ask, conversation, in_turns, ratio

ROUNDS = 5
GAMES = ("assassins", "claim", "kingdoms", "rrr")
PROGRAM = Path(__file__).parent / "rules_go" / "build" / "bench"
SECONDS, DEPTH = 0.25, 8
"""As in rules_go/bench.go."""


def rows() -> list[Row]:
    """Positions and play-outs of every game; none without the Go program."""
    if not PROGRAM.exists():
        return []
    return [row for game in GAMES for kind, folder in folders().items() for row in game_rows(game, kind, folder)]


def game_rows(name: str, kind: str, folder: Path) -> Iterator[Row]:
    """From Go, beside Python with the rules of this process."""
    game = find(name)
    seen = observations(game)[1]
    with go_client(game, seen, folder) as ask:
        measures = {"positions": lambda: ask("look"), "play-outs": lambda: ask("playout")}
        own = {"floor positions": lambda: descend(game, seen), "floor play-outs": lambda: play_out(game, seen)}
        speeds = in_turns(measures | own, ROUNDS)
    for what in measures:
        ours, floor = speeds[what], speeds[f"floor {what}"]
        words = f"rules service from Go: {name}, {kind}, beside interpreted rules in Python"
        yield Row(words, median(ours), median(floor), f"{what}/s", ratio(ours, floor), None)


@contextmanager
def go_client(game: AnyGame, seen: object, folder: Path) -> Iterator[Ask]:
    """The Go program with a rules service of its own, as the sandbox starts them."""
    with TemporaryDirectory() as name:
        file = Path(name) / "observation"
        file.write_bytes(game.codec.dump_observation(seen))
        command = (sys.executable, "-P", "-m", "arena.sdk.rules_service", "--", PROGRAM, game.info.name, file)
        with conversation(command, (folder,)) as ask:
            yield ask


def descend(game: AnyGame, seen: object) -> float:
    """Positions per second that imagining and random moves reach in this process."""
    rng, count, started = Random(1), 0, process_time()
    while process_time() - started < SECONDS:
        state = game.imagine(seen, rng)
        for _ in range(DEPTH):
            count += 1
            legal = state.legal()
            if not legal:
                break
            state.apply(legal[int(rng.random() * len(legal))])
    return count / (process_time() - started)


def play_out(game: AnyGame, seen: object) -> float:
    """Imagined positions per second that are played out at random in this process."""
    rng, count, started = Random(1), 0, process_time()
    while process_time() - started < SECONDS:
        state = game.imagine(seen, rng)
        while legal := state.legal():
            state.apply(legal[int(rng.random() * len(legal))])
        count += 1
    return count / (process_time() - started)


if __name__ == "__main__":
    show(rows())
