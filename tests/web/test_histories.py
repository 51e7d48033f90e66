"""Rating histories from a process of their own."""

import pytest

from arena.registry import games
from arena.store.sql import Store
from arena.web.histories import HistoriesFailed, histories_apart
from arena.web.snapshot import take_snapshot, with_histories
from tests.kits.sites import make_store

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="histories are made in a process beside")]


def test_they_are_the_same_as_in_this_process(tmp_path):
    make_store(tmp_path / "arena.db", games=["claim"]).close()
    store = Store(tmp_path / "arena.db", read_only=True)
    infos = {name: game.info for name, game in games().items()}
    expected = with_histories(store, infos, take_snapshot(store, infos)).histories
    store.close()
    found = histories_apart(str(tmp_path / "arena.db"))
    assert len(found["claim"]) == 6
    assert {game: {bot: tuple(course) for bot, course in courses.items()} for game, courses in found.items()} == {
        game: dict(courses) for game, courses in expected.items()
    }


def test_a_store_that_is_away_is_told(tmp_path):
    with pytest.raises(HistoriesFailed):
        histories_apart(str(tmp_path / "none.db"))
