"""Who is on the ladder: the newest versions, by results between all versions, in groups that have met."""

from datetime import UTC, datetime, timedelta

import pytest

from arena.standings.ladder import left_out_words
from arena.standings.table import read_standings
from arena.store.base import MatchEntry, SeatResult
from arena.store.scope import Scope
from arena.store.sql import Store


@pytest.fixture
def store(tmp_path):
    opened = Store(tmp_path / "arena.db")
    yield opened
    opened.close()


def add(store, name, version="1", **more):
    return store.add_bot(
        name=name, version=version, owner="me", digest=f"{name}{version}", origin="/x", games=["claim"], **more
    )


def play(store, tournament, ranks, times=1, weak_limits=()):
    """Matches of the bots with these ranks, in seat order."""
    number = store.latest_number()
    for count in range(number, number + times):
        seats = tuple(SeatResult(bot.id, rank, 0.0, "NORMAL", "", 1, 1) for bot, rank in ranks.items())
        store.add_match(MatchEntry(tournament.id, f"m{count}", count, "", count, "", 1, "", seats), b"", weak_limits)


def table(store, **scope):
    return read_standings(store, Scope("claim", **scope), ())


def rows(standings):
    return [(row.rating.group, row.bot.label, row.rating.games) for row in standings.rows]


def test_bots_that_never_met_are_in_groups_of_their_own(store):
    a, b, c, d, e = (add(store, name) for name in "abcde")
    cup = store.begin_tournament("claim", {"rounds": 1})
    play(store, cup, {a: 1, b: 2}, 3)
    play(store, cup, {b: 1, c: 2}, 3)
    play(store, cup, {d: 1, e: 2}, 9)
    standings = table(store)
    assert rows(standings) == [(1, "a 1", 3), (1, "b 1", 6), (1, "c 1", 3), (2, "d 1", 9), (2, "e 1", 9)]
    assert [row.rating.ranks[1] <= 3 for row in standings.rows] == [True] * 5  # nobody is ranked beyond its group
    assert sum(row.rating.best for row in standings.rows) == pytest.approx(2.0)
    assert "2 groups of bots that never met" in standings.notes[0]
    play(store, cup, {a: 1, e: 2})
    standings = table(store)
    assert standings.groups == 1
    assert standings.notes == []


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
    play(store, test, {one: 1, other: 2}, weak_limits=["memory: none"])
    assert table(store).notes == []
    assert "memory: none" in table(store, tests=True).notes[0]
    assert "memory: none" in table(store, tournament_id=test.id).notes[0]
    play(store, cup, {one: 1, other: 2}, weak_limits=["files: none"])
    assert table(store).weak_limits == ("files: none",)
    assert table(store, since=datetime.now(UTC) + timedelta(days=1)).weak_limits == ()


def test_places_are_counted(store):
    bots = [add(store, name) for name in "abcd"]
    cup = store.begin_tournament("claim", {"rounds": 1})
    play(store, cup, dict(zip(bots, (1, 2, 3, 4))), 2)
    play(store, cup, dict(zip(bots, (1, 1, 3, 3))))
    standings = table(store)
    places = {row.bot.label: row.rating.places for row in standings.rows}
    assert places == {"a 1": (3, 0, 0, 0), "b 1": (1, 2, 0, 0), "c 1": (0, 0, 3, 0), "d 1": (0, 0, 1, 2)}
    assert standings.seats == 4
