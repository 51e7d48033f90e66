"""No process sits at a deal if it was alive while that deal was played before, at any table: the driver keeps it."""

import asyncio
import json
from dataclasses import dataclass, field, replace
from itertools import count
from random import Random

import pytest

import arena as arena_package
from arena.bots.builtin import RandomBot
from arena.bots.running import LocalBot, RemoteBot
from arena.bots.table import Table
from arena.errors import InfraError
from arena.match import Contestant
from arena.notebook import table
from arena.notebook.table import Rows
from arena.referee.enforcement import weak_limits
from arena.referee.faults import FORFEIT
from arena.referee.heartbeat import STEADY
from arena.sdk import Session
from arena.tournaments.tournament import Tournament
from arena.workers.base import WorkerDied
from arena.workers.pool import WorkerPool
from arena.workers.worker import Worker, finish
from tests.kits.contestants import arena
from tests.kits.tournaments import BASE, World

pytestmark = pytest.mark.slow

FIVE = tuple((f"bot-{number}", "1", "") for number in range(5))
FIELD = replace(BASE, bots=FIVE, clock="none", rounds=3)
FORMATS = {
    "round-robin": replace(FIELD, bots=FIVE[:3], rounds=10),
    "gauntlet": replace(FIELD, format="gauntlet"),
    "swiss": replace(FIELD, format="swiss"),
    "adaptive": replace(FIELD, format="adaptive", rounds=0, goal={"top": 2, "confidence": 0.999, "most": 60}),
    "test": replace(
        FIELD, format="test", rounds=0, bots=FIVE[:2], deals="common",
        goal={"elo0": 0.0, "elo1": 5.0, "alpha": 0.05, "beta": 0.05, "most": 20},
    ),
    "three seats": replace(FIELD, game="kingdoms", seats=3, bots=FIVE[:4], rounds=2),
}  # fmt: skip


@dataclass
class Life:
    """A process of a bot, from its start on, and what it was asked to play."""

    born: int
    sat: list[tuple[int, int]] = field(default_factory=list)
    """Moments at which a match began, with its seed."""


class Witness:
    """Notes when every match was played, and which processes were alive then."""

    def __init__(self, monkeypatch):
        self._moments = count()
        self.lives: list[Life] = []
        self.played: list[tuple[int, int, int]] = []
        """Begin, end and seed of every match, at whatever table."""
        start, play = Table.__aenter__, Table.play

        async def noted_start(table):
            table.lives = [Life(next(self._moments)) for _ in table.bots]
            self.lives += table.lives
            return await start(table)

        async def noted_play(table, game, spec, seating, watch=None):
            begin = next(self._moments)
            for place in seating:
                table.lives[place].sat.append((begin, spec.seed))
            await asyncio.sleep(0)
            try:
                return await play(table, game, spec, seating, watch)
            finally:
                table.seeds.clear()  # without the second lock: the driver alone keeps the rule
                self.played.append((begin, next(self._moments), spec.seed))

        monkeypatch.setattr(Table, "__aenter__", noted_start)
        monkeypatch.setattr(Table, "play", noted_play)

    def seen_before(self):
        """Every match that a process sat at although its deal had been played, or was, while the process lived."""
        return [
            (life.born, begin, seed)
            for life in self.lives
            for begin, seed in life.sat
            for other, end, dealt in self.played
            if dealt == seed and other < begin and end > life.born
        ]


class InlineWorker:
    """A worker of a pool that plays in this process, dies now and then, and has bots that fail through our fault."""

    node = ""

    def __init__(self, game, chance, plan):
        self._game, self._chance, self._plan = game, chance, plan
        self._worker = None

    async def start(self):
        self._worker = Worker(self._game, self._make_bot, policy=FORFEIT, heartbeat=STEADY)

    async def close(self):
        if self._worker is not None:
            await self._worker.clear()

    async def play(self, bots, assignment, **leg):
        played = await self._worker.play(bots, assignment, **leg)
        if self._chance.random() < 0.1:
            await self.close()
            raise WorkerDied("killed after a match that nobody heard of")
        places = tuple(bots[place] for place in assignment.seating)
        ids = tuple(self._plan["bot_ids"][place] for place in places)
        return finish(self._game, played, assignment, tournament=self._plan["tournament"], places=places, bot_ids=ids)

    def _make_bot(self, number):
        def session():
            handle, asked = Session(self._game, RandomBot(number)).handle, count()
            broken = 3 if self._chance.random() < 0.1 else None

            def answer(request):
                if next(asked) == broken:
                    raise InfraError("the disk is full")
                return handle(request)

            return answer

        return LocalBot(Contestant(f"bot-{number}"), session)


