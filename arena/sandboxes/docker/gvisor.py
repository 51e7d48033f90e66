"""Sandbox for images with gVisor, a docker runtime that gives each container its own kernel in user space."""

import json
import os
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from arena.errors import InfraError
from arena.referee.enforcement import Enforcement
from arena.sandboxes.docker.container import check_settings
from arena.sandboxes.docker.sandbox import DockerSandbox
from arena.sandboxes.kernel import procfs
from arena.sandboxes.kernel.seccomp import gvisor_profile

RUNTIME = "runsc"
SETTING = (
    '{"runtimes": {"runsc": {"path": "/usr/bin/runsc", '
    '"runtimeArgs": ["--host-uds=create", "--network=none", "--oci-seccomp"]}}}'
)
"""Setting of the docker daemon that lets a bot make a socket that the referee sees, and open none of the host."""
_SOCKETS = frozenset({"--host-uds=create", "--host-uds=all"})
_FILTERS = frozenset({"--oci-seccomp", "--oci-seccomp=true"})
OWN_NETWORK = "own stack"
"""The network of a gVisor that takes no filter: each container's own, in its kernel, without a way to another."""
_TASKS_PER_PROCESS = 16
"""Host tasks allowed for each process of the bot: gVisor needs several, and crashes when it gets none."""


class GvisorSandbox(DockerSandbox):
    """A container whose system calls are handled by gVisor's kernel, an ordinary process that is itself sandboxed."""

    kind = "gvisor"
    _listener = 0  # gVisor's file server makes the socket for the bot, and is root
    _is_filtered = False

    def _adapt_host_config(self, host_config: dict[str, Any]) -> None:
        client = self._client
        runtimes = {} if client is None else client.call(client.api.info).get("Runtimes") or {}
        if reason := why_unusable(runtimes):
            raise InfraError(f"{reason}; `arena doctor` says what to do")
        self._is_filtered = takes_filters(runtimes)
        profile = json.dumps(gvisor_profile()) if self._is_filtered else "unconfined"
        host_config["Runtime"] = RUNTIME
        host_config["SecurityOpt"] = ["no-new-privileges:true", f"seccomp={profile}"]
        # Its kernel counts the bot's processes. A bot that finds a way around that meets the control group, which
        # bounds what gVisor makes of them on the machine.
        host_config["PidsLimit"] = self._limits.pids * _TASKS_PER_PROCESS
        host_config["Ulimits"].append({"Name": "nproc", "Soft": self._limits.pids, "Hard": self._limits.pids})

    def _check(self, pid: int, found: dict[str, Any]) -> Enforcement:
        limits = replace(self._limits, pids=self._limits.pids * _TASKS_PER_PROCESS)
        self._check_limits(pid, limits)
        check_settings(found, limits)
        check_kernel(pid)
        return {
            "sandbox": self.kind,
            "runtime": str(found["HostConfig"]["Runtime"]),
            # Without a group there is nothing that we could read back, whatever the daemon says.
            "memory": self._enforced_by("memory", "none"),
            "pids": self._enforced_by("pids", "none"),
            "cpu": self._enforced_by("cpu", "none"),
            "cputime": self._enforced_by("cputime", "none"),
            "freeze": self._enforced_by("freeze", "docker"),
            "kill": "gvisor",
            "network": "namespace" if self._is_filtered else OWN_NETWORK,
            "files": "namespace",
            "seccomp": "filter",
            "uid": "gvisor",
        }


def why_unusable(runtimes: Mapping[str, Any]) -> str | None:
    """The reason why gVisor cannot be used with these runtimes of the daemon; None if it can."""
    if os.geteuid() != 0:
        return "what holds a bot in gVisor can be read back by root only"
    if RUNTIME not in runtimes:
        return f"the docker daemon has no runtime {RUNTIME}"
    if not _SOCKETS & set(arguments(runtimes)):
        return f"the docker daemon starts {RUNTIME} without --host-uds=create, so no bot could open its socket"
    return None


def arguments(runtimes: Mapping[str, Any]) -> list[str]:
    """The arguments with which the daemon starts gVisor, all in the form `--flag`."""
    return [f"--{word.lstrip('-')}" for word in runtimes[RUNTIME].get("runtimeArgs") or ()]


def takes_filters(runtimes: Mapping[str, Any]) -> bool:
    """Whether the daemon has gVisor refuse the system calls of a container's filter."""
    return not _FILTERS.isdisjoint(arguments(runtimes))


def check_kernel(pid: int) -> None:
    """Check that the container's process is gVisor's kernel and is restricted as it should be; InfraError if not."""
    status = procfs.status(pid)
    if not status:
        return  # it has just died, which is the bot's affair
    name = Path(f"/proc/{pid}/cmdline").read_bytes().split(b"\0")[0].decode(errors="replace")
    if name != "runsc-sandbox":
        raise InfraError(f"the runtime {RUNTIME} of the docker daemon is not gVisor: it runs {name!r}")
    wanted = {"Seccomp": "2", "NoNewPrivs": "1"}
    wrong = {key: status.get(key) for key, value in wanted.items() if status.get(key) != value}
    if wrong or "0" in status.get("Uid", "").split():
        raise InfraError(f"gVisor is not confined as requested: {wrong}, user {status.get('Uid')}")
    # The pid namespace may be the host's: the bot cannot name a process of the host, and gVisor traces its own.
    for kind in ("user", "net", "ipc", "uts", "mnt"):
        seen = procfs.namespace(pid, kind)
        if seen == procfs.namespace("self", kind) or (seen is None and not procfs.is_ending(pid)):
            raise InfraError(f"gVisor has no {kind} namespace of its own that we can see")
