"""What only a PostgreSQL does to a writer: deadlocks, a switch to a standby, and a network that falls silent."""

import asyncio
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from functools import partial

import pytest
from sqlalchemy import event, text

from arena.errors import InfraError
from arena.registry import find
from arena.store import database, watchdog
from arena.store.failures import Collision, ConnectionLost
from arena.store.sql import Store
from arena.store.tallies import Counted
from arena.tournaments import store_calls
from arena.tournaments.store_calls import RetryingStore
from arena.web.snapshot import take_snapshot
from tests.kits.stalling_proxy import StallingProxy
from tests.kits.tournaments import World
from tests.store.test_runs import let_pass
from tests.store.test_store import some_match

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="connections to PostgreSQL are lost and waited for")]

WRITERS = 8


@pytest.fixture
def url(postgres):
    """An empty database."""
    yield postgres
    clear(postgres)


def clear(url):
    store = Store(url)
    with store._database.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    store.close()


def at_once(*calls):
    """Make these calls at the same moment, each in a thread; what they return or raise."""
    start = threading.Barrier(len(calls))

    def run(call):
        start.wait()
        try:
            return call()
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))


def test_first_matches_with_weak_limits_that_are_committed_at_once_do_not_deadlock(url):
    stores = [Store(url) for _ in range(WRITERS)]
    for start in range(4):
        matches = [some_match(stores[0], f"m{start}-{number}", 100 * start + number) for number in range(WRITERS)]
        calls = [
            partial(store.add_match, match, b"", [f"limit of {match.match_id}"])
            for store, match in zip(stores, matches, strict=True)
        ]
        assert at_once(*calls) == [True] * WRITERS
    assert len(stores[0].tournament(matches[0].tournament_id).weak_limits) == 20  # the most that are kept
    for store in stores:
        store.close()


@pytest.mark.parametrize("apart", [False, True])
def test_a_match_that_is_committed_after_one_with_a_higher_number_is_noticed(url, monkeypatch, apart):
    store, slow = Store(url), Store(url)
    early, late = some_match(store, "early", 0), some_match(store, "late", 1)
    with store._database.begin() as connection:
        connection.execute(text(f"UPDATE tournaments SET apart = {apart}"))
    numbered, may_go_on, write = threading.Event(), threading.Event(), Counted.write

    def write_late(self, connection):
        if not numbered.is_set():  # the first one
            numbered.set()
            assert may_go_on.wait(60)
        write(self, connection)

    monkeypatch.setattr(Counted, "write", write_late)
    infos = {"claim": find("claim").info}
    with ThreadPoolExecutor(1) as threads:
        kept = threads.submit(slow.add_match, early, b"")
        assert numbered.wait(60)
        assert store.add_match(late, b"")
        before = take_snapshot(store, infos)
        may_go_on.set()
        assert kept.result(60)
    assert [match.entry.match_id for match in store.latest_matches(tournament_id=early.tournament_id)] == [
        "late",
        "early",
    ]
    assert store.data_version() != before.version
    if not apart:
        assert [take_snapshot(store, infos, known).tables["claim"].matches for known in (None, before)] == [2, 2]
    store.close()
    slow.close()


def test_runs_that_take_each_other_for_dead_do_not_wait_for_each_other(url):
    stores, between = [Store(url) for _ in range(2)], threading.Barrier(2)

    def meet(connection, cursor, statement, *_):
        if statement.startswith("DELETE FROM runs"):
            with suppress(threading.BrokenBarrierError):
                between.wait(1)

    for run_id, store in zip("ab", stores, strict=True):
        store.report_run(run_id, 1, {})
        let_pass(store, run_id, 100)
        event.listen(store._database, "before_cursor_execute", meet)
    calls = [partial(store.report_run, run_id, 1, {}) for run_id, store in zip("ab", stores, strict=True)]
    assert at_once(*calls) == [None, None]
    for store in stores:
        store.close()


def two_that_collide(store, isolation, statements):
    """Two transactions that meet in their middle: one makes both statements in this order, one in the other."""
    between, tries = threading.Barrier(2), [0, 0]

    def run(number):
        tries[number] += 1
        with store._database.execution_options(isolation_level=isolation).begin() as connection:
            connection.execute(text(statements[number]))
            if tries[number] == 1:
                between.wait(10)
            connection.execute(text(statements[1 - number]))
            return number

    return run, tries


LOCKS = ("LOCK TABLE bots IN EXCLUSIVE MODE", "LOCK TABLE tournaments IN EXCLUSIVE MODE")
CHANGES = ("SELECT count(origin) FROM bots", "UPDATE bots SET origin = 'x'")


@pytest.mark.parametrize(
    ("isolation", "statements"), [("READ COMMITTED", LOCKS), ("SERIALIZABLE", CHANGES)], ids=["40P01", "40001"]
)
async def test_a_transaction_that_gave_way_to_another_one_is_made_again(url, isolation, statements):
    store, said = Store(url), []
    store.add_bot(name="a", version="1", owner="", digest="a", origin="/x", games=["claim"])
    run, tries = two_that_collide(store, isolation, statements)
    calls = RetryingStore()
    calls.say = said.append
    assert await asyncio.gather(calls.run(run, 0), calls.run(run, 1)) == [0, 1]
    assert sorted(tries) == [1, 2]
    assert said == []  # nobody needs to know
    store.close()


