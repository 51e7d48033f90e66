"""The way from training to the ladder: train.py learns, bot.py plays it in the sandbox, and in an image of its own."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from arena.clock import TimeControl
from arena.match import MatchStart, Turn
from arena.registry import find
from arena.rng import choice, stream
from bench.strength import bots_of
from tests.kits.contestants import arena, need_bubblewrap, need_image

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "sample_bots/policy"
PATIENT = ("--clock", "10s/move")  # the machine may be busy, and these tests are not about time


def result(game, bot, seed, seat):
    """1 if the bot wins the deal of this seed against random play, 0.5 for a tie."""
    config = game.configure(2, {})
    state, rng = game.start(config, seed), stream(seed, "policy")
    bot.begin(MatchStart("test", seat, 2, config, TimeControl.parse("1s/move")))
    while (mover := state.to_move()) is not None:
        turn = Turn(1, state.view(mover), tuple(state.legal()), 1.0, 0.0)
        state.apply(bot.choose(turn) if mover == seat else choice(rng, turn.legal))
    mine, yours = state.outcome().ranks[seat], state.outcome().ranks[1 - seat]
    return (1 + (mine < yours) - (mine > yours)) / 2


@pytest.mark.slow
def test_the_trained_policy_beats_random_play():
    bot = bots_of("policy")["claim"]()
    results = [result(find("claim"), bot, seed, seat) for seed in range(100) for seat in (0, 1)]
    assert sum(results) / len(results) > 0.6


@pytest.mark.real(reason="a bot is trained or played by processes")
@pytest.mark.slow
def test_training_makes_a_policy_that_plays(tmp_path):
    folder = shutil.copytree(FOLDER, tmp_path / "policy", ignore=shutil.ignore_patterns("policy.npz", "vendor"))
    command = [sys.executable, "train.py", "--games", "128"]
    trained = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=110, check=False)
    assert trained.returncode == 0, trained.stderr
    assert re.search(r"wins [\d.]+% of 128 against random; saved .*policy\.npz", trained.stdout)
    assert bots_of(folder).keys() == {"claim"}


STOPPED = """
import signal, sys, train
from pathlib import Path

train.TABLES, play, plays = 2, train.play, []

def interrupted(*given, **more):
    plays.append(1)
    if len(plays) == stop_in:
        signal.raise_signal(signal.SIGINT)
    return play(*given, **more)

def run(out, *words, stop=0):
    global stop_in
    plays.clear()
    stop_in, sys.argv = stop, ["train.py", "--games", "8", "--out", out, *words]
    try:
        train.main()
    except SystemExit as error:
        return str(error)

train.play = interrupted
assert run("unbroken.npz") is None
assert run("stopped.npz", stop=1) == "stopped: nothing is learned yet, and stopped.npz is left as it was"
assert "the same command goes on" in run("stopped.npz", stop=8), "in the third round, after its measurement"
best = Path("stopped.npz").read_bytes()
said = run("stopped.npz", "--seed", "2")
assert "has a stopped run of --game claim --games 8 --seed 1: go on with that one, or delete the file" in said, said
assert run("stopped.npz") is None
assert best != Path("stopped.npz").read_bytes() == Path("unbroken.npz").read_bytes()
"""


def test_a_stopped_training_keeps_the_best_so_far_and_goes_on_to_the_same_policy(tmp_path):
    command, env = [sys.executable, "-c", STOPPED], {**os.environ, "PYTHONPATH": str(FOLDER)}
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=110, check=False)
    assert done.returncode == 0, done.stderr
    assert "goes on after 4 games" in done.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == ["stopped.npz", "unbroken.npz"]


def test_a_policy_for_other_vectors_says_so(tmp_path):
    source = (
        "from pathlib import Path; import numpy as np; from model import Policy\n"
        "policy = Policy.load(Path('policy.npz'))\n"
        "Policy('rrr', policy.weights)"
    )
    done = subprocess.run([sys.executable, "-c", source], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.stderr == "this policy fits another version of rrr's vectors: run train.py again\n"


TORCH = """
from pathlib import Path; import numpy as np; from model import Policy
rng, shape = np.random.default_rng(1), Policy.load(Path("policy.npz")).vectors
state = {"mlp_extractor.policy_net.0.weight": rng.normal(size=(16, shape.observation.size)),
         "mlp_extractor.policy_net.0.bias": rng.normal(size=16),
         "action_net.weight": rng.normal(size=(shape.actions.size, 16)),
         "action_net.bias": rng.normal(size=shape.actions.size)}
seen = rng.random((3, shape.observation.size))
first, hidden, second, last = state.values()
expected = np.maximum(seen @ first.T + hidden, 0) @ second.T + last
scores = Policy.of_torch("claim", state)(seen.astype(np.float32))[1]
assert np.allclose(scores, expected, atol=1e-3), abs(scores - expected).max()
"""


def test_the_weights_of_a_library_give_the_same_scores():
    """torch itself is not needed: these are arrays by the names of train_ppo.py's network."""
    done = subprocess.run([sys.executable, "-c", TORCH], cwd=FOLDER, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


@pytest.mark.real(reason="a bot is trained or played by processes")
@pytest.mark.slow
def test_the_folder_passes_the_check_in_the_sandbox():
    need_bubblewrap()
    checked = arena("bot", "check", FOLDER, "--game", "claim", "--positions", 20, *PATIENT)
    assert checked.exit_code == 0, checked.output


@pytest.mark.real(reason="a bot is trained or played by processes")
@pytest.mark.slow
def test_the_image_plays_with_its_own_numpy(tmp_path):
    need_image()
    folder = shutil.copytree(FOLDER, tmp_path / "policy", ignore=shutil.ignore_patterns("vendor"))
    (advice,) = re.findall(r"pip (install --target .*)", (FOLDER / "Dockerfile").read_text())
    pip = [sys.executable, "-m", "pip", "--quiet", "--disable-pip-version-check", *advice.split()]
    subprocess.run(pip, cwd=folder, check=True, timeout=100)
    tag = "arena-test/policy:1"
    try:
        built = arena("bot", "build", folder, "--tag", tag)
        assert built.exit_code == 0, built.output
        match = arena("match", "--game", "claim", "--bot", tag, "--bot", "random", *PATIENT)
        assert match.output.count("played to the end") == 2, match.output
    finally:
        subprocess.run(["docker", "image", "rm", "--force", tag], capture_output=True, check=False)
