"""The tutorial works: every file on its page is written and every command run, in order, as a newcomer would."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kits.contestants import need_bubblewrap

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "first-bot.md"
BLOCK = re.compile(r"^```(\w*) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
VERDICTS = ["is not better than greedy", "is better than built-in-random", "is better than greedy"]
"""What the three tests on the page find out."""


def steps(text):
    """The files and commands of a page, in order."""
    for kind, path, content in BLOCK.findall(text):
        if path:
            yield "write", path, content
        elif kind == "console":
            for line in content.splitlines():
                assert line.startswith("$ "), line
                yield "run", line.removeprefix("$ "), ""


def run(command, folder):
    """What the command prints; it must succeed."""
    environment = {
        **os.environ,
        "PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}",
        "ARENA_DB": str(folder / "arena.db"),
    }
    done = subprocess.run(
        command, check=False, shell=True, cwd=folder, env=environment, capture_output=True, text=True, timeout=600
    )
    assert done.returncode == 0, f"{command}\n{done.stdout[-2000:]}\n{done.stderr[-2000:]}"
    return done.stdout


@pytest.mark.slow
@pytest.mark.timeout(1500)
def test_the_tutorial_leads_to_a_bot_that_beats_greedy(tmp_path):
    need_bubblewrap()
    (tmp_path / "sample_bots").symlink_to(ROOT / "sample_bots")
    said = {}
    for kind, what, content in steps(PAGE.read_text()):
        if kind == "write":
            (tmp_path / what).write_text(content)
        else:
            said.setdefault(what.split()[1], []).append(run(what, tmp_path))
    for verdict, output in zip(VERDICTS, said["test"], strict=True):
        assert verdict in re.sub(r" \d\S*", "", output), output
    assert "my_bot" in said["tournament"][0]
