"""A tournament on a real Ray cluster and a real PostgreSQL while nodes, workers, driver and database fail.

In the end every match is in the table once, the ratings are those of an undisturbed run, and nothing is left over.
"""

import importlib.util
import json
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

from arena.sandboxes.referee_id import start_time
from arena.standings.ladder import newest_versions
from arena.store.sql import Store
from tests.hostile.traces import descendants, groups
from tests.kits.contestants import arena, choosing, need_bubblewrap, write_bot
from tests.kits.needs import need
from tests.kits.postgres import Server
from tests.workers.ray.ray_nodes import HOST, Nodes, node_id

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="nodes of a cluster are killed")]

ROOT = Path(__file__).parents[3]
ROUNDS = 8
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
CRASHES = """
import os
if turn.number > 2:
    print("these are my last words", flush=True)
    os._exit(3)
return turn.legal[0]
"""


@pytest.fixture
def server():
    running = Server()
    yield running
    running.remove()


@pytest.fixture(scope="module")
def nodes(tmp_path_factory):
    need(None if importlib.util.find_spec("ray") else "Ray is not installed: make install")
    need(None if os.geteuid() == 0 else "only root can give a node a broken sandbox")
    need_bubblewrap()
    running = Nodes(tmp_path_factory.mktemp("nodes"))
    yield running
    running.close()


@pytest.fixture
def start(nodes):
    """Starts drivers, and ends those that are left."""
    drivers = []

    def start_driver(*words, **options):
        drivers.append(Driver(*words, **options))
        return drivers[-1]

    yield start_driver
    for driver in drivers:
        driver.process.kill()
        driver.process.wait()


class Driver:
    """The command in a process of its own."""

    def __init__(self, folder, db, place, env, *words):
        words = [*words, "--clock", "none", "--memory", "128m", "--executor", place, "--db", str(db)]
        self.output = folder / f"driver-{time.monotonic_ns()}.log"
        with self.output.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "arena", *words], cwd=ROOT, env=env, stdout=file, stderr=file
            )

    def text(self):
        return self.output.read_text()

    def runs(self):
        return self.process.poll() is None


def tournament(folder, *more, rounds=ROUNDS, seed=5):
    """The words of a command that plays one between the bots in this folder."""
    bots = ",".join(str(folder / "bots" / name) for name in BOTS)
    words = ("tournament", "--game", "claim", "--bots", bots, "--rounds", str(rounds), "--seed", str(seed))
    return (*words, *more)


def played(address, tournament=1):
    """The matches of a tournament that are kept; none if there is no table yet, or no database."""
    with suppress(Exception):
        store = Store(address)
        try:
            return [match.match_id for match in store.matches(tournament_id=tournament)]
        finally:
            store.close()
    return []


def status(address):
    """What `arena status` says."""
    return json.loads(arena("status", "--json", "--db", address).output)


def moves_seen(address):
    """How many moves of running matches a spectator sees at present."""
    store = Store(address, read_only=True)
    try:
        return sum(match.moves for match in store.running_matches())
    finally:
        store.close()


