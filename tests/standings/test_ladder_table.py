"""Who is on the ladder: the newest versions, by results between all versions, in groups that have met."""

from datetime import UTC, datetime, timedelta
from itertools import pairwise

import pytest

from arena.standings.ladder import left_out_words
from arena.standings.table import leader_of, read_standings
from arena.store.base import MatchEntry, SeatResult
from arena.store.scope import Scope
from tests.standings.filled_store import add, play


def table(store, **scope):
    return read_standings(store, Scope("claim", **scope), ())


def rows(standings):
    return [(row.rating.group, row.bot.label, row.rating.games) for row in standings.rows]


def test_until_the_bots_have_met_they_stand_by_points_without_places(store):
    a, b, c, d, e = (add(store, name) for name in "abcde")
    cup = store.begin_tournament("claim", {"rounds": 1})
    play(store, cup, {a: 1, b: 2}, 3)
    play(store, cup, {b: 1, c: 2}, 3)
    play(store, cup, {d: 1, e: 2}, 9)
    standings = table(store)
    assert rows(standings) == [(2, "d 1", 9), (1, "a 1", 3), (1, "b 1", 6), (2, "e 1", 9), (1, "c 1", 3)]
    assert {(row.place, row.ranked, row.comparable) for row in standings.rows} == {(0, 0, False)}
    assert standings.leader is leader_of(standings.tallies, store.all_bots()) is None
    assert standings.notes == [
        "In order of points: ratings and ranks are known when all have met, if only by way of others."
    ]
    play(store, cup, {a: 1, e: 2})
    standings = table(store)
    assert sorted(row.place for row in standings.rows) == [1, 2, 3, 4, 5]
    assert all(row.comparable for row in standings.rows)
    assert standings.leader.bot == leader_of(standings.tallies, store.all_bots())
    assert standings.notes == []


def test_two_newcomers_that_met_only_each_other_leave_the_ladder_its_places(store):
    *old, first, second = (add(store, name) for name in "abcdefghi")
    cup = store.begin_tournament("claim", {"rounds": 1})
    for one, two in pairwise(old):
        play(store, cup, {one: 1, two: 2}, 3)
    play(store, cup, {first: 1, second: 2}, 9)
    standings = table(store)
    assert [(row.bot.label, row.place) for row in standings.rows[:1] + standings.rows[6:]] == [
        ("a 1", 1), ("g 1", 7), ("h 1", 0), ("i 1", 0),
    ]  # fmt: skip
    assert sum(row.rating.best for row in standings.rows if row.place) == pytest.approx(1.0)
    assert standings.notes[0].startswith("Without a rating: 2 that have not met the others")
    assert standings.leader.bot == leader_of(standings.tallies, store.all_bots())
    store.retire_bot("i")
    assert table(store).row_of[second.id].status == "has not met the others"  # off the ladder it is no better known


def test_who_is_still_to_play_in_a_tournament_is_in_its_table(store):
    a, b, c = (add(store, name) for name in "abc")
    cup = store.begin_tournament("claim", {"bots": [[name, "1", ""] for name in "abc"]})
    assert {(row.status, row.place) for row in table(store, tournament_id=cup.id).rows} == {("has not played", 0)}
    play(store, cup, {a: 1, b: 2}, 3)
    standings = table(store, tournament_id=cup.id)
    assert [(row.bot.id, row.place, row.ranked) for row in standings.rows] == [(a.id, 1, 2), (b.id, 2, 2), (c.id, 0, 0)]
    assert (standings.rows[2].status, standings.notes) == ("has not played", [])
    assert len(table(store).rows) == 2


def test_faults_are_counted_in_the_role_that_they_were_made_in(store):
    a, b = add(store, "a"), add(store, "b")
    cup = store.begin_tournament("claim", {"rounds": 1})
    for number in range(64):
        seats = (SeatResult(a.id, 2, 0.0, "TIME", "", 1, 1), SeatResult(b.id, 1, 0.0, "NORMAL", "", 1, 1))
        store.add_match(MatchEntry(cup.id, f"m{number}", number, "", number, "", 1, "", seats), b"", ())
    play(store, cup, {b: 1, a: 2})
    by_role = read_standings(store, Scope("claim"), ("king", "assassins")).by_role
    faults = {role: {row.bot.name: row.faults for row in rows} for role, rows in by_role.items()}
    assert faults == {"king": {"a": 64, "b": 0}, "assassins": {"a": 0, "b": 0}}


