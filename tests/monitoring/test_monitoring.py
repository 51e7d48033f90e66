"""Figures, state, metrics and log of a run: the same events, seen in different ways; and the dashboard of them."""

import io
import json
import re
import urllib.request
from datetime import UTC, datetime
from pathlib import Path

import pytest
from prometheus_client.parser import text_string_to_metric_families

from arena.clock import TimeControl
from arena.errors import UsageError
from arena.match import (
    FINE,
    Contestant,
    Ending,
    MatchRecord,
    MatchSpec,
    Outcome,
    PlayedMove,
    Strike,
    Times,
    Verdict,
)
from arena.monitoring import events
from arena.monitoring.event_log import EventLog, event_name
from arena.monitoring.figures import LATENCY_S, NO_FIGURES, MatchFigures, figures_of
from arena.monitoring.metrics import serve_metrics
from arena.monitoring.run_state import GONE, MOST_LISTED, MOST_NODES, RunState
from arena.store.base import MatchEntry, SeatResult

DASHBOARD = Path(__file__).parents[2] / "docs/grafana.json"
FIGURES = MatchFigures((0, 0, 3) + (0,) * 13, 9_000, 2_000_000, 5_000, ("TIME",), 1)


def record(*times, control="1s/move", strikes=()):
    spec = MatchSpec("m", "claim", {}, 1, (Contestant("a"), Contestant("b")), TimeControl.parse(control))
    played = tuple(PlayedMove(number % 2, 0, each) for number, each in enumerate(times))
    return MatchRecord(spec, "1", played, (FINE, FINE), Outcome((1, 2), (1.0, 0.0), ""), strikes)


def entry(match_id, *endings):
    seats = tuple(SeatResult(number, number, 0.0, ending, "so", 5, 6) for number, ending in enumerate(endings, 1))
    return MatchEntry(7, match_id, 3, "", 1, "votes", 52, "5ea1", seats)


RUN = [
    events.RunBegun("r1", 7, "claim", "ray://head:10001", 2, 10, 100),
    events.WorkerReady(0, "one"),
    events.WorkerReady(1, "two"),
    events.MatchBegun(0, "one", "m1", ("a 1", "b 1")),
    events.MatchBegun(1, "two", "m2", ("b 1", "a 1")),
    events.MatchPlayed(0, "one", ("a 1", "b 1"), entry("m1", "NORMAL", "TIME"), 0.5, FIGURES),
    events.MatchKept("m1"),
    events.MatchBegun(0, "one", "m3", ("a 1", "b 1")),
    events.MatchPlayed(0, "one", ("a 1", "b 1"), entry("m3", "NORMAL", "NORMAL"), 0.5, NO_FIGURES),
    events.MatchVoid(1, "two", "m2", "no sandbox", False, NO_FIGURES),
    events.MatchBegun(1, "two", "m4", ("b 1", "a 1")),
    events.WorkerEnded(1, "two", "m4", "code 9"),
    events.NodeCordoned("two", "three void matches"),
    events.WorkerReady(1, "one"),
    events.MatchBegun(1, "one", "m2", ("b 1", "a 1")),
]


@pytest.fixture
def state():
    clock = iter(range(10_000))
    state = RunState(host="here", pid=1, now=lambda: float(next(clock)))
    for event in RUN:
        state(event)
    return state


def test_figures_count_replies_and_what_was_excused():
    times = (
        Times(wall=900, charged=900),
        Times(wall=2_400_000, charged=1_000_000, lag=1_500_000),
        Times(wall=70_000_000, charged=70_000_000),
        Times(),
    )
    strikes = (Strike(0, 1, Verdict(Ending.ILLEGAL, "no")),)
    figures = figures_of(record(*times, strikes=strikes), replays=2)
    assert sum(figures.latencies) == 3
    assert [figures.latencies[number] for number in (0, LATENCY_S.index(2.5), -1)] == [1, 1, 1]
    assert figures.latency_us == 900 + 2_400_000 + 70_000_000
    control = TimeControl.parse("1s/move")
    assert figures.excused_us == 1_400_000 - round(1e6 * control.allowance) or figures.excused_us == 1_400_000
    assert (figures.lag_us, figures.strikes, figures.replays) == (1_500_000, ("ILLEGAL",), 2)
    assert figures_of(record(Times(wall=5, charged=5), control="none")).excused_us == 0


def test_the_state_says_what_is_played_where(state):
    now = state.status()
    assert json.loads(json.dumps(now)) == now
    assert (now["played"], now["played_in_run"], now["total"], now["void"], now["excused"]) == (12, 2, 100, 0, 1)
    assert (now["faults"], now["unsaved"], now["tables"]) == ({"TIME": 1}, 1, 2)
    assert [(match["table"], match["match_id"], match["node"]) for match in now["running"]] == [(1, "m2", "one")]
    one, two = now["nodes"]
    assert (one["name"], one["tables"], one["running"], one["played"], one["void"]) == ("one", 2, 1, 2, 1)
    assert (two["name"], two["tables"], two["void"], two["workers_ended"]) == ("two", 0, 1, 1)
    assert two["cordoned"] == "three void matches"
    assert now["per_second"] > 0


