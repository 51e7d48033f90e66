"""Checks of what a seat is told of moves: the words and the move that it gets betray nothing that it cannot see."""

from collections.abc import Iterator
from contextlib import suppress
from random import Random
from typing import Any

from arena.errors import IllegalMove
from arena.game import AnyGame, AnyState
from arena.match import Seat
from arena.rng import choice, stream
from arena.testing.play import pick_variant, walk

MOST_MOVES = 6
"""So many other moves are tried per position: some games have hundreds."""
IMAGINED = 2
"""So many other positions are tried that look the same to the seat."""


def check_descriptions_leak_nothing(game: AnyGame, seed: int) -> None:
    """What a seat is told of another's move is the same for all moves and positions that look the same to it.

    Its own move it knows, so there only the position may be another one.
    """
    variant, rng = pick_variant(game, seed), stream(seed, "told")
    for state, move in walk(game, variant, seed):
        for seat in range(variant.seats) if move is not None else ():
            truth = _told_to(game, state, move, seat)
            after = _seen_after(game, state, move, seat)
            for other, twin in _lookalikes(game, state, move, seat, rng):
                if _seen_after(game, other, twin, seat) == after:
                    told = _told_to(game, other, twin, seat)
                    assert told == truth, (
                        f"seed {seed}: seat {seat} cannot tell the move {move} from {twin}, but it is told "
                        f"{truth[0]!r} and {told[0]!r}, and shown {truth[1]} and {told[1]}"
                    )


def check_any_move_is_described_in_time(game: AnyGame, seed: int) -> None:
    """Describing a move that is not legal, such as one of another position, raises or returns; it changes nothing."""
    earlier: list[Any] = []
    for state, move in walk(game, pick_variant(game, seed), seed):
        before = game.codec.dump_state(state)
        for other in earlier[-MOST_MOVES:]:
            with suppress(IllegalMove, LookupError, ValueError):
                game.describe_move(state, other)
        assert game.codec.dump_state(state) == before, f"seed {seed}: describing an illegal move changed the state"
        earlier.append(move)


def check_words_for_every_seat(game: AnyGame, seed: int) -> None:
    """Every seat is told of every move in one line that begins with the mover, and telling changes nothing."""
    variant = pick_variant(game, seed)
    for state, move in walk(game, variant, seed):
        before = game.codec.dump_state(state)
        for seat in (None, *range(variant.seats)) if move is not None else ():
            words = game.describe_move(state, move, seat)
            mover = f"seat {state.to_move()}"
            assert mover in words, f"seed {seed}: describe_move({move}) for seat {seat} does not name {mover!r}"
            assert "\n" not in words, f"seed {seed}: describe_move({move}) for seat {seat} has more than one line"
        assert game.codec.dump_state(state) == before, f"seed {seed}: describe_move() changed the state"


def _lookalikes(game: AnyGame, state: AnyState, move: Any, seat: Seat, rng: Random) -> Iterator[tuple[AnyState, Any]]:
    """Positions that look like this one to the seat, each with moves that may be the one that was played."""
    seen = state.view(seat)
    for position in (state, *(game.imagine(seen, rng) for _ in range(IMAGINED if game.info.hidden else 0))):
        if any(move == legal for legal in position.legal()):
            yield position, move
        if position.to_move() != seat:
            yield from ((position, choice(rng, position.legal())) for _ in range(MOST_MOVES))


def _told_to(game: AnyGame, state: AnyState, move: Any, seat: Seat) -> tuple[str, Any]:
    return game.describe_move(state, move, seat), game.codec.move_to_json(game.redact_move(state, move, seat))


def _seen_after(game: AnyGame, state: AnyState, move: Any, seat: Seat) -> bytes:
    twin = state.clone()
    twin.apply(move)
    return game.codec.dump_observation(twin.view(seat))
