"""Two machines may play together only if the rules of the game are the same on both."""

import subprocess
import sys
from pathlib import Path

import pytest

import arena
from arena import registry
from arena.workers.ray.program_digest import GAMES, PLAYING, playing_files, program_digest

pytestmark = pytest.mark.slow


def test_a_game_of_another_package_is_part_of_it(tmp_path, monkeypatch):
    package = tmp_path / "their_game"
    package.mkdir()
    (package / "__init__.py").write_text("")
    rules = package / "rules.py"
    rules.write_text("LIMIT = 3")
    claim = registry.find("claim")
    theirs = type("TheirGame", (type(claim),), {"__module__": "their_game.rules"})()
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(registry, "find", {"their_game": theirs, "claim": claim}.__getitem__)

    def digest(name):
        program_digest.cache_clear()
        return program_digest(name)

    first = digest("their_game")
    assert digest("their_game") == first != digest("claim")
    rules.write_text("LIMIT = 4")
    assert digest("their_game") != first
    rules.write_text("LIMIT = 3")
    assert digest("their_game") == first
    sys.modules.pop("their_game")
    program_digest.cache_clear()


def test_games_of_arena_share_one_digest():
    assert program_digest("claim") == program_digest("assassins")


WORKER = """
import sys
import arena.workers.worker_main
from arena import registry
for game in registry.games().values():
    game.codec
ours = (module for name, module in sys.modules.items() if name.partition(".")[0] in ("arena", "engines"))
print(*(module.__file__ for module in ours), sep="\\n")
"""


def files(package, patterns):
    return {path for path, _ in playing_files(package, patterns)}


def test_all_that_a_worker_loads_is_part_of_it():
    told = subprocess.run([sys.executable, "-c", WORKER], capture_output=True, text=True, check=True).stdout
    loaded = {Path(line) for line in told.splitlines()}
    assert len(loaded) > 50
    assert loaded <= files("arena", PLAYING) | files("engines", GAMES)


def test_every_pattern_finds_something():
    for pattern in PLAYING:
        assert files("arena", [pattern]), pattern
    for pattern in GAMES:
        assert files("engines", [pattern]), pattern


def test_what_only_tells_or_shows_is_not_part_of_it():
    here = Path(arena.__file__).parent
    rooms = {path.relative_to(here).parts[0] for path in files("arena", PLAYING)}
    assert rooms.isdisjoint({"cli", "web", "notebook", "ratings", "submit", "contestant", "testing", "rl", "_shipped"})
