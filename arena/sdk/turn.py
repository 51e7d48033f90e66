"""A turn as a Python bot gets it: what its seat knows and the moves, in the names of the game's .proto file."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from random import Random
from typing import Any, Generic, Self, TypeVar

from arena import match
from arena.errors import BadMessage, IllegalMove
from arena.game import AnyGame, AnyState
from arena.sdk.named import Named, listed, read_message, read_move, write_move

M = TypeVar("M")
O = TypeVar("O")

MOST_NAMED = 4
"""Legal moves that are named in the place of one that is not."""


@dataclass(frozen=True)
class Turn(match.Turn[M, O], Generic[M, O]):
    """It is your decision. `arena docs GAME` explains all that `seen` and `fields` name.

    Moves themselves stay the small numbers and tuples of the game's rules: fast to search with, and what `choose`
    answers. `observation` is the rules' own form of what `seen` shows, and what `imagine` takes.
    """

    game: AnyGame = field(repr=False, kw_only=True)

    @classmethod
    def of(cls, game: AnyGame, turn: match.Turn[M, O]) -> Self:
        """The turn with the names of its game."""
        return cls(turn.number, turn.observation, turn.legal, turn.available, turn.bank, game=game)

    @cached_property
    def seen(self) -> Named:
        """All that your seat may know, under the names of the game's Observation message."""
        return read_message(self.game.codec.pack_observation(self.observation))

    def fields(self, move: M) -> Named:
        """What the move says, as in `step(figure=7, square=86)`: it has `kind`, `figure` and `square`."""
        return read_move(self.game.codec.pack_move(move))

    def describe(self, move: M) -> str:
        """What the move does, in words; IllegalMove if it is not possible now."""
        state = self._imagined
        said = self.game.describe_move(state, self._checked(move), state.to_move())
        return re.sub(r"(?<!\\)\[[a-z#/@][^\[\]]*\]", "", said).replace(r"\[", "[")  # without the markup of colours

    def move(self, kind: str, value: Any = None, /, **values: Any) -> M:
        """The move that says this, as in `turn.move("step", figure=7, square=86)`; IllegalMove if it is none."""
        codec = self.game.codec
        try:
            made = codec.unpack_move(write_move(codec, kind, value, values))
        except BadMessage as error:
            raise IllegalMove(f"this is no {kind}: {error}") from None
        return self._checked(made)

    @cached_property
    def _imagined(self) -> AnyState:
        """A position that looks like this: what can be done, and said of it, is the same in all of them."""
        return self.game.imagine(self.observation, Random(0))

    def _checked(self, move: M) -> M:
        legal = self._imagined.legal() if self.legal is None else self.legal
        if move not in legal:
            meant, others = self.fields(move), [self.fields(other) for other in legal]
            alike = [other for other in others if other.kind == meant.kind]
            alike.sort(key=lambda other: -sum(meant.values.get(name) == said for name, said in other.values.items()))
            named = ", ".join(map(repr, alike[:MOST_NAMED])) or listed(dict.fromkeys(other.kind for other in others))
            more = f" and {len(alike) - MOST_NAMED} more of this kind" if len(alike) > MOST_NAMED else ""
            raise IllegalMove(f"{meant} is not legal now: legal are {named}{more}")
        return move
