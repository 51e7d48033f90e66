"""What a bot printed stands beside the move that it belongs to, within bounds."""

from dataclasses import replace

import pytest

from arena.match import MatchRecord, Outcome, PlayedMove, Times
from arena.referee.outputs import MAX_OUTPUT, shortened, with_outputs, with_outputs_of_moves, without_outputs

TOOK = Times(wall=5)


def outputs_of(played, *outputs):
    record = MatchRecord(None, "1", tuple(played), (), Outcome((), (), ""))
    return [move.output for move in with_outputs(record, outputs).played]


def test_the_first_move_of_a_reply_carries_what_was_printed_in_its_turn():
    played = [PlayedMove(0, "a", TOOK, turn=1), PlayedMove(0, "b", turn=1), PlayedMove(1, "c", TOOK, turn=1)]
    played += [PlayedMove(0, "d", substituted=True, turn=2), PlayedMove(0, "e", TOOK, turn=3)]
    printed = ["ready\n", "one\n", "too late\n", "", "in a turn without a move"]
    assert outputs_of(played, printed, []) == ["ready\none", "", "", "too late", ""]


def test_a_partly_illegal_reply_and_its_substitute_are_one_turn():
    played = [PlayedMove(0, "a", TOOK, turn=1), PlayedMove(0, "b", substituted=True, turn=1)]
    assert outputs_of(played, ["", "hm"]) == ["hm", ""]


def test_a_record_of_silent_bots_is_not_touched():
    record = MatchRecord(None, "1", (PlayedMove(0, "a", turn=1),), (), Outcome((), (), ""))
    assert with_outputs(record, [["", ""], []]) is record


def test_what_is_kept_is_bounded_and_the_latest_is_kept():
    played = [PlayedMove(0, number, TOOK, turn=number) for number in range(1, 101)]
    kept = outputs_of(played, [f"{number:0999}\n" for number in range(101)])
    assert sum(map(len, kept)) <= 8192
    assert len(kept[-1]) == MAX_OUTPUT
    assert kept[-1].startswith("…0")
    assert kept[-1].endswith("0100")
    assert kept[0] == ""


@pytest.mark.parametrize(("text", "kept"), [("abc", "abc"), ("abcd", "…cd"), ("", "")])
def test_the_end_of_a_long_text_is_kept(text, kept):
    assert shortened(text, 3) == kept


def test_outputs_are_part_of_a_move_and_turns_are_not():
    move = PlayedMove(0, "a", output="x")
    assert move != replace(move, output="y")
    assert move == replace(move, turn=7)


def test_outputs_leave_a_record_and_come_back_by_the_numbers_of_the_moves():
    played = (PlayedMove(0, "a", TOOK, output="one"), PlayedMove(1, "b", TOOK), PlayedMove(0, "c", TOOK, output="two"))
    record = MatchRecord(None, "1", played, (), Outcome((), (), ""))
    assert [move.output for move in without_outputs(record).played] == ["", "", ""]
    assert with_outputs_of_moves(without_outputs(record), {0: "one", 2: "two", 99: "none"}) == record
