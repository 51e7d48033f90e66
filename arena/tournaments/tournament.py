"""A tournament: fixtures from the schedule, matches from the executor, everything into the store."""

import asyncio
import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, Self

from arena.clock import TimeControl
from arena.errors import InfraError, UsageError
from arena.game import AnyGame
from arena.match import MatchSpec
from arena.referee import record
from arena.referee.retries import RETRIES
from arena.schedules.budget import MOST_DEALS, Budget
from arena.schedules.outcomes import FixtureResult, Outcomes
from arena.schedules.schedule import Fixture, OtherSchedule, Rounds, Schedule
from arena.store.base import CLOSE, BotEntry, Change, MatchEntry
from arena.store.scope import Scope
from arena.store.sql import Store
from arena.tournaments.driver import lease_to_play
from arena.tournaments.formats import schedule_of
from arena.tournaments.lease import Lease
from arena.tournaments.live_feed import LiveFeed
from arena.tournaments.resuming import check_rules
from arena.tournaments.settings import TEST, Settings
from arena.tournaments.store_calls import RetryingStore
from arena.workers.base import Assignment, Executor, FinishedMatch, Job, VoidMatch

FAULTS_IN_A_ROW = 4
"""A bot of a test that is at fault in so many matches, one after the other, is broken: they say nothing of its play."""


