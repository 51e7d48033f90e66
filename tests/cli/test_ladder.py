"""Trying out does not touch the ladder: the loop of submit, edit, test, edit, tournament, and what is retired."""

import json

import pytest

from tests.kits.contestants import arena, choosing, need_bubblewrap, write_bot

PATIENT = ("--clock", "30s/move")
QUICK = (*PATIENT, "--seed", 5)


@pytest.fixture(autouse=True)
def store(tmp_path, monkeypatch):
    """A store of its own, and a folder to work in."""
    monkeypatch.setenv("ARENA_DB", str(tmp_path / "db"))
    monkeypatch.chdir(tmp_path)


def done(*words):
    """What a command prints that must succeed."""
    result = arena(*words)
    assert result.exit_code == 0, result.output
    return result.stdout


def refused(*words):
    """The one sentence with which a command is refused."""
    result = arena(*words)
    assert (result.exit_code, result.stderr.count("\n")) == (2, 1), result.output
    return result.stderr


def versions(name):
    return {entry["version"]: entry["status"] for entry in json.loads(done("bots", "show", name, "--json"))}


def edit(folder, number):
    (folder / "bot.py").write_text(choosing(f"return turn.legal[-1]  # {number}"))


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_the_loop_of_the_readme_leaves_the_ladder_alone(tmp_path):
    need_bubblewrap()
    bob = write_bot(tmp_path / "bob", choosing("return turn.legal[0]"))
    for name in ("bob", "eve"):
        bob = write_bot(tmp_path / name, choosing("return turn.legal[0]")) if name == "eve" else bob
        done("submit", name, "--owner", name, *PATIENT)
    bob = tmp_path / "bob"
    edit(bob, 1)
    assert "bob 1-" in done("test", "bob", "bob@1", "--max-pairs", 2, *QUICK)
    edit(bob, 2)
    played = done("tournament", "--game", "claim", "--rounds", 1, *QUICK)
    assert "bob 1 " in played
    assert "all 2 matches are played" in played

    (tried,) = [version for version in versions("bob") if version != "1"]
    assert versions("bob") == {"1": "ladder", tried: "tried out"}
    rows = json.loads(done("ratings", "--game", "claim", "--json"))
    assert {(row["name"], row["version"], row["games"]) for row in rows} == {("bob", "1", 2), ("eve", "1", 2)}
    tested = json.loads(done("ratings", "--game", "claim", "--tests", "--json"))
    assert {(row["name"], row["version"], row["games"]) for row in tested} == {("bob", "1", 4), ("bob", tried, 4)}

    edit(bob, 1)
    folder = arena("tournament", "--game", "claim", "--bots", "bob,eve@1", "--rounds", 1, *QUICK)
    assert (folder.exit_code, "write bob@1 for the bot of the ladder" in folder.stderr) == (0, True), folder.output
    assert f"tried out before, and keeps the version {tried}" in done("submit", "bob", "--owner", "bob", *PATIENT)
    assert versions("bob") == {"1": "older", tried: "ladder"}

    assert f"bob@{tried} is retired: bob 1 is on the ladder" in done("bots", "retire", f"bob@{tried}")
    assert f"`arena bots restore bob@{tried}`" in refused("submit", "bob", "--owner", "bob", *PATIENT)
    assert "no version of bob is on the ladder" in done("bots", "retire", "bob")
    assert f"bob is restored: bob {tried} is on the ladder" in done("bots", "restore", "bob")
    assert "ok: " in done("verify")


@pytest.mark.slow
def test_a_folder_in_a_tournament_stays_off_the_ladder(tmp_path):
    for name in ("one", "two"):
        write_bot(tmp_path / name, choosing("return turn.legal[0]"))
    words = ("--rounds", 1, "--sandbox", "process", *QUICK)
    assert "one 1" in done("tournament", "--game", "claim", "--bots", "./one,two,first", *words)
    ((version, status),) = versions("one").items()
    assert (version[:2], status) == ("1-", "tried out")
    shown = done("ratings", "--game", "claim")
    assert "no bot is on the ladder of claim (2 only tried out, 1 that met nobody of the ladder)" in shown
    everything = json.loads(done("ratings", "--game", "claim", "--all", "--json"))
    assert {row["name"] for row in everything} == {"one", "two", "first"}
