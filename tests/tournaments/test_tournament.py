"""Tournaments with players inside this process: the same table however they are run, stopped and gone on with."""

import asyncio
import json
import re
import sqlite3
from collections import Counter
from contextlib import closing
from dataclasses import replace

import pytest

from arena.bots.builtin import FirstBot
from arena.errors import InfraError, UsageError
from arena.referee import record
from arena.referee.replay import verify
from arena.referee.seal import seal
from arena.registry import find
from arena.schedules.budget import Budget
from arena.store.sql import Store
from arena.tournaments.formats import schedule_of
from arena.tournaments.resuming import with_seed
from arena.tournaments.settings import Settings
from arena.tournaments.tournament import Tournament
from tests.kits.contestants import arena
from tests.kits.tournaments import BASE, MAKERS, World

pytestmark = pytest.mark.slow

ADAPTIVE = replace(BASE, format="adaptive", rounds=0, goal={"top": 3, "confidence": 0.99, "most": 24})
TEST = replace(
    BASE, format="test", rounds=0, bots=BASE.bots[:2],
    goal={"elo0": 0.0, "elo1": 100.0, "alpha": 0.1, "beta": 0.1, "most": 15},
)  # fmt: skip
MAKERS.update(first2=FirstBot, first3=FirstBot)
FIVE = tuple((name, "1", "") for name in ("first", "other", "random", "first2", "first3"))


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


@pytest.mark.slow
@pytest.mark.parametrize(
    "settings",
    [ADAPTIVE, replace(ADAPTIVE, game="kingdoms", seats=3, bots=FIVE), TEST],
    ids=lambda settings: settings.format,
)
def test_decisions_on_the_way_depend_neither_on_concurrency_nor_on_stops(tmp_path, settings):
    plain = World(tmp_path / "plain", settings)
    tournament, _, seen = plain.run()
    expected, ending = plain.table(tournament), tournament.ending
    assert len({entry.match_id for entry in seen}) == len(seen) == len(expected)
    world = World(tmp_path / "db", settings)
    runs, complete = 0, False
    while not complete:
        tournament, complete, _ = world.run(concurrency=1 + runs % 4, stop_after=7)
        runs += 1
    assert runs > 1
    assert faults(plain) == faults(world) == []  # a machine that stood still is another matter
    assert (world.table(tournament), tournament.ending) == (expected, ending)


def test_nothing_is_played_after_the_decision_of_a_test(tmp_path):
    goal = {"elo0": 0.0, "elo1": 300.0, "alpha": 0.2, "beta": 0.2, "most": 200}
    world = World(tmp_path / "db", replace(TEST, goal=goal))
    tournament, complete, seen = world.run()
    pairs = int(re.search(r"(\d+) pairs", tournament.ending)[1])
    assert complete
    assert world.store.tournament(tournament.id).checksum
    assert len(seen) == tournament.played == 2 * pairs
    assert pairs % 8  # the pairs that were handed out together have not all been played


def faults(world):
    return [(entry.ordinal, seat.sentence) for entry in world.store.matches() for seat in entry.seats if seat.at_fault]


@pytest.mark.slow
def test_an_adaptive_tournament_ends_with_its_goal_or_its_cap(tmp_path):
    capped, complete, seen = World(tmp_path / "db", ADAPTIVE).run()
    assert complete
    assert len(seen) == 24
    assert re.fullmatch(
        r"the order of the first 3 places is not certain \(\d+\.\d%\) after 24 matches, and .*", capped.ending
    )
    sure = World(tmp_path / "db", replace(ADAPTIVE, goal={"top": 1, "confidence": 0.6, "most": 24})).run()[0]
    assert re.fullmatch(r"the first place is certain \(\d+%\) after \d+ matches", sure.ending)
    assert sure.played < 24


@pytest.mark.slow
def test_an_adaptive_tournament_rotates_the_seats_of_every_deal(tmp_path):
    settings = replace(ADAPTIVE, game="kingdoms", seats=3, bots=FIVE, goal={**ADAPTIVE.goal, "most": 15})
    _, _, seen = World(tmp_path / "db", settings).run()
    deals = Counter((entry.group, entry.seed) for entry in seen)
    places = Counter((entry.group, seat, each.bot_id) for entry in seen for seat, each in enumerate(entry.seats))
    assert set(deals.values()) == {3}
    assert all(places[group, 0, bot] == places[group, seat, bot] for group, seat, bot in places)


def test_bots_stay_warm_for_a_leg_and_rounds_are_interleaved(tmp_path):
    world = World(tmp_path / "db", replace(BASE, rounds=4))
    _, _, seen = world.run()
    legs = [tuple(seat.bot_id for seat in entry.seats) for entry in seen]
    runs = [leg for number, leg in enumerate(legs) if not number or legs[number - 1] != leg]
    # Rounds 0 with 1, and 2 with 3: every group comes twice, each time from both sides, and is started as often.
    assert Counter(runs) == dict.fromkeys(set(legs), 2)
    assert world.made == 2 * len(runs) == 24


