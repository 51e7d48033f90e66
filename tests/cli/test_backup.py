"""A whole store as one file: complete, consistent while it is written to, and put back without replacing anything."""

import io
import json
import tarfile
import threading
from contextlib import closing
from dataclasses import replace

import pytest

from arena.store.base import MatchEntry, SeatResult
from arena.store.leases import Holder
from arena.store.sql import Store
from tests.kits.contestants import arena, write_bot
from tests.kits.fields import play_tournament
from tests.store import old_stores

PLAYS = """
def choose(self, turn):
    return turn.legal[0]
"""


def submitted(folder):
    """A store with a bot whose folder is kept under its digest, as a submission leaves it."""
    from arena.bots.files import folder_digest
    from arena.intake.folder_storage import FolderStorage

    write_bot(folder / "mine", PLAYS)
    (folder / "mine" / "run.sh").write_text("#!/bin/sh\n")
    (folder / "mine" / "run.sh").chmod(0o755)
    digest, storage = folder_digest(folder / "mine"), FolderStorage(folder / "bots")
    storage.folder.mkdir()
    storage.add(folder / "mine", digest)
    path = storage.fetch(digest)
    with closing(Store(folder / "arena.db")) as store:
        return store.add_bot(name="mine", version="1", owner="me", digest=digest, origin=str(path), games=["claim"])


def test_a_store_comes_back_elsewhere_with_its_bots_and_is_true(tmp_path):
    (tmp_path / "here").mkdir()
    play_tournament(tmp_path / "here", rounds=1)
    bot = submitted(tmp_path / "here")
    done = arena("backup", tmp_path / "cup.tar", "--db", tmp_path / "here" / "arena.db")
    assert (done.exit_code, done.output.partition(", ")[2]) == (0, "with the folders of 1 bot\n"), done.output
    (tmp_path / "here").rename(tmp_path / "gone")
    there = tmp_path / "there" / "arena.db"
    done = arena("restore", tmp_path / "cup.tar", "--db", there)
    assert (done.exit_code, done.output.partition(", ")[2]) == (0, "with the folders of 1 bot\n"), done.output
    assert arena("verify", "--db", there).exit_code == 0
    with closing(Store(there)) as store, closing(Store(tmp_path / "gone" / "arena.db")) as before:
        own = next(each for each in store.all_bots() if each.name == "mine")
        assert own == replace(bot, origin=str(tmp_path / "there" / "bots" / bot.digest.removeprefix("sha256:")))
        assert list(store.kept(1)) == list(before.kept(1))
    assert (tmp_path / "there" / "bots" / bot.digest[7:] / "run.sh").stat().st_mode & 0o777 == 0o555
    assert {path.name for path in (tmp_path / "there").iterdir()} <= {
        "arena.db",
        "bots",
        "arena.db-wal",
        "arena.db-shm",
    }
    assert not list(tmp_path.glob(".*"))


def test_a_backup_is_consistent_while_a_tournament_is_written(tmp_path):
    path, enough = tmp_path / "arena.db", threading.Event()
    store = Store(path)
    bots = [store.add_bot(name=name, version="1", owner="", digest=name, origin="/x", games=["claim"]) for name in "ab"]
    cup = store.begin_tournament("claim", {"rounds": 3})
    store.report_run("r", cup.id, {})
    store.take_lease("runner", Holder("elsewhere", 1, "", ""), lambda _: False)
    seats = tuple(SeatResult(bot.id, rank, 0.0, "NORMAL", "", 1, 1) for rank, bot in enumerate(bots, 1))

    def play():
        count = 0
        while not enough.is_set():
            store.add_match(MatchEntry(cup.id, f"m{count:06}", count, "", 0, "", 9, "", seats), b"r" * 5000)
            count += 1

    player = threading.Thread(target=play)
    player.start()
    try:
        for number in range(4):
            done = arena("backup", tmp_path / "cup.tar", "--db", path)
            assert done.exit_code == 0, done.output
            assert arena("restore", tmp_path / "cup.tar", "--db", tmp_path / f"{number}.db").exit_code == 0
    finally:
        enough.set()
        player.join()
    kept = [0]
    for number in range(4):
        with closing(Store(tmp_path / f"{number}.db")) as copy:
            assert copy.inconsistencies() == []
            assert copy.runs() == []  # nobody plays with the copy
            assert copy.take_lease("runner", Holder("here", 2, "", ""), lambda _: False).epoch == 2
            assert [match.ordinal for match in copy.matches()] == list(range(copy.latest_number()))
            kept.append(copy.latest_number())
    assert kept == sorted(kept)
    assert 0 < kept[-1] <= store.latest_number()
    store.close()


