"""Finding games, and refusing to start when one is broken."""

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from arena import registry
from arena.errors import RegistryError, UsageError
from arena.game import Game


@pytest.fixture(autouse=True)
def fresh_registry():
    registry.games.cache_clear()
    yield
    registry.games.cache_clear()


def with_entry_points(monkeypatch, *values):
    points = [EntryPoint("x", value, registry.GROUP) for value in values]
    monkeypatch.setattr("importlib.metadata.entry_points", lambda group: points)


def write_engine(tmp_path, monkeypatch, name, source):
    import engines

    package = tmp_path / name
    package.mkdir()
    (package / "__init__.py").write_text(source)
    monkeypatch.setattr(engines, "__path__", [*engines.__path__, str(tmp_path)])


def test_games_are_sorted_and_named():
    assert "claim" in registry.games()
    assert list(registry.games()) == sorted(registry.games())
    assert all(name == game.info.name for name, game in registry.games().items())


def test_an_unknown_game_is_refused_with_the_names():
    with pytest.raises(UsageError, match=r"no game 'chess': choose .*claim"):
        registry.find("chess")


@pytest.mark.parametrize(
    ("name", "source", "complaint"),
    [
        ("broken_one", "1/0", "engines/broken_one cannot be loaded: ZeroDivisionError"),
        ("broken_two", "import no_such_module", "cannot be loaded: ModuleNotFoundError"),
        ("broken_three", "", "has no game: it must export GAME"),
        ("broken_four", "GAME = 4", "has no game: it must export GAME"),
        ("broken_five", "from engines.claim import GAME", "calls itself 'claim'"),
    ],
)
def test_a_broken_engine_refuses_to_start(tmp_path, monkeypatch, name, source, complaint):
    write_engine(tmp_path, monkeypatch, name, source)
    with pytest.raises(RegistryError, match=complaint):
        registry.games()


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        ("1/0", r"odd\.codec cannot be loaded: ZeroDivisionError"),
        ("", r"odd\.codec must export CODEC, an instance of arena\.codec\.Codec"),
        ("CODEC = 4", "must export CODEC"),
    ],
)
def test_a_broken_codec_refuses_to_play(tmp_path, monkeypatch, source, complaint):
    package = tmp_path / "odd"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "codec.py").write_text(source)
    monkeypatch.syspath_prepend(tmp_path)
    for name in ("odd", "odd.codec"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    body = dict.fromkeys(Game.__abstractmethods__)
    odd = type("Odd", (Game,), {**body, "__module__": "odd.game"})()
    with pytest.raises(RegistryError, match=complaint):
        odd.codec  # noqa: B018


def test_a_changed_game_has_the_codec_of_the_game():
    changed = type("Changed", (type(registry.find("claim")),), {"__module__": __name__})()
    assert changed.codec is registry.find("claim").codec
    assert changed.rules() == registry.find("claim").rules()


def test_an_entry_point_adds_a_game(monkeypatch):
    monkeypatch.setattr(registry, "_engine_names", list)
    with_entry_points(monkeypatch, "engines.claim:GAME")
    assert list(registry.games()) == ["claim"]


@pytest.mark.parametrize(
    ("value", "complaint"),
    [
        ("engines.claim:GAME", "two games are called 'claim'"),
        ("no.such.module:GAME", "cannot be loaded"),
        ("engines.claim.rules:Config", "has no game"),
    ],
)
def test_a_broken_entry_point_refuses_to_start(monkeypatch, value, complaint):
    with_entry_points(monkeypatch, value)
    with pytest.raises(RegistryError, match=complaint):
        registry.games()


@pytest.mark.parametrize("content", ["", "raise OSError(7)", "print('it was run')"])
def test_another_package_called_engines_is_refused_in_one_sentence(tmp_path, content):
    """One of that name is on the package index, and a folder of that name may lie where Python is started."""
    (tmp_path / "engines").mkdir()
    (tmp_path / "engines/__init__.py").write_text(content)
    command = [sys.executable, "-m", "arena", "games"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("Error: the package `engines`")
    assert str(tmp_path / "engines") in done.stderr
    assert "is not Arena's: remove or rename it" in done.stderr
