"""Whatever cell of whatever table is changed, verifying finds it; the columns are taken from the schema itself."""

import json
import shutil
import sqlite3
from dataclasses import replace

import pytest

from arena.match import SandboxReport
from arena.referee import record
from arena.registry import find
from arena.store.checksums import match_checksum
from arena.store.schema import metadata
from arena.store.sql import Store
from arena.tournaments.verify import UNPROVEN, check_bots, check_tournament, stored_tournament
from tests.kits.contestants import arena
from tests.store import old_stores

pytestmark = pytest.mark.slow

COLUMNS = [(table.name, column.name) for table in metadata.sorted_tables for column in table.columns]


@pytest.fixture
def path(played, tmp_path):
    """A copy of it to be changed."""
    Store(played).close()
    connection = sqlite3.connect(played)
    connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    connection.close()
    return shutil.copy(played, tmp_path / "arena.db")


def findings(path):
    store = Store(path)
    found = [*store.inconsistencies(), *check_bots(store.all_bots())]
    for entry in store.tournaments():
        found += check_tournament(stored_tournament(store, entry), find)
    store.close()
    return [str(each) for each in found]


def change(path, statement, *values):
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(statement, values)
    connection.close()


def altered(value):
    """Another value of the same kind."""
    if isinstance(value, bytes):
        return value[:-1] + bytes([value[-1] ^ 1])
    if isinstance(value, str) and value.startswith(("[", "{")):
        plain = json.loads(value)
        return json.dumps([*plain, "rrr"] if isinstance(plain, list) else {**plain, "rounds": 99})
    return f"{value}x" if isinstance(value, str) else value + 7 if value != 1 else 0


def test_an_honest_store_is_true(path):
    assert findings(path) == []
    result = arena("verify", "--db", path)
    assert result.exit_code == 0
    assert "tournament 1: claim, 6 matches, follows the rules, the schedule and the seed; checksum " in result.output
    assert "ok: 1 tournament, 6 matches replayed" in result.output


@pytest.mark.parametrize(("table", "column"), COLUMNS)
def test_a_changed_cell_is_found(path, table, column):
    connection = sqlite3.connect(path)
    (row, value) = connection.execute(f'SELECT rowid, "{column}" FROM "{table}" LIMIT 1').fetchone()
    connection.close()
    change(path, f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', altered(value), row)
    if f"{table}.{column}" in UNPROVEN:
        if column != "created_at":
            assert findings(path) == []
    else:
        assert findings(path) != []


def test_every_unproven_column_exists():
    assert {f"{table}.{column}" for table, column in COLUMNS} >= set(UNPROVEN)


def test_the_command_names_the_match_and_what_differs(path):
    change(path, "UPDATE seats SET rank = 3 WHERE seat = 0 AND match_number = 1")
    name = Store(path).latest_matches()[-1].entry.match_id
    result = arena("verify", "--db", path)
    assert result.exit_code == 1
    assert f"tournament 1, match {name}: its rank of seat 0 is kept as 3, but the record says " in result.stderr


@pytest.mark.parametrize("table", [table.name for table in metadata.sorted_tables if table.name != "outputs"])
def test_a_deleted_row_is_found(path, table):
    change(path, f"DELETE FROM {table} WHERE rowid = (SELECT min(rowid) FROM {table})")
    assert findings(path) != []


def test_output_may_be_taken_away(path):
    change(path, "DELETE FROM outputs WHERE match_number = 1")
    assert findings(path) == []


@pytest.mark.parametrize(
    "statement", ["DELETE FROM outputs WHERE match_number = 1", "UPDATE outputs SET log = 'other'"]
)
def test_output_that_an_earlier_checksum_covers_is_proved(tmp_path, statement):
    path = old_stores.written(tmp_path / "old.db", old_stores.OLDEST)
    assert findings(path) == []
    change(path, statement)
    assert [found for found in findings(path) if "do not fit their checksum" in found]


def test_a_match_taken_away_with_its_seats_is_missed(path):
    for table, column in (("outputs", "match_number"), ("records", "match_number"), ("seats", "match_number")):
        change(path, f"DELETE FROM {table} WHERE {column} = 1")
    change(path, "DELETE FROM matches WHERE number = 1")
    assert [each for each in findings(path) if "added or taken away" in each]


def test_a_forger_who_mends_the_checksums_of_a_match_is_found_by_that_of_the_tournament(path):
    store = Store(path)
    kept = next(iter(store.kept(1)))
    played = record.load(kept.record, find)
    forged = record.dump(
        replace(played, sandboxes=(SandboxReport("bubblewrap", {}), SandboxReport("bubblewrap", {}))), find("claim")
    )
    store.close()
    checksum = match_checksum(kept.entry, forged)
    name = kept.entry.match_id
    number = "(SELECT number FROM matches WHERE match_id = ?)"
    change(path, f"UPDATE records SET record = ? WHERE match_number = {number}", forged, name)
    change(path, "UPDATE matches SET checksum = ? WHERE match_id = ?", checksum, name)
    found = findings(path)
    assert len(found) == 1
    assert "a match was changed, added or taken away" in found[0]


def test_a_match_of_another_bot_is_found(path):
    change(path, "UPDATE bots SET digest = 'sha256:0', checksum = '' WHERE name = 'two'")
    assert [each for each in findings(path) if "is not a bot of the tournament" in each]


@pytest.mark.parametrize(
    ("args", "complaint"),
    [(["99"], "there is no tournament 99"), (["--game", "chess"], "there is no game 'chess'")],
)
def test_what_is_not_there_is_refused(path, args, complaint):
    result = arena("verify", "--db", path, *args)
    assert result.exit_code == 2
    assert complaint in result.stderr
