"""Checksums of bots, matches and finished tournaments, worked out for those that are there already."""

import hashlib
import json
from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

MATCH = ("match_id", "ordinal", "group", "seed", "reason", "moves", "seal")
SEAT = ("rank", "score", "ending", "sentence", "wall_us", "cpu_us", "log")


def upgrade() -> None:
    """Add the columns and fill them."""
    for table in ("bots", "tournaments", "matches"):
        op.add_column(table, sa.Column("checksum", sa.String(64), nullable=False, server_default=""))
    connection = op.get_bind()
    tables = sa.MetaData()
    tables.reflect(connection, only=("bots", "tournaments", "matches", "seats"))
    _fill_bots(connection, tables.tables["bots"])
    _fill_matches(connection, tables.tables["matches"], tables.tables["seats"])
    _fill_tournaments(connection, tables.tables["tournaments"], tables.tables["matches"])


def _fill_bots(connection: sa.Connection, bots: sa.Table) -> None:
    for row in connection.execute(sa.select(bots)).all():
        checksum = _sha256([row.name, row.version, row.owner, row.digest, _plain(row.games)])
        connection.execute(sa.update(bots).where(bots.c.id == row.id).values(checksum=checksum))


def _fill_matches(connection: sa.Connection, matches: sa.Table, seats: sa.Table) -> None:
    for tournament_id, match_id in connection.execute(sa.select(matches.c.tournament_id, matches.c.match_id)).all():
        this = sa.and_(matches.c.tournament_id == tournament_id, matches.c.match_id == match_id)
        mine = sa.and_(seats.c.tournament_id == tournament_id, seats.c.match_id == match_id)
        row = connection.execute(sa.select(matches).where(this)).mappings().one()
        results = connection.execute(sa.select(seats).where(mine).order_by(seats.c.seat)).mappings()
        plain = {name: row[name] for name in MATCH}
        plain["seats"] = [{name: result[name] for name in SEAT} for result in results]
        checksum = _sha256([plain, hashlib.sha256(row["record"]).hexdigest()])
        connection.execute(sa.update(matches).where(this).values(checksum=checksum))


def _fill_tournaments(connection: sa.Connection, tournaments: sa.Table, matches: sa.Table) -> None:
    for row in connection.execute(sa.select(tournaments).where(tournaments.c.finished)).all():
        theirs = sa.select(matches.c.checksum).where(matches.c.tournament_id == row.id)
        ordered = connection.execute(theirs.order_by(matches.c.ordinal, matches.c.match_id)).scalars()
        checksum = _sha256([row.key, list(ordered)])
        connection.execute(sa.update(tournaments).where(tournaments.c.id == row.id).values(checksum=checksum))


def _plain(value: Any) -> Any:
    """SQLite hands a reflected JSON column out as text or as data, depending on how it was declared."""
    return json.loads(value) if isinstance(value, str) else value


def _sha256(value: Any) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
