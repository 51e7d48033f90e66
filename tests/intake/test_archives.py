"""What is refused before a byte of it is written, and what is taken, in every shape that a folder can come in."""

import io
import os
import re
import shutil
import socket
import tarfile
from itertools import count

import pytest

from arena.bots.files import folder_digest
from arena.errors import UsageError
from arena.intake.entries import Entry
from arena.intake.folders import receive
from arena.intake.unpacking import unpack
from arena.untrusted.tar import Kind
from tests.intake.hostile_archives import BOT, CASES, member, tar
from tests.kits.contestants import arena, choosing, write_bot

pytestmark = pytest.mark.slow


@pytest.fixture
def working_folder(tmp_path):
    place = tmp_path / "working_folder"
    place.mkdir()
    return place


@pytest.fixture
def bot(tmp_path):
    folder = write_bot(tmp_path / "mine", choosing("return turn.legal[0]"))
    (folder / "sub").mkdir()
    (folder / "sub/run.sh").write_text("#!/bin/sh\n")
    (folder / "sub/run.sh").chmod(0o700)
    (folder / "sub/link").symlink_to("../bot.py")
    (folder / "größe 1.txt").write_text("names may be of any language")
    return folder


LITTER = {"__pycache__", ".git", ".vscode", ".DS_Store", "bot.py~", ".bot.py.swp"}


def litter(folder):
    for name in ("__pycache__", ".git", ".vscode"):
        (folder / name).mkdir()
        (folder / name / "x").touch()
    for name in (".DS_Store", "bot.py~", ".bot.py.swp"):
        (folder / name).touch()


@pytest.mark.parametrize(("make", "complaint"), CASES)
def test_a_hostile_archive_is_refused_with_the_reason(make, complaint, tmp_path):
    (tmp_path / "evil.tar").write_bytes(make())
    result = arena("submit", tmp_path / "evil.tar", "--owner", "me", "--db", tmp_path / "store/arena.db")
    assert result.exit_code == 2, result.output
    assert result.stderr.startswith("Error: ")
    assert result.stderr.rstrip("\n").isprintable()
    assert re.search(complaint, result.stderr), result.stderr
    assert list((tmp_path / "store/bots").iterdir()) == []


@pytest.mark.parametrize("shape", ["tar", "gztar", "xztar", "zip", "inner folder", "folder"])
def test_a_folder_is_the_same_in_every_shape(shape, bot, tmp_path, working_folder):
    """What version control, editors and file managers keep in it is in none of them."""
    if shape == "zip":  # Python's own packer forgets links, so the link is left out
        (bot / "sub/link").unlink()
    digest = folder_digest(bot)
    litter(bot)
    litter(bot / "sub")
    path = bot
    if shape == "inner folder":
        path = tmp_path / shutil.make_archive(tmp_path / "packed", "tar", tmp_path, "mine")
    elif shape != "folder":
        path = tmp_path / shutil.make_archive(tmp_path / "packed", shape, bot)
    received = receive(path, working_folder, "it")
    assert received.manifest.name == "mine"
    assert folder_digest(received.path) == folder_digest(bot) == digest
    assert not [found for found in received.path.rglob("*") if LITTER & {*found.parts}]


def test_a_hard_link_inside_is_a_file(tmp_path, working_folder):
    archive = tmp_path / "x.tar"
    archive.write_bytes(tar(BOT, member("a", data=b"same"), member("b", tarfile.LNKTYPE, link="a")))
    folder = receive(archive, working_folder, "it").path
    assert (folder / "b").read_bytes() == b"same"
    assert (folder / "b").stat().st_nlink == 1


@pytest.mark.parametrize(
    "entry",
    [
        Entry(name="out/x", kind=Kind.FILE),
        Entry(name="out/x", kind=Kind.DIRECTORY),
        Entry(name="a", kind=Kind.SYMLINK, target="out/x"),
    ],
    ids=lambda entry: entry.kind.value,
)
def test_nothing_is_written_through_a_link_that_the_names_did_not_tell_of(entry, tmp_path):
    target, outside, passes = tmp_path / "target", tmp_path / "outside", count()
    outside.mkdir()

    def read():
        if next(passes):  # the names were looked through; whatever put it there, a link is on the disk now
            (target / "out").symlink_to(outside)
        yield entry, io.BytesIO()

    with pytest.raises(UsageError, match="would lead out of the folder"):
        unpack(read, target, "it")
    assert not list(outside.iterdir())


def test_times_stay_and_rights_do_not(bot, working_folder):
    (bot / "bot.py").chmod(0o666)
    os.utime(bot / "bot.py", (1e9, 1e9))
    folder = receive(bot, working_folder, "it").path
    assert (folder / "bot.py").stat().st_mtime == 1e9
    assert {oct(path.stat().st_mode & 0o7777) for path in folder.rglob("*.py")} == {"0o644"}
    assert (folder / "sub/run.sh").stat().st_mode & 0o7777 == 0o755


def put_pipe(folder):
    os.mkfifo(folder / "odd")


def put_socket(folder):
    with socket.socket(socket.AF_UNIX) as line:
        os.chdir(folder)
        line.bind("odd")


def put_setuid(folder):
    (folder / "odd").touch()
    (folder / "odd").chmod(0o4755)


def put_link_out(folder):
    (folder / "odd").symlink_to("/etc/passwd")


def put_bytes_name(folder):
    (folder / os.fsdecode(b"\xff")).touch()


def put_hole(folder):
    with (folder / "odd").open("wb") as file:
        file.truncate(1 << 40)


ODD = {
    put_pipe: "'odd' is a pipe, socket or device",
    put_socket: "'odd' is a pipe, socket or device",
    put_setuid: "'odd' has a setuid",
    put_link_out: "'odd' is a link to '/etc/passwd', out of the folder",
    put_bytes_name: "is not valid UTF-8",
    put_hole: "'odd' has 1048576 MiB",
}


@pytest.mark.parametrize("put", ODD, ids=lambda put: put.__name__)
def test_a_folder_passes_the_same_gate(put, bot, working_folder, monkeypatch):
    monkeypatch.chdir(bot)  # sockets have short paths only
    put(bot)
    with pytest.raises(UsageError, match=re.escape(ODD[put])):
        receive(bot, working_folder, "it")
    assert not (working_folder / "unpacked").exists()


def test_a_digest_sees_every_change(bot):
    seen = {folder_digest(bot)}
    for change in (
        lambda: (bot / "bot.py").write_text("other"),
        lambda: (bot / "bot.py").chmod(0o755),
        lambda: (bot / "bot.py").rename(bot / "other.py"),
        (bot / "sub/link").unlink,
        lambda: (bot / "sub/link").symlink_to("../other.py"),
        (bot / "empty").touch,
    ):
        change()
        seen.add(folder_digest(bot))
    assert len(seen) == 7
