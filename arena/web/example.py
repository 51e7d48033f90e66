"""An example position for the rules of a game: the middle of a game that was played at random, the same every time."""

import base64
import json
from dataclasses import dataclass
from functools import lru_cache

from rich.text import Text

from arena.codec import Json
from arena.game import AnyGame
from arena.rng import choice, stream
from arena.web.replay_data import EVERYTHING, position_data
from arena.web.viewers import Viewer, find_viewer

SEED = 3
NAMES = ("Ada", "Ben", "Cleo", "Dan")


@dataclass(frozen=True, slots=True)
class Example:
    """A position to draw."""

    viewer: Viewer
    names: tuple[str, ...]
    position: Json
    text: str
    """The same as plain text, for who has no scripts."""

    @property
    def data(self) -> str:
        """What the page's script reads, in a form that no HTML is hidden in."""
        message = {"position": self.position, "names": self.names}
        return base64.b64encode(json.dumps(message).encode()).decode()


@lru_cache(64)
def example_position(game: AnyGame) -> Example:
    """The middle of a game between the fewest seats, with the usual options."""
    seats, options = next(game.info.variants())
    config = game.configure(seats, options)
    state, rng, played = game.start(config, SEED), stream(SEED, "example"), []
    while state.to_move() is not None:
        move = choice(rng, state.legal())
        played.append(move)
        state.apply(move)
    middle, viewer = game.start(config, SEED), find_viewer(game)
    for move in played[: len(played) // 2]:
        middle.apply(move)
    position = position_data(game, middle, [EVERYTHING], viewer)[EVERYTHING]
    return Example(viewer, NAMES[:seats], position, Text.from_markup(game.show(middle), emoji=False).plain)
