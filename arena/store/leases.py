"""Leases: which process alone may do something with a store, such as play a tournament.

Whoever takes a lease raises its epoch, and all that it writes then checks in the same transaction that the epoch is
still its own. So a process that slept, and was taken for dead meanwhile, can write nothing when it wakes. All times are
by the clock of the database.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, DateTime, Function, Select, func, select, text, update

from arena.errors import InfraError, UsageError
from arena.store.schema import as_utc, leases


@dataclass(frozen=True, slots=True)
class Holder:
    """The process that has a lease."""

    host: str
    pid: int
    boot: str
    """Of which start of which machine it is: names of hosts may be the same on two of them."""
    process: str
    """Tells it from all others there, also from a later one with the same number."""

    @property
    def place(self) -> str:
        """As people are told of it."""
        return f"process {self.pid} on {self.host}"


@dataclass(frozen=True, slots=True)
class LeaseEntry:
    """A lease, as the store has it."""

    name: str
    """What it is for, so that a sentence can begin with it."""
    epoch: int
    """How often it was taken."""
    holder: Holder | None
    """Nobody, if it was given back."""
    taken: datetime
    """In UTC."""
    silent_s: float
    """Seconds since it was last renewed."""


@dataclass(frozen=True, slots=True)
class Fence:
    """What a process has of a lease that it took; a write behind it is made only while that is true."""

    name: str
    epoch: int


class LeaseHeld(UsageError):
    """Another process has the lease."""

    def __init__(self, entry: LeaseEntry) -> None:
        super().__init__(f"{entry.name} is held by {entry.holder and entry.holder.place}: wait for its end, or stop it")
        self.entry = entry


class LeaseLost(InfraError):
    """The lease is not ours any more, so that nothing may be written."""


def take(connection: Connection, name: str, holder: Holder, is_gone: Callable[[LeaseEntry], bool]) -> Fence:
    """Make a process the holder of a lease that nobody has, or one that is gone; LeaseHeld if that is not so."""
    connection.execute(_MAKE, {"name": name})
    # PostgreSQL: FOR UPDATE waits for the FOR KEY SHARE that every write behind a fence has, and these wait for it. The
    # FOR NO KEY UPDATE of a renewal does neither, so that however many write at once, none of them keeps it from that.
    entry = _read(connection, _of(name).with_for_update())
    if entry.holder is not None and not is_gone(entry):
        raise LeaseHeld(entry)
    fence, now = Fence(name, entry.epoch + 1), _clock(connection)
    mine = update(leases).where(leases.c.name == name, leases.c.epoch == entry.epoch)
    connection.execute(mine.values(epoch=fence.epoch, holder=asdict(holder), taken_at=now, renewed_at=now))
    return fence


def renew(connection: Connection, fence: Fence) -> None:
    """Say that its holder lives; LeaseLost if it is another one now."""
    # Locked before the clock is read: else it would say when the wait for a lock began.
    _check(fence, _read(connection, _of(fence.name).with_for_update(key_share=True)))
    connection.execute(update(leases).where(leases.c.name == fence.name).values(renewed_at=_clock(connection)))


def release(connection: Connection, fence: Fence) -> None:
    """Give it back, if it is still ours; its epoch stays, and never comes again."""
    mine = update(leases).where(leases.c.name == fence.name, leases.c.epoch == fence.epoch)
    connection.execute(mine.values(holder=None))


def check(connection: Connection, fence: Fence) -> None:
    """LeaseLost if the lease is not ours any more; in a transaction that writes it stays ours until that ends."""
    _check(fence, _read(connection, _of(fence.name).with_for_update(read=True, key_share=True)))


def look(connection: Connection, fence: Fence) -> None:
    """LeaseLost if the lease is not ours any more; it may be lost in the next moment."""
    _check(fence, _read(connection, _of(fence.name)))


_MAKE = text("INSERT INTO leases (name, epoch) VALUES (:name, 0) ON CONFLICT (name) DO NOTHING")


def _of(name: str) -> Select[Any]:
    return select(leases).where(leases.c.name == name)


def _read(connection: Connection, query: Select[Any]) -> LeaseEntry:
    row = connection.execute(query.add_columns(_clock(connection).label("now"))).first()
    if row is None:
        raise LeaseLost("a lease was taken out of the store by hand: give the same command again")
    silent_s = max(0.0, (as_utc(row.now) - as_utc(row.renewed_at)).total_seconds())
    holder = None if row.holder is None else Holder(**row.holder)
    return LeaseEntry(row.name, row.epoch, holder, as_utc(row.taken_at), silent_s)


def _check(fence: Fence, entry: LeaseEntry) -> None:
    if entry.epoch != fence.epoch or entry.holder is None:
        other = "another process" if entry.holder is None else entry.holder.place
        raise LeaseLost(
            f"{fence.name} was taken over by {other}, because this process was silent for too long: nothing more is "
            "kept here, and `arena status` shows how far it is there"
        )


def _clock(connection: Connection) -> Function[datetime]:
    """The time now, and not when the transaction began; with parts of a second."""
    if connection.dialect.name == "postgresql":
        return func.clock_timestamp(type_=DateTime(timezone=True))
    return func.strftime("%Y-%m-%d %H:%M:%f", "now", type_=DateTime(timezone=True))
