"""The database under the store: opened, set up to lose nothing, and brought to the newest schema."""

import os
import sqlite3
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import (
    URL,
    Column,
    Connection,
    Engine,
    MetaData,
    String,
    Table,
    create_engine,
    event,
    inspect,
    make_url,
    select,
)
from sqlalchemy.engine import ExceptionContext
from sqlalchemy.exc import ArgumentError, DBAPIError, IntegrityError

from arena.distribution import install_hint
from arena.errors import UsageError
from arena.store import leases
from arena.store.failures import (
    ConnectionLost,
    explain,
    schema_outdated,
    schema_too_new,
    schema_too_old,
    store_in_use,
    wrong_encoding,
)
from arena.store.runs import tournaments_in_play
from arena.store.schema import runs
from arena.store.watchdog import watch

MIGRATIONS = Path(__file__).parent / "migrations"


@dataclass(frozen=True, slots=True)
class Form:
    """Which tables a database has: the migrations that make them, and where Alembic notes the newest of these."""

    migrations: Path
    version_table: str

    @property
    def versions(self) -> Table:
        """The table that Alembic keeps."""
        return Table(self.version_table, MetaData(), Column("version_num", String(32), primary_key=True))


RESULTS = Form(MIGRATIONS, "alembic_version")
"""The tables of the store."""
LIVE = ".live"
"""Of the name of the file beside an SQLite store that has its running matches."""
FILE_ENDINGS = ("", "-wal", "-shm", "-journal", LIVE, f"{LIVE}-wal", f"{LIVE}-shm")
"""Of the names of the files that an SQLite store consists of, or may leave behind."""
BUSY_MS = 30_000
"""How long SQLite waits for another writer."""
# A killed process loses nothing in WAL with synchronous=NORMAL already; FULL also outlives a power cut, for one
# fsync per match.
_PRAGMAS = (f"busy_timeout={BUSY_MS}", "synchronous=FULL", "foreign_keys=ON")
_ENCODING = "UTF8"
"""What texts are kept in: a database in another encoding has no place for every name and every line of a bot."""
_CONNECT = {
    "client_encoding": _ENCODING,
    "connect_timeout": "10",
    "keepalives": "1",
    "keepalives_idle": "10",
    "keepalives_interval": "5",
    "keepalives_count": "3",
    "tcp_user_timeout": "25000",
}
"""A host that does not answer is given up after 10 s, one that acknowledges nothing any more after 25 s."""
IDLE_S = 30
"""Seconds after which PostgreSQL ends a transaction of ours that does nothing: whoever began it is gone, and the rows
that it holds are waited for by others."""
_READ_ONLY = {"options": "-c default_transaction_read_only=on"}
_LOCK = 7215034
"""The number of our advisory lock in PostgreSQL."""
_FENCE = "fence"


def open_database(where: str | Path, *, read_only: bool = False, form: Form = RESULTS) -> Engine:
    """The database there, with tables of the newest form; UsageError or InfraError if it cannot be used.

    Read-only, nothing can be written through it, and tables of an older form are refused instead of changed.
    """
    engine, name = _engine(where, read_only=read_only)
    try:
        with engine.connect() as connection:
            is_newest = _is_newest(connection, name, form)
        if not is_newest:
            if read_only:
                raise schema_outdated(name)
            _migrate(where, name, form)
    except BaseException:
        engine.dispose()
        raise
    return engine


