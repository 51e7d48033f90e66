"""From MaskablePPO to a bot; only where sb3-contrib is, such as by `make test-ppo` (see conftest.py)."""

import re
import shutil
import subprocess

import pytest

from bench.strength import bots_of
from tests.kits.contestants import arena, need_bubblewrap
from tests.rl.conftest import LEARNING
from tests.rl.test_policy_bot import FOLDER, PATIENT

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="what is learned depends on the threads of torch")]

SAME = """
import numpy as np, torch, train_ppo
from arena.rl import SingleAgent
model = train_ppo.learner("claim", ["random", "greedy"], seed=1)
model.learn(train_ppo.TABLES * train_ppo.STEPS)
policy, env = train_ppo.policy_of(model, "claim"), SingleAgent("claim")
for seed in range(20):
    seen, info = env.reset(seed=seed)
    with torch.no_grad():
        theirs = model.policy.get_distribution(torch.as_tensor(seen[np.newaxis]))
        logits = theirs.distribution.logits.numpy()[0]
    ours = policy(seen[np.newaxis])[1][0]
    assert np.allclose(ours - ours[0], logits - logits[0], atol=1e-4), seed
"""
"""What the library would do after a lesson is what the bot would do."""


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(FOLDER, tmp_path / "learned", ignore=shutil.ignore_patterns("policy.npz", "vendor"))


def python(folder, *words):
    """What the Python with sb3-contrib prints in this folder."""
    command = [str(LEARNING), *words]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=200, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.timeout(250)
def test_it_learns_for_a_moment_and_the_bot_plays_what_it_learned(folder):
    need_bubblewrap()
    said = python(folder, "train_ppo.py", "--steps", "16384", "--games", "8")
    assert re.search(
        r" 16384 decisions  wins [\d.]+% against random, [\d.]+% against greedy\nsaved .*policy\.npz", said
    )
    assert bots_of(folder).keys() == {"claim"}
    match = arena("match", "--game", "claim", "--bot", folder, "--bot", "random", *PATIENT)
    assert match.output.count("played to the end") == 2, match.output


@pytest.mark.timeout(250)
def test_the_bot_scores_moves_as_the_library_does(folder):
    python(folder, "-c", SAME)
