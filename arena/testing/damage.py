"""Checks that a codec refuses positions that cannot be: whatever it accepts can be looked at and played to its end."""

from collections.abc import Callable
from copy import deepcopy
from functools import partial
from random import Random
from typing import Any

from arena.codec import Json, from_json
from arena.errors import BadMessage
from arena.game import AnyGame, AnyState
from arena.match import Seat
from arena.rng import below, choice, stream
from arena.testing.play import pick_variant, walk

TRIES = 40
"""So many damaged messages are tried per game that is played."""
LOOK_AFTER = (0, 1, 2, 5, 12)
"""After so many moves a position is looked at from all sides."""


def check_accepted_positions_can_be_played(game: AnyGame, seed: int) -> None:
    """A damaged State is refused with BadMessage, or it can be shown, viewed, sent and played to its end."""
    rng, positions = stream(seed, "damaged states"), _positions(game, seed)
    for _ in range(TRIES):
        value = damaged(rng, game.codec.state_to_json(choice(rng, positions)))
        _explain(partial(_try_state, game, value, rng), f"seed {seed}: the codec does not refuse the state {value}")


def check_accepted_observations_can_be_imagined(game: AnyGame, seed: int) -> None:
    """A damaged Observation is refused with BadMessage, or what is imagined from it looks exactly like it."""
    rng, positions = stream(seed, "damaged observations"), _positions(game, seed)
    for _ in range(TRIES):
        state, seat = choice(rng, positions), below(rng, pick_variant(game, seed).seats)
        value = damaged(rng, game.codec.observation_to_json(state.view(seat)))
        what = f"seed {seed}: the codec does not refuse the observation {value}"
        _explain(partial(_try_observation, game, value, rng), what)


def _try_state(game: AnyGame, value: Json, rng: Random) -> None:
    try:
        state = game.codec.state_from_json(value)
    except BadMessage:
        return
    _use(game, state, rng)


def _try_observation(game: AnyGame, value: Json, rng: Random) -> None:
    try:
        seen = game.codec.unpack_observation(from_json(game.codec.type("Observation"), value))
        imagined = game.imagine(seen, rng)
    except BadMessage:
        return
    _assert_looks_like(game, imagined, seen, value.get("seat", 0))
    try:
        _use(game, imagined, rng)
    except BadMessage as error:
        raise AssertionError(f"the codec refuses what is imagined: {error}") from error


def _assert_looks_like(game: AnyGame, imagined: AnyState, seen: Any, seat: Seat) -> None:
    again, data = game.codec.dump_observation(imagined.view(seat)), game.codec.dump_observation(seen)
    assert again == data, "an imagined state looks different"


def _use(game: AnyGame, state: AnyState, rng: Random) -> None:
    """Look at the position, play on to the end, and look again on the way."""
    for number in range(game.info.max_moves + 1):
        if number in LOOK_AFTER or state.to_move() is None:
            _look(game, state)
        if state.to_move() is None:
            assert state.outcome() is not None, "it is over without an outcome"
            return
        state.apply(choice(rng, state.legal()))
    raise AssertionError(f"it is not over after the declared {game.info.max_moves} moves")


def _look(game: AnyGame, state: AnyState) -> None:
    data = game.codec.dump_state(state)
    assert game.codec.dump_state(game.codec.load_state(data)) == data, "it changes on the wire"
    assert game.show(state).strip(), "show() is empty"
    game.codec.dump_observation(state.view(0))
    for move in state.legal()[:3]:
        assert game.describe_move(state, move).strip(), "describe_move() is empty"
        assert game.describe_move(state, move, 0).strip(), "describe_move() for seat 0 is empty"


def _explain(trial: Callable[[], None], what: str) -> None:
    """Try it, and say of whatever goes wrong in which message it did."""
    try:
        trial()
    except Exception as error:
        raise AssertionError(f"{what}, but then: {error!r}") from error


def _positions(game: AnyGame, seed: int) -> list[AnyState]:
    return [state.clone() for state, _ in walk(game, pick_variant(game, seed), seed)]


def damaged(rng: Random, value: Json) -> Json:
    """The message with one or two of its values changed, doubled, exchanged or taken out."""
    value = deepcopy(value)
    for _ in range(1 + below(rng, 2)):
        places = _places(value)
        if not places:
            break
        holder, key = choice(rng, places)
        _damage(rng, holder, key)
    return value


def _places(value: Any) -> list[tuple[Any, Any]]:
    """Every entry of every message and list in this JSON, as its holder and its key."""
    entries = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    found: list[tuple[Any, Any]] = []
    for key, part in entries:
        found += [(value, key), *_places(part)]
    return found


def _damage(rng: Random, holder: Any, key: Any) -> None:
    part, dice = holder[key], below(rng, 4)
    if isinstance(part, bool):
        holder[key] = not part
    elif isinstance(part, int) and dice:
        holder[key] = max(0, choice(rng, (0, 1, part - 1, part + 1, below(rng, 110))))
    elif isinstance(part, str) and dice:
        holder[key] = below(rng, 10)  # a number is read as a value of an enum
    elif isinstance(part, list) and part and dice:
        _damage_list(rng, part)
    elif isinstance(holder, dict):
        del holder[key]
    else:
        holder.append(deepcopy(choice(rng, holder)))


def _damage_list(rng: Random, part: list[Any]) -> None:
    place, other = below(rng, len(part)), below(rng, len(part))
    match below(rng, 3):
        case 0:
            del part[place]
        case 1:
            part.insert(place, deepcopy(part[other]))
        case _:
            part[place], part[other] = part[other], part[place]