def _engine(where: str | Path, *, read_only: bool, watched: bool = True) -> tuple[Engine, str]:
    """The database there, whatever its form is, and what the user calls it; its errors are explained."""
    if "://" in str(where):
        engine = _postgres(str(where), _READ_ONLY if read_only else {})
        name = _shown(engine.url)
        if watched and not read_only:  # to read everything, or to bring it to another form, may take minutes
            watch(engine)
    else:
        engine = _sqlite_reader(Path(where)) if read_only else _sqlite(Path(where))
        name = str(where)

    def fail(context: ExceptionContext) -> None:
        # A broken constraint is left to the one who asked for it.
        error = context.sqlalchemy_exception or context.original_exception
        if isinstance(error, DBAPIError | sqlite3.Error) and not isinstance(error, IntegrityError):
            explained = explain(error, name)
            # What answers and cannot serve us is left, too: another connection may find the server that can.
            context.is_disconnect = context.is_disconnect or isinstance(explained, ConnectionLost)
            raise explained from context.original_exception

    event.listen(engine, "handle_error", fail)
    return engine, name


def shown(where: str) -> str:
    """What a user calls the database there, without a password."""
    return _shown(make_url(where)) if "://" in where else where


def _shown(url: URL) -> str:
    """What a user calls this PostgreSQL database, without the password and the driver."""
    where = {key: value for key, value in url.query.items() if key in ("host", "port")}
    return url.set(drivername="postgresql", query=where).render_as_string()


@contextmanager
def exclusive(engine: Engine) -> Iterator[Connection]:
    """A transaction that only one process at a time is in, so that what it looked up stays true while it writes."""
    with writing(engine) as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql(f"SELECT pg_advisory_xact_lock({_LOCK})")
        yield connection


@contextmanager
def writing(engine: Engine) -> Iterator[Connection]:
    """A transaction that writes; SQLite lets one at a time in, and readers do not wait for it.

    LeaseLost if the engine is behind a fence (see `fenced`), and its lease is another one's.
    """
    fence = engine.get_execution_options().get(_FENCE)
    with engine.execution_options(writing=True).begin() as connection:
        if fence is not None:
            leases.check(connection, fence)
        yield connection


def fenced(engine: Engine, fence: leases.Fence) -> Engine:
    """The same database, to which `writing` and `exclusive` write only while this is true."""
    return engine.execution_options(**{_FENCE: fence})


@contextmanager
def snapshot(engine: Engine) -> Iterator[Connection]:
    """A connection that sees one state of the database, however many questions it asks."""
    if engine.dialect.name == "postgresql":
        engine = engine.execution_options(isolation_level="REPEATABLE READ")
    with engine.connect() as connection:
        yield connection


def _postgres(url: str, more: Mapping[str, str]) -> Engine:
    if not url.startswith("postgresql://"):
        raise UsageError("the store is neither a file nor a URL of the form postgresql://user@host/name")
    try:
        parsed = make_url(url).set(drivername="postgresql+psycopg")
        added = {key: value for key, value in _CONNECT.items() if key not in parsed.query}
        patient = parsed.update_query_dict({**added, **more})
        # A server that was restarted has forgotten our connections: each is tried before it is used.
        engine = create_engine(patient, pool_pre_ping=True, max_overflow=-1)
    except (ArgumentError, ValueError) as error:
        raise UsageError("the store's URL cannot be read: write postgresql://user@host/name") from error
    except ModuleNotFoundError as error:
        raise UsageError(f"PostgreSQL needs its driver: {install_hint('postgres')}") from error
    event.listen(engine, "connect", _prepare_postgres)
    event.listen(engine, "do_executemany", _execute_one_by_one)
    return engine


def _execute_one_by_one(cursor: Any, statement: str, rows: Any, _: object) -> bool:
    """Send the rows of a statement one by one instead of in the driver's pipeline.

    PostgreSQL does not count a transaction as idle after a pipeline: one whose client fell silent there would hold its
    rows for ever, whatever IDLE_S says.
    """
    for row in rows:
        cursor.execute(statement, row)
    return True


def _prepare_postgres(connection: Any, _: object) -> None:
    if (encoding := connection.info.parameter_status("server_encoding")) != _ENCODING:
        raise wrong_encoding(connection.info.dbname, encoding, _ENCODING)
    connection.execute(f"SET idle_in_transaction_session_timeout = '{IDLE_S}s'")
    connection.commit()


