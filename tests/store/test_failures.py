"""A database that cannot be used, met by the command itself: one sentence that says what to do, never a traceback."""

import os
import resource
import sqlite3
import subprocess
import sys
from contextlib import closing

import pytest

from arena.errors import InfraError
from arena.store import database as engine
from arena.store.sql import Store
from tests.kits.contestants import arena
from tests.kits.needs import need
from tests.store.old_stores import plain_engine

pytestmark = pytest.mark.slow


def refusal(where, code, *words, command=("bots", "list")):
    """The one sentence with which the command fails."""
    done = arena(*command, "--db", where)
    assert done.exit_code == code, done.output
    assert (done.stdout, done.stderr.count("\n")) == ("", 1), done.output
    assert done.stderr.startswith("Error: the ")
    for word in words:
        assert word in done.stderr
    return done.stderr


@pytest.fixture
def path(tmp_path):
    """An SQLite file with the tables of a store."""
    Store(tmp_path / "arena.db").close()
    return tmp_path / "arena.db"


def change(path, *statements):
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_a_text_file(tmp_path):
    (tmp_path / "text").write_text("not a database, but long enough to be taken for one " * 20)
    refusal(tmp_path / "text", 2, "text is not a store of Arena: name another one with --db")


def test_a_folder(tmp_path):
    refusal(tmp_path, 2, "cannot be opened: name a file with --db")


@pytest.mark.parametrize("name", ["text/arena.db", "text/further/arena.db"])
def test_a_folder_that_cannot_be_made(tmp_path, name):
    (tmp_path / "text").write_text("no folder")
    words = ("the folder of the store", "cannot be made", "name a file in another one with --db")
    refusal(tmp_path / name, 2, *words, command=("tournament", "--game", "claim"))


def test_a_file_cut_in_half(path):
    path.write_bytes(path.read_bytes()[:5000])
    refusal(path, 1, "is damaged: put back a copy of it")


def test_tables_of_another_program(tmp_path):
    change(tmp_path / "db", "CREATE TABLE bots (x)")
    refusal(tmp_path / "db", 1, "returned an unexpected error", "bots already exists")


def test_a_table_that_is_gone(path):
    change(path, "DROP TABLE seats", "DROP TABLE matches", "DROP TABLE bots")
    refusal(path, 1, "returned an unexpected error", "no such table: bots")


def test_a_store_of_a_newer_arena(path):
    change(path, "UPDATE alembic_version SET version_num = '9999'")
    refusal(path, 2, "was made by a newer Arena: upgrade Arena")


def test_a_store_that_another_program_holds(path, monkeypatch):
    monkeypatch.setattr(engine, "_PRAGMAS", ("busy_timeout=50",))
    with closing(sqlite3.connect(path, isolation_level=None)) as holder:
        holder.execute("BEGIN IMMEDIATE")
        refusal(path, 1, "is held by another program", command=("bots", "retire", "somebody"))


def test_a_file_that_may_not_be_written(tmp_path, path):
    """Root may write everything, so a read-only mount stands for a missing permission."""
    need(None if os.geteuid() == 0 else "mounting needs root")
    mount = f"mount --bind {tmp_path} {tmp_path} && mount -o remount,bind,ro {tmp_path}"
    command = f"exec {sys.executable} -m arena bots retire somebody --db {path}"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-c", f"{mount} && {command}"],
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert (done.returncode, done.stderr.count("\n")) == (2, 1), done.stderr
    assert "is not writable" in done.stderr or "cannot be opened: name a file" in done.stderr


def test_a_full_disk(path):
    """A file that may not grow stands for it: the kernel refuses the write in the same call."""

    def limit():
        resource.setrlimit(resource.RLIMIT_FSIZE, (path.stat().st_size, path.stat().st_size))

    code = (
        "import sys; from arena.store.sql import Store\n"
        "store = Store(sys.argv[1])\n"
        "for number in range(10_000):\n"
        "    store.add_bot(name=f'bot{number}', version='1', owner='', digest='x' * 80, origin='y' * 900, games=[])\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path], preexec_fn=limit, capture_output=True, text=True, check=False
    )
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("arena.errors.InfraError: the store "), last
    assert "check its disk" in last or "make room" in last


def test_a_number_that_no_column_holds(path):
    done = arena("tournament", "resume", 10**30, "--db", path)
    assert (done.exit_code, done.stderr.count("\n")) == (2, 1)
    assert "there is no tournament 1000" in done.stderr


