"""The JSON of messages is protobuf's own, although it is written another way."""

import json

import pytest
from google.protobuf import descriptor_pb2, json_format

from arena.codec import to_json
from arena.registry import games
from arena.testing.play import variants, walk


def by_protobuf(message):
    return json_format.MessageToDict(
        message, preserving_proto_field_name=True, always_print_fields_with_no_presence=True
    )


@pytest.mark.parametrize("name", games())
def test_every_message_of_a_game_has_the_json_of_protobuf(name):
    game = games()[name]
    for seed, variant in enumerate(variants(game)[:4]):
        assert to_json(game.codec.pack_config(variant.config)) == by_protobuf(game.codec.pack_config(variant.config))
        for state, move in walk(game, variant, seed):
            messages = [game.codec.pack_state(state)]
            messages += [game.codec.pack_observation(state.view(seat)) for seat in range(variant.seats)]
            messages += [] if move is None else [game.codec.pack_move(move)]
            for message in messages:
                # As text, so that 1 is not taken for True.
                assert json.dumps(to_json(message), sort_keys=True) == json.dumps(by_protobuf(message), sort_keys=True)


def test_fields_of_every_other_kind_have_the_json_of_protobuf():
    option = descriptor_pb2.UninterpretedOption(
        identifier_value="x", positive_int_value=2**60, negative_int_value=-(2**60), double_value=0.5, string_value=b"x"
    )
    assert to_json(option) == by_protobuf(option)
    field = descriptor_pb2.FieldDescriptorProto(name="x", number=3, type="TYPE_ENUM", proto3_optional=False)
    assert to_json(field) == by_protobuf(field)
    assert to_json(field)["type"] == "TYPE_ENUM"
