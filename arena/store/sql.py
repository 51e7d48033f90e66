"""The store on SQLite (a file) or PostgreSQL (a URL)."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from itertools import groupby
from pathlib import Path
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Row,
    Select,
    and_,
    bindparam,
    exists,
    func,
    insert,
    or_,
    select,
    update,
)
from sqlalchemy.exc import IntegrityError

from arena.errors import UsageError
from arena.store.adoption import find_home
from arena.store.base import (
    Arrival,
    BotEntry,
    KeptMatch,
    ListedMatch,
    MatchEntry,
    MatchResult,
    RunEntry,
    RunningMatch,
    SeatResult,
    SeatTally,
    Tally,
    TournamentEntry,
    TournamentSummary,
)
from arena.store.checksums import TournamentChecksum, bot_checksum, match_checksum, settings_key
from arena.store.database import exclusive, open_database, snapshot, writing
from arena.store.inconsistencies import inconsistencies
from arena.store.running import RunningMatches
from arena.store.runs import read_runs, remove_dead_runs, remove_run, tournaments_in_play, write_run
from arena.store.schema import ALL, bots, matches, outputs, records, seat_tallies, seats, tournaments, universal
from arena.store.scope import Scope
from arena.store.tallies import (
    PIECE,
    Counted,
    count_in,
    is_rated,
    read_seat_tallies,
    read_tallies,
    total_of,
    tournaments_in,
)

_SEAT = ("seat", "bot_id", "rank", "score", "ending", "sentence", "wall_us", "cpu_us")
_MAX_ID = 2**31 - 1
_PAGE, _HEAVY_PAGE = 2_000, 100
"""How many matches are read at a time, and how many where all that is kept of them is read."""
_MOST_WEAK_LIMITS = 20
"""So many different notes on weak limits are kept with a tournament."""


class SqlStore:
    """Keeps everything in one database; several processes may use it at the same time."""

    def __init__(self, where: str | Path, *, read_only: bool = False) -> None:
        self._database = open_database(where, read_only=read_only)
        self._running = RunningMatches(self._database, read_only=read_only)
        self._totals: dict[int, int | None] = {}
        """For every tournament with new matches, where these are counted beside its own tallies."""
        self._weak_limits: dict[int, frozenset[str]] = {}
        """What is known to be noted with a tournament."""

    def close(self) -> None:
        """Let go of the database."""
        self._running.close()
        self._database.dispose()

    # -- running matches ----------------------------------------------------------------------------------

    def show_running(self, tournament_id: int, changed: Sequence[RunningMatch], ended: Collection[str]) -> None:
        """Let others see these matches of a tournament, and no longer those that have ended."""
        self._running.write(tournament_id, changed, ended)

    def clear_running(self, tournament_id: int) -> None:
        """Let nobody see a running match of this tournament any more."""
        self._running.clear(tournament_id)

    def running_matches(self) -> list[RunningMatch]:
        """What is being played by processes that are alive."""
        with self._database.connect() as connection:
            in_play = tournaments_in_play(connection)
        return self._running.read(in_play) if in_play else []

    # -- bots -------------------------------------------------------------------------------------------

    def add_bot(
        self, *, name: str, version: str, owner: str, digest: str, origin: str, games: Sequence[str],
        tried: bool = False,
    ) -> BotEntry:  # fmt: skip
        """Register a version of a bot; UsageError if another bot has that name and version."""
        now = datetime.now(UTC)
        entry = BotEntry(0, name, version, owner, digest, origin, tuple(games), retired=False, created=now)
        values: dict[str, Any] = {"name": name, "version": version, "owner": owner, "digest": digest, "origin": origin}
        same = and_(bots.c.name == name, bots.c.version == version)
        try:
            with exclusive(self._database) as connection:
                absent = and_(same, bots.c.digest == digest, bots.c.origin == "")
                if not connection.execute(update(bots).where(absent).values(origin=origin)).rowcount:
                    number = 0 if tried else _next_on_ladder(connection)
                    values |= {"checksum": bot_checksum(entry), "ladder_number": number}
                    connection.execute(insert(bots).values(**values, games=list(games), retired=False))
        except IntegrityError:
            pass
        known = self._bots(select(bots).where(same))[0]
        if (known.checksum, known.origin) != (bot_checksum(entry), origin):
            raise UsageError(f"there is a bot {name} {version} already: give this one another version")
        return known

    def promote_bot(self, bot_id: int, *, owner: str, origin: str, games: Sequence[str]) -> BotEntry:
        """Put a version that was only tried out onto the ladder, as the newest one, with its owner and its files."""
        own = bots.c.id == bot_id
        with exclusive(self._database) as connection:
            entry = replace(_bot(connection.execute(select(bots).where(own)).one()), owner=owner, games=tuple(games))
            values = {"owner": owner, "origin": origin, "games": list(games), "checksum": bot_checksum(entry)}
            number = entry.ladder_number or _next_on_ladder(connection)
            connection.execute(update(bots).where(own).values(**values, ladder_number=number))
        return self._bots(select(bots).where(own))[0]

    def move_bot(self, bot_id: int, origin: str) -> BotEntry:
        """Note that the same files are run from elsewhere now."""
        with writing(self._database) as connection:
            connection.execute(update(bots).where(bots.c.id == bot_id).values(origin=origin))
        return self._bots(select(bots).where(bots.c.id == bot_id))[0]

    def bot_versions(self, name: str) -> list[BotEntry]:
        """Every version of a bot, the oldest first."""
        return self._bots(select(bots).where(bots.c.name == name).order_by(bots.c.id))

    def all_bots(self) -> list[BotEntry]:
        """Every version of every bot, the oldest first."""
        return self._bots(select(bots).order_by(bots.c.id))

    def retire_bot(self, name: str, version: str | None = None, *, retired: bool = True) -> None:
        """Keep a bot, or one version of it, out of tournaments to come, or let it in again."""
        chosen = bots.c.name == name if version is None else and_(bots.c.name == name, bots.c.version == version)
        with writing(self._database) as connection:
            if not connection.execute(update(bots).where(chosen).values(retired=retired)).rowcount:
                text = name if version is None else f"{name}@{version}"
                raise UsageError(f"there is no bot {text!r}: `arena bots list --all` shows those that there are")

    def _bots(self, query: Select[Any]) -> list[BotEntry]:
        with self._database.connect() as connection:
            return [_bot(row) for row in connection.execute(query)]

    # -- tournaments --------------------------------------------------------------------------------------

    def begin_tournament(self, game: str, settings: Mapping[str, Any]) -> TournamentEntry:
        """The unfinished tournament with exactly these settings, or else a new one."""
        key = settings_key(game, settings)
        open_here = and_(tournaments.c.finished.is_(False), tournaments.c.apart.is_(False))
        same = select(tournaments.c.id).where(tournaments.c.key == key, open_here)
        with exclusive(self._database) as connection:
            number = connection.execute(same).scalar()
            if number is None:
                number = _new_tournament(connection, game, settings, apart=False)
        return self.tournament(number)

    def adopt_tournament(self, game: str, settings: Mapping[str, Any], arrival: Arrival) -> TournamentEntry:
        """The tournament that has the matches of an archive or may take them in, or else a new one."""
        with exclusive(self._database) as connection:
            number = find_home(connection, settings_key(game, settings), arrival)
            if number is None:
                number = _new_tournament(connection, game, settings, apart=not arrival.rated)
            elif arrival.rated:
                self._rate(connection, number, settings)
        return self.tournament(number)

    def _rate(self, connection: Connection, tournament_id: int, settings: Mapping[str, Any]) -> None:
        """Let a tournament that was apart count for the tables of all others."""
        own = and_(tournaments.c.id == tournament_id, tournaments.c.apart)
        total = total_of(settings, apart=False)
        if connection.execute(update(tournaments).where(own).values(apart=False)).rowcount and total is not None:
            count_in(connection, tournament_id, total)
        self._totals.pop(tournament_id, None)

    def finish_tournament(self, tournament_id: int, checksum: str | None = None) -> None:
        """Note that every match was played."""
        entry = self.tournament(tournament_id)
        theirs = matches.c.tournament_id == tournament_id
        query = select(matches.c.checksum).where(theirs).order_by(matches.c.ordinal, matches.c.match_id)
        whole = TournamentChecksum(entry.game, entry.settings)
        with writing(self._database) as connection:
            for match in connection.execute(query, execution_options={"yield_per": PIECE}).scalars():
                whole.add(match)
            if checksum not in (None, whole.value()):
                raise UsageError(f"tournament {tournament_id} here has other matches than the finished one there")
            done = update(tournaments).where(tournaments.c.id == tournament_id)
            connection.execute(done.values(finished=True, checksum=whole.value()))

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

    def tournament_summaries(
        self,
        *,
        before: int | None = None,
        limit: int | None = None,
        game: str | None = None,
        bot_id: int | None = None,
        rated: bool = False,
    ) -> list[TournamentSummary]:
        """A page of tournaments, the newest first."""
        page = select(tournaments).order_by(tournaments.c.id.desc()).limit(limit)
        if before is not None:
            page = page.where(tournaments.c.id < before)
        if game is not None:
            page = page.where(tournaments.c.game == game)
        if rated:
            page = page.where(is_rated())
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
        return [TournamentSummary(_tournament(row), universal(row.created_at), counts.get(row.id, 0)) for row in rows]

    def _tournaments(self, query: Select[Any]) -> list[TournamentEntry]:
        with self._database.connect() as connection:
            return [_tournament(row) for row in connection.execute(query)]

    # -- matches ------------------------------------------------------------------------------------------

    def add_match(self, match: MatchEntry, record: bytes, weak_limits: Sequence[str] = ()) -> bool:
        """Keep a match, and what was not fully held in it, in one transaction; False if it was there already."""
        counted, number = Counted(), match.tournament_id
        try:
            with writing(self._database) as connection:
                # All writers lock in this order, so that no two wait for each other: tournament, match, tallies.
                noted = self._note_weak_limits(connection, number, weak_limits)
                total = self._total_of(connection, number)
                _insert_match(connection, KeptMatch(match, record, match_checksum(match, record)), counted, total)
                counted.write(connection)
            self._weak_limits[number] = noted
        except IntegrityError:
            with self._database.connect() as connection:
                known = connection.execute(select(matches.c.seal).where(_this(match.tournament_id, match.match_id)))
                if known.first() is None:
                    raise
            return False
        return True

    def add_matches(self, tournament_id: int, kept_matches: Iterable[KeptMatch]) -> int:
        """Keep those that are missing, all in one transaction, and say how many these were."""
        counted, added, all_kept = Counted(), 0, list(kept_matches)
        weak = sorted({limit for kept in all_kept for limit in kept.weak_limits})[:_MOST_WEAK_LIMITS]
        own = tournaments.c.id == tournament_id
        with exclusive(self._database) as connection:
            self._note_weak_limits(connection, tournament_id, weak)
            self._totals.pop(tournament_id, None)  # another process may have let it count since
            total = self._total_of(connection, tournament_id)
            finished = connection.execute(select(tournaments.c.finished).where(own)).scalar()
            for kept in all_kept:
                name = kept.entry.match_id
                known = connection.execute(select(matches.c.checksum).where(_this(tournament_id, name))).scalar()
                if known is None and finished:
                    raise UsageError(f"tournament {tournament_id} is finished here, and has no match {name}")
                if known is None:
                    _insert_match(connection, kept, counted, total)
                    added += 1
                elif known != kept.checksum:
                    raise UsageError(f"match {name} of tournament {tournament_id} was played here, and went otherwise")
            counted.write(connection)
        return added

    def _total_of(self, connection: Connection, tournament_id: int) -> int | None:
        """Where the matches of a tournament are counted beside its own tallies, if anywhere."""
        if tournament_id not in self._totals:
            query = select(tournaments.c.settings, tournaments.c.apart).where(tournaments.c.id == tournament_id)
            found = connection.execute(query).first()
            self._totals[tournament_id] = total_of(found.settings, apart=found.apart) if found else ALL
        return self._totals[tournament_id]

    def _note_weak_limits(
        self, connection: Connection, tournament_id: int, weak_limits: Sequence[str]
    ) -> frozenset[str]:
        """Note what is new of this with the tournament; all that is noted then, as far as it is known."""
        known = self._weak_limits.get(tournament_id, frozenset())
        if known.issuperset(weak_limits):
            return known
        own = tournaments.c.id == tournament_id
        # The lock that an update takes: matches refer to the tournament, and go on being inserted meanwhile.
        locked = select(tournaments.c.weak_limits).where(own).with_for_update(key_share=True)
        kept = connection.execute(locked).scalar() or []
        noted = frozenset([*kept, *weak_limits][:_MOST_WEAK_LIMITS])
        connection.execute(update(tournaments).where(own).values(weak_limits=sorted(noted)))
        return noted.union(weak_limits)

    def matches(self, *, tournament_id: int | None = None, game: str | None = None) -> list[MatchEntry]:
        """The matches of a tournament, or of all tournaments of a game, in the order of their schedules."""
        query = _in_order(_light().join(seats, _OF_SEAT)).where(*_chosen(tournament_id, game))
        with self._database.connect() as connection:
            rows = connection.execute(query).all()
        return [_match(list(group)) for _, group in groupby(rows, key=_number)]

    def latest_matches(
        self,
        *,
        before: int | None = None,
        limit: int = 30,
        game: str | None = None,
        tournament_id: int | None = None,
        bot_id: int | None = None,
        against: int | None = None,
    ) -> list[ListedMatch]:
        """A page of matches, the newest first."""
        page = select(matches.c.number).where(*_chosen(tournament_id, game))
        if tournament_id is None:
            apart = select(tournaments.c.id).where(tournaments.c.apart)
            page = page.where(matches.c.tournament_id.not_in(apart))
        number: Column[int] = matches.c.number
        if bot_id is not None:
            number = seats.c.match_number
            page = page.join(seats, _OF_SEAT).where(seats.c.bot_id == bot_id)
        if against is not None:
            other = seats.alias()
            page = page.where(exists().where(other.c.match_number == number, other.c.bot_id == against))
        if before is not None:
            page = page.where(number < before)
        page = page.order_by(number.desc()).limit(limit)
        query = _light().add_columns(matches.c.game, matches.c.created_at).join(seats, _OF_SEAT)
        with self._database.connect() as connection:
            numbers = connection.execute(page).scalars().all()
            query = query.where(matches.c.number.in_(numbers)).order_by(matches.c.number.desc(), seats.c.seat)
            rows = connection.execute(query).all()
        return [_listed(list(group)) for _, group in groupby(rows, key=_number)]

    def find_matches(self, bot_id: int, beginning: str) -> list[MatchEntry]:
        """The matches of a bot whose names begin like this, the oldest first."""
        begins = func.substr(matches.c.match_id, 1, len(beginning)) == beginning
        theirs = select(seats.c.match_number).where(seats.c.bot_id == bot_id)
        query = _light().join(seats, _OF_SEAT).where(matches.c.number.in_(theirs), begins)
        with self._database.connect() as connection:
            rows = connection.execute(query.order_by(matches.c.number, seats.c.seat)).all()
        return [_match(list(group)) for _, group in groupby(rows, key=_number)]

    def latest_number(self) -> int:
        """The running number of the newest match, 0 if there is none."""
        with self._database.connect() as connection:
            return connection.execute(select(func.max(matches.c.number))).scalar() or 0

    def data_version(self) -> str:
        """Changes with every match, bot and tournament that is kept, finished or retired."""
        counts = (
            select(func.max(matches.c.number)),
            select(func.max(bots.c.id)),
            select(func.max(bots.c.ladder_number)),
            select(func.sum(bots.c.id)).where(bots.c.retired),
            select(func.max(tournaments.c.id)),
            select(func.count()).select_from(tournaments).where(tournaments.c.finished),
            select(func.count()).select_from(tournaments).where(tournaments.c.apart),
        )
        with self._database.connect() as connection:
            row = connection.execute(select(*(count.scalar_subquery() for count in counts))).one()
        return ".".join(str(value or 0) for value in row)

    def results(self, scope: Scope) -> Iterator[MatchResult]:
        """The results of these matches in the order of their schedules."""
        if scope.tournament_id is not None:
            yield from self._results(scope.tournament_id)
            return
        with self._database.connect() as connection:
            begun = connection.execute(tournaments_in(scope, tournaments.c.id).order_by("id")).scalars().all()
        for tournament_id in begun:
            yield from self._results(tournament_id, matches.c.ended_at_fault.is_(False))

    def _results(self, tournament_id: int, *conditions: ColumnElement[bool]) -> Iterator[MatchResult]:
        columns = (matches.c.number, matches.c.ordinal, seats.c.bot_id, seats.c.rank)
        query = _in_order(select(*columns).join(seats, _OF_SEAT)).where(*conditions)
        for numbers in self._pages(tournament_id, _PAGE):
            with self._database.connect() as connection:
                rows = connection.execute(query.where(matches.c.number.in_(numbers))).all()
            for (_, ordinal), group in groupby(rows, key=lambda row: (row.number, row.ordinal)):
                rows_of_match = list(group)
                yield MatchResult(
                    ordinal, tuple(row.bot_id for row in rows_of_match), tuple(row.rank for row in rows_of_match)
                )

    def _pages(self, tournament_id: int, size: int, up_to: int | None = None) -> Iterator[list[int]]:
        """The numbers of the matches of a tournament in the order of its schedule, page by page.

        Between two pages nothing is open: a reader that takes its time would otherwise keep SQLite from tidying its
        log up, which then grows with every match, and PostgreSQL from forgetting old rows.
        """
        place = (matches.c.ordinal, matches.c.match_id)
        query = select(matches.c.number, *place).where(matches.c.tournament_id == tournament_id)
        query = (query if up_to is None else query.where(matches.c.number <= up_to)).order_by(*place).limit(size)
        page = query
        while True:
            with self._database.connect() as connection:
                rows = connection.execute(page).all()
            if not rows:
                return
            yield [row.number for row in rows]
            _, ordinal, match_id = rows[-1]
            # The first condition alone lets the index find the page.
            after = or_(matches.c.ordinal > ordinal, matches.c.match_id > match_id)
            page = query.where(matches.c.ordinal >= ordinal, after)

    def tallies(self, scope: Scope) -> list[Tally]:
        """The results of these matches, counted."""
        with self._database.connect() as connection:
            return read_tallies(connection, scope)

    def seat_tallies(self, scope: Scope) -> list[SeatTally]:
        """Times and endings of these matches by bot and seat."""
        with self._database.connect() as connection:
            return read_seat_tallies(connection, scope)

    def weak_limits(self, scope: Scope) -> tuple[str, ...]:
        """What was not fully held in some of these matches."""
        with self._database.connect() as connection:
            noted = connection.execute(tournaments_in(scope, tournaments.c.weak_limits)).scalars().all()
        return tuple(sorted({limit for limits in noted for limit in limits or ()}))

    def match_keys(self, beginning: str) -> list[tuple[int, str]]:
        """The tournaments and full names of at most 100 matches whose names begin like this, the oldest first."""
        query = select(matches.c.tournament_id, matches.c.match_id)
        query = query.where(_begins(self._database.dialect.name, beginning))
        query = query.order_by(matches.c.tournament_id, matches.c.match_id).limit(100)
        with self._database.connect() as connection:
            return [(row.tournament_id, row.match_id) for row in connection.execute(query)]

    def record(self, tournament_id: int, match_id: str) -> bytes:
        """The record of a match."""
        return self.kept_match(tournament_id, match_id).record

    def kept(self, tournament_id: int, *, up_to: int | None = None) -> Iterator[KeptMatch]:
        """All that is kept of each match of a tournament, in the order of its schedule."""
        for numbers in self._pages(tournament_id, _HEAVY_PAGE, up_to):
            yield from self._kept(matches.c.number.in_(numbers))

    def kept_match(self, tournament_id: int, match_id: str) -> KeptMatch:
        """All that is kept of one match."""
        found = self._kept(_this(tournament_id, match_id))
        if not found:
            raise UsageError(f"tournament {tournament_id} has no match {match_id!r}")
        return found[0]

    # -- runs -----------------------------------------------------------------------------------------------

    def report_run(self, run_id: str, tournament_id: int, status: Mapping[str, Any]) -> None:
        """Say that a process plays this tournament, and how far it is."""
        with writing(self._database) as connection:
            write_run(connection, run_id, tournament_id, status)
        with writing(self._database) as connection:
            remove_dead_runs(connection, tournament_id)

    def end_run(self, run_id: str) -> None:
        """Say that a process plays no more."""
        with writing(self._database) as connection:
            remove_run(connection, run_id)

    def runs(self, tournament_id: int | None = None) -> list[RunEntry]:
        """The processes that play at present, or died lately, the oldest first."""
        with self._database.connect() as connection:
            return read_runs(connection, tournament_id)

    # -- all ------------------------------------------------------------------------------------------------

    def inconsistencies(self) -> list[str]:
        """Rows that belong to nothing and tallies that are not a recount's, each in a sentence."""
        with snapshot(self._database) as connection:
            return list(inconsistencies(connection))

    def _kept(self, which: ColumnElement[bool]) -> list[KeptMatch]:
        query = _light().add_columns(matches.c.checksum, records.c.record, outputs.c.log)
        # What somebody took away is missing in what comes out, so that its checksum does not fit.
        query = query.outerjoin(records, records.c.match_number == matches.c.number).outerjoin(seats, _OF_SEAT)
        query = query.outerjoin(
            outputs, and_(outputs.c.match_number == seats.c.match_number, outputs.c.seat == seats.c.seat)
        )
        with self._database.connect() as connection:
            rows = connection.execute(_in_order(query).where(which)).all()
        found = (list(group) for _, group in groupby(rows, key=_number))
        return [KeptMatch(_match(rows), bytes(rows[0].record or b""), rows[0].checksum) for rows in found]