def test_collisions_without_end_are_said_and_given_up(monkeypatch):
    monkeypatch.setattr(store_calls, "UNSAID_S", 0.1)
    said, calls = [], RetryingStore(0.2)
    calls.say = said.append

    def collide():
        raise Collision("two transactions met")

    with pytest.raises(InfraError, match=r"met; it stayed away for 0\.2 s"):
        asyncio.run(calls.run(collide))
    assert [sentence.partition(";")[0] for sentence in said] == ["two transactions met"]


def set_read_only(url, state):
    """Let every session that has not chosen for itself only read, or write again."""
    engine = database._postgres(url, {})
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.exec_driver_sql("SET default_transaction_read_only = off")
        connection.exec_driver_sql(f"ALTER SYSTEM SET default_transaction_read_only = {state}")
        connection.exec_driver_sql("SELECT pg_reload_conf()")
    engine.dispose()


async def test_a_database_that_can_only_be_read_for_a_while_is_waited_for(own_postgres, monkeypatch):
    """As after a switch to a standby that is not promoted yet."""
    monkeypatch.setattr(store_calls, "FIRST_PAUSE_S", 0.05)
    store, said = Store(own_postgres.url), []
    match = some_match(store, "m1", 1)
    set_read_only(own_postgres.url, "on")

    def write_again_and_again():
        for _ in range(1000):  # the server reads its settings again when it likes
            store.retire_bot("one")
            time.sleep(0.01)

    with pytest.raises(ConnectionLost, match="can only be read at present"):
        write_again_and_again()
    calls = RetryingStore()
    calls.say = said.append
    adding = asyncio.create_task(calls.run(store.add_match, match, b""))
    await asyncio.sleep(0.3)
    assert not adding.done()
    await asyncio.to_thread(set_read_only, own_postgres.url, "off")
    assert await adding
    assert "can only be read at present" in said[0]
    assert "answers again" in said[-1]
    store.close()
    clear(own_postgres.url)


@pytest.fixture
def proxy(postgres):
    folder = postgres.partition("host=")[2]
    with StallingProxy(f"{folder}/.s.PGSQL.5432") as proxy:
        yield proxy
    clear(postgres)


def through(proxy):
    return f"postgresql://arena@127.0.0.1:{proxy.port}/postgres"


def test_a_network_that_loses_packets_is_noticed_by_the_kernel(proxy):
    store = Store(through(proxy))
    options = (socket.TCP_KEEPIDLE, socket.TCP_KEEPINTVL, socket.TCP_KEEPCNT, socket.TCP_USER_TIMEOUT)
    with store._database.connect() as connection:
        number = connection.connection.dbapi_connection.fileno()
        with socket.socket(fileno=socket.dup(number)) as own:
            assert own.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE) == 1
            times = [own.getsockopt(socket.IPPROTO_TCP, option) for option in options]
    assert times[0] + times[1] * times[2] <= 30
    assert 0 < times[3] <= 30_000
    store.close()


def test_a_server_that_falls_silent_is_given_up_and_asked_again(proxy, monkeypatch):
    """The kernel on the other side still answers for it, so that only a clock of ours can tell."""
    monkeypatch.setattr(watchdog, "ANSWER_S", 0.5)
    store = Store(through(proxy))
    match = some_match(store, "m1", 1)
    proxy.stall()
    started = time.monotonic()
    with pytest.raises(ConnectionLost):
        store.add_match(match, b"")
    assert time.monotonic() - started < 5
    proxy.flow()
    assert store.add_match(match, b"") is True
    store.close()


def test_a_server_ends_what_fell_silent_after_several_rows_in_one_statement(proxy, monkeypatch):
    """Else the rows that it holds are waited for as long as the connection looks alive to the server."""
    store = Store(through(proxy))
    match = some_match(store, "m1", 1)
    store._database.dispose()  # for connections with other limits
    monkeypatch.setattr(watchdog, "ANSWER_S", 0.4)
    monkeypatch.setattr(database, "IDLE_S", 0.3)

    def stall(connection, cursor, statement, *_):
        if "INTO seat_tallies" in statement:
            proxy.stall()

    event.listen(store._database, "after_cursor_execute", stall)
    with pytest.raises(ConnectionLost):
        store.add_match(match, b"")
    event.remove(store._database, "after_cursor_execute", stall)
    proxy.flow()
    deadline, kept = time.monotonic() + 5, False
    while not kept and time.monotonic() < deadline:
        with suppress(ConnectionLost):
            kept = store.add_match(match, b"")
    assert kept
    store.close()


def test_a_tournament_outlives_a_silent_network(proxy, monkeypatch):
    matches = []

    def tick():
        matches.append(1)
        if len(matches) == 4:
            proxy.stall()
            threading.Timer(1.0, proxy.flow).start()

    with monkeypatch.context() as patch:
        patch.setattr(watchdog, "ANSWER_S", 1.0)
        patch.setattr(database, "IDLE_S", 1)
        patch.setattr(database, "_CONNECT", {**database._CONNECT, "connect_timeout": "2"})
        patch.setattr(store_calls, "FIRST_PAUSE_S", 0.05)
        world = World(through(proxy))
        tournament, complete, seen = world.run(concurrency=2, tick=tick)
    assert complete
    assert proxy.connections > 1
    assert len(seen) == tournament.played == len(world.table(tournament)) == 12
    assert world.store.inconsistencies() == []
    world.store.close()
