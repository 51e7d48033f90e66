"""A tournament on a real Ray cluster and a real PostgreSQL while nodes, workers, driver and database fail.

In the end every match is in the table once, the ratings are those of an undisturbed run, and nothing is left over.
"""

import importlib.util
import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path

import pytest

from arena.sandboxes.owner import start_time
from arena.store.sql import SqlStore
from tests.hostile.traces import groups
from tests.kits.contestants import need_bubblewrap, write_bot
from tests.kits.needs import need
from tests.store.conftest import Server
from tests.tournaments.executors.ray_nodes import HOST, RAY, Nodes

ROOT = Path(__file__).parents[3]
ROUNDS = 5
MATCHES = 3 * 2 * ROUNDS
BOTS = {"first": "turn.legal[0]", "last": "turn.legal[-1]", "middle": "turn.legal[len(turn.legal) // 2]"}
SOURCE = """
import time
from arena.sdk import Bot, serve

class B(Bot):
    def choose(self, turn):
        time.sleep({think})
        return {choice}

serve(B, "claim")
"""


@pytest.fixture
def server():
    running = Server()
    yield running
    running.remove()


@pytest.fixture
def nodes(tmp_path):
    need(None if importlib.util.find_spec("ray") and RAY.exists() else "Ray is not installed: pip install 'arena[ray]'")
    need(None if os.geteuid() == 0 else "only root can give a node a broken sandbox")
    need_bubblewrap()
    running = Nodes(tmp_path)
    yield running
    running.close()


class Driver:
    """The command in a process of its own."""

    def __init__(self, folder, db, place, env, *more):
        bots = ",".join(str(folder / "bots" / name) for name in BOTS)
        words = ["tournament", "--game", "claim", "--bots", bots, "--rounds", str(ROUNDS), "--seed", "5"]
        words += ["--clock", "none", "--memory", "128m", "--executor", place, "--db", str(db), *more]
        self.output = folder / f"driver-{time.monotonic_ns()}.log"
        with self.output.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "arena", *words], cwd=ROOT, env=env, stdout=file, stderr=file
            )

    def text(self):
        return self.output.read_text()


def played(address):
    store = SqlStore(address)
    try:
        return [match.match_id for match in store.matches()]
    finally:
        store.close()


class Story:
    """What is done to the tournament, and what became of it."""

    def __init__(self, nodes, address):
        self.nodes, self.address = nodes, address
        self.kills = Counter()
        self.drivers = []

    def wait(self, driver, matches, seconds=120):
        """Wait until so many matches are kept, or the driver ends."""
        deadline = time.monotonic() + seconds
        while driver.process.poll() is None and time.monotonic() < deadline:
            self.nodes.worker_processes()
            with suppress(Exception):  # there is no table yet, or no database
                if len(played(self.address)) >= matches:
                    return
            time.sleep(0.3)
        assert driver.process.poll() is not None, f"fewer than {matches} matches in {seconds} s:\n{driver.text()}"

    def strike(self, kind, blow):
        self.kills[kind] += 1
        blow()


def make_bots(folder, think):
    """Bots that always play the same, after they thought for so many seconds."""
    (folder / "bots").mkdir(parents=True)
    for name, choice in BOTS.items():
        write_bot(folder / "bots" / name, SOURCE.format(choice=choice, think=think))


def ratings(address):
    found = subprocess.run(
        [sys.executable, "-m", "arena", "ratings", "--game", "claim", "--json", "--db", str(address)],
        cwd=ROOT, capture_output=True, check=True,
    )  # fmt: skip
    return json.loads(found.stdout)


@pytest.mark.timeout(600)
def test_whatever_fails_every_match_is_played_and_kept_once(tmp_path, nodes, server, capsys):
    rng, began = random.Random(13), time.monotonic()
    healthy, _ = [nodes.add(2), nodes.add(2)], nodes.add(1, broken=True)
    make_bots(tmp_path, think=0.03)
    make_bots(tmp_path / "quiet", think=0)  # meanwhile the nodes start
    quiet = Driver(tmp_path / "quiet", tmp_path / "quiet.db", "local", nodes.env, "--sandbox", "process")
    assert quiet.process.wait(240) == 0, quiet.text()
    nodes.wait()
    story = Story(nodes, server.url)

    for _ in range(3):  # on a busy machine Ray's client server sometimes gives up before it is there
        driver = Driver(tmp_path, server.url, f"ray://{HOST}:{nodes.client_port}", nodes.env)
        story.wait(driver, 3)
        if driver.process.poll() is None:
            break
    assert driver.process.poll() is None, driver.text()
    worker = rng.choice(nodes.worker_processes())
    story.strike("worker process in a match", lambda: os.kill(worker, signal.SIGKILL))
    story.wait(driver, 6)
    time.sleep(rng.uniform(0.0, 1.0))
    story.strike("node", lambda: nodes.kill(healthy.pop(0)))
    healthy.append(nodes.add(2))
    story.wait(driver, 10)
    first = driver.text()
    story.strike("driver", driver.process.kill)
    driver.process.wait()

    env = {**nodes.env, "RAY_ADDRESS": f"{HOST}:{nodes.port}"}
    driver = Driver(tmp_path, server.url, "ray", env)
    story.wait(driver, 14)
    time.sleep(rng.uniform(0.0, 1.0))
    story.strike("node", lambda: nodes.kill(healthy.pop(0)))
    story.wait(driver, 18)
    story.strike("database", server.stop)
    server.start()
    with suppress(subprocess.TimeoutExpired):
        driver.process.wait(180)
    texts = [first, driver.text()]
    while driver.process.returncode != 0 and len(texts) < 4:
        driver = Driver(tmp_path, server.url, "ray", env)
        driver.process.wait(180)
        texts.append(driver.text())
    assert driver.process.returncode == 0, "\n\n".join(texts)

    store = SqlStore(server.url)
    matches = store.matches(tournament_id=1)
    finished = store.tournament(1).finished
    endings = {seat.ending for match in matches for seat in match.seats}
    store.close()
    lost = MATCHES - len({match.match_id for match in matches})
    doubled = len(matches) - len({match.ordinal for match in matches})
    left = left_over(nodes)
    with capsys.disabled():
        print(f"\n{'kills':<28} {'matches':>8} {'lost':>5} {'doubled':>8} {'left over':>10} {'seconds':>8}")
        for kind, count in story.kills.items():
            print(f"{count} × {kind}")
        row = f"{MATCHES:>8} {lost:>5} {doubled:>8} {len(left):>10} {time.monotonic() - began:>8.0f}"
        print(f"{story.kills.total()} in all".ljust(28), row)
    assert finished
    assert endings == {"NORMAL"}
    assert (lost, doubled, left) == (0, 0, [])
    assert ratings(server.url) == ratings(tmp_path / "quiet.db")
    assert any("is set aside" in text for text in texts), "\n\n".join(texts)


def left_over(nodes):
    """What is still there of all workers that ever ran, once those that are about to end had their time."""
    deadline = time.monotonic() + 25
    while True:
        found = [f"process {pid}" for pid in nodes.worker_processes()]
        found += [f"process {pid}" for pid, began in nodes.workers if start_time(pid) == began]
        names = [f"-{pid}-{began}-" for pid, began in nodes.workers]
        found += [f"control group {path}" for path in groups() if any(name in path for name in names)]
        found += [f"bot {path}" for path in (nodes.cache / "arena/node").glob("*") if path.name != ".lock"]
        if not found or time.monotonic() > deadline:
            return found
        time.sleep(0.5)
