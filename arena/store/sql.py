"""The store on SQLite (a file) or PostgreSQL (a URL)."""

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from copy import copy
from itertools import groupby
from pathlib import Path
from types import MappingProxyType
from typing import Any, Self

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
from arena.store import leases
from arena.store.base import (
    KeptMatch,
    ListedMatch,
    MatchEntry,
    MatchResult,
    Output,
    Outputs,
    RunEntry,
    RunningMatch,
    SeatResult,
    SeatTally,
    Tally,
)
from arena.store.bot_files import Origins, folder_beside
from arena.store.bots import Bots
from arena.store.checksums import match_checksum
from arena.store.database import exclusive, fenced, open_database, snapshot, writing
from arena.store.files import Files
from arena.store.inconsistencies import inconsistencies
from arena.store.leases import Fence, Holder, LeaseEntry
from arena.store.running import RunningMatches
from arena.store.runs import read_runs, remove_dead_runs, remove_run, tournaments_in_play, write_run
from arena.store.schema import ALL, TESTS, as_utc, bots, matches, outputs, records, seat_tallies, seats, tournaments
from arena.store.scope import Scope
from arena.store.tallies import (
    Counted,
    read_seat_tallies,
    read_tallies,
    total_of,
    tournaments_in,
)
from arena.store.tournaments import Tournaments

_SEAT = ("seat", "bot_id", "rank", "score", "ending", "sentence", "wall_us", "cpu_us")
NO_OUTPUTS: Outputs = MappingProxyType({})
"""Of a match whose bots printed nothing."""
_PAGE, _HEAVY_PAGE = 2_000, 100
"""How many matches are read at a time, and how many where all that is kept of them is read."""
_MOST_WEAK_LIMITS = 20
"""So many different notes on weak limits are kept with a tournament."""


