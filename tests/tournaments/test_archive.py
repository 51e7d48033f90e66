"""A tournament goes from machine to machine as one file, and nothing in a foreign file is believed."""

import gzip
import io
import json
import shutil
import tarfile
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

import pytest

from arena.bots.files import folder_digest
from arena.bots.manifest import samples
from arena.bots.register import RegistrationRequest, plan_registration
from arena.bots.reserved import SAMPLE_OWNER
from arena.errors import UsageError
from arena.registry import find
from arena.standings.ladder import newest_versions
from arena.store.base import MatchEntry, SeatResult
from arena.store.checksums import TournamentChecksum
from arena.store.scope import Scope
from arena.store.sql import Store
from arena.tournaments import archive
from arena.tournaments.field import check_present
from arena.tournaments.resuming import with_seed
from arena.tournaments.settings import Settings
from arena.tournaments.verify import check_bots, check_tournament, stored_tournament
from tests.kits.archives import lines_of, rewritten
from tests.kits.contestants import arena
from tests.kits.tournaments import BASE
from tests.store import old_stores

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def exported(played, tmp_path_factory):
    path = tmp_path_factory.mktemp("exported") / "cup.arena.gz"
    result = arena("export", 1, "-o", path, "--db", played)
    assert (result.exit_code, result.output) == (0, f"wrote {path}: tournament 1 of claim, 6 matches\n")
    return path


def test_the_tables_there_are_the_same_and_importing_twice_changes_nothing(played, exported, tmp_path):
    there = tmp_path / "there.db"
    first, second = (arena("import", exported, "--rated", "--db", there) for _ in range(2))
    assert "tournament 1 of claim here; 6 new matches\n" in first.output
    assert "the rules, the schedule and the seed; not proved: that its bots chose these moves" in first.output
    assert "files missing here, cannot play until submitted: one 1, two 1, three 1" in first.output
    assert "nothing new" in second.output
    for words in (
        ["ratings", "--game", "claim", "--all"],
        ["crosstable", "--game", "claim", "--all"],
        ["history", "two"],
    ):
        assert arena(*words, "--json", "--db", there).output == arena(*words, "--json", "--db", played).output
    assert arena("verify", "--db", there).exit_code == 0
    again = tmp_path / "again.gz"
    assert arena("export", 1, "-o", again, "--db", there).exit_code == 0
    assert again.read_bytes() == exported.read_bytes()


def test_an_archive_goes_into_a_store_that_has_matches_of_its_own(exported, tmp_path):
    there = Store(tmp_path / "there.db")
    there.add_bot(name="zero", version="1", owner="", digest="d", origin="/x", games=["claim"])
    there.begin_tournament("claim", {"rounds": 7})
    entry, added = archive.add(there, archive.read(exported))
    assert (entry.id, entry.finished, added) == (2, True, 6)
    assert list(check_tournament(stored_tournament(there, entry), find)) == []


def test_absent_bots_come_alive_when_their_files_are_registered(exported, tmp_path):
    there = Store(tmp_path / "there.db")
    archive.add(there, archive.read(exported))
    (bot,) = there.bot_versions("two")
    assert bot.kind == "absent"
    there.add_bot(name="two", version="1", owner=bot.owner, digest=bot.digest, origin="/here", games=bot.games)
    assert [(entry.id, entry.origin) for entry in there.bot_versions("two")] == [(bot.id, "/here")]


@pytest.fixture(scope="module")
def travelling(played, tmp_path_factory):
    """The tournament, with the files of two of its bots: those of the third have changed."""
    folder = tmp_path_factory.mktemp("travelling")
    path, db = folder / "cup.arena.tar", shutil.copytree(played.parent, folder / "played") / "arena.db"
    store = Store(db)
    for bot in store.all_bots():
        store.move_bot(bot.id, str(db.parent / bot.name))
    store.close()
    (db.parent / "three/bot.py").write_text("changed")
    (db.parent / "two/.git").mkdir()
    result = arena("export", 1, "-o", path, "--with-bots", "--db", db)
    assert result.output == f"wrote {path}: tournament 1 of claim, 6 matches\nwith the files of: one 1, two 1\n"
    again = path.with_name("again.tar")
    assert arena("export", 1, "-o", again, "--with-bots", "--db", db).exit_code == 0
    assert again.read_bytes() == path.read_bytes()
    return path


