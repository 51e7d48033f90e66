"""A tournament: takes fixtures from the schedule, has the executor play them, and stores the matches."""

import asyncio
from collections.abc import Callable, Iterator, Sequence
from itertools import chain

from arena.clock import TimeControl
from arena.errors import InfraError
from arena.game import AnyGame
from arena.match import Contestant, MatchSpec
from arena.play import record
from arena.store.base import BotEntry, MatchEntry, Store, TournamentEntry
from arena.tournaments.budget import Budget
from arena.tournaments.executors.base import Assignment, Executor, FinishedMatch, Job, VoidMatch
from arena.tournaments.schedule import Fixture, FixtureResult
from arena.tournaments.settings import Settings

VOID_LIMIT = 6
"""Void matches in a row after which the tournament gives up: this machine cannot play at all."""


class Tournament:
    """One tournament in a store, new or resumed."""

    def __init__(self, game: AnyGame, entry: TournamentEntry, field: Sequence[BotEntry], store: Store) -> None:
        self._game = game
        self._settings = settings = Settings.from_json(entry.settings)
        self._field = field
        self._store = store
        self._config = game.configure(settings.seats, settings.options)
        self.id = entry.id
        self._done = {match.match_id: match for match in store.matches(tournament_id=self.id)}
        self._schedule = settings.schedule()
        self.finished: list[FixtureResult] = []
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
            planned = [[self._assignment(next(numbers), fixture) for fixture in fixtures] for fixtures in rounds]
            await executor.play(self._jobs(planned, past, budget), keep, budget.has_time_for_match)
            past += len(rounds)
            for fixture, assignment in zip(chain(*rounds), chain(*planned)):
                if assignment.spec.match_id not in self._done:
                    return False
                self.finished.append(FixtureResult(fixture, self._ranks(assignment.spec.match_id)))
        return True

    def _jobs(self, rounds: Sequence[Sequence[Assignment]], past: int, budget: Budget) -> Iterator[Job]:
        """The missing matches, a few rounds at a time, as long as there is time for a whole one."""
        missing = [[match for match in matches if match.spec.match_id not in self._done] for matches in rounds]
        left = [(number, matches) for number, matches in enumerate(missing, past) if matches]
        while left:
            number, first = left[0]
            # Where all matches are between the same bots, there is nothing to interleave, and they stay warm anyway.
            before = number if len({frozenset(match.seating) for match in first}) > 1 else 1
            count = budget.rounds_to_begin(len(first), per_group=self._settings.seats, before=before)
            if not count:
                return
            yield from _jobs_by_group([match for _, matches in left[:count] for match in matches])
            left = left[count:]

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
        seed = self._settings.deal_seed(fixture.deal)
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
    for match in assignments:
        groups.setdefault(tuple(sorted(match.seating)), []).append(match)
    return [
        Job(
            group,
            tuple(Assignment(match.ordinal, tuple(map(group.index, match.seating)), match.spec) for match in matches),
        )
        for group, matches in groups.items()
    ]