class Store(Bots, Files, Tournaments):
    """Keeps everything in one database: a match whole or not at all, and never twice.

    Several processes may use it at the same time. It may have a million matches and more: so tables are made of
    tallies, which are written in the transaction of each match, and lists are read in pages, every one of which begins
    below the lowest number of the one before it.
    """

    def __init__(
        self, where: str | Path, *, read_only: bool = False, bots_folder: Path | None = None,
        earlier_bots_folder: Path | None = None,
    ) -> None:  # fmt: skip
        self.bots_folder = bots_folder or folder_beside(where)
        """From where the files of its bots are run on this machine; None if it is used without them."""
        self.earlier_bots_folder = earlier_bots_folder
        """Where an earlier Arena kept the files of a store in PostgreSQL; they are used unless they are in it."""
        self._origins = Origins(self.bots_folder)
        self._database = open_database(where, read_only=read_only)
        self._running = RunningMatches(self._database, read_only=read_only)
        self._totals: dict[int, int | None] = {}
        """For every tournament with new matches, where these are counted beside its own tallies."""
        self._weak_limits: dict[int, frozenset[str]] = {}
        """What is known to be noted with a tournament."""
        self._fence: Fence | None = None

    def close(self) -> None:
        self._running.close()
        self._database.dispose()

    # -- running matches ----------------------------------------------------------------------------------

    def show_running(self, tournament_id: int, changed: Sequence[RunningMatch], ended: Collection[str]) -> None:
        """Let others see these matches of a tournament, and no longer those that have ended."""
        self._look_at_fence()
        self._running.write(tournament_id, changed, ended)

    def clear_running(self, tournament_id: int) -> None:
        """Let nobody see a running match of this tournament any more."""
        self._look_at_fence()
        self._running.clear(tournament_id)

    def running_matches(self) -> list[RunningMatch]:
        """What is being played by processes that are alive; see `report_run`."""
        with self._database.connect() as connection:
            in_play = tournaments_in_play(connection)
        return self._running.read(in_play) if in_play else []

    # -- matches ------------------------------------------------------------------------------------------

    def add_match(
        self, match: MatchEntry, record: bytes, weak_limits: Sequence[str] = (), outputs: Outputs = NO_OUTPUTS
    ) -> bool:
        """Keep a match, what was not fully enforced in it and what its bots printed; False if it was there already."""
        counted, number = Counted(), match.tournament_id
        try:
            with writing(self._database) as connection:
                # All writers lock in this order, so that no two wait for each other: tournament, match, tallies.
                noted = self._note_weak_limits(connection, number, weak_limits)
                total = self._total_of(connection, number)
                kept = KeptMatch(match, record, match_checksum(match, record), outputs)
                _insert_match(connection, kept, counted, total)
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
        """Keep those that are missing, all in one transaction, and say how many these were.

        UsageError if one of them is kept already, but otherwise.
        """
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
                    raise UsageError(
                        f"match {name} of tournament {tournament_id} is already here with a different result"
                    )
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
        """The matches of a tournament, or of all tournaments of a game, in the order of their schedules.

        All of them as objects: for small stores and tests. Tables are made of tallies, lists of pages.
        """
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
        """A page of matches, the newest first: of all, or of a game, a tournament, a bot, or of these together.

        `against` names a second bot that played in them. A tournament that is apart is on pages of its own only.

        The next page is the one before the number of its last match. The time does not depend on how many there are.
        """
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
        """The running number of the newest match, 0 if there is none: nothing was played while it stays the same."""
        with self._database.connect() as connection:
            return connection.execute(select(func.max(matches.c.number))).scalar() or 0

    def data_version(self) -> str:
        """Changes with every match, bot and tournament that is kept, finished, retired, or runs or stops."""
        # Matches are counted, because PostgreSQL may keep one with a lower number after one with a higher.
        apart = select(tournaments.c.id).where(tournaments.c.apart)
        counted = or_(seat_tallies.c.tournament_id.in_((ALL, TESTS)), seat_tallies.c.tournament_id.in_(apart))
        counts = (
            select(func.sum(seat_tallies.c.matches)).where(seat_tallies.c.seat == 0, counted),
            select(func.max(bots.c.id)),
            select(func.max(bots.c.ladder_number)),
            select(func.sum(bots.c.id)).where(bots.c.retired),
            select(func.max(tournaments.c.id)),
            select(func.count()).select_from(tournaments).where(tournaments.c.finished),
            select(func.count()).select_from(tournaments).where(tournaments.c.apart),
        )
        with self._database.connect() as connection:
            row = connection.execute(select(*(count.scalar_subquery() for count in counts))).one()
            playing = sorted(tournaments_in_play(connection))
        return ".".join(str(value or 0) for value in (*row, *playing))

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
        """What was not fully enforced in some of these matches."""
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
        """The record of a match; UsageError if there is none."""
        return self.kept_match(tournament_id, match_id).record

    def kept(self, tournament_id: int, *, up_to: int | None = None) -> Iterator[KeptMatch]:
        """All that is kept of each match of a tournament, in the order of its schedule; piece by piece.

        With the latest number (see `latest_number`) no match is among them that was kept later.
        """
        for numbers in self._pages(tournament_id, _HEAVY_PAGE, up_to):
            yield from self._kept(matches.c.number.in_(numbers))

    def kept_match(self, tournament_id: int, match_id: str) -> KeptMatch:
        """All that is kept of one match; UsageError if there is none."""
        found = self._kept(_this(tournament_id, match_id))
        if not found:
            raise UsageError(f"tournament {tournament_id} has no match {match_id!r}")
        return found[0]

    # -- runs -----------------------------------------------------------------------------------------------

    def report_run(self, run_id: str, tournament_id: int, status: Mapping[str, Any]) -> None:
        """Say that a process plays this tournament, and how far it is; to be repeated every few seconds."""
        with writing(self._database) as connection:
            write_run(connection, run_id, tournament_id, status)
        with writing(self._database) as connection:
            remove_dead_runs(connection, tournament_id)

    def end_run(self, run_id: str) -> None:
        with writing(self._database) as connection:
            remove_run(connection, run_id)

    def runs(self, tournament_id: int | None = None) -> list[RunEntry]:
        """The processes that play at present, or died lately, the oldest first; of one tournament, if it is named."""
        with self._database.connect() as connection:
            return read_runs(connection, tournament_id)

    # -- leases ---------------------------------------------------------------------------------------------

    def take_lease(self, name: str, holder: Holder, is_gone: Callable[[LeaseEntry], bool]) -> Fence:
        """Give a lease to a process, if nobody has it or whoever has it is gone; LeaseHeld if that is not so."""
        with writing(self._database) as connection:
            return leases.take(connection, name, holder, is_gone)

    def renew_lease(self, fence: Fence) -> None:
        """Say that the holder of a lease lives; LeaseLost if another one has it."""
        with writing(self._database) as connection:
            leases.renew(connection, fence)

    def release_lease(self, fence: Fence) -> None:
        """Give a lease back, if it was not lost."""
        with writing(self._database) as connection:
            leases.release(connection, fence)

    def fenced(self, fence: Fence) -> Self:
        """The same store, to which nothing is written any more once this lease is another one's: LeaseLost then."""
        store = copy(self)
        store._fence, store._database = fence, fenced(self._database, fence)
        return store

    def _look_at_fence(self) -> None:
        # What is shown may be in another file: no transaction can be about both, and nothing is lost if it is wrong.
        if self._fence is not None:
            with self._database.connect() as connection:
                leases.look(connection, self._fence)

    # -- all ------------------------------------------------------------------------------------------------

    def inconsistencies(self) -> list[str]:
        """Rows that belong to nothing and tallies that are not a recount's, each in a sentence.

        There are none unless somebody changed the tables.
        """
        with snapshot(self._database) as connection:
            return list(inconsistencies(connection))

    def _kept(self, which: ColumnElement[bool]) -> list[KeptMatch]:
        query = _light().add_columns(matches.c.checksum, records.c.record, outputs.c.log, outputs.c.by_move)
        # What somebody took away is missing in what comes out, so that its checksum does not fit.
        query = query.outerjoin(records, records.c.match_number == matches.c.number).outerjoin(seats, _OF_SEAT)
        query = query.outerjoin(
            outputs, and_(outputs.c.match_number == seats.c.match_number, outputs.c.seat == seats.c.seat)
        )
        with self._database.connect() as connection:
            rows = connection.execute(_in_order(query).where(which)).all()
        found = (list(group) for _, group in groupby(rows, key=_number))
        return [
            KeptMatch(_match(rows), bytes(rows[0].record or b""), rows[0].checksum, _outputs(rows)) for rows in found
        ]


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


