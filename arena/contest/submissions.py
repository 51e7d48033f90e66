"""What teams hand in, from the upload to a version on the ladder: a queue of rows that outlives every process.

The web process adds rows, cancels those that wait and puts failed ones back; a runner works them off. A runner
writes only to rows that bear the epoch of its lease, so that one that slept and lost its lease changes nothing.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Row, and_, func, insert, select, update

from arena.contest.people import Person, Team
from arena.contest.schema import submission_events, submissions
from arena.errors import InfraError, UsageError
from arena.store.database import exclusive, writing
from arena.store.schema import as_utc

RECEIVED, QUEUED = "received", "queued"
UNPACKING, BUILDING, CHECKING = "unpacking", "building", "checking"
REGISTERED, REFUSED, FAILED, CANCELLED = "registered", "refused", "failed", "cancelled"
WAITING = (RECEIVED, QUEUED)
WORKING = (UNPACKING, BUILDING, CHECKING)
DECIDED = (REGISTERED, REFUSED, FAILED, CANCELLED)

MAX_ATTEMPTS = 3
"""A failure of ours is tried again at most twice."""
MAX_TEXT = 64 << 10
"""Characters of a reason, of a bot's output, or of one event."""
BROKEN_OFF = timedelta(hours=1)
"""After this time an upload that never ended is given up."""


class LeaseLost(InfraError):
    """Another runner has taken the submission over."""


@dataclass(frozen=True, slots=True)
class Wish:
    """Under which name, version and games a bot shall be registered; empty leaves it to its bot.toml."""

    name: str = ""
    version: str = ""
    games: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        """As plain data for its row."""
        return {"name": self.name, "version": self.version, "games": list(self.games)}

    @classmethod
    def from_json(cls, plain: Mapping[str, Any]) -> "Wish":
        """From the data of its row."""
        return cls(plain["name"], plain["version"], tuple(plain["games"]))


@dataclass(frozen=True, slots=True)
class Submission:
    """One upload of a team, and how far it has come."""

    id: int
    team_id: int
    person_id: int
    file_name: str
    digest: str
    """Of the uploaded file, by which it is found; empty until all of it is there."""
    bytes: int
    wish: Wish
    state: str
    attempt: int
    reason: str
    """Why it was refused or failed, in a sentence."""
    output: str
    """What the bot printed last, for its team only."""
    bot_id: int | None
    created: datetime
    changed: datetime

    @property
    def is_decided(self) -> bool:
        """Whether nothing more happens to it."""
        return self.state in DECIDED


@dataclass(frozen=True, slots=True)
class Step:
    """One line of the story of a submission."""

    number: int
    state: str
    text: str
    at: datetime


@dataclass(frozen=True, slots=True)
class Quota:
    """How much a team may hand in."""

    per_day: int
    """Submissions within 24 hours; those that failed through us do not count."""
    waiting: int
    """Submissions that wait or are being worked at."""
    disk_bytes: int
    """Sum of the sizes of what was uploaded and kept."""


@dataclass(frozen=True, slots=True)
class Usage:
    """How much of its quota a team has used; the fields are those of a quota."""

    per_day: int
    waiting: int
    disk_bytes: int


