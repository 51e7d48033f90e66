"""A tournament: fixtures from the schedule, matches from the executor, everything into the store."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import asdict, dataclass
from typing import Any

from arena import record
from arena.clock import TimeControl
from arena.errors import UsageError
from arena.executors.base import Assignment, Executor, Job, Played
from arena.game import AnyGame
from arena.match import Contestant, MatchSpec
from arena.rng import below, stream
from arena.schedule import Finished, Fixture, Schedule, Swiss, gauntlet, round_robin
from arena.seal import seal
from arena.store.base import BotEntry, MatchEntry, SeatResult, Store, TournamentEntry

FORMATS = ("round-robin", "gauntlet", "swiss")
LOG_KEPT = 4096
"""Characters of a bot's output that are kept with each match."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All that is decided before the first match; the same settings mean the same tournament."""

    game: str
    options: Mapping[str, str]
    seats: int
    format: str
    rounds: int
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

    def to_json(self) -> dict[str, Any]:
        """As plain data for the store."""
        plain: dict[str, Any] = json.loads(json.dumps(asdict(self)))
        return plain

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Settings":
        """From the plain data in the store."""
        return cls(**{**data, "bots": tuple(tuple(bot) for bot in data["bots"])})

    def schedule(self) -> Schedule:
        """The schedule of this format."""
        match self.format:
            case "round-robin":
                return round_robin(len(self.bots), self.seats, self.rounds, self.seed)
            case "gauntlet":
                return gauntlet(len(self.bots), self.seats, self.rounds)
            case "swiss" if self.seats == 2:
                return Swiss(len(self.bots), self.rounds, self.seed)
            case "swiss":
                raise UsageError("a swiss tournament is for two seats")
        raise UsageError(f"there is no format {self.format!r}: choose {', '.join(FORMATS)}")


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
        self.void = 0
        """How many matches of this run do not count and are still to be played."""

    @property
    def played(self) -> int:
        """How many matches are in the store."""
        return len(self._done)

    def total(self) -> int | None:
        """How many matches there will be, if that is known."""
        return self._settings.schedule().total()

    async def run(self, executor: Executor, on_match: Callable[[MatchEntry], None]) -> bool:
        """Play what is missing; True when the tournament is complete, False when it was stopped before."""
        schedule = self._settings.schedule()
        finished: list[Finished] = []
        ordinal = 0
        while batch := schedule.batch(finished):
            specs = [self._assignment(ordinal + number, fixture) for number, fixture in enumerate(batch)]
            ordinal += len(batch)
            await self._play(specs, executor, on_match)
            for fixture, assignment in zip(batch, specs):
                if assignment.spec.match_id not in self._done:
                    return False
                finished.append(Finished(fixture, self._ranks(assignment.spec.match_id)))
        self._store.finish_tournament(self.id)
        return True

    async def _play(
        self, assignments: Sequence[Assignment], executor: Executor, on_match: Callable[[MatchEntry], None]
    ) -> None:
        missing = [each for each in assignments if each.spec.match_id not in self._done]
        async with aclosing(executor.play(_jobs(missing))) as matches:  # type: ignore[type-var]
            async for played in matches:
                if played.record.void:
                    self.void += 1
                    continue
                entry = self._entry(played)
                self._store.add_match(entry, record.dump(played.record, self._game))
                self._done[entry.match_id] = entry
                on_match(entry)

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

    def _entry(self, played: Played) -> MatchEntry:
        kept, assignment = played.record, played.assignment
        places = [played.job.bots[place] for place in assignment.seating]
        seats = tuple(self._seat(kept, seat, place, played.logs[seat]) for seat, place in enumerate(places))
        return MatchEntry(
            tournament_id=self.id,
            match_id=kept.spec.match_id,
            ordinal=assignment.ordinal,
            group=" ".join(map(str, sorted(places))),
            seed=kept.spec.seed,
            reason=kept.outcome.reason,
            moves=len(kept.played),
            seal=seal(self._game, kept),
            seats=seats,
        )

    def _seat(self, kept: record.AnyRecord, seat: int, place: int, log: str) -> SeatResult:
        mine = [each.times for each in kept.played if each.seat == seat]
        verdict = kept.verdicts[seat]
        return SeatResult(
            bot_id=self._field[place].id,
            rank=kept.outcome.ranks[seat],
            score=kept.outcome.scores[seat],
            ending=verdict.ending.name,
            sentence=verdict.sentence,
            wall_us=sum(times.wall for times in mine),
            cpu_us=sum(times.cpu for times in mine),
            log=log[-LOG_KEPT:],
        )


def _jobs(assignments: Sequence[Assignment]) -> list[Job]:
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
