"""A tournament goes from machine to machine as one file, and nothing in a foreign file is believed."""

import gzip
import json

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.errors import UsageError
from arena.registry import find
from arena.store.sql import SqlStore
from arena.tournaments import archive
from arena.tournaments.verify import check_tournament, stored_tournament
from tests.kits.fields import play_tournament


def run(*args):
    return CliRunner().invoke(main, [str(arg) for arg in args])


@pytest.fixture(scope="module")
def played(tmp_path_factory):
    """A store with a finished tournament."""
    return play_tournament(tmp_path_factory.mktemp("played"), rounds=1)


@pytest.fixture(scope="module")
def exported(played, tmp_path_factory):
    path = tmp_path_factory.mktemp("exported") / "cup.arena.gz"
    result = run("export", 1, "-o", path, "--db", played)
    assert (result.exit_code, result.output) == (0, f"wrote {path}: tournament 1 of claim, 6 matches\n")
    return path


def test_the_tables_there_are_the_same_and_importing_twice_changes_nothing(played, exported, tmp_path):
    there = tmp_path / "there.db"
    first, second = run("import", exported, "--db", there), run("import", exported, "--db", there)
    assert "tournament 1 of claim here; 6 new matches, all replayed and true" in first.output
    assert "not here, and so not to be played until they are submitted: one 1, two 1, three 1" in first.output
    assert "nothing new" in second.output
    for words in (
        ["ratings", "--game", "claim", "--all"],
        ["crosstable", "--game", "claim", "--all"],
        ["history", "two"],
    ):
        assert run(*words, "--json", "--db", there).output == run(*words, "--json", "--db", played).output
    assert run("verify", "--db", there).exit_code == 0
    again = tmp_path / "again.gz"
    assert run("export", 1, "-o", again, "--db", there).exit_code == 0
    assert again.read_bytes() == exported.read_bytes()


def test_an_archive_goes_into_a_store_that_has_matches_of_its_own(exported, tmp_path):
    there = SqlStore(tmp_path / "there.db")
    there.add_bot(name="zero", version="1", owner="", digest="d", origin="/x", games=["claim"])
    there.begin_tournament("claim", {"rounds": 7})
    entry, added = archive.add(there, archive.read(exported))
    assert (entry.id, entry.finished, added) == (2, True, 6)
    assert list(check_tournament(stored_tournament(there, entry), find)) == []


def test_absent_bots_come_alive_when_their_files_are_registered(exported, tmp_path):
    there = SqlStore(tmp_path / "there.db")
    archive.add(there, archive.read(exported))
    (bot,) = there.bot_versions("two")
    assert bot.kind == "absent"
    there.add_bot(name="two", version="1", owner=bot.owner, digest=bot.digest, origin="/here", games=bot.games)
    assert [(entry.id, entry.origin) for entry in there.bot_versions("two")] == [(bot.id, "/here")]


def test_another_bot_of_the_same_name_is_in_the_way(exported, tmp_path):
    there = SqlStore(tmp_path / "there.db")
    there.add_bot(name="two", version="1", owner="", digest="other", origin="/x", games=["claim"])
    with pytest.raises(UsageError, match="another bot is registered here as two 1"):
        archive.add(there, archive.read(exported))
    assert there.matches() == []


def lines_of(path):
    return [json.loads(line) for line in gzip.decompress(path.read_bytes()).splitlines()]


def rewritten(tmp_path, lines):
    path = tmp_path / "forged.gz"
    path.write_bytes(gzip.compress(b"".join(json.dumps(line).encode() + b"\n" for line in lines)))
    return path


FIELDS = ["ordinal", "group", "seed", "reason", "moves", "seal", "checksum", "record", "match_id"]
SEAT_FIELDS = ["bot_id", "rank", "score", "ending", "sentence", "wall_us", "cpu_us", "log"]


def other(value):
    return value + 1 if isinstance(value, int | float) else f"{value[1:]}{value[:1]}" or "x"


@pytest.mark.parametrize("field", [*FIELDS, *SEAT_FIELDS])
def test_a_changed_field_is_refused(exported, tmp_path, field):
    lines = lines_of(exported)
    assert set(FIELDS) == lines[1].keys() - {"seats"}
    assert set(SEAT_FIELDS) == lines[1]["seats"][0].keys()
    place = lines[1] if field in FIELDS else lines[1]["seats"][0]
    place[field] = other(place[field])
    result = run("import", rewritten(tmp_path, lines), "--db", tmp_path / "there.db")
    assert result.exit_code in (1, 2)
    assert "is refused" in result.stderr
    assert not (tmp_path / "there.db").exists()


def without_a_match(lines):
    del lines[2]


def with_a_match_twice(lines):
    lines.append(lines[2])


def with_other_settings(lines):
    lines[0]["settings"]["rounds"] = 9


def with_another_digest(lines):
    lines[0]["bots"][0]["digest"] = "sha256:1"


def with_a_foreign_name(lines):
    lines[0]["bots"][0]["name"] = "../../etc/passwd"


def with_a_command_for_the_terminal(lines):
    lines[1]["seats"][0]["log"] = "\x1b[2J"


def with_numbers_for_text(lines):
    lines[1]["seats"][0]["log"] = 7


def with_a_missing_key(lines):
    del lines[1]["seal"]


def with_an_unknown_game(lines):
    lines[0]["game"] = "chess"


def with_a_list_at_its_head(lines):
    lines[0] = []


def of_another_format(lines):
    lines[0]["format"] = "zip"


def with_nothing(lines):
    lines.clear()


@pytest.mark.parametrize(
    "forge",
    [
        without_a_match, with_a_match_twice, with_other_settings, with_another_digest, with_a_foreign_name,
        with_a_command_for_the_terminal, with_numbers_for_text, with_a_missing_key, with_an_unknown_game,
        with_a_list_at_its_head, of_another_format, with_nothing,
    ],
)  # fmt: skip
def test_a_forged_archive_is_refused(exported, tmp_path, forge):
    lines = lines_of(exported)
    forge(lines)
    result = run("import", rewritten(tmp_path, lines), "--db", tmp_path / "there.db")
    assert result.exit_code in (1, 2), result.output
    assert "is refused" in result.stderr
    assert not (tmp_path / "there.db").exists()


@pytest.mark.parametrize("cut", [0.0, 0.3, 0.9])
def test_a_damaged_file_is_refused(exported, tmp_path, cut):
    path = tmp_path / "cut.gz"
    path.write_bytes(exported.read_bytes()[: int(cut * exported.stat().st_size)])
    result = run("import", path, "--db", tmp_path / "there.db")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {path} is refused: ")


def test_a_bomb_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_LINE", 1 << 16)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b'"' + b"a" * (1 << 20)))
    with pytest.raises(UsageError, match="too long"):
        archive.read(path)


def test_an_unfinished_tournament_can_be_exported_and_grows(exported, played, tmp_path):
    """The same tournament with a match less, as if it had been exported earlier."""
    lines = lines_of(exported)
    lines[0]["checksum"] = ""
    early = rewritten(tmp_path, lines[:-1])
    there = tmp_path / "there.db"
    assert "5 new matches" in run("import", early, "--db", there).output
    assert "1 new match," in run("import", exported, "--db", there).output
    assert run("verify", "--db", there).exit_code == 0
