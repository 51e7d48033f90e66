"""A smaller helping of `fuzz_wire.py`, with hypothesis to choose."""

import asyncio

from fuzz_wire import converse
from hypothesis import given, settings
from hypothesis import strategies as st


@settings(max_examples=200, deadline=None)
@given(st.randoms(use_true_random=False))
def test_whatever_a_bot_sends_only_its_own_fault_comes_out(rng):
    assert "unprintable" not in asyncio.run(converse(rng))
