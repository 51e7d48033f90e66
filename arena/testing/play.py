"""Random play over the variants of a game, the ground that the checks walk on."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from arena.game import AnyGame, AnyState
from arena.rng import choice, stream


@dataclass(frozen=True, slots=True)
class Variant:
    """A configuration with the number of seats that it is for."""

    seats: int
    options: dict[str, str]
    config: Any


def variants(game: AnyGame) -> list[Variant]:
    """The default, every value of every option by itself, and every number of seats."""
    chosen = []
    for seats, options in game.info.variants():
        changed = sum(options[option.name] != option.default for option in game.info.options)
        if changed <= 1:
            chosen.append(Variant(seats, options, game.configure(seats, options)))
    return chosen


def pick_variant(game: AnyGame, seed: int) -> Variant:
    """A variant for this seed: each in turn first, then combinations of options at random."""
    simple = variants(game)
    if seed < len(simple):
        return simple[seed]
    rng = stream(seed, "variant")
    seats = choice(rng, range(game.info.min_seats, game.info.max_seats + 1))
    options = {option.name: choice(rng, option.choices) for option in game.info.options}
    return Variant(seats, options, game.configure(seats, options))


def walk(game: AnyGame, variant: Variant, seed: int) -> Iterator[tuple[AnyState, Any]]:
    """Every position of a random game with the move that is about to be played; the last one has None."""
    rng = stream(seed, "walk")
    state = game.start(variant.config, seed)
    for _ in range(game.info.max_moves):
        if state.to_move() is None:
            break
        move = choice(rng, state.legal())
        yield state, move
        state.apply(move)
    yield state, None
