"""Bots given as an image, on a kernel of their own: containers of gVisor, a runtime of the docker daemon."""

import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.errors import InfraError
from arena.sandboxes.base import Enforcement
from arena.sandboxes.docker.container import check_settings
from arena.sandboxes.docker.sandbox import DockerSandbox
from arena.sandboxes.kernel import procfs

RUNTIME = "runsc"
SETTING = '{"runtimes": {"runsc": {"path": "/usr/bin/runsc", "runtimeArgs": ["--host-uds=create", "--network=none"]}}}'
"""What the daemon must be told: a bot may make its socket where the referee sees it, and open none of the host's."""
_SOCKETS = frozenset({"--host-uds=create", "--host-uds=all"})
_TASKS = 16
"""Tasks of the host for each process of the bot: gVisor needs several, and dies with its bot when it gets none."""


class GvisorSandbox(DockerSandbox):
    """A container whose system calls are answered by gVisor's kernel, an ordinary process that is itself sandboxed."""

    kind = "gvisor"
    _listener = 0  # gVisor's file server makes the socket for the bot, and is root

    def _adapt(self, host_config: dict[str, Any]) -> None:
        client = self._client
        if client is not None and (reason := why_not(client.call(client.api.info).get("Runtimes") or {})):
            raise InfraError(f"{reason}; `arena doctor` says what to do")
        host_config["Runtime"] = RUNTIME
        # Its kernel would give the wrong error for calls that shall not exist, and it is what a filter would be for.
        host_config["SecurityOpt"] = ["no-new-privileges:true", "seccomp=unconfined"]
        # Its kernel counts the bot's processes. A bot that finds a way around that meets the control group, which
        # bounds what gVisor makes of them on the machine.
        host_config["PidsLimit"] = self._limits.pids * _TASKS
        host_config["Ulimits"].append({"Name": "nproc", "Soft": self._limits.pids, "Hard": self._limits.pids})

    def _check(self, pid: int, found: dict[str, Any]) -> Enforcement:
        limits = replace(self._limits, pids=self._limits.pids * _TASKS)
        self._group.check(limits)
        check_settings(found, limits)
        check_kernel(pid)
        return {
            "sandbox": self.kind,
            "runtime": str(found["HostConfig"]["Runtime"]),
            # Without a group there is nothing that we could read back, whatever the daemon says.
            "memory": self._by_group("memory", "none"),
            "pids": self._by_group("pids", "none"),
            "cpu": self._by_group("cpu", "none"),
            "freeze": self._by_group("freeze", "docker"),
            "kill": "gvisor",
            "network": "namespace",
            "files": "namespace",
            "seccomp": "filter",
            "uid": "gvisor",
        }


def why_not(runtimes: Mapping[str, Any]) -> str | None:
    """Why gVisor cannot be used with the runtimes of a daemon."""
    if os.geteuid() != 0:
        return "what holds a bot in gVisor can be read back by root only"
    if RUNTIME not in runtimes:
        return f"the docker daemon has no runtime {RUNTIME}"
    if not _SOCKETS & set(arguments(runtimes)):
        return f"the docker daemon starts {RUNTIME} without --host-uds=create, so no bot could open its socket"
    return None


def arguments(runtimes: Mapping[str, Any]) -> list[str]:
    """What the daemon starts gVisor with; `-flag` and `--flag` are the same to it."""
    return [f"--{word.lstrip('-')}" for word in runtimes[RUNTIME].get("runtimeArgs") or ()]


def check_kernel(pid: int) -> None:
    """Read back from the host what holds the process that is the bot's kernel; InfraError when it is not gVisor's."""
    status = procfs.status(pid)
    if not status:
        return  # it has just died, which is the bot's affair
    name = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
    if name != "runsc-sandbox":
        raise InfraError(f"the runtime {RUNTIME} of the docker daemon is not gVisor: it runs {name!r}")
    wanted = {"Seccomp": "2", "NoNewPrivs": "1"}
    wrong = {key: status.get(key) for key, value in wanted.items() if status.get(key) != value}
    if wrong or "0" in status.get("Uid", "").split():
        raise InfraError(f"gVisor is not tight: {wrong}, user {status.get('Uid')}")
    # The pid namespace may be the host's: the bot cannot name a process of the host, and gVisor traces its own.
    for kind in ("user", "net", "ipc", "uts", "mnt"):
        seen = procfs.namespace(pid, kind)
        if seen == procfs.namespace("self", kind) or (seen is None and not procfs.is_ending(pid)):
            raise InfraError(f"gVisor has no {kind} namespace of its own that we can see")
