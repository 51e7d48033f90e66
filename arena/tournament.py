"""A tournament: fixtures from the schedule, matches from the executor, everything into the store."""

import asyncio
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from itertools import chain
from typing import Any

from arena import record
from arena.adaptive import Adaptive
from arena.budget import Budget
from arena.clock import TimeControl
from arena.errors import InfraError, UsageError
from arena.executors.base import Assignment, Executor, FinishedMatch, Job, VoidMatch
from arena.game import AnyGame
from arena.match import Contestant, MatchSpec
from arena.rng import below, stream
from arena.schedule import SWISS_VERSION, Finished, Fixture, Schedule, Swiss, gauntlet, round_robin
from arena.sprt import PairSchedule, Sprt
from arena.standings import ENVIRONMENT, ROLE_SIGMA
from arena.store.base import BotEntry, MatchEntry, Store, TournamentEntry

FORMATS = ("round-robin", "gauntlet", "swiss", "adaptive")
TEST = "test"
"""The format of `arena test`: two bots, until one is known to be better or not."""
VOID_LIMIT = 6
"""So many void matches in a row mean that this machine cannot play at all."""


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
    swiss_version: int = SWISS_VERSION
    """Which pairings a swiss tournament has after the same results; no other format has this."""

    def to_json(self) -> dict[str, Any]:
        """As plain data for the store; what a tournament has no use for is left out, as it was before it existed."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        if not self.goal:
            del plain["goal"]
        if self.format != "swiss":
            del plain["swiss_version"]
        return plain

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Settings":
        """From the plain data in the store."""
        first = {"swiss_version": 1} if data["format"] == "swiss" else {}
        return cls(**{**first, **data, "bots": tuple(tuple(bot) for bot in data["bots"])})

    def schedule(self) -> Schedule:
        """The schedule of this format; UsageError if there is none, or not any more."""
        match self.format:
            case "round-robin":
                return round_robin(len(self.bots), self.seats, self.rounds, self.seed)
            case "gauntlet":
                return gauntlet(len(self.bots), self.seats, self.rounds)
            case "swiss":
                return self._swiss()
            case "adaptive":
                return self._adaptive()
            case "test":
                return PairSchedule(self.sprt(), int(self.goal["most"]))
        raise UsageError(f"there is no format {self.format!r}: choose {', '.join(FORMATS)}")

    def sprt(self) -> Sprt:
        """The sequential test of the format `test`, before its first pair."""
        goal = self.goal
        return Sprt(elo0=goal["elo0"], elo1=goal["elo1"], alpha=goal["alpha"], beta=goal["beta"])

    def _swiss(self) -> Swiss:
        if self.seats != 2:
            raise UsageError("a swiss tournament is for two seats")
        if self.swiss_version != SWISS_VERSION:
            raise UsageError(
                "this swiss tournament was begun by a version of Arena that pairs otherwise: go on with that version, "
                "or begin a new one; what was played stays in the store"
            )
        return Swiss(len(self.bots), self.rounds, self.seed)

    def _adaptive(self) -> Adaptive:
        return Adaptive(
            len(self.bots),
            self.seats,
            top=int(self.goal["top"]),
            confidence=self.goal["confidence"],
            most=int(self.goal["most"]),
            env=ENVIRONMENT,
            role_sigma=ROLE_SIGMA,
        )


class Tournament:
    """One tournament in a store, new or gone on with."""

    def __init__(self, game: AnyGame, entry: TournamentEntry, field: Sequence[BotEntry], store: Store) -> None:
        self._game = game
        self._settings = settings = Settings.from_json(entry.settings)
        self._field = field
        self._store = store
        self._config = game.configure(settings.seats, settings.options)
        self.id = entry.id
        self._done = {match.match_id: match for match in store.matches(tournament_id=self.id)}
        self._schedule = settings.schedule()
        self.finished: list[Finished] = []
        """The fixtures of all finished rounds with their ranks, in the order of the schedule."""
        self.void = 0
        """How many matches of this run do not count and are still to be played."""
        self.void_reason = ""
        """Why the latest of them does not count."""
        self._void_in_a_row = 0
        self.ending = ""
        """Why it is over, once it is."""

    @property
    def played(self) -> int:
        """How many matches are in the store."""
        return len(self._done)

    @property
    def matches(self) -> Sequence[MatchEntry]:
        """The matches in the store."""
        return tuple(self._done.values())

    def total(self) -> int | None:
        """How many matches there will be, if that is known."""
        return self._schedule.total()

    async def run(
        self, executor: Executor, on_match: Callable[[MatchEntry], None], budget: Budget | None = None
    ) -> bool:
        """Play what is missing; True when the tournament is complete, False when it was stopped before."""
        budget = budget or Budget()
        async with executor:
            budget.begin()
            if not await self._run(executor, on_match, budget):
                return False
        self._store.finish_tournament(self.id)
        self.ending = self._schedule.ending(self.finished)
        return True

    async def _run(self, executor: Executor, on_match: Callable[[MatchEntry], None], budget: Budget) -> bool:
        async def note(match: FinishedMatch) -> None:
            # A database may take its time, in which Ctrl-C and the progress on the screen must not wait.
            entry = await asyncio.to_thread(self._keep, match)
            self._done[entry.match_id] = entry
            on_match(entry)

        async def keep(match: FinishedMatch | VoidMatch) -> None:
            budget.note(match.seconds)
            if isinstance(match, VoidMatch):
                self._note_void(match)
                return
            self._void_in_a_row = 0
            noting = asyncio.create_task(note(match))
            try:
                await asyncio.shield(noting)
            except asyncio.CancelledError:
                await noting  # what was over when all else was dropped is kept and counted
                raise

        past = 0
        while rounds := self._schedule.rounds(self.finished):
            numbers = iter(range(len(self.finished), len(self.finished) + sum(map(len, rounds))))
            planned = [[self._assignment(next(numbers), fixture) for fixture in each] for each in rounds]
            await executor.play(self._jobs(planned, past, budget), keep, budget.has_time_for_match)
            past += len(rounds)
            for fixture, assignment in zip(chain(*rounds), chain(*planned)):
                if assignment.spec.match_id not in self._done:
                    return False
                self.finished.append(Finished(fixture, self._ranks(assignment.spec.match_id)))
        return True

    def _jobs(self, rounds: Sequence[Sequence[Assignment]], past: int, budget: Budget) -> Iterator[Job]:
        """The missing matches, a few rounds at a time, as long as there is time for a whole one."""
        missing = [[each for each in one if each.spec.match_id not in self._done] for one in rounds]
        left = [(number, one) for number, one in enumerate(missing, past) if one]
        while left:
            number, first = left[0]
            # Where all matches are between the same bots, there is nothing to interleave, and they stay warm anyway.
            before = number if len({frozenset(each.seating) for each in first}) > 1 else 1
            several = budget.rounds_to_begin(len(first), per_group=self._settings.seats, before=before)
            if not several:
                return
            yield from _jobs_by_group([each for _, one in left[:several] for each in one])
            left = left[several:]

    def _note_void(self, match: VoidMatch) -> None:
        self.void += 1
        self.void_reason = match.reason
        self._void_in_a_row += 1
        if self._void_in_a_row == VOID_LIMIT:
            raise InfraError(f"{VOID_LIMIT} matches in a row were void through no fault of a bot: {match.reason}")

    def _keep(self, match: FinishedMatch) -> MatchEntry:
        """Put a match into the store; what the store has of it."""
        if not self._store.add_match(match.entry, match.record):
            # Another process was first, and what it kept counts: all that follows must follow from the same results.
            return self._store.kept_match(self.id, match.entry.match_id).entry
        return match.entry

    def _ranks(self, match_id: str) -> tuple[int, ...]:
        return tuple(seat.rank for seat in self._done[match_id].seats)

    def _assignment(self, ordinal: int, fixture: Fixture) -> Assignment:
        contestants = tuple(self._contestant(bot) for bot in fixture.seating)
        # All groups play the same deals: what one was dealt, every other one has to cope with too.
        seed = below(stream(self._settings.seed, "deal", fixture.deal), 2**53)
        match_id = record.match_id(self._game, self._config, seed, contestants)
        control = TimeControl.parse(self._settings.clock)
        spec = MatchSpec(match_id, self._settings.game, self._config, seed, contestants, control)
        return Assignment(ordinal, fixture.seating, spec)

    def _contestant(self, number: int) -> Contestant:
        bot = self._field[number]
        return Contestant(bot.name, bot.version, bot.digest)


def _jobs_by_group(assignments: Sequence[Assignment]) -> list[Job]:
    """One job per group of bots; inside a job, seats are indices into its bots."""
    groups: dict[tuple[int, ...], list[Assignment]] = {}
    for each in assignments:
        groups.setdefault(tuple(sorted(each.seating)), []).append(each)
    return [
        Job(
            group, tuple(Assignment(each.ordinal, tuple(map(group.index, each.seating)), each.spec) for each in several)
        )
        for group, several in groups.items()
    ]
