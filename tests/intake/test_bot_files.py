"""The files of bots in a real PostgreSQL and in folders: kept once, proven when used, healed, and cleared away."""

import asyncio
import os
import re
import shutil
import subprocess
import sys
import threading
from contextlib import closing

import pytest
from sqlalchemy import text

from arena.bots.files import folder_digest
from arena.bots.launch import BotPlan, SandboxOptions, make_bot
from arena.bots.manifest import Builtin, Folder, read_manifest
from arena.bots.register import Registration
from arena.clock import TimeControl
from arena.errors import InfraError, UsageError
from arena.intake.bot_files import files_of, folder_of, remove_unused
from arena.intake.folder_storage import FolderStorage
from arena.intake.packing import MAX_PACKED_BYTES
from arena.intake.receiving import Intake, Submission
from arena.match import Contestant, Ending, MatchSpec
from arena.referee.faults import FORFEIT
from arena.referee.heartbeat import STEADY
from arena.sandboxes.base import Limits
from arena.store.files import PIECE_BYTES, DamagedFiles
from arena.store.sql import Store
from arena.submit.pipeline import _register
from arena.workers.base import Assignment
from arena.workers.worker import Worker
from engines.claim.game import GAME
from tests.kits.contestants import write_bot
from tests.kits.postgres import Server

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a PostgreSQL of its own, and processes that fill a folder")]


@pytest.fixture(scope="module")
def server():
    running = Server()
    yield running
    running.remove()


@pytest.fixture
def url(server):
    """Where an empty store is."""
    with closing(Store(server.url)) as store, store._database.begin() as connection:
        connection.execute(text("TRUNCATE bots, packed_files, file_pieces CASCADE"))
    return server.url


@pytest.fixture
def machine(url, tmp_path):
    """Opens the store on a machine of this name, which has folders of its own."""
    opened = []

    def open_on(name):
        store = Store(url, bots_folder=tmp_path / name / "cache", earlier_bots_folder=tmp_path / name / "data")
        opened.append(store)
        return store

    yield open_on
    for store in opened:
        store.close()


@pytest.fixture
def beside(tmp_path):
    with closing(Store(tmp_path / "beside/arena.db")) as store:
        yield store


@pytest.fixture(params=["folder", "database"])
def any_store(request):
    """A store of each kind."""
    if request.param == "folder":
        return request.getfixturevalue("beside")
    return request.getfixturevalue("machine")("a")


@pytest.fixture
def bot(tmp_path):
    folder = write_bot(tmp_path / "mine", "print('hello')")
    (folder / "data").mkdir()
    (folder / "data/run").write_text("#!/bin/sh\n")
    (folder / "data/run").chmod(0o755)
    (folder / "link").symlink_to("data/run")
    (folder / "weights").write_bytes(os.urandom(2 * PIECE_BYTES + 1))
    return folder


def keep(store, bot):
    """Keep a copy of this folder, as a submission does: its digest, and whether it was new."""
    files, digest = files_of(store), folder_digest(bot)
    with files.locked(), files.working_folder() as working:
        shutil.copytree(bot, working / "copy", symlinks=True)
        return digest, files.add(working / "copy", digest)


def rows(store, query):
    with store._database.connect() as connection:
        return connection.execute(text(query)).all()


def change(store, statement):
    with store._database.begin() as connection:
        connection.execute(text(statement))


def visible(folder):
    return sorted(path.name for path in folder.glob("[!.]*"))


def test_what_is_kept_on_one_machine_is_found_on_another_by_its_digest(machine, bot, tmp_path):
    digest, new = keep(machine("a"), bot)
    there = files_of(machine("b"))
    assert (new, there.has(digest), there.digests(), there.path_of(digest).exists()) == (True, True, [digest], False)
    found = there.fetch(digest)
    assert found == tmp_path / "b/cache" / digest.removeprefix("sha256:") == there.path_of(digest)
    assert folder_digest(found) == digest
    assert {path.stat().st_mode & 0o777 for path in (found, found / "data", found / "data/run")} == {0o555}
    assert (found / "bot.py").stat().st_mode & 0o777 == 0o444
    assert (found / "link").readlink().as_posix() == "data/run"
    assert visible(tmp_path / "b/cache") == [found.name]


