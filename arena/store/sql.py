"""The store on SQLite (a file) or PostgreSQL (a URL)."""

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import groupby
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from sqlalchemy import Connection, Engine, Row, Select, create_engine, event, insert, select, update
from sqlalchemy.exc import IntegrityError, OperationalError

from arena.errors import InfraError, UsageError
from arena.store.base import BotEntry, MatchEntry, SeatResult, TournamentEntry
from arena.store.schema import bots, matches, seats, tournaments

MIGRATIONS = Path(__file__).parent / "migrations"
BUSY_MS = 30_000
"""How long SQLite waits for another writer."""


class SqlStore:
    """Keeps everything in one database; several processes may use it at the same time."""

    def __init__(self, where: str | Path) -> None:
        self._engine = _engine(where)
        try:
            _migrate(self._engine)
        except OperationalError as error:
            raise InfraError(f"the store {where} cannot be opened: {error.orig}") from error

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    # -- bots -------------------------------------------------------------------------------------------

    def add_bot(
        self, *, name: str, version: str, owner: str, digest: str, origin: str, games: Sequence[str]
    ) -> BotEntry:
        """Register a version of a bot; UsageError if another bot has that name and version."""
        values = {"name": name, "version": version, "owner": owner, "digest": digest, "origin": origin}
        try:
            with self._engine.begin() as connection:
                connection.execute(insert(bots).values(**values, games=list(games), retired=False))
        except IntegrityError:
            raise UsageError(f"there is a bot {name} {version} already: give this one another version") from None
        return self.bot_versions(name)[-1]

    def bots(self, game: str | None = None, *, retired: bool = False) -> list[BotEntry]:
        """The newest version of every bot that plays this game, in order of names."""
        newest = {entry.name: entry for entry in self._bots(select(bots).order_by(bots.c.id))}
        fitting = (
            entry for entry in newest.values() if (retired or not entry.retired) and game in (None, *entry.games)
        )
        return sorted(fitting, key=lambda entry: entry.name)

    def bot_versions(self, name: str) -> list[BotEntry]:
        """Every version of a bot, the oldest first."""
        return self._bots(select(bots).where(bots.c.name == name).order_by(bots.c.id))

    def retire_bot(self, name: str) -> None:
        """Keep a bot out of tournaments to come."""
        with self._engine.begin() as connection:
            if not connection.execute(update(bots).where(bots.c.name == name).values(retired=True)).rowcount:
                raise UsageError(f"there is no bot {name!r}: `arena bots list` shows those that there are")

    def _bots(self, query: Select[Any]) -> list[BotEntry]:
        with self._engine.connect() as connection:
            return [_bot(row) for row in connection.execute(query)]

    # -- tournaments --------------------------------------------------------------------------------------

    def begin_tournament(self, game: str, settings: Mapping[str, Any]) -> TournamentEntry:
        """The unfinished tournament with exactly these settings, or else a new one."""
        key = hashlib.sha256(json.dumps([game, settings], sort_keys=True).encode()).hexdigest()
        same = select(tournaments.c.id).where(tournaments.c.key == key, tournaments.c.finished.is_(False))
        with self._engine.begin() as connection:
            number = connection.execute(same).scalar()
            if number is None:
                values = {"game": game, "key": key, "settings": dict(settings), "finished": False}
                number = connection.execute(insert(tournaments).values(**values).returning(tournaments.c.id)).scalar()
        return self.tournament(int(number or 0))

    def finish_tournament(self, tournament_id: int) -> None:
        """Note that every match was played."""
        with self._engine.begin() as connection:
            connection.execute(update(tournaments).where(tournaments.c.id == tournament_id).values(finished=True))

    def tournament(self, tournament_id: int) -> TournamentEntry:
        """The tournament of this number."""
        found = self._tournaments(select(tournaments).where(tournaments.c.id == tournament_id))
        if not found:
            raise UsageError(f"there is no tournament {tournament_id}")
        return found[0]

    def tournaments(self, game: str | None = None) -> list[TournamentEntry]:
        """All tournaments, the oldest first."""
        query = select(tournaments).order_by(tournaments.c.id)
        return self._tournaments(query if game is None else query.where(tournaments.c.game == game))

    def _tournaments(self, query: Select[Any]) -> list[TournamentEntry]:
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return [TournamentEntry(row.id, row.game, row.settings, row.finished) for row in rows]

    # -- matches ------------------------------------------------------------------------------------------

    def add_match(self, match: MatchEntry, record: bytes) -> bool:
        """Keep a match in one transaction; False if it was there already."""
        own = ("tournament_id", "match_id", "ordinal", "group", "seed", "reason", "moves", "seal")
        key = {"tournament_id": match.tournament_id, "match_id": match.match_id}
        try:
            with self._engine.begin() as connection:
                connection.execute(
                    insert(matches).values(**{name: getattr(match, name) for name in own}, record=record)
                )
                rows = [{**key, "seat": seat, **_columns(result)} for seat, result in enumerate(match.seats)]
                connection.execute(insert(seats), rows)
        except IntegrityError:
            if self._has_match(match):
                return False
            raise
        return True

    def matches(self, *, tournament_id: int | None = None, game: str | None = None) -> list[MatchEntry]:
        """The matches of a tournament, or of all tournaments of a game, in the order of their schedules."""
        joined = (seats.c.tournament_id == matches.c.tournament_id) & (seats.c.match_id == matches.c.match_id)
        columns = [column for column in matches.c if column.name not in ("record", "created_at")]
        own = [column for column in seats.c if column.name not in ("tournament_id", "match_id", "seat", "log")]
        query = select(*columns, *own).join(seats, joined)
        if tournament_id is not None:
            query = query.where(matches.c.tournament_id == tournament_id)
        if game is not None:
            query = query.join(tournaments, tournaments.c.id == matches.c.tournament_id).where(
                tournaments.c.game == game
            )
        query = query.order_by(matches.c.tournament_id, matches.c.ordinal, matches.c.match_id, seats.c.seat)
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return [_match(list(group)) for _, group in groupby(rows, key=lambda row: (row.tournament_id, row.match_id))]

    def record(self, tournament_id: int, match_id: str) -> bytes:
        """The record of a match."""
        query = select(matches.c.record).where(matches.c.tournament_id == tournament_id, matches.c.match_id == match_id)
        with self._engine.connect() as connection:
            data = connection.execute(query).scalar()
        if data is None:
            raise UsageError(f"tournament {tournament_id} has no match {match_id!r}")
        return bytes(data)

    def _has_match(self, match: MatchEntry) -> bool:
        query = select(matches.c.moves).where(
            matches.c.tournament_id == match.tournament_id, matches.c.match_id == match.match_id
        )
        with self._engine.connect() as connection:
            return connection.execute(query).first() is not None


