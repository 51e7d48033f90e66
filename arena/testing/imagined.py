"""Checks of imagined states: each is a full position that could be the true one."""

from collections.abc import Iterator
from typing import Any

from arena.errors import BadMessage
from arena.game import AnyGame, AnyState
from arena.match import Seat
from arena.rng import below, stream
from arena.testing.play import pick_variant, walk

ONE_IN = 6
"""One position in so many is checked: drawing many states takes long."""
MOST_DRAWS = 400
"""So often a state is drawn before a difference between all of them and the truth counts as a fault."""
Facts = dict[str, Any]


def check_imagined_states_are_full(game: AnyGame, seed: int) -> None:
    """Nothing that a position holds is missing or the same wrong value in every state that is imagined from it."""
    variant, rng = pick_variant(game, seed), stream(seed, "full")
    for state, _ in walk(game, variant, seed):
        if below(rng, ONE_IN):
            continue
        truth = dict(facts(game.codec.state_to_json(state)))
        for seat in range(variant.seats):
            wrong = _never_true(game, state, seat, truth)
            assert not wrong, (
                f"seed {seed}: as seat {seat} imagines it, {next(iter(wrong.items()))} holds in every state, "
                f"but the true position has {truth.get(next(iter(wrong)), 'nothing there')}"
            )


def _never_true(game: AnyGame, state: AnyState, seat: Seat, truth: Facts) -> Facts:
    """What is the same in all states that this seat imagines, and not true."""
    rng, seen = stream(0, "draws", seat), state.view(seat)
    wrong: Facts | None = None
    for _ in range(MOST_DRAWS):
        imagined = dict(facts(game.codec.state_to_json(game.imagine(seen, rng))))
        if wrong is None:
            wrong = {path: imagined.get(path) for path in imagined.keys() | truth.keys()}
        wrong = {path: value for path, value in wrong.items() if imagined.get(path) == value != truth.get(path)}
        if not wrong:
            break
    return wrong or {}


def facts(value: Any, path: str = "") -> Iterator[tuple[str, Any]]:
    """Every value in this JSON with its path, and the length of every list."""
    if isinstance(value, dict):
        for name, part in value.items():
            yield from facts(part, f"{path}.{name}".lstrip("."))
    elif isinstance(value, list):
        yield f"{path}.length", len(value)
        for place, part in enumerate(value):
            yield from facts(part, f"{path}[{place}]")
    else:
        yield path, value


def check_imagined_states_travel(game: AnyGame, seed: int) -> None:
    """An imagined state survives the wire, and playing on in it leaves the observation as it was."""
    variant, rng = pick_variant(game, seed), stream(seed, "travel")
    for state, _ in walk(game, variant, seed):
        for seat in range(variant.seats):
            seen = state.view(seat)
            before, imagined = game.codec.dump_observation(seen), game.imagine(seen, rng)
            data = game.codec.dump_state(imagined)
            try:
                restored = game.codec.load_state(data)
            except BadMessage as error:
                raise AssertionError(f"seed {seed}: the codec refuses an imagined state: {error}") from error
            assert game.codec.dump_state(restored) == data, f"seed {seed}: an imagined state changes on the wire"
            if imagined.legal():
                imagined.apply(imagined.legal()[0])
            assert game.codec.dump_observation(seen) == before, (
                f"seed {seed}: an observation changed when an imagined state went on"
            )
