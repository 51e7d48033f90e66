"""A tournament or a test as a TOML file: what its options say, read as their defaults and written from its settings.

game = "claim"
bots = ["my_bot", "greedy@2"]
rounds = 10
clock = "200ms/move+5s"
seeds = [11, 12, 13]               # or the name of a file
options = { first_leader = "1" }   # of the game

A test has its two bots there, and instead of rounds and seeds:

sprt = { elo0 = 0, elo1 = 30 }
max-pairs = 500
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import click

from arena.errors import UsageError
from arena.tournaments.settings import MAX_DEAL_SEED, TEST, Settings
from arena.untrusted.toml import read_text, read_toml

MAX_CONFIG_BYTES = 1 << 18
MAX_SEEDS = 10_000
LEFT_OUT = ("config", "help")
OF_TESTS = ("sprt", "max-pairs")


class Seeds(click.ParamType):  # type: ignore[type-arg]  # generic only from click 8.4 on
    """Deals by their seeds: a file with a number on every line, or a list of numbers in a configuration."""

    name = "FILE"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, ...]:
        if isinstance(value, tuple):
            return value
        try:
            return check_seeds(value if isinstance(value, list) else read_seeds(Path(value)))
        except UsageError as error:
            self.fail(str(error), param, ctx)


def read_seeds(path: Path) -> list[int]:
    """The numbers in a file, one on every line; empty lines and what follows a # are left out."""
    lines = read_text(path, MAX_CONFIG_BYTES, "text").splitlines()
    words = [line.partition("#")[0].strip() for line in lines]
    for number, word in enumerate(words, 1):
        if word and not (word.isascii() and word.isdecimal() and len(word) <= 16):
            raise UsageError(f"{path}: line {number} is not a valid seed: {word:.40}")
    return [int(word) for word in words if word]


def check_seeds(seeds: list[Any]) -> tuple[int, ...]:
    """The seeds, if there are some, each of them once and in range: the same deal again would be the same match."""
    if not seeds or len(seeds) > MAX_SEEDS:
        raise UsageError(f"there must be 1 to {MAX_SEEDS} seeds, not {len(seeds)}")
    if not all(type(seed) is int and 0 <= seed <= MAX_DEAL_SEED for seed in seeds):
        raise UsageError(f"a seed is a whole number from 0 to {MAX_DEAL_SEED}")
    if len(set(seeds)) < len(seeds):
        raise UsageError("the same seed is there twice")
    return tuple(seeds)


def config_option(command: Any) -> Any:
    """Add the option that names a configuration."""
    return click.option(
        "--config",
        type=click.Path(exists=True, dir_okay=False, path_type=Path),
        is_eager=True,
        expose_value=False,
        callback=_use_as_defaults,
        help="A TOML file with these options by their names; what is given here counts instead. "
        "`arena tournament show-config ID` prints one.",
    )(command)


def bots_and_bounds() -> tuple[list[str], list[str]]:
    """The bots of a test and its bounds, each as it would be typed, that the file of --config names."""
    ctx = click.get_current_context()
    bots = ctx.lookup_default("bots") or ""
    return [name for name in bots.split(",") if name], list(ctx.lookup_default("bounds") or ())


def _use_as_defaults(ctx: click.Context, _: click.Parameter, path: Path | None) -> None:
    if path is not None:
        ctx.default_map = dict(_defaults(ctx.command, read_toml(path, MAX_CONFIG_BYTES), path))


