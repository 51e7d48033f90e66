"""A Ray cluster of several nodes on this machine, each with its own raylet, to be killed one by one."""

import ctypes
import json
import multiprocessing
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

from arena.sandboxes.referee_id import start_time
from tests.hostile.traces import descendants

# `ray start` takes four seconds to load: nodes are forked from a process that has loaded it.
PROCESSES = multiprocessing.get_context("forkserver")
PROCESSES.set_forkserver_preload(["ray.scripts.scripts"])
START_S = 150
CLONE_NEWNS = 0x00020000
TOKEN = "ARENA_TEST_CLUSTER"
HOST = "127.0.0.2"
"""Ray would turn 127.0.0.1 into an address that other machines can reach."""
STORE_BYTES = 80 << 20
# A killed node is noticed in 5 s instead of 15, and still a busy machine is not taken for a dead one.
SYSTEM = {"health_check_period_ms": 1000, "health_check_failure_threshold": 5}
BROKEN = '#!/bin/sh\necho "this sandbox is broken" >&2\nexit 1\n'


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Nodes:
    """The head, which plays no matches, and nodes that come and go."""

    def __init__(self, folder):
        self.folder = Path(tempfile.mkdtemp(prefix="ray-", dir="/tmp"))  # a short path, for sockets
        self.cache = folder / "cache"
        self.port, self.client_port = free_port(), free_port()
        self.token = f"{os.getpid()}-{self.port}"
        self.env = {
            **os.environ, TOKEN: self.token, "XDG_CACHE_HOME": str(self.cache), "RAY_DISABLE_IMPORT_WARNING": "1",
            "RAY_CLIENT_RECONNECT_GRACE_PERIOD": "5", "RAY_enable_worker_prestart": "0",
            "RAY_AUTH_MODE": "disabled",  # else a token in the home of whoever tests would be asked for
        }  # fmt: skip
        self.workers = set()
        """The worker processes that were seen, by pid and start."""
        self._logs = folder
        self._running, self._started, self._slow = [], 0, []
        self._broken = folder / "bwrap"
        self._broken.write_text(BROKEN)
        self._broken.chmod(0o755)
        self._start(
            "--head", "--port", self.port, "--num-cpus", 0, "--include-dashboard", "false", "--disable-usage-stats",
            "--ray-client-server-port", self.client_port, "--temp-dir", self.folder, "--system-config",
            json.dumps(SYSTEM),
        )  # fmt: skip
        try:
            self._wait_for(self._running[0])
        except BaseException:
            self.close()
            raise

    def add(self, tables, *, broken=False):
        """Start a node for so many matches at once; a broken one has a bubblewrap that always fails."""
        # One after the other: a raylet ends if its agents need more than 15 s to load, as those of four at once may.
        self.wait()
        # Nodes that start at the same time in one folder would choose the same names for their sockets.
        own = self.folder / str(self._started)
        return self._start(
            "--address", f"{HOST}:{self.port}", "--num-cpus", tables, "--resources", json.dumps({"sandbox": tables}),
            "--temp-dir", own, bwrap=self._broken if broken else None,
        )  # fmt: skip

    def slow_down(self, node):
        """From now on what plays on this node, and its actors, run for a fifth of the time only."""
        ended = threading.Event()

        def pause():
            while not ended.is_set() and node.is_alive():
                pids = [pid for pid in descendants(node.pid) if is_ours(pid, "worker_main") or is_ours(pid, "ray::")]
                for number, seconds in ((signal.SIGSTOP, 0.4), (signal.SIGCONT, 0.1)):
                    for pid in pids:
                        with suppress(ProcessLookupError):
                            os.kill(pid, number)
                    ended.wait(seconds)

        thread = threading.Thread(target=pause)
        thread.start()
        self._slow.append((ended, thread))

    def wait(self):
        """Wait until all that was started is part of the cluster."""
        for node in self._running:
            self._wait_for(node)

    def kill(self, node):
        """End all of a node at once, as if its machine had lost power; but not what Arena had started there."""
        for pid in descendants(node.pid):
            if not is_ours(pid, "arena."):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        node.kill()
        node.join()
        self._running.remove(node)

    def kill_all(self):
        """End all nodes but the head."""
        for node in self._running[1:]:
            self.kill(node)

    def worker_processes(self):
        """The worker processes that run now on any node."""
        found = [pid for pid in self.processes() if is_ours(pid, "worker_main") and not is_ours(pid, "/bin/sh")]
        self.workers |= {(pid, start_time(pid)) for pid in found}
        return found

    def processes(self):
        """All processes of the cluster, by a variable of their environment."""
        return [pid for pid in all_pids() if f"{TOKEN}={self.token}".encode() in read(pid, "environ")]

    def close(self):
        for ended, thread in self._slow:
            ended.set()
            thread.join()
        for node in reversed(self._running):
            for pid in [*descendants(node.pid), node.pid]:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            node.join()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self, *words, bwrap=None):
        common = (
            "--block", "--node-ip-address", HOST, "--object-store-memory", STORE_BYTES,
            "--include-log-monitor", "false",
        )  # fmt: skip
        self._started += 1
        log = self._logs / f"node-{self._started}.log"
        arguments = (["ray", "start", *map(str, (*common, *words))], self.env, log, bwrap)
        node = PROCESSES.Process(target=start_node, args=arguments, name=str(log), daemon=True)
        node.start()
        self._running.append(node)
        return node

    def _wait_for(self, node):
        """Wait until a node is part of the cluster."""
        deadline, log = time.monotonic() + START_S, Path(node.name)
        while not log.exists() or "Ray runtime started" not in log.read_text():
            assert node.is_alive(), log.read_text()
            assert time.monotonic() < deadline, log.read_text()
            time.sleep(0.1)


def start_node(words, env, log, bwrap):
    """Be a node, in a process of its own; with another bubblewrap, if one is given."""
    from ray._private import services
    from ray.scripts.scripts import main

    find_node = services.get_node

    def wait_for_node(*arguments):
        """Ray gives a new node 30 s, which are too few on a machine as busy as one that runs tests may be."""
        deadline = time.monotonic() + START_S
        while True:
            try:
                return find_node(*arguments)
            except RuntimeError:
                if time.monotonic() > deadline:
                    raise
                time.sleep(0.2)

    services.get_node = wait_for_node
    os.setsid()
    os.environ.update(env)
    with log.open("wb") as file:
        os.dup2(file.fileno(), 1)
        os.dup2(file.fileno(), 2)
    if bwrap is not None:
        assert ctypes.CDLL(None).unshare(CLONE_NEWNS) == 0
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        subprocess.run(["mount", "--bind", bwrap, "/usr/bin/bwrap"], check=True)
    sys.argv = words
    main()


def all_pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def read(pid, name):
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def node_id(node):
    """What Ray calls a node."""
    words = [word for pid in descendants(node.pid) for word in read(pid, "cmdline").decode().split("\0")]
    return next(word.partition("=")[2] for word in words if word.startswith("--node_id="))


def is_ours(pid, word):
    return word.encode() in read(pid, "cmdline")
