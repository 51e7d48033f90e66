"""What the processes of a contest say: one JSON object per line on stderr."""

import json
import logging
import sys
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Protocol


class Log(Protocol):
    """Takes in what happens."""

    def __call__(self, event: str, **facts: Any) -> None:
        """One event, with what is known of it."""


def log_line(event: str, **facts: Any) -> None:
    """Write one line; whoever does not read it stops nothing."""
    line = {"time": datetime.now(UTC).isoformat(timespec="milliseconds"), "event": event, **facts}
    with suppress(OSError):
        sys.stderr.write(json.dumps(line, default=str) + "\n")
        sys.stderr.flush()


class LogHandler(logging.Handler):
    """Gives the warnings of all other parts the same form."""

    def emit(self, record: logging.LogRecord) -> None:
        log_line("warning", text=record.getMessage(), source=record.name)


def take_over_warnings() -> None:
    """Let this process write nothing else to stderr."""
    logging.basicConfig(handlers=[LogHandler()], level=logging.WARNING, force=True)
