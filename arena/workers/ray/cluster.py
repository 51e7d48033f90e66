"""The driver's connection to a Ray cluster: its nodes, which of them play, and the bots that are sent to them."""

import asyncio
import logging
import math
import os
import uuid
import warnings
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import ray

from arena.bots.launch import BotPlan
from arena.bots.manifest import Folder
from arena.errors import InfraError, UsageError
from arena.monitoring.events import Listener, NodeCordoned, ignore
from arena.untrusted.units import MIB
from arena.workers.placement import MatchSize
from arena.workers.ray.bot_archives import pack_folder, pack_image
from arena.workers.ray.node import NodeInfo, NodeWorker
from arena.workers.ray.shares import Shares

SANDBOX = "sandbox"
"""The resource of a node that says how many matches it can time at once."""
WORKER_BYTES = 256 * MIB
"""Memory of a worker process and its actor, beside that of the bots."""

CONNECTS = 3
"""How often a cluster is asked through its client port: now and then the server that it starts for us ends at once."""
SHARE_S = 60.0
"""Seconds within which the cluster must say how many matches may be played; the first time, it starts an actor."""
RELEASE_S = 5.0
"""Seconds within which it hears that this driver has ended; else it will notice."""
SHARES = {
    "name": "shares",
    "namespace": "arena",
    "get_if_exists": True,
    "lifetime": "detached",
    "max_restarts": -1,
    "num_cpus": 0,
    # On the head, which does not come and go as the nodes do.
    "resources": {"node:__internal_head__": 0.001},
}
"""The one actor for all drivers that says who may use how many tables."""


@dataclass(frozen=True, slots=True)
class MatchResources:
    """What a node must have free to play one match."""

    cpus: float
    memory_bytes: int

    @classmethod
    def of(cls, size: MatchSize) -> "MatchResources":
        """One bot runs at a time, unless all may think on the opponents' time; all of them are in memory."""
        cpus = size.cpus * (size.seats if size.ponder else 1)
        # Ray takes fractions below 1 only.
        return cls(max(1.0, math.ceil(cpus)), size.seats * size.memory_bytes + WORKER_BYTES)

    def fits(self, resources: dict[str, float]) -> int:
        """How many matches a node with these resources plays at once."""
        by_cpus = resources.get("CPU", 0.0) / self.cpus
        by_memory = resources.get("memory", 0.0) / self.memory_bytes
        return int(min(resources.get(SANDBOX, 0.0), by_cpus, by_memory))


