"""Brings a store of revision 0006 to the form of the base; no older one can still be brought up to date.

Matches that ended at a fault although two or more fair seats were left are marked, and taken out of the results; a
tournament can be kept apart.
"""

from collections import Counter
from itertools import groupby

from sqlalchemy import Connection, text

REVISION, BASE = "0006", "0008"
"""The form that is brought up to date, and the one it becomes."""

ADD = (
    "ALTER TABLE matches ADD COLUMN ended_at_fault BOOLEAN DEFAULT {false} NOT NULL",
    "ALTER TABLE tournaments ADD COLUMN apart BOOLEAN DEFAULT {false} NOT NULL",
)
MARK = (
    "UPDATE matches SET ended_at_fault = TRUE WHERE number IN (SELECT match_number FROM seats GROUP BY match_number "
    "HAVING sum(CASE WHEN ending = 'NORMAL' THEN 1 ELSE 0 END) > 1 AND min(ending) <> max(ending))"
)
MARKED = (
    "SELECT m.tournament_id, m.game, m.number, s.bot_id, s.rank FROM matches m JOIN seats s "
    "ON s.match_number = m.number WHERE m.ended_at_fault ORDER BY m.number, s.seat"
)
SUBTRACT = (
    "UPDATE tallies SET matches = matches - :times "
    "WHERE tournament_id = :tournament_id AND game = :game AND bots = :bots AND ranks = :ranks"
)
ALL, TESTS = 0, -1
"""In place of the id of a tournament: the sum of all rated tournaments of a game, and of all tests."""


def upgrade(connection: Connection) -> None:
    """Add the columns, set the mark where some seat was at fault and two or more were not, and note the new form."""
    for statement in ADD:
        connection.exec_driver_sql(statement.format(false="false" if connection.dialect.name == "postgresql" else "0"))
    connection.exec_driver_sql(MARK)
    _take_out(connection)
    connection.exec_driver_sql(f"UPDATE alembic_version SET version_num = '{BASE}'")  # noqa: S608  (our own constant)


def _take_out(connection: Connection) -> None:
    format_of = "settings ->> 'format'"
    if connection.dialect.name == "sqlite":
        format_of = "json_extract(settings, '$.format')"
    tests = set(connection.execute(text(f"SELECT id FROM tournaments WHERE {format_of} = 'test'")).scalars())  # noqa: S608
    counted = Counter[tuple[int, str, str, str]]()
    rows = connection.execute(text(MARKED), execution_options={"yield_per": 1000})
    for _, group in groupby(rows, key=lambda row: int(row.number)):
        seats = list(group)
        bots, ranks = (" ".join(str(getattr(row, name)) for row in seats) for name in ("bot_id", "rank"))
        own = seats[0].tournament_id
        for scope in (own, TESTS if own in tests else ALL):
            counted[scope, seats[0].game, bots, ranks] += 1
    names = ("tournament_id", "game", "bots", "ranks", "times")
    wrong = [dict(zip(names, (*key, times), strict=True)) for key, times in sorted(counted.items())]
    if wrong:
        connection.execute(text(SUBTRACT), wrong)
        connection.exec_driver_sql("DELETE FROM tallies WHERE matches <= 0")
