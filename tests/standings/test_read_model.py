"""One answer to every question about a bot, wherever it is shown."""

import re
import sqlite3
from contextlib import closing
from dataclasses import replace

import pytest

from arena import registry
from arena.match import Ending
from arena.standings.history import read_history
from arena.standings.ladder import find_bot, newest_versions, versions_of
from arena.standings.meetings import points_of_pairs, seatings
from arena.standings.table import read_standings
from arena.store.base import SeatResult, SeatTally, Tally
from arena.store.scope import Scope
from arena.web.rendering import OutputMode, SiteContext, render
from arena.web.site import Site
from arena.web.snapshot import take_snapshot, with_histories
from tests.kits.contestants import arena
from tests.standings.filled_store import add, play

GAME = registry.find("claim")


@pytest.fixture
def ladder(store):
    """Two versions of a bot, a retired bot and two others, who have all met."""
    old, new = add(store, "mine"), add(store, "mine", "2")
    gone, best, last = add(store, "gone"), add(store, "best"), add(store, "last")
    cup = store.begin_tournament("claim", {"rounds": 1, "bots": []})
    for first, second in ((old, last), (best, old), (best, new), (new, last), (best, last), (gone, last), (gone, new)):
        play(store, cup, {first: 1, second: 2}, 6)
        play(store, cup, {second: 1, first: 2}, 2)
    store.retire_bot("gone")
    return {bot.label: bot for bot in store.all_bots()}


def make_site(store):
    games = {"claim": GAME}
    infos = {"claim": GAME.info}
    return Site(store, games, with_histories(store, infos, take_snapshot(store, infos)))


def test_ladder_bots_page_and_bot_page_show_the_same_rank(store, ladder):
    site = make_site(store)
    on_ladder = {row.bot.label: row for row in site.page("ladder", "claim").data.shown.rows}
    assert on_ladder.keys() == {"mine 2", "best 1", "last 1"}
    listed = site.page("bots").data.rated
    for label, row in on_ladder.items():
        (part,) = site.page("bot", str(row.bot.id)).data.parts
        ((_, in_list),) = listed[row.bot.id]
        shown = (row.place, row.rating.ranks, row.ranked)
        assert (part.row.place, part.row.rating.ranks, part.row.ranked) == shown, label
        assert (in_list.place, in_list.rating.ranks, in_list.ranked) == shown, label
        assert 1 <= row.rating.ranks[0] <= row.rating.ranks[1] <= row.ranked == 3


def test_versions_off_the_ladder_say_why_they_have_no_rank(store, ladder):
    site = make_site(store)
    around = SiteContext("Arena", OutputMode.FOLDER, lambda _kind, _name: True)

    def text(*names):
        return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", render(site.page(*names), around)))

    assert "rank– older version" in text("bot", str(ladder["mine 1"].id))
    assert "not ranked (older)" in site.page("bot", str(ladder["mine 1"].id)).description
    assert "rank– retired" in text("bot", str(ladder["gone 1"].id))
    assert "not ranked: retired" in text("bots")
    row = site.snapshot.tables["claim"].row_of[ladder["gone 1"].id]
    assert (row.place, row.ranked, row.status, row.rating.games) == (0, 0, "retired", 16)


def text_of(site, *names):
    """What a page of a site says."""
    around = SiteContext("Arena", OutputMode.FOLDER, lambda _kind, _name: True)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", render(site.page(*names), around)))


def test_bots_that_met_only_in_tests_have_a_page_of_their_meetings(store, ladder):
    old, gone = ladder["mine 1"], ladder["gone 1"]
    test = store.begin_tournament("claim", {"format": "test", "bots": []})
    play(store, test, {gone: 1, old: 2}, 3)
    play(store, test, {old: 1, gone: 2}, 1)
    site = make_site(store)
    first, second = sorted((old.id, gone.id))
    assert ("pair", str(first), str(second)) in set(site.addresses())
    shown = text_of(site, "pair", str(first), str(second))
    assert "In tests, which are not rated: 1 to 3 in 4 games." in shown
    assert "have not met" not in shown
    assert site.page("pair", str(first), str(second)).description.endswith("1:3 in tests")
    both = text_of(site, "pair", str(old.id), str(ladder["last 1"].id))
    assert "In tests" not in both


def test_an_imported_tournament_does_not_lead_to_meetings_that_no_page_has(store, ladder, tmp_path):
    stranger, other = add(store, "stranger"), ladder["best 1"]
    cup = store.begin_tournament("claim", {"rounds": 2, "bots": []})
    with closing(sqlite3.connect(tmp_path / "arena.db")) as database, database:
        database.execute("UPDATE tournaments SET apart = 1 WHERE id = ?", [cup.id])
    play(store, cup, {stranger: 1, other: 2}, 2)
    around = SiteContext("Arena", OutputMode.FOLDER, lambda _kind, _name: True)
    site = make_site(store)
    assert "pairs/" not in render(site.page("tournament", str(cup.id)), around)
    assert "pairs/" in render(site.page("tournament", "1"), around)
    assert "It has played no match that is rated" in text_of(site, "bot", str(stranger.id))