def _insert_match(connection: Connection, kept: KeptMatch, counted: Counted, total: int | None) -> None:
    """Write a match, and count it for its tournament and for the total of its game, if it is part of one."""
    match = kept.entry
    own = {name: getattr(match, name) for name in MatchEntry.__slots__ if name != "seats"}
    number, game = connection.execute(_ADD_MATCH, {**own, "checksum": kept.checksum, "of": match.tournament_id}).one()
    rows = [{"match_number": number, "seat": seat, **_row(result)} for seat, result in enumerate(match.seats)]
    connection.execute(_ADD_SEATS, rows)
    connection.execute(_ADD_RECORD, {"match_number": number, "record": kept.record})
    said = [
        {"match_number": number, "seat": seat, "log": output.end, "by_move": dict(output.by_move)}
        for seat, output in kept.outputs.items()
    ]
    if said:
        connection.execute(_ADD_OUTPUTS, said)
    counted.add(match.tournament_id, game, match)
    if total is not None:
        counted.add(total, game, match)


def _number(row: Row[Any]) -> int:
    return int(row.number)


def _row(result: SeatResult) -> dict[str, Any]:
    return {name: getattr(result, name) for name in _SEAT if name != "seat"}


def _listed(rows: list[Row[Any]]) -> ListedMatch:
    first = rows[0]
    return ListedMatch(first.number, first.game, as_utc(first.created_at), _match(rows))


def _outputs(rows: list[Row[Any]]) -> Outputs:
    return {
        row.seat: Output(
            row.log, {int(number): text for number, text in (row.by_move or {}).items() if number.isdecimal()}
        )
        for row in rows
        if row.log is not None
    }


def _match(rows: list[Row[Any]]) -> MatchEntry:
    """The match of these rows; one that lost its seats has none."""
    first = rows[0]
    results = tuple(
        SeatResult(row.bot_id, row.rank, row.score, row.ending, row.sentence, row.wall_us, row.cpu_us)
        for row in rows
        if row.seat is not None
    )
    return MatchEntry(
        first.tournament_id, first.match_id, first.ordinal, first.group, first.seed, first.reason, first.moves,
        first.seal, results, bool(first.ended_at_fault),
    )  # fmt: skip
