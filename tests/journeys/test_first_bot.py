"""The tutorial works: every file on its page is written and every command run, in order, as a newcomer would."""

import re
from pathlib import Path

import pytest

from tests.journeys.pages import steps
from tests.kits.contestants import need_bubblewrap

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a user's commands start processes and sandboxes")]

PAGE = Path(__file__).parents[2] / "docs" / "first-bot.md"
OTHERS = ("assassins", "rrr", "kingdoms")
"""Games whose bots only have to play here: how strong they are was measured, and takes minutes."""
VERDICTS = ["is not better than greedy", "is better than random", "is better than greedy"]
"""What the three tests on the page find out."""
SHORTER = (
    ("arena bot check", "arena bot check --positions 20 --clock cpu:50ms/move+1s"),
    (r"(arena tournament --game \w+).*", r"\1 --rounds 1 --clock cpu:20ms/move+1s"),
)
"""What keeps minutes of play out of a test: a bot that searches uses all the time that it is given, and its bank."""
SHORTEST = (
    (" --sprt", " --max-pairs 1 --sprt"),
    (r"\d+ms/move\+\ds", "10ms/move+1s"),
    ("arena submit", "arena submit --clock cpu:10ms/move+1s"),
    ("arena tournament", "arena tournament --bots ./my_bot,greedy"),
)
"""Few matches and little time for them, for a user who only asks whether the commands work."""


def changed(command, changes):
    for pattern, replacement in changes:
        command = re.sub(pattern, replacement, command)
    return command


@pytest.mark.timeout(1500)
def test_the_tutorial_leads_to_a_bot_that_beats_greedy(traveller):
    need_bubblewrap()
    said = {}
    for kind, what, content in steps(PAGE.read_text()):
        if kind == "write":
            traveller.write(what, content)
        else:
            thorough = traveller.thorough and not any(game in what for game in OTHERS)
            command = changed(what, SHORTER if thorough else SHORTER + SHORTEST)
            said.setdefault(what.split()[1], []).append(traveller.run(command))
    assert "my_bot" in said["tournament"][0]
    if not traveller.thorough:
        return
    for verdict, output in zip(VERDICTS, said["test"][: len(VERDICTS)], strict=True):
        assert verdict in re.sub(r" \d\S*", "", output), output
