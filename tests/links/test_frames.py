"""The walk over HTTP/2 frames does not depend on how the bytes were cut into pieces."""

import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.errors import BadMessage
from arena.links.frames import MAX_MESSAGE, Frames, Messages, pack_message
from tests.links.hostile_server import frame

FRAMES = st.lists(
    st.tuples(st.integers(0, 10), st.integers(0, 255), st.integers(0, 2**31 - 1), st.binary(max_size=40)), max_size=8
)


def pieces(data, cuts):
    at = 0
    for cut in [*sorted(cut % (len(data) + 1) for cut in cuts), len(data)]:
        yield data[at:cut]
        at = cut


@given(FRAMES, st.lists(st.integers(0, 500), max_size=20))
def test_any_cut_gives_the_same_frames(frames, cuts):
    heads, seen = [], []
    walk = Frames(heads.append)
    whole = [frame(kind, data, flags=flags, stream=stream) for kind, flags, stream, data in frames]
    for piece in pieces(b"".join(whole), cuts):
        walk.feed(piece)
        seen += iter(walk.take, None)
    assert seen == list(zip(heads, whole))
    assert heads == [(kind, flags, stream, len(data)) for kind, flags, stream, data in frames]
    assert len(walk) == 0


def test_a_frame_is_judged_before_its_payload_is_there():
    heads = []
    walk = Frames(heads.append)
    for byte in frame(0, bytes(100), stream=1)[:50]:
        walk.feed(bytes([byte]))
        assert walk.take() is None
    assert heads == [(0, 0, 1, 100)]


@given(st.lists(st.binary(max_size=30), max_size=6), st.lists(st.integers(0, 300), max_size=20))
def test_any_cut_gives_the_same_messages(messages, cuts):
    seen = []
    inbox = Messages(seen.append)
    for piece in pieces(b"".join(map(pack_message, messages)), cuts):
        inbox.feed(piece)
    assert seen == messages


@pytest.mark.parametrize("prefix", [struct.pack(">BI", 1, 3), struct.pack(">BI", 0, MAX_MESSAGE + 1)])
def test_a_message_that_is_not_accepted_is_refused_by_its_prefix(prefix):
    inbox = Messages(lambda _: None)
    inbox.feed(prefix[:-1])
    with pytest.raises(BadMessage):
        inbox.feed(prefix[-1:])
