"""All pairs of a field in a fair order, each worked out from its number: a large field has too many to list.

Bots i and j meet in layer i ^ j. For a given layer x the opponent of i is i ^ x, so nobody is twice in a layer. It is
the order that putting every pair into the first layer with room for it gives, because the least number that is missing
among its neighbours makes the table of ^. Wherever it is stopped, all have played about equally often if the field has
a power of two of bots or a few less; with a few more, as with 9 or 17, the last ones begin when the others have met.
"""

from collections.abc import Sequence
from typing import overload

Pair = tuple[int, int]


class AllPairs(Sequence[Pair]):
    """Every two of the bots 0 to n - 1, the lower number first."""

    def __init__(self, bots: int) -> None:
        self._bots = bots

    def __len__(self) -> int:
        return self._bots * (self._bots - 1) // 2

    @overload
    def __getitem__(self, number: int) -> Pair: ...
    @overload
    def __getitem__(self, number: slice) -> Sequence[Pair]: ...
    def __getitem__(self, number: int | slice) -> Pair | Sequence[Pair]:
        if isinstance(number, slice):
            return [self[index] for index in range(*number.indices(len(self)))]
        if not 0 <= number < len(self):
            raise IndexError(number)
        half = 1
        while number >= half * self._in_layer(half):  # the layers from half to 2 * half - 1 have equally many pairs
            number -= half * self._in_layer(half)
            half *= 2
        layer, place = divmod(number, self._in_layer(half))
        whole, rest = self._blocks(half)
        if place < whole * half:
            block, low = divmod(place, half)
        else:
            block, low = whole, _nth_smallest(place - whole * half, layer, rest, half)
        first = 2 * half * block + low
        return first, first ^ (half | layer)

    def _in_layer(self, half: int) -> int:
        """The pairs of a layer whose highest bit is `half`."""
        whole, rest = self._blocks(half)
        return whole * half + rest

    def _blocks(self, half: int) -> tuple[int, int]:
        """The field cut into blocks of 2 * half bots, whose lower half meets the upper.

        How many are whole, and how many bots the upper half of the last one has.
        """
        whole, left = divmod(self._bots, 2 * half)
        return whole, max(0, left - half)


def _nth_smallest(number: int, mask: int, count: int, limit: int) -> int:
    """The n-th smallest of `value ^ mask` for the values below `count`; `limit` is a power of two above all of them."""
    found = value = 0
    while limit := limit // 2:
        unset = value | (mask & limit)  # the least value whose result has a 0 here
        below = min(max(count - unset, 0), limit)
        if number < below:
            value = unset
        else:
            number -= below
            found |= limit
            value |= ~mask & limit
    return found