def test_a_name_with_a_question_mark_is_a_name(tmp_path):
    Store(tmp_path / "cup?mode=ro.db").close()
    assert (tmp_path / "cup?mode=ro.db").exists()


# -- PostgreSQL -----------------------------------------------------------------------------------------------


@pytest.mark.real(reason="needs PostgreSQL, or waits for one")
@pytest.mark.parametrize(
    "url",
    ["postgresql://me:secret@127.0.0.1:1/x", "postgresql://me@host.invalid/x?password=secret", "postgresql://me@/x?host=/none"],
)  # fmt: skip
def test_a_server_that_does_not_answer(url):
    said = refusal(url, 1, "does not answer: see that PostgreSQL runs")
    assert "secret" not in said
    assert "psycopg" not in said


@pytest.mark.real(reason="needs PostgreSQL, or waits for one")
def test_an_option_that_there_is_not(postgres):
    refusal(f"{postgres}&bogus=1", 2, "cannot be reached in this way: write postgresql://")


@pytest.mark.real(reason="needs PostgreSQL, or waits for one")
def test_a_database_that_there_is_not(postgres):
    refusal(postgres.replace("/postgres?", "/nowhere?"), 2, "does not exist: make it with createdb")


@pytest.mark.real(reason="needs PostgreSQL, or waits for one")
@pytest.mark.parametrize("encoding", ["SQL_ASCII", "LATIN1"])
def test_a_database_in_an_encoding_without_every_letter(postgres, encoding):
    maker = plain_engine(postgres).execution_options(isolation_level="AUTOCOMMIT")
    with maker.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE small ENCODING '{encoding}' LOCALE 'C' TEMPLATE template0")
    try:
        said = f"the database small has the encoding {encoding}, and a store needs UTF8: make another one"
        refusal(postgres.replace("/postgres?", "/small?"), 2, said)
    finally:
        with maker.connect() as connection:
            connection.exec_driver_sql("DROP DATABASE small WITH (FORCE)")
        maker.dispose()


@pytest.mark.real(reason="needs PostgreSQL, or waits for one")
def test_a_client_whose_surroundings_name_another_encoding(postgres, monkeypatch):
    monkeypatch.setenv("PGCLIENTENCODING", "SQL_ASCII")
    assert arena("bots", "list", "--db", postgres).exit_code == 0


@pytest.mark.real(reason="needs PostgreSQL, or waits for one")
def test_a_postgres_of_a_newer_arena(own_postgres):
    store = Store(own_postgres.url)
    with store._database.begin() as connection:
        connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'")
    refusal(own_postgres.url, 2, "was made by a newer Arena: upgrade Arena")
    with store._database.begin() as connection:
        connection.exec_driver_sql("DELETE FROM alembic_version")
    store.close()
    refusal(own_postgres.url, 1, "returned an unexpected error", "already exists")
    with store._database.begin() as connection:
        connection.exec_driver_sql("DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    store.close()


@pytest.mark.real(reason="needs PostgreSQL, or waits for one")
def test_a_wrong_password_and_a_missing_right(own_postgres):
    access = own_postgres.data / "pg_hba.conf"
    store = Store(own_postgres.url)
    with store._database.begin() as connection:
        connection.exec_driver_sql("CREATE ROLE guest LOGIN PASSWORD 'right'")
    store.close()
    before = access.read_text()
    access.write_text(f"local all guest scram-sha-256\n{before}")
    own_postgres.stop()
    own_postgres.start()
    guest = own_postgres.url.replace("arena@", "guest:{}@")
    assert "wrong" not in refusal(guest.format("wrong"), 2, "rejects this user name or password")
    refusal(guest.format("right"), 2, "is not writable")


@pytest.mark.real(reason="needs PostgreSQL, or waits for one")
def test_a_server_that_is_restarted_in_the_middle(own_postgres):
    store = Store(own_postgres.url)
    store.all_bots()
    own_postgres.stop()
    with pytest.raises(InfraError, match=r"does not answer|went away"):
        store.all_bots()
    own_postgres.start()
    assert store.all_bots() == []  # a connection of before the restart is not used again
    with store._database.connect() as connection:
        own_postgres.stop()
        with pytest.raises(InfraError, match=r"does not answer|went away"):
            connection.exec_driver_sql("SELECT 1")
    own_postgres.start()
    assert store.all_bots() == []
    store.close()
