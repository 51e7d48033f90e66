"""One learner against a fixed opponent: Gymnasium's own checks, rewards, masks and seats."""

import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

from arena.bots.shipped import SAMPLES
from arena.errors import UsageError
from arena.registry import games
from arena.rl import SingleAgent, vector_env
from arena.sdk import Bot

pytestmark = pytest.mark.slow


def first(seen, legal):
    return legal[0]


def play(env, seed=None):
    """Play at random to the end; the reward of every step."""
    _, info = env.reset(seed=seed)
    rng, rewards, over = np.random.default_rng(0), [], False
    while not over:
        action = rng.choice(np.flatnonzero(info["action_mask"]))
        seen, reward, over, truncated, info = env.step(action)
        assert not truncated
        assert env.observation_space.contains(seen)
        rewards.append(reward)
    return rewards


@pytest.mark.filterwarnings("ignore")
def test_gymnasiums_own_check_passes():
    env = SingleAgent("claim", first)
    env.action_space.seed(1)
    check_env(env, skip_render_check=True)


@pytest.mark.parametrize("game", games())
def test_the_reward_is_that_of_the_learners_seat(game):
    env = SingleAgent(game, first)
    for seed in range(3):
        rewards = play(env, seed)
        assert set(rewards[:-1]) <= {0.0}
        assert rewards[-1] == env.board.rewards[f"seat_{env.seat}"]


def test_the_mask_is_never_empty_and_is_the_learners():
    env = SingleAgent("rrr")
    env.reset(seed=1)
    assert env.board.position.to_move() == env.seat
    assert env.action_masks().sum() == len(env.board.position.legal())


def test_an_illegal_action_loses():
    env = SingleAgent("claim", first)
    env.reset(seed=1)
    illegal = int(np.flatnonzero(~env.action_masks())[0])
    _, reward, over, _, info = env.step(illegal)
    assert (reward, over, info["illegal"]) == (-1.0, True, True)


def test_seats_change_unless_one_is_named():
    env, fixed = SingleAgent("claim", first), SingleAgent("claim", first, seat=1)
    assert {env.reset(seed=seed)[1]["seat"] for seed in range(8)} == {0, 1}
    assert {fixed.reset(seed=seed)[1]["seat"] for seed in range(4)} == {1}
    with pytest.raises(UsageError, match="there is no seat 2"):
        SingleAgent("claim", seat=2)


def test_a_seed_is_the_same_game():
    rows = [play(SingleAgent("kingdoms", seats=3), seed=5) for _ in range(2)]
    assert rows[0] == rows[1]
    deals = [SingleAgent("claim").reset(seed=seed)[0] for seed in (1, 1, 2)]
    assert (deals[0] == deals[1]).all()
    assert (deals[0] != deals[2]).any()


class Counting(Bot):
    """Plays the first legal move, and counts the matches that it began."""

    begun = 0

    def begin(self, start):
        Counting.begun += 1
        self.seat = start.seat

    def choose(self, turn):
        assert turn.observation.seat == self.seat
        return turn.legal[0]


def test_a_bot_is_an_opponent_by_its_class_its_name_or_its_folder():
    rewards = [play(SingleAgent("claim", opponent), seed=3)[-1] for opponent in (Counting, first)]
    assert rewards[0] == rewards[1]
    play(SingleAgent("kingdoms", Counting, seats=3), seed=1)
    assert Counting.begun == 3
    greedy = [SingleAgent("claim", opponent) for opponent in ("greedy", SAMPLES / "greedy")]
    assert sum(play(env, seed)[-1] for env in greedy for seed in range(10)) < 0
    seen = [SingleAgent("claim", "random", seat=1).reset(seed=seed)[0].tobytes() for seed in (1, 1, 2)]
    assert (seen[0] == seen[1], seen[0] == seen[2]) == (True, False)
    with pytest.raises(UsageError, match="there is no bot 'nobody': here a bot is a function"):
        SingleAgent("claim", "nobody")


@pytest.mark.parametrize("processes", [False, True])
def test_many_games_at_once(processes):
    envs = vector_env("claim", 3, first, processes=processes)
    try:
        seen, info = envs.reset(seed=1)
        assert seen.shape == (3, envs.single_observation_space.shape[0])
        for _ in range(60):
            actions = [int(np.flatnonzero(mask)[0]) if mask.any() else 0 for mask in info["action_mask"]]
            seen, rewards, over, _, info = envs.step(np.array(actions))
            if over.any():
                assert set(rewards[over]) <= {-1.0, 0.0, 1.0}
                return
        pytest.fail("no game of Claim takes 60 decisions of a seat")
    finally:
        envs.close()
