"""Removal of containers, control groups and directories that killed referees have left behind."""

import asyncio
import logging
import threading
import time
from contextlib import closing, suppress
from functools import cache
from pathlib import Path

from arena.errors import InfraError
from arena.sandboxes import socketdir
from arena.sandboxes.docker.client import DockerClient, NotFound, is_conflict
from arena.sandboxes.docker.container import REFEREE_LABEL
from arena.sandboxes.kernel import cgroup_tree, cgroups
from arena.sandboxes.kernel.cgroups import ControlGroup
from arena.sandboxes.referee_id import PREFIX, is_alive

_log = logging.getLogger(__name__)
_SWEEP_S = 5.0
_RETRY_FOR_S = 30.0
_RETRY_S = 0.5
_APPEAR_S = 2.0
"""Seconds in which a container may still appear that the referee had asked for when it was killed."""


async def sweep() -> list[str]:
    """Remove control groups and socket directories whose referee is gone; the names of what was removed.

    Containers are left to `sweep_containers_once`, so that only users of docker wait for its daemon.
    """
    groups = await asyncio.to_thread(cgroups.sweep, cgroup_tree.discover())
    return groups + await asyncio.to_thread(socketdir.sweep)


@cache
def sweep_containers_once() -> None:
    """Start a thread that sweeps containers, once per process."""
    # No daemon thread: it must be able to warn of what it cannot remove even if the work is done sooner.
    threading.Thread(target=sweep_containers, name="docker-sweep").start()


def sweep_containers() -> list[str]:
    """Remove the containers whose referee is gone, and return their names; a warning is logged for each that stays."""
    removed = []
    try:
        with DockerClient(_SWEEP_S) as client:
            for name, container in _leftovers(client):
                if _try_remove_container(client, name, container):
                    removed.append(name)
    except InfraError as error:
        _log.warning("containers of earlier runs could not be looked for: %s", error)
    return removed


def remove_sandbox(container: str, *directories: str) -> None:
    """Remove a container and its directories; run by the watchdog when the referee is gone."""
    began = time.monotonic()
    while time.monotonic() < began + _RETRY_FOR_S:
        try:
            with DockerClient() as client:
                remove_container(client, container)
            break
        except NotFound:
            if time.monotonic() > began + _APPEAR_S:
                break
        except InfraError:
            pass  # the daemon is busy or restarts; the next sweep would say so
        time.sleep(_RETRY_S)
    for directory in directories:
        socketdir.remove(Path(directory))


def remove_container(client: DockerClient, container: str) -> None:
    """Kill and remove a container, even a frozen one."""
    found = client.call(client.api.inspect_container, container)
    if pid := found["State"]["Pid"]:
        # Frozen processes of version 1 would not feel the kill.
        group = ControlGroup.of_process(pid, found["Id"], cgroup_tree.discover())
        with closing(group), suppress(InfraError):
            group.thaw()
    client.call(client.api.remove_container, found["Id"], force=True, v=True)


def _leftovers(client: DockerClient) -> list[tuple[str, str]]:
    """The names and ids of containers of dead referees; an image may carry our label, so the name must fit too."""
    found = client.call(client.api.containers, all=True, filters={"label": REFEREE_LABEL})
    # A container whose removal is in progress has no name any more.
    listed = (entry for entry in found if entry["Names"])
    named = ((entry["Names"][0].lstrip("/"), entry["Labels"][REFEREE_LABEL], entry["Id"]) for entry in listed)
    ours = ((name, referee, container) for name, referee, container in named if name.startswith(f"{PREFIX}-{referee}-"))
    return [(name, container) for name, referee, container in ours if not is_alive(referee)]


def _try_remove_container(client: DockerClient, name: str, container: str) -> bool:
    try:
        remove_container(client, container)
    except NotFound:
        return False  # its watchdog was quicker
    except InfraError as error:
        if not is_conflict(error):  # or else somebody removes it at this moment
            _log.warning("the container %s of an earlier run could not be removed: %s", name, error)
        return False
    return True
