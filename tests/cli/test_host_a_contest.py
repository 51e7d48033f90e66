"""docs/host-a-contest.md, followed literally: its roster, and its commands in their order."""

import re
import shlex
from pathlib import Path

import pytest
from click.testing import CliRunner

from arena.cli import main

PAGE = Path(__file__).parents[2] / "docs/host-a-contest.md"


@pytest.fixture
def commands(tmp_path, monkeypatch):
    """What the page tells to type, in a folder with its files."""
    monkeypatch.chdir(tmp_path)
    text = PAGE.read_text(encoding="utf-8").partition("\n## Without a contest")[0]  # its bots play in sandboxes
    (name, roster), *_ = re.findall(r"^```csv (\S+)\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    Path(name).write_text(roster, encoding="utf-8")
    Path("late.csv").write_text("name\nlate\n")
    return [shlex.split(line)[1:] for line in re.findall(r"^\$ arena .*$", text, re.MULTILINE)]


def test_the_page_leads_to_a_contest_with_people_and_a_backup(commands):
    typed = [words[1:] for words in commands]
    assert len(typed) > 10
    for words in typed:
        done = CliRunner().invoke(main, words, input="y\n")
        assert done.exit_code == 0, (words, done.output)
    restored = CliRunner().invoke(main, ["contest", "people", "list", "--contest", "my-cup-again", "--csv"])
    names = re.findall(r"^\d+,([^,]+)", restored.stdout, re.MULTILINE)
    assert names == ["organiser", "ann", "erased-3", "carol", "dora", "late"]
    assert CliRunner().invoke(main, ["contest", "check", "my-cup-again"]).exit_code == 0
