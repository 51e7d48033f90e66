"""Running numbers of matches, records and output in tables of their own, and tallies; all filled from what is there."""

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

NUMBER = sa.BigInteger().with_variant(sa.Integer, "sqlite")
OLD_CONSTRAINTS = {
    "old_seats": (("fk_seats_tournament_id", "foreignkey"), ("fk_seats_bot_id", "foreignkey"), ("pk_seats", "primary")),
    "old_matches": (("fk_matches_tournament_id", "foreignkey"), ("pk_matches", "primary")),
}
COPY = (
    'INSERT INTO matches (tournament_id, match_id, game, ordinal, "group", seed, reason, moves, seal, checksum, '
    "created_at) SELECT m.tournament_id, m.match_id, t.game, m.ordinal, "
    'm."group", m.seed, m.reason, m.moves, m.seal, m.checksum, m.created_at '
    "FROM old_matches m JOIN tournaments t ON t.id = m.tournament_id "
    "ORDER BY m.created_at, m.tournament_id, m.ordinal, m.match_id",
    "INSERT INTO records SELECT m.number, o.record FROM matches m "
    "JOIN old_matches o ON o.tournament_id = m.tournament_id AND o.match_id = m.match_id ORDER BY m.number",
    "INSERT INTO seats SELECT m.number, o.seat, o.bot_id, o.rank, o.score, o.ending, o.sentence, o.wall_us, o.cpu_us "
    "FROM matches m JOIN old_seats o ON o.tournament_id = m.tournament_id AND o.match_id = m.match_id "
    "ORDER BY m.number, o.seat",
    "INSERT INTO outputs SELECT m.number, o.seat, o.log FROM matches m "
    "JOIN old_seats o ON o.tournament_id = m.tournament_id AND o.match_id = m.match_id "
    "WHERE length(o.log) > 0 ORDER BY m.number, o.seat",
)
PIECE = 1000


def upgrade() -> None:
    """Make the new tables, fill them in the order in which matches were played, and drop the old ones."""
    _put_aside()
    _create_matches()
    _create_tallies()
    _copy()
    _fill_tallies(op.get_bind())
    op.drop_table("old_seats")
    op.drop_table("old_matches")


def _put_aside() -> None:
    op.drop_index("ix_seats_bot_id", "seats")
    for table in ("seats", "matches"):
        op.rename_table(table, f"old_{table}")
    # In PostgreSQL the new constraints could not have the names of the old ones.
    if op.get_bind().dialect.name == "postgresql":
        for table, constraints in OLD_CONSTRAINTS.items():
            for name, kind in constraints:
                op.drop_constraint(name, table, type_=kind)


