"""Runs: who plays which tournament at present; and an index that finds matches by the beginning of their names."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Make the table and the index."""
    op.create_table(
        "runs",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("tournament_id", sa.Integer, nullable=False),
        sa.Column("status", sa.JSON, nullable=False),
        sa.Column("started_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.Column("reported_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("id", name="pk_runs"),
    )
    op.create_index("ix_matches_match_id", "matches", ["match_id"], postgresql_ops={"match_id": "varchar_pattern_ops"})