def _sqlite(path: Path) -> Engine:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UsageError(
            f"the folder of the store {path} cannot be made: {error.strerror}; name a file in another one with --db"
        ) from error
    engine = create_engine(URL.create("sqlite", database=str(path)), max_overflow=-1)
    event.listen(engine, "connect", _prepare_sqlite)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _sqlite_reader(path: Path) -> Engine:
    """A database that is there already, opened so that the file itself cannot be written."""
    if not path.exists():
        raise UsageError(f"there is no store {path}: name an SQLite file or postgresql://user@host/name with --db")
    if path.is_dir():
        raise UsageError(f"the store {path} cannot be opened: name a file with --db, not a folder")
    mode = "mode=ro" + ("&immutable=1" if _cannot_change(path) else "")
    address = f"file:{quote(str(path.absolute()))}?{mode}"
    engine = create_engine(URL.create("sqlite", database=address, query={"uri": "true"}), max_overflow=-1)
    event.listen(engine, "connect", _prepare_sqlite_reader)
    event.listen(engine, "begin", _begin_sqlite)
    return engine


def _cannot_change(path: Path) -> bool:
    """Whether it is on a disk that nobody can write to: SQLite cannot put the files there that readers share."""
    return bool(os.statvfs(path).f_flag & os.ST_RDONLY) and not Path(f"{path}-wal").exists()


def _prepare_sqlite_reader(connection: Any, _: object) -> None:
    connection.isolation_level = None
    for pragma in (f"busy_timeout={BUSY_MS}", "query_only=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _prepare_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None
    for pragma in _PRAGMAS:
        connection.execute(f"PRAGMA {pragma}")
    _use_wal(connection)


def _use_wal(connection: Any) -> None:
    """Let readers and a writer work at once; kept in the file, so only its first user changes anything."""
    deadline = time.monotonic() + BUSY_MS / 1000
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            # Two that make the same new file can refuse each other this change, and then SQLite itself does not wait.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(0.01)
        else:
            return


def _begin_sqlite(connection: Connection) -> None:
    # SQLite's own driver begins a transaction only before the first write, so a read before it would not be part
    # of it; and a transaction that reads first can fail to become a writing one. So a writer says so at once.
    kind = "IMMEDIATE" if connection.get_execution_options().get("writing") else "DEFERRED"
    connection.exec_driver_sql(f"BEGIN {kind}")


def _is_newest(connection: Connection, name: str, form: Form) -> bool:
    """Whether the schema is the newest one; UsageError if this Arena cannot make it so."""
    known = sorted(path.name[:4] for path in (form.migrations / "versions").glob("[0-9]*.py"))
    here = _revision(connection, form)
    if here is not None and here not in known:
        raise schema_too_old(name) if here < known[0] else schema_too_new(name)
    return here == known[-1]


def _revision(connection: Connection, form: Form) -> str | None:
    """The version of the schema; None if there are no tables."""
    known = inspect(connection).has_table(form.version_table)
    return connection.execute(select(form.versions)).scalar() if known else None


def _migrate(where: str | Path, name: str, form: Form) -> None:
    """Bring the schema to its newest version; InfraError while a process plays, which knows the old one only."""
    from alembic import command  # noqa: PLC0415  (it loads slowly, and most starts need no migration)
    from alembic.config import Config  # noqa: PLC0415

    config = Config()
    config.set_main_option("script_location", str(form.migrations))
    engine, _ = _engine(where, read_only=False, watched=False)
    try:
        with exclusive(engine) as connection:
            if _is_newest(connection, name, form):
                return  # another process did it while this one waited, and may play with it already
            if inspect(connection).has_table(runs.name) and tournaments_in_play(connection):
                raise store_in_use(name)
            config.attributes.update(connection=connection, version_table=form.version_table)
            command.upgrade(config, "head")
    finally:
        engine.dispose()