def test_bots_that_travel_along_can_be_played_at_once(played, travelling, exported, tmp_path):
    there = tmp_path / "there/arena.db"
    there.parent.mkdir()
    assert "cannot play until submitted: one 1, two 1, three 1" in arena("import", exported, "--db", there).output
    for _ in range(2):
        result = arena("import", travelling, "--db", there)
        assert "cannot play until submitted: three 1\n" in result.output
    bots = {bot.name: bot for bot in Store(there, bots_folder=there.parent / "bots").all_bots()}
    assert {name: bot.kind for name, bot in bots.items()} == {"one": "folder", "two": "folder", "three": "absent"}
    for name in ("one", "two"):
        check_present(bots[name])
        assert Path(bots[name].origin) == there.parent / "bots" / bots[name].digest.removeprefix("sha256:")
    assert arena("verify", "--db", there).exit_code == 0
    back = tmp_path / "back.tar"
    assert arena("export", 1, "-o", back, "--with-bots", "--db", there).exit_code == 0
    assert back.read_bytes() == travelling.read_bytes()


@pytest.mark.parametrize("change", ["other files", "a bot of nobody", "something else"])
def test_nothing_that_is_not_of_the_tournament_comes_with_it(travelling, tmp_path, change):
    there, changed = tmp_path / "there/arena.db", tmp_path / "changed.tar"
    there.parent.mkdir()
    with tarfile.open(travelling) as old, tarfile.open(changed, "w") as new:
        parts = [(member, old.extractfile(member).read()) for member in old]
        if change == "other files":
            parts[1] = (parts[1][0], parts[2][1])
        elif change == "a bot of nobody":
            parts.append((tarfile.TarInfo(f"bots/{'0' * 64}.tar"), b"x" * 1000))
        else:
            parts.append((tarfile.TarInfo("../../etc/passwd"), b"x"))
        for member, content in parts:
            member.size = len(content)
            new.addfile(member, io.BytesIO(content))
    result = arena("import", changed, "--db", there)
    if change == "a bot of nobody":
        assert result.exit_code == 0, result.output
        assert len([*(there.parent / "bots").glob("[0-9a-f]*")]) == 2
        return
    said = "is not what its digest says" if change == "other files" else "changed.tar is refused: it is not a file that"
    assert (result.exit_code, said in result.stderr) == (2, True)
    assert not there.exists() or Store(there).tournaments() == []


@pytest.mark.parametrize("change", ["", "of another Arena"])
def test_a_sample_bot_that_is_the_same_here_can_be_played_at_once(exported, tmp_path, change):
    """Its name is reserved, so that nobody could submit it."""
    there, kept, sample = Store(tmp_path / "there.db"), archive.read(exported), samples()["greedy"]
    ours = {"name": "greedy", "owner": SAMPLE_OWNER, "digest": folder_digest(sample.path) + change}
    archive.add(there, replace(kept, bots=[replace(kept.bots[0], **ours), *kept.bots[1:]]))
    (bot,) = there.bot_versions("greedy")
    assert (bot.origin, bot.on_ladder) == ("" if change else str(sample.path), False)
    assert all(bot.kind == "absent" for bot in there.all_bots() if bot.name != "greedy")


def test_another_bot_of_the_same_name_is_in_the_way(exported, tmp_path):
    there = Store(tmp_path / "there.db")
    there.add_bot(name="two", version="1", owner="", digest="other", origin="/x", games=["claim"])
    with pytest.raises(UsageError, match="another bot is registered here as two 1"):
        archive.add(there, archive.read(exported))
    assert there.matches() == []


def test_output_is_exported_only_when_it_is_asked_for_and_both_kinds_are_taken(played, exported, tmp_path):
    assert b"I am one" not in gzip.decompress(exported.read_bytes())
    full = tmp_path / "full.gz"
    assert arena("export", 1, "-o", full, "--with-output", "--db", played).exit_code == 0
    assert b"I am one" in gzip.decompress(full.read_bytes())
    for file, said in ((exported, False), (full, True)):
        there = tmp_path / f"{said}.db"
        assert arena("import", file, "--rated", "--db", there).exit_code == 0
        store, again = Store(there), tmp_path / f"{said}.gz"
        assert [bool(kept.outputs) for kept in store.kept(1)] == [said] * 6
        assert arena("verify", "--db", there).exit_code == 0
        assert arena("export", 1, "-o", again, "--with-output", "--db", there).exit_code == 0
        assert again.read_bytes() == file.read_bytes()
        assert "nothing new" in arena("import", full, "--rated", "--db", there).output  # the same tournament
        store.close()


