"""The driver of a tournament is the process that has its lease: two would play every match twice."""

from collections.abc import Callable

from arena.errors import UsageError
from arena.store.leases import LeaseEntry, LeaseHeld
from arena.store.sql import Store
from arena.tournaments.lease import RENEW_S, TERM_S, Lease


def lease_to_play(store: Store, tournament_id: int) -> Lease:
    """The lease of a tournament that is to be played; UsageError if another process plays it."""
    return _take(store, tournament_id, _being_played)


def lease_to_change(store: Store, tournament_id: int) -> Lease:
    """The lease of a tournament that is to be changed; UsageError if a process plays it that would not know of that."""
    return _take(store, tournament_id, _not_idle)


def _take(store: Store, tournament_id: int, refusal: Callable[[int, LeaseEntry], str]) -> Lease:
    try:
        return Lease.take(store, f"tournament {tournament_id}")
    except LeaseHeld as held:
        raise UsageError(refusal(tournament_id, held.entry)) from held


def _being_played(tournament_id: int, entry: LeaseEntry) -> str:
    return (
        f"tournament {tournament_id} is being played already, by {_place(entry)} "
        f"since {entry.taken:%Y-%m-%d %H:%M} UTC: wait for its end, or stop it there with Ctrl-C and "
        f"go on here; `arena status` shows how far it is{_silence(entry)}"
    )


def _not_idle(tournament_id: int, entry: LeaseEntry) -> str:
    return (
        f"tournament {tournament_id} is being played by {_place(entry)}: stop it there with Ctrl-C, which loses no "
        f"match, give this command again, and go on with `arena tournament resume {tournament_id}`{_silence(entry)}"
    )


def _place(entry: LeaseEntry) -> str:
    return entry.holder.place if entry.holder else "another process"


def _silence(entry: LeaseEntry) -> str:
    """What is to be known of a process that may have died on another machine."""
    if entry.silent_s < 3 * RENEW_S:
        return ""
    return (
        f"; it has been silent for {entry.silent_s:.0f} s, and if it died the same command works in "
        f"{TERM_S - entry.silent_s:.0f} s"
    )