class Story:
    """What is done to the tournament, and when."""

    def __init__(self, nodes, address):
        self.nodes, self.address = nodes, address
        self.began = time.monotonic()
        self.faults = []

    def wait(self, driver, matches, seconds=180):
        """Wait until so many matches are kept; the driver must live so long."""
        self.wait_for(driver, lambda: len(played(self.address)) >= matches, f"{matches} matches", seconds)

    def wait_for(self, driver, condition, what, seconds=180):
        deadline = time.monotonic() + seconds
        while not condition():
            self.nodes.worker_processes()
            assert driver.runs(), driver.text()
            assert time.monotonic() < deadline, f"no {what} in {seconds} s:\n{driver.text()}"
            time.sleep(0.2)

    def strike(self, kind, blow):
        self.faults.append((kind, time.monotonic() - self.began, len(played(self.address))))
        return blow()


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
def test_whatever_fails_every_match_is_played_and_kept_once(tmp_path, nodes, server, start, capsys):
    nodes.kill_all()  # of a try that failed
    rng, story = random.Random(13), Story(nodes, server.url)
    first, second, slow, broken = nodes.add(1), nodes.add(1), nodes.add(1), nodes.add(1, broken=True)
    make_bots(tmp_path, think=0.03)
    make_bots(tmp_path / "quiet", think=0)  # meanwhile the nodes start
    undisturbed = tournament(tmp_path / "quiet", "--sandbox", "process")
    quiet = start(tmp_path / "quiet", tmp_path / "quiet.db", "local", nodes.env, *undisturbed)
    nodes.wait()
    assert quiet.process.wait(240) == 0, quiet.text()

    place = f"ray://{HOST}:{nodes.client_port}"
    driver = start(tmp_path, server.url, place, nodes.env, *tournament(tmp_path))
    story.strike("a node with a broken sandbox", lambda: None)
    story.wait(driver, 1)
    story.wait_for(driver, lambda: moves_seen(server.url), "move of a running match")
    story.strike("a node becomes slow", lambda: nodes.slow_down(slow))
    story.wait_for(driver, nodes.worker_processes, "worker")
    worker = rng.choice(nodes.worker_processes())
    story.strike("a worker process is killed", lambda: os.kill(worker, signal.SIGKILL))
    story.wait(driver, 4)
    joined = nodes.add(2)  # which takes a while
    story.wait_for(driver, lambda: reported(server.url), "report of the worker that was killed and the broken node")
    check_status(status(server.url), driver, place, good=(first, second, slow), broken=broken)
    story.strike("the database is restarted", server.stop)
    story.wait_for(driver, lambda: "it is tried again" in driver.text(), "loss of the database")
    server.start()
    story.wait(driver, 7)
    time.sleep(rng.uniform(0.0, 1.0))
    story.strike("a node is killed", lambda: nodes.kill(first))
    story.wait_for(driver, lambda: plays(nodes, joined, 2), "two tables on the node that joined")
    story.strike("the driver is killed", driver.process.kill)
    driver.process.wait()
    texts = [driver.text()]

    env = {**nodes.env, "RAY_ADDRESS": f"{HOST}:{nodes.port}"}
    driver = start(tmp_path, server.url, "ray", env, *tournament(tmp_path))
    story.wait(driver, len(played(server.url)) + 2)
    time.sleep(rng.uniform(0.0, 1.0))
    story.strike("a node is killed", lambda: nodes.kill(second))
    assert driver.process.wait(240) == 0, driver.text()
    texts.append(driver.text())

    store = Store(server.url)
    matches = store.matches(tournament_id=1)
    finished = store.tournament(1).finished
    endings = {seat.ending for match in matches for seat in match.seats}
    store.close()
    lost = MATCHES - len({match.match_id for match in matches})
    doubled = len(matches) - len({match.ordinal for match in matches})
    left = left_over(nodes)
    with capsys.disabled():
        print(f"\n{'fault':<30} {'second':>7} {'matches':>8} {'lost':>5} {'doubled':>8} {'left over':>10}")
        for kind, moment, count in story.faults:
            print(f"{kind:<30} {moment:>7.0f} {count:>8}")
        end = time.monotonic() - story.began
        print(f"{'in the end':<30} {end:>7.0f} {len(matches):>8} {lost:>5} {doubled:>8} {len(left):>10}")
    assert finished
    assert endings == {"NORMAL"}
    assert (lost, doubled, left) == (0, 0, [])
    assert ratings(server.url) == ratings(tmp_path / "quiet.db")
    named = f"/{node_id(broken)[:8]} is cordoned"
    assert any(named in text for text in texts), "\n\n".join(texts)
    assert "the store answers again" in texts[0]
    assert not any(run["alive"] for run in status(server.url))


def reported(address):
    """Whether the run reports that a worker died in its match, and that a node was cordoned."""
    nodes = [node for run in status(address) for node in run["nodes"]]
    return any(node["workers_ended"] for node in nodes) and any(node["cordoned"] for node in nodes)


def check_status(runs, driver, place, *, good, broken):
    """The only run has all nodes by their names, with what happened there."""
    (run,) = runs
    assert (run["tournament"], run["pid"], run["executor"], run["alive"]) == (1, driver.process.pid, place, True)
    nodes = {node["name"].rpartition("/")[2]: node for node in run["nodes"]}
    assert {node_id(node)[:8] for node in good} <= nodes.keys()
    assert sum(node["played"] for node in nodes.values()) == run["played"] == run["played_in_run"]
    assert {match["node"] for match in run["running"]} <= {node["name"] for node in run["nodes"]}
    refused = nodes[node_id(broken)[:8]]
    assert "this sandbox is broken" in refused["cordoned"]
    assert (refused["tables"], refused["played"]) == (0, 0)


