"""What bots printed in each decision goes beside the rest of their output, and no longer into records."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Add the column; what older records have in them stays there, since checksums cover it."""
    op.add_column("outputs", sa.Column("by_move", sa.JSON))