def test_the_newest_versions_are_shown_by_the_results_of_all(store):
    old, new, other = add(store, "mine"), add(store, "mine", "2"), add(store, "other")
    tried = add(store, "mine", "3", tried=True)
    cup, test = store.begin_tournament("claim", {"rounds": 1}), store.begin_tournament("claim", {"format": "test"})
    play(store, cup, {old: 1, other: 2}, 4)
    play(store, cup, {old: 1, new: 2}, 2)
    play(store, cup, {tried: 1, other: 2}, 5)
    play(store, test, {tried: 1, old: 2}, 7)
    standings = table(store)
    assert rows(standings) == [(1, "mine 2", 2), (1, "other 1", 4)] or rows(standings)[0][1] == "other 1"
    assert {row.bot.label for row in standings.rows} == {"mine 2", "other 1"}
    assert standings.matches == 6
    assert left_out_words(standings.selection) == "1 older, 1 only tried out"
    everybody = table(store, everybody=True)
    assert {row.bot.label: row.rating.games for row in everybody.rows} == {
        "mine 1": 6,
        "mine 2": 2,
        "mine 3": 5,
        "other 1": 9,
    }
    tests = table(store, tests=True)
    assert {row.bot.label: row.rating.games for row in tests.rows} == {"mine 1": 7, "mine 3": 7}
    assert len(list(store.results(Scope(game="claim")))) == 11

    store.retire_bot("mine", "2")
    standings = table(store)
    assert {row.bot.label for row in standings.rows} == {"mine 1", "other 1"}
    assert left_out_words(standings.selection) == "1 only tried out, 1 retired"
    store.promote_bot(tried.id, owner="me", origin="/y", games=["claim"])
    assert {row.bot.label for row in table(store).rows} == {"mine 3", "other 1"}


def test_weak_limits_are_told_of_the_matches_in_the_table_alone(store):
    one, other = add(store, "one"), add(store, "other")
    cup, test = store.begin_tournament("claim", {"rounds": 1}), store.begin_tournament("claim", {"format": "test"})
    play(store, cup, {one: 1, other: 2})
    play(store, test, {one: 1, other: 2}, weak_limits=["process (memory: none)"])
    assert table(store).notes == []
    assert "memory: none" in table(store, tests=True).notes[0]
    assert "memory: none" in table(store, tournament_id=test.id).notes[0]
    play(store, cup, {one: 1, other: 2}, weak_limits=["process (files: none)"])
    assert table(store).weak_limits == ("process (files: none)",)
    assert table(store, since=datetime.now(UTC) + timedelta(days=1)).weak_limits == ()


def test_a_sandbox_is_named_once_with_all_that_was_weak_in_it(store):
    one, other = add(store, "one"), add(store, "other")
    for weak in ("process (files: none)", "process (files: none, memory: rlimit)", "bubblewrap (deals: common)"):
        cup = store.begin_tournament("claim", {"rounds": 1, "weak": weak})
        play(store, cup, {one: 1, other: 2}, weak_limits=[weak])
    (note,) = table(store).notes
    assert "matches: bubblewrap (deals: common); process (files: none, memory: rlimit); see" in note


def test_places_are_counted(store):
    bots = [add(store, name) for name in "abcd"]
    cup = store.begin_tournament("claim", {"rounds": 1})
    play(store, cup, dict(zip(bots, (1, 2, 3, 4))), 2)
    play(store, cup, dict(zip(bots, (1, 1, 3, 3))))
    standings = table(store)
    places = {row.bot.label: row.rating.places for row in standings.rows}
    assert places == {"a 1": (3, 0, 0, 0), "b 1": (1, 2, 0, 0), "c 1": (0, 0, 3, 0), "d 1": (0, 0, 1, 2)}
    assert standings.seats == 4
