"""A log for programs: one JSON object per event of a run, on a line of its own."""

import json
import re
from collections.abc import Callable
from dataclasses import asdict
from datetime import UTC, datetime
from typing import Any, TextIO

from arena.monitoring.events import Event, MatchPlayed, MatchVoid, RunBegun

_FIGURES = ("lag_us", "excused_us", "strikes", "replays")
_SEAT = ("bot_id", "rank", "score", "ending", "sentence", "wall_us", "cpu_us")


class EventLog:
    """Writes every event of a run; a log that cannot be written costs no match, and says so once at its end."""

    def __init__(self, stream: TextIO, *, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        self._stream = stream
        self._now = now
        self._run: dict[str, Any] = {}
        self.failure: OSError | None = None
        """Why the log is not complete."""

    def __call__(self, event: Event) -> None:
        if isinstance(event, RunBegun):
            self._run = {"run": event.run_id, "tournament": event.tournament_id}
        line = {"time": self._now().isoformat(), "event": event_name(event), **self._run, **event_fields(event)}
        try:
            self._stream.write(json.dumps(line) + "\n")
            self._stream.flush()
        except OSError as error:
            self.failure = self.failure or error


def event_name(event: Event) -> str:
    """What a log calls this kind of event, such as match_played."""
    return re.sub(r"(?<!^)(?=[A-Z])", "_", type(event).__name__).lower()


def event_fields(event: Event) -> dict[str, Any]:
    """What a log has of an event beside its time, its kind and its run."""
    fields = asdict(event)
    for known in ("run_id", "tournament_id"):
        fields.pop(known, None)
    if isinstance(event, MatchPlayed | MatchVoid):
        figures = fields.pop("figures")
        fields |= {name: figures[name] for name in _FIGURES}
    if isinstance(event, MatchPlayed):
        entry = fields.pop("entry")
        seats = [{name: seat[name] for name in _SEAT} for seat in entry["seats"]]
        fields |= {name: entry[name] for name in ("match_id", "ordinal", "reason", "moves")}
        fields["seats"] = [{"bot": bot, **seat} for bot, seat in zip(event.bots, seats, strict=True)]
        fields["faults"] = [
            {"seat": number, "bot": bot, "kind": seat.ending, "sentence": seat.sentence}
            for number, (bot, seat) in enumerate(zip(event.bots, event.entry.seats, strict=True))
            if seat.at_fault
        ]
    return fields
