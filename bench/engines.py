"""How fast the rules are: uniform random play in one process, and where the time goes.

Every number is the best of several short runs, because other programs on the machine can only slow us down.
The last column is the peer measured in the same run: a loop that draws a random number and indexes a list as
often as the game moves, so that numbers from different machines can be compared.
"""

import sys
from collections.abc import Callable
from random import Random
from time import perf_counter

from rich.console import Console
from rich.table import Table

from arena.game import AnyGame, AnyState
from arena.registry import games
from arena.testing.play import Variant, variants

RUNS = 15
RUN_SECONDS = 0.15


def play_out(game: AnyGame, variant: Variant, seed: int, random: Callable[[], float]) -> int:
    """One random game; how many moves it had."""
    state = game.start(variant.config, seed)
    moves = 0
    while state.to_move() is not None:
        legal = state.legal()
        state.apply(legal[int(random() * len(legal))])
        moves += 1
    return moves


def speed(game: AnyGame, variant: Variant) -> tuple[float, float]:
    """Moves and games per second, of the fastest run."""
    random, best, best_games, seed = Random(1).random, 0.0, 0.0, 0
    for _ in range(RUNS):
        started, moves, played = perf_counter(), 0, 0
        while perf_counter() - started < RUN_SECONDS:
            moves += play_out(game, variant, seed, random)
            played += 1
            seed += 1
        elapsed = perf_counter() - started
        best, best_games = max(best, moves / elapsed), max(best_games, played / elapsed)
    return best, best_games


def floor_speed() -> float:
    """Rounds per second of the barest loop: draw, index, append."""
    random, items, best = Random(1).random, list(range(8)), 0.0
    for _ in range(RUNS):
        kept: list[int] = []
        started = perf_counter()
        for _ in range(100_000):
            kept.append(items[int(random() * len(items))])
        best = max(best, 100_000 / (perf_counter() - started))
    return best


def positions(game: AnyGame, variant: Variant, count: int) -> list[AnyState]:
    """Positions from all parts of random games, with a seat to move."""
    random, seed = Random(2).random, 0
    found: list[AnyState] = []
    while len(found) < count:
        state = game.start(variant.config, seed)
        seed += 1
        while state.to_move() is not None:
            found.append(state.clone())
            legal = state.legal()
            state.apply(legal[int(random() * len(legal))])
    return found


def microseconds(action: Callable[[AnyState], object], prepare: Callable[[], list[AnyState]]) -> float:
    """The time of one call, of the fastest run."""
    best = float("inf")
    for _ in range(RUNS):
        states = prepare()
        started = perf_counter()
        for state in states:
            action(state)
        best = min(best, (perf_counter() - started) / len(states))
    return best * 1e6


def parts(game: AnyGame, variant: Variant) -> dict[str, float]:
    """Microseconds per call of each verb of the contract."""
    pool = positions(game, variant, 1000)

    def fresh() -> list[AnyState]:
        return [state.clone() for state in pool]

    # Some engines list the legal moves when they are asked, others while they apply: so `apply` is timed
    # on states that were asked already, and `legal` on clones that were not.
    def asked() -> list[AnyState]:
        states = fresh()
        for state in states:
            state.legal()
        return states

    return {
        "legal": microseconds(lambda state: state.legal(), fresh),
        "apply": microseconds(lambda state: state.apply(state.legal()[0]), asked),
        "clone": microseconds(lambda state: state.clone(), lambda: pool),
        "view": microseconds(lambda state: state.view(0), lambda: pool),
    }


def describe(game: AnyGame, variant: Variant) -> str:
    """The variant in short: its seats where there is a choice, and options that are not the default."""
    seats = f" {variant.seats} seats" if game.info.max_seats > game.info.min_seats else ""
    changed = [
        f" {o.name}={variant.options[o.name]}" for o in game.info.options if variant.options[o.name] != o.default
    ]
    return game.info.name + seats + "".join(changed)


def main() -> None:
    """Print the table: the default of every game, or with --all every variant."""
    floor = floor_speed()
    columns = ("moves/s", "games/s", "legal µs", "apply µs", "clone µs", "view µs", "× the barest loop")
    table = Table("game", *columns, title="uniform random play in one process, best of several runs")
    for game in games().values():
        several = game.info.max_seats > game.info.min_seats
        chosen = variants(game) if "--all" in sys.argv or several else variants(game)[:1]
        for variant in chosen:
            moves, played = speed(game, variant)
            row = [f"{moves:,.0f}", f"{played:,.0f}", *(f"{us:.2f}" for us in parts(game, variant).values())]
            table.add_row(describe(game, variant), *row, f"{floor / moves:.1f}")
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
