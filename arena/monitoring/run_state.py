"""The state of a run as its events tell it: what is played where, how fast, and what went wrong."""

import threading
import time
from collections import Counter, deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import singledispatchmethod
from heapq import nsmallest
from typing import Any

from arena.monitoring.events import (
    Event,
    MatchBegun,
    MatchKept,
    MatchPlayed,
    MatchVoid,
    NodeCordoned,
    RunBegun,
    WorkerDismissed,
    WorkerEnded,
    WorkerFailed,
    WorkerReady,
)
from arena.monitoring.figures import LATENCY_S, MatchFigures

RATE_S = 60.0
"""The matches per second are those of the last so many seconds."""
MOST_LISTED = 100
"""Running matches that a report names, those that take longest: a report stays small on however many tables."""


MOST_NODES = 200
"""Nodes that are counted apart: a cluster that comes and goes has new ones for weeks."""
GONE = "gone"
"""The name under which those are counted together that left first."""


@dataclass(slots=True)
class NodeState:
    """One machine in this run."""

    played: int = 0
    void: int = 0
    """Every void try counts here, also if the match was then played elsewhere."""
    excused: int = 0
    """Matches in which the clock of a bot was forgiven what the machine's lag explains."""
    workers_ended: int = 0
    faults: Counter[str] = field(default_factory=Counter)
    """By the name of an ending: matches that a bot lost by it, once for each seat."""
    strikes: Counter[str] = field(default_factory=Counter)
    """By the name of an ending: faults that were forgiven."""
    latencies: list[int] = field(default_factory=lambda: [0] * (len(LATENCY_S) + 1))
    latency_us: int = 0
    lag_us: int = 0
    cordoned: str = ""
    """Why it is played on no more, if that is so."""

    def add(self, other: "NodeState") -> None:
        """Count what happened on another machine here, too."""
        self.played += other.played
        self.void += other.void
        self.excused += other.excused
        self.workers_ended += other.workers_ended
        self.faults.update(other.faults)
        self.strikes.update(other.strikes)
        self.latencies = [mine + more for mine, more in zip(self.latencies, other.latencies, strict=True)]
        self.latency_us += other.latency_us
        self.lag_us += other.lag_us


@dataclass(frozen=True, slots=True)
class BegunMatch:
    """A match that a worker has."""

    event: MatchBegun
    since: float


