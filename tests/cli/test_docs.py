"""Every command and option that the questions and the page for other systems name is there."""

import re
from pathlib import Path

import click
import pytest

from arena.cli import main
from tests.kits.contestants import arena

DOCS = Path(__file__).parents[2] / "docs"


def commands(page):
    """Every `arena …` in code of this page."""
    text = (DOCS / page).read_text()
    blocks = "".join(re.findall(r"```(.*?)```", text, re.DOTALL)).splitlines()
    for code in (*blocks, *re.findall(r"`([^`]+)`", re.sub(r"```.*?```", "", text, flags=re.DOTALL))):
        yield from re.findall(r"(?:^|/bin/|\s)arena((?: [^\s>`]+)+)", code)


def test_every_game_has_a_page_that_is_listed():
    listed = arena("docs").output
    assert re.search(r"^assassins +King & Assassins: how a bot sees and plays it$", listed, re.MULTILINE)
    page = arena("docs", "assassins", "--plain").output
    assert "| `king_points` | number | Action points that the king has left in this round. |" in page
    assert 'turn.move("capture", figure=' in page


@pytest.mark.parametrize("page", ["first-bot", "assassins"])
def test_code_can_be_copied_from_a_terminal(page, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    shown, plain = (arena("docs", page, *more).output for more in ([], ["--plain"]))
    programs = re.findall(r"^```python \S+\n(.*?)^```", plain, re.DOTALL | re.MULTILINE)
    assert any(len(line) > 80 for program in programs for line in program.splitlines())
    for program in programs:
        assert program in shown, "neither wrapped nor indented"


@pytest.mark.parametrize("page", ["faq.md", "macos-windows.md", "monitoring.md"])
def test_commands_and_options_exist(page):
    found = list(commands(page))
    assert len(found) > 4
    for line in found:
        command, words = main, line.split()
        context = click.Context(main)
        while words and isinstance(command, click.Group) and command.get_command(context, words[0]):
            command = command.get_command(context, words.pop(0))
        assert command is not main, f"there is no command `arena{line}`"
        parameters = command.get_params(context)  # with --help, which every command has
        options = {name for parameter in parameters for name in (*parameter.opts, *parameter.secondary_opts)}
        for word in words:
            assert not word.startswith("--") or word in options, f"`arena{line}` has no {word}"