def test_a_report_names_the_matches_that_take_longest_however_many_there_are(state):
    for table in range(5_000, 1_000, -1):
        state(events.MatchBegun(table, "one", f"match {table}", ("a 1", "b 1")))
    now = state.status()
    assert [match["table"] for match in now["running"]] == [1, *range(5_002 - MOST_LISTED, 5_001)]
    assert now["nodes"][0]["running"] == 4_001
    assert len(json.dumps(now)) < 20_000


def served(state):
    """By the name and the labels of a sample its value, as Prometheus would read it."""
    with serve_metrics(state, "127.0.0.1", 0) as port:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=10) as answer:
            text = answer.read().decode()
        with pytest.raises(UsageError, match="name another address"), serve_metrics(state, "127.0.0.1", port):
            pass
    families = text_string_to_metric_families(text)
    return {
        (sample.name, *sorted(sample.labels.values())): sample.value for family in families for sample in family.samples
    }


@pytest.mark.real(reason="a server answers on a port")
def test_metrics_have_every_node(state):
    values = served(state)
    run = ("7", "claim")

    def value(name, *labels):
        return values[(name, *sorted((*run, *labels)))]

    assert value("arena_matches_played_total", "one") == 2
    assert value("arena_matches_played_total", "two") == 0
    assert value("arena_matches_void_total", "two") == 1
    assert value("arena_matches_excused_total", "one") == 1
    assert value("arena_faults_total", "one", "TIME") == 1
    assert value("arena_strikes_total", "one", "TIME") == 1
    assert value("arena_move_latency_seconds_bucket", "one", "0.0025") == 0
    assert value("arena_move_latency_seconds_bucket", "one", "0.005") == 3
    assert value("arena_move_latency_seconds_count", "one") == 3
    assert value("arena_move_latency_seconds_sum", "one") == pytest.approx(0.009)
    assert value("arena_referee_lag_seconds_total", "one") == 2.0
    assert value("arena_node_cordoned", "two") == 1
    assert value("arena_tables", "one") == 2
    assert value("arena_tables_busy", "one") == 1
    assert value("arena_workers_ended_total", "two") == 1
    assert value("arena_queue_matches", "worker") == 100 - 12 - 1
    assert value("arena_queue_matches", "end") == value("arena_queue_matches", "store") == 1
    assert value("arena_tournament_matches") == 12
    assert values[("process_resident_memory_bytes",)] > 0


@pytest.mark.real(reason="a server answers on a port")
def test_nodes_that_come_and_go_for_weeks_do_not_add_up(state):
    """Each has metrics of its own while it plays; what it has counted is never lost."""
    for number in range(1000):
        state(events.WorkerReady(50, f"node-{number}"))
        state(events.WorkerEnded(50, f"node-{number}", "m", "it is gone"))
    assert len(state.nodes) <= MOST_NODES + 1
    assert "node-999" in state.nodes
    assert sum(node.workers_ended for node in state.nodes.values()) >= 1000
    assert state.nodes[GONE].workers_ended >= 1000 - MOST_NODES
    assert len(state.status()["nodes"]) == len(state.nodes)


@pytest.mark.real(reason="a server answers on a port")
def test_every_query_of_the_dashboard_asks_for_metrics_that_exist(state):
    there = {name for name, *_ in served(state)}
    dashboard = json.loads(DASHBOARD.read_text())
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    queries += [str(variable["query"]) for variable in dashboard["templating"]["list"] if variable["type"] == "query"]
    asked = {name for query in queries for name in re.findall(r"\b(?:arena|process)_\w+", query)}
    assert len(queries) > 15
    assert asked <= there
    shown = {name for name in there if name.startswith("arena_") and not name.endswith("_created")}
    assert shown <= asked, "the dashboard leaves something out"
    assert len({panel["id"] for panel in dashboard["panels"]}) == len(dashboard["panels"])


def test_the_log_has_an_object_for_every_event():
    stream = io.StringIO()
    log = EventLog(stream, now=lambda: datetime(2030, 1, 2, tzinfo=UTC))
    for event in [*RUN, events.RunEnded(7, 12, "stopped"), events.WorkerFailed(1, "no"), events.WorkerDismissed(1)]:
        log(event)
    lines = [json.loads(line) for line in stream.getvalue().splitlines()]
    assert len(lines) == len(RUN) + 3
    assert {line["event"] for line in lines} == {event_name(kind.__new__(kind)) for kind in events.Event.__args__}
    assert all((line["run"], line["tournament"], line["time"][:4]) == ("r1", 7, "2030") for line in lines)
    played = next(line for line in lines if line["event"] == "match_played")
    assert (played["match_id"], played["node"], played["excused_us"], played["replays"]) == ("m1", "one", 5_000, 1)
    assert [(seat["bot"], seat["ending"]) for seat in played["seats"]] == [("a 1", "NORMAL"), ("b 1", "TIME")]
    assert played["faults"] == [{"seat": 1, "bot": "b 1", "kind": "TIME", "sentence": "so"}]
    assert "said" not in stream.getvalue()


def test_a_log_that_cannot_be_written_costs_nothing():
    full = open("/dev/full", "w")  # noqa: SIM115
    log = EventLog(full)
    log(RUN[0])
    assert "No space left" in str(log.failure)
    log(RUN[1])
    with pytest.raises(OSError, match="No space"):
        full.close()