def test_no_row_has_more_than_a_piece_and_none_is_written_twice(machine, bot):
    store = machine("a")
    digest, _ = keep(store, bot)
    sizes = rows(store, "SELECT length(data) FROM file_pieces ORDER BY number")
    assert [size for (size,) in sizes[:-1]] == [PIECE_BYTES] * (len(sizes) - 1)
    assert len(sizes) == 3
    before = rows(store, "SELECT xmin, number FROM file_pieces ORDER BY number")
    assert keep(machine("b"), bot) == (digest, False)
    assert rows(store, "SELECT xmin, number FROM file_pieces ORDER BY number") == before


def test_a_folder_is_kept_as_it_always_was(beside, bot):
    digest, new = keep(beside, bot)
    files = files_of(beside)
    assert (new, keep(beside, bot)[1], files.digests()) == (True, False, [digest])
    assert files.fetch(digest) == beside.bots_folder / digest.removeprefix("sha256:")
    assert rows(beside, "SELECT * FROM packed_files") == []


def gone(folder):
    shutil.rmtree(folder)


def lacking(folder):
    (folder / "bot.py").unlink()


def changed(folder):
    (folder / "bot.py").chmod(0o644)
    (folder / "bot.py").write_text("print('HELLO')")


def enriched(folder):
    (folder / "sitecustomize.py").touch()


def unreadable(folder):
    (folder / "bot.py").unlink()
    (folder / "bot.py").mkdir(mode=0)


@pytest.mark.parametrize("damage", [gone, lacking, changed, enriched, unreadable])
def test_a_damaged_cache_is_healed(machine, bot, damage, tmp_path):
    digest, _ = keep(machine("a"), bot)
    files = files_of(machine("a"))
    folder = files.fetch(digest)
    for top, _, _ in os.walk(folder):
        os.chmod(top, 0o755)
    damage(folder)
    assert folder_digest(files.fetch(digest)) == digest
    assert visible(tmp_path / "a/cache") == [folder.name]


DAMAGES = {
    "a changed byte": "UPDATE file_pieces SET data = set_byte(data, 9999, 255 - get_byte(data, 9999)) WHERE number = 1",
    "a piece less": "DELETE FROM file_pieces WHERE number = 1",
    "the last piece less": "DELETE FROM file_pieces WHERE number = 2",
    "a shorter piece": "UPDATE file_pieces SET data = substring(data, 2) WHERE number = 1",
    "a longer piece": "UPDATE file_pieces SET data = data || data WHERE number = 1",
    "another order": "UPDATE file_pieces SET number = number + 7 WHERE number < 2; "
    "UPDATE file_pieces SET number = 8 - number WHERE number > 6",
    "no archive": "UPDATE file_pieces SET data = decode(repeat('ab', length(data)), 'hex')",
    "too few bytes": "UPDATE packed_files SET bytes = 1000",
    "too many bytes": f"UPDATE packed_files SET bytes = {MAX_PACKED_BYTES + 1}",
}


@pytest.mark.parametrize("damage", DAMAGES)
def test_damaged_pieces_are_refused_as_our_own_failure_until_they_are_put_back(machine, bot, damage, tmp_path):
    digest, _ = keep(machine("a"), bot)
    for statement in DAMAGES[damage].split("; "):
        change(machine("a"), statement)
    files = files_of(machine("b"))
    with pytest.raises(
        DamagedFiles, match=f"the files with the digest {digest} are damaged in the store: submit"
    ) as said:
        files.fetch(digest)
    assert isinstance(said.value, InfraError)
    assert "\n" not in str(said.value)
    assert visible(tmp_path / "b/cache") == []
    assert keep(machine("c"), bot) == (digest, True)
    assert folder_digest(files.fetch(digest)) == digest


def test_the_files_of_another_bot_are_not_taken_for_it(machine, bot, tmp_path):
    first, _ = keep(machine("a"), bot)
    other, _ = keep(machine("a"), write_bot(tmp_path / "other", "print('other')"))
    change(machine("a"), f"DELETE FROM file_pieces WHERE digest = '{first}'")
    change(machine("a"), f"UPDATE file_pieces SET digest = '{first}' WHERE digest = '{other}'")
    change(machine("a"), "UPDATE packed_files SET bytes = (SELECT max(length(data)) FROM file_pieces)")
    with pytest.raises(DamagedFiles):
        files_of(machine("b")).fetch(first)


