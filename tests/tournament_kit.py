"""Tournaments with players inside this process: quick, deterministic, and stopped wherever a test likes."""

import asyncio

from arena.builtin import FirstBot, RandomBot
from arena.executors.local import LocalExecutor
from arena.heartbeat import STEADY
from arena.host import LocalBot
from arena.match import Contestant
from arena.referee import FORFEIT
from arena.registry import find
from arena.sdk import Session
from arena.store.sql import SqlStore
from arena.tournament import Settings, Tournament

BASE = Settings(
    game="claim", options={}, seats=2, format="round-robin", rounds=2, seed=5, clock="60s/move", strikes=0,
    sandbox="auto", memory_bytes=2**29, cpus=1.0, ponder=False, fresh=False,
    bots=(("first", "1", ""), ("other", "1", ""), ("random", "1", "")),
)  # fmt: skip
MAKERS = {"first": FirstBot, "random": RandomBot, "other": lambda seed: RandomBot(99)}


class World:
    """A store with a field of bots, and what is needed to run tournaments on it."""

    def __init__(self, path, settings=BASE):
        self.store = SqlStore(path)
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
        entry = self.store.begin_tournament(self.settings.game, self.settings.to_json())
        tournament = Tournament(self.game, entry, self.field, self.store)
        executor = LocalExecutor(
            self.game, self.make_bot, concurrency=concurrency, policy=FORFEIT, heartbeat=STEADY, fresh=fresh
        )
        seen = []

        def on_match(entry):
            seen.append(entry)
            tick()
            if len(seen) == stop_after:
                executor.stop()
            if len(seen) == abort_after:
                executor.abort()

        complete = asyncio.run(tournament.run(executor, on_match, budget))
        return tournament, complete, seen

    def table(self, tournament):
        """Everything that decides the ratings."""
        matches = self.store.matches(tournament_id=tournament.id)
        return [(m.match_id, m.ordinal, m.seal, [(s.bot_id, s.rank, s.score) for s in m.seats]) for m in matches]
