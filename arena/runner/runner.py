"""The runner: waits until it is the only one, and then works off the contest until it is told to stop."""

import asyncio
import signal
import time
from contextlib import ExitStack
from pathlib import Path
from types import FrameType

from sqlalchemy import Engine

from arena.contest.settings import Contest
from arena.errors import ArenaError, InfraError
from arena.runner.check_process import RUNNER
from arena.runner.log import Log
from arena.runner.shift import Pace, Shift, Stop
from arena.sandboxes.base import BotDirectory, Limits
from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox
from arena.store.leases import LeaseHeld, LeaseLost
from arena.store.sql import Store
from arena.tournaments.lease import Lease


def run(contest: Contest, log: Log, stop: Stop, pace: Pace | None = None) -> None:
    """Work off a contest until this is to stop; InfraError if bots cannot be held here."""
    check_sandbox()
    with ExitStack() as stack:
        store = contest.open_results_to_write()
        stack.callback(store.close)
        database = contest.open_people()
        stack.callback(database.dispose)
        _take_turns(contest, database, store, log, stop, pace or Pace())
    log("ended")


def _take_turns(contest: Contest, database: Engine, store: Store, log: Log, stop: Stop, pace: Pace) -> None:
    """Be the active runner whenever nobody else is."""
    last = ""
    while not stop.asked:
        try:
            with Lease.take(store, RUNNER) as lease:
                last = ""
                Shift(contest, database, lease, log, stop, pace).work()
                continue
        except (LeaseHeld, LeaseLost) as error:
            event, reason = "lease_lost" if isinstance(error, LeaseLost) else "waiting", str(error)
        except ArenaError as error:
            event, reason = "failure", str(error)
        if reason != last:
            log(event, reason=reason)
        last = reason
        time.sleep(pace.look_s)


def listen(stop: Stop) -> None:
    """Stop by the signals that say so."""

    def react(_: int, __: FrameType | None) -> None:
        stop.ask()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, react)


def check_sandbox() -> None:
    """InfraError if a folder cannot be put into a sandbox: then every submission would fail through us."""
    try:
        asyncio.run(BubblewrapSandbox(BotDirectory(Path("/usr"), ("true",)), Limits()).dry_run())
    except InfraError as error:
        raise InfraError(f"bots cannot be checked here: {error}; `arena doctor` says what to do") from error
