"""Which process alone may play a tournament is a lease with an epoch, and no longer read from the reports of runs."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Make the table; a store is brought up to date only while nobody plays, so that nobody has a lease yet."""
    op.create_table(
        "leases",
        sa.Column("name", sa.String(80), nullable=False),
        sa.Column("epoch", sa.Integer, nullable=False),
        sa.Column("holder", sa.JSON),
        sa.Column("taken_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.Column("renewed_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("name", name="pk_leases"),
    )
