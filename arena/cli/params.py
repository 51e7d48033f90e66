"""The kinds of values that commands take."""

import secrets
from typing import Any

import click

from arena.clock import TimeControl
from arena.errors import UsageError

MAX_SEED = 2**64 - 1
SEED_HELP = "The seed of all chance; drawn so that no bot can guess it if not given."

_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


def draw_seed() -> int:
    """A seed that cannot be guessed: bots have the engines, and a known seed would show them what is hidden."""
    return secrets.randbits(63)


class Setting(click.ParamType[tuple[str, str]]):
    """An option of a game, written NAME=VALUE."""

    name = "NAME=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        """The name and the value."""
        name, equals, setting = str(value).partition("=")
        if not equals:
            self.fail(f"{value!r} is not of the form NAME=VALUE", param, ctx)
        return name, setting


class ClockType(click.ParamType[TimeControl]):
    """A time control such as 1s/move+10s."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> TimeControl:
        """The time control that the text means."""
        try:
            return value if isinstance(value, TimeControl) else TimeControl.parse(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


class Size(click.ParamType[int]):
    """A number of bytes such as 512m."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """The number of bytes."""
        if isinstance(value, int):
            return value
        number, unit = str(value)[:-1], str(value)[-1:].lower()
        if unit not in _UNITS or not number.isdecimal():
            self.fail(f"{value!r} is no size: write 512m or 1g", param, ctx)
        return int(number) * _UNITS[unit]