def _create_matches() -> None:
    op.create_table(
        "matches",
        sa.Column("number", NUMBER, nullable=False),
        sa.Column("tournament_id", sa.Integer, nullable=False),
        sa.Column("match_id", sa.String(32), nullable=False),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("ordinal", sa.Integer, nullable=False),
        sa.Column("group", sa.String(200), nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("reason", sa.Text, nullable=False),
        sa.Column("moves", sa.Integer, nullable=False),
        sa.Column("seal", sa.String(64), nullable=False),
        sa.Column("checksum", sa.String(64), nullable=False, server_default=""),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False, server_default=sa.func.now()),
        sa.PrimaryKeyConstraint("number", name="pk_matches"),
        sa.UniqueConstraint("tournament_id", "match_id", name="uq_matches_tournament_id"),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournaments.id"], name="fk_matches_tournament_id"),
    )
    op.create_table(
        "seats",
        sa.Column("match_number", NUMBER, nullable=False, autoincrement=False),
        sa.Column("seat", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("bot_id", sa.Integer, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
        sa.Column("score", sa.Float, nullable=False),
        sa.Column("ending", sa.String(20), nullable=False),
        sa.Column("sentence", sa.Text, nullable=False),
        sa.Column("wall_us", sa.BigInteger, nullable=False),
        sa.Column("cpu_us", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("match_number", "seat", name="pk_seats"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_seats_bot_id"),
        sa.ForeignKeyConstraint(["match_number"], ["matches.number"], name="fk_seats_match_number"),
    )
    op.create_table(
        "records",
        sa.Column("match_number", NUMBER, nullable=False, autoincrement=False),
        sa.Column("record", sa.LargeBinary, nullable=False),
        sa.PrimaryKeyConstraint("match_number", name="pk_records"),
        sa.ForeignKeyConstraint(["match_number"], ["matches.number"], name="fk_records_match_number"),
    )
    op.create_table(
        "outputs",
        sa.Column("match_number", NUMBER, nullable=False, autoincrement=False),
        sa.Column("seat", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("log", sa.Text, nullable=False),
        sa.PrimaryKeyConstraint("match_number", "seat", name="pk_outputs"),
        sa.ForeignKeyConstraint(
            ["match_number", "seat"], ["seats.match_number", "seats.seat"], name="fk_outputs_match_number"
        ),
    )


def _create_tallies() -> None:
    op.create_table(
        "tallies",
        sa.Column("tournament_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("bots", sa.String(200), nullable=False),
        sa.Column("ranks", sa.String(40), nullable=False),
        sa.Column("matches", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", "game", "bots", "ranks", name="pk_tallies"),
    )
    op.create_table(
        "seat_tallies",
        sa.Column("tournament_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("game", sa.String(40), nullable=False),
        sa.Column("bot_id", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("seat", sa.Integer, nullable=False, autoincrement=False),
        sa.Column("ending", sa.String(20), nullable=False),
        sa.Column("matches", sa.BigInteger, nullable=False),
        sa.Column("moves", sa.BigInteger, nullable=False),
        sa.Column("wall_us", sa.BigInteger, nullable=False),
        sa.Column("cpu_us", sa.BigInteger, nullable=False),
        sa.PrimaryKeyConstraint("tournament_id", "game", "bot_id", "seat", "ending", name="pk_seat_tallies"),
        sa.ForeignKeyConstraint(["bot_id"], ["bots.id"], name="fk_seat_tallies_bot_id"),
    )
    op.create_index("ix_seat_tallies_bot_id", "seat_tallies", ["bot_id"])


def _copy() -> None:
    for statement in COPY:
        op.execute(statement)
    op.create_index("ix_matches_tournament_id_ordinal", "matches", ["tournament_id", "ordinal"])
    op.create_index("ix_matches_tournament_id_number", "matches", ["tournament_id", "number"])
    op.create_index("ix_matches_game_number", "matches", ["game", "number"])
    op.create_index("ix_seats_bot_id_match_number", "seats", ["bot_id", "match_number"])


def _fill_tallies(connection: sa.Connection) -> None:
    connection.execute(
        sa.text(
            "INSERT INTO seat_tallies SELECT m.tournament_id, m.game, s.bot_id, s.seat, s.ending, count(*), "
            "sum(m.moves), sum(s.wall_us), sum(s.cpu_us) FROM matches m JOIN seats s ON s.match_number = m.number "
            "GROUP BY m.tournament_id, m.game, s.bot_id, s.seat, s.ending"
        )
    )
    connection.execute(
        sa.text(
            "INSERT INTO seat_tallies SELECT 0, game, bot_id, seat, ending, sum(matches), sum(moves), sum(wall_us), "
            "sum(cpu_us) FROM seat_tallies GROUP BY game, bot_id, seat, ending"
        )
    )
    add = sa.text("INSERT INTO tallies VALUES (:tournament_id, :game, :bots, :ranks, :matches)")
    for _, results in groupby(_results(connection), key=lambda result: result[0]):
        counted = Counter(results)
        names = ("tournament_id", "game", "bots", "ranks", "matches")
        rows = [dict(zip(names, (*result, matches))) for result, matches in sorted(counted.items())]
        connection.execute(add, rows)
    connection.execute(
        sa.text("INSERT INTO tallies SELECT 0, game, bots, ranks, sum(matches) FROM tallies GROUP BY game, bots, ranks")
    )


def _results(connection: sa.Connection) -> Iterator[tuple[int, str, str, str]]:
    """Tournament, game, bots and ranks of every match, one tournament after the other."""
    query = sa.text(
        "SELECT m.tournament_id, m.game, m.number, s.bot_id, s.rank FROM matches m "
        "JOIN seats s ON s.match_number = m.number ORDER BY m.tournament_id, m.number, s.seat"
    )
    rows = connection.execute(query, execution_options={"yield_per": PIECE})
    for _, group in groupby(rows, key=lambda row: int(row.number)):
        seats = list(group)
        bots, ranks = (" ".join(str(getattr(row, name)) for row in seats) for name in ("bot_id", "rank"))
        yield seats[0].tournament_id, seats[0].game, bots, ranks
