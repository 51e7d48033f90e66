"""The tables, the same for SQLite and PostgreSQL; migrations/versions makes them."""

from datetime import datetime

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    Float,
    ForeignKey,
    ForeignKeyConstraint,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
    func,
)

# Constraints have names of their own, so that a migration can change them on every database.
metadata = MetaData(
    naming_convention={
        "pk": "pk_%(table_name)s",
        "fk": "fk_%(table_name)s_%(column_0_name)s",
        "uq": "uq_%(table_name)s_%(column_0_name)s",
        "ix": "ix_%(table_name)s_%(column_0_name)s",
    }
)


def _created() -> Column[datetime]:
    return Column("created_at", DateTime(timezone=True), nullable=False, server_default=func.now())


def _checksum() -> Column[str]:
    return Column("checksum", String(64), nullable=False, server_default="")


versions = Table("alembic_version", MetaData(), Column("version_num", String(32), primary_key=True))
"""Kept by Alembic: the newest migration that was made."""

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
    _checksum(),
    _created(),
)

matches = Table(
    "matches",
    metadata,
    Column("tournament_id", ForeignKey("tournaments.id"), primary_key=True),
    Column("match_id", String(32), primary_key=True),
    Column("ordinal", Integer, nullable=False),
    Column("group", String(200), nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("reason", Text, nullable=False),
    Column("moves", Integer, nullable=False),
    Column("seal", String(64), nullable=False),
    Column("record", LargeBinary, nullable=False),
    _checksum(),
    _created(),
)

seats = Table(
    "seats",
    metadata,
    Column("tournament_id", Integer, primary_key=True),
    Column("match_id", String(32), primary_key=True),
    Column("seat", Integer, primary_key=True, autoincrement=False),
    Column("bot_id", ForeignKey("bots.id"), nullable=False, index=True),
    Column("rank", Integer, nullable=False),
    Column("score", Float, nullable=False),
    Column("ending", String(20), nullable=False),
    Column("sentence", Text, nullable=False),
    Column("wall_us", BigInteger, nullable=False),
    Column("cpu_us", BigInteger, nullable=False),
    Column("log", Text, nullable=False),
    ForeignKeyConstraint(["tournament_id", "match_id"], ["matches.tournament_id", "matches.match_id"]),
)
