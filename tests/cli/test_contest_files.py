"""`arena contest check`, `export`, `backup` and `restore`: everything that a contest keeps."""

import io
import json
import tarfile
import threading
from contextlib import closing
from pathlib import Path

import pytest

from arena.contest.people import NewPerson, People
from arena.contest.sessions import Sessions
from arena.contest.submissions import Submissions, Wish
from arena.store.sql import Store
from tests.kits.contest_folders import PLENTY, hand_in, make_contest, opened
from tests.kits.contestants import arena
from tests.kits.postgres import Server


@pytest.fixture
def contest(tmp_path):
    return make_contest(tmp_path, "--address", "https://cup.example")


@pytest.fixture
def there(contest):
    return ("--contest", contest.folder)


def good(*words):
    done = arena(*words)
    assert done.exit_code == 0, done.output
    return done.stdout


def refusal(*words):
    done = arena(*words)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.output
    return done.stderr


# -- check ----------------------------------------------------------------------------------------------------


def test_a_contest_that_is_whole_has_nothing_wrong(contest):
    hand_in(contest, "ann", "mover")
    said = good("contest", "check", contest.folder)
    assert "3 contestants in 2 teams can log in" in said
    assert said.endswith("nothing is wrong\n")


def lose_the_upload(contest, bot):
    next(contest.uploads.iterdir()).unlink()


def change_the_upload(contest, bot):
    next(contest.uploads.iterdir()).write_text("other")


def open_the_uploads(contest, bot):
    contest.uploads.chmod(0o755)


def lose_the_uploads(contest, bot):
    lose_the_upload(contest, bot)
    contest.uploads.rmdir()


def lose_the_bot(contest, bot):
    (contest.folder / "bots" / bot.digest[7:]).rename(contest.folder / "gone")


def change_the_bot(contest, bot):
    (contest.folder / "bots" / bot.digest[7:] / "bot.py").chmod(0o644)
    (contest.folder / "bots" / bot.digest[7:] / "bot.py").write_text("other")


def lose_the_results(contest, bot):
    (contest.folder / "arena.db").unlink()


def change_the_results(contest, bot):
    (contest.folder / "arena.db").unlink()
    Store(contest.folder / "arena.db").close()


def lose_the_people(contest, bot):
    Path(contest.people).unlink()


def open_the_cards(contest, bot):
    (contest.folder / "cards.html").chmod(0o644)


def lock_the_organiser(contest, bot):
    good("contest", "people", "disable", "organiser", "--contest", contest.folder)


def mistype(contest, bot):
    (contest.folder / "contest.toml").write_text("title = 3")


def forget_tls(contest, bot):
    text = (contest.folder / "contest.toml").read_text()
    (contest.folder / "contest.toml").write_text(text.replace("https://cup", "http://cup"))


@pytest.mark.parametrize(
    ("harm", "complaint"),
    [
        (lose_the_upload, "the file of submission 1 is gone"),
        (change_the_upload, "the file of submission 1 was changed"),
        (open_the_uploads, "where uploads lie: chmod 700"),
        (lose_the_uploads, "there is no folder"),
        (lose_the_bot, "the files of mover 1 are gone"),
        (change_the_bot, "the files of mover 1 were changed"),
        (lose_the_results, "the results cannot be read: there is no store"),
        (change_the_results, "its team has no such bot in the results"),
        (lose_the_people, "the people cannot be read"),
        (open_the_cards, "and so all its tokens: chmod 600"),
        (lock_the_organiser, "no organiser can log in"),
        (mistype, "must say `title` and `games`"),
        (forget_tls, "is not encrypted"),
    ],
)
def test_what_is_wrong_is_said(contest, harm, complaint):
    harm(contest, hand_in(contest, "ann", "mover"))
    done = arena("contest", "check", contest.folder)
    assert (done.exit_code, done.stderr) == (1, "")
    assert complaint in done.stdout
    assert "to put right" in done.stdout
    told = json.loads(arena("contest", "check", contest.folder, "--json").stdout)
    assert any(complaint in finding["sentence"] and finding["wrong"] for finding in told)


