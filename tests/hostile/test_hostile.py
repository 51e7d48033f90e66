"""Every hostile bot gets its verdict and leaves no trace; `make hostile` plays each of them in every sandbox."""

import pytest

from tests.hostile import backends, cases, runner
from tests.kits.needs import need

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="hostile bots attack real sandboxes")]

CASES = list(cases.all_cases())
COMMON = ("bubblewrap", "docker")
"""The sandboxes for which nearly all cases are made: here each is played in one of them, in turns."""
LEFT_OUT = [COMMON[number % 2] if {*COMMON} <= {*case.backends} else "" for number, case in enumerate(CASES)]
MATRIX = [(case, name) for case, out in zip(CASES, LEFT_OUT) for name in case.backends if name != out]
CATALOGUE = {*range(1, 13), *range(14, 18), *range(19, 25), 26, 27, *range(29, 34), *range(35, 39), *range(40, 44)}
CATALOGUE |= {45, 46, 47, 51, 55}
"""The rows of the attack catalogue that bots can act out; a killed referee (52) has its own test."""


@pytest.mark.slow
@pytest.mark.parametrize(("case", "name"), MATRIX, ids=[f"{case.label}-{name}" for case, name in MATRIX])
def test_a_hostile_bot(case, name):
    backend = backends.BACKENDS[name]
    need(runner.why_not(case, backend))
    result = runner.run(case, backend)
    assert not result.problems, f"{result.problems}\n[{result.sentence}]\n{result.log[-3000:]}"


def test_every_row_of_the_catalogue_has_a_bot():
    assert {row for case in CASES for row in case.rows} >= CATALOGUE


def test_every_folder_is_a_case():
    folders = {path.name for path in cases.HERE.iterdir() if path.is_dir() and path.name[0] not in "_."}
    assert folders == {case.name for case in CASES}
    assert all(len(case.why) > 20 for case in CASES)
