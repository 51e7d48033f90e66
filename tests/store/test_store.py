"""What a store promises, on both databases."""

import subprocess
import sys
import threading
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from sqlalchemy import text

from arena.errors import InfraError, UsageError
from arena.standings.ladder import newest_versions
from arena.store.base import KeptMatch, MatchEntry, Output, SeatResult
from arena.store.checksums import match_checksum
from arena.store.schema import by_digest, metadata, transient
from arena.store.scope import Scope
from arena.store.sql import Store
from tests.kits.contestants import arena
from tests.store import old_stores

pytestmark = pytest.mark.slow


def add_bot(store, name="greedy", version="1", games=("claim",)):
    return store.add_bot(name=name, version=version, owner="me", digest="sha256:0", origin="/bots/x", games=games)


def some_match(store, match_id="m1", ordinal=0):
    bots = newest_versions(store.all_bots()) or [add_bot(store, name) for name in ("one", "two")]
    tournament = store.begin_tournament("claim", {"rounds": 3})
    results = tuple(
        SeatResult(bot.id, rank, 5.0 - rank, "NORMAL", "fine", 10**10, 7) for rank, bot in enumerate(bots, 1)
    )
    return MatchEntry(tournament.id, match_id, ordinal, "one two", 0, "votes 4 to 1", 52, "5ea1", results)


def test_bots_come_back_as_they_were(store):
    entry = add_bot(store, games=("claim", "rrr"))
    assert entry.games == ("claim", "rrr")
    assert newest_versions(store.all_bots(), "rrr") == [entry]
    assert newest_versions(store.all_bots(), "kingdoms") == []
    assert newest_versions(store.all_bots()) == store.bot_versions("greedy") == [entry]


def test_the_newest_version_plays(store):
    add_bot(store, version="1")
    newest = add_bot(store, version="2")
    assert newest_versions(store.all_bots(), "claim") == [newest]
    assert len(store.bot_versions("greedy")) == 2


def test_a_version_cannot_be_taken_twice(store):
    first = add_bot(store)
    with pytest.raises(UsageError, match="there is a bot greedy 1 already"):
        add_bot(store, games=("rrr",))
    assert newest_versions(store.all_bots()) == [first]


def test_a_retired_bot_is_out_but_not_gone(store):
    add_bot(store)
    store.retire_bot("greedy")
    assert newest_versions(store.all_bots(), "claim") == []
    assert [entry.retired for entry in newest_versions(store.all_bots(), "claim", retired=True)] == [True]
    with pytest.raises(UsageError, match="no bot 'nobody'"):
        store.retire_bot("nobody")


def test_the_same_settings_go_on_with_the_same_tournament(store):
    first = store.begin_tournament("claim", {"rounds": 3, "bots": ["a", "b"]})
    assert store.begin_tournament("claim", {"bots": ["a", "b"], "rounds": 3}) == first
    assert store.begin_tournament("claim", {"rounds": 4, "bots": ["a", "b"]}).id != first.id
    assert store.begin_tournament("rrr", {"rounds": 3, "bots": ["a", "b"]}).id != first.id


def test_a_finished_tournament_is_not_gone_on_with(store):
    first = store.begin_tournament("claim", {"rounds": 3})
    store.finish_tournament(first.id)
    assert store.tournament(first.id).finished
    assert store.begin_tournament("claim", {"rounds": 3}).id != first.id
    assert store.tournaments("claim")[0].id == first.id


def test_matches_come_back_in_the_order_of_the_schedule(store):
    later, earlier = some_match(store, "m2", 5), some_match(store, "m1", 2)
    assert store.add_match(later, b"late")
    assert store.add_match(earlier, b"\0early\xff")
    assert store.matches(tournament_id=later.tournament_id) == [earlier, later]
    assert store.matches(game="claim") == [earlier, later]
    assert store.matches(game="rrr") == []
    assert store.record(earlier.tournament_id, "m1") == b"\0early\xff"


def test_a_match_is_kept_once(store):
    match = some_match(store)
    assert store.add_match(match, b"first")
    assert not store.add_match(replace(match, reason="other"), b"second")
    assert store.matches(tournament_id=match.tournament_id) == [match]
    assert store.record(match.tournament_id, "m1") == b"first"


def test_a_match_is_kept_whole_or_not_at_all(store):
    match = some_match(store)
    stranger = replace(match, seats=(match.seats[0], replace(match.seats[1], bot_id=999)))
    with pytest.raises(Exception, match=r"(?i)foreign key"):
        store.add_match(stranger, b"x")
    assert store.matches(tournament_id=match.tournament_id) == []
    with pytest.raises(UsageError, match="has no match"):
        store.record(match.tournament_id, "m1")


def test_what_is_not_there_is_refused(store):
    with pytest.raises(UsageError, match="no tournament 7"):
        store.tournament(7)


