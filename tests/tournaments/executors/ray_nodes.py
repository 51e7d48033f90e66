"""A Ray cluster of several nodes on this machine, each with its own raylet, to be killed one by one."""

import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

from arena.sandboxes.owner import start_time
from tests.hostile.traces import descendants

RAY = Path(sys.executable).parent / "ray"
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
        }  # fmt: skip
        self.workers = set()
        """The worker processes that were seen, by pid and start."""
        self._log = (folder / "ray.log").open("ab")
        self._running, self._started = [], []
        self._broken = folder / "bwrap"
        self._broken.write_text(BROKEN)
        self._broken.chmod(0o755)
        self._start(
            "--head", "--port", self.port, "--num-cpus", 0, "--include-dashboard", "false", "--disable-usage-stats",
            "--ray-client-server-port", self.client_port, "--temp-dir", self.folder, "--system-config",
            json.dumps(SYSTEM),
        )  # fmt: skip
        self._wait_for(self.port)

    def add(self, tables, *, broken=False):
        """Start a node for so many matches at once; a broken one has a bubblewrap that always fails."""
        inner = f'mount --bind {self._broken} /usr/bin/bwrap && exec "$@"'
        prefix = ("unshare", "-m", "--propagation", "private", "sh", "-c", inner, "sh") if broken else ()
        # Nodes that start at the same time in one folder would choose the same names for their sockets.
        own = self.folder / str(len(self._started))
        return self._start(
            "--address", f"{HOST}:{self.port}", "--num-cpus", tables, "--resources", json.dumps({"sandbox": tables}),
            "--temp-dir", own, prefix=prefix,
        )  # fmt: skip

    def wait(self):
        """Wait until all that was started is part of the cluster."""
        deadline = time.monotonic() + 120
        while Path(self._log.name).read_text().count("Ray runtime started") < len(self._started):
            assert time.monotonic() < deadline, Path(self._log.name).read_text()
            time.sleep(0.3)

    def kill(self, node):
        """End all of a node at once, as if its machine had lost power; but not what Arena had started there."""
        for pid in descendants(node.pid):
            if not is_ours(pid, "arena."):
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        node.kill()
        node.wait()
        self._running.remove(node)

    def worker_processes(self):
        """The worker processes that run now on any node."""
        found = [pid for pid in self.processes() if is_ours(pid, "worker_main") and not is_ours(pid, "/bin/sh")]
        self.workers |= {(pid, start_time(pid)) for pid in found}
        return found

    def processes(self):
        """All processes of the cluster, by a variable of their environment."""
        return [pid for pid in all_pids() if f"{TOKEN}={self.token}".encode() in read(pid, "environ")]

    def close(self):
        for node in reversed(self._running):
            for pid in [*descendants(node.pid), node.pid]:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            node.wait()
        self._log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _start(self, *words, prefix=()):
        common = (
            "--block", "--node-ip-address", HOST, "--object-store-memory", STORE_BYTES,
            "--include-log-monitor", "false",
        )  # fmt: skip
        command = [*prefix, RAY, "start", *common, *words]
        node = subprocess.Popen(
            [str(word) for word in command], env=self.env, stdout=self._log, stderr=self._log, start_new_session=True
        )
        self._running.append(node)
        self._started.append(node)
        return node

    def _wait_for(self, port):
        deadline = time.monotonic() + 90
        while time.monotonic() < deadline:
            with suppress(OSError), socket.create_connection((HOST, port), 1):
                return
            assert self._running[0].poll() is None, Path(self._log.name).read_text()
            time.sleep(0.2)
        raise AssertionError("the head of the cluster does not answer")


def all_pids():
    return [int(name) for name in os.listdir("/proc") if name.isdigit()]


def read(pid, name):
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except OSError:
        return b""


def is_ours(pid, word):
    return word.encode() in read(pid, "cmdline")
