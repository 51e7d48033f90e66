"""The feed of running matches: what it writes, and that nothing which goes wrong with it reaches the tournament."""

import asyncio

import pytest

from arena.errors import InfraError
from arena.referee import record
from arena.registry import find
from arena.tournaments import live_feed
from arena.workers.base import Assignment, plain_move
from tests.web.replays import random_match

pytestmark = pytest.mark.real(reason="reports are written at times of their own")

GAME = find("claim")
WHOLE = random_match("claim")
MATCH = WHOLE.spec.match_id


class Shelf:
    """A store for running matches that can be broken."""

    def __init__(self):
        self.rows, self.broken, self.writes = {}, False, 0

    def show_running(self, _, changed, ended):
        if self.broken:
            raise InfraError("the disk is full")
        self.writes += 1
        self.rows |= {match.match_id: match for match in changed}
        for match_id in ended:
            self.rows.pop(match_id, None)

    def clear_running(self, _):
        self.rows.clear()


def play(steps, monkeypatch):
    """Enter a feed and do these steps, with time for a write after each; the store."""
    monkeypatch.setattr(live_feed, "PAUSE_S", 0.01)
    monkeypatch.setattr(live_feed, "FAILED_S", 0.01)
    shelf = Shelf()

    async def run():
        async with live_feed.LiveFeed(GAME, shelf, 1) as feed:
            for step in steps:
                step(feed, shelf)
                await asyncio.sleep(0.2)

    asyncio.run(run())
    return shelf


def moves(first, last):
    return [plain_move(played) for played in WHOLE.played[first:last]]


def begin(feed, _):
    feed.begun((0, 1), Assignment(0, (0, 1), WHOLE.spec))


def shown(shelf):
    return record.load_begun(shelf.rows[MATCH].record, lambda _: GAME)


def test_moves_are_joined_and_a_new_attempt_begins_anew(monkeypatch):
    def check_five(feed, shelf):
        assert shown(shelf).played == WHOLE.played[:5]
        assert shown(shelf).spec == WHOLE.spec
        feed.played(MATCH, 2, 2, moves(0, 2))

    def check_two(feed, shelf):
        assert shown(shelf).played == WHOLE.played[:2]
        assert shelf.rows[MATCH].attempt == 2
        feed.ended(MATCH)
        feed.played(MATCH, 2, 3, moves(2, 3))

    def check_none(_, shelf):
        assert shelf.rows == {}

    play(
        [
            begin,
            lambda feed, _: feed.played(MATCH, 1, 3, moves(0, 3)),
            lambda feed, _: feed.played(MATCH, 1, 5, moves(3, 5)),
            check_five,
            check_two,
            check_none,
        ],
        monkeypatch,
    )


def test_a_store_that_fails_for_a_while_is_caught_up_with(monkeypatch):
    def fail(feed, shelf):
        shelf.broken = True
        feed.played(MATCH, 1, 3, moves(0, 3))

    def mend(_, shelf):
        assert shown(shelf).played == ()
        shelf.broken = False

    def check(_, shelf):
        assert shown(shelf).played == WHOLE.played[:3]

    assert play([begin, fail, mend, check], monkeypatch).writes >= 2


def test_what_comes_after_silence_is_written_at_once_and_the_rest_together_after_a_pause(monkeypatch):
    monkeypatch.setattr(live_feed, "PAUSE_S", 3600.0)
    shelf = Shelf()

    async def run():
        async with live_feed.LiveFeed(GAME, shelf, 1) as feed:
            begin(feed, shelf)
            while not shelf.writes:
                await asyncio.sleep(0.001)
            for ply in range(5):
                feed.played(MATCH, 1, ply + 1, moves(ply, ply + 1))
            await asyncio.sleep(0.05)

    asyncio.run(asyncio.wait_for(run(), 60))
    assert shelf.writes == 1


def test_silence_is_not_written(monkeypatch):
    assert play([begin, lambda *_: None, lambda *_: None], monkeypatch).writes == 1
