"""Tournaments with players inside this process: the same table however they are run, stopped and gone on with."""

import asyncio
from dataclasses import replace

import pytest

from arena import record
from arena.builtin import FirstBot, RandomBot
from arena.cli.tournament import with_seed
from arena.errors import InfraError, UsageError
from arena.executors.local import LocalExecutor
from arena.heartbeat import STEADY
from arena.host import LocalBot
from arena.match import Contestant
from arena.referee import FORFEIT
from arena.registry import find
from arena.replay import verify
from arena.sdk import Session
from arena.seal import seal
from arena.store.sql import SqlStore
from arena.tournament import Settings, Tournament

BASE = Settings(
    game="claim", options={}, seats=2, format="round-robin", rounds=2, seed=5, clock="1s/move", strikes=0,
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
        self.breaks = None

    def make_bot(self, number):
        name = self.field[number].name
        return LocalBot(Contestant(name), lambda: self.handle(name))

    def handle(self, name):
        return Session(self.game, MAKERS[name](7)).handle

    def run(self, concurrency=1, stop_after=None, fresh=False):
        entry = self.store.begin_tournament(self.settings.game, self.settings.to_json())
        tournament = Tournament(self.game, entry, self.field, self.store)
        executor = LocalExecutor(
            self.game, self.make_bot, concurrency=concurrency, policy=FORFEIT, heartbeat=STEADY, fresh=fresh
        )
        seen = []

        def on_match(entry):
            seen.append(entry)
            if len(seen) == stop_after:
                executor.stop()

        complete = asyncio.run(tournament.run(executor, on_match))
        return tournament, complete, seen

    def table(self, tournament):
        """Everything that decides the ratings."""
        matches = self.store.matches(tournament_id=tournament.id)
        return [(m.match_id, m.ordinal, m.seal, [(s.bot_id, s.rank, s.score) for s in m.seats]) for m in matches]


def test_a_round_robin_is_played_whole(tmp_path):
    world = World(tmp_path / "db")
    tournament, complete, seen = world.run()
    assert complete
    assert len(seen) == tournament.total() == tournament.played == 3 * 2 * 2
    assert world.store.tournament(tournament.id).finished


def test_every_record_verifies_and_fits_its_seal(tmp_path):
    world = World(tmp_path / "db")
    tournament, _, seen = world.run()
    for entry in seen:
        kept = record.load(world.store.record(tournament.id, entry.match_id), find)
        verify(world.game, kept)
        assert seal(world.game, kept) == entry.seal
        lie = replace(kept, outcome=replace(kept.outcome, reason="bribed"))
        assert seal(world.game, lie) != entry.seal


@pytest.mark.parametrize("concurrency", [1, 2, 5])
@pytest.mark.parametrize("kind", ["round-robin", "gauntlet", "swiss"])
def test_neither_concurrency_nor_stops_change_the_table(tmp_path, kind, concurrency):
    settings = replace(BASE, format=kind)
    plain = World(tmp_path / "plain", settings)
    expected = plain.table(plain.run()[0])
    world = World(tmp_path / "db", settings)
    complete, rounds = False, 0
    while not complete:
        tournament, complete, seen = world.run(concurrency, stop_after=1, fresh=bool(rounds % 2))
        rounds += 1
        assert len(seen) <= 2 * concurrency + 1
    assert rounds > 1
    assert world.table(tournament) == expected


def test_deals_are_shared_and_seats_rotate(tmp_path):
    _, _, seen = World(tmp_path / "db").run()
    by_deal = {}
    for entry in seen:
        by_deal.setdefault((entry.group, entry.seed), []).append([seat.bot_id for seat in entry.seats])
    assert all(sorted(two[0]) == sorted(two[1]) and two[0] == two[1][::-1] for two in by_deal.values())
    assert len({entry.seed for entry in seen}) == 2


def test_four_seats(tmp_path):
    names = ("first", "other", "random", "first2", "first3")
    MAKERS.update(first2=FirstBot, first3=FirstBot)
    settings = replace(BASE, game="kingdoms", seats=4, rounds=1, bots=tuple((name, "1", "") for name in names))
    _, complete, seen = World(tmp_path / "db", settings).run()
    assert complete
    assert len(seen) == 5 * 4
    assert all(len(entry.seats) == 4 for entry in seen)


def test_our_own_failure_is_not_kept_and_is_played_later(tmp_path):
    world = World(tmp_path / "db")
    honest, world.handle = world.handle, lambda name: _broken
    tournament, complete, seen = world.run()
    assert not complete
    assert (tournament.void, seen) == (12, [])
    world.handle = honest
    assert world.run()[1]


def _broken(request):
    raise InfraError("the disk is full")


def test_the_same_command_without_a_seed_goes_on_with_the_seed_that_was_drawn(tmp_path):
    store = SqlStore(tmp_path / "db")
    unseeded = replace(BASE, seed=0)
    first = with_seed(unseeded, None, store)
    entry = store.begin_tournament("claim", first.to_json())
    assert with_seed(unseeded, None, store) == first
    assert with_seed(replace(unseeded, rounds=3), None, store).seed != first.seed
    assert with_seed(replace(BASE, seed=5), 5, store).seed == 5
    store.finish_tournament(entry.id)
    assert with_seed(unseeded, None, store).seed != first.seed


def test_swiss_is_for_two_seats():
    with pytest.raises(UsageError, match="two seats"):
        replace(BASE, format="swiss", seats=3).schedule()
    with pytest.raises(UsageError, match="no format 'knockout'"):
        replace(BASE, format="knockout").schedule()


def test_settings_survive_the_store():
    assert Settings.from_json(BASE.to_json()) == BASE
