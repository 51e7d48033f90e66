"""Versions that were only tried out stay off the ladder, tests are counted apart, and weak limits are noted."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0004"

TABLES = {
    "tallies": ("bots, ranks", ("matches",)),
    "seat_tallies": ("bot_id, seat, ending", ("matches", "moves", "wall_us", "cpu_us")),
}
"""The keys of both tables of tallies below tournament and game, and what is summed."""
TOTALS = {0: "<>", -1: "="}
"""In place of the id of a tournament: the sum of all rated tournaments of a game, and of all tests."""


def upgrade() -> None:
    """Add the columns, keep what came from a folder without being handed in off the ladder, and count anew."""
    op.add_column("bots", sa.Column("ladder_number", sa.Integer, nullable=False, server_default="0"))
    op.add_column("tournaments", sa.Column("weak_limits", sa.JSON))
    op.execute("UPDATE bots SET ladder_number = id WHERE owner <> 'local'")
    _count_tests_apart(op.get_bind())


def _count_tests_apart(connection: sa.Connection) -> None:
    path = "settings ->> 'format'" if connection.dialect.name == "postgresql" else "json_extract(settings, '$.format')"
    for table, (keys, sums) in TABLES.items():
        op.execute(f"DELETE FROM {table} WHERE tournament_id = 0")  # noqa: S608  (names of our own tables)
        total = ", ".join(f"sum({name})" for name in sums)
        for number, sign in TOTALS.items():
            op.execute(
                f"INSERT INTO {table} SELECT {number}, game, {keys}, {total} FROM {table} "  # noqa: S608
                f"WHERE tournament_id IN (SELECT id FROM tournaments WHERE coalesce({path}, '') {sign} 'test') "
                f"GROUP BY game, {keys}"
            )