class RunState:
    """Listens to the events of a run; a thread that serves metrics may read it meanwhile, under its lock."""

    def __init__(self, *, host: str, pid: int, now: Callable[[], float] = time.monotonic) -> None:
        self.lock = threading.Lock()
        self.nodes: dict[str, NodeState] = {}
        self.tables: dict[int, str] = {}
        """The workers that can play, by their numbers, with their nodes."""
        self.running: dict[int, BegunMatch] = {}
        """By the number of the worker."""
        self.unsaved: set[str] = set()
        """Matches that are played and not in the store yet."""
        self.begun: RunBegun | None = None
        self.played = 0
        self.void = 0
        """Matches that stay void in this run."""
        self.failed_workers = 0
        self._host, self._pid = host, pid
        self._now = now
        self._started = now()
        self._samples: deque[tuple[float, int]] = deque([(self._started, 0)])

    def __call__(self, event: Event) -> None:
        with self.lock:
            self._note(event)

    def status(self) -> dict[str, Any]:
        """The whole state for the store, as plain values."""
        with self.lock:
            now, begun = self._now(), self.begun
            counts = Counter(self.tables.values())
            busy = Counter(running.event.node for running in self.running.values())
            before, total = (begun.played, begun.total) if begun else (0, None)
            return {
                "host": self._host,
                "pid": self._pid,
                "executor": begun.executor if begun else "",
                "tables": len(self.tables),
                "played": before + self.played,
                "played_in_run": self.played,
                "total": total,
                "per_second": round(self._rate(now), 3),
                "void": self.void,
                "excused": sum(node.excused for node in self.nodes.values()),
                "faults": dict(sum((node.faults for node in self.nodes.values()), Counter())),
                "unsaved": len(self.unsaved),
                "running": self._longest_running(now),
                "nodes": [
                    {
                        "name": name,
                        "tables": counts[name],
                        "running": busy[name],
                        "played": node.played,
                        "void": node.void,
                        "excused": node.excused,
                        "workers_ended": node.workers_ended,
                        "cordoned": node.cordoned,
                    }
                    for name, node in sorted(self.nodes.items())
                ],
            }

    def _longest_running(self, now: float) -> list[dict[str, Any]]:
        """The running matches that began first, in the order of their tables."""
        longest = nsmallest(MOST_LISTED, self.running.items(), key=lambda item: item[1].since)
        return [
            {
                "table": table,
                "node": running.event.node,
                "match_id": running.event.match_id,
                "bots": list(running.event.bots),
                "seconds": round(now - running.since, 1),
            }
            for table, running in sorted(longest, key=lambda item: item[0])
        ]

    def _rate(self, now: float) -> float:
        """Matches per second since about RATE_S ago."""
        while len(self._samples) > 1 and self._samples[1][0] <= now - RATE_S:
            self._samples.popleft()
        since, played = self._samples[0]
        self._samples.append((now, self.played))
        return (self.played - played) / max(now - since, 1e-9)

    def _node(self, name: str) -> NodeState:
        if name not in self.nodes:
            self._make_room()
        return self.nodes.setdefault(name, NodeState())

    def _make_room(self) -> None:
        """Count the node that came first, of those without a table, with all that are gone."""
        here = {GONE, *self.tables.values()}
        absent = next((name for name in self.nodes if name not in here), None)
        if len(self.nodes) >= MOST_NODES and absent is not None:
            left = self.nodes.pop(absent)
            self.nodes.setdefault(GONE, NodeState()).add(left)

    @singledispatchmethod
    def _note(self, event: object) -> None:
        """Events that change nothing here."""

    @_note.register
    def _(self, event: RunBegun) -> None:
        self.begun = event

    @_note.register
    def _(self, event: WorkerReady) -> None:
        self._node(event.node)
        self.tables[event.table] = event.node

    @_note.register
    def _(self, event: WorkerFailed) -> None:  # noqa: ARG002
        self.failed_workers += 1

    @_note.register
    def _(self, event: WorkerDismissed) -> None:
        self.tables.pop(event.table, None)
        self.running.pop(event.table, None)

    @_note.register
    def _(self, event: WorkerEnded) -> None:
        self._node(event.node).workers_ended += 1
        self.tables.pop(event.table, None)
        self.running.pop(event.table, None)

    @_note.register
    def _(self, event: NodeCordoned) -> None:
        self._node(event.node).cordoned = event.reason

    @_note.register
    def _(self, event: MatchBegun) -> None:
        self.running[event.table] = BegunMatch(event, self._now())

    @_note.register
    def _(self, event: MatchPlayed) -> None:
        self.running.pop(event.table, None)
        self.played += 1
        self.unsaved.add(event.entry.match_id)
        node = self._node(event.node)
        node.played += 1
        node.faults.update(seat.ending for seat in event.entry.seats if seat.at_fault)
        self._add(node, event.figures)

    @_note.register
    def _(self, event: MatchVoid) -> None:
        self.running.pop(event.table, None)
        self.void += event.final
        node = self._node(event.node)
        node.void += 1
        self._add(node, event.figures)

    @_note.register
    def _(self, event: MatchKept) -> None:
        self.unsaved.discard(event.match_id)

    def _add(self, node: NodeState, figures: MatchFigures) -> None:
        node.void += figures.replays
        node.excused += figures.excused_us > 0
        node.strikes.update(figures.strikes)
        node.latencies = [count + more for count, more in zip(node.latencies, figures.latencies, strict=True)]
        node.latency_us += figures.latency_us
        node.lag_us += figures.lag_us
