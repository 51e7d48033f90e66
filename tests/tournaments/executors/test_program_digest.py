"""Two machines may play together only if the rules of the game are the same on both."""

import sys

from arena import registry
from arena.tournaments.executors.program_digest import program_digest


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
