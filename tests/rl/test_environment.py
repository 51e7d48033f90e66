"""The PettingZoo environments: PettingZoo's own tests, and what ours promise beyond them."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from gymnasium.spaces import Discrete
from pettingzoo.test import api_test, seed_test

import arena.rl
from arena.errors import IllegalMove, UsageError
from arena.match import Outcome
from arena.registry import find, games
from arena.rl.environment import zero_sum_rewards
from arena.vectors import has_vectors, vectors

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs/rl.md"
TABLES = [
    (name, seats)
    for name, game in games().items()
    if has_vectors(game)
    for seats in range(game.info.min_seats, game.info.max_seats + 1)
]
every_table = pytest.mark.parametrize(("name", "seats"), TABLES)
# PettingZoo's test knows by name which environments may have an action mask beside the observation.
masked = pytest.mark.filterwarnings(
    "ignore:Observation is not a NumPy array", "ignore:Observation space for each agent probably"
)


@every_table
@masked
def test_pettingzoos_own_test_passes(name, seats):
    api_test(arena.rl.env(name, seats=seats), num_cycles=300)


@every_table
def test_pettingzoos_own_seed_test_passes(name, seats):
    seed_test(lambda: arena.rl.env(name, seats=seats), num_cycles=150)


@every_table
def test_random_play_follows_the_mask_to_the_end(name, seats):
    env = arena.rl.BoardGame(name, seats=seats)
    env.reset(seed=5)
    total = dict.fromkeys(env.possible_agents, 0.0)
    for agent in env.agent_iter(10 * env.game.info.max_moves):
        seen, reward, terminated, truncated, _ = env.last()
        assert env.observation_space(agent).contains(seen)
        total[agent] += reward
        assert seen["action_mask"].sum() == len(env.position.legal())
        env.step(None if terminated or truncated else env.action_space(agent).sample(seen["action_mask"]))
    assert sum(total.values()) == pytest.approx(0.0)
    assert tuple(total.values()) == zero_sum_rewards(env.position.outcome())
    assert not env.agents


def test_the_loop_of_the_documentation_plays_a_game():
    (loop, *_) = re.findall(r"```python\n(import arena.*?)```", DOCS.read_text(), re.DOTALL)
    names = {}
    exec(loop, names)
    assert names["env"].unwrapped.position.outcome() is not None


def test_the_documentation_gives_the_right_sizes():
    rows = re.findall(r"^\| `(\w+)` \| ([\d,]+) \| ([\d,]+) \| \D", DOCS.read_text(), re.MULTILINE)
    told = {name: vectors(find(name)) for name, _, _ in rows}
    assert rows == [(name, f"{v.observation.size:,}", f"{v.actions.size:,}") for name, v in told.items()]
    assert len(rows) == 4


def test_a_seed_deals_the_game_of_arena_match():
    env, game = arena.rl.env("claim"), find("claim")
    env.reset(seed=7)
    expected = game.start(game.configure(2, {}), 7)
    assert env.unwrapped.position.view(0) == expected.view(0)


def test_games_after_a_seeded_one_differ_and_repeat():
    def deals():
        env = arena.rl.BoardGame("claim")
        for seed in (7, None, None):
            env.reset(seed=seed)
            yield env.position.view(0)

    first = list(deals())
    assert first == list(deals())
    assert len({seen.hand for seen in first}) == 3


def test_who_is_not_to_move_has_an_empty_mask():
    env = arena.rl.env("claim")
    env.reset(seed=1)
    assert env.agent_selection == "seat_0"
    assert env.observe("seat_0")["action_mask"].any()
    assert not env.observe("seat_1")["action_mask"].any()


def test_options_and_seats_reach_the_game():
    env = arena.rl.env("rrr", options={"setup": "draft"})
    env.reset(seed=1)
    actions = env.unwrapped.vectors.actions
    (legal,) = env.observe(env.agent_selection)["action_mask"].nonzero()
    assert len(legal) == 5
    assert all(actions["pick"].start <= number < actions["pick"].stop for number in legal)
    assert arena.rl.env("kingdoms", seats=3).possible_agents == ["seat_0", "seat_1", "seat_2"]


def test_spaces_are_as_large_as_the_layouts():
    env = arena.rl.env("claim")
    assert env.action_space("seat_0") == Discrete(48)
    assert env.observation_space("seat_1")["observation"].shape == (env.unwrapped.vectors.observation.size,)


def illegal_action(env):
    mask = env.observe(env.agent_selection)["action_mask"]
    return int(np.flatnonzero(mask == 0)[0])


@pytest.mark.filterwarnings("ignore:.*Illegal")
def test_an_illegal_action_ends_the_game_for_who_took_it(capsys):
    env = arena.rl.env("claim")
    env.reset(seed=1)
    env.step(illegal_action(env))
    assert env.rewards == {"seat_0": -1.0, "seat_1": 0.0}
    assert all(env.terminations.values())


def test_the_bare_environment_refuses_an_illegal_action_and_changes_nothing():
    env = arena.rl.BoardGame("claim")
    env.reset(seed=1)
    before = env.position.view(0)
    with pytest.raises(IllegalMove, match="is not legal now; legal are"):
        env.step(illegal_action(env))
    assert env.position.view(0) == before
    assert env.agent_selection == "seat_0"


def test_rendering_shows_the_position_in_colour():
    env = arena.rl.env("claim", render_mode="ansi")
    env.reset(seed=1)
    assert "Phase 1, trick 1 of 13" in env.render()
    bare = arena.rl.BoardGame("claim")
    bare.reset(seed=1)
    assert bare.render() is None


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        ({"game": "chess"}, "there is no game 'chess'"),
        ({"game": "claim", "seats": 3}, "claim is played by 2 seats, not 3"),
        ({"game": "rrr", "options": {"setup": "chaos"}}, "rrr option setup cannot be 'chaos'"),
        ({"game": "claim", "render_mode": "human"}, "there is no render mode 'human': choose ansi, or None"),
    ],
)
def test_what_cannot_be_is_said_in_one_sentence(arguments, sentence):
    with pytest.raises(UsageError, match=sentence):
        arena.rl.env(**arguments)


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ((1, 2), (1, -1)),
        ((1, 1), (0, 0)),
        ((3, 1, 2), (-1, 1, 0)),
        ((1, 1, 3, 4), (2 / 3, 2 / 3, -1 / 3, -1)),
    ],
)
def test_rewards_follow_the_ranks_and_sum_to_zero(ranks, expected):
    got = zero_sum_rewards(Outcome(ranks, (0.0,) * len(ranks), ""))
    assert got == pytest.approx(expected)
    assert sum(got) == pytest.approx(0)


def test_without_the_extra_it_says_what_to_install_and_vectors_still_work():
    code = (
        "import sys; sys.modules['pettingzoo'] = sys.modules['numpy'] = None\n"
        "from arena.registry import find; from arena.vectors import vectors\n"
        "print(vectors(find('claim')).actions.size)\n"
        "import arena.rl"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout == "48\n"
    assert done.stderr.splitlines()[-1].endswith(f"pip install -e {shlex.quote(f'{ROOT}[rl]')}")
