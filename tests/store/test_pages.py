"""Tallies and pages: what tables and lists are made of, on both databases, against a plain count of all matches."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from random import Random

import psycopg
import pytest

from arena.store.base import KeptMatch, MatchEntry, SeatResult, SeatTally, Tally
from arena.store.scope import Scope
from arena.store.sql import Store

pytestmark = pytest.mark.slow

GAMES = ("claim", "kingdoms")
ENDINGS = ("NORMAL", "NORMAL", "NORMAL", "TIME", "CRASH")


@pytest.fixture(scope="module", params=["sqlite", "postgres"])
def filled(request, tmp_path_factory):
    """A filled store that all tests read."""
    address = str(tmp_path_factory.mktemp("filled") / "arena.db")
    if request.param == "postgres":
        url = request.getfixturevalue("postgres")
        with psycopg.connect(url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE filled")
        address = url.replace("/postgres?", "/filled?")
    opened = fill(Store(address))
    yield opened
    opened.close()


def fill(store):
    """Three tournaments of two games, with two and three seats, ties and faults, kept in no order of schedule."""
    rng = Random(3)
    bots = [
        store.add_bot(name=f"b{n}", version="1", owner="", digest=str(n), origin="", games=GAMES) for n in range(13)
    ]
    for game, seats, rounds in (("claim", 2, 1), ("kingdoms", 3, 1), ("claim", 2, 2)):
        tournament = store.begin_tournament(game, {"rounds": rounds})
        entries = [
            MatchEntry(tournament.id, f"{tournament.id}m{ordinal}", ordinal, "", 0, "", ordinal, "", results)
            for ordinal in rng.sample(range(60), 60)
            if (results := some_seats(rng, rng.sample(bots, seats)))
        ]
        store.add_matches(tournament.id, [KeptMatch(entry, b"r", "") for entry in entries[3:]])
        for entry in entries[:3]:
            store.add_match(entry, b"r")
    store.begin_tournament("claim", {"rounds": 50})
    return store


def some_seats(rng, bots):
    return tuple(
        SeatResult(bot.id, rng.randint(1, 2), 1.0, rng.choice(ENDINGS), "", rng.randrange(10**9), 5) for bot in bots
    )


def counted(matches):
    return Counter(
        (tuple(seat.bot_id for seat in match.seats), tuple(seat.rank for seat in match.seats)) for match in matches
    )


@pytest.mark.parametrize("scope", [{"game": "claim"}, {"game": "kingdoms"}, {"tournament_id": 3}, {"game": "none"}])
def test_tallies_are_what_a_count_of_all_matches_gives(filled, scope):
    matches = filled.matches(**scope)
    tallies = filled.tallies(Scope(**scope))
    assert {(tally.bot_ids, tally.ranks): tally.matches for tally in tallies} == counted(matches)
    assert len(tallies) == len(counted(matches))
    expected = {}
    for match in matches:
        for seat, result in enumerate(match.seats):
            sums = expected.setdefault((result.bot_id, seat, result.ending), [0, 0, 0, 0])
            for place, more in enumerate((1, match.moves, result.wall_us, result.cpu_us)):
                sums[place] += more
    assert filled.seat_tallies(Scope(**scope)) == [SeatTally(*key, *sums) for key, sums in sorted(expected.items())]


def test_a_match_that_was_there_already_is_not_counted_again(store):
    fill(store)
    before = store.tallies(Scope(tournament_id=1))
    match = store.matches(tournament_id=1)[0]
    assert not store.add_match(match, b"r")
    assert store.tallies(Scope(tournament_id=1)) == before
    assert store.inconsistencies() == []


def test_imported_matches_are_counted(store):
    fill(store)
    other = store.begin_tournament("claim", {"rounds": 9})
    moved = [replace(kept, entry=replace(kept.entry, tournament_id=other.id)) for kept in store.kept(1)]
    before = Counter({(tally.bot_ids, tally.ranks): tally.matches for tally in store.tallies(Scope(game="claim"))})
    assert store.add_matches(other.id, moved) == 60
    assert store.tallies(Scope(tournament_id=other.id)) == store.tallies(Scope(tournament_id=1))
    after = {(tally.bot_ids, tally.ranks): tally.matches for tally in store.tallies(Scope(game="claim"))}
    assert after == before + counted(store.matches(tournament_id=1))
    assert store.inconsistencies() == []


@pytest.mark.parametrize(
    "which",
    [{}, {"game": "claim"}, {"tournament_id": 2}, {"bot_id": 4}, {"game": "claim", "bot_id": 4}, {"bot_id": 99}],
)
def test_pages_show_every_match_once_the_newest_first(filled, which):
    whole = filled.latest_matches(limit=1000, **which)
    pages, before = [], None
    while page := filled.latest_matches(before=before, limit=7, **which):
        assert len(page) <= 7
        pages += page
        before = page[-1].number
    assert pages == whole
    assert [match.number for match in whole] == sorted((match.number for match in whole), reverse=True)
    fitting = [
        match
        for match in filled.matches(tournament_id=which.get("tournament_id"), game=which.get("game"))
        if "bot_id" not in which or any(seat.bot_id == which["bot_id"] for seat in match.seats)
    ]
    assert sorted(match.entry.match_id for match in whole) == sorted(match.match_id for match in fitting)
    games = {entry.id: entry.game for entry in filled.tournaments()}
    assert all(match.game == games[match.entry.tournament_id] for match in whole)


def test_results_come_in_the_order_of_the_schedule(filled):
    results = list(filled.results(Scope(tournament_id=2)))
    assert [result.ordinal for result in results] == list(range(60))
    assert Counter((result.bot_ids, result.ranks) for result in results) == counted(filled.matches(tournament_id=2))
    assert len(list(filled.results(Scope(game="claim")))) == 120


def test_summaries_are_pages_of_tournaments_with_their_matches(filled):
    summaries = filled.tournament_summaries()
    assert [(each.entry.id, each.matches) for each in summaries] == [(4, 0), (3, 60), (2, 60), (1, 60)]
    assert [each.entry for each in summaries] == filled.tournaments()[::-1]
    assert filled.tournament_summaries(before=3, limit=1) == summaries[2:3]
    assert [each.entry.id for each in filled.tournament_summaries(game="claim")] == [4, 3, 1]
    bot = filled.matches(tournament_id=2)[0].seats[0].bot_id
    assert 2 in [each.entry.id for each in filled.tournament_summaries(bot_id=bot)]
    assert filled.tournament_summaries(bot_id=99) == []


def test_matches_of_a_bot_are_found_by_how_their_names_begin(filled):
    match = filled.matches(tournament_id=2)[17]
    bot, stranger = match.seats[0].bot_id, 99
    assert match in filled.find_matches(bot, match.match_id)
    assert {each.match_id[:3] for each in filled.find_matches(bot, "2m1")} == {"2m1"}
    assert filled.find_matches(stranger, match.match_id) == filled.find_matches(bot, "%") == []


def test_the_latest_number_grows_with_every_match(store):
    assert store.latest_number() == 0
    bots = [store.add_bot(name=name, version="1", owner="", digest="", origin="", games=[]) for name in "ab"]
    tournament = store.begin_tournament("claim", {})
    seats = tuple(SeatResult(bot.id, 1, 0.0, "NORMAL", "", 0, 0) for bot in bots)
    for ordinal in range(3):
        store.add_match(MatchEntry(tournament.id, f"m{ordinal}", ordinal, "", 0, "", 0, "", seats), b"")
        assert store.latest_number() == ordinal + 1
    assert store.tallies(Scope(game="claim")) == [Tally((bots[0].id, bots[1].id), (1, 1), 3)]


def test_two_writers_count_every_match_of_the_same_bots(address, store):
    """Their rows are the same ones: neither may lose what the other counted, nor wait for it for ever."""
    bots = [store.add_bot(name=name, version="1", owner="", digest="", origin="", games=[]) for name in "ab"]
    seats = tuple(SeatResult(bot.id, 1, 0.0, "NORMAL", "", 0, 0) for bot in bots)

    def play(rounds):
        own = Store(address)
        tournament = own.begin_tournament("claim", {"rounds": rounds})
        for ordinal in range(20):
            turned = seats if (ordinal + rounds) % 2 else seats[::-1]
            own.add_match(MatchEntry(tournament.id, f"m{ordinal}", ordinal, "", 0, "", 1, "", turned), b"")
        own.close()

    with ThreadPoolExecutor() as threads:
        list(threads.map(play, [1, 2]))
    assert sorted(tally.matches for tally in store.tallies(Scope(game="claim"))) == [20, 20]
    assert store.inconsistencies() == []
