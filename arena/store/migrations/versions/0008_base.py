"""All tables, as the oldest stores have them that can still be brought up to date."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = None

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
"""SQLite counts up a primary key of exactly this type."""


def upgrade() -> None:
    _create_bots()
    _create_tournaments()
    _create_matches()
    _create_seats()
    _create_tallies()
    _create_runs()


def _checksum() -> "sa.Column[str]":
    return sa.Column("checksum", sa.String(64), nullable=False, server_default="")


def _now(name: str) -> "sa.Column[object]":
    return sa.Column(name, sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now())


def _key(name: str, kind: "sa.types.TypeEngine[int]") -> "sa.Column[int]":
    """A part of a primary key whose numbers come from elsewhere."""
    return sa.Column(name, kind, nullable=False, autoincrement=False)


def _create_bots() -> None:
    op.create_table(
        "bots",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("name", sa.String(40), nullable=False),
        sa.Column("version", sa.String(40), nullable=False),
        sa.Column("owner", sa.String(40), nullable=False),
        sa.Column("digest", sa.String(80), nullable=False),
        sa.Column("origin", sa.Text, nullable=False),
        sa.Column("games", sa.JSON, nullable=False),
        sa.Column("retired", sa.Boolean, nullable=False),
        sa.Column("ladder_number", sa.Integer, nullable=False, server_default="0"),
        _checksum(),
        _now("created_at"),
        sa.PrimaryKeyConstraint("id", name="pk_bots"),
        sa.UniqueConstraint("name", "version", name="uq_bots_name"),
    )


def _create_tournaments() -> None:
    op.create_table(
        "tournaments",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("finished", sa.Boolean, nullable=False),
        sa.Column("weak_limits", sa.JSON),
        sa.Column("apart", sa.Boolean, nullable=False, server_default=sa.false()),
        _checksum(),
        _now("created_at"),
        sa.PrimaryKeyConstraint("id", name="pk_tournaments"),
    )
    op.create_index("ix_tournaments_game", "tournaments", ["game"])
    op.create_index("ix_tournaments_key", "tournaments", ["key"])


def _create_matches() -> None:
    op.create_table(
        "matches",
        sa.Column("number", NUMBER, nullable=False),
        sa.Column("tournament_id", sa.Integer, nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("group", sa.String(200), nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("moves", sa.Integer, nullable=False),
        sa.Column("seal", sa.String(64), nullable=False),
        sa.Column("ended_at_fault", sa.Boolean, nullable=False, server_default=sa.false()),
        _checksum(),
        _now("created_at"),
        sa.PrimaryKeyConstraint("number", name="pk_matches"),
        sa.UniqueConstraint("tournament_id", "match_id", name="uq_matches_tournament_id"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name="fk_matches_tournament_id"),
    )
    op.create_index("ix_matches_tournament_id_ordinal", "matches", ["tournament_id", "ordinal"])
    op.create_index("ix_matches_tournament_id_number", "matches", ["tournament_id", "number"])
    op.create_index("ix_matches_game_number", "matches", ["game", "number"])
    op.create_index("ix_matches_match_id", "matches", ["match_id"], postgresql_ops={"match_id": "varchar_pattern_ops"})


def _create_seats() -> None:
    op.create_table(
        "seats",
        _key("match_number", NUMBER),
        _key("seat", sa.Integer()),
        sa.Column("bot_id", sa.Integer, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("score", sa.Float, nullable=False),
        sa.Column("ending", sa.String(20), nullable=False),
        sa.Column("sentence", sa.Text, nullable=False),
        sa.Column("wall_us", sa.BigInteger, nullable=False),
        sa.Column("cpu_us", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("match_number", "seat", name="pk_seats"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_seats_bot_id"),
        sa.ForeignKeyConstraint(["match_number"], ["matches.number"], name="fk_seats_match_number"),
    )
    op.create_index("ix_seats_bot_id_match_number", "seats", ["bot_id", "match_number"])
    op.create_table(
        "records",
        _key("match_number", NUMBER),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("match_number", name="pk_records"),
        sa.ForeignKeyConstraint(["match_number"], ["matches.number"], name="fk_records_match_number"),
    )
    op.create_table(
        "outputs",
        _key("match_number", NUMBER),
        _key("seat", sa.Integer()),
        sa.Column("log", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("match_number", "seat", name="pk_outputs"),
        sa.ForeignKeyConstraint(
            ["match_number", "seat"], ["seats.match_number", "seats.seat"], name="fk_outputs_match_number"
        ),
    )


def _create_tallies() -> None:
    op.create_table(
        "tallies",
        _key("tournament_id", sa.Integer()),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("bots", sa.String(200), nullable=False),
        sa.Column("ranks", sa.String(40), nullable=False),
        sa.Column("matches", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", "game", "bots", "ranks", name="pk_tallies"),
    )
    op.create_table(
        "seat_tallies",
        _key("tournament_id", sa.Integer()),
        sa.Column("game", sa.String(40), nullable=False),
        _key("bot_id", sa.Integer()),
        _key("seat", sa.Integer()),
        sa.Column("ending", sa.String(20), nullable=False),
        sa.Column("matches", sa.BigInteger, nullable=False),
        sa.Column("moves", sa.BigInteger, nullable=False),
        sa.Column("wall_us", sa.BigInteger, nullable=False),
        sa.Column("cpu_us", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", "game", "bot_id", "seat", "ending", name="pk_seat_tallies"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_seat_tallies_bot_id"),
    )
    op.create_index("ix_seat_tallies_bot_id", "seat_tallies", ["bot_id"])


def _create_runs() -> None:
    op.create_table(
        "runs",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("tournament_id", sa.Integer, nullable=False),
        sa.Column("status", sa.JSON, nullable=False),
        _now("started_at"),
        _now("reported_at"),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )
