"""`arena submit` from the folder to the tournament, in a real sandbox."""

import re
import signal
import subprocess
import sys
import time

import pytest

from arena.store.sql import Store
from tests.kits.contestants import arena, choosing, need_bubblewrap, write_bot

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="submissions are played in sandboxes")]

PATIENT = ("--clock", "30s/move")  # the machine may be busy, and these tests are not about time
FIRST = choosing("return turn.legal[0]")


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    """A store of its own, and nothing written anywhere else."""
    monkeypatch.setenv("ARENA_DB", str(tmp_path / "store/arena.db"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def bots_folder(tmp_path):
    return tmp_path / "store/bots"


@pytest.fixture
def bot(tmp_path):
    need_bubblewrap()
    return write_bot(tmp_path / "mine", FIRST)


def entries(tmp_path, name="mine"):
    store = Store(tmp_path / "store/arena.db")
    try:
        return store.bot_versions(name)
    finally:
        store.close()


def kept(bots_folder):
    return sorted(path.name for path in bots_folder.iterdir() if path.name != ".lock")


@pytest.mark.slow
def test_a_folder_becomes_a_version_that_never_changes(bot, bots_folder, tmp_path):
    result = arena("submit", bot, "--owner", "alice", *PATIENT)
    assert result.exit_code == 0, result.output
    assert "played 2 matches of claim against random" in result.output
    (entry,) = entries(tmp_path)
    assert (entry.label, entry.owner, entry.games, entry.kind) == ("mine 1", "alice", ("claim",), "folder")
    assert entry.origin == str(bots_folder / entry.digest.removeprefix("sha256:"))
    assert {path.stat().st_mode & 0o222 for path in (bots_folder / kept(bots_folder)[0]).rglob("*")} == {0}

    (bot / ".git").mkdir()
    for name in (".git/HEAD", "bot.py~", ".DS_Store"):
        (bot / name).touch()
    again = arena("submit", bot, "--owner", "alice", *PATIENT)
    assert again.exit_code == 0
    assert "exactly this is registered already" in again.output
    assert entries(tmp_path) == [entry]

    (bot / "bot.py").write_text(FIRST + "# better\n")
    taken = arena("submit", bot, "--owner", "alice", "--version", "1", *PATIENT)
    assert taken.exit_code == 2
    assert "there is a bot mine 1 already: give this one another version" in taken.stderr
    assert arena("submit", bot, "--owner", "alice", *PATIENT).exit_code == 0
    newer = entries(tmp_path)[1]
    assert newer.version == f"1-{newer.digest[7:15]}"
    shown = arena("bots", "show", "mine").output
    assert re.search(r"status +on the ladder", shown)
    assert re.search(r"registered +20\d\d-", shown)
    assert f"folder     {newer.origin}" in shown


def test_names_have_owners(bot, tmp_path):
    store = Store(tmp_path / "store/arena.db")
    facts = {"version": "9", "digest": "sha256:0", "origin": "/x", "games": ["claim"]}
    store.add_bot(name="mine", owner="bob", **facts)
    store.add_bot(name="Theirs", owner="bob", **facts)
    store.close()
    for words, complaint in (
        ((), "the name mine belongs to bob: choose another with --name"),
        (("--name", "theirs"), "there is a bot Theirs already, whose name differs in case only"),
        (("--name", "<script>"), "--name must be 1 to 40 letters"),
        (("--name", "x", "--version", "=cmd()"), "--version must be 1 to 40 letters"),
        (("--name", "x", "--owner", "../up"), "--owner must be 1 to 40 letters"),
        (("--name", "x", "--game", "chess"), "there is no game 'chess'"),
        (("--name", "x", "--game", "rrr"), "its bot.toml does not name rrr, but claim"),
        (("--name", "x", "--sandbox", "process"), "never run without a sandbox"),
    ):
        result = arena("submit", bot, "--owner", "alice", *words)
        assert (result.exit_code, result.stdout) == (2, ""), words
        assert complaint in result.stderr


CRASHES = "print('I \\x1b[31mam about to fail')\nimport no_such_module\n"
LATER = choosing("print('my turn', turn.number)\nif turn.number == 4: 1 / 0\nreturn turn.legal[0]")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("source", "words"),
    [
        (
            CRASHES,
            [
                "refused: at claim, before it opened its socket, it exited with code 1",
                "I \\x1b[31mam about to fail",
                "No module named 'no_such_module'",
            ],
        ),
        (LATER, ["seat 0 of 2, after ", "ended the stream", "my turn 3", "ZeroDivisionError"]),
        (choosing("return 99"), ['chose “{"play": 99}”', "answer with one of the legal moves"]),
    ],
    ids=["at the start", "later", "illegal"],
)
def test_a_bot_that_fails_is_refused_with_its_own_words(source, words, bot, bots_folder, tmp_path):
    (bot / "bot.py").write_text(source)
    result = arena("submit", bot, "--owner", "alice", *PATIENT)
    assert result.exit_code == 2, result.output
    assert "Error: mine is refused: at claim, " in result.stderr
    for word in words:
        assert word in result.stderr, result.stderr
    assert entries(tmp_path) == []
    assert kept(bots_folder) == []


@pytest.mark.slow
def test_a_killed_submission_leaves_nothing_behind(bot, bots_folder, tmp_path):
    (bot / "bot.py").write_text("import time\ntime.sleep(60)\n")
    words = [sys.executable, "-m", "arena", "submit", "mine", "--owner", "alice"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as running:
        deadline = time.monotonic() + 60
        while not list(bots_folder.glob(".new-*/unpacked/bot.py")) and time.monotonic() < deadline:
            time.sleep(0.05)
        running.send_signal(signal.SIGKILL)
    assert [name[:5] for name in kept(bots_folder)] == [".new-"]
    (bot / "bot.py").write_text(FIRST)
    assert arena("submit", "mine", "--owner", "alice", *PATIENT).exit_code == 0
    (entry,) = entries(tmp_path)
    assert kept(bots_folder) == [entry.digest.removeprefix("sha256:")]


@pytest.mark.slow
def test_a_changed_copy_is_not_played(bot, bots_folder, tmp_path):
    for name in ("one", "two"):
        assert arena("submit", bot, "--owner", "alice", "--name", name, *PATIENT).exit_code == 0
    (copy,) = kept(bots_folder)
    played = arena("tournament", "--game", "claim", "--rounds", 1, *PATIENT)
    assert played.exit_code == 0, played.output
    (bots_folder / copy / "bot.py").chmod(0o644)
    (bots_folder / copy / "bot.py").write_text(FIRST + "# changed")
    changed = arena("tournament", "--game", "claim", "--rounds", 2, *PATIENT)
    assert changed.exit_code == 2
    assert f"{bots_folder / copy} is not what was registered as one 1" in changed.stderr
    again = arena("submit", bot, "--owner", "alice", "--name", "one", *PATIENT)
    assert again.exit_code == 0, again.output
    assert (
        "exactly this is registered already; its files, which were missing or changed, are kept again" in again.output
    )
    assert kept(bots_folder) == [copy]
    assert arena("tournament", "--game", "claim", "--rounds", 2, *PATIENT).exit_code == 0
