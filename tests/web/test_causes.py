"""Why a match ended by a fault: the move, what was legal, and what the bot printed if that is asked for."""

from dataclasses import replace

import pytest

from arena.match import Ending, Fault, Verdict, result_words
from arena.referee.faults import result
from arena.registry import find
from arena.web.causes import find_causes, last_lines
from arena.web.replay_data import read_replay
from arena.web.replay_page import replay_html
from tests.web.replays import random_match

SECRET = "<b>Traceback</b>: my opening book"


def illegal_match(name="claim", *, tried=None, ply=9):
    """A random game in which the seat to move after so many moves played one that it had played before."""
    whole, game = random_match(name), find(name)
    seat = whole.played[ply].seat
    earlier = next(move.move for move in whole.played if move.seat == seat)
    packed = game.codec.dump_move(earlier) if tried is None else tried
    fault = Fault(seat, ply, Verdict(Ending.ILLEGAL, "<i>7</i> may not be played now"), packed)
    verdicts = tuple(fault.verdict if other == seat else fine for other, fine in enumerate(whole.verdicts))
    outcome = result(None, [seat], 2)
    return replace(whole, played=whole.played[:ply], verdicts=verdicts, outcome=outcome, faults=(fault,))


@pytest.mark.parametrize("name", ["assassins", "claim", "rrr"])
def test_the_cause_of_an_illegal_move_is_the_move_and_what_was_legal(name):
    record, game = illegal_match(name), find(name)
    (cause,) = find_causes(game, record)
    state = game.start(record.spec.config, record.spec.seed)
    for played in record.played:
        state.apply(played.move)
    assert (cause.seat, cause.ply, len(cause.legal)) == (record.faults[0].seat, 9, len(state.legal()))
    assert cause.tried.endswith("}")
    assert cause.tried.startswith(("leads", "follows with")) == (name == "claim")
    assert not any(words.startswith("seat") for words in cause.legal)


def test_an_older_record_still_tells_what_was_legal():
    record = illegal_match()
    new, old = (find_causes(find("claim"), kept)[0] for kept in (record, replace(record, faults=())))
    assert old == replace(new, tried="")


def test_bytes_that_are_no_move_are_left_out():
    (cause,) = find_causes(find("claim"), illegal_match(tried=b"\xff\xff"))
    assert cause.tried == ""
    assert cause.legal


def test_the_page_of_a_match_tells_the_cause_and_output_only_if_asked():
    record = illegal_match()
    replay, seat = read_replay(find("claim"), record), record.faults[0].seat
    page = replay_html(replay)
    assert replay.result in page
    assert "won by forfeit (" in replay.result
    assert "chose an illegal move at move 10)" in replay.result
    assert '<a href="#9">at move 10</a>' in page
    assert "&lt;i&gt;7&lt;/i&gt; may not be played now" in page
    assert f"{len(replay.causes[0].legal)} moves were legal" in page.replace("move was", "moves were")
    assert "Traceback" not in page
    assert "&lt;b&gt;Traceback&lt;/b&gt;: my opening book" in replay_html(replay, outputs={seat: SECRET})
    assert "Traceback" not in replay_html(replay, framed=True, outputs={seat: SECRET})


def test_output_is_shown_in_its_last_lines_and_cannot_steer_a_terminal():
    assert last_lines("".join(f"{number}\n" for number in range(30))).splitlines()[0] == "10"
    assert last_lines("\x1b[2Jgone\n") == "\\x1b[2Jgone"


RESULTS = [
    ((1, 2), ("NORMAL", "NORMAL"), {}, "a wins: 5 to 2"),
    ((1, 1), ("NORMAL", "NORMAL"), {}, "A draw: 5 to 2"),
    ((2, 1), ("TIME", "NORMAL"), {0: 36}, "b won by forfeit (a used more time than it had at move 37)"),
    ((2, 1), ("NO_START", "NORMAL"), {0: 0}, "b won by forfeit (a never became ready)"),
    ((1, 1), ("NO_START", "CRASH"), {}, "Nobody won (a never became ready; b's process ended)"),
    ((2, 1, 3), ("NORMAL", "NORMAL", "CRASH"), {2: 4}, "b wins: 5 to 2 (c's process ended at move 5)"),
    ((1, 1, 3), ("NORMAL", "NORMAL", "CRASH"), {}, "a and b share the win: 5 to 2 (c's process ended)"),
    ((), ("VOID", "VOID"), {}, "The match does not count"),
]


@pytest.mark.parametrize(("ranks", "endings", "plies", "sentence"), RESULTS, ids=[row[3] for row in RESULTS])
def test_a_result_is_one_sentence(ranks, endings, plies, sentence):
    assert result_words("abc"[: len(endings)], ranks, "5 to 2", endings, plies) == sentence
