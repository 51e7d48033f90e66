"""A store in PostgreSQL that several machines use: what is submitted on one is played, exported and kept on all."""

import json
import shutil
from contextlib import closing

import pytest
from sqlalchemy import text

from arena.store.sql import Store
from tests.kits.contestants import arena, choosing, need_bubblewrap, write_bot
from tests.kits.postgres import Server
from tests.store.old_stores import plain_engine

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="submissions are played in sandboxes")]

PATIENT = ("--clock", "30s/move")  # the machine may be busy, and these tests are not about time


@pytest.fixture(scope="module")
def server():
    running = Server()
    yield running
    running.remove()


@pytest.fixture(scope="module")
def submitted(server, tmp_path_factory):
    """A store with a bot that was submitted on a machine which is gone since; the folder that was handed in."""
    need_bubblewrap()
    home = tmp_path_factory.mktemp("gone")
    bot = write_bot(home / "mine", choosing("return turn.legal[0]"))
    with pytest.MonkeyPatch.context() as patch:
        use(patch, home)
        done = arena("submit", bot, "--owner", "alice", "--db", server.url, *PATIENT)
    assert done.exit_code == 0, done.output
    shutil.rmtree(home / "data", ignore_errors=True)
    shutil.rmtree(home / "cache")
    return bot


@pytest.fixture
def url(server, submitted):
    """A copy of that store, as its programs make it: all that the database knows."""
    engine = plain_engine(server.url)
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("DROP DATABASE IF EXISTS copied WITH (FORCE)"))
    engine.dispose()
    engine = plain_engine(server.url.replace("/postgres", "/template1"))
    with engine.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(text("CREATE DATABASE copied TEMPLATE postgres"))
    engine.dispose()
    return server.url.replace("/postgres", "/copied")


@pytest.fixture
def on(monkeypatch, tmp_path):
    """Goes to a machine of this name, whose folders are empty at first."""

    def go(name):
        use(monkeypatch, tmp_path / name)
        return tmp_path / name

    return go


def use(patch, home):
    patch.setenv("HOME", str(home))
    patch.setenv("XDG_DATA_HOME", str(home / "data"))
    patch.setenv("XDG_CACHE_HOME", str(home / "cache"))


def play(url, *more):
    words = ("--game", "claim", "--bots", "mine,random", "--rounds", 1, "--db", url)
    return arena("tournament", *words, *PATIENT, *more)


def change(url, statement):
    engine = plain_engine(url)
    with engine.begin() as connection:
        connection.execute(text(statement))
    engine.dispose()


def entry(url):
    with closing(Store(url)) as store:
        return store.bot_versions("mine")[0]


def test_a_bot_that_was_submitted_elsewhere_is_played_here_and_travels_on(url, on, tmp_path):
    home, digest = on("b"), entry(url).digest
    played = play(url)
    assert played.exit_code == 0, played.output
    folder = home / "cache/arena/bots" / digest.removeprefix("sha256:")
    assert (folder / "bot.toml").is_file()
    assert not (home / "data").exists()
    shown = arena("bots", "show", "mine", "--db", url)
    assert f"folder     {folder}" in shown.output

    on("c")
    out = arena("export", 1, "-o", tmp_path / "cup.tar", "--with-bots", "--db", url)
    assert out.output.endswith("with the files of: mine 1\n"), out.output
    on("d")
    there = tmp_path / "there/arena.db"
    assert arena("import", tmp_path / "cup.tar", "--db", there).exit_code == 0
    assert (there.parent / "bots" / folder.name / "bot.toml").is_file()
    change(url, "DROP SCHEMA public CASCADE; CREATE SCHEMA public")
    brought = arena("import", tmp_path / "cup.tar", "--db", url, "--rated")
    assert (brought.exit_code, "files missing" in brought.output) == (0, False), brought.output

    on("e")
    again = play(url, "--seed", 5)
    assert again.exit_code == 0, again.output
    assert arena("verify", "--db", url).exit_code == 0


def test_damaged_files_are_nobodys_fault_and_a_submission_puts_them_back(url, on, submitted):
    on("b")
    change(url, "UPDATE file_pieces SET data = set_byte(data, 600, 255 - get_byte(data, 600))")
    refused = play(url)
    digest = entry(url).digest
    assert (refused.exit_code, refused.stdout) == (1, "")
    assert f"the files with the digest {digest} are damaged in the store: submit the same bot again\n" in refused.stderr
    assert refused.stderr.count("\n") == 1
    with closing(Store(url)) as store:
        assert (store.matches(), store.tournaments()) == ([], [])
    on("c")
    healed = arena("submit", submitted, "--owner", "alice", "--db", url, *PATIENT)
    assert (
        "exactly this is registered already; its files, which were missing or changed, are kept again" in healed.output
    )
    on("b")
    assert play(url).exit_code == 0


def test_files_that_nothing_refers_to_are_pruned_where_no_other_store_can_need_them(url, on, tmp_path):
    home, digest = on("b"), entry(url).digest
    assert arena("bots", "retire", "mine", "--db", url).exit_code == 0
    assert json.loads(arena("bots", "prune", "--json", "--db", url).output) == {"removed": []}
    change(url, "DELETE FROM bots WHERE name = 'mine'")
    assert arena("bots", "prune", "--db", url).output == "removed the files of 1 bot that nothing refers to\n"
    with closing(Store(url)) as store:
        assert store.kept_files() == []

    Store(home / "arena.db").close()
    folder = home / "bots" / digest.removeprefix("sha256:")
    folder.mkdir(parents=True)
    refused = arena("bots", "prune", "--db", home / "arena.db")
    assert (refused.exit_code, "other stores may share: none is removed" in refused.stderr) == (2, True)
    assert folder.is_dir()


def test_files_in_the_folder_of_an_earlier_arena_are_played_and_submitted_into_the_store(url, on, submitted):
    home, digest = on("b"), entry(url).digest
    change(url, "TRUNCATE packed_files CASCADE")
    gone = play(url)
    assert gone.exit_code == 2
    assert "the folder of mine 1 is gone" in gone.stderr
    shutil.copytree(submitted, home / "data/arena/bots" / digest.removeprefix("sha256:"))
    assert play(url).exit_code == 0
    again = arena("submit", submitted, "--owner", "alice", "--db", url, *PATIENT)
    assert again.exit_code == 0, again.output
    on("c")
    assert arena("tournament", "resume", 1, "--db", url).exit_code == 0
    assert play(url, "--seed", 5).exit_code == 0
