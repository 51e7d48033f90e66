"""The configuration of a bot's container, and the checks that it is in force."""

import json
import os
from typing import Any

from arena.errors import InfraError, StartFailed
from arena.sandboxes import processors
from arena.sandboxes.base import SOCKET_NAME, BotImage, Limits
from arena.sandboxes.docker.images import CheckedImage
from arena.sandboxes.kernel import masks, procfs
from arena.sandboxes.kernel.cgroups import CPU_PERIOD_US
from arena.sandboxes.kernel.seccomp import docker_profile
from arena.sandboxes.referee_id import PREFIX, referee_id
from arena.untrusted.limited import NO_CORE

REFEREE_LABEL = f"{PREFIX}.owner"
_RUN = "/run/bot"


def container_config(
    program: BotImage, limits: Limits, *, image: CheckedImage, socket_dir: str, snapshots_dir: str, uid: int
) -> dict[str, Any]:
    """The container configuration in the form of the docker API."""
    env = {"ARENA_SOCKET": f"{_RUN}/{SOCKET_NAME}", "HOME": "/tmp", "PYTHONDONTWRITEBYTECODE": "1"}  # noqa: S108
    env |= processors.environment(limits) | dict(program.env)
    command = {} if program.command is None else {"Entrypoint": [], "Cmd": list(program.command)}
    return {
        "Image": image.digest,
        "User": f"{uid}:{uid}",
        "WorkingDir": image.workdir,
        "Hostname": "bot",
        "Env": [f"{name}={value}" for name, value in env.items()],
        "Healthcheck": {"Test": ["NONE"]},
        "NetworkDisabled": True,
        "StopTimeout": 0,
        "Tty": False,
        "OpenStdin": False,
        "Labels": {REFEREE_LABEL: referee_id()},
        "HostConfig": _host_config(limits, socket_dir, snapshots_dir),
        **command,
    }


def _host_config(limits: Limits, socket_dir: str, snapshots_dir: str) -> dict[str, Any]:
    profile = json.dumps(docker_profile(file_locks=limits.file_locks))
    ulimits = {
        "nofile": limits.open_files, "core": NO_CORE, "fsize": limits.file_bytes, "msgqueue": 0, "nice": 0, "rtprio": 0,
    }  # fmt: skip
    return {
        "NetworkMode": "none",
        "ReadonlyRootfs": True,
        "CapDrop": ["ALL"],
        "SecurityOpt": ["no-new-privileges:true", f"seccomp={profile}"],
        "IpcMode": "private",
        "CgroupnsMode": "private",
        "Init": True,
        "PidsLimit": limits.pids,
        "Memory": limits.memory_bytes,
        "MemorySwap": limits.memory_bytes,
        "CpuPeriod": CPU_PERIOD_US,
        "CpuQuota": int(limits.cpus * CPU_PERIOD_US),
        "CpusetCpus": _processors(limits),
        "Ulimits": [{"Name": name, "Soft": value, "Hard": value} for name, value in ulimits.items()],
        "OomScoreAdj": 500,
        "Tmpfs": {
            "/tmp": _tmpfs_options(limits.tmp_bytes, limits.inodes),  # noqa: S108
            "/dev/shm": _tmpfs_options(limits.shm_bytes, limits.inodes),  # noqa: S108
            # Hides the terminals, which are numbered across the whole machine; a bot needs none.
            "/dev/pts": "ro,nosuid,nodev,noexec,size=4k,nr_inodes=1,mode=0555",
        },
        "Mounts": [
            _bind(socket_dir, _RUN),
            *(_bind(f"{snapshots_dir}/{name}", _proc_path(name)) for name in masks.snapshots()),
        ],
        "MaskedPaths": [*masks.proc_masked(), *masks.sys_masked()],
        "LogConfig": {"Type": "local", "Config": {"max-size": "1m", "max-file": "1", "compress": "false"}},
        "RestartPolicy": {"Name": "no"},
        "AutoRemove": False,
        "Privileged": False,
    }


def _tmpfs_options(size: int, inodes: int) -> str:
    return f"rw,nosuid,nodev,noexec,size={size},nr_inodes={inodes},mode=1777"


def _processors(limits: Limits) -> str:
    """The processors of the bot, if not all are: a container is no child of ours that would inherit them."""
    chosen = processors.for_bot(limits)
    return ",".join(map(str, chosen)) if len(chosen) < (os.cpu_count() or 1) else ""


def _proc_path(name: str) -> str:
    return f"/proc/{name}"


def _bind(source: str, target: str) -> dict[str, Any]:
    options = {"Type": "bind", "Source": source, "Target": target, "BindOptions": {"Propagation": "rprivate"}}
    return {**options, "ReadOnly": target != _RUN}


def check_process(pid: int, status: dict[str, str], uid: int) -> None:
    """Check the credentials, filter and namespaces of a container's first process, as the kernel reports them."""
    wanted = {"Seccomp": "2", "NoNewPrivs": "1", "CapEff": "0" * 16, "CapPrm": "0" * 16}
    wrong = {name: status.get(name) for name, value in wanted.items() if status.get(name) != value}
    if wrong or set(status.get("Uid", "").split()) != {str(uid)}:
        raise InfraError(f"the container is not confined as requested: {wrong}, user {status.get('Uid')}")
    groups = {int(group) for name in ("Gid", "Groups") for group in status.get(name, "").split()}
    if groups != {uid}:
        # The daemon reads the image's /etc/group, where a group of another number may have our number as its name.
        raise StartFailed(f"the list of groups in its image makes it a member of {sorted(groups - {uid})}")
    for kind in ("pid", "net", "ipc", "uts", "mnt"):
        found = procfs.namespace(pid, kind)
        # A process that has just died has no namespaces any more; one that lives must show them.
        if found == procfs.namespace("self", kind) or (found is None and not procfs.is_ending(pid)):
            raise InfraError(f"the container has no {kind} namespace of its own that we can see")


def check_mounts(pid: int, limits: Limits) -> str:
    """Check that the container's temporary file systems hold so many files only; what bounds all that it may write."""
    bounds = {mount.point: mount.inodes for mount in procfs.mounts(pid)}
    loose = [point for point in ("/tmp", "/dev/shm") if bounds.get(point) != limits.inodes]  # noqa: S108
    if loose and not procfs.is_ending(pid):
        raise InfraError(f"{loose[0]} in the container holds any number of files")
    # Without root its socket lies on a file system of the referee's user, where nothing bounds the number of files.
    return "none" if bounds.get(_RUN) is None else "tmpfs"


def check_settings(found: dict[str, Any], limits: Limits) -> None:
    """Check the settings of a container, as the daemon reports them, against those that were requested."""
    host, wanted = found["HostConfig"], _host_config(limits, "", "")
    names = ("NetworkMode", "ReadonlyRootfs", "CapDrop", "PidsLimit", "Memory", "MemorySwap", "CpuPeriod", "CpuQuota")
    wrong = {name: host.get(name) for name in (*names, "MaskedPaths") if host.get(name) != wanted[name]}
    targets = {mount["Destination"] for mount in found.get("Mounts", [])}
    if wrong or host.get("Privileged") or targets != {_RUN, *map(_proc_path, masks.snapshots())}:
        raise InfraError(f"the daemon changed the container: {wrong}, {targets}")
