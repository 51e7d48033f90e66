"""How fast the learning environments are: uniform random play in one process, beside PettingZoo's own tic-tac-toe.

Every number counts processor time and is the best of several short runs: others can only slow us down. `bare` is
`arena.rl.BoardGame`, `wrapped` is `arena.rl.env` with the three wrappers of PettingZoo's classic games. Their
tic-tac-toe needs pygame, which Arena does not: without it the last column is left out.
"""

from random import Random
from time import process_time
from typing import Any

from rich.console import Console
from rich.table import Table

import arena.rl
from arena.registry import games
from arena.vectors import has_vectors

RUNS = 5
RUN_SECONDS = 0.2


def play_out(env: Any, seed: int, random: Random) -> int:
    """One random game in PettingZoo's usual loop; how many actions it had."""
    env.reset(seed=seed)
    actions = 0
    for _ in env.agent_iter():
        seen, _, terminated, truncated, _ = env.last()
        if terminated or truncated:
            env.step(None)
            continue
        legal = seen["action_mask"].nonzero()[0]
        env.step(int(legal[int(random.random() * len(legal))]))
        actions += 1
    return actions


def speed(env: Any) -> float:
    """Actions per second, of the fastest run."""
    random, best, seed = Random(1), 0.0, 0
    for _ in range(RUNS):
        started, actions = process_time(), 0
        while (elapsed := process_time() - started) < RUN_SECONDS:
            actions += play_out(env, seed, random)
            seed += 1
        best = max(best, actions / elapsed)
    return best


def peer_speed() -> float | None:
    """Actions per second of PettingZoo's wrapped tic-tac-toe; None without pygame."""
    try:
        from pettingzoo.classic import tictactoe_v3  # noqa: PLC0415  (needs pygame)
    except ModuleNotFoundError:
        return None
    return speed(tictactoe_v3.env())


def main() -> None:
    """Print the table, for every game with its fewest and its most seats."""
    peer = peer_speed()
    table = Table("game", "vector", "actions", "bare steps/s", "wrapped steps/s", "wrapped ÷ tic-tac-toe")
    for name, game in games().items():
        if not has_vectors(game):
            continue
        for seats in sorted({game.info.min_seats, game.info.max_seats}):
            bare, wrapped = (speed(make(name, seats=seats)) for make in (arena.rl.BoardGame, arena.rl.env))
            told = arena.rl.BoardGame(name, seats=seats).vectors
            sizes = (str(told.observation.size), str(told.actions.size))
            ratio = "–" if peer is None else f"{wrapped / peer:.2f}"
            table.add_row(f"{name}, {seats} seats", *sizes, f"{bare:,.0f}", f"{wrapped:,.0f}", ratio)
    Console(width=110).print(table)
    Console(width=110).print(
        "tic-tac-toe not measured: pip install pygame" if peer is None else f"PettingZoo's tic-tac-toe: {peer:,.0f}"
    )


if __name__ == "__main__":
    main()
