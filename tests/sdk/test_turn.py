"""Turns in the names of the game: whatever a bot sees can be read, and whatever it may do can be written."""

import copy
import pickle
from random import Random

import pytest

from arena.errors import IllegalMove
from arena.registry import find, games
from arena.sdk import Bot, Session, Turn
from arena.sdk.named import Named

MOST = 12
"""Moves of one position that are looked at."""


def turns(name, number=0, plies=60):
    """The turns of a random game in the variant of this number."""
    game = find(name)
    variants = list(game.info.variants())
    state, rng = game.start(game.configure(*variants[number * 7 % len(variants)]), number), Random(number)
    while (seat := state.to_move()) is not None and plies:
        yield Turn(1, state.view(seat), tuple(state.legal()), 1.0, 0.0, game=game)
        state.apply(rng.choice(state.legal()))
        plies -= 1


def turn_of(name, phase=None):
    return next(turn for turn in turns(name) if phase in (None, turn.seen.phase))


@pytest.mark.parametrize("number", range(4))
@pytest.mark.parametrize("name", games())
def test_every_move_is_made_of_what_it_says(name, number):
    for turn in turns(name, number):
        for move in turn.legal[:MOST]:
            named = turn.fields(move)
            values = dict(named.values)
            assert turn.move(named.kind, values.pop("value", None), **values) == move


@pytest.mark.parametrize("name", games())
def test_every_move_has_words_without_markup(name):
    for turn in turns(name, plies=20):
        seat = find(name).imagine(turn.observation, Random()).to_move()
        for move in turn.legal[:MOST]:
            words = turn.describe(move)
            assert words.startswith(f"seat {seat}")
            assert "[/" not in words


@pytest.mark.parametrize("name", games())
def test_what_a_seat_sees_has_the_names_of_the_message(name):
    kind = find(name).codec.type("Observation").DESCRIPTOR
    seen = next(turns(name)).seen
    assert list(seen.values) == [field.name for field in kind.fields]
    assert repr(seen).startswith(f"Observation(seat={seen.seat}, config=Config(")


def test_what_is_not_set_is_none_and_names_have_no_prefix():
    seen = turn_of("assassins", "KING").seen
    assert (seen.ending, seen.config.board, seen.king, len(seen.knights)) == (None, "A", 99, 7)
    assert repr(seen.events[0]) == "Event(seat=1, move=choose(citizens=()))"
    assert turn_of("claim").seen.lead is None


def test_moves_show_themselves_as_they_are_written():
    turn = turn_of("assassins", "KING")
    step = turn.move("step", figure=13, square=3)
    assert (repr(turn.fields(step)), turn.describe(step)) == ("step(figure=13, square=3)", "seat 0: N13 goes to 03")
    assert repr(turn.fields(turn.move("end_turn"))) == "end_turn()"
    rrr = next(turn for turn in turns("rrr") if turn.seen.placements)
    assert any(rrr.fields(move).tile == "CARDINAL" for move in rrr.legal)


def test_a_move_may_be_written_without_a_list_of_legal_ones():
    listed = turn_of("kingdoms")
    turn = Turn(1, listed.observation, None, 1.0, 0.0, game=listed.game)
    assert turn.move("play", listed.seen.hand[0]) == listed.legal[0]


@pytest.mark.parametrize(
    ("name", "kind", "value", "values", "complaint"),
    [
        ("claim", "lead", 3, {}, "there is no move 'lead': there are play"),
        ("claim", "play", 99, {}, r"play\(99\) is not legal now: legal are play\(0\), .* and [0-9]+ more of this kind"),
        ("claim", "play", "G3", {}, "play cannot be 'G3'"),
        ("claim", "play", None, {}, "play cannot be None"),
        ("claim", "play", None, {"card": 3}, "play has no 'card': its one value is written without a name"),
        ("assassins", "step", None, {"figure": 0}, "step needs square"),
        ("assassins", "step", 7, {}, "the values of step have names: figure, square"),
        ("assassins", "step", None, {"figure": 0, "to": 98}, "step has no 'to': it has figure, square"),
        ("assassins", "step", None, {"figure": 0, "square": 100}, "this is no step: there is no square 100"),
        ("assassins", "step", None, {"figure": 13, "square": 99}, r"step\(figure=13, .* legal are step\(figure=13, "),
        ("assassins", "attack", None, {"figure": 1, "square": 99}, "is not legal now: legal are step, end_turn$"),
        ("assassins", "end_turn", False, {}, "this is no end_turn: `end_turn` can only be true"),
        ("rrr", "place", None, {"tile": "JOKER", "space": 4}, "tile of place cannot be 'JOKER': choose KING, QUEEN"),
        ("rrr", "place", None, {"tile": "FAIRY", "space": 4, "shift": 3}, "shift of place cannot be 3"),
        ("rrr", "place", None, {"tile": "FAIRY", "space": 4, "shift": {"source": 1}}, "shift needs destination"),
    ],
)
def test_what_cannot_be_played_is_refused_in_one_sentence(name, kind, value, values, complaint):
    turn = turn_of(name, "KING" if name == "assassins" else None)
    with pytest.raises(IllegalMove, match=complaint) as refused:
        turn.move(kind, value, **values)
    assert "\n" not in str(refused.value)


def test_words_are_for_legal_moves_only():
    turn = turn_of("claim")
    with pytest.raises(IllegalMove, match=r"play\(99\) is not legal now"):
        turn.describe(99)


def test_names_that_are_mistyped_are_told():
    named = Named("step", {"figure": 7, "square": 86})
    with pytest.raises(AttributeError, match="step has no 'sqare': it has figure, square"):
        _ = named.sqare
    assert copy.deepcopy(named) == named == pickle.loads(pickle.dumps(named))
    assert len({named, Named("step", {"figure": 7, "square": 86}), Named("kill", named.values)}) == 2


def test_a_bot_gets_such_turns():
    class Reader(Bot):
        def choose(self, turn):
            return turn.move("play", turn.seen.hand[-1])

    turn = turn_of("claim")
    codec = turn.game.codec
    reply = codec.read_reply(Session(turn.game, Reader()).handle(codec.write_turn(turn)))
    assert reply.moves == (turn.seen.hand[-1],)
