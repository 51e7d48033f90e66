"""A served contest, shared by the tests of a module."""

import pytest

from tests.kits.contests import make_cup, served


@pytest.fixture(scope="module")
def cup(tmp_path_factory):
    return make_cup(tmp_path_factory.mktemp("cup") / "cup")


@pytest.fixture(scope="module")
def running(cup):
    with served(cup) as running:
        yield running