def test_a_folder_without_a_contest_is_wrong(tmp_path):
    done = arena("contest", "check", tmp_path)
    assert (done.exit_code, "there is no contest.toml" in done.stdout) == (1, True)


# -- export ---------------------------------------------------------------------------------------------------


def test_sources_are_the_newest_of_every_bot_in_a_folder_per_team(contest, there, tmp_path):
    hand_in(contest, "ann", "mover")
    hand_in(contest, "bob", "mover", "2")
    hand_in(contest, "bob", "castle")
    rook = hand_in(contest, "carol", "rook")
    out = tmp_path / "sources.tar.gz"
    assert "with 3 bots of 2 teams" in good("contest", "export", "--sources", out, *there)
    assert out.stat().st_mode & 0o777 == 0o600
    with tarfile.open(out) as archive:
        sources = {m.name: archive.extractfile(m).read().decode() for m in archive if m.name.endswith("bot.py")}
        assert all(member.mode & 0o200 for member in archive)
    assert sources == {
        "carol/rook/bot.py": "# rook 1\n",
        "reds/castle/bot.py": "# castle 1\n",
        "reds/mover/bot.py": "# mover 2\n",
    }
    (contest.folder / "bots" / rook.digest[7:]).rename(tmp_path / "gone")
    told = json.loads(good("contest", "export", "--sources", out, "--json", *there))
    assert told["left_out"] == [{"team": "carol", "name": "rook", "version": "1"}]
    assert len(told["bots"]) == 2


# -- backup and restore ---------------------------------------------------------------------------------------


def test_a_contest_comes_back_elsewhere_with_its_people_uploads_and_bots(contest, there, tmp_path):
    bot = hand_in(contest, "ann", "mover")
    database = contest.open_people()
    session = Sessions(database).start(People(database).find("ann"))
    before = People(database).all(), Submissions(database).newest()
    database.dispose()
    said = good("contest", "backup", tmp_path / "cup.tar", *there)
    assert said.endswith("with 1 upload and the folders of 1 bot\n")
    assert (tmp_path / "cup.tar").stat().st_mode & 0o777 == 0o600
    contest.folder.rename(tmp_path / "gone")
    said = good("contest", "restore", tmp_path / "cup.tar", tmp_path / "there")
    assert said.endswith("with 1 upload and the folders of 1 bot\n")
    restored = opened(tmp_path / "there")
    assert restored.settings == contest.settings
    database = restored.open_people()
    assert (People(database).all(), Submissions(database).newest()) == before
    assert Sessions(database).find(session) is None
    database.dispose()
    assert (tmp_path / "there" / "bots" / bot.digest[7:] / "bot.py").read_text() == "# mover 1\n"
    assert restored.uploads.stat().st_mode & 0o777 == 0o700
    assert "nothing is wrong" in good("contest", "check", tmp_path / "there")
    assert not list(tmp_path.glob(".*"))
    assert not list((tmp_path / "there").glob("*.tar"))


def test_a_backup_is_whole_while_people_hand_in_and_a_runner_registers(contest, there, tmp_path):
    enough, done = threading.Event(), []

    def live():
        while not enough.is_set():
            done.append(hand_in(contest, "ann", f"mover{len(done)}"))

    living = threading.Thread(target=live)
    living.start()
    try:
        for number in range(3):
            good("contest", "backup", tmp_path / "cup.tar", *there)
            good("contest", "restore", tmp_path / "cup.tar", tmp_path / f"copy{number}")
    finally:
        enough.set()
        living.join()
    assert len(done) > 1
    for number in range(3):
        assert "nothing is wrong" in good("contest", "check", tmp_path / f"copy{number}")


def test_a_contest_that_was_kept_elsewhere_comes_back_in_one_folder(contest, there, tmp_path):
    (tmp_path / "data").mkdir()
    Path(contest.people).rename(tmp_path / "data" / "people.db")
    text = (contest.folder / "contest.toml").read_text()
    moved = text.replace(f'people = "{contest.settings.keep.people}"', f'people = "{tmp_path / "data" / "people.db"}"')
    (contest.folder / "contest.toml").write_text(moved)
    good("contest", "backup", tmp_path / "cup.tar", *there)
    good("contest", "restore", tmp_path / "cup.tar", tmp_path / "there")
    assert opened(tmp_path / "there").settings == contest.settings
    assert "carol" in good("contest", "people", "list", "--contest", tmp_path / "there")


