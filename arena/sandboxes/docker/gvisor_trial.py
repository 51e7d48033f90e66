"""A trial of gVisor as the docker daemon starts it, without the daemon and without an image."""

import json
import platform
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from arena.sandboxes.docker import gvisor
from arena.sandboxes.kernel.seccomp import gvisor_profile
from arena.sandboxes.referee_id import PREFIX

_OPEN_SOCKETS = """
import socket
for family in (socket.AF_INET, socket.AF_INET6):
    try:
        socket.socket(family).close()
        print(family.name)
    except OSError:
        pass
"""
_ARCHITECTURES = {"x86_64": "SCMP_ARCH_X86_64", "aarch64": "SCMP_ARCH_AARCH64"}
_TRIAL_S = 20.0


def network_families(runtimes: Mapping[str, Any]) -> list[str]:
    """The families of network sockets that a program in gVisor can open, as it finds itself.

    CalledProcessError or TimeoutExpired if gVisor does not run here.
    """
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}-gvisor-") as folder:
        Path(folder, "config.json").write_text(json.dumps(_bundle()))
        command = [runtimes[gvisor.RUNTIME]["path"], *gvisor.arguments(runtimes)]
        trial = [*command, "--ignore-cgroups", f"--root={folder}/root", "run", f"--bundle={folder}", Path(folder).name]
        said = subprocess.run(trial, capture_output=True, text=True, check=True, timeout=_TRIAL_S)  # noqa: S603
    return said.stdout.split()


def _bundle() -> dict[str, Any]:
    """A container with the files of this machine, read-only, and the filter of a match."""
    profile = gvisor_profile()
    del profile["archMap"]  # docker makes of it the one architecture of the machine
    spaces = [{"type": kind} for kind in ("pid", "network", "ipc", "uts", "mount")]
    return {
        "ociVersion": "1.0.2",
        "process": {"user": {"uid": 0, "gid": 0}, "args": [sys.executable, "-I", "-c", _OPEN_SOCKETS], "cwd": "/"},
        "root": {"path": "/", "readonly": True},
        "linux": {
            "namespaces": spaces,
            "seccomp": {**profile, "architectures": [_ARCHITECTURES[platform.machine()]]},
        },
    }