_OF_SEAT = seats.c.match_number == matches.c.number
_LIGHT = (
    "number",
    "tournament_id",
    "match_id",
    "ordinal",
    "group",
    "seed",
    "reason",
    "moves",
    "seal",
    "ended_at_fault",
)


# Made once, because making them takes longer than most of what they do.
_GAME = select(tournaments.c.game).where(tournaments.c.id == bindparam("of")).scalar_subquery()
_ADD_MATCH = insert(matches).values(game=_GAME).returning(matches.c.number, matches.c.game)
_ADD_SEATS, _ADD_RECORD, _ADD_OUTPUTS = insert(seats), insert(records), insert(outputs)


def _light() -> Select[Any]:
    """All of matches and seats but checksums and times; who asks joins the seats."""
    return select(*(matches.c[name] for name in _LIGHT), *(seats.c[name] for name in _SEAT))


def _in_order(query: Select[Any]) -> Select[Any]:
    """Matches in the order of their schedules, a row for each seat."""
    return query.order_by(matches.c.tournament_id, matches.c.ordinal, matches.c.match_id, seats.c.seat)


def _chosen(tournament_id: int | None, game: str | None) -> Iterator[ColumnElement[bool]]:
    if tournament_id is not None:
        yield matches.c.tournament_id == tournament_id
    if game is not None:
        yield matches.c.game == game


