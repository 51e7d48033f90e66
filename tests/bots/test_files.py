"""Which files of a folder are the bot, and the digest over them."""

import hashlib
import os
from collections.abc import Collection
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.bots.files import current_digest, folder_digest, folder_files, folder_state, has_digest
from arena.bots.manifest import read_manifest
from arena.errors import UsageError
from arena.untrusted.filetree import TreeLimits, list_tree


def write(folder: Path) -> None:
    (folder / "bot.toml").write_text(
        'name = "my-bot"\nversion = "1.0"\ngames = ["claim"]\ncommand = ["python3", "bot.py"]'
    )


def plain_digest(folder: Path, left_out: Collection[str]) -> str:
    """The digest as it was defined when the first bots were registered; it must never change."""
    digest = hashlib.sha256()
    paths = sorted(path for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    for path in paths:
        if not set(left_out).isdisjoint(path.relative_to(folder).parts):
            continue
        name = path.relative_to(folder).as_posix().encode(errors="surrogateescape")
        if path.is_symlink():
            kind, content = b"link", os.readlink(path).encode(errors="surrogateescape")
        else:
            kind = b"program" if path.stat().st_mode & 0o100 else b"file"
            content = hashlib.sha256(path.read_bytes()).digest()
        digest.update(b"%s %d %s\n%d %s\n" % (kind, len(name), name, len(content), content))
    return f"sha256:{digest.hexdigest()}"


NAMES = st.sampled_from([b"a", b"a.b", b"a-b", b"A", b"\xff", b"\xc3\xa9", b".gitignore", b"a b", b"a!"])
LEFT_OUT = [b"__pycache__", b".git", b".vscode", b".DS_Store", b"a~", b".a.swp", b"._a", b".#a", b"#a#"]
KINDS = st.sampled_from(["file", "program", "folder", "link", "loop", "pipe"])


def put(path: bytes, kind: str) -> None:
    if kind == "folder":
        os.mkdir(path)
    elif kind in ("link", "loop"):
        os.symlink(b"nowhere" if kind == "link" else b".", path)
    elif kind == "pipe":
        os.mkfifo(path)
    else:
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o755 if kind == "program" else 0o644))
        Path(os.fsdecode(path)).write_bytes(os.path.basename(path))


TREES = st.lists(st.tuples(st.lists(NAMES | st.sampled_from(LEFT_OUT), min_size=1, max_size=4), KINDS), max_size=20)


def plant(folder: Path, tree: list[tuple[list[bytes], str]]) -> Path:
    for parts, kind in tree:
        path = os.path.join(os.fsencode(folder), *parts)
        if os.path.isdir(os.path.dirname(path)) and not os.path.lexists(path):
            put(path, kind)
    return folder


@given(TREES)
def test_digests_are_what_they_always_were(tmp_path_factory, tree):
    folder = plant(tmp_path_factory.mktemp("tree"), tree)
    assert folder_digest(folder) == plain_digest(folder, set(map(os.fsdecode, LEFT_OUT)))
    assert has_digest(folder, folder_digest(folder))


@given(TREES)
def test_a_digest_of_an_earlier_store_is_recognised(tmp_path_factory, tree):
    folder = plant(tmp_path_factory.mktemp("tree"), tree)
    assert has_digest(folder, plain_digest(folder, {"__pycache__"}))
    assert not has_digest(folder, f"sha256:{'0' * 64}")


@given(TREES)
def test_what_is_left_out_changes_no_digest(tmp_path_factory, tree):
    """Neither its own name nor what lies in it."""
    whole = plant(tmp_path_factory.mktemp("whole"), tree)
    bare = plant(tmp_path_factory.mktemp("bare"), [(parts, kind) for parts, kind in tree if not {*parts} & {*LEFT_OUT}])
    assert folder_digest(whole) == folder_digest(bare)
    assert [path.relative_to(whole) for path in folder_files(whole)] == [
        path.relative_to(bare) for path in folder_files(bare)
    ]


def test_a_known_digest(tmp_path):
    write(tmp_path)
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/run").write_text("x")
    (tmp_path / "sub/run").chmod(0o755)
    (tmp_path / "link").symlink_to("sub/run")
    assert folder_digest(tmp_path) == "sha256:801c4a29e31c51810ca3c76a37dc3e4fe9c32db9153080eb070c4ec2552c00aa"


def test_a_change_is_seen_without_reading(tmp_path):
    write(tmp_path)
    (tmp_path / "x").write_text("1")
    states, digests = {folder_state(tmp_path)}, {current_digest(tmp_path)}
    assert (states, digests) == ({folder_state(tmp_path)}, {folder_digest(tmp_path)})
    for change in (
        lambda: (tmp_path / "x").write_text("22"),
        lambda: (tmp_path / "x").chmod(0o755),
        lambda: (tmp_path / "x").rename(tmp_path / "y"),
        lambda: (tmp_path / "z").symlink_to("y"),
    ):
        change()
        states.add(folder_state(tmp_path))
        digests.add(current_digest(tmp_path))
        assert folder_digest(tmp_path) in digests
    assert (len(states), len(digests)) == (5, 5)


def test_a_folder_is_refused_before_anything_in_it_is_read(tmp_path):
    write(tmp_path)
    with (tmp_path / "hole").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(UsageError, match="has more than 1024 MiB"):
        folder_digest(tmp_path)
    with pytest.raises(UsageError, match="has more than 1 files and folders"):
        list_tree(tmp_path, TreeLimits(1, 1 << 50))


def test_what_is_left_out_may_be_of_any_size(tmp_path):
    write(tmp_path)
    (tmp_path / ".git").mkdir()
    with (tmp_path / ".git/pack").open("wb") as file:
        file.truncate(1 << 40)
    assert has_digest(tmp_path, folder_digest(tmp_path))
    assert not has_digest(tmp_path, "sha256:0")


@contextmanager
def as_nobody():
    """Root may read everything, so let it be somebody else for a while."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(65534)
    try:
        yield
    finally:
        os.seteuid(0)


def test_what_may_not_be_read_gets_one_sentence(tmp_path):
    write(tmp_path)
    for parent in (tmp_path, *tmp_path.parents):
        if parent.owner() != "root" or not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o055)
    (tmp_path / "closed").mkdir(mode=0o000)
    with as_nobody(), pytest.raises(UsageError, match=r"'closed' cannot be read: Permission denied"):
        folder_digest(tmp_path)
    (tmp_path / "closed").rmdir()
    (tmp_path / "bot.toml").chmod(0o000)
    with as_nobody(), pytest.raises(UsageError, match=r"'bot.toml' cannot be read: Permission denied"):
        folder_digest(tmp_path)
    with as_nobody(), pytest.raises(UsageError, match=r"bot.toml cannot be read: Permission denied"):
        read_manifest(tmp_path)


def test_files_are_listed_in_the_order_of_their_parts(tmp_path):
    for name in ("a.txt", "a/b", "a-b"):
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).touch()
    assert [path.relative_to(tmp_path).as_posix() for path in folder_files(tmp_path)] == ["a/b", "a-b", "a.txt"]
