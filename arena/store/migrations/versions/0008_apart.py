"""Imported tournaments may be kept apart from the tables of all others."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the column; what is there counts as before."""
    op.add_column("tournaments", sa.Column("apart", sa.Boolean, nullable=False, server_default=sa.false()))
