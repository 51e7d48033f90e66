"""The tables that the web process may write: people, sessions, submissions, requests, audit; never a result."""

from datetime import datetime
from pathlib import Path

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    func,
)

from arena.store.database import Form
from arena.store.schema import NAMES

PEOPLE = Form(Path(__file__).parent / "migrations", "contest_version")
"""In SQLite a file of its own beside the results; in PostgreSQL tables beside theirs, for a role of its own."""

metadata = MetaData(naming_convention=NAMES)


def _moment(name: str) -> Column[datetime]:
    return Column(name, DateTime(timezone=True), nullable=False, server_default=func.now())


teams = Table(
    "teams",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(40), nullable=False, unique=True),
    Column("display", String(80), nullable=False),
    _moment("created_at"),
)
"""A person alone is a team of one. Results name a team by its id, so that it can be renamed or erased."""

people = Table(
    "people",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(40), nullable=False, unique=True),
    Column("display", String(80), nullable=False),
    Column("team_id", ForeignKey("teams.id"), nullable=False, index=True),
    Column("role", String(20), nullable=False),
    Column("disabled", Boolean, nullable=False, server_default=false()),
    Column("token_hash", String(64), unique=True),
    _moment("created_at"),
)

invitations = Table(
    "invitations",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("code_hash", String(64), nullable=False, unique=True),
    Column("ends_at", DateTime(timezone=True), nullable=False),
    Column("places", Integer, nullable=False),
    Column("taken", Integer, nullable=False, server_default="0"),
    _moment("created_at"),
)
"""Codes with which strangers make an account of their own, until an end and up to a number of places."""

sessions = Table(
    "sessions",
    metadata,
    Column("id_hash", String(64), primary_key=True),
    Column("person_id", ForeignKey("people.id"), nullable=False, index=True),
    Column("form_token", String(64), nullable=False),
    Column("ends_at", DateTime(timezone=True), nullable=False),
    _moment("created_at"),
)

bot_names = Table(
    "bot_names",
    metadata,
    Column("name", String(40), primary_key=True),
    Column("team_id", ForeignKey("teams.id"), nullable=False, index=True),
    _moment("created_at"),
)
"""The first team to hand in a bot of a name owns the name."""

submissions = Table(
    "submissions",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("team_id", ForeignKey("teams.id"), nullable=False),
    Column("person_id", ForeignKey("people.id"), nullable=False),
    Column("key", String(80), nullable=False),
    Column("file_name", String(120), nullable=False),
    Column("digest", String(64), nullable=False, server_default=""),
    Column("bytes", BigInteger, nullable=False, server_default="0"),
    Column("wanted", JSON, nullable=False),
    Column("state", String(20), nullable=False),
    Column("attempt", Integer, nullable=False, server_default="0"),
    Column("epoch", Integer, nullable=False, server_default="0"),
    Column("reason", Text, nullable=False, server_default=""),
    Column("output", Text, nullable=False, server_default=""),
    Column("bot_id", Integer),
    _moment("created_at"),
    _moment("changed_at"),
    UniqueConstraint("person_id", "key"),
    Index("ix_submissions_state_id", "state", "id"),
    Index("ix_submissions_team_id_id", "team_id", "id"),
)
"""`epoch` is that of the runner that works at it: one that lost its lease cannot write here any more."""

submission_events = Table(
    "submission_events",
    metadata,
    Column("submission_id", ForeignKey("submissions.id"), primary_key=True, autoincrement=False),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("state", String(20), nullable=False),
    Column("text", Text, nullable=False),
    _moment("created_at"),
)

requests = Table(
    "requests",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", ForeignKey("people.id"), nullable=False),
    Column("kind", String(20), nullable=False),
    Column("arguments", JSON, nullable=False),
    Column("answer", Text),
    _moment("created_at"),
    Index("ix_requests_answer_id", "answer", "id"),
)
"""What the web process asks of the runner, which alone may change results; without an answer it is open."""

switches = Table(
    "switches",
    metadata,
    Column("name", String(20), primary_key=True),
    Column("on", Boolean, nullable=False),
)
"""What organisers turn on and off while the contest runs, such as `paused`."""

runners = Table(
    "runners",
    metadata,
    Column("epoch", Integer, primary_key=True, autoincrement=False),
    Column("place", String(80), nullable=False),
    Column("state", String(20), nullable=False),
    _moment("begun_at"),
    _moment("beat_at"),
)
"""The runner with the highest epoch, when it was last heard, and what it did; all others are shut out."""

audit = Table(
    "audit",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("person_id", ForeignKey("people.id")),
    Column("address", String(60), nullable=False),
    Column("action", String(40), nullable=False),
    Column("thing", String(200), nullable=False),
    _moment("created_at"),
)
"""Who did what, never with a secret."""
