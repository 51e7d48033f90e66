"""`arena status` beside a tournament of another process: what it says while that lives, and when it was killed."""

import json
import os
import signal
import subprocess
import sys
import time
from datetime import timedelta

import pytest
from sqlalchemy import update

from arena.store.schema import runs
from arena.store.sql import Store
from tests.kits.contestants import arena


def seen(store, condition):
    """The status of the only run, as soon as it fulfils the condition."""
    for _ in range(300):
        found = json.loads(arena("status", "--json", "--db", store).output)
        if found and condition(found[0]):
            return found[0]
        time.sleep(0.2)
    raise AssertionError(found)


@pytest.fixture
def driver(tmp_path):
    """A tournament that goes on for a long time, in a process of its own, and its store."""
    words = ["tournament", "--game", "claim", "--bots", "random,first", "--rounds", "100000", "--seed", "1"]
    Store(tmp_path / "db").close()
    process = subprocess.Popen(
        [sys.executable, "-m", "arena", *words, "--concurrency", "2", "--db", tmp_path / "db"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    yield process, tmp_path / "db"
    process.kill()
    process.wait()


@pytest.mark.slow
@pytest.mark.real(reason="watches a tournament that another process plays")
def test_a_run_is_seen_from_another_process_and_missed_when_it_was_killed(driver):
    process, path = driver
    assert arena("status", "--db", path).output == "nothing is being played with this store\n"
    now = seen(path, lambda run: run["played"] > 3 and len(run["running"]) == 2)
    assert (now["pid"], now["executor"], now["tables"], now["alive"]) == (process.pid, "local", 2, True)
    assert (now["tournament"], now["game"], now["total"], now["void"]) == (1, "claim", 200_000, 0)
    (node,) = now["nodes"]
    assert (node["name"], node["tables"], node["running"]) == (os.uname().nodename, 2, 2)
    assert node["played"] == now["played"] == now["played_in_run"]
    assert {match["table"] for match in now["running"]} == {0, 1}
    assert sorted(now["running"][0]["bots"]) == ["first built-in", "random built-in"]
    assert now["per_second"] > 0
    text = arena("status", "--db", path).output
    assert "tournament 1: claim, round-robin, 2 bots, " in text
    assert f"driven by process {process.pid}" in text

    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    store = Store(path)
    with store._database.begin() as connection:
        (entry,) = store.runs()
        connection.execute(update(runs).values(reported_at=entry.reported - timedelta(minutes=5)))
    store.close()
    text = arena("status", "--db", path).output
    assert "which has not reported for 5m" in text
    assert "arena tournament resume 1" in text
    ended = arena("tournament", "resume", "1", "--budget", "1s", "--db", path)
    assert ended.exit_code == 0, ended.output
    assert arena("status", "--db", path).output == "nothing is being played with this store\n"