class Submissions:
    """The queue of a contest."""

    def __init__(self, database: Engine) -> None:
        self._database = database

    # -- by the web process ---------------------------------------------------------------------------------

    def add(self, person: Person, key: str, file_name: str, wish: Wish, quota: Quota) -> tuple[Submission, bool]:
        """Enter an upload that begins now; whether it is new. The same key of the same person is the same upload.

        UsageError if the team has handed in as much as it may.
        """
        with exclusive(self._database) as connection:
            same = and_(submissions.c.person_id == person.id, submissions.c.key == key)
            if (known := connection.execute(select(submissions).where(same)).first()) is not None:
                return _submission(known), False
            _check_quota(connection, person.team, quota)
            values = {"team_id": person.team.id, "person_id": person.id, "key": key, "file_name": file_name[:120]}
            made = insert(submissions).values(**values, wanted=wish.to_json(), state=RECEIVED).returning(submissions)
            row = connection.execute(made).one()
            _tell(connection, row.id, RECEIVED, f"{file_name[:120]} is being received")
            return _submission(row), True

    def queue(self, submission_id: int, digest: str, size: int) -> Submission:
        """All of an upload is there: it waits for a runner."""
        with writing(self._database) as connection:
            known = {"digest": digest, "bytes": size}
            _move(connection, submission_id, (RECEIVED,), QUEUED, "received, and waits to be checked", known)
        return self.find(submission_id)

    def break_off(self, submission_id: int, reason: str) -> None:
        """An upload did not end, or is one that cannot be taken."""
        with writing(self._database) as connection:
            _move(connection, submission_id, (RECEIVED,), REFUSED, reason, {"reason": reason})

    def cancel(self, submission_id: int) -> None:
        """Take back what nobody has begun to check; UsageError if somebody has."""
        with writing(self._database) as connection:
            _move(connection, submission_id, WAITING, CANCELLED, "cancelled")

    def requeue(self, submission_id: int) -> None:
        """Put back what failed through us, with all its attempts."""
        with writing(self._database) as connection:
            again = {"attempt": 0, "epoch": 0, "reason": "", "output": ""}
            _move(connection, submission_id, (FAILED,), QUEUED, "put back by an organiser", again)

    # -- by a runner ----------------------------------------------------------------------------------------

    def claim(self, epoch: int) -> Submission | None:
        """The next to be checked: of teams of which nothing is in work the one that has waited longest."""
        with exclusive(self._database) as connection:
            busy = select(submissions.c.team_id).where(submissions.c.state.in_(WORKING))
            waiting = select(submissions.c.id).where(submissions.c.state == QUEUED, submissions.c.team_id.not_in(busy))
            found = connection.execute(waiting.order_by(submissions.c.id).limit(1)).scalar()
            if found is None:
                return None
            taken = {"epoch": epoch, "attempt": submissions.c.attempt + 1}
            _move(connection, found, (QUEUED,), UNPACKING, "being read", taken)
            return _submission(connection.execute(select(submissions).where(submissions.c.id == found)).one())

    def step(self, submission_id: int, epoch: int, state: str, text: str) -> None:
        """Say what is done now; LeaseLost if this runner does not work at it any more."""
        with writing(self._database) as connection:
            _move(connection, submission_id, WORKING, state, text, of=epoch)

    def decide(
        self, submission_id: int, epoch: int, state: str, reason: str, *, output: str = "", bot_id: int | None = None
    ) -> None:
        """Say how it ended; LeaseLost if this runner does not work at it any more."""
        with writing(self._database) as connection:
            known = {"reason": reason[:MAX_TEXT], "output": output[-MAX_TEXT:], "bot_id": bot_id}
            _move(connection, submission_id, WORKING, state, reason, known, of=epoch)

    def give_back(self, submission_id: int, epoch: int, reason: str) -> None:
        """Our own failure: it waits again, and after the last attempt it has failed; it is never refused for this."""
        with writing(self._database) as connection:
            _give_back(connection, submissions.c.id == submission_id, reason, epoch)

    def recover(self, epoch: int) -> None:
        """Give back what another runner had in work when it ended, and give up uploads that never ended."""
        with writing(self._database) as connection:
            left = and_(submissions.c.state.in_(WORKING), submissions.c.epoch != epoch)
            for found in connection.execute(select(submissions.c.id).where(left)).scalars().all():
                _give_back(connection, submissions.c.id == found, "the process that checked it has ended", None)
            now = as_utc(connection.execute(select(func.now())).scalar_one())
            old = and_(submissions.c.state == RECEIVED, submissions.c.changed_at < now - BROKEN_OFF)
            for found in connection.execute(select(submissions.c.id).where(old)).scalars().all():
                reason = "the upload was broken off"
                _move(connection, found, (RECEIVED,), REFUSED, reason, {"reason": reason})

    # -- by an organiser ------------------------------------------------------------------------------------

    def forget(self, team_id: int) -> list[str]:
        """Take back all that a team handed in, and what its words say; the digests that nobody else has handed in.

        Whatever waits is cancelled, and what is in work comes to nothing. Which bots it became stays.
        """
        own, open_ = submissions.c.team_id == team_id, submissions.c.state.in_(WAITING + WORKING)
        with exclusive(self._database) as connection:
            others = select(submissions.c.digest).where(submissions.c.team_id != team_id)
            alone = select(submissions.c.digest).where(
                own, submissions.c.digest != "", submissions.c.digest.not_in(others)
            )
            digests = sorted(set(connection.execute(alone).scalars()))
            told = submission_events.c.submission_id.in_(select(submissions.c.id).where(own))
            connection.execute(update(submission_events).where(told).values(text=""))
            connection.execute(update(submissions).where(own, open_).values(state=CANCELLED, epoch=0))
            gone = {"file_name": "", "digest": "", "bytes": 0, "reason": "", "output": "", "wanted": Wish().to_json()}
            connection.execute(update(submissions).where(own).values(**gone, changed_at=func.now()))
            return digests

    # -- by everybody ---------------------------------------------------------------------------------------

    def find(self, submission_id: int) -> Submission:
        """The submission of this number; UsageError if there is none."""
        with self._database.connect() as connection:
            row = connection.execute(select(submissions).where(submissions.c.id == submission_id)).first()
        if row is None:
            raise UsageError(f"there is no submission {submission_id}")
        return _submission(row)

    def newest(self, *, team_id: int | None = None, before: int | None = None, limit: int = 50) -> list[Submission]:
        """The latest ones, of one team or of all; `before` is the lowest id of the page before."""
        query = select(submissions).order_by(submissions.c.id.desc()).limit(limit)
        if team_id is not None:
            query = query.where(submissions.c.team_id == team_id)
        if before is not None:
            query = query.where(submissions.c.id < before)
        with self._database.connect() as connection:
            return [_submission(row) for row in connection.execute(query)]

    def open(self) -> list[Submission]:
        """Those that wait or are in work, the oldest first."""
        query = select(submissions).where(submissions.c.state.in_(WAITING + WORKING)).order_by(submissions.c.id)
        with self._database.connect() as connection:
            return [_submission(row) for row in connection.execute(query)]

    def digests(self) -> list[str]:
        """Of all uploads that are kept."""
        query = select(submissions.c.digest).where(submissions.c.digest != "").distinct()
        with self._database.connect() as connection:
            return sorted(connection.execute(query).scalars())

    def ahead(self, submission: Submission) -> int:
        """How many are checked before this one at least."""
        earlier = and_(submissions.c.state.in_((QUEUED, *WORKING)), submissions.c.id < submission.id)
        with self._database.connect() as connection:
            return int(connection.execute(select(func.count()).where(earlier)).scalar_one())

    def usage(self, team: Team) -> Usage:
        """How much this team has handed in."""
        with self._database.connect() as connection:
            return _usage(connection, team)

    def steps(self, submission_id: int, after: int = 0, limit: int = 200) -> list[Step]:
        """Its story, from the step after this number on."""
        found = and_(submission_events.c.submission_id == submission_id, submission_events.c.number > after)
        query = select(submission_events).where(found).order_by(submission_events.c.number).limit(limit)
        with self._database.connect() as connection:
            return [Step(row.number, row.state, row.text, as_utc(row.created_at)) for row in connection.execute(query)]


