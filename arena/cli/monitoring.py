"""Options by which a tournament is watched from outside: metrics for Prometheus, and a log of its events."""

import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TextIO

import click

from arena.cli.options import option_group
from arena.cli.output import warn
from arena.distribution import install_hint
from arena.errors import UsageError
from arena.store.sql import Store

if TYPE_CHECKING:  # help pages and lists need not wait for it
    from arena.tournaments.monitor import Monitor

_ADDRESS = re.compile(r"(?P<host>[^\s:]+|\[[0-9a-fA-F:]+\]):(?P<port>\d{1,5})")


class Address(click.ParamType):  # type: ignore[type-arg]  # generic only from click 8.4 on
    """A host and a port."""

    name = "address"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[str, int]:
        if isinstance(value, tuple):
            return value
        found = _ADDRESS.fullmatch(value)
        if found is None or int(found["port"]) > 65535:
            self.fail(f"{value!r} is not a valid address: write HOST:PORT, such as 127.0.0.1:9464", param, ctx)
        return found["host"].strip("[]"), int(found["port"])


monitoring_options = option_group(
    click.option(
        "--metrics",
        type=Address(),
        metavar="HOST:PORT",
        help="Serve metrics for Prometheus there while matches are played, such as 127.0.0.1:9464 (extra: metrics).",
    ),
    click.option(
        "--log-json",
        metavar="FILE|-",
        help="Append every event to this file, one JSON object on each line. With - they go to standard output, and "
        "all else to standard error.",
    ),
)


@dataclass(frozen=True, slots=True)
class Watch:
    """How a run is to be watched from outside."""

    metrics: tuple[str, int] | None
    """The host and the port where metrics are served."""
    log: str | None
    """The file that events are appended to."""

    @property
    def to_stdout(self) -> bool:
        """Whether standard output belongs to the log."""
        return self.log == "-"


def read_watch(given: Mapping[str, Any]) -> Watch:
    """What `monitoring_options` gave; UsageError if the extra for it is missing."""
    if given["metrics"] is not None and find_spec("prometheus_client") is None:
        raise UsageError(f"metrics need the client of Prometheus: {install_hint('metrics')}")
    return Watch(given["metrics"], given["log_json"])


@contextmanager
def monitored(store: Store, watch: Watch) -> Iterator["Monitor"]:
    """A monitor of the run to come, with the log and the metrics that were asked for."""
    from arena.monitoring.event_log import EventLog  # noqa: PLC0415  (a list need not wait for them)
    from arena.tournaments.monitor import Monitor  # noqa: PLC0415

    with ExitStack() as stack:
        log = None if watch.log is None else EventLog(stack.enter_context(_opened(watch)))
        monitor = Monitor(store, [] if log is None else [log])
        if watch.metrics is not None:
            from arena.monitoring.metrics import serve_metrics  # noqa: PLC0415  (an extra)

            port = stack.enter_context(serve_metrics(monitor.state, *watch.metrics))
            host = f"[{watch.metrics[0]}]" if ":" in watch.metrics[0] else watch.metrics[0]
            warn(f"metrics are at http://{host}:{port}/metrics")
        yield monitor
        if log is not None and log.failure is not None:
            warn(f"the log of events is not complete, but every result is kept: {log.failure}")


@contextmanager
def _opened(watch: Watch) -> Iterator[TextIO]:
    if watch.to_stdout:
        yield sys.stdout
        return
    try:
        stream = open(str(watch.log), "a", encoding="utf-8")  # noqa: SIM115  (closed below)
    except OSError as error:
        raise UsageError(
            f"the log {watch.log} cannot be written: {error.strerror}; name another file with --log-json"
        ) from error
    try:
        yield stream
    finally:
        with suppress(OSError):  # what could not be written was noted
            stream.close()
