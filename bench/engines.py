"""How fast the rules are: uniform random play beside open_spiel, PettingZoo and the barest loop, and per verb.

`rows` measures our rules and the others in turns, each in a process of its own, by processor time. `main` prints where
the time goes: there every number is the best of several short runs, because other programs can only slow us down.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack
from pathlib import Path
from random import Random
from statistics import median
from time import perf_counter

from rich.console import Console
from rich.table import Table

from arena.game import AnyGame, AnyState
from arena.registry import games
from arena.testing.play import Variant, variants
from bench.environment import KINDS, PEERS_PYTHON, ROOT, folders, has_peers
from bench.table import Row
from bench.turns import Measure, in_turns, program, ratio

RUNS = 15
RUN_SECONDS = 0.15
ROUNDS = 9
PLAYER = Path(__file__).with_name("peer_player.py")
LOOP = "loop"
OTHERS = {
    LOOP: "the barest loop",
    "hearts": "open_spiel hearts",
    "breakthrough": "open_spiel breakthrough",
    "connect_four": "PettingZoo connect_four",
}
AIMS = {"claim": 8.0, "kingdoms": 6.0, "assassins": 3.0, "rrr": 1.0}
"""Times as many moves as open_spiel's hearts, which is as large a game of cards as ours, written in C++."""
PAIRS = [(game, LOOP) for game in AIMS] + [(game, "hearts") for game in AIMS]
PAIRS += [("claim", "breakthrough"), ("claim", "connect_four"), ("rrr", "connect_four")]


def rows() -> list[Row]:
    """Every pair that can be measured here, with interpreted rules and, if there is a compiled copy, with it."""
    with ExitStack() as stack:
        speeds = in_turns({name: stack.enter_context(player) for name, player in players()}, ROUNDS)
    pairs = [(game, kind, other) for game, other in PAIRS for kind in KINDS]
    return [pair_row(*pair, speeds) for pair in pairs if {f"{pair[0]} {pair[1]}", pair[2]} <= speeds.keys()]


def players() -> Iterator[tuple[str, AbstractContextManager[Measure]]]:
    """A process for every side that is there."""
    for kind, folder in folders().items():
        for game in AIMS:
            yield f"{game} {kind}", program((sys.executable, "-P", PLAYER, game), (folder, ROOT))
    yield LOOP, program((sys.executable, "-P", PLAYER, LOOP))
    for name in OTHERS.keys() - {LOOP} if has_peers() else ():
        yield name, program((PEERS_PYTHON, "-P", PLAYER, name))


def pair_row(game: str, kind: str, other: str, speeds: dict[str, list[float]]) -> Row:
    """Moves per second of processor time of a game of ours and another."""
    own, others = speeds[f"{game} {kind}"], speeds[other]
    aim = AIMS[game] if other == "hearts" else None
    name = f"random play: {game}, {kind}, beside {OTHERS[other]}"
    return Row(name, median(own), median(others), "moves/s", ratio(own, others), aim)


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
    columns = ("moves/s", "games/s", "legal µs", "apply µs", "clone µs", "view µs")
    table = Table("game", *columns, title="uniform random play in one process, best of several runs")
    for game in games().values():
        several = game.info.max_seats > game.info.min_seats
        chosen = variants(game) if "--all" in sys.argv or several else variants(game)[:1]
        for variant in chosen:
            moves, played = speed(game, variant)
            row = [f"{moves:,.0f}", f"{played:,.0f}", *(f"{us:.2f}" for us in parts(game, variant).values())]
            table.add_row(describe(game, variant), *row)
    Console(width=130).print(table)


if __name__ == "__main__":
    main()