def _begins(dialect: str, beginning: str) -> ColumnElement[bool]:
    """Whether the name of a match begins like this, asked so that the index on names answers it."""
    if dialect == "postgresql":
        return matches.c.match_id.startswith(beginning, autoescape=True)
    # SQLite compares bytes, and none come after these.
    return matches.c.match_id.between(beginning, beginning + "\U0010ffff")


def _this(tournament_id: int, match_id: str) -> ColumnElement[bool]:
    return and_(matches.c.tournament_id == tournament_id, matches.c.match_id == match_id)


def _next_on_ladder(connection: Connection) -> int:
    return (connection.execute(select(func.max(bots.c.ladder_number))).scalar() or 0) + 1


def _new_tournament(connection: Connection, game: str, settings: Mapping[str, Any], *, apart: bool) -> int:
    values = {"game": game, "key": settings_key(game, settings), "settings": dict(settings), "finished": False}
    row = insert(tournaments).values(**values, weak_limits=[], apart=apart).returning(tournaments.c.id)
    return int(connection.execute(row).scalar_one())


def _insert_match(connection: Connection, kept: KeptMatch, counted: Counted, total: int | None) -> None:
    """Write a match, and count it for its tournament and for the total of its game, if it is part of one."""
    match = kept.entry
    own = {name: getattr(match, name) for name in MatchEntry.__slots__ if name != "seats"}
    number, game = connection.execute(_ADD_MATCH, {**own, "checksum": kept.checksum, "of": match.tournament_id}).one()
    rows = [{"match_number": number, "seat": seat, **_row(result)} for seat, result in enumerate(match.seats)]
    connection.execute(_ADD_SEATS, rows)
    connection.execute(_ADD_RECORD, {"match_number": number, "record": kept.record})
    said = [
        {"match_number": number, "seat": seat, "log": result.log}
        for seat, result in enumerate(match.seats)
        if result.log
    ]
    if said:
        connection.execute(_ADD_OUTPUTS, said)
    counted.add(match.tournament_id, game, match)
    if total is not None:
        counted.add(total, game, match)