def test_what_an_earlier_checksum_covers_cannot_be_left_out(tmp_path):
    path, file = old_stores.written(tmp_path / "old.db", old_stores.OLDEST), tmp_path / "old.gz"
    refused = arena("export", 1, "-o", file, "--db", path)
    assert (refused.exit_code, file.exists()) == (2, False)
    assert "cannot be proved without it: give --with-output" in refused.stderr
    assert arena("export", 1, "-o", file, "--with-output", "--db", path).exit_code == 0
    assert arena("import", file, "--db", tmp_path / "there.db").exit_code == 0
    assert arena("verify", "--db", tmp_path / "there.db").exit_code == 0


@pytest.mark.parametrize(
    "words", [{"log": "x" * 5000}, {"by_move": {"0": 5}}, {"by_move": {"0": "x" * 401}}, {"log": 1}]
)
def test_output_is_bounded(exported, tmp_path, words):
    lines = lines_of(exported)
    lines[1]["seats"][0].update(words)
    result = arena("import", rewritten(tmp_path, lines), "--db", tmp_path / "there.db")
    assert result.exit_code == 2
    assert "the output of a bot must be text, and not longer than" in result.stderr


FIELDS = ["ordinal", "group", "seed", "reason", "moves", "seal", "checksum", "record", "match_id"]
SEAT_FIELDS = ["bot_id", "rank", "score", "ending", "sentence", "wall_us", "cpu_us"]


def other(value):
    return value + 1 if isinstance(value, int | float) else f"{value[1:]}{value[:1]}" or "x"


@pytest.mark.parametrize("field", [*FIELDS, *SEAT_FIELDS])
def test_a_changed_field_is_refused(exported, tmp_path, field):
    lines = lines_of(exported)
    assert set(FIELDS) == lines[1].keys() - {"seats"}
    assert set(SEAT_FIELDS) == lines[1]["seats"][0].keys()
    place = lines[1] if field in FIELDS else lines[1]["seats"][0]
    place[field] = other(place[field])
    result = arena("import", rewritten(tmp_path, lines), "--db", tmp_path / "there.db")
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


def of_arena_itself(lines):
    lines[0]["bots"][0]["owner"] = "built-in"


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
        of_arena_itself, with_a_command_for_the_terminal, with_numbers_for_text, with_a_missing_key,
        with_an_unknown_game, with_a_list_at_its_head, of_another_format, with_nothing,
    ],
)  # fmt: skip
def test_a_forged_archive_is_refused(exported, tmp_path, forge):
    lines = lines_of(exported)
    forge(lines)
    result = arena("import", rewritten(tmp_path, lines), "--db", tmp_path / "there.db")
    assert result.exit_code in (1, 2), result.output
    assert "is refused" in result.stderr
    assert not (tmp_path / "there.db").exists()


@pytest.mark.parametrize(
    ("name", "owner"), [("Greedy", "bob"), ("built-in-random", "bob"), ("built-in-random", "local")]
)
def test_no_bot_of_an_archive_takes_the_place_of_one_of_ours(exported, tmp_path, name, owner):
    lines = lines_of(exported)
    lines[0]["bots"][0] |= {"name": name, "owner": owner}
    with pytest.raises(UsageError, match=f"{name} .*Arena's own bots"):
        archive.read(rewritten(tmp_path, lines))


@pytest.mark.parametrize(
    "forged",
    [{"owner": "bob", "digest": ""}, {"name": "built-in-random", "owner": "built-in", "digest": "sha256:1"},
     {"name": "random", "version": "built-in", "owner": "arena", "digest": "sha256:1"},
     {"name": "random", "version": "2", "owner": "arena", "digest": ""}],
)  # fmt: skip
def test_only_a_built_in_bot_has_no_digest(exported, tmp_path, forged):
    """Else it would be taken for one that can be played, or choose how the referee's own bot is called."""
    lines = lines_of(exported)
    lines[0]["bots"][0] |= forged
    with pytest.raises(UsageError, match=r"the bot .* has the digest"):
        archive.read(rewritten(tmp_path, lines))


@pytest.mark.parametrize("cut", [0.0, 0.3, 0.9])
def test_a_damaged_file_is_refused(exported, tmp_path, cut):
    path = tmp_path / "cut.gz"
    path.write_bytes(exported.read_bytes()[: int(cut * exported.stat().st_size)])
    result = arena("import", path, "--db", tmp_path / "there.db")
    assert result.exit_code == 2
    assert result.stderr.startswith(f"Error: {path} is refused: ")


