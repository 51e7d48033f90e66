"""Plays `arena.sdk.search` against an older version of itself at equal processor time per decision.

    python -m bench.duel --before FOLDER [--now FOLDER] [--game claim] [--games 100] [--seconds 0.02]

The two sides are processes of their own, each with the rules and the search of its folder; that of compiled rules is
`build/compiled`. Every deal is played twice with the seats exchanged.
"""

import argparse
import math
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.connection import Connection, Listener
from pathlib import Path
from tempfile import TemporaryDirectory

from arena.game import AnyGame
from arena.registry import find
from bench.environment import ROOT
from bench.turns import conversation

PLAYER = Path(__file__).with_name("duel_player.py")


def play(game: AnyGame, seed: int, sides: tuple[Connection, Connection]) -> float:
    """What the side of seat 0 gets: 1 for a win, 0.5 for a draw."""
    state = game.start(game.configure(2, {}), seed)
    while (seat := state.to_move()) is not None:
        sides[seat].send_bytes(game.codec.dump_observation(state.view(seat)))
        state.apply(game.codec.load_move(sides[seat].recv_bytes()))
    outcome = state.outcome()
    assert outcome is not None  # noqa: S101  (the game is over)
    return (1 + (outcome.ranks[0] < outcome.ranks[1]) - (outcome.ranks[0] > outcome.ranks[1])) / 2


@contextmanager
def side(folder: Path, game: str, seconds: float) -> Iterator[Connection]:
    """A process that answers observations with moves."""
    with TemporaryDirectory() as name:
        address = f"{name}/side"
        command = (sys.executable, "-P", PLAYER, address, game, str(seconds))
        with Listener(address) as listener, conversation(command, (folder, ROOT)):
            yield listener.accept()


def main() -> None:
    """Play the series and print its score with the 95 % interval."""
    parser = argparse.ArgumentParser(description="Play the search against an older version of itself.")
    parser.add_argument("--before", type=Path, required=True, help="a folder with an older version of this repository")
    parser.add_argument("--now", type=Path, default=ROOT, help="the folder of the present one")
    parser.add_argument("--game", default="claim")
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=0.02, help="processor time per decision")
    given = parser.parse_args()
    game, scores = find(given.game), []
    with side(given.now, given.game, given.seconds) as now, side(given.before, given.game, given.seconds) as before:
        for number in range(given.games):
            swapped = number % 2
            score = play(game, number // 2, (before, now) if swapped else (now, before))
            scores.append(1 - score if swapped else score)
        now.close()
        before.close()
    mean = sum(scores) / len(scores)
    margin = 1.96 * math.sqrt(sum((score - mean) ** 2 for score in scores)) / len(scores)
    print(f"{given.game}: now {mean:.1%} ± {margin:.1%} of {len(scores)} games, {given.seconds} s each decision")


if __name__ == "__main__":
    main()
