"""What a seat can work out in King & Assassins: a full position drawn at random among those it cannot tell apart."""

from collections import Counter
from functools import lru_cache
from itertools import combinations
from random import Random
from typing import NamedTuple

from arena.errors import BadMessage
from arena.rng import choice, shuffle
from engines.assassins import board as boards
from engines.assassins.board import CITIZENS
from engines.assassins.moves import CHOICES, CHOOSE, HIDDEN_CHOICE, Move
from engines.assassins.rules import ASSASSINS_GONE, CHOOSING, AssassinsState, Observation


def imagine(seen: Observation, rng: Random) -> AssassinsState:
    """Every identity and every order of the deck that fits all that was observed is equally likely."""
    known = _what_is_known(seen)
    state = known.position.clone()
    state.assassins = seen.assassins or choose_assassins(seen, known.secrets, rng)
    to_come = known.unseen[:]
    shuffle(rng, to_come)
    state.deck = [*seen.cards, *to_come[: seen.deck_size]]
    state.log = [_with_choice(move, state.assassins) for move in state.log]
    return state


class _Known(NamedTuple):
    """What all positions have in common that fit an observation, and among what they differ."""

    position: AssassinsState
    """Without assassins and cards to come."""
    secrets: list[tuple[int, ...]]
    """The groups of assassins who were not revealed; empty for a seat that knows them."""
    unseen: list[int]
    """The cards that were not opened yet, and may have been left out."""


@lru_cache(maxsize=1)  # a search imagines thousands of positions for one observation
def _what_is_known(seen: Observation) -> _Known:
    state = AssassinsState.empty(seen.config)
    state.phase, state.ending = seen.phase, seen.ending
    state.where = list(seen.where)
    state.revealed, state.removed = list(seen.revealed), list(seen.removed)
    state.wounds, state.captured, state.kills = seen.wounds, seen.captured, seen.kills
    state.king_points, state.knight_points = seen.king_points, seen.knight_points
    state.crowd_points = seen.crowd_points
    state.drawn = len(seen.cards)
    # The log holds the latest moves of one seat, so either there are events or these moves were this seat's own.
    state.log_seat = 1 - seen.seat if seen.events else seen.seat
    state.log = [move for _, move in seen.events or seen.earlier]
    state.recompute()
    return _Known(state, [] if seen.assassins else possible_secrets(seen), cards_left(seen))


def choose_assassins(seen: Observation, secrets: list[tuple[int, ...]], rng: Random) -> tuple[int, ...]:
    """Three assassins as seat 0 can imagine them; none before they are chosen."""
    if seen.phase == CHOOSING:
        return ()
    if not secrets:
        raise BadMessage("no three assassins fit the observation")
    return tuple(sorted((*seen.revealed, *choice(rng, secrets))))


def possible_secrets(seen: Observation) -> list[tuple[int, ...]]:
    """Every group of citizens that can be, as far as seat 0 knows, the assassins who were not revealed.

    While the game goes on, and when it ended otherwise, not all three assassins are gone. When it ended because they
    are, the last who left was one of them, or it would have ended before.
    """
    secret = 3 - len(seen.revealed)
    groups = list(combinations([citizen for citizen in CITIZENS if citizen not in seen.revealed], secret))
    gone = frozenset(seen.removed)
    if seen.ending == ASSASSINS_GONE:
        last = frozenset(seen.removed[-1:]).difference(seen.revealed)
        return [group for group in groups if gone.issuperset((*seen.revealed, *group)) and last.issubset(group)]
    if not gone.issuperset(seen.revealed):
        return groups
    return [group for group in groups if not gone.issuperset(group)]


def cards_left(seen: Observation) -> list[int]:
    """The cards of the deck that were not opened yet."""
    unseen = Counter(boards.load(seen.config.board).deck)
    unseen.subtract(seen.cards)
    return list(unseen.elements())


def _with_choice(move: Move, assassins: tuple[int, ...]) -> Move:
    """The move with the imagined assassins in the place of a choice that was not shown."""
    return CHOOSE + CHOICES.index(assassins) if move == HIDDEN_CHOICE else move
