"""What a user may call a bot, and what a bot.toml may say."""

import hashlib
import os
import subprocess
import sys
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from arena.bots.manifest import (
    Builtin,
    Folder,
    Image,
    Manifest,
    Remote,
    checked_name,
    current_digest,
    folder_digest,
    folder_files,
    folder_state,
    locate,
    read_manifest,
)
from arena.errors import UsageError
from arena.untrusted.filetree import TreeLimits, list_tree

GOOD = {"name": '"my-bot"', "version": '"1.0"', "games": '["claim"]', "command": '["python3", "bot.py"]'}


def write(folder: Path, **changes: str) -> Path:
    lines = [f"{key} = {value}" for key, value in {**GOOD, **changes}.items() if value]
    (folder / "bot.toml").write_text("\n".join(lines))
    return folder


def test_a_folder_is_read(tmp_path):
    manifest = Manifest("my-bot", "1.0", ("claim",), ("python3", "bot.py"))
    assert read_manifest(write(tmp_path)) == manifest
    assert locate(str(tmp_path), ["random"]) == Folder(tmp_path, manifest)


def test_a_bot_may_ask_for_the_rules(tmp_path):
    assert not read_manifest(write(tmp_path)).rules
    assert read_manifest(write(tmp_path, rules="true")).rules


def test_an_image_may_stand_for_the_command(tmp_path):
    manifest = read_manifest(write(tmp_path, command="", image='"my-bot:1"'))
    assert (manifest.command, manifest.image) == ((), "my-bot:1")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"name": ""}, "name must be"),
        ({"command": '["python3", "bot.py\\u0000"]'}, "command must not contain the character NUL"),
        ({"build": '["make\\u0000"]'}, "build must not contain the character NUL"),
        ({"name": "7"}, "name must be"),
        ({"name": '"<script>"'}, "name must be"),
        ({"version": '""'}, "version must be"),
        ({"games": '"claim"'}, "games must be a list"),
        ({"games": "[]"}, "games must be a list"),
        ({"command": '["python3", 7]'}, "command must be a list"),
        ({"command": ""}, "command must be a list"),
        ({"image": '"my-bot"'}, "a command or an image, not both"),
        ({"command": "", "image": '"-v /:/host"'}, "image must be the name"),
        ({"rules": '"yes"'}, "rules must be true or false"),
        ({"command": "", "image": '"my-bot"', "rules": "true"}, "an image starts the rules itself"),
        ({"colour": '"red"'}, "unknown key 'colour'"),
        ({"name": '"x'}, "not valid TOML"),
    ],
)
def test_a_bad_manifest_is_refused_with_the_reason(tmp_path, changes, complaint):
    with pytest.raises(UsageError, match=complaint):
        read_manifest(write(tmp_path, **changes))


def test_a_folder_without_a_manifest_is_refused(tmp_path):
    with pytest.raises(UsageError, match=r"has no bot\.toml"):
        locate(str(tmp_path), [])


@pytest.mark.parametrize(
    "name",
    ["", " ", "<script>alert(1)</script>", '"onload=x', "{{7*7}}", "=cmd()", "../up", "a/b", "-rf", ".hidden",
     "\u202eevil", "x" * 41, "a\nb", "a\0b", "ä", 7, None],
)  # fmt: skip
def test_names_that_something_might_obey_are_refused(name):
    with pytest.raises(UsageError, match="must be 1 to 40"):
        checked_name(name, "name")


def test_other_kinds_of_bots():
    assert locate("random", ["random"]) == Builtin("random")
    assert locate("grpc://127.0.0.1:5000", []) == Remote("127.0.0.1", 5000)
    assert locate("grpc://[::1]:5000", []) == Remote("::1", 5000)
    assert locate("arena-bot/my-bot:1", []) == Image("arena-bot/my-bot:1")
    assert locate("my-bot@sha256:00ff", []) == Image("my-bot@sha256:00ff")


@pytest.mark.parametrize("text", ["grpc://", "grpc://host", "grpc://host:0", "grpc://host:99999", "grpc:host:1"])
def test_a_bad_address_is_refused(text):
    with pytest.raises(UsageError, match="write grpc://host:port"):
        locate(text, [])


@pytest.mark.parametrize("text", ["./nothing", "/nothing/there", "Upper Case", "--privileged", ""])
def test_what_is_no_bot_is_refused(text):
    with pytest.raises(UsageError, match="there is no bot"):
        locate(text, ["random"])


# -- a bot.toml that is dear to parse --------------------------------------------------------------------------

