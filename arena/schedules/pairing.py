"""The pairing of one round of a swiss tournament: a perfect matching of least cost."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from random import Random

from arena.rng import below

WIDTH = 48
"""How many opponents below itself a bot is offered at first, the nearest in the standing; all, if that is not enough.

Fields up to this size get the best pairing there is; in larger ones bots with equal scores still are near enough.
"""
_LOT = 2**32
_WIDENING = 8

Edge = tuple[int, int, int]
"""Two places in the standing, and what it costs to let them meet."""


@dataclass(frozen=True, slots=True)
class Standing:
    """All that decides the next round."""

    order: Sequence[int]
    """The bots, the best first."""
    scores: Mapping[int, int]
    """In whole numbers."""
    met: Mapping[tuple[int, int], int]
    """How often two bots have met, the smaller number first; nothing if never."""
    rested: Mapping[int, int]
    """How often a bot had nobody to play with; nothing if never."""


def pair_off(standing: Standing, rng: Random) -> list[tuple[int, int]]:
    """The pairs of the next round, the best bot's first; in an odd field one bot is in none of them.

    Nobody rests again before all others have rested. Nobody meets a bot again more often than has to be, and as few as
    possible do; then the lowest bot rests, then scores are as equal as they can be, and then it is decided by lot.
    """
    for most in sorted({0, *standing.met.values()}):
        width = WIDTH
        while True:
            if (pairs := _match(len(standing.order), list(_edges(standing, most, width, rng)))) is not None:
                return [unordered(standing.order[upper], standing.order[lower]) for upper, lower in pairs]
            if width >= len(standing.order):
                break
            width *= _WIDENING
    return []


def _match(field: int, edges: list[Edge]) -> list[tuple[int, int]] | None:
    """The perfect matching of least cost, without the pair of the bot that rests; None if there is none.

    The lots make the costs of any two matchings differ, so that every version of the library finds the same.
    """
    import rustworkx  # noqa: PLC0415  (it loads slowly, and only swiss tournaments need it)

    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph()
    graph.add_nodes_from([None] * (field + field % 2))
    graph.add_edges_from(edges)
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=lambda cost: -cost)
    if 2 * len(found) < field:
        return None
    return sorted(unordered(*pair) for pair in found if max(pair) < field)


def _edges(standing: Standing, most: int, width: int, rng: Random) -> Iterator[Edge]:
    """Who may meet whom, by places in the standing, if no two may have met more often than `most`.

    The costs are whole numbers: one unit of a kind outweighs all that a round can cost in the kinds after it.
    """
    order, scores, met = standing.order, standing.scores, standing.met
    field = len(order)
    uneven = _LOT * field
    rest = uneven * (field * (scores[order[0]] - scores[order[-1]]) ** 2 + 1)
    again = rest * (field + 1)
    for upper, bot in enumerate(order):
        offered = 0
        for lower in range(upper + 1, field):
            if (times := met.get(unordered(bot, order[lower]), 0)) <= most:
                gap = scores[bot] - scores[order[lower]]
                yield upper, lower, times * again + gap * gap * uneven + below(rng, _LOT)
                if (offered := offered + 1) == width:
                    break
    if field % 2:
        for number, place in enumerate(_resting(standing)[:width]):
            yield place, field, number * rest + below(rng, _LOT)


def _resting(standing: Standing) -> list[int]:
    """The places of those that may rest, the lowest first: nobody for the second time before all others."""
    fewest = min(standing.rested.get(bot, 0) for bot in standing.order)
    places = range(len(standing.order) - 1, -1, -1)
    return [place for place in places if standing.rested.get(standing.order[place], 0) == fewest]


def unordered(first: int, second: int) -> tuple[int, int]:
    """A pair as it is counted, whoever is named first."""
    return (first, second) if first < second else (second, first)