class RayCluster:
    """A cluster for one tournament; a node that cannot play is cordoned, and said so."""

    def __init__(
        self, address: str, resources: MatchResources, *, priority: int, most: int | None, registry: str | None = None
    ) -> None:
        """Connect, for at most so many matches at once; UsageError if there is no cluster there."""
        self.registry = registry
        """Where nodes find images; None if the driver sends them."""
        self._resources = resources
        self._priority = priority
        self._most = most
        self._driver = uuid.uuid4().hex
        self._shares: Any = None
        self._archives: dict[str, Sequence[Any]] = {}
        self._packing = asyncio.Lock()
        self.say: Callable[[str], None] = lambda _: None
        """Tells the user about nodes."""
        self.on_event: Listener = ignore
        self.cordoned: dict[str, str] = {}
        """The ids of the nodes that are not played on, and why."""
        self.nodes: frozenset[str] = frozenset()
        """The ids of the nodes that could play a match when they were last looked at."""
        _connect(address)
        self.refresh_nodes()

    def close(self) -> None:
        """Disconnect; what is left of the driver's actors ends."""
        if self._shares is not None:
            with suppress(ray.exceptions.RayError, ConnectionError):
                ray.get(self._shares.release.remote(self._driver), timeout=RELEASE_S)
        ray.shutdown()

    def capacity(self) -> int:
        """How many matches can be played at once; UsageError if it is none."""
        found = self._room()
        if not found:
            raise UsageError(
                f"no node of the cluster can play a match: it takes a node with {self._resources.cpus:g} CPU, "
                f"{self._resources.memory_bytes // MIB} MiB and the resource {SANDBOX}, "
                f"as in: ray start --address=… --resources='{{\"{SANDBOX}\": 3}}'"
            )
        return found if self._most is None else min(found, self._most)

    def share(self) -> int | None:
        """How many matches this driver may play at once, beside the others on the cluster; None if nobody says so."""
        room = self._room()
        if not room:  # those who look for a place will say so, if it stays like this
            return None
        try:
            if self._shares is None:
                self._shares = ray.remote(Shares).options(**SHARES).remote()
            most = room if self._most is None else self._most
            return int(ray.get(self._shares.claim.remote(self._driver, self._priority, most, room), timeout=SHARE_S))
        except (ray.exceptions.RayError, ConnectionError) as error:
            self._shares = None
            raise InfraError(f"the cluster does not say how many matches may be played: {error}") from error

    def refresh_nodes(self) -> bool:
        """Look at the nodes; whether there is one that can play a match when it is free."""
        fitting = (node for node in self._playing_nodes() if self._resources.fits(node["Resources"]))
        self.nodes = frozenset(node["NodeID"] for node in fitting)
        return bool(self.nodes)

    def cordon(self, info: NodeInfo, reason: str) -> None:
        """Play on this node no more."""
        if info.node_id not in self.cordoned:
            self.cordoned[info.node_id] = reason
            self.on_event(NodeCordoned(info.name, reason))
            self.say(f"the node {info.name} is cordoned, the others go on: {reason}")

    def start_actor(self) -> Any:
        """An actor that Ray places on a node with room, of those that are not cordoned, as evenly as it can."""
        avoided = {"ray.io/node-id": f"!in({','.join(self.cordoned)})"} if self.cordoned else {}
        return (
            ray.remote(NodeWorker)
            .options(
                num_cpus=self._resources.cpus,
                memory=self._resources.memory_bytes,
                resources={SANDBOX: 1},
                max_restarts=0,
                max_task_retries=0,
                scheduling_strategy="SPREAD",
                label_selector=avoided,
            )
            .remote()
        )

    async def archive(self, bot: BotPlan) -> Sequence[Any]:
        """A bot in Ray's object store, in pieces; put there when the first node lacks it, for all nodes."""
        async with self._packing:
            if bot.contestant.digest not in self._archives:
                self._archives[bot.contestant.digest] = await asyncio.to_thread(_put, bot)
        return self._archives[bot.contestant.digest]

    def _room(self) -> int:
        """How many matches all nodes could play at once."""
        return sum(self._resources.fits(node["Resources"]) for node in self._playing_nodes())

    def _playing_nodes(self) -> list[dict[str, Any]]:
        try:
            nodes: list[dict[str, Any]] = ray.nodes()  # type: ignore[no-untyped-call]
            return [node for node in nodes if node["Alive"] and node["NodeID"] not in self.cordoned]
        except (ConnectionError, ray.exceptions.RayError) as error:
            raise InfraError(f"the Ray cluster does not answer any more: {error}") from error


def _connect(address: str) -> None:
    named = os.environ.get("RAY_ADDRESS", "this machine") if address == "auto" else address
    try:
        _initialise(address)
    except ray.exceptions.AuthenticationError as error:
        raise UsageError(
            f"the Ray cluster at {named} asks for a token: set RAY_AUTH_MODE=token, and RAY_AUTH_TOKEN to what "
            "`ray get-auth-token` says on its head"
        ) from error
    except (ConnectionError, RuntimeError, ValueError) as error:
        # Through its client port a cluster sends whole tracebacks; what went wrong is in their last line.
        lines = [line for line in str(error).splitlines() if len(line) > 1]
        raise UsageError(
            f"no Ray cluster answers at {named}: start one with `ray start --head`, or name another "
            f"({lines[-1] if lines else type(error).__name__})"
        ) from error


def _initialise(address: str) -> None:
    for left in reversed(range(CONNECTS)):
        try:
            with warnings.catch_warnings(action="ignore", category=UserWarning):  # its error says the same
                ray.init(address, logging_level=logging.CRITICAL, log_to_driver=False)
        except ConnectionAbortedError:  # the cluster is there, but failed to serve us
            if not left:
                raise
        else:
            return


def _put(bot: BotPlan) -> list[Any]:
    folder = bot.source.path if isinstance(bot.source, Folder) else None
    archive = pack_image(bot.contestant.digest) if folder is None else pack_folder(folder)
    return [ray.put(piece) for piece in archive]