def test_a_bomb_is_refused_before_it_fills_the_memory(tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "MAX_LINE", 1 << 16)
    path = tmp_path / "bomb.gz"
    path.write_bytes(gzip.compress(b'"' + b"a" * (1 << 20)))
    with pytest.raises(UsageError, match="too long"):
        archive.read(path)


def earlier(exported, tmp_path, matches):
    """The same tournament with fewer matches, as if it had been exported earlier."""
    lines = lines_of(exported)
    lines[0]["checksum"] = ""
    return rewritten(tmp_path, lines[: 1 + matches])


def test_an_unfinished_tournament_can_be_exported_and_grows(exported, tmp_path):
    there = tmp_path / "there.db"
    assert "5 new matches" in arena("import", earlier(exported, tmp_path, 5), "--db", there).output
    assert "1 new match\n" in arena("import", exported, "--db", there).output
    assert arena("verify", "--db", there).exit_code == 0


@pytest.mark.parametrize("rated", [False, True])
@pytest.mark.parametrize("matches", [0, 3, 6])
def test_what_is_older_than_what_is_here_adds_nothing(exported, played, tmp_path, matches, rated):
    """Into the store where it was played, and into one that has a newer import of it."""
    own, there = Store(shutil.copy(played, tmp_path / "own.db")), Store(tmp_path / "there.db")
    archive.add(there, archive.read(exported), rated=rated)
    early = archive.read(earlier(exported, tmp_path, matches))
    for store in (own, there):
        entry, added = archive.add(store, early, rated=rated)
        assert (entry.id, entry.finished, added) == (1, True, 0)
        assert [entry.id for entry in store.tournaments()] == [1]
        assert len(store.matches()) == 6
        assert store.inconsistencies() == []
        store.close()


def test_what_is_imported_never_goes_into_a_tournament_that_was_begun_here(exported, tmp_path):
    """Settings are public: whoever knows them could bring results for what is still to be played."""
    there = Store(tmp_path / "there.db")
    archived = archive.read(exported)
    begun = there.begin_tournament("claim", archived.entry.settings)
    entry, added = archive.add(there, archived)
    assert (entry.id, entry.apart, added) == (2, True, 6)
    assert there.matches(tournament_id=begun.id) == []
    settings = Settings.from_json(archived.entry.settings)
    early, _ = archive.add(there, archive.read(earlier(exported, tmp_path, 3)))
    assert early.id == 2
    there.finish_tournament(begun.id)
    assert with_seed(settings, None, there).seed != settings.seed  # nor does it choose the deals here
    assert there.begin_tournament("claim", archived.entry.settings).id == 3


def test_who_vouches_for_an_older_file_does_not_vouch_for_what_is_here_beyond_it(exported, tmp_path):
    there = Store(tmp_path / "there.db")
    archive.add(there, archive.read(exported))
    with pytest.raises(UsageError, match=r"imported, and has matches that are not in this file \(3\)"):
        archive.add(there, archive.read(earlier(exported, tmp_path, 3)), rated=True)
    assert there.tournament(1).apart
    assert there.tallies(Scope(game="claim")) == []
    assert not archive.add(there, archive.read(exported), rated=True)[0].apart
    assert archive.add(there, archive.read(earlier(exported, tmp_path, 3)), rated=True)[1] == 0
    there.close()


def test_matches_that_count_already_are_not_counted_again_with_an_import_of_them(exported, tmp_path):
    """It was begun here, ended elsewhere, and imported first without and then with --rated."""
    there = Store(tmp_path / "there.db")
    begun, _ = archive.add(there, archive.read(earlier(exported, tmp_path, 3)), rated=True)
    assert archive.add(there, archive.read(exported))[0].apart
    entry, added = archive.add(there, archive.read(exported), rated=True)
    assert (entry.id, entry.finished, added) == (begun.id, True, 3)
    assert sum(tally.matches for tally in there.tallies(Scope(game="claim"))) == 6
    assert there.inconsistencies() == []
    there.close()


def test_what_is_added_while_another_process_lets_it_count_is_counted(exported, tmp_path):
    here, there = (Store(tmp_path / "there.db") for _ in range(2))
    entry, _ = archive.add(here, archive.read(earlier(exported, tmp_path, 2)))
    archive.add(there, archive.read(earlier(exported, tmp_path, 3)), rated=True)
    whole = archive.read(exported)
    ids = {bot.id: here.bot_versions(bot.name)[0].id for bot in whole.bots}
    assert here.add_matches(entry.id, [archive._renumbered(match, entry.id, ids) for match in whole.matches()]) == 3
    assert here.inconsistencies() == []
    here.close()
    there.close()