def _defaults(command: click.Command, content: Mapping[str, Any], path: Path) -> Iterator[tuple[str, Any]]:
    """The options of a command with the values that a file gives them, each as it would be typed."""
    options = {
        name.removeprefix("--"): parameter
        for parameter in command.params
        for name in parameter.opts
        if isinstance(parameter, click.Option) and parameter.name not in LEFT_OUT
    }
    options["options"] = options.pop("option")
    known = {key: option.name or "" for key, option in options.items()}
    known["bots"] = "bots"  # which a test has as its arguments
    for key, value in content.items():
        if key not in known and key in OF_TESTS:
            raise UsageError(f"{path} is the file of a test: `arena test --config {path}` plays it")
        if key not in known:
            raise UsageError(f"{path} has the unknown key {key!r:.60}: it knows {', '.join(sorted(known))}")
        flag = key in options and options[key].is_flag
        yield known[key], _flag(key, value, path) if flag else _as_typed(key, value, path)


def _flag(key: str, value: Any, path: Path) -> bool:
    if not isinstance(value, bool):
        raise UsageError(f"{path}: {key} must be true or false")
    return value


def _as_typed(key: str, value: Any, path: Path) -> Any:
    match key, value:
        case "bots", list() if all(isinstance(name, str) and "," not in name for name in value):
            return ",".join(value)
        case "seeds", str() | list():
            return value
        case "options", dict() if all(isinstance(choice, str) for choice in value.values()):
            return [f"{name}={choice}" for name, choice in value.items()]
        case "sprt", dict() if all(type(number) in (int, float) for number in value.values()):
            return [f"{name}={number}" for name, number in value.items()]
        case "bots" | "seeds" | "options" | "sprt", _:
            forms = {"bots": "a list of texts", "seeds": "a file or a list of numbers", "sprt": "a table of numbers"}
            raise UsageError(f"{path}: {key} must be {forms.get(key, 'a table of texts')}")
        case _, str() | int() | float() if not isinstance(value, bool):
            return value if isinstance(value, int) else str(value)
    raise UsageError(f"{path}: {key} must be a text or a number")


def config_text(settings: Settings) -> str:
    """The configuration of a tournament or a test, with which the same matches are played again.

    One whose field was changed is played with the bots that play in it now.
    """
    values: dict[str, Any] = {
        "title": settings.title or None,
        "game": settings.game,
        "bots": [f"{bot[0]}@{bot[1]}" for bot in settings.playing],
        **(_test_shape(settings) if settings.format == TEST else _tournament_shape(settings)),
        "seed": settings.seed,
        "clock": settings.clock,
        "strikes": settings.strikes,
        "fresh": "match" if settings.fresh else "pairing",
        "sandbox": settings.sandbox,
        "memory": _size(settings.memory_bytes),
        "cpus": settings.cpus,
        "ponder": settings.ponder,
    }
    lines = [f"{key} = {_toml(value)}" for key, value in values.items() if value is not None]
    for title, table in (("sprt", _bounds(settings)), ("options", settings.options)):
        if table:
            lines += ["", f"[{title}]", *(f"{_toml(name)} = {_toml(value)}" for name, value in table.items())]
    return "\n".join(lines)


def _tournament_shape(settings: Settings) -> dict[str, Any]:
    """Who meets whom, with which deals, and until when."""
    goal = settings.goal
    return {
        "format": settings.format,
        "rounds": settings.rounds or None,
        "seats": settings.seats,
        "top": int(goal["top"]) if "top" in goal else None,
        "confidence": goal.get("confidence"),
        "max-games": int(goal["most"]) if "most" in goal else None,
        "seeds": list(settings.seeds) or None,
        "deals": settings.deals,
    }


def _test_shape(settings: Settings) -> dict[str, Any]:
    """When a test gives up; its bounds are a table of their own."""
    return {"max-pairs": int(settings.goal["most"])}


def _bounds(settings: Settings) -> dict[str, float]:
    return {name: number for name, number in settings.goal.items() if settings.format == TEST and name != "most"}


def _size(size: int) -> str:
    return f"{size >> 20}m" if size % (1 << 20) == 0 else f"{size >> 10}k"


def _toml(value: Any) -> str:
    """A value as TOML writes it: texts, numbers, truth values and lists of these look as in JSON."""
    return json.dumps(value, ensure_ascii=False)
