"""Checks of this machine: which restrictions it can enforce, and what to do where it cannot."""

import asyncio
import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from pathlib import Path

from arena.errors import ArenaError
from arena.referee import priority
from arena.referee.enforcement import weaknesses
from arena.sandboxes.base import BotDirectory, Limits
from arena.sandboxes.docker import gvisor, gvisor_trial
from arena.sandboxes.docker.client import DockerClient
from arena.sandboxes.kernel import cgroup_tree
from arena.sandboxes.kernel.cgroups import ControlGroup
from arena.sandboxes.kernel.seccomp import compile_filter, rules
from arena.sandboxes.kernel.users import BOT_UIDS
from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox, find_bubblewrap
from arena.sandboxes.referee_id import PREFIX, referee_id
from arena.sandboxes.socketdir import SocketDirectory

OLDEST_BUBBLEWRAP = (0, 8, 0)
# The first releases of each line without CVE-2025-31133, CVE-2025-52565 and CVE-2025-52881.
SAFE_RUNC = ((1, 2, 8), (1, 3, 3), (1, 4, 0))


class Status(Enum):
    """The result of a check."""

    OK = "ok"
    WEAK = "weak"
    FORBIDDEN = "forbidden"
    """It is here, but this user may not use it."""
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of one check, as `arena doctor` shows it."""

    name: str
    status: Status
    found: str
    reason: str = ""
    """The consequence for a tournament, if the status is not OK."""
    remedy: str = ""


def probe_user() -> list[Finding]:
    """Check whether each bot can run as its own user."""
    if os.geteuid() == 0:
        users = f"each bot is one of the users {BOT_UIDS.start} to {BOT_UIDS.stop - 1}"
        return [Finding("user of the bots", Status.OK, users)]
    reason = "bots run as your user, apart from it only by namespaces, and share its per-user limits"
    return [Finding("user of the bots", Status.WEAK, f"you are user {os.geteuid()}", reason, "run the referee as root")]


def probe_user_namespaces() -> list[Finding]:
    """Check whether unprivileged users may make user namespaces, and mount something there, as a sandbox must.

    AppArmor of Ubuntu 24.04 lets everybody make them, and nobody do anything inside.
    """
    bot = BOT_UIDS.start if os.geteuid() == 0 else None
    done = subprocess.run(  # noqa: S603  (the command is our own)
        _MOUNT_IN_NAMESPACE, capture_output=True, text=True, check=False, cwd="/", timeout=10,
        user=bot, group=bot, extra_groups=None if bot is None else (),
    )  # fmt: skip
    if done.returncode == 0:
        return [Finding("user namespaces", Status.OK, "users without rights can make them, and mount there")]
    remedy = "; ".join(filter(None, map(_sysctl_remedy, _USERNS_SYSCTLS))) or "allow them in the kernel or container"
    status = Status.FORBIDDEN if "not permitted" in done.stderr or "denied" in done.stderr else Status.MISSING
    return [Finding("user namespaces", status, done.stderr.strip(), "bubblewrap cannot build a sandbox", remedy)]


_MOUNT_IN_NAMESPACE = (
    "/usr/bin/unshare", "--user", "--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/tmp",  # noqa: S108
)  # fmt: skip
_USERNS_SYSCTLS = {
    "kernel/unprivileged_userns_clone": ("0", "sysctl kernel.unprivileged_userns_clone=1"),
    "kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        "sysctl kernel.apparmor_restrict_unprivileged_userns=0, or AppArmor profiles with `userns,` for bwrap and for "
        f"{os.path.realpath(sys.executable)}",
    ),
    "user/max_user_namespaces": ("0", "sysctl user.max_user_namespaces=10000"),
}


def _sysctl_remedy(name: str) -> str:
    path, (bad, remedy) = Path("/proc/sys", name), _USERNS_SYSCTLS[name]
    return remedy if path.exists() and path.read_text().strip() == bad else ""


def probe_bubblewrap() -> list[Finding]:
    command = [find_bubblewrap(), "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout  # noqa: S603
    if version(said) >= OLDEST_BUBBLEWRAP:
        return [Finding("bubblewrap", Status.OK, said.strip())]
    return [Finding("bubblewrap", Status.MISSING, said.strip(), "it lacks --disable-userns", "install 0.8 or newer")]


_WITHOUT_GROUP = {
    "memory": "a watchdog looks every 100 ms instead, which a quick bot overshoots",
    "pids": "a per-user limit holds instead",
    "cpu": "a bot with many threads slows its opponent down",
    "freeze": "bots are stopped by signals, which a bot that forks can outrun",
    "kill": "the end of the pid namespace ends bots instead; plain processes can escape",
    "cputime": "processor time of lost children is not counted",
}
_GROUP_REMEDY = (
    "run as root, or where a user manager of systemd runs, from which Arena borrows a scope (log in anew, or "
    "loginctl enable-linger YOU; `systemd-run --user --scope -p Delegate=yes true` must work)"
)


def probe_cgroups() -> list[Finding]:
    """Make a control group with real limits, and report which features it has."""
    group = ControlGroup.create(f"{PREFIX}-{referee_id()}-doctor{os.getpid():x}", cgroup_tree.discover())
    try:
        group.limit(Limits())
        return [_group_line(group, feature) for feature in _WITHOUT_GROUP]
    finally:
        group.remove()


def _group_line(group: ControlGroup, feature: str) -> Finding:
    name = f"control group: {feature}"
    if feature in group.features:
        return Finding(name, Status.OK, f"version {group.version(feature)}")
    return Finding(name, Status.WEAK, "not available to this process", _WITHOUT_GROUP[feature], _GROUP_REMEDY)


def probe_seccomp() -> list[Finding]:
    """Compile the system call filter, and check that the kernel supports it."""
    size = len(compile_filter(rules(file_locks=False)))
    actions = Path("/proc/sys/kernel/seccomp/actions_avail")
    if actions.exists() and "errno" in actions.read_text():
        return [Finding("system call filter", Status.OK, f"compiled to {size // 8} instructions")]
    reason = "bots could reach keyrings, vsock and io_uring"
    return [Finding("system call filter", Status.MISSING, "the kernel has none", reason, "use a kernel with seccomp")]


def probe_socket_directory() -> list[Finding]:
    """Make and remove a socket directory like that of a docker bot."""
    directory = SocketDirectory(BOT_UIDS.start)
    directory.remove()
    if directory.mounted:
        return [Finding("socket directory", Status.OK, "a file system of 64 kB for each bot")]
    reason = "docker bots share a file system in memory with you; what they write counts as their memory"
    return [Finding("socket directory", Status.WEAK, str(directory.path.parent), reason, "run the referee as root")]


def probe_priority() -> list[Finding]:
    """Check whether the referee may go before everything else, so that it sees replies the moment they come."""
    if priority.is_allowed():
        return [Finding("priority of the referee", Status.OK, "real time")]
    reason = "on a busy machine replies are noticed some milliseconds late; what is 10 ms or more is excused"
    remedy = "run the referee as root, or with the capability SYS_NICE"
    return [Finding("priority of the referee", Status.WEAK, "that of any process", reason, remedy)]


def probe_swap() -> list[Finding]:
    """Check that swap is off: swapping makes the times of bots unfair."""
    areas = Path("/proc/swaps").read_text().splitlines()[1:]
    if not areas:
        return [Finding("swap", Status.OK, "off")]
    reason = "a bot that is swapped out loses time that it did not use"
    return [Finding("swap", Status.WEAK, f"{len(areas)} area(s) in use", reason, "swapoff -a during tournaments")]


def probe_processor_limit() -> list[Finding]:
    """Check that no limit on the processor time of a process is inherited by bots, which stay from match to match."""
    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    if hard == resource.RLIM_INFINITY:
        return [Finding("processor time of a process", Status.OK, "no limit")]
    reason = "a bot that stays from match to match is ended when all its moves together took so long"
    return [Finding("processor time of a process", Status.WEAK, f"{hard} s", reason, "ulimit -t unlimited, as root")]


def probe_docker() -> list[Finding]:
    """Check the docker daemon, its seccomp support and the version of runc."""
    client = DockerClient()
    try:
        said = client.call(client.api.version)
        options = client.call(client.api.info).get("SecurityOptions", [])
    finally:
        client.close()
    parts = {part["Name"]: part["Version"] for part in said.get("Components", [])}
    lines = [Finding("docker daemon", Status.OK, f"{said['Version']}, interface {said['ApiVersion']}")]
    if not any("seccomp" in option for option in options):
        remedy = "use a daemon with seccomp"
        lines.append(
            Finding("docker filter", Status.MISSING, "no seccomp", "containers cannot filter system calls", remedy)
        )
    return [*lines, _runc_line(parts.get("runc", ""))]


def _runc_line(said: str) -> Finding:
    if is_safe_runc(said):
        return Finding("runc", Status.OK, said)
    reason = "hostile images can escape through mount races (CVE-2025-31133, -52565, -52881) unless they were patched"
    return Finding("runc", Status.WEAK, said or "unknown", reason, "install runc 1.2.8, 1.3.3, 1.4.0 or newer")


def probe_gvisor() -> list[Finding]:
    """Check whether the docker daemon has gVisor, and whether gVisor runs here."""
    client = DockerClient()
    try:
        runtimes = client.call(client.api.info).get("Runtimes") or {}
    finally:
        client.close()
    if reason := gvisor.why_unusable(runtimes):
        return [Finding("gVisor", Status.MISSING, reason, _WITHOUT_GVISOR, _GVISOR_REMEDY)]
    command = [runtimes[gvisor.RUNTIME]["path"], "--version"]
    said = subprocess.run(command, capture_output=True, text=True, check=True, timeout=10).stdout  # noqa: S603
    found = said.splitlines()[0]
    try:
        families = gvisor_trial.network_families(runtimes)
    except subprocess.SubprocessError as error:
        remedy = "try another --platform in its runtimeArgs"
        return [Finding("gVisor", Status.MISSING, f"{found}: {error}", "its kernel does not run here", remedy)]
    if families:
        reason = f"bots in it can open {' and '.join(families)}, in a network of their own that leads nowhere"
        return [Finding("gVisor", Status.WEAK, found, reason, f"use {gvisor.SETTING} in /etc/docker/daemon.json")]
    return [Finding("gVisor", Status.OK, found)]


_WITHOUT_GVISOR = "bots given as images can be held by docker, but not on a kernel of their own (--sandbox gvisor)"
_GVISOR_REMEDY = (
    f"run the referee as root; apt-get install runsc; put {gvisor.SETTING} into /etc/docker/daemon.json; "
    "systemctl reload docker"
)


def dry_run_bubblewrap() -> list[Finding]:
    """Build a bubblewrap sandbox as for a match, and report what it enforces."""
    with tempfile.TemporaryDirectory(prefix=f"{PREFIX}-doctor-") as directory:
        os.chmod(directory, 0o755)  # noqa: S103  (an empty directory that the bot's user must be able to enter)
        held = asyncio.run(BubblewrapSandbox(BotDirectory(Path(directory), ("true",)), Limits()).dry_run())
    found, weak = ", ".join(f"{name} {word}" for name, word in held.items()), weaknesses(held)
    if not weak:
        return [Finding("a whole sandbox", Status.OK, found)]
    return [Finding("a whole sandbox", Status.WEAK, found, f"not enforced: {', '.join(weak)}", "see the lines above")]


def version(text: str) -> tuple[int, ...]:
    """The first version number in a text; empty when there is none."""
    match = re.search(r"\d+(?:\.\d+)+", text)
    return tuple(map(int, match[0].split("."))) if match else ()


def is_safe_runc(text: str) -> bool:
    """Whether a runc is new enough within its own line of releases; a distribution's patches are not seen."""
    number = version(text)
    return any(number[:2] == safe[:2] and number >= safe for safe in SAFE_RUNC) or number > SAFE_RUNC[-1]