def _check_quota(connection: Connection, team: Team, quota: Quota) -> None:
    used = _usage(connection, team)
    if used.waiting >= quota.waiting:
        raise UsageError(f"{quota.waiting} submissions of your team wait already: wait until one is checked")
    if used.per_day >= quota.per_day:
        raise UsageError(f"your team has handed in {quota.per_day} times within 24 hours: try again later")
    if used.disk_bytes >= quota.disk_bytes:
        raise UsageError(f"your team's submissions fill the {quota.disk_bytes >> 20} MiB that it has: ask an organiser")


def _usage(connection: Connection, team: Team) -> Usage:
    own = submissions.c.team_id == team.id
    now = as_utc(connection.execute(select(func.now())).scalar_one())

    def count(*which: ColumnElement[bool]) -> int:
        return int(connection.execute(select(func.count()).where(own, *which)).scalar_one())

    fair = submissions.c.state.not_in((FAILED, CANCELLED))
    kept = select(func.coalesce(func.sum(submissions.c.bytes), 0)).where(own, fair, submissions.c.state != REFUSED)
    return Usage(
        count(submissions.c.created_at > now - timedelta(days=1), fair),
        count(submissions.c.state.in_(WAITING + WORKING)),
        int(connection.execute(kept).scalar_one()),
    )


def _move(
    connection: Connection,
    submission_id: int,
    since: Sequence[str],
    state: str,
    text: str,
    values: Mapping[str, Any] | None = None,
    *,
    of: int | None = None,
) -> None:
    """Bring it from one of these states to another, and tell so; of the runner with this epoch, if one is named."""
    which = and_(submissions.c.id == submission_id, submissions.c.state.in_(since))
    which = which if of is None else and_(which, submissions.c.epoch == of)
    changed = update(submissions).where(which).values(state=state, changed_at=func.now(), **(values or {}))
    if not connection.execute(changed).rowcount:
        if of is not None:
            raise LeaseLost(f"submission {submission_id} is in the hands of another runner")
        raise UsageError(f"submission {submission_id} is not {' or '.join(since)} any more")
    _tell(connection, submission_id, state, text)


def _give_back(connection: Connection, which: ColumnElement[bool], reason: str, epoch: int | None) -> None:
    row = connection.execute(select(submissions).where(which)).one()
    if row.attempt >= MAX_ATTEMPTS:
        told = f"failed {MAX_ATTEMPTS} times, through no fault of the bot: {reason}"
        _move(connection, row.id, WORKING, FAILED, told, {"reason": told[:MAX_TEXT]}, of=epoch)
    else:
        _move(connection, row.id, WORKING, QUEUED, f"waits again, through no fault of the bot: {reason}", of=epoch)


def _tell(connection: Connection, submission_id: int, state: str, text: str) -> None:
    numbers = select(func.coalesce(func.max(submission_events.c.number), 0) + 1)
    number = connection.execute(numbers.where(submission_events.c.submission_id == submission_id)).scalar_one()
    values = {"submission_id": submission_id, "number": number, "state": state, "text": text[:MAX_TEXT]}
    connection.execute(insert(submission_events).values(values))


def _submission(row: Row[Any]) -> Submission:
    return Submission(
        row.id, row.team_id, row.person_id, row.file_name, row.digest, row.bytes, Wish.from_json(row.wanted), row.state,
        row.attempt, row.reason, row.output, row.bot_id, as_utc(row.created_at), as_utc(row.changed_at),
    )  # fmt: skip
