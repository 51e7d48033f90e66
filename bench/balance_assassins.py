"""How even King & Assassins is: self-play of one bot in both roles, per board and start.

Run it with `python -m bench.balance_assassins --games 400`. Every number is reproducible: game n takes seed n for the
deck and for the bots' own choices. Both sides play the plans of sample_bots/search, which know only what a seat may.
"""

import argparse
from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from math import sqrt

from arena.rng import choice, stream
from engines.assassins import board as boards
from engines.assassins.moves import CHOICES, CHOOSE, START
from engines.assassins.rules import CHOOSING, STARTING, AssassinsState, Config
from sample_bots.search.assassins.turns import Turns


def play(name: str, seed: int) -> tuple[int, str]:
    """One game between equals: the start that the king had, and how it ended."""
    rng = stream(seed, "balance")
    state = AssassinsState.deal(Config(name), seed)
    start = 0
    while state.to_move() is not None:
        if state.phase == CHOOSING:
            state.apply(CHOOSE + CHOICES.index(choice(rng, CHOICES)))
        elif state.phase == STARTING:
            start = choice(rng, (0, 1))
            state.apply(START + start)
        else:
            for move in next(iter(Turns().plans(state))):
                state.apply(move)
    outcome = state.outcome()
    return start, outcome.reason if outcome else ""


def report(name: str, results: list[tuple[int, str]]) -> None:
    """Print each side's share of wins, in all and per start, and how the games ended."""
    board = boards.load(name)
    starts = sorted({start for start, _ in results})
    for start in starts if len(starts) > 1 else ():
        square = board.starts[start].king
        print_share(f"board {name}, king's start {square}", [reason for at, reason in results if at == start])
    print_share(f"board {name} ({board.origin})", [reason for _, reason in results])
    for reason, count in Counter(reason for _, reason in results).most_common():
        print(f"  {count:5d}  {reason}")


def print_share(title: str, reasons: list[str]) -> None:
    """One line: the share of wins of both roles, with the 95 % interval (Wilson) of the king's."""
    games = len(reasons)
    share = sum("entered" in reason or "gone" in reason for reason in reasons) / games
    middle, spread = share + 1.92 / games, 1.96 * sqrt(share * (1 - share) / games + 0.9604 / games**2)
    low, high = (max(0.0, (middle + sign * spread) / (1 + 3.84 / games)) for sign in (-1, 1))
    print(f"{title}: king {share:.1%} (95 %: {low:.1%} to {high:.1%}), assassins {1 - share:.1%}, {games} games")


def main() -> None:
    """Play and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=400, help="games per board")
    parser.add_argument("--boards", default="ab", help="which boards, for example b")
    parser.add_argument("--workers", type=int, default=2, help="processes to play in")
    given = parser.parse_args()
    with ProcessPoolExecutor(given.workers) as pool:
        for name in given.boards:
            report(name, list(pool.map(play, [name] * given.games, range(given.games), chunksize=4)))


if __name__ == "__main__":
    main()
