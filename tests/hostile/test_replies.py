"""No reply, however odd, is a fault of ours: every game reads any bytes and judges any move as the bot's doing.

A reply that raised anything else would void the match, and a bot that is losing would send it.
"""

from random import Random

import pytest
from google.protobuf.descriptor import FieldDescriptor

from arena import registry
from arena.errors import BadMessage, IllegalMove
from arena.match import Moves

pytestmark = pytest.mark.slow

GAMES = registry.games()
NUMBERS = (0, 1, 2, 3, 5, 8, 40, 127, 128, 255, 2**16, 2**31 - 1, 2**31, 2**32 - 1)
ROUNDS = 150
STEPS = 12


def fill(message, rng, depth=0):
    """Set fields of a message at random, mostly to numbers at the edges."""
    for field in message.DESCRIPTOR.fields:
        if rng.random() < 0.3 or depth > 4:
            continue
        if field.is_repeated:
            for _ in range(rng.choice((0, 1, 2, 30))):
                if field.type == FieldDescriptor.TYPE_MESSAGE:
                    fill(getattr(message, field.name).add(), rng, depth + 1)
                else:
                    getattr(message, field.name).append(value(field, rng))
        elif field.type == FieldDescriptor.TYPE_MESSAGE:
            getattr(message, field.name).SetInParent()
            fill(getattr(message, field.name), rng, depth + 1)
        else:
            setattr(message, field.name, value(field, rng))


def value(field, rng):
    """Any value that a field of this type can carry; an enum may carry a number that has no name."""
    match field.cpp_type:
        case FieldDescriptor.CPPTYPE_BOOL:
            return rng.random() < 0.5
        case FieldDescriptor.CPPTYPE_STRING:
            return b"\xff\0" if field.type == FieldDescriptor.TYPE_BYTES else "\0\u202e" * rng.choice((0, 1, 1000))
        case FieldDescriptor.CPPTYPE_DOUBLE | FieldDescriptor.CPPTYPE_FLOAT:
            return rng.choice((float("nan"), float("inf"), -0.0, 1e300))
        case FieldDescriptor.CPPTYPE_ENUM:
            return rng.choice((0, 1, 2, 99))
    number = rng.choice(NUMBERS)
    signed = field.cpp_type in (FieldDescriptor.CPPTYPE_INT32, FieldDescriptor.CPPTYPE_INT64)
    return min(number, 2**31 - 1) * rng.choice((1, -1)) if signed else number


def spoil(data, rng):
    """The bytes with a few of them changed."""
    changed = bytearray(data)
    for _ in range(rng.choice((0, 0, 1, 3))):
        if changed:
            changed[rng.randrange(len(changed))] = rng.randrange(256)
    return bytes(changed)


@pytest.mark.parametrize("name", GAMES)
def test_any_reply_is_the_bots_own_doing(name):
    game, rng = GAMES[name], Random(name)
    sentences = []
    for number in range(ROUNDS):
        state = game.start(game.configure(game.info.min_seats, {}), number)
        for _ in range(rng.randrange(STEPS)):
            if state.to_move() is not None:
                state.apply(rng.choice(state.legal()))
        for _ in range(4):
            reply = game.codec.type("Reply")()
            for _ in range(rng.choice((1, 1, 2, 5))):
                fill(reply.moves.moves.add(), rng)
            sentences += judge(game, state.clone(), spoil(reply.SerializeToString(), rng))
    assert len(sentences) > ROUNDS
    assert all(sentence.isprintable() and len(sentence) < 5000 for sentence in sentences)


def judge(game, state, data):
    """What the bot would be told about its reply; anything but a fault of the bot is not caught here."""
    try:
        reply = game.codec.read_reply(data)
    except BadMessage as fault:
        return [str(fault)]
    said = []
    for move in reply.moves if isinstance(reply, Moves) else ():
        if state.to_move() is not None:
            try:
                state.apply(move)
            except IllegalMove as fault:
                said.append(str(fault))
    return said
