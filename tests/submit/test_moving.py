"""A store and the folder of its bots, moved, copied and damaged."""

import shutil
import sqlite3
from contextlib import closing

import pytest

from arena.store.sql import Store
from arena.tournaments.field import check_present
from tests.kits.contestants import arena, choosing, need_bubblewrap, write_bot

PATIENT = ("--clock", "30s/move")  # the machine may be busy, and these tests are not about time


@pytest.fixture
def bot(tmp_path):
    need_bubblewrap()
    return write_bot(tmp_path / "mine", choosing("return turn.legal[0]"))


@pytest.fixture
def home(bot, tmp_path):
    """The folder of a store with a bot that was handed in."""
    assert submit(bot, tmp_path / "home").exit_code == 0
    return tmp_path / "home"


def submit(bot, home):
    return arena("submit", bot, "--owner", "alice", "--db", home / "arena.db", *PATIENT)


def play(home):
    return arena(
        "tournament", "--game", "claim", "--bots", "mine@1,random", "--rounds", 1, "--db", home / "arena.db", *PATIENT
    )


def entry(home):
    store = Store(home / "arena.db")
    try:
        return store.bot_versions("mine")[0]
    finally:
        store.close()


def origins(home):
    with closing(sqlite3.connect(home / "arena.db")) as database, database:
        return [origin for (origin,) in database.execute("select origin from bots where name = 'mine'")]


def remember_path(home):
    """As stores did before: with the whole path of the copy."""
    with closing(sqlite3.connect(home / "arena.db")) as database, database:
        database.execute("update bots set origin = ? where name = 'mine'", [entry(home).origin])


@pytest.mark.slow
@pytest.mark.parametrize("earlier", [False, True], ids=["by digest", "by path"])
def test_a_store_that_was_moved_with_its_folder_plays(home, tmp_path, earlier):
    if earlier:
        remember_path(home)
    assert origins(home) == ([entry(home).origin] if earlier else [entry(home).digest.removeprefix("sha256:")])
    shutil.move(home, tmp_path / "elsewhere")
    assert entry(tmp_path / "elsewhere").origin.startswith(f"{tmp_path}/elsewhere/bots/")
    played = play(tmp_path / "elsewhere")
    assert played.exit_code == 0, played.output


@pytest.mark.slow
def test_a_copy_of_a_store_plays_its_own_bots(home, tmp_path):
    copy = tmp_path / "copy"
    shutil.copytree(home, copy)
    assert entry(copy).origin == f"{copy}/bots/{entry(home).digest.removeprefix('sha256:')}"
    for one in (home, copy):
        check_present(entry(one))
    (tmp_path / "link.db").symlink_to(copy / "arena.db")
    assert arena("bots", "show", "mine", "--db", tmp_path / "link.db").output.count(entry(copy).origin) == 1


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["gone", "changed", "unreadable"])
def test_a_submission_heals_the_copy(home, bot, damage):
    copy = home / "bots" / entry(home).digest.removeprefix("sha256:")
    copy.chmod(0o755)
    (copy / "bot.py").unlink()
    if damage == "gone":
        shutil.rmtree(copy)
    elif damage == "unreadable":
        (copy / "bot.py").mkdir(mode=0)
    before = entry(home)
    healed = submit(bot, home)
    assert healed.exit_code == 0, healed.output
    assert (
        "exactly this is registered already; its files, which were missing or changed, are kept again" in healed.output
    )
    assert entry(home) == before
    check_present(before)
    assert sorted(path.name for path in (home / "bots").iterdir()) == [".lock", copy.name]
    assert "exactly this is registered already; nothing is new" in submit(bot, home).output
