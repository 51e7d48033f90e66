"""The tutorial works: every file on its page is written and every command run, in order, as a newcomer would."""

import re
from pathlib import Path

import pytest

from tests.journeys.pages import steps
from tests.kits.contestants import need_bubblewrap

PAGE = Path(__file__).parents[2] / "docs" / "first-bot.md"
VERDICTS = ["is not better than greedy", "is better than built-in-random", "is better than greedy"]
"""What the three tests on the page find out."""


def shortened(command):
    """The command with few matches and little time for them: only whether it works is asked."""
    command = command.replace(" --sprt", " --max-pairs 2 --sprt")
    return command.replace("--rounds 2", "--rounds 1 --clock 10ms/move+2s")


@pytest.mark.timeout(1500)
def test_the_tutorial_leads_to_a_bot_that_beats_greedy(traveller):
    need_bubblewrap()
    said = {}
    for kind, what, content in steps(PAGE.read_text()):
        if kind == "write":
            traveller.write(what, content)
        else:
            command = what if traveller.thorough else shortened(what)
            said.setdefault(what.split()[1], []).append(traveller.run(command))
    assert "my_bot" in said["tournament"][0]
    if not traveller.thorough:
        return
    for verdict, output in zip(VERDICTS, said["test"], strict=True):
        assert verdict in re.sub(r" \d\S*", "", output), output
