"""Kill -9 at any moment loses no finished match and doubles none; `make crash` does it hundreds of times."""

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from arena.store.sql import Store
from tests.hostile.traces import descendants
from tools.crash import KINDS, Crash

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="processes are killed at random moments")]

ROOT = Path(__file__).parents[2]
KILLS = {"sqlite": 40, "postgres": 12}


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_kills_lose_nothing_and_double_nothing(address, tmp_path):
    kills = KILLS["postgres" if "://" in address else "sqlite"]
    (tmp_path / "bots").mkdir()
    crash = Crash(tmp_path / "bots", address, seed=7)
    crash.run(kills)
    assert sum(crash.counts[kind] for kind in KINDS) >= kills
    assert crash.counts["tournaments"] >= 1


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_bots_and_referees_of_the_real_command_are_killed(tmp_path):
    """A bot that is killed has crashed, and a match that a killed referee did not keep is played again."""
    for name in ("left", "right"):
        shutil.copytree(ROOT / "sample_bots/random", tmp_path / name)
        toml = (tmp_path / name / "bot.toml").read_text()
        (tmp_path / name / "bot.toml").write_text(toml.replace('name = "random"', f'name = "{name}"'))
    db, rng = tmp_path / "arena.db", random.Random(3)
    words = ["tournament", "--game", "claim", "--bots", f"{tmp_path / 'left'},{tmp_path / 'right'}", "--rounds", "4"]
    command = [sys.executable, "-m", "arena", *words, "--seed", "1", "--sandbox", "process", "--db", str(db)]
    for victim in ("referee", "bot", "referee", "bot"):
        with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as referee:
            bots = wait_for_bots(referee)
            time.sleep(rng.uniform(0.0, 1.5))
            with suppress(ProcessLookupError):
                os.kill(referee.pid if victim == "referee" else rng.choice(bots), signal.SIGKILL)
            if victim == "referee":
                referee.wait()
            output = referee.communicate()[0].decode()
        assert referee.returncode in (0, -signal.SIGKILL), output
    store = Store(db)
    assert sorted(match.ordinal for match in store.matches(tournament_id=1)) == list(range(8))
    store.close()
    verified = subprocess.run(
        [sys.executable, "-m", "arena", "verify", "--db", str(db)], cwd=ROOT, capture_output=True, check=False
    )
    assert verified.returncode == 0, verified.stderr


def wait_for_bots(referee):
    """Its processes, once both bots are there; or none if it ended."""
    while referee.poll() is None:
        if len(found := descendants(referee.pid)) >= 2:
            return found
        time.sleep(0.02)
    return [referee.pid]