def test_an_earlier_form_is_backed_up_as_it_is_and_brought_up_to_date_when_it_is_restored(tmp_path):
    old = old_stores.written(tmp_path / "old.db", old_stores.OLDEST)
    assert arena("backup", tmp_path / "cup.tar", "--db", old).exit_code == 0
    engine = old_stores.plain_engine(str(old))
    with engine.connect() as connection:
        assert connection.exec_driver_sql("SELECT version_num FROM alembic_version").scalar() == old_stores.OLDEST
    engine.dispose()
    assert arena("restore", tmp_path / "cup.tar", "--db", tmp_path / "new.db").exit_code == 0
    assert arena("verify", "--db", tmp_path / "new.db").exit_code == 0


def refusal(*words):
    done = arena(*words)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.output
    return done.stderr


def test_nothing_is_replaced(tmp_path):
    path = tmp_path / "arena.db"
    Store(path).close()
    assert arena("backup", tmp_path / "cup.tar", "--db", path).exit_code == 0
    facts = json.loads(arena("backup", tmp_path / "cup.tar", "--db", path, "--json").stdout)
    assert facts == {"file": str(tmp_path / "cup.tar"), "store": str(path), "bots": 0}
    before = path.read_bytes()
    assert "nothing is replaced: name a new file" in refusal("restore", tmp_path / "cup.tar", "--db", path)
    assert path.read_bytes() == before


def test_postgres_has_programs_of_its_own(tmp_path):
    url = "postgresql://me:secret@host/name"
    said = refusal("backup", tmp_path / "x.tar", "--db", url)
    assert "pg_dump --format=custom --file=FILE URL" in said
    assert "the files of submitted bots are in it" in said
    assert "secret" not in said
    (tmp_path / "x.tar").write_bytes(b"")
    assert "pg_restore" in refusal("restore", tmp_path / "x.tar", "--db", url)


def test_what_is_no_store_is_not_backed_up(tmp_path):
    assert "there is no store" in refusal("backup", tmp_path / "x.tar", "--db", tmp_path / "none.db")
    (tmp_path / "text").write_text("no database at all, but long enough " * 99)
    assert "is not a store of Arena" in refusal("backup", tmp_path / "x.tar", "--db", tmp_path / "text")
    assert not (tmp_path / "x.tar").exists()


def rewritten(path, change):
    """The backup with other members."""
    with tarfile.open(path) as backup:
        members = {member.name: backup.extractfile(member).read() for member in backup}
    change(members)
    with tarfile.open(path, "w") as backup:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            backup.addfile(entry, io.BytesIO(data))


def with_a_way_out(members):
    members["../outside"] = b"x"


def without_the_database(members):
    del members["arena.db"]


def under_another_digest(members):
    name = next(name for name in members if name.startswith("bots/"))
    members["bots/" + "0" * 64 + ".tar"] = members.pop(name)


def with_a_bot_that_is_none(members):
    name = next(name for name in members if name.startswith("bots/"))
    members[name] = b"garbage" * 999


@pytest.mark.parametrize(
    "change", [with_a_way_out, without_the_database, under_another_digest, with_a_bot_that_is_none]
)
def test_another_file_is_refused_and_leaves_no_store(tmp_path, change):
    (tmp_path / "here").mkdir()
    submitted(tmp_path / "here")
    assert arena("backup", tmp_path / "cup.tar", "--db", tmp_path / "here" / "arena.db").exit_code == 0
    rewritten(tmp_path / "cup.tar", change)
    refusal("restore", tmp_path / "cup.tar", "--db", tmp_path / "there" / "arena.db")
    assert not (tmp_path / "outside").exists()
    assert {path.name for path in (tmp_path / "there").iterdir()} <= {"bots"}