@pytest.mark.real(reason="threads or processes meet at one database")
def test_a_store_can_be_opened_again_and_by_many(address):
    def work(number):
        store = Store(address)
        add_bot(store, name=f"bot{number}")
        store.close()

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    store = Store(address)
    assert [entry.name for entry in newest_versions(store.all_bots())] == ["bot0", "bot1", "bot2", "bot3"]
    store.close()


def test_readers_do_not_hold_up_a_writer(address, store):
    first = some_match(store)
    store.add_match(first, b"one")
    reading = store.kept(first.tournament_id)
    next(reading)
    writer = Store(address)
    assert writer.add_match(replace(first, match_id="m2", ordinal=1), b"two")
    writer.close()
    reading.close()


@pytest.mark.real(reason="threads or processes meet at one database")
def test_two_processes_that_begin_the_same_tournament_share_it(address):
    begun, stores = [], [Store(address) for _ in range(4)]
    threads = [
        threading.Thread(target=lambda store=store: begun.append(store.begin_tournament("claim", {"rounds": 1}).id))
        for store in stores
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(begun)) == 1
    assert len(begun) == 4
    for store in stores:
        store.close()


@pytest.mark.real(reason="threads or processes meet at one database")
@pytest.mark.slow
def test_many_processes_may_make_the_same_new_file(tmp_path):
    """SQLite refuses one of two that change a new file to WAL at once, now and then."""
    code = "import sys; from arena.store.sql import Store; [Store(path).close() for path in sys.argv[1:]]"
    paths = [str(tmp_path / f"{number}.db") for number in range(25)]
    makers = [subprocess.Popen([sys.executable, "-c", code, *paths], stderr=subprocess.PIPE) for _ in range(3)]
    assert [maker.communicate()[1] for maker in makers] == [b""] * 3


def test_the_very_same_bot_can_be_registered_again(store):
    first = add_bot(store)
    assert add_bot(store) == first
    assert store.all_bots() == [first]


def test_a_bot_without_files_gets_them_when_the_same_one_is_registered(store):
    absent = store.add_bot(name="x", version="1", owner="me", digest="sha256:0", origin="", games=["claim"])
    assert absent.kind == "absent"
    with pytest.raises(UsageError, match="there is a bot x 1 already"):
        store.add_bot(name="x", version="1", owner="me", digest="sha256:1", origin="/bots/x", games=["claim"])
    assert add_bot(store, "x") == replace(absent, origin="/bots/x")


def test_several_matches_are_kept_at_once_or_not_at_all(store):
    first = some_match(store)
    kept = [KeptMatch(replace(first, match_id=f"m{number}", ordinal=number), b"r", f"c{number}") for number in range(3)]
    assert store.add_matches(first.tournament_id, kept[:2]) == 2
    assert store.add_matches(first.tournament_id, kept) == 1
    other = replace(kept[0], checksum="other")
    with pytest.raises(UsageError, match="is already here with a different result"):
        store.add_matches(first.tournament_id, [replace(kept[0], entry=replace(first, match_id="m9")), other])
    assert [match.match_id for match in store.matches()] == ["m0", "m1", "m2"]
    assert list(store.kept(first.tournament_id)) == kept


def test_all_that_is_kept_of_a_match_comes_back(store):
    match = some_match(store)
    outputs = {0: Output("said 1", {0: "said", 4: "1"}), 1: Output("said 2")}
    store.add_match(match, b"x", (), outputs)
    kept = store.kept_match(match.tournament_id, "m1")
    assert kept == KeptMatch(match, b"x", match_checksum(match, b"x"), outputs)
    assert store.matches() == [match]


def played(store):
    """Bots, tournaments and matches, so many that every tally has something to count."""
    first = some_match(store)
    fault = (replace(first.seats[0], ending="TIME"), replace(first.seats[1], rank=1))
    store.add_match(first, b"x")
    store.add_match(replace(first, match_id="m2", ordinal=1), b"y")
    store.add_match(replace(first, match_id="m3", ordinal=2, seats=fault), b"z", (), {0: Output("slow\nslower")})
    other = store.begin_tournament("claim", {"rounds": 4})
    turned = tuple(reversed(first.seats))
    store.add_match(replace(first, tournament_id=other.id, match_id="m4", seats=turned), b"w")
    store.finish_tournament(first.tournament_id)


@pytest.mark.parametrize("revision", old_stores.WRITTEN)
def test_a_store_that_an_earlier_version_wrote_opens_verifies_and_is_played_on_with(tmp_path, revision):
    path = old_stores.written(tmp_path / "arena.db", revision)
    done = arena("verify", "--db", path)
    assert done.exit_code == 0, done.output
    assert "ok: 1 tournament, 6 matches replayed" in done.output
    store = Store(path)
    said = {output.end.strip() for kept in store.kept(1) for output in kept.outputs.values()}
    assert said == {"I am one", "I am two", "I am three"}
    with store._database.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), [metadata, transient, by_digest]) == []
    tournament = store.begin_tournament("claim", {"rounds": 3})
    assert store.add_match(replace(store.matches()[0], tournament_id=tournament.id), b"v")
    assert store.latest_matches(limit=1)[0].number == 7
    assert store.inconsistencies() == []
    store.close()


