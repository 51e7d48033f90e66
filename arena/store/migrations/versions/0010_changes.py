"""A tournament says what was changed after its first match: bots added and excluded, and that it was closed."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"


def upgrade() -> None:
    """Add the column; nothing was changed in earlier tournaments."""
    op.add_column("tournaments", sa.Column("changes", sa.JSON))
