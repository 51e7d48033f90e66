"""The kinds of values that commands take."""

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

import click

from arena.clock import DEFAULT_CLOCK, TimeControl
from arena.errors import UsageError

MAX_SEED = 2**64 - 1
SEED_HELP = "Fixed seed, for experiments only: bots could guess the deals, so results are marked."

_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


class Whole(click.IntRange):
    """A whole number within bounds."""

    name = "N"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{value!r} is not a whole number", param, ctx)
        return super().convert(number, param, ctx)


class Seed(click.ParamType):  # type: ignore[type-arg]  # generic only from click 8.4 on
    """A seed: a whole number up to `most`, which no help page need spell out."""

    name = "N"

    def __init__(self, most: int = MAX_SEED) -> None:
        self._most = most

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        text = str(value)
        if not (text.isascii() and text.isdecimal() and len(text) <= len(str(self._most)) and int(text) <= self._most):
            self.fail(f"{value!r} is not a valid seed: write a whole number from 0 to {self._most}", param, ctx)
        return int(text)


class Setting(click.ParamType):  # type: ignore[type-arg]  # generic only from click 8.4 on
    """An option of a game, written NAME=VALUE."""

    name = "NAME=VALUE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, str]:
        name, equals, setting = str(value).partition("=")
        if not equals:
            self.fail(f"{value!r} is not of the form NAME=VALUE", param, ctx)
        return name, setting


class ClockType(click.ParamType):  # type: ignore[type-arg]  # generic only from click 8.4 on
    """A time control such as 1s/move+10s."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> TimeControl:
        try:
            return value if isinstance(value, TimeControl) else TimeControl.parse(value)
        except UsageError as error:
            self.fail(str(error), param, ctx)


class Size(click.ParamType):  # type: ignore[type-arg]  # generic only from click 8.4 on
    """A number of bytes such as 512m."""

    name = "SIZE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        if isinstance(value, int):
            return value
        number, unit = str(value)[:-1], str(value)[-1:].lower()
        if unit not in _UNITS or not number.isdecimal():
            self.fail(f"{value!r} is not a valid size: write 512m or 1g", param, ctx)
        return int(number) * _UNITS[unit]


class Duration(click.ParamType):  # type: ignore[type-arg]  # generic only from click 8.4 on
    """A time such as 90s, 45m or 1h30m, in seconds."""

    name = "TIME"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> float:
        if isinstance(value, float):
            return value
        found = re.fullmatch(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", str(value))
        seconds = sum(int(part or 0) * unit for part, unit in zip(found.groups(), (3600, 60, 1))) if found else 0
        if not seconds:
            self.fail(f"{value!r} is not a valid time: write 90s, 45m or 1h30m", param, ctx)
        return float(seconds)


class Moment(click.ParamType):  # type: ignore[type-arg]  # generic only from click 8.4 on
    """A day such as 2026-05-01, in UTC, or so many days or hours ago, such as 7d or 12h."""

    name = "DATE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> datetime:
        if isinstance(value, datetime):
            return value
        found = re.fullmatch(r"(\d{1,5})([dh])", str(value))
        if found:
            hours = int(found[1]) * (24 if found[2] == "d" else 1)
            return datetime.now(UTC) - timedelta(hours=hours)
        try:
            return datetime.strptime(str(value), "%Y-%m-%d").replace(tzinfo=UTC)
        except ValueError:
            self.fail(f"{value!r} is not a valid date: write 2026-05-01, or 7d for a week ago", param, ctx)


def clock_option(command: Callable[..., None]) -> Callable[..., None]:
    """Add the option that says how much time bots have."""
    return click.option(
        "--clock",
        type=ClockType(),
        default=DEFAULT_CLOCK,
        show_default=True,
        help="Time per move + bank (200ms/move+5s), bank + increment (30s+0.5s), cpu:1s/move, or none.",
    )(command)
