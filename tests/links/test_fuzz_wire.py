"""A smaller helping of `fuzz_wire.py`, with hypothesis to choose."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.referee import looptime
from tests.links.fuzz_wire import converse

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="bytes come over sockets, in real time")]


@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=False))
def test_whatever_a_bot_sends_only_its_own_fault_comes_out(rng):
    assert "unprintable" not in looptime.run(converse(rng))