def test_pages_show_no_rating_of_bots_that_have_not_met(store):
    bots = [add(store, name) for name in "abcd"]
    cup = store.begin_tournament("claim", {"rounds": 1, "bots": []})
    play(store, cup, dict(zip(bots[:2], (1, 2))), 20)
    play(store, cup, dict(zip(bots[2:], (1, 2))), 30)
    site = make_site(store)
    for names in (("home",), ("ladder", "claim"), ("tournament", "1"), ("bot", "1"), ("bots",)):
        shown = text_of(site, *names)
        assert not re.search(r"± \d|9\d % |100 % ", re.sub("95 %", "", shown)), names
    assert "In order of points: ratings and ranks are known when all have met" in text_of(site, "ladder", "claim")
    assert "leads" not in site.page("tournament", "1").description
    served = site.page("ladder", "claim", query={"sort": "rating", "order": "descending"})
    assert len(served.data.shown.rows) == 4


def test_the_trend_of_a_promoted_version_is_against_the_one_that_was_on_the_ladder(store):
    tried, first = add(store, "mine", "2", tried=True), add(store, "mine", "1")
    other = add(store, "other")
    store.promote_bot(tried.id, owner="me", origin="/y", games=["claim"])
    cup = store.begin_tournament("claim", {"rounds": 1})
    play(store, cup, {tried: 1, other: 2}, 30)
    play(store, cup, {first: 2, other: 1}, 30)
    table = read_standings(store, Scope("claim"), ())
    better = table.row_of[tried.id].rating.mu - table.row_of[first.id].rating.mu
    assert table.row_of[tried.id].trend == pytest.approx(better)
    assert table.row_of[tried.id].trend > table.row_of[tried.id].noise > 0
    assert table.row_of[first.id].trend is None
    assert [bot.version for bot in versions_of(store.all_bots(), "mine")] == ["1", "2"]
    assert find_bot(store, "mine").id == newest_versions(store.all_bots())[0].id == tried.id


def test_versions_that_never_met_have_no_trend(store):
    old, new, one, two = add(store, "mine"), add(store, "mine", "2"), add(store, "one"), add(store, "two")
    cup = store.begin_tournament("claim", {"rounds": 1})
    play(store, cup, {old: 1, one: 2}, 5)
    play(store, cup, {new: 1, two: 2}, 5)
    assert read_standings(store, Scope("claim"), ()).row_of[new.id].trend is None


def test_the_page_of_a_history_and_the_site_draw_the_same_curve(store, ladder, tmp_path):
    drawn = make_site(store).page("bot", str(ladder["mine 2"].id)).data.parts[0].history
    result = arena("history", "mine", "--html", "-", "--db", tmp_path / "arena.db")
    assert result.exit_code == 0, result.output
    assert drawn is not None
    assert drawn in result.output


def test_a_version_that_was_only_tried_out_has_a_curve_of_its_own_as_a_guest(store, ladder):
    tried = add(store, "mine", "3", tried=True)
    cup = store.begin_tournament("claim", {"rounds": 2})
    play(store, cup, {tried: 1, ladder["best 1"]: 2}, 20)
    bots = store.all_bots()
    assert tried.id not in read_history(store, "claim", (), bots)
    course = read_history(store, "claim", (), bots, guest=tried)[tried.id]
    assert course[-1].matches == sum(tally.matches for tally in store.tallies(Scope("claim")))
    assert course[-1].mu > 25


def test_the_last_point_of_a_history_is_the_rating(store, ladder):
    table = read_standings(store, Scope("claim"), ())
    history = read_history(store, "claim", (), store.all_bots())
    assert history.keys() == table.row_of.keys()
    for bot_id, row in table.row_of.items():
        assert history[bot_id][-1].mu == pytest.approx(row.rating.mu)


def test_points_of_a_pair_are_counted_two_seats_at_a_time():
    tallies = [Tally((1, 2, 3), (1, 2, 2), 1), Tally((3, 2), (1, 1), 1), Tally((1, 2), (2, 1), 2)]
    assert points_of_pairs(tallies) == {
        (1, 2): (1.0, 3), (1, 3): (1.0, 1), (2, 1): (2.0, 3), (2, 3): (1.0, 2), (3, 1): (0.0, 1), (3, 2): (1.0, 2),
    }  # fmt: skip
    found = [(seating.seats, seating.wins, seating.draws, seating.losses) for seating in seatings(tallies, 2, 1)]
    assert found == [((1, 0), 2, 0, 1)]


@pytest.mark.parametrize("ending", Ending)
def test_a_stored_seat_is_at_fault_by_the_one_rule(ending):
    at_fault = ending not in (Ending.NORMAL, Ending.VOID)
    assert SeatResult(1, 1, 0.0, ending.name, "", 1, 1).at_fault is at_fault
    assert SeatTally(1, 0, ending.name, 1, 1, 1, 1).at_fault is at_fault


def test_a_table_knows_its_bots_by_their_ids(store, ladder):
    """Two entries can be shown by the same words, such as `a 1 2`: version 2 of `a 1`, and `1 2` of `a`."""
    one, two = add(store, "twin 1", "2"), add(store, "twin", "1 2")
    assert one.label == two.label
    cup = store.begin_tournament("claim", {"rounds": 2})
    play(store, cup, {one: 1, two: 2}, 5)
    table = read_standings(store, Scope(tournament_id=cup.id), ())
    assert [row.bot for row in table.rows] == [replace(one, created=table.rows[0].bot.created), table.rows[1].bot]
    assert table.crosstable()[0][1] == (5.0, 5)