def _number(row: Row[Any]) -> int:
    return int(row.number)


def _bot(row: Row[Any]) -> BotEntry:
    return BotEntry(
        row.id, row.name, row.version, row.owner, row.digest, row.origin, tuple(row.games), bool(row.retired),
        universal(row.created_at), row.checksum, row.ladder_number,
    )  # fmt: skip


def _tournament(row: Row[Any]) -> TournamentEntry:
    weak_limits = None if row.weak_limits is None else tuple(row.weak_limits)
    return TournamentEntry(
        row.id, row.game, row.settings, row.finished, row.key, row.checksum, weak_limits, bool(row.apart)
    )


def _row(result: SeatResult) -> dict[str, Any]:
    return {name: getattr(result, name) for name in _SEAT if name != "seat"}


def _listed(rows: list[Row[Any]]) -> ListedMatch:
    first = rows[0]
    return ListedMatch(first.number, first.game, universal(first.created_at), _match(rows))


def _match(rows: list[Row[Any]]) -> MatchEntry:
    """The match of these rows; one that lost its seats has none."""
    first = rows[0]
    results = tuple(
        SeatResult(
            row.bot_id, row.rank, row.score, row.ending, row.sentence, row.wall_us, row.cpu_us,
            getattr(row, "log", "") or "",
        )
        for row in rows
        if row.seat is not None
    )  # fmt: skip
    return MatchEntry(
        first.tournament_id, first.match_id, first.ordinal, first.group, first.seed, first.reason, first.moves,
        first.seal, results, bool(first.ended_at_fault),
    )  # fmt: skip
