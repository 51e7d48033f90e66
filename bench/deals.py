"""What deals of its own for every group cost in certainty, against the same deals for all: `python -m bench.deals`.

Two bots are compared by their points against a field. With common deals both play the same ones against everybody, so
that luck cancels in the difference; but against the next opponent the same luck comes again. With deals of its own each
pairing has other luck, which evens out over the opponents. The table says which is worth more: the variance of the
difference for each deal of a pairing, from both seats.
"""

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

from arena import registry
from arena.bots.in_process import resolve_bot
from arena.game import AnyGame
from arena.match import MatchStart, Turn, points
from arena.rng import stream

Maker = Callable[[int], "Careless"]
DEALS = 400


@dataclass
class Careless:
    """Plays like another bot, but for some moves at random."""

    bot: Any
    part: float
    rng: Random

    def choose(self, turn: Turn[Any, Any]) -> Any:
        """The other one's move, or any."""
        assert turn.legal is not None  # noqa: S101  (they were asked for)
        return self.rng.choice(turn.legal) if self.rng.random() < self.part else self.bot.choose(turn)


def careless(game: AnyGame, part: float) -> Maker:
    """Greedy, with this part of its moves at random."""
    greedy = resolve_bot(game, "greedy")
    return lambda seed: Careless(greedy.make(seed), part, stream(seed, "careless", part))


def play(game: AnyGame, seed: int, seated: Sequence[Careless]) -> list[float]:
    """The points of every seat."""
    config = game.configure(len(seated), {})
    state, number = game.start(config, seed), 0
    for place, bot in enumerate(seated):
        bot.bot.begin(MatchStart("", place, len(seated), config, None))  # type: ignore[arg-type]
    while (seat := state.to_move()) is not None:
        number += 1
        move = seated[seat].choose(Turn(number, state.view(seat), tuple(state.legal()), 1.0, 1.0))
        for part in move if isinstance(move, list) else [move]:
            state.apply(part)
    outcome = state.outcome()
    assert outcome is not None  # noqa: S101  (the game is over)
    return points(outcome.ranks)


def points_of(game: AnyGame, bot: Maker, other: Maker, seed: int) -> float:
    """Points per match of a bot against another one, over both seats of a deal."""
    first = play(game, seed, [bot(seed), other(seed + 1)])[0]
    return (first + play(game, seed, [other(seed + 1), bot(seed)])[1]) / 2


def variances(game: AnyGame, deals: int) -> tuple[float, float]:
    """The variance of the difference of two bots for one deal, common and own."""
    pair = [careless(game, part) for part in (0.1, 0.3)]
    field = [careless(game, part) for part in (0.0, 0.2, 0.5, 1.0)]
    seeds = [stream(deal, "bench-deals").getrandbits(53) for deal in range(deals)]
    gained: NDArray[np.float64] = np.array(
        [[[points_of(game, bot, other, seed) for seed in seeds] for other in field] for bot in pair]
    )
    common = (gained[0] - gained[1]).mean(axis=0).var(ddof=1)
    own = gained.var(axis=2, ddof=1).sum() / len(field) ** 2
    return float(common), float(own)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--deals", type=int, default=DEALS)
    deals = parser.parse_args().deals
    print("| game | common deals | own deals | own / common |\n|---|---|---|---|")
    for name, game in registry.games().items():
        common, own = variances(game, deals)
        print(f"| `{name}` | {common:.4f} | {own:.4f} | {own / common:.2f} |", flush=True)


if __name__ == "__main__":
    main()
