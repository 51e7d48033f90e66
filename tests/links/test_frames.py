"""The walk over HTTP/2 frames does not depend on how the bytes were cut into pieces."""

import struct

from hostile_server import frame
from hypothesis import given
from hypothesis import strategies as st

from arena.links.frames import Frames, Messages

FRAMES = st.lists(
    st.tuples(st.integers(0, 10), st.integers(0, 255), st.integers(0, 2**31 - 1), st.binary(max_size=40)), max_size=8
)


def pieces(data, cuts):
    at = 0
    for cut in [*sorted(cut % (len(data) + 1) for cut in cuts), len(data)]:
        yield data[at:cut]
        at = cut


@given(FRAMES, st.lists(st.integers(0, 500), max_size=20), st.integers(0, 30))
def test_any_cut_gives_the_same_frames(frames, cuts, skip):
    seen, payload = [], []
    walk = Frames(
        lambda kind, flags, stream, length: seen.append((kind, flags, stream, length)),
        lambda stream, data: payload.append((stream, data)),
        skip=skip,
    )
    wire = b"P" * skip + b"".join(frame(kind, data, flags=flags, stream=stream) for kind, flags, stream, data in frames)
    for piece in pieces(wire, cuts):
        walk.feed(piece)
    assert seen == [(kind, flags, stream, len(data)) for kind, flags, stream, data in frames]
    joined = b"".join(data for _, data in payload)
    assert joined == b"".join(data for kind, _, _, data in frames if kind == 0)


def test_the_reserved_bit_of_a_stream_hides_nothing():
    seen = []
    Frames(lambda kind, flags, stream, length: seen.append(stream)).feed(b"\0\0\0\0\0" + struct.pack(">I", 0x80000003))
    assert seen == [3]


@given(
    st.lists(st.tuples(st.booleans(), st.binary(max_size=30)), max_size=6), st.lists(st.integers(0, 300), max_size=20)
)
def test_any_cut_gives_the_same_messages(messages, cuts):
    seen = []
    walk = Messages(lambda compressed, size: seen.append((compressed, size)), lambda: seen.append("end"))
    wire = b"".join(struct.pack(">BI", flag, len(data)) + data for flag, data in messages)
    for piece in pieces(wire, cuts):
        walk.feed(piece)
    assert seen == [each for flag, data in messages for each in ((flag, len(data)), "end")]
