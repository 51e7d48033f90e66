"""The rows of a contest, on SQLite and on a PostgreSQL of their own."""

import pytest

from arena.contest.people import NewPerson, People
from arena.contest.schema import PEOPLE
from arena.store.database import open_database
from tests.kits.postgres import Server


@pytest.fixture(scope="session")
def postgres():
    server = Server()
    yield server.url
    server.remove()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.slow)])
def database(request, tmp_path):
    """An empty database of a contest."""
    where = tmp_path / "people.db" if request.param == "sqlite" else request.getfixturevalue("postgres")
    engine = open_database(where, form=PEOPLE)
    yield engine
    if request.param == "postgresql":
        with engine.begin() as connection:
            connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    engine.dispose()


@pytest.fixture
def crew(database):
    """Alice and Bob, who are a team, Carol alone, and an organiser, by their names."""
    newcomers = [
        NewPerson("alice", "Alice A.", "reds"),
        NewPerson("bob", "", "reds"),
        NewPerson("carol"),
        NewPerson("lee", "Ms. Lee", "", "organiser"),
    ]
    return {issued.person.name: issued for issued in People(database).add(newcomers)}
