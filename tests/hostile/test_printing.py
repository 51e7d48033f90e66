"""What a bot prints costs it its own time at most: much is read on, and a flood is named in the verdict."""

import json

import pytest

from tests.kits.contestants import arena, choosing, need_bubblewrap, write_bot

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="hostile bots attack real sandboxes")]

MUCH = choosing("print('x' * 60_000, flush=True)\nreturn turn.legal[0]")
FLOOD = choosing("while True:\n    print('x' * 60_000, flush=True)")


def first_seat(folder, source, clock):
    need_bubblewrap()
    bot = write_bot(folder / "bot", source)
    done = arena("match", "--game", "claim", "--bot", bot, "--bot", "first", "--clock", clock, "--seed", 7, "--json")
    assert done.exit_code == 0, done.output
    return json.loads(done.stdout)["seats"][0]


def test_a_bot_that_prints_much_in_every_move_plays_to_the_end(tmp_path):
    """1.6 MB in less than two seconds: more than is read at once, and the rest comes with time."""
    assert first_seat(tmp_path, MUCH, "200ms/move+1s")["ending"] == "NORMAL"


def test_the_verdict_of_a_flood_says_that_its_output_was_blocked(tmp_path):
    seat = first_seat(tmp_path, FLOOD, "200ms/move+500ms")
    assert seat["ending"] == "TIME"
    assert "its output was blocked" in seat["sentence"]
