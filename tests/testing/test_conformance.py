"""The conformance kit over every registered game."""

import pytest

from arena.registry import find, games
from arena.testing import CHECKS
from arena.testing.conformance import check_facts
from arena.testing.play import variants


@pytest.mark.parametrize("game", games())
def test_facts(game):
    check_facts(find(game))


@pytest.mark.parametrize("check", CHECKS, ids=lambda check: check.__name__.removeprefix("check_"))
@pytest.mark.parametrize("game", games())
def test_contract(game, check):
    for seed in range(len(variants(find(game))) + 4):
        check(find(game), seed)
