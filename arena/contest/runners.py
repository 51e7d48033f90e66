"""The runner of a contest, as its people are told of it, and the fence that keeps an earlier one from writing.

Whoever has the lease of the results enters its epoch here; from then on no runner with a lower one can write among
these rows. The lease is about another database, so that its epoch has to be known in this one, too.
"""

from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, Engine, delete, func, insert, select, update

from arena.contest.schema import runners
from arena.store.database import exclusive, writing
from arena.store.leases import LeaseLost
from arena.store.schema import as_utc

IDLE, WORKING, PAUSED, ENDED = "idle", "working", "paused", "ended"
SILENT = timedelta(seconds=30)
"""After this time without a beat a runner is taken for gone."""


@dataclass(frozen=True, slots=True)
class LastBeat:
    """What was last heard of a runner."""

    epoch: int
    place: str
    """Process and host."""
    state: str
    since: datetime
    at: datetime
    here: bool
    """Whether it was a moment ago, so that there is a runner."""


class Runners:
    """The runner that works off a contest, or the last one that did."""

    def __init__(self, database: Engine) -> None:
        self._database = database

    def enter(self, epoch: int, place: str) -> None:
        """Shut all earlier runners out; LeaseLost if a later one has entered."""
        with exclusive(self._database) as connection:
            check_epoch(connection, epoch)
            connection.execute(delete(runners).where(runners.c.epoch <= epoch))
            connection.execute(insert(runners).values(epoch=epoch, place=place[:80], state=IDLE))

    def beat(self, epoch: int, state: str) -> None:
        """Say that it lives, and what it does; LeaseLost if another one has entered."""
        mine = update(runners).where(runners.c.epoch == epoch).values(state=state, beat_at=func.now())
        with writing(self._database) as connection:
            check_epoch(connection, epoch)
            connection.execute(mine)

    def last(self) -> LastBeat | None:
        """The last sign of life; None if there never was a runner."""
        query = select(runners, func.now().label("now")).order_by(runners.c.epoch.desc()).limit(1)
        with self._database.connect() as connection:
            row = connection.execute(query).first()
        if row is None:
            return None
        here = row.state != ENDED and as_utc(row.now) - as_utc(row.beat_at) < SILENT
        return LastBeat(row.epoch, row.place, row.state, as_utc(row.begun_at), as_utc(row.beat_at), here)


def check_epoch(connection: Connection, epoch: int | None) -> None:
    """LeaseLost if a runner with a later epoch has entered; whoever is no runner has none."""
    if epoch is None:
        return
    newest = connection.execute(select(func.max(runners.c.epoch))).scalar()
    if newest is not None and newest > epoch:
        raise LeaseLost("another runner has taken over: nothing more is written by this one")
