"""The store on SQLite (a file) or PostgreSQL (a URL)."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, Select, and_, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from arena.errors import UsageError
from arena.store.base import BotEntry, KeptMatch, MatchEntry, SeatResult, TournamentEntry
from arena.store.checksums import bot_checksum, match_checksum, settings_key, tournament_checksum
from arena.store.database import exclusive, open_engine, writing
from arena.store.schema import bots, matches, metadata, seats, tournaments

_HEAVY = ("record", "checksum", "created_at", "log")
"""Columns that tables of results do without."""
_MAX_ID = 2**31 - 1
_PIECE = 200
"""How many rows are read at a time where they are large."""


class SqlStore:
    """Keeps everything in one database; several processes may use it at the same time."""

    def __init__(self, where: str | Path) -> None:
        self._engine = open_engine(where)

    def close(self) -> None:
        """Let go of the database."""
        self._engine.dispose()

    # -- bots -------------------------------------------------------------------------------------------

    def add_bot(
        self, *, name: str, version: str, owner: str, digest: str, origin: str, games: Sequence[str]
    ) -> BotEntry:
        """Register a version of a bot; UsageError if another bot has that name and version."""
        now = datetime.now(UTC)
        entry = BotEntry(0, name, version, owner, digest, origin, tuple(games), retired=False, created=now)
        values = {"name": name, "version": version, "owner": owner, "digest": digest, "origin": origin}
        same = and_(bots.c.name == name, bots.c.version == version)
        try:
            with writing(self._engine) as connection:
                absent = and_(same, bots.c.digest == digest, bots.c.origin == "")
                if not connection.execute(update(bots).where(absent).values(origin=origin)).rowcount:
                    values |= {"checksum": bot_checksum(entry)}
                    connection.execute(insert(bots).values(**values, games=list(games), retired=False))
        except IntegrityError:
            pass
        known = self._bots(select(bots).where(same))[0]
        if (known.checksum, known.origin) != (bot_checksum(entry), origin):
            raise UsageError(f"there is a bot {name} {version} already: give this one another version")
        return known

    def bots(self, game: str | None = None, *, retired: bool = False) -> list[BotEntry]:
        """The newest version of every bot that plays this game, in order of names."""
        newest = {entry.name: entry for entry in self.all_bots()}
        fitting = (
            entry for entry in newest.values() if (retired or not entry.retired) and game in (None, *entry.games)
        )
        return sorted(fitting, key=lambda entry: entry.name)

    def bot_versions(self, name: str) -> list[BotEntry]:
        """Every version of a bot, the oldest first."""
        return self._bots(select(bots).where(bots.c.name == name).order_by(bots.c.id))

    def all_bots(self) -> list[BotEntry]:
        """Every version of every bot, the oldest first."""
        return self._bots(select(bots).order_by(bots.c.id))

    def retire_bot(self, name: str) -> None:
        """Keep a bot out of tournaments to come."""
        with writing(self._engine) as connection:
            if not connection.execute(update(bots).where(bots.c.name == name).values(retired=True)).rowcount:
                raise UsageError(f"there is no bot {name!r}: `arena bots list` shows those that there are")

    def _bots(self, query: Select[Any]) -> list[BotEntry]:
        with self._engine.connect() as connection:
            return [_bot(row) for row in connection.execute(query)]

    # -- tournaments --------------------------------------------------------------------------------------

    def begin_tournament(self, game: str, settings: Mapping[str, Any]) -> TournamentEntry:
        """The unfinished tournament with exactly these settings, or else a new one."""
        key = settings_key(game, settings)
        same = select(tournaments.c.id).where(tournaments.c.key == key, tournaments.c.finished.is_(False))
        with exclusive(self._engine) as connection:
            number = connection.execute(same).scalar()
            if number is None:
                values = {"game": game, "key": key, "settings": dict(settings), "finished": False}
                number = connection.execute(insert(tournaments).values(**values).returning(tournaments.c.id)).scalar()
        return self.tournament(int(number or 0))

    def finish_tournament(self, tournament_id: int) -> None:
        """Note that every match was played."""
        entry = self.tournament(tournament_id)
        theirs = matches.c.tournament_id == tournament_id
        query = select(matches.c.checksum).where(theirs).order_by(matches.c.ordinal, matches.c.match_id)
        with writing(self._engine) as connection:
            checksum = tournament_checksum(entry.game, entry.settings, connection.execute(query).scalars())
            done = update(tournaments).where(tournaments.c.id == tournament_id)
            connection.execute(done.values(finished=True, checksum=checksum))

    def tournament(self, tournament_id: int) -> TournamentEntry:
        """The tournament of this number."""
        # A number that no column can hold is refused by the drivers, each in its own way.
        possible = 0 < tournament_id <= _MAX_ID
        found = self._tournaments(select(tournaments).where(tournaments.c.id == tournament_id)) if possible else []
        if not found:
            raise UsageError(f"there is no tournament {tournament_id}: `arena tournament list` shows those there are")
        return found[0]

    def tournaments(self, game: str | None = None) -> list[TournamentEntry]:
        """All tournaments, the oldest first."""
        query = select(tournaments).order_by(tournaments.c.id)
        return self._tournaments(query if game is None else query.where(tournaments.c.game == game))

    def _tournaments(self, query: Select[Any]) -> list[TournamentEntry]:
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return [TournamentEntry(row.id, row.game, row.settings, row.finished, row.key, row.checksum) for row in rows]

    # -- matches ------------------------------------------------------------------------------------------

    def add_match(self, match: MatchEntry, record: bytes) -> bool:
        """Keep a match in one transaction; False if it was there already."""
        try:
            with writing(self._engine) as connection:
                _insert_match(connection, KeptMatch(match, record, match_checksum(match, record)))
        except IntegrityError:
            with self._engine.connect() as connection:
                known = connection.execute(select(matches.c.seal).where(_this(match.tournament_id, match.match_id)))
                if known.first() is None:
                    raise
            return False
        return True

    def add_matches(self, tournament_id: int, several: Iterable[KeptMatch]) -> int:
        """Keep those that are missing, all in one transaction, and say how many these were."""
        here = select(matches.c.match_id, matches.c.checksum).where(matches.c.tournament_id == tournament_id)
        added = 0
        with exclusive(self._engine) as connection:
            known = {row.match_id: row.checksum for row in connection.execute(here)}
            for kept in several:
                name = kept.entry.match_id
                if name not in known:
                    _insert_match(connection, kept)
                    added += 1
                elif known[name] != kept.checksum:
                    raise UsageError(f"match {name} of tournament {tournament_id} was played here, and went otherwise")
        return added

    def matches(self, *, tournament_id: int | None = None, game: str | None = None) -> list[MatchEntry]:
        """The matches of a tournament, or of all tournaments of a game, in the order of their schedules."""
        query = _with_seats(heavy=False)
        if tournament_id is not None:
            query = query.where(matches.c.tournament_id == tournament_id)
        if game is not None:
            query = query.join(tournaments, tournaments.c.id == matches.c.tournament_id).where(
                tournaments.c.game == game
            )
        with self._engine.connect() as connection:
            rows = connection.execute(query).all()
        return [_match(list(group)) for _, group in groupby(rows, key=_key)]

    def match_keys(self, beginning: str) -> list[tuple[int, str]]:
        """The tournaments and full names of at most 100 matches whose names begin like this, the oldest first."""
        begins = func.substr(matches.c.match_id, 1, len(beginning)) == beginning
        query = select(matches.c.tournament_id, matches.c.match_id).where(begins)
        query = query.order_by(matches.c.tournament_id, matches.c.match_id).limit(100)
        with self._engine.connect() as connection:
            return [(row.tournament_id, row.match_id) for row in connection.execute(query)]

    def record(self, tournament_id: int, match_id: str) -> bytes:
        """The record of a match."""
        return self.kept_match(tournament_id, match_id).record

    def kept(self, tournament_id: int) -> Iterator[KeptMatch]:
        """All that is kept of each match of a tournament, in the order of its schedule."""
        return self._kept(matches.c.tournament_id == tournament_id)

    def kept_match(self, tournament_id: int, match_id: str) -> KeptMatch:
        """All that is kept of one match."""
        found = list(self._kept(_this(tournament_id, match_id)))
        if not found:
            raise UsageError(f"tournament {tournament_id} has no match {match_id!r}")
        return found[0]

    def inconsistencies(self) -> list[str]:
        """Rows that belong to nothing, each in a sentence."""
        with self._engine.connect() as connection:
            return [*_orphans(connection), *_misnumbered(connection)]

    def _kept(self, which: ColumnElement[bool]) -> Iterator[KeptMatch]:
        with self._engine.connect().execution_options(yield_per=_PIECE) as connection:
            rows = connection.execute(_with_seats(heavy=True).where(which))
            for _, group in groupby(rows, key=_key):
                several = list(group)
                yield KeptMatch(_match(several), bytes(several[0].record), several[0].checksum)


def _this(tournament_id: int, match_id: str) -> ColumnElement[bool]:
    return and_(matches.c.tournament_id == tournament_id, matches.c.match_id == match_id)


def _insert_match(connection: Connection, kept: KeptMatch) -> None:
    match = kept.entry
    own = {name: getattr(match, name) for name in MatchEntry.__slots__ if name != "seats"}
    connection.execute(insert(matches).values(**own, record=kept.record, checksum=kept.checksum))
    key = {"tournament_id": match.tournament_id, "match_id": match.match_id}
    connection.execute(insert(seats), [{**key, "seat": seat, **_row(each)} for seat, each in enumerate(match.seats)])


def _with_seats(*, heavy: bool) -> Select[Any]:
    """Matches in the order of their schedules, a row for each seat; heavy ones with records and output."""
    own = [column for column in matches.c if heavy or column.name not in _HEAVY]
    theirs = [column for column in seats.c if column.name not in ("tournament_id", "match_id")]
    joined = and_(seats.c.tournament_id == matches.c.tournament_id, seats.c.match_id == matches.c.match_id)
    query = select(*own, *(column for column in theirs if heavy or column.name not in _HEAVY))
    query = query.join(seats, joined, isouter=heavy)
    return query.order_by(matches.c.tournament_id, matches.c.ordinal, matches.c.match_id, seats.c.seat)


def _orphans(connection: Connection) -> Iterator[str]:
    """Rows whose foreign key leads nowhere; databases prevent these, until somebody tells them not to."""
    for table in metadata.sorted_tables:
        for constraint in table.foreign_key_constraints:
            parent = constraint.referred_table
            pairs = [element.parent == element.column for element in constraint.elements]
            lost = select(*table.primary_key.columns).outerjoin(parent, and_(*pairs))
            for row in connection.execute(lost.where(constraint.elements[0].column.is_(None))):
                key = ", ".join(f"{name} {value}" for name, value in row._mapping.items())
                yield f"{table.name}: {key} belongs to nothing in {parent.name}"


def _misnumbered(connection: Connection) -> Iterator[str]:
    """Matches whose seats are not numbered from 0 on."""
    query = select(seats.c.tournament_id, seats.c.match_id).group_by(seats.c.tournament_id, seats.c.match_id)
    for row in connection.execute(
        query.having((func.min(seats.c.seat) != 0) | (func.max(seats.c.seat) != func.count() - 1))
    ):
        yield f"seats: tournament_id {row.tournament_id}, match_id {row.match_id} are not numbered from 0 on"


def _key(row: Row[Any]) -> tuple[int, str]:
    return row.tournament_id, row.match_id


def _bot(row: Row[Any]) -> BotEntry:
    return BotEntry(
        row.id, row.name, row.version, row.owner, row.digest, row.origin, tuple(row.games), bool(row.retired),
        _universal(row.created_at), row.checksum,
    )  # fmt: skip


def _universal(moment: datetime) -> datetime:
    """SQLite forgets the time zone, which is always this one there; PostgreSQL answers in the one of its server."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _row(result: SeatResult) -> dict[str, Any]:
    return {name: getattr(result, name) for name in SeatResult.__slots__}


def _match(rows: list[Row[Any]]) -> MatchEntry:
    """The match of these rows; one that lost its seats has none."""
    first = rows[0]
    results = tuple(
        SeatResult(row.bot_id, row.rank, row.score, row.ending, row.sentence, row.wall_us, row.cpu_us)
        for row in rows
        if row.seat is not None
    )
    if hasattr(first, "log"):
        results = tuple(replace(result, log=row.log) for result, row in zip(results, rows))
    return MatchEntry(
        first.tournament_id, first.match_id, first.ordinal, first.group, first.seed, first.reason, first.moves,
        first.seal, results,
    )  # fmt: skip
