"""The tournament as it is played by default: a bot with a good memory never meets a deal again."""

import shutil

import pytest

from arena.store.sql import Store
from tests.hostile import backends, cases
from tests.kits.contestants import arena
from tests.kits.needs import need

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="bots play in sandboxes")]

NAME = "remembers_the_deal"
BOT_TOML = f'name = "{NAME}"\nversion = "1"\ngames = ["claim"]\ncommand = ["python3", "bot.py"]\n'


@pytest.fixture
def folder(tmp_path):
    """The hostile bot as a contestant would hand it in."""
    folder = tmp_path / NAME
    folder.mkdir()
    (folder / "bot.toml").write_text(BOT_TOML)
    shutil.copy(cases.HERE / NAME / "bot.py", folder)
    for module in ("probe.py", "raw.py", "chosen_game.py"):
        shutil.copy(backends.KIT / module, folder)
    return folder


@pytest.mark.slow
def test_no_return_match_is_played_with_open_cards(folder, tmp_path):
    need(backends.BACKENDS["bubblewrap"].missing())
    played = arena(
        "tournament", "--game", "claim", "--bots", f"{folder},random", "--rounds", 3, "--db", tmp_path / "db"
    )
    assert played.exit_code == 0, played.output
    store = Store(str(tmp_path / "db"))
    said = [words for kept in store.kept(1) for output in kept.outputs.values() for words in output.by_move.values()]
    store.close()
    assert len(said) == 6
    assert [words.strip() for words in said if "never saw this deal" not in words] == []
