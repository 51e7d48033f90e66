"""One side of `bench.search`: searches a position of a game per line of input and prints its iterations per second.

With `playout` instead of `tree` it only imagines positions and plays them out, which is the floor: what the tree adds
is the difference. It uses nothing that older versions lack, so that they can be measured beside the present one.
"""

import sys
from random import Random
from time import process_time
from typing import Any

from arena.registry import find
from arena.sdk.search import Search

SECONDS = 0.25
POSITIONS = 5
"""Positions of one game, evenly spread, that are searched one after the other in each turn."""


def observations(game: Any) -> list[Any]:
    """What the seats to move know, from positions evenly spread over a random game."""
    random, state, seen = Random(3), game.start(game.configure(game.info.min_seats, {}), 3), []
    while (seat := state.to_move()) is not None:
        legal = state.legal()
        if len(legal) > 1:
            seen.append(state.view(seat))
        state.apply(legal[int(random.random() * len(legal))])
    return seen[:: max(1, len(seen) // POSITIONS)]


def tree(game: Any, observation: Any) -> float:
    """Iterations of a search per second."""
    search = Search(game, seed=1, now=process_time)
    started = process_time()
    search.grow(observation, SECONDS / POSITIONS)
    return search.iterations / (process_time() - started)


def playout(game: Any, observation: Any) -> float:
    """Imagined positions that are played out at random per second."""
    rng, games, started = Random(1), 0, process_time()
    random = rng.random
    while process_time() - started < SECONDS / POSITIONS:
        state = game.imagine(observation, rng)
        while state.to_move() is not None:
            legal = state.legal()
            state.apply(legal[int(random() * len(legal))])
        games += 1
    return games / (process_time() - started)


def main() -> None:
    """Answer every line with the mean over the positions."""
    game, measure = find(sys.argv[1]), {"tree": tree, "playout": playout}[sys.argv[2]]
    seen = observations(game)
    for _ in sys.stdin:
        print(sum(measure(game, observation) for observation in seen) / len(seen), flush=True)


if __name__ == "__main__":
    main()
