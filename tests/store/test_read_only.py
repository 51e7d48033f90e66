"""A store that is only read: nothing can be written through it, by whatever way."""

import pytest
from sqlalchemy import text

from arena.errors import ArenaError, UsageError
from arena.store.sql import Store
from tests.store import old_stores

pytestmark = pytest.mark.slow


@pytest.fixture
def reader(address):
    Store(address).close()
    store = Store(address, read_only=True)
    yield store
    store.close()


def test_what_others_write_is_read(address, reader):
    before = reader.data_version()
    writer = Store(address)
    bot = writer.add_bot(name="a", version="1", owner="", digest="a", origin="/x", games=["claim"])
    begun = writer.begin_tournament("claim", {"seed": 1})
    assert reader.all_bots() == [bot]
    assert reader.tournament(begun.id) == begun
    middle = reader.data_version()
    writer.finish_tournament(begun.id)
    writer.close()
    assert len({before, middle, reader.data_version()}) == 3


def test_nothing_is_written(reader):
    with pytest.raises(ArenaError):
        reader.add_bot(name="a", version="1", owner="", digest="a", origin="/x", games=["claim"])
    with pytest.raises(ArenaError):
        reader.begin_tournament("claim", {})
    for statement in ("DELETE FROM bots", "CREATE TABLE x (y INTEGER)", "UPDATE tournaments SET finished = true"):
        with pytest.raises(ArenaError), reader._database.begin() as connection:
            connection.execute(text(statement))
    assert reader.all_bots() == []


def test_an_old_form_is_refused_and_stays(address):
    engine = old_stores.make(address)
    with pytest.raises(UsageError, match="older Arena"):
        Store(address, read_only=True)
    with engine.connect() as connection:
        assert connection.execute(text("SELECT version_num FROM alembic_version")).scalar() == old_stores.OLDEST
    engine.dispose()


def test_a_file_that_is_not_there_is_not_made(tmp_path):
    with pytest.raises(UsageError, match="there is no store"):
        Store(tmp_path / "none.db", read_only=True)
    assert list(tmp_path.iterdir()) == []


def test_matches_against_a_second_bot(address):
    from tests.kits.sites import make_store

    store = make_store(address, games=["claim"])
    meetings = store.latest_matches(bot_id=1, against=2, limit=50)
    assert len(meetings) == 2
    assert all({seat.bot_id for seat in match.entry.seats} == {1, 2} for match in meetings)
    assert store.latest_matches(bot_id=1, against=2, before=meetings[0].number) == meetings[1:]
    assert store.latest_matches(bot_id=1, against=99) == []
    store.close()
