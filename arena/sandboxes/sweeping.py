"""Clearing up after referees that were killed."""

import asyncio

from arena.errors import InfraError
from arena.sandboxes import cgroup_tree, cgroups, docker, socketdir


async def sweep() -> list[str]:
    """Remove control groups, socket directories and containers whose referee is gone; the names of what was removed.

    Machines without a docker engine have no containers to sweep, so its absence is no failure.
    """
    groups = await asyncio.to_thread(cgroups.sweep, cgroup_tree.discover())
    try:
        return groups + await asyncio.to_thread(docker.sweep)
    except InfraError:
        return groups + await asyncio.to_thread(socketdir.sweep)