def test_nothing_is_replaced(contest, there, tmp_path):
    good("contest", "backup", tmp_path / "cup.tar", *there)
    before = sorted(path.name for path in contest.folder.iterdir())
    assert "is not empty, and nothing is replaced" in refusal(
        "contest", "restore", tmp_path / "cup.tar", contest.folder
    )
    assert sorted(path.name for path in contest.folder.iterdir()) == before
    (tmp_path / "empty").mkdir()
    good("contest", "restore", tmp_path / "cup.tar", tmp_path / "empty")
    assert "there is no folder" in refusal("contest", "backup", tmp_path / "no" / "cup.tar", *there)


def with_a_way_out(members):
    members["../outside"] = b"x"


def with_a_strange_upload(members):
    members["uploads/../../outside"] = b"x"


def without_people(members):
    del members["people.db"]


def with_strange_settings(members):
    members["contest.toml"] = b"title = 3"


def with_strange_results(members):
    members["results.tar"] = b"garbage" * 999


def with_strange_people(members):
    members["people.db"] = b"garbage" * 999


@pytest.mark.parametrize(
    "change",
    [
        with_a_way_out, with_a_strange_upload, without_people, with_strange_settings, with_strange_results,
        with_strange_people,
    ],
)  # fmt: skip
def test_another_file_is_refused_and_leaves_nothing(contest, there, tmp_path, change):
    good("contest", "backup", tmp_path / "cup.tar", *there)
    with tarfile.open(tmp_path / "cup.tar") as backup:
        members = {member.name: backup.extractfile(member).read() for member in backup}
    change(members)
    with tarfile.open(tmp_path / "cup.tar", "w") as backup:
        for name, data in members.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            backup.addfile(entry, io.BytesIO(data))
    refusal("contest", "restore", tmp_path / "cup.tar", tmp_path / "there")
    assert {path.name for path in tmp_path.iterdir()} == {"class.csv", "cup", "cup.tar"}


# -- PostgreSQL -----------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_a_contest_in_postgres(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    server = Server()
    try:
        url = server.url
        contest = make_contest(tmp_path, "--db", url)
        there = ("--contest", contest.folder)
        assert not list(contest.folder.rglob("*.db"))
        assert "carol" in good("contest", "people", "list", *there)
        good("contest", "people", "renew", "carol", *there)
        assert "nothing is wrong" in good("contest", "check", contest.folder)
        hand_in(contest, "carol", "rook")
        assert "nothing is wrong" in good("contest", "check", contest.folder)
        good("contest", "export", "--sources", tmp_path / "sources.tar.gz", *there)
        with tarfile.open(tmp_path / "sources.tar.gz") as archive:
            assert "carol/rook/bot.py" in archive.getnames()
        assert "the files of 1 bot" in good("contest", "people", "erase", "carol", "--yes", *there)
        with closing(Store(url)) as store:
            assert (store.kept_files(), [bot.kind for bot in store.all_bots()]) == ([], ["absent"])
        assert "pg_dump --format=custom" in refusal("contest", "backup", tmp_path / "cup.tar", *there)
        # A second contest there would mix their people: it is refused, and leaves nothing.
        said = refusal("contest", "new", tmp_path / "second", "--game", "claim", "--db", url)
        assert "there is an account organiser already" in said
        assert not (tmp_path / "second").exists()
    finally:
        server.remove()


def test_what_waits_is_taken_back_with_the_last_of_a_team(contest, there):
    database = contest.open_people()
    submissions, (issued,) = Submissions(database), People(database).add([NewPerson("dora")])
    waiting, _ = submissions.add(issued.person, "k", "dora.zip", Wish("dora-bot"), PLENTY)
    good("contest", "people", "erase", "dora", "--yes", *there)
    found = submissions.find(waiting.id)
    database.dispose()
    assert (found.state, found.file_name, found.wish) == ("cancelled", "", Wish())
