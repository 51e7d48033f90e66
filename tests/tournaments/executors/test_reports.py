"""Reports of running matches that are held on a node until the driver asks for them."""

from arena.tournaments.executors.messages import MovesReport
from arena.tournaments.executors.reports import LatestMoves


def test_moves_are_joined_until_they_are_taken():
    moves = LatestMoves()
    assert moves.take() is None
    moves.played("m", 1, 2, b"ab")
    moves.played("m", 1, 3, b"c")
    assert moves.take() == MovesReport(1, 3, b"abc")
    assert moves.take() is None
    moves.played("m", 1, 4, b"d")
    assert moves.take() == MovesReport(1, 4, b"d")


def test_a_new_attempt_replaces_the_moves_of_the_one_before():
    moves = LatestMoves()
    moves.played("m", 1, 3, b"abc")
    moves.played("m", 2, 1, b"x")
    assert moves.take() == MovesReport(2, 1, b"x")