@pytest.mark.real(reason="threads meet at one database")
def test_two_that_import_the_same_at_once_add_it_once(exported, tmp_path):
    Store(tmp_path / "there.db").close()
    with ThreadPoolExecutor(4) as threads:
        done = list(threads.map(lambda _: add_to(tmp_path / "there.db", exported), range(4)))
    assert {entry.id for entry, _ in done} == {1}
    assert sum(added for _, added in done) == 6
    assert arena("verify", "--db", tmp_path / "there.db").exit_code == 0


def add_to(path, exported):
    store = Store(path)
    try:
        return archive.add(store, archive.read(exported))
    finally:
        store.close()


def test_who_is_interrupted_adds_it_again(exported, tmp_path, monkeypatch):
    monkeypatch.setattr(archive, "BATCH", 2)
    there = Store(tmp_path / "there.db")
    add_matches, calls = there.add_matches, []

    def interrupted(*arguments):
        calls.append(arguments)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return add_matches(*arguments)

    monkeypatch.setattr(there, "add_matches", interrupted)
    with pytest.raises(KeyboardInterrupt):
        archive.add(there, archive.read(exported))
    entry, added = archive.add(there, archive.read(exported))
    assert (entry.id, entry.finished, added) == (1, True, 2)
    assert list(check_tournament(stored_tournament(there, entry), find)) == []


def test_what_was_played_otherwise_here_is_another_tournament_or_refused(exported, tmp_path):
    """The same settings, played twice with bots that choose by lot."""
    lines = lines_of(exported)
    there = Store(tmp_path / "there.db")
    archived = archive.read(exported)
    archive.add(there, archived, rated=True)
    store_it = replace_checksums(lines, tmp_path)
    entry, added = archive.add(there, archive.read(store_it))
    assert (entry.id, added) == (2, 6)
    third = Store(tmp_path / "third.db")
    archive.add(third, archive.read(earlier(exported, tmp_path, 3)), rated=True)
    with pytest.raises(UsageError, match="is already here with a different result"):
        archive.add(third, archive.read(store_it), rated=True)


def replace_checksums(lines, tmp_path):
    """The same tournament as if every match had gone otherwise."""
    for line in lines[1:]:
        line["checksum"] = line["checksum"][::-1]
    whole = TournamentChecksum(lines[0]["game"], lines[0]["settings"])
    for line in lines[1:]:
        whole.add(line["checksum"])
    lines[0]["checksum"] = whole.value()
    path = rewritten(tmp_path, lines)
    return path.rename(tmp_path / "otherwise.gz")


# -- whom an archive may touch --------------------------------------------------------------------------------


def ladder(path):
    words = ("--game", "claim", "--all", "--json", "--db", path)
    return [
        arena("ratings", *words).output,
        arena("crosstable", *words).output,
        arena("bots", "list", "--json", "--db", path).output,
    ]


@pytest.fixture
def local(exported, tmp_path):
    """A store with a ladder on which a bot of the archive is, with its files."""
    store = Store(tmp_path / "local.db")
    (two,) = [bot for bot in archive.read(exported).bots if bot.name == "two"]
    others = [two.digest, "sha256:5", "sha256:6"]
    own = [
        store.add_bot(name=name, version="1", owner="ann", digest=digest, origin="/x", games=["claim"])
        for name, digest in zip(("two", "mine", "yours"), others, strict=True)
    ]
    cup = store.begin_tournament("claim", BASE.to_json())
    for ordinal, (first, second) in enumerate([(0, 1), (1, 0), (1, 2), (0, 2)]):
        seats = tuple(
            SeatResult(own[bot].id, rank, 0.0, "NORMAL", "", 1, 1) for rank, bot in enumerate((first, second), 1)
        )
        store.add_match(MatchEntry(cup.id, f"m{ordinal}", ordinal, "", 0, "", 9, "", seats), b"")
    store.close()
    return tmp_path / "local.db"


