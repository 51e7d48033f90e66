"""Reports of running matches: as they travel, and as they are held on a node until the driver asks for them."""

import asyncio
import socket
from dataclasses import replace

import pytest

from arena.match import Ending, Fault, Times, Verdict
from arena.referee.progress import Progress
from arena.registry import games
from arena.workers import reports
from arena.workers.base import plain_move, played_move
from arena.workers.messages import MovesReport, receive
from arena.workers.reports import LatestMoves, Reporter
from tests.web.replays import random_match

pytestmark = pytest.mark.slow

FAULT = Fault(1, 0, Verdict(Ending.NO_START, "never became ready"))


def test_moves_are_joined_until_they_are_taken():
    moves = LatestMoves()
    assert moves.take() is None
    moves.played("m", 1, 2, [(0, "a"), (1, "b")])
    moves.played("m", 1, 3, [(0, "c")])
    assert moves.take() == MovesReport(1, 3, ((0, "a"), (1, "b"), (0, "c")))
    assert moves.take() is None
    moves.played("m", 1, 4, [(1, "d")], [FAULT])
    moves.played("m", 1, 5, [(1, "e")])
    assert moves.take() == MovesReport(1, 5, ((1, "d"), (1, "e")), (FAULT,))


def test_a_new_attempt_replaces_the_moves_of_the_one_before():
    moves = LatestMoves()
    moves.played("m", 1, 3, [(0, "a"), (1, "b"), (0, "c")])
    moves.played("m", 2, 1, [(0, "x")])
    assert moves.take() == MovesReport(2, 1, ((0, "x"),))


@pytest.mark.real(reason="reports come over a socket")
@pytest.mark.parametrize("game", sorted(games()))
async def test_what_is_reported_of_a_match_is_what_was_played(game, monkeypatch):
    """The reports of two attempts go over a real socket; the second attempt begins with the first move again."""
    monkeypatch.setattr(reports, "INTERVAL_S", 0.01)
    whole = [
        replace(played, times=Times(1 + ply, 2, 3, 4, 5, 6), substituted=ply == 1)
        for ply, played in enumerate(random_match(game).played)
    ]
    ours, theirs = socket.socketpair()
    reader, reading = await asyncio.open_connection(sock=ours)
    _, writer = await asyncio.open_connection(sock=theirs)
    reporter, received = Reporter(writer), []
    for moves in (whole[:1], whole):
        progress = Progress(None)
        played = progress.played
        reporter.watch(progress)
        progress.faults.append(FAULT)
        for move in moves:
            played.append(move)
            if len(played) in (1, len(moves)):
                received.append(await asyncio.wait_for(receive(reader), 60))
    reporter.stop()
    writer.close()
    reading.close()
    assert [(report.attempt, report.moves) for report in received] == [(1, 1), (2, 1), (2, len(whole))]
    assert [played_move(plain) for report in received[1:] for plain in report.played] == whole
    assert received[0].played == (plain_move(whole[0]),)
    assert [report.faults for report in received] == [(FAULT,), (FAULT,), ()]
