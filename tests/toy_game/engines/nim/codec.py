"""Nim's values to and from the messages of nim.proto."""

from arena.codec import Codec, require
from arena.wire.v1 import nim_pb2 as pb
from engines.nim.rules import NimState, View


class NimCodec(Codec[int, NimState, int, View]):
    """Packs and unpacks Nim."""

    wire = pb
    prefix = "Nim"

    def pack_config(self, config: int) -> pb.NimConfig:
        """The message of a configuration."""
        return pb.NimConfig(sticks=config)

    def unpack_config(self, message: pb.NimConfig) -> int:
        """The configuration in a message."""
        require(0 < message.sticks <= 21, "there are 1 to 21 sticks")
        return message.sticks

    def pack_move(self, move: int) -> pb.NimMove:
        """The message of a move."""
        return pb.NimMove(take=move)

    def unpack_move(self, message: pb.NimMove) -> int:
        """The move in a message."""
        require(message.HasField("take"), "the move is empty: set `take`")
        return message.take

    def pack_observation(self, observation: View) -> pb.NimObservation:
        """The message of what a seat knows."""
        return pb.NimObservation(sticks=observation[0], mover=observation[1])

    def unpack_observation(self, message: pb.NimObservation) -> View:
        """What a seat knows, from a message."""
        _require_possible(message.sticks, message.mover)
        return message.sticks, message.mover

    def pack_state(self, state: NimState) -> pb.NimState:
        """The message of a position."""
        return pb.NimState(sticks=state.sticks, mover=state.mover)

    def unpack_state(self, message: pb.NimState) -> NimState:
        """The position in a message."""
        _require_possible(message.sticks, message.mover)
        return NimState(message.sticks, message.mover)


def _require_possible(sticks: int, mover: int) -> None:
    require(sticks <= 21, "there are 21 sticks at most")
    require(mover < 2, "Nim has two seats")


CODEC = NimCodec()
