"""The settings of a tournament: all that is decided before its first match."""

import dataclasses
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any

from arena.errors import UsageError
from arena.rng import below, stream
from arena.schedules.schedule import ADAPTIVE_VERSION, SWISS_VERSION
from arena.store.base import Bot, Changes, TournamentEntry, excluded_of, field_of

FORMATS = ("round-robin", "gauntlet", "swiss", "adaptive")
TEST = "test"
"""The format of `arena test`: two bots, until one is known to be better or not."""
MAX_DEAL_SEED = 2**53 - 1
MAX_TITLE = 80
OWN, COMMON = "own", "common"
"""Whether every group of bots has deals of its own, or all groups play the same."""


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
    bots: tuple[Bot, ...]
    """Name, version and digest of every bot in the field."""
    goal: Mapping[str, float] = dataclasses.field(default_factory=dict)
    """When it is over, if not after its rounds: `top`, `confidence` and `most` matches of an adaptive tournament;
    `elo0`, `elo1`, `alpha`, `beta` and `most` pairs of a test."""
    seeds: tuple[int, ...] = ()
    """The seeds of the deals in their order, if they were chosen; else they are drawn from `seed`."""
    swiss_version: int = SWISS_VERSION
    """Which pairings a swiss tournament has after the same results; no other format has this."""
    adaptive_version: int = ADAPTIVE_VERSION
    """Which pairings, and which end, an adaptive tournament has after the same results; no other format has this."""
    deals: str = OWN
    """`own` or `common`; chosen seeds are common, and so were all deals before there was a choice."""

    seed_given: bool = False
    """Whether a person chose `seed` or `seeds`, so that bots could guess them; not known of earlier tournaments."""

    rules: str = ""
    """The version of the game's rules, which no two matches of a tournament may differ in; earlier ones kept none."""

    title: str = ""
    """What its organiser calls it."""

    changes: Changes = ()
    """What was decided after the first match; no part of what makes two tournaments the same."""

    def __post_init__(self) -> None:
        if len(self.title) > MAX_TITLE or not self.title.isprintable() or self.title != self.title.strip():
            raise UsageError(f"a title is one line of at most {MAX_TITLE} printable characters, not {self.title!r:.90}")
        if not all(change.makes_sense for change in self.changes):
            raise UsageError("what was changed after the first match makes no sense")
        if self.deals not in (OWN, COMMON) or (self.seeds and self.deals == OWN):
            raise UsageError(f"the deals of a tournament are {OWN} or {COMMON}, and chosen seeds are {COMMON}")

    @property
    def field(self) -> list[Bot]:
        """Every bot that ever took part, by number."""
        return field_of(self.bots, self.changes)

    @property
    def playing(self) -> list[Bot]:
        """Those of them that were not excluded."""
        return [bot for bot in self.field if bot not in excluded_of(self.changes)]

    @property
    def endless(self) -> bool:
        """Whether it goes on until somebody ends it: a budget of time, or a person."""
        return not (self.rounds or self.goal)

    def to_json(self) -> dict[str, Any]:
        """As plain data for the store; what a tournament has no use for is left out, as it was before it existed."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        del plain["changes"]
        if not self.title:
            del plain["title"]
        if not self.goal:
            del plain["goal"]
        if not self.seeds:
            del plain["seeds"]
        if self.format != "swiss":
            del plain["swiss_version"]
        if self.format != "adaptive":
            del plain["adaptive_version"]
        if self.deals == COMMON:
            del plain["deals"]
        if not self.seed_given:
            del plain["seed_given"]
        if not self.rules:
            del plain["rules"]
        return plain

    @classmethod
    def of(cls, entry: TournamentEntry) -> "Settings":
        """Those of a tournament in a store or an archive, with what was changed since."""
        return replace(cls.from_json(entry.settings), changes=entry.changes)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Settings":
        """From the plain data in the store."""
        first: dict[str, Any] = {"deals": COMMON}
        if data["format"] in ("swiss", "adaptive"):
            first[f"{data['format']}_version"] = 1
        lists = {"bots": tuple(tuple(bot) for bot in data["bots"]), "seeds": tuple(data.get("seeds", ()))}
        return cls(**{**first, **data, **lists})

    def deal_seed(self, deal: int, group: Sequence[int]) -> int:
        """The seed of a deal for the bots of this group, by their places in the field.

        Its matches have it from every seat. Nobody else has it, and could so be told of it by a friend, unless deals
        are common: then what one group was dealt, every other one has to cope with too.
        """
        if self.seeds:
            return self.seeds[deal]
        labels = ("deal", deal) if self.deals == COMMON else ("deal", deal, *sorted(group))
        return below(stream(self.seed, *labels), MAX_DEAL_SEED + 1)