@dataclass(frozen=True, slots=True)
class Probe:
    """A check, and what is said if it cannot be made."""

    run: Callable[[], list[Finding]]
    name: str
    reason: str = "it cannot be used"
    remedy: str = ""
    if_forbidden: str = "run the referee as root"
    """The remedy where something is here, but forbidden to this user."""


_NO_DIRECTORIES = "bots given as directories cannot be sandboxed"
_JOIN_DOCKER = "usermod -aG docker YOU, and log in anew; or be root"
PROBES = (
    Probe(probe_user, "user of the bots"),
    Probe(probe_user_namespaces, "user namespaces", "they cannot be tried out", "apt-get install util-linux"),
    Probe(probe_bubblewrap, "bubblewrap", _NO_DIRECTORIES, "apt-get install bubblewrap"),
    Probe(probe_cgroups, "control groups"),
    Probe(
        probe_seccomp, "system call filter", "no sandbox can be built",
        "apt-get install libseccomp2; pip install pyseccomp",
    ),
    Probe(probe_socket_directory, "socket directory"),
    Probe(probe_priority, "priority of the referee"),
    Probe(probe_swap, "swap"),
    Probe(probe_processor_limit, "processor time of a process"),
    Probe(
        probe_docker, "docker daemon", "bots given as images cannot be run", "apt-get install docker.io; start it",
        f"it runs, but you may not use its socket: {_JOIN_DOCKER}",
    ),
    Probe(
        probe_gvisor, "gVisor", _WITHOUT_GVISOR, _GVISOR_REMEDY, f"you may not use the socket of docker: {_JOIN_DOCKER}"
    ),
    Probe(
        dry_run_bubblewrap, "a whole sandbox", _NO_DIRECTORIES, "see the lines above",
        "see the lines above, or run the referee as root",
    ),
)  # fmt: skip


def examine() -> list[Finding]:
    """Run all checks; each cleans up after itself and reports its failure as a finding."""
    return [found for probe in PROBES for found in run_probe(probe)]


def run_probe(probe: Probe) -> list[Finding]:
    try:
        return probe.run()
    except (ArenaError, OSError, subprocess.SubprocessError) as error:
        if is_forbidden(error):
            return [Finding(probe.name, Status.FORBIDDEN, str(error), probe.reason, probe.if_forbidden)]
        return [Finding(probe.name, Status.MISSING, str(error), probe.reason, probe.remedy)]


def is_forbidden(error: BaseException | None) -> bool:
    """Whether a missing permission is behind an error."""
    while error is not None and not isinstance(error, PermissionError):
        error = error.__cause__ or error.__context__
    return error is not None
