"""The conformance kit over every registered game."""

import pytest

from arena.registry import find, games
from arena.testing import CHECKS
from arena.testing.conformance import check_facts
from arena.testing.play import variants


@pytest.mark.parametrize("game", games())
def test_facts(game):
    check_facts(find(game))


FAST = 1
"""So many seeds are tried by the fast tests; the slow ones try enough for every variant."""

every_check = pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))


@every_check
@pytest.mark.parametrize("game", games())
def test_contract(game, check):
    for seed in range(FAST):
        check(find(game), seed)


@pytest.mark.slow
@every_check
@pytest.mark.parametrize("game", games())
def test_contract_in_every_variant(game, check):
    for seed in range(FAST, len(variants(find(game))) + 4):
        check(find(game), seed)
