"""One side of `bench.engines`: plays a game at random for a quarter of a second per line of input and prints its speed.

It runs under two interpreters: ours for our games, and that of the peers, which has no Arena, for theirs.
"""

import sys
from collections.abc import Callable
from random import Random
from time import process_time

SECONDS = 0.25
random = Random(1).random

PlayOut = Callable[[int], int]
"""Plays the game of this seed and counts its moves."""


def arena_game(name: str) -> PlayOut:
    """A game of ours, by the contract that bots use."""
    from arena.registry import find  # noqa: PLC0415
    from arena.testing.play import variants  # noqa: PLC0415
    from bench.engines import play_out  # noqa: PLC0415

    game = find(name)
    variant = variants(game)[0]
    return lambda seed: play_out(game, variant, seed, random)


def spiel_game(name: str) -> PlayOut:
    """A game of open_spiel; what chance deals is drawn too, but is no move of a player."""
    import pyspiel  # type: ignore[import-not-found, unused-ignore]  # noqa: PLC0415

    game = pyspiel.load_game(name)

    def play(_: int) -> int:
        state, moves = game.new_initial_state(), 0
        while not state.is_terminal():
            if state.is_chance_node():
                outcomes = state.chance_outcomes()
                state.apply_action(outcomes[int(random() * len(outcomes))][0])
            else:
                legal = state.legal_actions()
                state.apply_action(legal[int(random() * len(legal))])
                moves += 1
        return moves

    return play


def zoo_game(_: str) -> PlayOut:
    """PettingZoo's connect_four, by its action mask."""
    from pettingzoo.classic import connect_four_v3  # noqa: PLC0415

    env = connect_four_v3.env()

    def play(seed: int) -> int:
        env.reset(seed=seed)
        moves = 0
        while True:
            observation, _, terminated, truncated, _ = env.last()
            if terminated or truncated:
                return moves
            legal = observation["action_mask"].nonzero()[0]
            env.step(int(legal[int(random() * len(legal))]))
            moves += 1

    return play


def barest_loop(_: str) -> PlayOut:
    """Draws a number and indexes a list: what any random play-out in Python does at least."""

    def play(_: int) -> int:
        items = list(range(8))
        for _ in range(1000):
            items[int(random() * len(items))]
        return 1000

    return play


OTHERS = {"loop": barest_loop, "hearts": spiel_game, "breakthrough": spiel_game, "connect_four": zoo_game}
"""What is not a game of ours; hearts and breakthrough are open_spiel's (C++), connect_four is PettingZoo's (Python)."""


def main() -> None:
    """Answer every line with the moves per second of processor time."""
    name, seed = sys.argv[1], 0
    play = OTHERS.get(name, arena_game)(name)
    for _ in sys.stdin:
        started, moves = process_time(), 0
        while process_time() - started < SECONDS:
            moves += play(seed)
            seed += 1
        print(moves / (process_time() - started), flush=True)


if __name__ == "__main__":
    main()
