"""A user who wants to learn by machine: every command of docs/rl.md, from training to the ladder."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from tests.journeys.pages import steps
from tests.kits.contestants import need_bubblewrap

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a user's commands start processes and sandboxes")]

PAGE = (Path(__file__).parents[2] / "docs/rl.md").read_text()
PATIENT = "--clock 10s/move"
SHORTER = ((r"--games \d+", "--games 128"), (r"(arena bot check .*)", rf"\1 --positions 10 {PATIENT}"),
           (r"(arena (match|submit) .*)", rf"\1 {PATIENT}"),
           (r"(arena tournament .*)", r"\1 --rounds 1 --clock 1s/move"))  # fmt: skip
"""What keeps minutes of training and play out of a test; nothing else of a command is changed."""


def shortened(command):
    for pattern, replacement in SHORTER:
        command = re.sub(pattern, replacement, command)
    return command


@pytest.fixture(scope="module")
def with_rl(larger_installation):
    return larger_installation("[rl]")


@pytest.mark.timeout(600)
def test_a_policy_is_learned_and_plays_on_the_ladder(with_rl, traveller):
    need_bubblewrap()
    learner = replace(traveller, installation=with_rl)
    said = []
    for kind, command, _ in steps(PAGE):
        assert kind == "run"
        said.append(learner.run(shortened(command)))
    trained, table = said[1], said[-1]
    assert re.search(r"wins [\d.]+% of 128 against random", trained)
    assert "my_policy" in table
