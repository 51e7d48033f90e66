"""Moves of a game as examples, found in random games: so every game has them, and they are true."""

from collections.abc import Iterator
from itertools import cycle, islice
from random import Random
from typing import Any

from arena.game import AnyGame, GameInfo
from arena.sdk import Named, Turn

GAMES = 16
"""Random games in which a page's examples are looked for: some moves are rare."""


def example_moves(game: AnyGame, games: int = GAMES) -> Iterator[tuple[Named, str]]:
    """A move of every kind and every choice of its fields, with what it did in some random game, in words."""
    found: dict[tuple[str, ...], tuple[Named, str]] = {}
    known: set[Any] = set()
    for number, (seats, options) in enumerate(islice(cycle(_variants(game.info)), games)):
        state, rng = game.start(game.configure(seats, options), number), Random(number)
        while (seat := state.to_move()) is not None:
            legal = state.legal()
            turn: Turn[Any, Any] = Turn(1, state.view(seat), tuple(legal), 0.0, 0.0, game=game)
            fresh = [move for move in legal if (type(move), move) not in known]  # tuples of two kinds may be equal
            known.update((type(move), move) for move in fresh)
            for move in fresh:
                named = turn.fields(move)
                key = (named.kind, *(name for name, value in named.values.items() if value not in (None, ())))
                if key not in found:
                    found[key] = named, turn.describe(move)
            state.apply(rng.choice(legal))
    for field in game.codec.type("Move").DESCRIPTOR.fields:
        alike = [example for key, example in found.items() if key[0] == field.name]
        # Chance finds no way to what only good play leads to, but a move without values can be written all the same.
        yield from alike or ([(Named(field.name, {}), "")] if field.type == field.TYPE_BOOL else [])


def _variants(info: GameInfo) -> Iterator[tuple[int, dict[str, str]]]:
    """Every number of seats, and every choice of one option."""
    yield from ((seats, {}) for seats in range(info.min_seats, info.max_seats + 1))
    for option in info.options:
        yield from ((info.min_seats, {option.name: choice}) for choice in option.choices if choice != option.default)


def call(move: Named) -> str:
    """How a bot makes this move."""
    return f"turn.move({', '.join([_quoted(move.kind), *_arguments(move)])})"


def _arguments(named: Named) -> Iterator[str]:
    for name, value in named.values.items():
        if name == "value":
            yield _quoted(value)
        elif value not in (None, ()):
            said = f"dict({', '.join(_arguments(value))})" if isinstance(value, Named) else _quoted(value)
            yield f"{name}={said}"


def _quoted(value: Any) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)
