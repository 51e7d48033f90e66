"""The opponents of a learner: a function, or any bot that can play in this process."""

from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from typing import Any

from arena.bots.in_process import BotLike, resolve_bot
from arena.clock import TimeControl
from arena.game import AnyGame
from arena.match import MatchStart
from arena.rl.environment import SEEDS
from arena.sdk import Bot, Turn

Choose = Callable[[Any, Sequence[Any]], Any]
"""Chooses a move, given the observation of its seat and the legal moves."""
Opponent = Choose | type[Bot[Any, Any]] | Bot[Any, Any] | str | Path
"""A function, a Bot, the name of a sample bot, or a bot's folder."""
THINK_S = 0.05
"""Seconds per move for opponents that think as long as they are allowed to."""
CLOCK = TimeControl.parse(f"{THINK_S}s/move")


class BotOpponent:
    """Lets one bot per seat choose the moves of all seats but the learner's."""

    def __init__(self, game: AnyGame, bot: BotLike) -> None:
        self._game, self._make = game, resolve_bot(game, bot).make
        self._bots: dict[int, Bot[Any, Any]] = {}

    def begin(self, config: Any, seats: int, learner: int, rng: Random) -> None:
        """Start a new match: a new bot for every seat but the learner's."""
        self._bots = {seat: self._make(rng.randrange(SEEDS)) for seat in range(seats) if seat != learner}
        for seat, bot in self._bots.items():
            bot.begin(MatchStart("learning", seat, seats, config, CLOCK))

    def choose(self, seat: int, seen: Any, legal: Sequence[Any]) -> Any:
        """The move of the bot in this seat."""
        # It is asked again for what else it would do in a row: no turn depends on an earlier one.
        return self._bots[seat].choose_several(Turn(1, seen, tuple(legal), THINK_S, 0.0, game=self._game))[0]


class FunctionOpponent:
    """Lets one function choose the moves of all seats but the learner's."""

    def __init__(self, function: Choose) -> None:
        self._function = function

    def begin(self, config: Any, seats: int, learner: int, rng: Random) -> None:
        """Nothing to do: a function remembers nothing."""

    def choose(self, seat: int, seen: Any, legal: Sequence[Any]) -> Any:  # noqa: ARG002
        """What the function answers."""
        return self._function(seen, legal)


def opponent_of(game: AnyGame, opponent: Opponent) -> BotOpponent | FunctionOpponent:
    """The opponent that is meant, by whatever it was given as."""
    if isinstance(opponent, str | Path | Bot | type):
        return BotOpponent(game, opponent)
    return FunctionOpponent(opponent)
