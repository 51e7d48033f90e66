"""The hostile bots as data: one folder each, with the bot and an expect.toml that says what must become of it.

why = "..."                     # one sentence
rows = [15]                     # the rows of the attack catalogue that it covers; left out for our own ideas
verdict = "TIME"                # or a list of acceptable ones; `plays = true` is the same as "NORMAL"
variants = ["ping", "rst"]      # several bots in one folder: bot.py finds its variant as its first argument
command = ["{bot}/program"]     # default: python3 {bot}/bot.py
clock, seat, strikes, matches   # default: 1s/move+2s, seat 0, no strikes, 1 match
returns = false                 # then the same deals from the other seat, by the worker of a tournament
opponent = "inside"             # a player in the referee; or "sandboxed", "sleeper", or another hostile bot
opponent_verdict = "NORMAL"
backends = ["bubblewrap", "docker"]   # and "gvisor"; "no-cgroups": bubblewrap where there are no control groups
needs = ["memory"]              # lines of the enforcement that must be strong, or the case is not run
runs = 1                        # how often all is done, each time in a new sandbox
max_seconds = 30                # for all matches and the clearing up
max_referee_cpu_s = 5.0         # what it may cost the referee
max_host_mib = 4096             # memory of the machine that may be gone meanwhile: coarse, because others use it too
max_socket_mib = 256            # buffers of network sockets on the whole machine meanwhile
log_contains = ["..."], log_excludes = ["..."], sentence_contains = "..."
[limits]                        # memory_mib, pids, cpus, start_s
[enforcement]                   # lines that the enforcement read back must have, each with the words that it may say
"""

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from arena.match import Ending
from arena.sandboxes.base import Limits

HERE = Path(__file__).parent
BACKENDS = ("bubblewrap", "docker")
"""Where a bot is tried unless its expect.toml says otherwise."""
ESCAPED = "ESCAPED"
"""What a bot prints when it got out."""


@dataclass(frozen=True, kw_only=True)
class Case:
    """One hostile bot, in one of its variants."""

    name: str
    why: str
    verdict: tuple[str, ...]
    variant: str = ""
    rows: tuple[int, ...] = ()
    command: tuple[str, ...] = ("python3", "{bot}/bot.py")
    clock: str = "1s/move+2s"
    seat: int = 0
    strikes: int = 0
    matches: int = 1
    returns: bool = False
    runs: int = 1
    opponent: str = "inside"
    opponent_verdict: tuple[str, ...] = ("NORMAL",)
    backends: tuple[str, ...] = BACKENDS
    needs: tuple[str, ...] = ()
    max_seconds: float = 40.0
    max_referee_cpu_s: float = 8.0
    max_host_mib: int = 4096
    max_socket_mib: int = 256
    log_contains: tuple[str, ...] = ()
    log_excludes: tuple[str, ...] = ()
    sentence_contains: str = ""
    limits: dict[str, float] = field(default_factory=dict)
    enforcement: dict[str, list[str]] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """Its name in tables."""
        return f"{self.name}.{self.variant}" if self.variant else self.name

    def bot_limits(self) -> Limits:
        """What the bot may use: little, so that the suite is fast and the machine safe."""
        given = {"memory_mib": 160, "pids": 48, "cpus": 1.0, "start_s": 10.0, **self.limits}
        memory = int(given["memory_mib"]) << 20
        return Limits(memory_bytes=memory, pids=int(given["pids"]), cpus=given["cpus"], start_s=given["start_s"])


def all_cases() -> Iterator[Case]:
    """Every case of every folder."""
    for path in sorted(HERE.glob("*/expect.toml")):
        yield from load(path.parent)


def load(folder: Path) -> Iterator[Case]:
    """The cases of one folder; an unknown word in expect.toml is an error."""
    content = tomllib.loads((folder / "expect.toml").read_text(encoding="utf-8"))
    variants = content.pop("variants", [""])
    if content.pop("plays", False):
        content["verdict"] = Ending.NORMAL.name
    values = {key: _value(key, value) for key, value in content.items()}
    named = {*values["verdict"], *values.get("opponent_verdict", ())}
    if unknown := named - {ending.name for ending in Ending}:
        raise ValueError(f"{folder.name}: {unknown} is no verdict")
    for variant in variants:
        yield Case(name=folder.name, variant=variant, **values)


def find(name: str) -> Case:
    """The first case of a folder."""
    return next(load(HERE / name))


def _value(key: str, value: Any) -> Any:
    """A value as the case holds it: a single text stands for a list of one."""
    kind = next((item.type for item in fields(Case) if item.name == key), None)
    if kind is None:
        raise ValueError(f"expect.toml does not know {key!r}")
    if "tuple" in str(kind):
        return (value,) if isinstance(value, str) else tuple(value)
    return value