FETCH = """
import sys
from pathlib import Path
from arena.intake.bot_files import files_of
from arena.store.sql import Store
store = Store(sys.argv[1], bots_folder=Path(sys.argv[2]))
sys.stdin.readline()
print(files_of(store).fetch(sys.argv[3]))
"""


def test_processes_that_fill_the_cache_at_once_have_the_same_folder(machine, bot, url, tmp_path):
    digest, _ = keep(machine("a"), bot)
    words = [sys.executable, "-c", FETCH, url, str(tmp_path / "b"), digest]
    both = [subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) for _ in range(3)]
    for process in both:
        process.stdin.write("\n")
        process.stdin.flush()
    said = {process.communicate(timeout=120)[0].strip() for process in both}
    assert said == {str(tmp_path / "b" / digest.removeprefix("sha256:"))}
    assert folder_digest(tmp_path / "b" / digest.removeprefix("sha256:")) == digest
    assert sorted(path.name for path in (tmp_path / "b").iterdir()) == [".lock", digest.removeprefix("sha256:")]


STALLED = """
import sys, time
from arena.store.sql import Store

def pieces():
    yield b"x"
    print("half of it is written", flush=True)
    time.sleep(600)

Store(sys.argv[1]).add_files(sys.argv[2], pieces())
"""


def test_a_process_that_is_killed_while_it_writes_leaves_nothing(machine, bot, url):
    store, digest = machine("a"), folder_digest(bot)
    writer = subprocess.Popen([sys.executable, "-c", STALLED, url, digest], stdout=subprocess.PIPE, text=True)
    assert writer.stdout.readline() == "half of it is written\n"
    assert not store.has_files(digest)
    writer.kill()
    writer.wait()
    writer.stdout.close()
    assert keep(store, bot) == (digest, True)
    assert folder_digest(files_of(machine("b")).fetch(digest)) == digest


PEAK = """
import re, sys
from pathlib import Path
from arena.bots.files import folder_digest
from arena.intake.bot_files import files_of
from arena.store.sql import Store
here, there = (Store(sys.argv[1], bots_folder=Path(sys.argv[2], name)) for name in ("here", "there"))
for name in sys.argv[3:]:
    bot = Path(name)
    digest = folder_digest(bot)
    assert files_of(here).add(bot, digest)
    assert folder_digest(files_of(there).fetch(digest)) == digest
    print(int(re.search(r"VmHWM:\\s+(\\d+)", Path("/proc/self/status").read_text())[1]) >> 10)
"""


