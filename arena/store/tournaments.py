"""The tournaments of a store: begun, imported, finished, listed."""

from collections.abc import Collection, Mapping
from typing import Any

from sqlalchemy import Connection, Engine, Row, Select, and_, func, insert, select, update

from arena.errors import UsageError
from arena.store.base import Change, Changes, ImportRequest, TournamentEntry, TournamentSummary
from arena.store.checksums import TournamentChecksum, settings_key
from arena.store.database import exclusive, writing
from arena.store.import_target import find_import_target
from arena.store.runs import tournaments_in_play
from arena.store.schema import as_utc, matches, seat_tallies, tournaments
from arena.store.tallies import PIECE, count_in, is_rated, total_of

_MAX_ID = 2**31 - 1


class Tournaments:
    """The part of a store that keeps tournaments, without their matches."""

    _database: Engine
    _totals: dict[int, int | None]

    def begin_tournament(self, game: str, settings: Mapping[str, Any]) -> TournamentEntry:
        """The unfinished tournament with exactly these settings that is not apart, or else a new one."""
        key = settings_key(game, settings)
        open_here = and_(tournaments.c.finished.is_(False), tournaments.c.apart.is_(False))
        same = select(tournaments.c.id).where(tournaments.c.key == key, open_here)
        with exclusive(self._database) as connection:
            number = connection.execute(same).scalar()
            if number is None:
                number = _new_tournament(connection, game, settings, apart=False)
        return self.tournament(number)

    def tournament_for_import(self, game: str, settings: Mapping[str, Any], request: ImportRequest) -> TournamentEntry:
        """The tournament that has the matches of an archive or may take them in, or else a new one.

        One transaction decides. UsageError if some went otherwise here and shall not be kept apart.
        """
        with exclusive(self._database) as connection:
            number = find_import_target(connection, settings_key(game, settings), request)
            if number is None:
                number = _new_tournament(connection, game, settings, apart=not request.rated)
            elif request.rated:
                self._rate(connection, number, settings)
            own = and_(tournaments.c.id == number, tournaments.c.finished.is_(False))
            known = connection.execute(select(tournaments.c.changes).where(own)).scalar()
            if len(request.changes) > len(known or ()):
                _write_changes(connection, number, request.changes)
        return self.tournament(number)

    def _rate(self, connection: Connection, tournament_id: int, settings: Mapping[str, Any]) -> None:
        """Let a tournament that was apart count for the tables of all others."""
        own = and_(tournaments.c.id == tournament_id, tournaments.c.apart)
        total = total_of(settings, apart=False)
        if connection.execute(update(tournaments).where(own).values(apart=False)).rowcount and total is not None:
            count_in(connection, tournament_id, total)
        self._totals.pop(tournament_id, None)

    def change_tournament(self, tournament_id: int, change: Change) -> None:
        """Note what is decided after the first match of a tournament."""
        with exclusive(self._database) as connection:
            _write_changes(connection, tournament_id, (*self.tournament(tournament_id).changes, change))

    def finish_tournament(self, tournament_id: int, checksum: str | None = None, close: Change | None = None) -> None:
        """Note that every match was played, or with `close` that no more will be.

        UsageError if its checksum is not the one that is expected.
        """
        entry = self.tournament(tournament_id)
        changes = (*entry.changes, close) if close else entry.changes
        theirs = matches.c.tournament_id == tournament_id
        query = select(matches.c.checksum).where(theirs).order_by(matches.c.ordinal, matches.c.match_id)
        whole = TournamentChecksum(entry.game, entry.settings, changes)
        with writing(self._database) as connection:
            for match in connection.execute(query, execution_options={"yield_per": PIECE}).scalars():
                whole.add(match)
            if checksum not in (None, whole.value()):
                raise UsageError(f"tournament {tournament_id} here does not have the same matches as the file")
            if close:
                _write_changes(connection, tournament_id, changes)
            done = update(tournaments).where(tournaments.c.id == tournament_id)
            connection.execute(done.values(finished=True, checksum=whole.value()))

    def tournament(self, tournament_id: int) -> TournamentEntry:
        """The tournament of this number; UsageError if there is none."""
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

    def tournament_summaries(
        self,
        *,
        before: int | None = None,
        limit: int | None = None,
        game: str | None = None,
        bot_id: int | None = None,
        rated: bool = False,
        apart: bool = False,
    ) -> list[TournamentSummary]:
        """A page of tournaments, the newest first: of all, or of a game, or of those that a bot has played in.

        With `rated` tests are left out, with `apart` all but what was imported and counts for no table but its own.
        The next page is the one before the id of its last tournament; without a limit all are on one page.
        """
        page = select(tournaments).order_by(tournaments.c.id.desc()).limit(limit)
        if before is not None:
            page = page.where(tournaments.c.id < before)
        if game is not None:
            page = page.where(tournaments.c.game == game)
        if rated:
            page = page.where(is_rated())
        if apart:
            page = page.where(tournaments.c.apart)
        if bot_id is not None:
            theirs = select(seat_tallies.c.tournament_id).where(seat_tallies.c.bot_id == bot_id)
            page = page.where(tournaments.c.id.in_(theirs))
        # Every match has one bot in seat 0.
        played = select(seat_tallies.c.tournament_id, func.sum(seat_tallies.c.matches)).where(seat_tallies.c.seat == 0)
        with self._database.connect() as connection:
            rows = connection.execute(page).all()
            ends = (rows[-1].id, rows[0].id) if rows else (1, 0)
            played = played.where(seat_tallies.c.tournament_id.between(*ends)).group_by(seat_tallies.c.tournament_id)
            counts = {number: int(count) for number, count in connection.execute(played)}
            playing = tournaments_in_play(connection)
        return [
            TournamentSummary(_tournament(row, playing), as_utc(row.created_at), counts.get(row.id, 0)) for row in rows
        ]

    def _tournaments(self, query: Select[Any]) -> list[TournamentEntry]:
        with self._database.connect() as connection:
            rows = connection.execute(query).all()
            playing = tournaments_in_play(connection)
        return [_tournament(row, playing) for row in rows]


def _new_tournament(connection: Connection, game: str, settings: Mapping[str, Any], *, apart: bool) -> int:
    values = {"game": game, "key": settings_key(game, settings), "settings": dict(settings), "finished": False}
    row = insert(tournaments).values(**values, weak_limits=[], apart=apart, changes=[]).returning(tournaments.c.id)
    return int(connection.execute(row).scalar_one())


def _write_changes(connection: Connection, tournament_id: int, changes: Changes) -> None:
    values = [change.to_json() for change in changes]
    connection.execute(update(tournaments).where(tournaments.c.id == tournament_id).values(changes=values))


def _tournament(row: Row[Any], playing: Collection[int]) -> TournamentEntry:
    weak_limits = None if row.weak_limits is None else tuple(row.weak_limits)
    changes = tuple(Change.from_json(change) for change in row.changes or ())
    return TournamentEntry(
        row.id, row.game, row.settings, row.finished, row.key, row.checksum, weak_limits, bool(row.apart), changes,
        row.id in playing,
    )  # fmt: skip
