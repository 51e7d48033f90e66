"""The order in which the neutral tiles of a match are drawn; it depends on nothing that the players do.

Every round draws the same number. When the supply runs short in a round, the rest of it is drawn, and all tiles
but those are shuffled anew. So from the first draw of such a round on, 17 draws in a row are all different.
"""

from collections.abc import Iterator
from random import Random

from arena.rng import shuffle
from engines.rrr.tiles import NEUTRALS, Tile


def draw_order(per_round: int, rounds: int, rng: Random) -> tuple[Tile, ...]:
    """All draws of a match with this many rounds."""
    order: list[Tile] = []
    supply: list[Tile] = []
    for _ in range(rounds):
        drawn: list[Tile] = []
        while len(drawn) < per_round:
            if not supply:
                supply = [tile for tile in NEUTRALS if tile not in drawn]
                shuffle(rng, supply)
            drawn.append(supply.pop())
        order += drawn
    return tuple(order)


def windows(per_round: int, draws: int) -> Iterator[range]:
    """The stretches of all different draws; each begins with what the one before left over for its last round."""
    begin = 0
    while begin < draws:
        end = begin + len(NEUTRALS)
        yield range(begin, min(end, draws))
        begin = end - end % per_round