class Tournament:
    """One tournament in a store, new or gone on with, of which this process is the driver."""

    def __init__(
        self, number: int, game: AnyGame, settings: Settings, schedule: Schedule, field: Sequence[BotEntry],
        lease: Lease,
    ) -> None:  # fmt: skip
        """Its matches in the store count; `start` and `resume` are the ways to make one."""
        store = lease.store
        if store.tournament(number).changes != settings.changes:
            raise UsageError(f"tournament {number} was changed in this very moment: give the same command again")
        check_rules(game, number, settings, store)
        self.id = number
        self.lease = lease
        """Without it nothing is written any more."""
        self._game = game
        self.settings = settings
        self._contestants = [bot.contestant for bot in field]
        self._places = {bot.id: place for place, bot in enumerate(field)}
        self._store = store
        self._config = game.configure(settings.seats, settings.options)
        self._control = TimeControl.parse(settings.clock)
        self._schedule = schedule
        self.finished = read_outcomes(store, self.id, self._places)
        """The outcomes of all matches in the store, those of finished rounds first."""
        self.void = 0
        """How many matches of this run do not count and are still to be played."""
        self.void_reason = ""
        """Why the latest of them does not count."""
        self._void_in_a_row = 0
        self.failing: int | None = None
        """The bot of a test that was at fault in one match after the other, if there is one."""
        self._faults_in_a_row = Counter[int]()
        self._waiting = 0
        """How many matches were handed to the executor and have not come back."""
        self.ending = ""
        """Why it is over, once it is."""
        self.store_calls = RetryingStore()

    @classmethod
    @contextmanager
    def start(cls, game: AnyGame, settings: Settings, field: Sequence[BotEntry], store: Store) -> Iterator[Self]:
        """Enter it into the store, or find it there if it was stopped, and drive it until the end of the block.

        UsageError if it cannot be played at all, or another process plays it.
        """
        schedule = schedule_of(settings)  # refuses before anything is kept
        number = store.begin_tournament(settings.game, settings.to_json()).id
        with lease_to_play(store, number) as lease:
            yield cls(number, game, settings, schedule, field, lease)

    @classmethod
    @contextmanager
    def resume(
        cls, number: int, game: AnyGame, settings: Settings, field: Sequence[BotEntry], store: Store
    ) -> Iterator[Self]:
        """Drive the one of this number and these settings in the store until the end of the block."""
        schedule = schedule_of(settings)
        with lease_to_play(store, number) as lease:
            yield cls(number, game, settings, schedule, field, lease)

    @property
    def played(self) -> int:
        """How many matches are in the store."""
        return self.finished.played

    def live_feed(self) -> LiveFeed:
        """What shows its running matches to whoever reads the store."""
        return LiveFeed(self._game, self._store, self.id)

    def total(self) -> int | None:
        """How many matches there will be, if that is known."""
        return self._schedule.total()

    def broken_off(self) -> bool:
        """Whether some matches of a round were played and others were not, so that bots have played unequally often."""
        return any(True for _ in self.finished.known(full_rounds(self._schedule, self.finished)))

    def games_of_bots(self) -> list[int]:
        """How many matches every bot of the field has played."""
        games = Counter(bot for _, outcome in self.finished.known() for bot in outcome.seating)
        return [games[bot] for bot in range(len(self._contestants))]

    async def run(
        self, executor: Executor, on_match: Callable[[MatchEntry], None], budget: Budget | None = None
    ) -> bool:
        """Play what is missing; True when the tournament is complete, False when it was stopped before."""
        budget = budget or Budget()
        async with executor:
            budget.start()
            if not await self._run(executor, on_match, budget):
                if budget.spent and self.settings.endless and self.played and not self.broken_off():
                    await self._close()
                return False
        await self.store_calls.run(self._store.finish_tournament, self.id)
        self.ending = self._schedule.ending(self.finished)
        return True

    async def _close(self) -> None:
        """End it after its last full round: as long as there was no end to it there was no checksum to publish."""
        close = Change(CLOSE, full_rounds(self._schedule, self.finished))
        await self.store_calls.run(self._store.finish_tournament, self.id, close=close)
        self.ending = f"closed after {self.played} matches"

    async def _run(self, executor: Executor, on_match: Callable[[MatchEntry], None], budget: Budget) -> bool:
        async def note(match: FinishedMatch) -> None:
            # A database may take its time, in which Ctrl-C and the progress on the screen must not wait.
            entry = await self.store_calls.run(self._keep, match)
            bot_ids, ranks = (seat.bot_id for seat in entry.seats), (seat.rank for seat in entry.seats)
            self.finished.note(match.entry.ordinal, _outcome(self._places, bot_ids, ranks))
            on_match(entry)
            if self._ends_with(entry):
                executor.abort()

        async def keep(match: FinishedMatch | VoidMatch) -> None:
            budget.note(match.seconds)
            self._waiting -= 1
            if isinstance(match, VoidMatch):
                self._note_void(match)
                return
            self._void_in_a_row = 0
            noting = asyncio.create_task(note(match))
            try:
                await asyncio.shield(noting)
            except asyncio.CancelledError:
                self.store_calls.stop_waiting()
                await noting  # what was over when all else was dropped is kept and counted
                raise

        past = 0
        while rounds := self._schedule.rounds(self.finished):
            start, matches = len(self.finished), len(rounds) * rounds.size
            rounds.drop_excluded(start, self.finished)
            self._check_seatings(rounds, start, matches)
            self._waiting = 0
            jobs = self._jobs(rounds, start, past, budget, executor)
            await executor.play(jobs, keep, budget.has_time_for_match)
            past += len(rounds)
            if self.failing is None and self._schedule.is_decided(self.finished):
                return True
            if not self.finished.finish(start + matches):
                return False
        return True

    def _jobs(self, rounds: Rounds, start: int, past: int, budget: Budget, executor: Executor) -> Iterator[Job]:
        """The missing matches, a few rounds at a time, as long as there is time for a whole one."""
        number = 0
        while number < len(rounds):
            first = start + number * rounds.size
            missing = self.finished.missing(first, first + rounds.size)
            if not missing:
                number += 1
                continue
            # Where all matches are between the same bots, there is nothing to interleave.
            before = past + number if len(rounds.groups) > 1 else MOST_DEALS
            rounds_now = budget.rounds_to_start(missing, before=before, waiting=self._waiting)
            if not rounds_now:
                return
            # No table has many deals before it while another has none. Between the same bots, what tables play already
            # is part of their share: else the rest would be cut ever smaller, and bots be started for each piece.
            left = (len(rounds) - number) * len(rounds.groups)
            if len(rounds.groups) == 1:
                left += self._waiting // self.settings.seats
            deals = math.ceil(left / executor.tables)
            last = min(number + min(rounds_now, deals), len(rounds))
            for job in self._jobs_of(rounds, start, range(number, last), min(MOST_DEALS, deals)):
                self._waiting += len(job.assignments)
                yield job
            number = last

    def _jobs_of(self, rounds: Rounds, start: int, numbers: range, most: int) -> Iterator[Job]:
        """The missing matches of these rounds, group after group, in jobs of at most so many deals."""
        for groups in rounds.same_groups():
            deals = [(group, number) for number in numbers for group in groups]
            for first in range(0, len(deals), most):
                if assignments := tuple(self._legs(rounds, start, deals[first : first + most])):
                    yield Job(tuple(sorted(rounds.groups[groups[0]])), assignments)

    def _legs(self, rounds: Rounds, start: int, deals: Sequence[tuple[int, int]]) -> Iterator[Assignment]:
        """The missing matches of these deals of one group, each given by group and round: seating after seating.

        Seats are indices into the bots of the group in ascending order.
        """
        bots, seats = sorted(rounds.groups[deals[0][0]]), self.settings.seats
        meetings = [
            (start + number * rounds.size + group * seats, [*rounds.meeting(group, number)]) for group, number in deals
        ]
        for leg in range(seats):
            for first, fixtures in meetings:
                if self.finished.missing(first + leg, first + leg + 1):
                    seating = tuple(map(bots.index, fixtures[leg].seating))
                    yield Assignment(first + leg, seating, self._spec(fixtures[leg]), leg)

    def _check_seatings(self, rounds: Rounds, start: int, matches: int) -> None:
        """Refuse to go on with what was played by another schedule: nothing would follow from it."""
        for ordinal, outcome in self.finished.known(start, start + matches):
            if outcome.seating != rounds.seating(ordinal - start):
                raise OtherSchedule(f"tournament {self.id}")

    def _ends_with(self, entry: MatchEntry) -> bool:
        """Whether nothing is to be played after this match: a bot of a test fails and fails, or the test is decided."""
        for seat in entry.seats if self.settings.format == TEST else ():
            self._faults_in_a_row[seat.bot_id] = self._faults_in_a_row[seat.bot_id] + 1 if seat.at_fault else 0
            if self._faults_in_a_row[seat.bot_id] == FAULTS_IN_A_ROW:
                self.failing = seat.bot_id
        return self.failing is not None or self._schedule.is_decided(self.finished)

    def _note_void(self, match: VoidMatch) -> None:
        self.void += 1
        self.void_reason = match.reason
        self._void_in_a_row += 1
        if self._void_in_a_row == RETRIES.voids_of_run:
            raise InfraError(
                f"{RETRIES.voids_of_run} matches in a row were void through no fault of a bot: {match.reason}"
            )

    def _keep(self, match: FinishedMatch) -> MatchEntry:
        """Put a match into the store; what the store has of it."""
        if not self._store.add_match(match.entry, match.record, match.weak_limits, match.outputs):
            # Another process was first, and what it kept counts: all that follows must follow from the same results.
            return self._store.kept_match(self.id, match.entry.match_id).entry
        return match.entry

    def _spec(self, fixture: Fixture) -> MatchSpec[Any]:
        contestants = tuple(self._contestants[bot] for bot in fixture.seating)
        seed = self.settings.deal_seed(fixture.deal, fixture.group)
        match_id = record.match_id(self._game, self._config, seed, contestants)
        return MatchSpec(match_id, self.settings.game, self._config, seed, contestants, self._control)


def read_outcomes(store: Store, number: int, places: Mapping[int, int]) -> Outcomes:
    """How the matches of a tournament ended that are in the store; places in the field by the ids of bots."""
    outcomes = Outcomes()
    for result in store.results(Scope(tournament_id=number)):
        outcomes.note(result.ordinal, _outcome(places, result.bot_ids, result.ranks))
    return outcomes


def _outcome(places: Mapping[int, int], bot_ids: Iterable[int], ranks: Iterable[int]) -> FixtureResult:
    return FixtureResult(tuple(places[bot_id] for bot_id in bot_ids), tuple(ranks))


def full_rounds(schedule: Schedule, played: Outcomes) -> int:
    """The place after the last of the rounds that are played whole, one after the other from the first."""
    while rounds := schedule.rounds(played):
        rounds.drop_excluded(len(played), played)
        for _ in range(len(rounds)):
            if not played.finish(len(played) + rounds.size):
                return len(played)
    return len(played)