def test_a_batch_of_deals_is_shared_out_to_all_tables(tmp_path):
    world, jobs = World(tmp_path / "db", replace(TEST, goal={**TEST.goal, "most": 8})), []

    class Tables:
        tables = 3

        async def play(self, drawn, keep, may_begin):
            jobs.extend(drawn)

        async def __aenter__(self):
            return self

        async def __aexit__(self, *_):
            pass

    budget = Budget()
    budget.note(0.1)  # so quick that the starts of bots cost more
    with Tournament.start(world.game, world.settings, world.field, world.store) as tournament:
        asyncio.run(tournament.run(Tables(), lambda _: None, budget))
    assert [[(match.ordinal, match.leg) for match in job.assignments] for job in jobs] == [
        [(0, 0), (2, 0), (4, 0), (1, 1), (3, 1), (5, 1)],
        [(6, 0), (8, 0), (10, 0), (7, 1), (9, 1), (11, 1)],
        [(12, 0), (14, 0), (13, 1), (15, 1)],
    ]


def test_a_fault_costs_one_match_wherever_the_tournament_is_stopped(tmp_path):
    def broken_after_a_fault(world):
        """Bots that die in one deal, and stay dead for as long as they are not started again."""
        honest, make_bot = world.handle, world.make_bot

        def make(number):
            bot, dead = make_bot(number), []

            def session():
                handle, seen = honest(bot.contestant.name), []

                def answer(request):
                    seen.append(request)
                    if dead or (number == 1 and len(seen) == 20 and sum(request) % 3 == 0):
                        dead.append(True)
                        return None
                    return handle(request)

                return answer

            bot._session = session
            return bot

        world.make_bot = make
        return world

    plain = broken_after_a_fault(World(tmp_path / "plain", replace(BASE, rounds=4)))
    tournament, _, seen = plain.run()
    faults = [seat.ending for entry in seen for seat in entry.seats if seat.at_fault]
    assert 0 < len(faults) < 16  # some of the 16 matches of that bot, and not all after the first
    world = broken_after_a_fault(World(tmp_path / "db", replace(BASE, rounds=4)))
    while not world.run(concurrency=2, stop_after=5)[1]:
        pass
    assert world.table(tournament) == plain.table(tournament)


def test_what_is_over_is_kept_when_all_else_is_dropped(tmp_path):
    world = World(tmp_path / "db")
    tournament, complete, seen = world.run(concurrency=3, abort_after=4)
    assert not complete
    assert tournament.played == len(world.store.matches(tournament_id=tournament.id)) == len(seen) < 12
    assert world.run()[1]


@pytest.mark.parametrize(
    ("settings", "different"),
    [(BASE, 6), (replace(BASE, deals="common"), 2), (replace(BASE, deals="common", seeds=(11, 12)), 2)],
    ids=["own", "common", "chosen"],
)
def test_every_deal_is_played_from_every_seat_by_its_group_or_by_all(tmp_path, settings, different):
    _, _, seen = World(tmp_path / "db", settings).run()
    by_deal = {}
    for entry in seen:
        by_deal.setdefault((entry.group, entry.seed), []).append([seat.bot_id for seat in entry.seats])
    assert len(by_deal) == 6
    assert all(sorted(two[0]) == sorted(two[1]) and two[0] == two[1][::-1] for two in by_deal.values())
    assert len({entry.seed for entry in seen}) == different


def test_settings_of_before_there_was_a_choice_have_common_deals_as_they_had(tmp_path):
    older = {name: value for name, value in BASE.to_json().items() if name != "deals"}
    settings = Settings.from_json(older)
    assert settings.to_json() == older
    assert [settings.deal_seed(deal, (0, 1)) for deal in (0, 1)] == [4676701643018255, 125538197689443]
    assert settings.deal_seed(1, (0, 2)) == settings.deal_seed(1, (1, 0))
    store = Store(tmp_path / "db")
    store.begin_tournament("claim", older)
    assert with_seed(replace(BASE, seed=0), None, store, any_deals=True) == settings
    assert with_seed(replace(BASE, seed=0), None, store).deals == "own"


def test_deals_of_its_own_follow_from_seed_and_group_whoever_sits_where():
    seeds = {BASE.deal_seed(deal, group) for deal in range(3) for group in ((0, 1), (0, 2), (1, 2))}
    assert len(seeds) == 9
    assert BASE.deal_seed(1, (0, 2)) == BASE.deal_seed(1, (2, 0))
    with pytest.raises(UsageError, match="chosen seeds are common"):
        replace(BASE, seeds=(1,))


