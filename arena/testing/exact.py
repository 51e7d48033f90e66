"""Checks that a game does exactly what it is asked: no move that only looks legal, no seat that is not there."""

from collections.abc import Callable, Iterator, MutableSequence
from decimal import Decimal
from typing import Any

from arena.errors import IllegalMove
from arena.game import AnyGame, AnyState
from arena.rng import choice, stream
from arena.testing.play import pick_variant, walk

NOT_MOVES: tuple[Any, ...] = (None, "", "0", b"", (), [], {}, 0.5, float("nan"), object())
"""What is no move of any game, unless a game lists it."""
KINDS: tuple[Callable[[int], Any], ...] = (float, Decimal, complex)


def check_only_listed_moves_apply(game: AnyGame, seed: int) -> None:
    """A float, bool or Decimal that equals a legal move is illegal, as is anything else, and changes nothing."""
    rng = stream(seed, "lookalikes")
    for state, _ in walk(game, pick_variant(game, seed), seed):
        legal, before = tuple(state.legal()), game.codec.dump_state(state)
        some = {choice(rng, range(len(legal))) for _ in range(3)} if legal else ()
        for bad_move in (*NOT_MOVES, *(twin for number in some for twin in lookalikes(legal[number]))):
            if any(bad_move is move for move in legal):
                continue
            assert_refused(game, state, bad_move, before, seed)
            assert tuple(state.legal()) == legal, f"seed {seed}: the illegal {bad_move!r} changed what is legal"


def assert_refused(game: AnyGame, state: AnyState, bad_move: Any, before: bytes, seed: int) -> None:
    """Applying this raises IllegalMove and leaves the state as it was."""
    what = f"seed {seed}: {bad_move!r}, which is not a listed move,"
    try:
        state.apply(bad_move)
    except IllegalMove:
        assert game.codec.dump_state(state) == before, f"seed {seed}: the illegal {bad_move!r} changed the state"
    except Exception as error:
        raise AssertionError(f"{what} raised {error!r}, not IllegalMove") from error
    else:
        raise AssertionError(f"{what} was applied")


def lookalikes(move: Any) -> Iterator[Any]:
    """Values of other types that equal this move: numbers of other kinds, alone or one at a time in a tuple."""
    if type(move) is int:
        yield from (kind(move) for kind in KINDS)
        if move in (0, 1):
            yield bool(move)
    elif isinstance(move, tuple):
        for place, part in enumerate(move):
            for twin in lookalikes(part):
                yield _rebuilt(move, (*move[:place], twin, *move[place + 1 :]))
        if type(move) is not tuple:
            yield tuple(move)


def _rebuilt(move: Any, parts: tuple[Any, ...]) -> Any:
    """These parts as the same kind of tuple as the move."""
    return type(move)._make(parts) if hasattr(move, "_make") else parts


def check_callers_keep_what_they_get(game: AnyGame, seed: int) -> None:
    """What legal() and view() hand out stays as it is when the game goes on, and nobody can harm a state with it."""
    variant = pick_variant(game, seed)
    kept: list[tuple[Any, tuple[Any, ...]]] = []
    views: list[tuple[Any, bytes]] = []
    for state, _ in walk(game, variant, seed):
        for handed, moves in kept:
            assert tuple(handed) == moves, f"seed {seed}: a list that legal() handed out changed with the next move"
        for seen, data in views:
            assert game.codec.dump_observation(seen) == data, f"seed {seed}: an observation changed with the next move"
        _check_emptied_list(game, state, seed)
        seen_now = [state.view(seat) for seat in range(variant.seats)]
        kept, views = (
            [(legal, tuple(legal)) for legal in [state.legal()]],
            [(seen, game.codec.dump_observation(seen)) for seen in seen_now],
        )


def _check_emptied_list(game: AnyGame, state: AnyState, seed: int) -> None:
    """If legal() hands out something that can be changed, then changing it has no effect anywhere."""
    twin, moves = state.clone(), tuple(state.legal())
    handed = state.clone().legal()
    for other in (handed, state.legal(), twin.legal()):
        if isinstance(other, MutableSequence):
            other.clear()
    restored = game.codec.load_state(game.codec.dump_state(state))
    for position in (state, twin, restored):
        assert tuple(position.legal()) == moves, (
            f"seed {seed}: who changes what legal() hands out changes what is legal"
        )


def check_seats_are_known(game: AnyGame, seed: int) -> None:
    """view() raises IndexError for a seat that is not at the table."""
    variant = pick_variant(game, seed)
    for state, _ in walk(game, variant, seed):
        for seat in (-1, -variant.seats, variant.seats, variant.seats + 100):
            try:
                state.view(seat)
            except IndexError:
                continue
            raise AssertionError(f"seed {seed}: view({seat}) with {variant.seats} seats raises no IndexError")