def _engine(where: str | Path) -> Engine:
    text = str(where)
    if "://" in text:
        return create_engine(text.replace("postgresql://", "postgresql+psycopg://", 1))
    Path(text).parent.mkdir(parents=True, exist_ok=True)
    engine = create_engine(f"sqlite:///{text}")
    event.listen(engine, "connect", _prepare_sqlite)
    # SQLite's own driver begins a transaction only before the first write, so a read before it would not be part
    # of it; with this, `begin` means begin.
    event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    return engine


def _prepare_sqlite(connection: Any, _: object) -> None:
    connection.isolation_level = None
    for pragma in ("journal_mode=WAL", "foreign_keys=ON", "synchronous=FULL", f"busy_timeout={BUSY_MS}"):
        connection.execute(f"PRAGMA {pragma}")


def _migrate(engine: Engine) -> None:
    """Bring the tables to the newest form."""
    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS))
    with _exclusive(engine) as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "head")


@contextmanager
def _exclusive(engine: Engine) -> Iterator[Connection]:
    """A transaction that only one process at a time is in, so that two new ones do not both make the tables."""
    with engine.begin() as connection:
        if engine.dialect.name == "postgresql":
            connection.exec_driver_sql("SELECT pg_advisory_xact_lock(7215034)")
        yield connection


def _bot(row: Row[Any]) -> BotEntry:
    return BotEntry(
        row.id, row.name, row.version, row.owner, row.digest, row.origin, tuple(row.games), bool(row.retired)
    )


def _columns(result: SeatResult) -> dict[str, Any]:
    return {name: getattr(result, name) for name in SeatResult.__slots__}


def _match(rows: list[Row[Any]]) -> MatchEntry:
    first = rows[0]
    results = tuple(
        SeatResult(row.bot_id, row.rank, row.score, row.ending, row.sentence, row.wall_us, row.cpu_us) for row in rows
    )
    return MatchEntry(
        first.tournament_id, first.match_id, first.ordinal, first.group, first.seed, first.reason, first.moves,
        first.seal, results,
    )  # fmt: skip