@pytest.mark.slow
def test_four_seats(tmp_path):
    settings = replace(BASE, game="kingdoms", seats=4, rounds=1, bots=FIVE)
    _, complete, seen = World(tmp_path / "db", settings).run()
    assert complete
    assert len(seen) == 5 * 4
    assert all(len(entry.seats) == 4 for entry in seen)


def test_our_own_failure_is_not_kept_and_is_played_later(tmp_path):
    world = World(tmp_path / "db")
    honest, world.handle = world.handle, lambda name: _broken if name == "other" else honest(name)
    tournament, complete, seen = world.run()
    assert not complete
    assert tournament.void_reason == "InfraError: the disk is full"
    assert (tournament.void, len(seen)) == (8, 4)
    world.handle = honest
    assert world.run()[1]


def test_a_machine_that_can_play_nothing_stops_the_tournament(tmp_path):
    world = World(tmp_path / "db")
    world.handle = lambda name: _broken
    with pytest.raises(InfraError, match=r"6 matches in a row were void .*the disk is full"):
        world.run()


def _broken(request):
    raise InfraError("the disk is full")


def test_the_same_command_without_a_seed_goes_on_with_the_seed_that_was_drawn(tmp_path):
    store = Store(tmp_path / "db")
    unseeded = replace(BASE, seed=0)
    first = with_seed(unseeded, None, store)
    entry = store.begin_tournament("claim", first.to_json())
    assert with_seed(unseeded, None, store) == first
    assert with_seed(replace(unseeded, rounds=3), None, store).seed != first.seed
    assert with_seed(replace(BASE, seed=5), 5, store).seed == 5
    store.finish_tournament(entry.id)
    assert with_seed(unseeded, None, store).seed != first.seed


def test_a_stopped_tournament_goes_on_although_its_clock_was_spelled_otherwise(tmp_path):
    store = Store(tmp_path / "db")
    stopped = replace(BASE, seed=7, clock="0.2s/move+5s")
    store.begin_tournament("claim", stopped.to_json())
    now = replace(BASE, seed=0, clock="200ms/move+5s")
    assert with_seed(now, None, store) == stopped
    assert with_seed(replace(now, seed=7), 7, store) == stopped
    assert with_seed(replace(now, clock="200ms/move+4s", seed=7), 7, store).clock == "200ms/move+4s"


def test_swiss_is_for_two_seats():
    with pytest.raises(UsageError, match="two seats"):
        schedule_of(replace(BASE, format="swiss", seats=3))
    with pytest.raises(UsageError, match="no format 'knockout'"):
        schedule_of(replace(BASE, format="knockout"))


SWISS = replace(BASE, format="swiss", rounds=3)


def test_a_swiss_tournament_of_another_version_is_not_gone_on_with(tmp_path):
    world = World(tmp_path / "db", SWISS)
    older = SWISS.to_json()
    del older["swiss_version"]  # as it was before pairings had a version
    entry = world.store.begin_tournament("claim", older)
    resumed = Tournament.resume(entry.id, world.game, Settings.from_json(entry.settings), world.field, world.store)
    with pytest.raises(UsageError, match="begun by an Arena version with different pairing rules"):
        resumed.__enter__()
    (listed,) = json.loads(arena("tournament", "list", "--json", "--db", tmp_path / "db").output)
    assert (listed["format"], listed["bots"], listed["matches"]) == ("swiss", 3, 0)
    resumed = arena("tournament", "resume", entry.id, "--db", tmp_path / "db")
    assert (resumed.exit_code, resumed.stderr.count("\n")) == (2, 1)
    tournament, complete, _ = world.run()
    assert complete
    assert tournament.id != entry.id
    assert not world.store.matches(tournament_id=entry.id)


def test_what_another_schedule_has_played_is_not_gone_on_with(tmp_path):
    world = World(tmp_path / "db")
    tournament = world.run(stop_after=2)[0]
    with closing(sqlite3.connect(tmp_path / "db")) as connection, connection:
        connection.execute("UPDATE seats SET bot_id = (SELECT 3 - bot_id) WHERE match_number = 1 AND bot_id < 3")
    with pytest.raises(UsageError, match=f"tournament {tournament.id} was begun by an .* different pairing rules"):
        world.run()
    assert len(world.store.matches()) == 2


def test_settings_of_other_formats_are_as_they_were_before_pairings_had_a_version():
    assert "swiss_version" not in BASE.to_json()


@pytest.mark.parametrize("settings", [BASE, ADAPTIVE, TEST, SWISS], ids=lambda settings: settings.format)
def test_settings_survive_the_store(settings):
    assert Settings.from_json(settings.to_json()) == settings


def test_settings_without_a_goal_are_as_they_were_before_there_were_goals():
    assert "goal" not in BASE.to_json()
