"""The store's tests run on SQLite and on a PostgreSQL of their own."""

import pytest

from arena.store.sql import Store
from tests.kits.postgres import Server
from tests.store.old_stores import plain_engine


@pytest.fixture(scope="session")
def postgres():
    """The URL of a fresh PostgreSQL that all tests share."""
    server = Server()
    yield server.url
    server.remove()


@pytest.fixture(scope="session")
def own_postgres():
    """A PostgreSQL that a test may stop, if it starts it again."""
    server = Server()
    yield server
    server.remove()


@pytest.fixture(params=["sqlite", pytest.param("postgres", marks=pytest.mark.real(reason="a PostgreSQL of its own"))])
def address(request, tmp_path):
    """Where an empty store is."""
    if request.param == "sqlite":
        yield str(tmp_path / "arena.db")
        return
    url = request.getfixturevalue("postgres")
    yield url
    engine = plain_engine(url)
    with engine.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    engine.dispose()


@pytest.fixture
def store(address):
    """An empty store."""
    opened = Store(address)
    yield opened
    opened.close()
