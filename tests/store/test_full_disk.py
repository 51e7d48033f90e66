"""A disk that is full stops a tournament with one sentence; what was kept stays, and with room again it goes on."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.kits.needs import need
from tests.store.full_disk import ROUNDS

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a process plays until its disk is full")]

MATCHES = 3 * 2 * ROUNDS


@pytest.mark.parametrize("free_kib", [40, 400, 700])
def test_a_tournament_on_a_full_disk_stops_cleanly_and_goes_on_later(tmp_path, free_kib):
    need(None if os.geteuid() == 0 else "mounting needs root")
    small = f"mount -t tmpfs -o size=8m none {tmp_path}"
    play = f"exec {sys.executable} -m tests.store.full_disk {tmp_path} {free_kib << 10}"
    done = subprocess.run(
        ["unshare", "--mount", "sh", "-ec", f"{small}; {play}"],
        cwd=Path(__file__).parents[2], capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    (code, said), (later, _), (verified, wrong) = told["said"]
    assert code == 1
    assert said.splitlines()[-1].startswith("Error: the store ")
    assert "has no room left on its disk: make room, and give the same command again" in said
    assert "Traceback" not in said
    assert (later, verified, wrong) == (0, 0, "")
    assert len(told["kept"]) < MATCHES
    assert (len(told["kept"]) > 0) == (free_kib > 100)
    assert set(told["kept"]) <= set(told["all"])
    assert len(told["all"]) == len(set(told["all"])) == MATCHES
