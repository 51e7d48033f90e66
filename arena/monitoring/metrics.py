"""Metrics of a run for Prometheus, served by the driver: what workers measured came to it with their results."""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from prometheus_client import CollectorRegistry, ProcessCollector, start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily, Metric
from prometheus_client.registry import Collector

from arena.errors import UsageError
from arena.monitoring.figures import LATENCY_S
from arena.monitoring.run_state import NodeState, RunState

RUN = ("tournament", "game")
NODE = (*RUN, "node")
KIND = (*NODE, "kind")
NODE_COUNTERS = {
    "played": ("arena_matches_played", "Matches that were played and count."),
    "void": ("arena_matches_void", "Tries at a match that do not count through no fault of a bot."),
    "excused": ("arena_matches_excused", "Matches in which a clock was forgiven what the machine's lag explains."),
    "workers_ended": ("arena_workers_ended", "Workers that died in the middle of a match."),
}
"""By the field of a node's state: the metric and its help."""
KIND_COUNTERS = {
    "faults": ("arena_faults", "Seats that lost a match by a fault, by its kind."),
    "strikes": ("arena_strikes", "Faults that were forgiven, by their kind."),
}


class RunCollector(Collector):
    """Makes metrics of the state of a run whenever somebody asks for them."""

    def __init__(self, state: RunState) -> None:
        self._state = state

    def collect(self) -> Iterable[Metric]:
        """All metrics, each with a value for every node."""
        state = self._state
        with state.lock:
            if state.begun is None:
                return []
            run = (str(state.begun.tournament_id), state.begun.game)
            return [*_of_nodes(state, run), _latency(state, run), *_of_run(state, run)]


def _of_nodes(state: RunState, run: tuple[str, ...]) -> Iterator[Metric]:
    for attribute, (name, text) in NODE_COUNTERS.items():
        counter = CounterMetricFamily(name, text, labels=NODE)
        for node, known in state.nodes.items():
            counter.add_metric((*run, node), getattr(known, attribute))
        yield counter
    for attribute, (name, text) in KIND_COUNTERS.items():
        counter = CounterMetricFamily(name, text, labels=KIND)
        for node, known in state.nodes.items():
            for kind, count in sorted(getattr(known, attribute).items()):
                counter.add_metric((*run, node, kind), count)
        yield counter
    lag = CounterMetricFamily("arena_referee_lag_seconds", "Time that machines stood still under a clock.", labels=NODE)
    tables = GaugeMetricFamily("arena_tables", "Workers that can play.", labels=NODE)
    busy = GaugeMetricFamily("arena_tables_busy", "Workers that play a match.", labels=NODE)
    cordoned = GaugeMetricFamily("arena_node_cordoned", "1 for a node that is played on no more.", labels=NODE)
    here, playing = Counter(state.tables.values()), Counter(match.event.node for match in state.running.values())
    for node, known in state.nodes.items():
        lag.add_metric((*run, node), known.lag_us / 1e6)
        tables.add_metric((*run, node), here[node])
        busy.add_metric((*run, node), playing[node])
        cordoned.add_metric((*run, node), bool(known.cordoned))
    yield from (lag, tables, busy, cordoned)


def _latency(state: RunState, run: tuple[str, ...]) -> Metric:
    text = "Time from a request to a bot's reply."
    histogram = HistogramMetricFamily("arena_move_latency_seconds", text, labels=NODE)
    for node, known in state.nodes.items():
        histogram.add_metric((*run, node), list(_buckets(known)), sum_value=known.latency_us / 1e6)
    return histogram


def _buckets(node: NodeState) -> Iterator[tuple[str, float]]:
    """Pairs of a bound and how many replies took no longer, as Prometheus wants them."""
    total = 0
    for bound, count in zip((*map(str, LATENCY_S), "+Inf"), node.latencies, strict=True):
        total += count
        yield bound, total


def _of_run(state: RunState, run: tuple[str, ...]) -> Iterator[Metric]:
    begun = state.begun
    played = state.played + (begun.played if begun else 0)
    progress = GaugeMetricFamily("arena_tournament_matches", "Matches of the tournament that were played.", labels=RUN)
    progress.add_metric(run, played)
    yield progress
    queue = GaugeMetricFamily("arena_queue_matches", "Matches by what they wait for.", labels=(*RUN, "queue"))
    if begun and begun.total is not None:
        planned = GaugeMetricFamily("arena_tournament_matches_planned", "Matches it will have.", labels=RUN)
        planned.add_metric(run, begun.total)
        yield planned
        queue.add_metric((*run, "worker"), max(0, begun.total - played - len(state.running)))
    queue.add_metric((*run, "end"), len(state.running))
    queue.add_metric((*run, "store"), len(state.unsaved))
    yield queue


@contextmanager
def serve_metrics(state: RunState, host: str, port: int) -> Iterator[int]:
    """Serve the metrics of a run at http://HOST:PORT/metrics from a thread; the port, which is another one for 0."""
    registry = CollectorRegistry()
    registry.register(RunCollector(state))
    ProcessCollector(registry=registry)
    try:
        server, thread = start_http_server(port, addr=host, registry=registry)
    except OSError as error:
        raise UsageError(
            f"metrics cannot be served at {host}:{port}: {error.strerror}; name another address with --metrics"
        ) from error
    try:
        yield server.server_port
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