@pytest.mark.timeout(400)
def test_tournaments_and_submissions_share_the_tables_by_their_priorities(tmp_path, nodes, start):
    nodes.kill_all()
    node = nodes.add(3)
    make_bots(tmp_path, think=0.02)
    db, env = tmp_path / "arena.db", {**nodes.env, "RAY_ADDRESS": f"{HOST}:{nodes.port}"}
    nodes.wait()
    story = Story(nodes, db)
    high = start(tmp_path, db, "ray", env, *tournament(tmp_path, "--priority", "20", rounds=500))
    story.wait_for(high, lambda: plays(nodes, node, 3), "three tables of the first tournament")
    first = set(nodes.worker_processes())
    low = start(tmp_path, db, "ray", env, *tournament(tmp_path, "--priority", "10", rounds=500, seed=6))

    def tables():
        """How many tables each of the two has."""
        now = set(nodes.worker_processes())
        return len(now & first), len(now - first)

    story.wait_for(low, lambda: tables() == (2, 1), "table for each weight of 10")
    before = [len(played(db, number)) for number in (1, 2)]
    for number, count in enumerate(before, 1):
        story.wait_for(low, lambda: len(played(db, number)) > count, f"match of tournament {number}")  # noqa: B023
    assert high.runs()
    assert tables() == (2, 1)
    story.wait_for(low, lambda: [run["tables"] for run in status(db)] == [2, 1], "status of both tournaments")
    assert {(run["executor"], len(run["nodes"]), run["alive"]) for run in status(db)} == {("ray", 1, True)}
    story.wait_for(low, lambda: moves_seen(db), "move of a running match")

    handed_in = {
        name: start(
            tmp_path, db, "ray", env, "submit", str(write_bot(tmp_path / name, choosing(source))), "--owner", "alice",
            "--priority", "50",
        )
        for name, source in (("plays", "return turn.legal[0]"), ("crashes", CRASHES))
    }  # fmt: skip
    story.wait_for(low, lambda: tables()[0] < 2, "table that the first tournament gives to a submission")
    codes = {name: submission.process.wait(120) for name, submission in handed_in.items()}
    assert codes == {"plays": 0, "crashes": 2}, [submission.text() for submission in handed_in.values()]
    assert "plays 1 of alice is on the ladder" in handed_in["plays"].text()
    assert "these are my last words" in handed_in["crashes"].text()
    assert "seat 0 of 2, after " in handed_in["crashes"].text()
    store = Store(db, read_only=True)
    assert [bot.name for bot in newest_versions(store.all_bots(), "claim")] == ["plays"]
    store.close()

    assert high.runs()
    high.process.kill()
    high.process.wait()
    story.wait_for(low, lambda: tables() == (0, 3), "three tables of the tournament that is left")


@pytest.mark.timeout(400)
def test_bots_in_the_database_reach_the_nodes_from_a_machine_that_never_had_them(
    tmp_path, nodes, server, start, monkeypatch
):
    nodes.kill_all()
    nodes.add(1)
    bot = write_bot(tmp_path / "mine", choosing("return turn.legal[0]"))
    for name in ("DATA", "CACHE"):
        monkeypatch.setenv(f"XDG_{name}_HOME", str(tmp_path / "gone" / name))
    submitted = arena("submit", bot, "--owner", "alice", "--clock", "30s/move", "--db", server.url)
    assert submitted.exit_code == 0, submitted.output
    for folder in (bot, tmp_path / "gone"):
        shutil.rmtree(folder)
    nodes.wait()
    env = {**nodes.env, "XDG_DATA_HOME": str(tmp_path / "data"), "XDG_CACHE_HOME": str(tmp_path / "cache")}
    words = ("tournament", "--game", "claim", "--bots", "mine,random", "--rounds", "1")
    driver = start(tmp_path, server.url, f"ray://{HOST}:{nodes.client_port}", env, *words)
    assert driver.process.wait(240) == 0, driver.text()
    store = Store(server.url)
    endings = [seat.ending for match in store.matches(tournament_id=1) for seat in match.seats]
    store.close()
    assert endings == ["NORMAL"] * 4


def plays(nodes, node, tables):
    """Whether so many worker processes run on a node."""
    return len(set(nodes.worker_processes()) & set(descendants(node.pid))) >= tables


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
