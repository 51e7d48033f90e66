"""The first form of the tables of a contest."""

from alembic import op

from arena.contest.schema import metadata

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make all tables. The next migration must first write these out here, as they were then."""
    metadata.create_all(op.get_bind(), checkfirst=False)
