"""Tournaments with players inside this process: quick, deterministic, and stopped wherever a test likes."""

import asyncio
import weakref

from arena.bots.builtin import FirstBot, RandomBot
from arena.bots.running import LocalBot
from arena.errors import ArenaError
from arena.match import Contestant
from arena.referee.faults import FORFEIT
from arena.referee.heartbeat import STEADY
from arena.registry import find
from arena.sdk import Session
from arena.store.sql import Store
from arena.tournaments.settings import Settings
from arena.tournaments.tournament import Tournament
from arena.workers.worker import Worker, finish

BASE = Settings(
    game="claim", options={}, seats=2, format="round-robin", rounds=2, seed=5, clock="60s/move", strikes=0,
    sandbox="auto", memory_bytes=2**29, cpus=1.0, ponder=False, fresh=False,
    bots=(("first", "1", ""), ("other", "1", ""), ("random", "1", "")),
)  # fmt: skip
MAKERS = {"first": FirstBot, "random": RandomBot, "other": lambda seed: RandomBot(99)}


class InlineExecutor:
    """Plays in this very process and event loop, so that tests can look at everything."""

    neighbours = 0

    def __init__(self, game, make_bot, *, tournament, bot_ids, concurrency=1, fresh=False):
        self._game, self._tournament, self._bot_ids = game, tournament, bot_ids
        self._workers = [
            Worker(game, make_bot, policy=FORFEIT, heartbeat=STEADY, fresh=fresh) for _ in range(concurrency)
        ]
        self._tasks = []
        self._stopping = False
        self.running = 0
        self.tables = concurrency

    async def __aenter__(self):
        return self

    async def __aexit__(self, *_):
        for worker in self._workers:
            await worker.clear()

    def stop(self):
        self._stopping = True

    def abort(self):
        self._stopping = True
        for task in self._tasks:
            task.cancel()

    async def play(self, jobs, keep, may_begin):
        waiting = iter(jobs)

        async def work(worker):
            while not self._stopping and may_begin() and (job := next(waiting, None)) is not None:
                for number, assignment in enumerate(job.assignments):
                    if self._stopping or not may_begin():
                        return
                    played = await worker.play(job.bots, assignment, new_leg=job.begins_leg(number))
                    places = tuple(job.bots[place] for place in assignment.seating)
                    ids = tuple(self._bot_ids[place] for place in places)
                    await keep(
                        finish(self._game, played, assignment, tournament=self._tournament, places=places, bot_ids=ids)
                    )

        try:
            async with asyncio.TaskGroup() as group:
                self._tasks = [group.create_task(work(worker)) for worker in self._workers]
        except ExceptionGroup as errors:  # as arena/workers/pool.py does, for Python 3.11.2
            if errors.split(ArenaError)[1] is not None:
                raise
            raise errors.exceptions[0] from None


class World:
    """A store with a field of bots, and what is needed to run tournaments on it."""

    def __init__(self, path, settings=BASE):
        self.store = Store(path)
        weakref.finalize(self, self.store.close)  # Python 3.13 warns of connections that nobody has closed
        self.settings = settings
        self.game = find(settings.game)
        for name, version, digest in settings.bots:
            if not self.store.bot_versions(name):
                self.store.add_bot(
                    name=name, version=version, owner="", digest=digest, origin="", games=[settings.game]
                )
        self.field = [self.store.bot_versions(name)[-1] for name, _, _ in settings.bots]
        self.made = 0

    def make_bot(self, number):
        self.made += 1
        name = self.field[number].name
        return LocalBot(Contestant(name), lambda: self.handle(name))

    def handle(self, name):
        return Session(self.game, MAKERS[name](7)).handle

    def run(self, concurrency=1, stop_after=None, abort_after=None, fresh=False, budget=None, tick=lambda: None):
        with Tournament.start(self.game, self.settings, self.field, self.store) as tournament:
            executor = InlineExecutor(
                self.game,
                self.make_bot,
                tournament=tournament.id,
                bot_ids=[bot.id for bot in self.field],
                concurrency=concurrency,
                fresh=fresh,
            )
            return tournament, *self.play(tournament, executor, stop_after, abort_after, budget, tick)

    def play(self, tournament, executor, stop_after, abort_after, budget, tick):
        """Whether it is complete, and its matches."""
        seen = []

        def on_match(entry):
            seen.append(entry)
            tick()
            if len(seen) == stop_after:
                executor.stop()
            if len(seen) == abort_after:
                executor.abort()

        return asyncio.run(tournament.run(executor, on_match, budget)), seen

    def table(self, tournament):
        """Everything that decides the ratings."""
        matches = self.store.matches(tournament_id=tournament.id)
        return [(m.match_id, m.ordinal, m.seal, [(s.bot_id, s.rank, s.score) for s in m.seats]) for m in matches]
