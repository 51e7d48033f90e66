"""The tables, the same for SQLite and PostgreSQL; migrations/versions makes them."""

from datetime import UTC, datetime

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    false,
    func,
)

# Constraints have names of their own, so that a migration can change them on every database.
NAMES = {
    "pk": "pk_%(table_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ix": "ix_%(table_name)s_%(column_0_name)s",
}
metadata = MetaData(naming_convention=NAMES)
"""All that is kept, and can be verified."""
transient = MetaData(naming_convention=NAMES)
"""What is true only at present; nothing that is kept refers to it."""
by_digest = MetaData(naming_convention=NAMES)
"""The files of bots: their digest, which the bot's row has, proves them whenever they are read."""


def _now(name: str) -> Column[datetime]:
    return Column(name, DateTime(timezone=True), nullable=False, server_default=func.now())


def _created() -> Column[datetime]:
    return _now("created_at")


def as_utc(moment: datetime) -> datetime:
    """SQLite forgets the time zone, which is always this one there; PostgreSQL answers in the one of its server."""
    return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)


def _checksum() -> Column[str]:
    return Column("checksum", String(64), nullable=False, server_default="")


bots = Table(
    "bots",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", String(40), nullable=False),
    Column("version", String(40), nullable=False),
    Column("owner", String(40), nullable=False),
    Column("digest", String(80), nullable=False),
    Column("origin", Text, nullable=False),
    Column("games", JSON, nullable=False),
    Column("retired", Boolean, nullable=False, default=False),
    Column("ladder_number", Integer, nullable=False, server_default="0"),
    _checksum(),
    _created(),
    UniqueConstraint("name", "version"),
)

tournaments = Table(
    "tournaments",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("game", String(40), nullable=False, index=True),
    Column("key", String(64), nullable=False, index=True),
    Column("settings", JSON, nullable=False),
    Column("finished", Boolean, nullable=False, default=False),
    Column("weak_limits", JSON),
    Column("apart", Boolean, nullable=False, server_default=false()),
    Column("changes", JSON),
    _checksum(),
    _created(),
)
"""One that is apart was imported, and counts for no table but its own; `Change` in base.py says what changes are."""

_MatchNumber = BigInteger().with_variant(Integer, "sqlite")
"""SQLite counts up a primary key of exactly this type."""

matches = Table(
    "matches",
    metadata,
    Column("number", _MatchNumber, primary_key=True),
    Column("tournament_id", ForeignKey("tournaments.id"), nullable=False),
    Column("match_id", String(32), nullable=False),
    Column("game", String(40), nullable=False),
    Column("ordinal", Integer, nullable=False),
    Column("group", String(200), nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("reason", Text, nullable=False),
    Column("moves", Integer, nullable=False),
    Column("seal", String(64), nullable=False),
    Column("ended_at_fault", Boolean, nullable=False, server_default=false()),
    _checksum(),
    _created(),
    UniqueConstraint("tournament_id", "match_id"),
    Index("ix_matches_tournament_id_ordinal", "tournament_id", "ordinal"),
    Index("ix_matches_tournament_id_number", "tournament_id", "number"),
    Index("ix_matches_game_number", "game", "number"),
    # In PostgreSQL its migration makes it of the kind that finds beginnings, whatever the language of the database is.
    # Said here, that would load all that SQLAlchemy knows of PostgreSQL with every start.
    Index("ix_matches_match_id", "match_id"),
)
"""The game is that of the tournament, once more, so that the latest matches of a game are found at once."""

seats = Table(
    "seats",
    metadata,
    Column("match_number", ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("bot_id", ForeignKey("bots.id"), nullable=False),
    Column("rank", Integer, nullable=False),
    Column("score", Float, nullable=False),
    Column("ending", String(20), nullable=False),
    Column("sentence", Text, nullable=False),
    Column("wall_us", BigInteger, nullable=False),
    Column("cpu_us", BigInteger, nullable=False),
    Index("ix_seats_bot_id_match_number", "bot_id", "match_number"),
)

records = Table(
    "records",
    metadata,
    Column("match_number", ForeignKey("matches.number"), primary_key=True, autoincrement=False),
    Column("record", LargeBinary, nullable=False),
)
"""Beside the matches and not in them, so that whoever reads many matches does not read all that was played."""

outputs = Table(
    "outputs",
    metadata,
    Column("match_number", _MatchNumber, primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("log", Text, nullable=False),
    Column("by_move", JSON),
    ForeignKeyConstraint(["match_number", "seat"], ["seats.match_number", "seats.seat"]),
)
"""What bots printed: the newest of it, and that of each decision; no row for a seat whose bot printed nothing."""

ALL, TESTS = 0, -1
"""In place of the id of a tournament: a tally of all tournaments of its game, or of all tests."""

tallies = Table(
    "tallies",
    metadata,
    Column("tournament_id", Integer, primary_key=True, autoincrement=False),
    Column("game", String(40), primary_key=True),
    Column("bots", String(200), primary_key=True),
    Column("ranks", String(40), primary_key=True),
    Column("matches", BigInteger, nullable=False),
)
"""Bots and ranks are numbers in seat order with a blank between them."""

seat_tallies = Table(
    "seat_tallies",
    metadata,
    Column("tournament_id", Integer, primary_key=True, autoincrement=False),
    Column("game", String(40), primary_key=True),
    Column("bot_id", ForeignKey("bots.id"), primary_key=True, autoincrement=False),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("ending", String(20), primary_key=True),
    Column("matches", BigInteger, nullable=False),
    Column("moves", BigInteger, nullable=False),
    Column("wall_us", BigInteger, nullable=False),
    Column("cpu_us", BigInteger, nullable=False),
    Index("ix_seat_tallies_bot_id", "bot_id"),
)

runs = Table(
    "runs",
    transient,
    Column("id", String(32), primary_key=True),
    Column("tournament_id", Integer, nullable=False),
    Column("status", JSON, nullable=False),
    _now("started_at"),
    _now("reported_at"),
)
"""The processes that play tournaments at present; one that died has not reported for a while."""

leases = Table(
    "leases",
    transient,
    Column("name", String(80), primary_key=True),
    Column("epoch", Integer, nullable=False),
    Column("holder", JSON(none_as_null=True)),
    _now("taken_at"),
    _now("renewed_at"),
)
"""Which process alone may do what; a row stays when nobody has it, so that its epoch never comes again."""

packed_files = Table(
    "packed_files",
    by_digest,
    Column("digest", String(80), primary_key=True),
    Column("bytes", BigInteger, nullable=False),
    _created(),
)
"""The files of a bot in their packed form, see arena/intake/packing.py; a store in SQLite has them in a folder."""

file_pieces = Table(
    "file_pieces",
    by_digest,
    Column("digest", ForeignKey("packed_files.digest"), primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("data", LargeBinary, nullable=False),
)
"""Their bytes, numbered from 0 on, so that nobody has to hold all of them in memory."""
