"""The files of submitted bots by their digest, in pieces; a store in SQLite has them in a folder, and none here."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Make the tables; files that lie in a user's folder are put here when the same bot is submitted again."""
    op.create_table(
        "packed_files",
        sa.Column("digest", sa.String(80), nullable=False),
        sa.Column("bytes", sa.BigInteger, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("digest", name="pk_packed_files"),
    )
    op.create_table(
        "file_pieces",
        sa.Column("digest", sa.String(80), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("digest", "number", name="pk_file_pieces"),
        sa.ForeignKeyConstraint(["digest"], ["packed_files.digest"], name="fk_file_pieces_digest"),
    )