@pytest.mark.parametrize("revision", ["0006", "0007"])
@pytest.mark.parametrize("read_only", [True, False])
def test_a_store_of_before_is_refused_with_what_to_do(address, revision, read_only):
    old_stores.make(address, revision).dispose()
    with pytest.raises(UsageError, match=r"long before Arena 0.1, .* export its tournaments with the Arena that made"):
        Store(address, read_only=read_only)


def test_since_takes_only_tournaments_begun_then_or_later(store):
    played(store)
    with store._database.begin() as connection:
        connection.execute(text("UPDATE tournaments SET created_at = '2026-01-01 00:00:00' WHERE id = 1"))
        connection.execute(text("UPDATE tournaments SET created_at = '2026-02-01 00:00:00' WHERE id = 2"))
    everything = store.tallies(Scope(game="claim", since=datetime(2026, 1, 1, tzinfo=UTC)))
    assert everything == store.tallies(Scope(game="claim"))
    later, second = Scope("claim", since=datetime(2026, 1, 2, tzinfo=UTC)), Scope(tournament_id=2)
    assert store.tallies(later) == store.tallies(second)
    assert store.seat_tallies(later) == store.seat_tallies(second)
    assert store.tallies(Scope(game="claim", since=datetime(2026, 3, 1, tzinfo=UTC))) == []


def test_versions_are_retired_and_restored_one_by_one(store):
    first, second = add_bot(store, version="1"), add_bot(store, version="2")
    before = store.data_version()
    store.retire_bot("greedy", "2")
    assert newest_versions(store.all_bots(), "claim") == [first]
    retired = store.data_version()
    store.retire_bot("greedy", "1")
    store.retire_bot("greedy", "2", retired=False)
    assert newest_versions(store.all_bots(), "claim") == [second]
    assert len({before, retired, store.data_version()}) == 3
    with pytest.raises(UsageError, match="there is no bot 'greedy@3'"):
        store.retire_bot("greedy", "3")


def test_the_migrations_make_the_schema(store):
    with store._database.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), [metadata, transient, by_digest]) == []


@pytest.mark.parametrize("url", ["mysql://x/y", "postgresql://me:secret@host:port/name"])
def test_a_url_that_cannot_be_is_refused_without_telling_passwords(url):
    with pytest.raises(UsageError, match="postgresql://user@host/name") as caught:
        Store(url)
    assert "secret" not in str(caught.value)


def test_a_database_that_fails_later_is_our_own_failure(store):
    with store._database.begin() as connection:
        connection.exec_driver_sql("DROP TABLE outputs")
        connection.exec_driver_sql("DROP TABLE seats")
    with pytest.raises(InfraError, match=r"returned an unexpected error.*seats"):
        store.matches()


def test_a_match_that_ended_at_a_fault_although_others_could_play_on_is_kept_and_not_rated(store):
    """As records of earlier versions have it."""
    bots = [add_bot(store, name, games=("kingdoms",)) for name in ("one", "two", "three")]
    rated, test = (store.begin_tournament("kingdoms", settings).id for settings in ({"rounds": 3}, {"format": "test"}))

    def seats(*endings):
        return tuple(
            SeatResult(bot.id, rank, 0.0, ending, "so", 5, 7) for bot, rank, ending in zip(bots, (1, 3, 1), endings)
        )

    fair = MatchEntry(rated, "m1", 1, "0 1 2", 0, "a draw of two", 9, "5ea1", seats("NORMAL", "NORMAL", "NORMAL"))
    store.add_match(fair, b"a")
    store.add_match(replace(fair, match_id="m2", ordinal=2, seats=seats("NORMAL", "TIME", "CRASH")), b"b")
    early = replace(fair, match_id="m0", ordinal=0, seats=seats("NORMAL", "TIME", "NORMAL"), ended_at_fault=True)
    store.add_match(early, b"c")
    store.add_match(replace(early, tournament_id=test), b"d")
    assert store.inconsistencies() == []
    assert [tally.matches for tally in store.tallies(Scope(game="kingdoms"))] == [2]
    assert store.tallies(Scope(game="kingdoms", tests=True)) == []
    assert sum(tally.matches for tally in store.seat_tallies(Scope(game="kingdoms")) if tally.seat == 0) == 3
    assert [result.ordinal for result in store.results(Scope(game="kingdoms"))] == [1, 2]
    assert sorted(result.ordinal for result in store.results(Scope(tournament_id=rated))) == [0, 1, 2]
