"""Bots, tournaments, matches and seats."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make the first tables."""
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
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("id", name="pk_bots"),
        sa.UniqueConstraint("name", "version", name="uq_bots_name"),
    )
    op.create_table(
        "tournaments",
        sa.Column("id", sa.Integer, nullable=False),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("key", sa.String(64), nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("finished", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("id", name="pk_tournaments"),
    )
    op.create_index("ix_tournaments_game", "tournaments", ["game"])
    op.create_index("ix_tournaments_key", "tournaments", ["key"])
    op.create_table(
        "matches",
        sa.Column("tournament_id", sa.Integer, nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("group", sa.String(200), nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("moves", sa.Integer, nullable=False),
        sa.Column("seal", sa.String(64), nullable=False),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("tournament_id", "match_id", name="pk_matches"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name="fk_matches_tournament_id"),
    )
    op.create_table(
        "seats",
        sa.Column("tournament_id", sa.Integer, nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("seat", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("bot_id", sa.Integer, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("score", sa.Float, nullable=False),
        sa.Column("ending", sa.String(20), nullable=False),
        sa.Column("sentence", sa.Text, nullable=False),
        sa.Column("wall_us", sa.BigInteger, nullable=False),
        sa.Column("cpu_us", sa.BigInteger, nullable=False),
        sa.Column("log", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", "match_id", "seat", name="pk_seats"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_seats_bot_id"),
        sa.ForeignKeyConstraint(
            ["tournament_id", "match_id"],
            ["matches.tournament_id", "matches.match_id"],
            name="fk_seats_tournament_id",
        ),
    )
    op.create_index("ix_seats_bot_id", "seats", ["bot_id"])
