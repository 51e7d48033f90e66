"""The settings of a tournament: all that is decided before its first match."""

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from arena.clock import TimeControl
from arena.rng import below, draw_seed, stream
from arena.store.base import Store
from arena.tournaments.schedule import SWISS_VERSION

FORMATS = ("round-robin", "gauntlet", "swiss", "adaptive")
TEST = "test"
"""The format of `arena test`: two bots, until one is known to be better or not."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All that is decided before the first match; the same settings mean the same tournament.

    A budget of time is none of it: it says how far a tournament is played now, not what is played.
    """

    game: str
    options: Mapping[str, str]
    seats: int
    format: str
    rounds: int
    """How many; 0 where the format has no rounds, or plays as many as the budget allows."""
    seed: int
    clock: str
    strikes: int
    sandbox: str
    memory_bytes: int
    cpus: float
    ponder: bool
    fresh: bool
    bots: tuple[tuple[str, str, str], ...]
    """Name, version and digest of every bot in the field."""
    goal: Mapping[str, float] = field(default_factory=dict)
    """When it is over, if not after its rounds: `top`, `confidence` and `most` matches of an adaptive tournament;
    `elo0`, `elo1`, `alpha`, `beta` and `most` pairs of a test."""
    seeds: tuple[int, ...] = ()
    """The seeds of the deals in their order, if they were chosen; else they are drawn from `seed`."""
    swiss_version: int = SWISS_VERSION
    """Which pairings a swiss tournament has after the same results; no other format has this."""

    def to_json(self) -> dict[str, Any]:
        """As plain data for the store; what a tournament has no use for is left out, as it was before it existed."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        if not self.goal:
            del plain["goal"]
        if not self.seeds:
            del plain["seeds"]
        if self.format != "swiss":
            del plain["swiss_version"]
        return plain

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Settings":
        """From the plain data in the store."""
        first = {"swiss_version": 1} if data["format"] == "swiss" else {}
        lists = {"bots": tuple(tuple(bot) for bot in data["bots"]), "seeds": tuple(data.get("seeds", ()))}
        return cls(**{**first, **data, **lists})

    def deal_seed(self, deal: int) -> int:
        """The seed of a deal, which all groups play: what one was dealt, every other one has to cope with too."""
        return self.seeds[deal] if self.seeds else below(stream(self.seed, "deal", deal), 2**53)


def with_seed(settings: Settings, seed: int | None, store: Store) -> Settings:
    """The settings with the seed that was given, or that of the same tournament if it was stopped, or a new one.

    A stopped tournament keeps its own spelling of the clock, which an earlier Arena may have written otherwise.
    """
    for entry in store.tournaments(settings.game):
        earlier = Settings.from_json(entry.settings)
        same_clock = TimeControl.parse(earlier.clock) == TimeControl.parse(settings.clock)
        asked = replace(settings, seed=earlier.seed if seed is None else seed, clock=earlier.clock)
        if not entry.finished and same_clock and earlier == asked:
            return earlier
    return settings if seed is not None else replace(settings, seed=draw_seed())