def test_an_imported_tournament_counts_for_no_table_but_its_own_unless_the_organiser_says_so(local, exported):
    before = ladder(local)
    result = arena("import", exported, "--db", local)
    own = f"it counts for no table but its own (`arena ratings --tournament 2 --db {local}`), unless you give --rated"
    assert own in result.output
    assert ladder(local) == before
    assert json.loads(arena("tournament", "list", "--json", "--db", local).output)[-1]["imported"] is True
    assert len(json.loads(arena("ratings", "--tournament", 2, "--game", "claim", "--json", "--db", local).output)) == 3
    store = Store(local)
    (two,) = store.bot_versions("two")
    assert [match.entry.tournament_id for match in store.latest_matches(bot_id=two.id)] == [1, 1, 1]
    assert len(store.latest_matches(tournament_id=2)) == 6
    assert store.inconsistencies() == []

    assert "nothing new" in arena("import", exported, "--rated", "--db", local).output
    assert ladder(local)[:2] != before[:2]
    assert len(store.latest_matches(bot_id=two.id)) == 7
    assert store.inconsistencies() == []
    store.close()


@pytest.mark.parametrize("rated", [False, True])
def test_an_imported_version_does_not_displace_one_that_can_be_played(exported, tmp_path, rated):
    there = Store(tmp_path / "there.db")
    mine = there.add_bot(name="two", version="0", owner="local", digest="sha256:7", origin="/x", games=["claim"])
    archive.add(there, archive.read(exported), rated=rated)
    assert "two" not in [bot.name for bot in newest_versions(there.all_bots(), "claim") if bot.kind == "absent"]
    assert mine in newest_versions(there.all_bots(), "claim")


@pytest.mark.parametrize(
    ("name", "version", "owner"), [("two", "0", "ann"), ("Two", "0", "local"), ("TWO", "1", "bob")]
)
def test_a_name_of_somebody_else_is_not_taken(exported, tmp_path, name, version, owner):
    lines = lines_of(exported)
    for bot in lines[0]["bots"]:
        bot["owner"] = "mallory"
    there = Store(tmp_path / "there.db")
    there.add_bot(name=name, version=version, owner=owner, digest="sha256:7", origin="/x", games=["claim"])
    there.close()
    result = arena("import", rewritten(tmp_path, lines), "--db", tmp_path / "there.db")
    assert result.exit_code == 2
    assert f"the name {name} is that of a bot of {owner} here" in result.stderr
    there = Store(tmp_path / "there.db")
    assert (len(there.all_bots()), there.tournaments()) == (1, [])


def owned(tmp_path, exported, *owners, **others):
    """The archive, with these owners of its bots."""
    lines = lines_of(exported)
    for bot, owner in zip(lines[0]["bots"], owners):
        bot["owner"] = owner
    lines[0]["bots"][0] |= others
    return archive.read(rewritten(tmp_path, lines))


def test_what_is_rated_later_is_on_the_ladder_as_if_it_had_been_rated_at_once(exported, tmp_path):
    there, cup = Store(tmp_path / "there.db"), owned(tmp_path, exported, "ann", "bob", "local")
    archive.add(there, cup)
    assert newest_versions(there.all_bots(), "claim") == []
    archive.add(there, cup, rated=True)
    assert [(bot.name, bot.owner, bot.kind) for bot in newest_versions(there.all_bots(), "claim")] == [
        ("one", "ann", "absent"), ("two", "bob", "absent"),
    ]  # fmt: skip
    assert list(check_bots(there.all_bots())) == []
    there.close()


@pytest.mark.parametrize("name", ["two", "TWO"])
def test_a_name_that_has_two_owners_in_an_archive_is_not_rated(exported, tmp_path, name):
    there = Store(tmp_path / "there.db")
    cup = owned(tmp_path, exported, "ann", "bob", "bob", name=name, version="0")
    with pytest.raises(UsageError, match=f"{name} 0 is a bot of ann and two 1 one of bob, so the name would belong"):
        archive.add(there, cup, rated=True)
    assert there.all_bots() == []
    there.close()


def test_the_owner_of_a_name_can_submit_after_an_import_of_it(exported, tmp_path):
    there = Store(tmp_path / "there.db")
    archive.add(there, archive.read(exported))
    asked = RegistrationRequest(owner="ann", name="two", version="2", games=("claim",))
    assert plan_registration(there, None, asked, ["claim"]).name == "two"


@pytest.mark.real(reason="measures time")
def test_reading_stops_at_the_first_thing_that_is_wrong(exported, tmp_path):
    lines = lines_of(exported)
    path = rewritten(tmp_path, [*lines[:2], *[lines[1]] * 20_000])
    started = time.monotonic()
    result = arena("import", path, "--db", tmp_path / "there.db")
    assert time.monotonic() - started < 15
    assert result.exit_code == 1
    assert "another match has the same place 0 in the schedule; nothing was added" in result.stderr
    assert result.stderr.count("\n") == 1