@pytest.mark.parametrize("tables", [1, 3])
@pytest.mark.parametrize("kind", FORMATS)
def test_no_process_sees_a_deal_twice_whatever_dies_and_is_void(tmp_path, monkeypatch, kind, tables):
    settings, witness = FORMATS[kind], Witness(monkeypatch)
    world, chance = World(tmp_path / "db", settings), Random(f"{kind} {tables}")
    complete, runs = False, 0
    while not complete:
        with Tournament.start(world.game, settings, world.field, world.store) as tournament:
            plan = {"tournament": tournament.id, "bot_ids": [bot.id for bot in world.field]}
            pool = WorkerPool([InlineWorker(world.game, chance, plan) for _ in range(tables)], needed=tables)
            stop_at = tournament.played + 25

            def on_match(entry, pool=pool, tournament=tournament, stop_at=stop_at):
                if tournament.played >= stop_at:
                    pool.stop()

            complete = asyncio.run(tournament.run(pool, on_match))
        runs += 1
        assert runs < 50
    matches = world.store.matches(tournament_id=tournament.id)
    assert len({(entry.group, entry.seed) for entry in matches}) * settings.seats == len(matches)
    assert len(witness.played) > len(matches)  # so some were played again
    assert witness.seen_before() == []


def test_common_deals_are_never_shown_to_a_process_again_at_one_table(tmp_path, monkeypatch):
    witness = Witness(monkeypatch)
    World(tmp_path / "db", replace(BASE, rounds=4, deals="common")).run()
    assert witness.seen_before() == []


@pytest.mark.real(reason="tournaments are played by worker processes")
def test_what_could_still_be_known_of_a_deal_stands_in_records_and_tables(tmp_path):
    bots, db = ("--game", "claim", "--rounds", 1, "--clock", "none"), ("--db", tmp_path / "db")
    for names, deals in (("random,first", "common"), ("random,first,greedy", "own"), ("random,first,greedy", "common")):
        played = arena("tournament", *bots, "--bots", names, "--deals", deals, "--sandbox", "process", *db)
        assert played.exit_code == 0, played.output
    listed = json.loads(arena("tournament", "list", "--json", *db).stdout)
    notes = {row["id"]: [limit for limit in row["weak_limits"] if "deals" in limit] for row in listed}
    assert (notes[1], notes[2]) == ([], [])  # what a single group plays, nobody else has
    assert "in-process (deals: common)" in notes[3]
    assert "deals: common" in arena("ratings", "--game", "claim", "--tournament", 3, *db).stdout.replace("\n", " ")
    assert arena("verify", *db).exit_code == 0


def test_a_bot_that_we_did_not_start_is_said_to_remember():
    remote = RemoteBot(Contestant("r"), lambda: None, 1.0)
    assert weak_limits([remote.sandbox_report()]) == ("none (cputime: none, restart: impossible)",)
    match = arena_package.play("claim", [lambda turn: turn.legal[0], "random"])
    assert weak_limits(match.record.sandboxes) == ("none (cputime: none, restart: impossible)",)
    assert "could remember a deal" in repr(Rows([{"bot": "a"}]))


def test_a_notebook_plays_every_deal_of_a_group_before_any_comes_again(monkeypatch):
    played = []
    monkeypatch.setattr(table, "play_seated", lambda game, seated, deal, *_: played.append((deal, seated)))
    monkeypatch.setattr(table, "_rows", lambda matches, *_: Rows([{"bot": len(matches)}]))
    arena_package.tournament("claim", {"a": "random", "b": "first", "c": "random"}, rounds=4)
    deals = [deal for deal, _ in played]
    assert len(set(deals)) == 3 * 4
    assert all(deals[first : first + 4] == deals[first + 4 : first + 8] for first in (0, 8, 16))
