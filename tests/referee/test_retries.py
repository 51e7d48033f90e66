"""The one retry policy."""

import pytest

from arena.referee.retries import RETRIES, RetryPolicy


def test_the_attempts_at_a_table_are_the_first_one_and_its_replays():
    assert [*RetryPolicy(replays=2).attempts()] == [0, 1, 2]
    assert [*RetryPolicy(replays=0).attempts()] == [0]


@pytest.mark.parametrize(("with_node", "often"), [(False, RETRIES.replays), (True, RETRIES.losses)])
def test_a_match_is_hardly_to_blame_for_the_loss_of_a_node(with_node, often):
    assert RETRIES.may_replay(often, with_node=with_node)
    assert not RETRIES.may_replay(often + 1, with_node=with_node)