def test_a_large_bot_needs_no_more_memory_than_a_small_one(url, bot, tmp_path):
    (tmp_path / "here").mkdir()
    large = write_bot(tmp_path / "large", "print('hello')")
    (large / "weights").write_bytes(os.urandom(24 << 20))
    words = [sys.executable, "-c", PEAK, url, str(tmp_path), str(bot), str(large)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    small_mib, large_mib = map(int, done.stdout.split())
    print(f"most memory: {small_mib} MiB, with the large one {large_mib} MiB")
    assert large_mib - small_mib < 8


@pytest.mark.parametrize("damage", [gone, lacking, changed])
def test_a_copy_of_ours_that_is_damaged_while_it_plays_voids_the_match(any_store, bot, damage):
    digest, _ = keep(any_store, bot)
    folder, contestant = files_of(any_store).fetch(digest), Contestant("mine", "1", digest)
    for top, _, _ in os.walk(folder):
        os.chmod(top, 0o755)
    options = SandboxOptions("process", Limits(), ponder=False)
    plans = [
        BotPlan(contestant, Folder(folder, read_manifest(folder)), options),
        BotPlan(Contestant("random"), Builtin("random"), options),
    ]
    worker = Worker(GAME, lambda number: make_bot(GAME, plans[number], 1), policy=FORFEIT, heartbeat=STEADY)
    spec = MatchSpec(
        "m", "claim", GAME.configure(2, {}), 1, (contestant, Contestant("random")), TimeControl.parse("9s/move")
    )
    damage(folder)
    played = asyncio.run(worker.play((0, 1), Assignment(0, (0, 1), spec), new_leg=True))
    assert played.record.void
    assert {verdict.ending for verdict in played.record.verdicts} == {Ending.VOID}
    assert str(folder) in played.record.verdicts[0].sentence


def enter(store, digest, name="mine"):
    path = str(files_of(store).path_of(digest))
    return store.add_bot(name=name, version="1", owner="me", digest=digest, origin=path, games=["claim"])


def test_files_that_no_bot_refers_to_are_removed_and_those_of_retired_ones_stay(any_store, bot, tmp_path):
    kept, _ = keep(any_store, bot)
    unused, _ = keep(any_store, write_bot(tmp_path / "other", "print('other')"))
    enter(any_store, kept)
    any_store.retire_bot("mine")
    files = files_of(any_store)
    assert remove_unused(any_store) == [unused]
    assert (files.digests(), files.path_of(unused).exists()) == ([kept], False)
    assert folder_digest(files.fetch(kept)) == kept
    assert remove_unused(any_store) == []


def test_nothing_is_removed_while_a_bot_is_registered(any_store, bot):
    files, removed = files_of(any_store), []
    digest, _ = keep(any_store, bot)
    clearing = threading.Thread(target=lambda: removed.append(remove_unused(any_store)))
    with files.locked():
        clearing.start()
        clearing.join(0.5)
        assert clearing.is_alive()
        enter(any_store, digest)
    clearing.join(60)
    assert (removed, files.digests()) == ([[]], [digest])


def registration(**more):
    facts = {"name": "mine", "owner": "me", "games": ("claim",), "version": "1", "fixed": True}
    return Registration(**{**facts, **more})


def test_files_and_entry_are_kept_both_or_neither(any_store, bot, tmp_path):
    workplace = FolderStorage(any_store.bots_folder)
    any_store.add_bot(name="mine", version="1", owner="me", digest="sha256:0", origin="/x", games=["claim"])
    digest = folder_digest(bot)
    for version in ("1", "2"):
        copy = tmp_path / version
        shutil.copytree(bot, copy, symlinks=True)
        handed_in = Submission(Folder(copy, read_manifest(copy)), read_manifest(copy))
        with Intake(workplace, None) as intake:
            if version == "1":
                with pytest.raises(UsageError, match="there is a bot mine 1 already"):
                    _register(any_store, intake, handed_in, registration(version=version))
                assert (files_of(any_store).digests(), len(any_store.all_bots())) == ([], 1)
                assert visible(any_store.bots_folder) == []
            else:
                entry, new = _register(any_store, intake, handed_in, registration(version=version))
                assert (entry.digest, new, files_of(any_store).digests()) == (digest, True, [digest])


def test_what_an_earlier_arena_kept_in_the_users_folder_is_played_until_it_is_submitted_again(machine, bot, tmp_path):
    store, digest = machine("a"), folder_digest(bot)
    earlier = tmp_path / "a/data" / digest.removeprefix("sha256:")
    shutil.copytree(bot, earlier, symlinks=True)
    entry = enter(store, digest)
    assert rows(store, "SELECT origin FROM bots") == [(earlier.name,)]
    assert folder_of(store, entry) == earlier
    assert not folder_of(machine("b"), entry).exists()
    assert keep(store, bot) == (digest, True)
    shutil.rmtree(earlier)
    for name in ("a", "b"):
        opened = machine(name)
        (entry,) = opened.all_bots()
        assert folder_of(opened, entry) == tmp_path / name / "cache" / earlier.name
        assert folder_digest(folder_of(opened, entry)) == digest


def test_a_path_of_another_machine_is_found_in_the_store(machine, bot):
    digest, _ = keep(machine("a"), bot)
    store = machine("b")
    facts = {"name": "mine", "version": "1", "owner": "me", "games": ["claim"]}
    entry = store.add_bot(**facts, digest=digest, origin="/home/somebody/mine")
    assert folder_digest(folder_of(store, entry)) == digest


def test_somebodys_own_folder_is_left_where_it_is(any_store, bot):
    digest, _ = keep(any_store, bot)
    facts = {"name": "mine", "version": "1", "owner": "me", "games": ["claim"]}
    entry = any_store.add_bot(**facts, digest=digest, origin=str(bot))
    assert folder_of(any_store, entry) == bot


def test_a_cache_that_cannot_be_written_to_is_our_own_failure(machine, bot, tmp_path):
    digest, _ = keep(machine("a"), bot)
    (tmp_path / "b").mkdir()
    (tmp_path / "b/cache").touch()
    with pytest.raises(InfraError, match=re.escape(f"{tmp_path}/b/cache cannot be written to")):
        files_of(machine("b")).fetch(digest)
