"""Which executor the user means, and what is said when there is none."""

import importlib.util
import os
import subprocess
import sys
import warnings

import pytest

from arena.errors import UsageError
from arena.workers.placement import MatchSize, Placement, connect
from tests.kits.needs import need

MIB = 1 << 20
SIZE = MatchSize(2, 1.0, 512 * MIB, False)


def test_local_needs_no_cluster():
    assert connect(Placement(), SIZE) is None


@pytest.mark.parametrize("given", [{"priority": 20}, {"registry": "host:5000"}])
def test_what_is_for_clusters_is_refused_without_one(given):
    with pytest.raises(UsageError, match="--executor"):
        connect(Placement(**given), SIZE)


@pytest.mark.parametrize("place", ["", "here", "ray://", "ray://host", "ray://host:port", "http://host:1"])
def test_anything_else_is_refused_with_what_there_is(place):
    with pytest.raises(UsageError, match=r"give local, ray .* or ray://HOST:PORT"):
        connect(Placement(place), SIZE)


def test_without_ray_it_is_said_what_to_install(monkeypatch):
    for name in [name for name in sys.modules if name.startswith("arena.workers.ray.")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(UsageError, match=r"pip install -e '?/.*\[ray\]'?$"):
        connect(Placement("ray"), SIZE)


@pytest.mark.slow
def test_a_cluster_that_fails_to_serve_us_is_asked_again(monkeypatch):
    need(None if importlib.util.find_spec("ray") else "Ray is not installed: make install")
    from arena.workers.ray import cluster

    failures = ["its server for us ended", "and again"]
    asked = []

    def init(address, **_):
        asked.append(address)
        warnings.warn("what Ray says before it gives up", UserWarning, stacklevel=1)
        if failures:
            raise ConnectionAbortedError(f"Initialization failure from server:\n{failures.pop(0)}")

    monkeypatch.setattr(cluster.ray, "init", init)
    cluster._connect("ray://host:1")
    assert asked == ["ray://host:1"] * 3
    failures += ["first", "second", "third"]
    with pytest.raises(UsageError, match=r"no Ray cluster answers at ray://host:1.*third"):
        cluster._connect("ray://host:1")


@pytest.mark.slow
@pytest.mark.real(reason="runs a command")
def test_a_token_that_is_missing_is_asked_for(tmp_path):
    need(None if importlib.util.find_spec("ray") else "Ray is not installed: make install")
    env = {**os.environ, "HOME": str(tmp_path), "RAY_AUTH_MODE": "token", "RAY_ADDRESS": "127.0.0.2:1"}
    words = ("tournament", "--game", "claim", "--bots", "random,first", "--executor", "ray", "--db", tmp_path / "db")
    refused = subprocess.run(
        [sys.executable, "-m", "arena", *words], env=env, capture_output=True, text=True, timeout=90, check=False
    )
    assert refused.returncode == 2, refused.stderr
    assert "the Ray cluster at 127.0.0.2:1 asks for a token: set RAY_AUTH_MODE=token" in refused.stderr


@pytest.mark.parametrize(
    ("size", "cpus", "memory"),
    [
        (MatchSize(2, 1.0, 512 * MIB, False), 1, 2 * 512 + 256),
        (MatchSize(2, 0.5, 512 * MIB, False), 1, 2 * 512 + 256),
        (MatchSize(4, 1.5, 512 * MIB, False), 2, 4 * 512 + 256),
        (MatchSize(4, 1.0, 512 * MIB, True), 4, 4 * 512 + 256),
    ],
)
def test_a_node_plays_as_many_matches_as_its_scarcest_resource_allows(size, cpus, memory):
    need(None if importlib.util.find_spec("ray") else "Ray is not installed: make install")
    from arena.workers.ray.cluster import MatchResources

    resources = MatchResources.of(size)
    assert (resources.cpus, resources.memory_bytes) == (cpus, memory * MIB)
    plenty = {"CPU": 64.0, "memory": 1e15, "sandbox": 9.0}
    assert resources.fits(plenty) == 9
    assert resources.fits({**plenty, "CPU": 3.0 * cpus}) == 3
    assert resources.fits({**plenty, "memory": 2.5 * memory * MIB}) == 2
    assert resources.fits({"CPU": 64.0, "memory": 1e15}) == 0
