"""Whose fault it is that a submission cannot be taken in: what reading it raises is its own, all else is ours."""

import os
import shutil
import subprocess
import sys

import pytest

from arena.errors import InfraError, UsageError
from arena.intake.folder_storage import FolderStorage
from arena.intake.unpacking import unpack_submission
from tests.kits.contestants import arena, choosing, write_bot
from tests.kits.needs import need

pytestmark = pytest.mark.slow


@pytest.fixture
def bot(tmp_path):
    folder = write_bot(tmp_path / "mine", choosing("return turn.legal[0]"))
    (folder / "large").write_bytes(os.urandom(1 << 20))
    return folder


@pytest.mark.parametrize("shape", ["folder", "tar", "zip"])
def test_a_full_disk_is_ours(shape, bot, tmp_path):
    """The storage is a real file system of 256 KiB."""
    thing = bot if shape == "folder" else shutil.make_archive(tmp_path / "packed", shape, bot)
    (tmp_path / "store").mkdir()
    mount = f"mount -t tmpfs -o size=256k none {tmp_path}/store"
    rights = [] if os.geteuid() == 0 else ["--map-root-user"]
    space = ["unshare", "--mount", *rights, "sh", "-c"]
    need(
        "no mount namespaces for this user"
        if subprocess.run([*space, mount], capture_output=True, check=False).returncode
        else None
    )
    command = f"{mount} && exec {sys.executable} -m arena submit {thing} --owner me --db {tmp_path}/store/arena.db"
    done = subprocess.run([*space, command], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, ""), done.stderr
    assert "there is no place for a copy of" in done.stderr
    assert "No space left on device" in done.stderr
    assert done.stderr.count("\n") == 1


def test_a_storage_that_cannot_be_written_to_is_ours(bot, tmp_path):
    (tmp_path / "bots").touch()
    result = arena("submit", bot, "--owner", "me", "--db", tmp_path / "arena.db")
    assert result.exit_code == 1
    assert f"{tmp_path / 'bots'} cannot be written to" in result.stderr


def test_a_storage_without_a_lock_is_ours(tmp_path):
    (tmp_path / ".lock").mkdir()
    with pytest.raises(InfraError, match="cannot be written to"), FolderStorage(tmp_path).locked():
        pass


def test_a_copy_that_cannot_take_its_place_is_ours(bot, tmp_path):
    storage = FolderStorage(tmp_path / "storage")
    storage.folder.mkdir()
    storage.path_of("sha256:0").touch()
    with pytest.raises(InfraError, match="cannot be written to"):
        storage.add(bot, "sha256:0")


def test_a_file_that_cannot_be_read_is_theirs(bot, tmp_path):
    if os.geteuid() != 0:
        (bot / "large").chmod(0o000)
        with pytest.raises(UsageError, match="'large' cannot be read: Permission denied"):
            unpack_submission(str(bot), str(tmp_path / "copy"), "it")
        return
    for parent in (bot, *bot.parents[:4]):
        parent.chmod(parent.stat().st_mode | 0o055)
    (bot / "large").chmod(0o600)
    os.seteuid(65534)
    try:
        with pytest.raises(UsageError, match="it: 'large' cannot be read: Permission denied"):
            unpack_submission(str(bot), str(tmp_path / "copy"), "it")
        os.seteuid(0)
        (bot / "large").chmod(0o644)
        os.seteuid(65534)
        with pytest.raises(InfraError, match="there is no place for a copy of it: Permission denied"):
            unpack_submission(str(bot), str(tmp_path / "copy"), "it")
    finally:
        os.seteuid(0)


def test_an_archive_that_cannot_be_read_is_theirs(tmp_path):
    """The kernel refuses to read this file at its beginning."""
    with pytest.raises(UsageError, match="mem cannot be read: Input/output error"):
        unpack_submission("/proc/self/mem", str(tmp_path / "copy"), "it")
