"""The matches that are being played, for those who watch: written now and then, and worth nothing once they are over.

In PostgreSQL this is one more table, without a log of its own. Beside an SQLite store it is a file of its own, so that
it never holds up the one writer that an SQLite file can have; nothing is lost with it.
"""

from collections.abc import Collection, Sequence
from dataclasses import asdict
from urllib.parse import quote

from sqlalchemy import (
    URL,
    Column,
    Connection,
    Engine,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    create_engine,
    delete,
    event,
    inspect,
    select,
    text,
)
from sqlalchemy.exc import SQLAlchemyError

from arena.errors import ArenaError, InfraError
from arena.store.base import RunningMatch
from arena.store.database import LIVE

_PRAGMAS = ("busy_timeout=200", "synchronous=OFF", "journal_mode=WAL")
_COLUMNS = (
    ("tournament_id", Integer, True),
    ("match_id", String(32), True),
    ("attempt", Integer, False),
    ("moves", Integer, False),
    ("record", LargeBinary, False),
)


def _table(*prefixes: str) -> Table:
    columns = [Column(name, kind, primary_key=key, autoincrement=False, nullable=False) for name, kind, key in _COLUMNS]
    return Table("running_matches", MetaData(), *columns, prefixes=list(prefixes))


_running = _table()
_take_away = text("DELETE FROM running_matches WHERE tournament_id = :tournament_id AND match_id = :match_id")
_upsert = text(
    "INSERT INTO running_matches (tournament_id, match_id, attempt, moves, record)"
    " VALUES (:tournament_id, :match_id, :attempt, :moves, :record)"
    " ON CONFLICT (tournament_id, match_id)"
    " DO UPDATE SET attempt = excluded.attempt, moves = excluded.moves, record = excluded.record"
)
"""The same words for both databases, as text: to have them put together at every write takes three times as long."""
_unlogged = _table("UNLOGGED")


class RunningMatches:
    """What is being played by tournaments of a store, in the store's own database or in a file beside it."""

    def __init__(self, store: Engine, *, read_only: bool) -> None:
        self._postgres = store.dialect.name == "postgresql"
        self._read_only = read_only
        self._database = store if self._postgres else _beside(store, read_only=read_only)
        self._made = False

    def close(self) -> None:
        self._database.dispose()

    def write(self, tournament_id: int, changed: Sequence[RunningMatch], ended: Collection[str]) -> None:
        """Show these matches of a tournament as they are now, and no longer those that have ended; one transaction."""
        try:
            self._make()
            with self._database.begin() as connection:
                self._write(connection, tournament_id, changed, ended)
        except SQLAlchemyError as error:
            raise InfraError(f"running matches cannot be shown: {error}") from error

    def clear(self, tournament_id: int) -> None:
        """Show no match of this tournament any more."""
        try:
            self._make()
            with self._database.begin() as connection:
                connection.execute(delete(_running).where(_running.c.tournament_id == tournament_id))
        except SQLAlchemyError as error:
            raise InfraError(f"running matches cannot be cleared: {error}") from error

    def read(self, tournaments: Collection[int]) -> list[RunningMatch]:
        """Those of these tournaments; a tournament that was killed leaves its own behind until it is gone on with."""
        try:
            with self._database.connect() as connection:
                if not self._made:
                    self._made = inspect(connection).has_table(_running.name)
                query = select(_running).where(_running.c.tournament_id.in_(tournaments))
                rows = connection.execute(query).all() if self._made else []
        except (SQLAlchemyError, ArenaError):
            self._made = False  # there is no such file or table yet, or it may not be read
            return []
        return [RunningMatch(**row._mapping) for row in rows]

    def _make(self) -> None:
        if not self._made:
            (_unlogged if self._postgres else _running).create(self._database, checkfirst=True)
            self._made = True

    def _write(
        self, connection: Connection, tournament_id: int, changed: Sequence[RunningMatch], ended: Collection[str]
    ) -> None:
        if ended:
            connection.execute(_take_away, [{"tournament_id": tournament_id, "match_id": match} for match in ended])
        if changed:
            connection.execute(_upsert, [asdict(match) for match in changed])


def _quoted_path(url: URL) -> str:
    """The path of an SQLite store as a part of an address, in which `#`, `?` and `%` mean something else."""
    if "uri" in url.query:
        return f"{url.database}".removeprefix("file:").partition("?")[0]
    return quote(f"{url.database}")


def _beside(store: Engine, *, read_only: bool) -> Engine:
    """The file beside an SQLite store; it is opened when it is first used."""
    address = f"file:{_quoted_path(store.url)}{LIVE}?mode={'ro' if read_only else 'rwc'}"
    database = create_engine(URL.create("sqlite", database=address, query={"uri": "true"}), max_overflow=-1)

    def prepare(connection: object, _: object) -> None:
        for pragma in _PRAGMAS[:1] if read_only else _PRAGMAS:
            connection.execute(f"PRAGMA {pragma}")  # type: ignore[attr-defined]

    event.listen(database, "connect", prepare)
    return database