PIECES = st.sampled_from([
    "a", "a.", "'a'.", '"a".', "[", "]", "[[", "]]", "{", "}", "=", " = ", "\n", ",", '"', "'", '"""', "'''", "#", "_",
    "\\", "\\u0041", "1", "0x", "f", "9" * 50, "1e9", "1979-05-27", "T07:32:00", ".", "true", "inf", " ", "é",
])  # fmt: skip
SPENDTHRIFT = """
import resource, sys
from pathlib import Path
from arena.bots.manifest import read_manifest
from arena.errors import UsageError
pages = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (pages + (48 << 20),) * 2)
resource.setrlimit(resource.RLIMIT_CPU, (10 + 2 * len(sys.argv),) * 2)
for name in sys.argv[1:]:
    try:
        read_manifest(Path(name))
    except UsageError:
        pass
"""


def spend(folder, texts):
    """Read all these manifests in one process with little memory and time; what it says if that was not enough."""
    folders = [folder / str(number) for number in range(len(texts))]
    for place, text in zip(folders, texts):
        place.mkdir()
        (place / "bot.toml").write_bytes(text.encode()[:16384])
    done = subprocess.run(
        [sys.executable, "-c", SPENDTHRIFT, *map(str, folders)], capture_output=True, text=True, check=False
    )
    return (done.returncode, done.stderr)


REPEATED = st.builds(lambda pieces, times: "".join(pieces) * times, st.lists(PIECES, max_size=4), st.integers(1, 9000))
TEXTS = st.builds("\n".join, st.lists(REPEATED, max_size=4))


@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(st.lists(TEXTS, min_size=40, max_size=40))
def test_no_manifest_is_parsed_that_is_dear(tmp_path_factory, texts):
    """Repeated pieces of TOML, as long as a manifest may be, in 48 MiB beside what Python needs."""
    assert spend(tmp_path_factory.mktemp("dear"), texts) == (0, "")


def worst_manifests():
    """The dearest that the limits let through: keys of as many parts as a line may have, under a header of as many."""
    dotted = ".".join(["a"] * 257)
    yield "\n".join([f"[{dotted}]", *(f"{dotted[4:]}.b{number} = 1" for number in range(30))])
    yield "\n".join(f"[[{dotted}]]" for _ in range(31))
    yield "\n".join(f"{number:03}.{dotted[4:]} = 1" for number in range(31))
    yield "a = " + "[" * 16_000
    yield "a = " + "{a=" * 5000
    yield "a = [" + "{}," * 5400
    yield 'a = "' + "\\t" * 8000 + '"'
    yield "\n".join(f"k{number}=1" for number in range(2000))


def test_the_dearest_manifests_stay_cheap(tmp_path):
    assert spend(tmp_path, list(worst_manifests())) == (0, "")


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"name": "9" * 5000}, "not valid TOML"),
        ({"name": "0x" + "f" * 9000}, "name must be 1 to 40 .* not a value of type int that is too long"),
        ({"rules": "0x" + "f" * 9000}, "rules must be true or false, not a value of type int"),
        ({"a.a" * 300: "1"}, "more than 256 dots in one line"),
        ({"k" * 9000: "1"}, "unknown key 'kkk"),
        ({"name": '"' + "x" * 17_000 + '"'}, "longer than 16 KiB"),
    ],
)
def test_a_dear_manifest_is_refused_in_a_short_sentence(tmp_path, changes, complaint):
    with pytest.raises(UsageError, match=complaint) as caught:
        read_manifest(write(tmp_path, **changes))
    assert len(str(caught.value)) < 400 + len(str(tmp_path))


# -- folders ---------------------------------------------------------------------------------------------------


def plain_digest(folder: Path) -> str:
    """The digest as it was defined when the first bots were registered; it must never change."""
    digest = hashlib.sha256()
    paths = sorted(path for path in folder.rglob("*") if path.is_symlink() or path.is_file())
    for path in paths:
        if "__pycache__" in path.relative_to(folder).parts:
            continue
        name = path.relative_to(folder).as_posix().encode(errors="surrogateescape")
        if path.is_symlink():
            kind, content = b"link", os.readlink(path).encode(errors="surrogateescape")
        else:
            kind = b"program" if path.stat().st_mode & 0o100 else b"file"
            content = hashlib.sha256(path.read_bytes()).digest()
        digest.update(b"%s %d %s\n%d %s\n" % (kind, len(name), name, len(content), content))
    return f"sha256:{digest.hexdigest()}"


NAMES = st.sampled_from([b"a", b"a.b", b"a-b", b"A", b"\xff", b"__pycache__", b"\xc3\xa9", b".git", b"a b", b"a!"])
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
        Path(os.fsdecode(path)).write_bytes(path)


@given(st.lists(st.tuples(st.lists(NAMES, min_size=1, max_size=4), KINDS), max_size=20))
def test_digests_are_what_they_always_were(tmp_path_factory, tree):
    folder = tmp_path_factory.mktemp("tree")
    for parts, kind in tree:
        path = os.path.join(os.fsencode(folder), *parts)
        if os.path.isdir(os.path.dirname(path)) and not os.path.lexists(path):
            put(path, kind)
    assert folder_digest(folder) == plain_digest(folder)


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
