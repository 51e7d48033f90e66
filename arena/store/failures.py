"""What the database's errors mean: whose fault it is, and what to do, in one sentence."""

import sqlite3
from collections.abc import Mapping

from arena.errors import ArenaError, InfraError, UsageError


class Retryable(InfraError):
    """What was asked of the database may be asked again; arena/tournaments/store_calls.py does so."""


class StoreUnusable(UsageError):
    """Whoever chose or keeps the store can do something about it; nobody else can."""


class ConnectionLost(Retryable):
    """The database does not answer, or not any more, or cannot serve us at present."""


class Collision(Retryable):
    """The database took back a transaction because of another one at the same time."""


_Meaning = tuple[type[ArenaError], str]

_DAMAGED = (InfraError, "is damaged: put back a copy of it, or name another one with --db")
_NO_STORE = (StoreUnusable, "is not a store of Arena: name another one with --db")
_FULL = (InfraError, "has no room left on its disk: make room, and give the same command again")
_NOT_WRITABLE = (StoreUnusable, "is not writable: change its permissions, or name another one with --db")
_GONE = (ConnectionLost, "went away: see that PostgreSQL runs, and give the same command again")
_COLLISION = (Collision, "was changed by another program at the same time: give the same command again")
_FAILED = (InfraError, "returned an unexpected error: check that --db names a store of Arena")
_REFUSED = (StoreUnusable, "rejects this user name or password: check both in --db")

_OF_SQLITE: Mapping[int, _Meaning] = {
    sqlite3.SQLITE_NOTADB: _NO_STORE,
    sqlite3.SQLITE_CANTOPEN: (
        StoreUnusable,
        "cannot be opened: name a file with --db, in a folder in which you may write",
    ),
    sqlite3.SQLITE_READONLY: _NOT_WRITABLE,
    sqlite3.SQLITE_PERM: _NOT_WRITABLE,
    sqlite3.SQLITE_BUSY: (Collision, "is held by another program: give the same command again when that has ended"),
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_IOERR: (InfraError, "cannot be read or written: check its disk"),
}
_OF_POSTGRES: Mapping[str, _Meaning] = {
    "28": _REFUSED,
    "3D": (StoreUnusable, "does not exist: make it with createdb, or name another one with --db"),
    "42501": _NOT_WRITABLE,
    "25006": (
        ConnectionLost,
        "can only be read at present, as after a switch to a standby: give the same command again when it can be "
        "written, or name the one that can with --db",
    ),
    "25P03": _GONE,
    "3F": _NOT_WRITABLE,
    "53100": _FULL,
    "53300": (ConnectionLost, "has no connection left: give the same command again when others have ended"),
    "40001": _COLLISION,
    "40P01": _COLLISION,
    "55P03": _COLLISION,
    "57014": (Collision, "cancelled this statement: give the same command again"),
    "08": _GONE,
    "57P": _GONE,
}
"""By the beginning of the SQLSTATE."""
_OF_NO_STATE: Mapping[str, _Meaning] = {
    "password": _REFUSED,
    "authentication": _REFUSED,
    "does not exist": _OF_POSTGRES["3D"],
    "invalid connection option": (StoreUnusable, "cannot be reached in this way: write postgresql://user@host/name"),
}
"""By a word in the message: failures while connecting carry no SQLSTATE."""
_UNREACHABLE = (ConnectionLost, "does not answer: see that PostgreSQL runs, and that --db names its host and port")


def explain(error: Exception, name: str) -> ArenaError:
    """The error of ours that stands for one of the driver's; `name` is what the user calls the store."""
    cause = getattr(error, "orig", None) or error
    kind, sentence = _meaning(cause)
    return kind(f"the store {name} {sentence} ({str(cause).strip().partition(chr(10))[0]})")


def schema_too_new(name: str) -> ArenaError:
    """The schema of the store is one that this Arena does not know yet."""
    return UsageError(f"the store {name} was made by a newer Arena: upgrade Arena, or name another one with --db")


def schema_too_old(name: str) -> ArenaError:
    """The schema of the store was given up before the first release."""
    return UsageError(
        f"the store {name} was made long before Arena 0.1, and this Arena cannot bring it up to date: export its "
        "tournaments with the Arena that made it and import them here, or name another one with --db"
    )


class OutdatedSchema(UsageError):
    """A store that is only read has a schema that this Arena would have to change first."""


def store_in_use(name: str) -> ArenaError:
    """The schema would have to be changed under a running tournament."""
    return InfraError(
        f"the store {name} was made by an older Arena, and cannot be brought up to date while a tournament is played "
        "with it: stop that, or wait for its end, and give the same command again"
    )


def schema_outdated(name: str) -> OutdatedSchema:
    return OutdatedSchema(
        f"the store {name} was made by an older Arena, and nothing is changed here: "
        f"`arena tournament list --db {name}` brings it up to date"
    )


def wrong_encoding(database: str, encoding: str, wanted: str) -> ArenaError:
    """A PostgreSQL database cannot keep every text: with the locale C, `createdb` makes such ones."""
    return UsageError(
        f"the database {database} has the encoding {encoding}, and a store needs {wanted}: make another one with "
        f"`createdb --encoding={wanted} --template=template0 NAME`, and name that with --db"
    )


def _meaning(cause: BaseException) -> _Meaning:
    if isinstance(cause, sqlite3.Error):
        # An extended code, such as that for a full disk during a write, has the kind of error in its lowest byte.
        return _OF_SQLITE.get(getattr(cause, "sqlite_errorcode", 0) & 0xFF, _FAILED)
    if state := getattr(cause, "sqlstate", None):
        return next((meaning for start, meaning in _OF_POSTGRES.items() if state.startswith(start)), _FAILED)
    return next((meaning for word, meaning in _OF_NO_STATE.items() if word in str(cause)), _UNREACHABLE)
