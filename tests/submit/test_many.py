"""`arena submit THING… --owners FILE`: many at once for a teacher, each decided on its own."""

import json
import tarfile

import pytest

from arena.contest.people import NewPerson
from arena.contest.roster import owner_of
from arena.store.sql import Store
from tests.kits.contestants import arena, choosing, need_bubblewrap, write_bot

ROSTER = [NewPerson("ann"), NewPerson("ann-lee"), NewPerson("bob", "", "reds"), NewPerson("j.doe")]


@pytest.mark.parametrize(
    ("thing", "owner"),
    [
        ("handed-in/ann", "ann"),
        ("handed-in/Ann/", "ann"),
        ("ann.zip", "ann"),
        ("ann-bot.tar.gz", "ann"),
        ("ann_2.tar", "ann"),
        ("ann-lee.zip", "ann-lee"),
        ("ann-lee-bot", "ann-lee"),
        ("ann-leema", "ann"),
        ("bob", "reds"),
        ("reds-second.tar.xz", "reds"),
        ("j.doe-bot.zip", "j.doe"),
        ("annabel", None),
        ("my-ann", None),
        ("ann/bot", None),
        ("..", None),
    ],
)
def test_the_owner_is_whose_name_it_begins_with(thing, owner):
    assert owner_of(thing, ROSTER) == owner


@pytest.fixture
def handed_in(tmp_path, monkeypatch):
    monkeypatch.setenv("ARENA_DB", str(tmp_path / "store/arena.db"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "class.csv").write_text("name,team\nann,\nbob,reds\ncarol,\n")
    return tmp_path


@pytest.mark.slow
@pytest.mark.real(reason="submissions are played in sandboxes")
def test_each_is_accepted_or_refused_on_its_own(handed_in):
    need_bubblewrap()
    good = choosing("return turn.legal[0]")
    ann, bob = write_bot(handed_in / "ann-first", good), write_bot(handed_in / "bob", good)
    write_bot(handed_in / "carol_bot", choosing("return 99999"))
    write_bot(handed_in / "stranger", good)
    with tarfile.open(handed_in / "bob.tar.gz", "w:gz") as archive:
        archive.add(bob, "bob")
    (handed_in / "carol.zip").write_bytes(b"no archive")
    things = ("ann-first", "bob.tar.gz", "carol_bot", "carol.zip", "stranger")
    done = arena("submit", *things, "--owners", "class.csv", "--clock", "30s/move")
    assert done.exit_code == 1, done.output
    table = done.stdout.partition("handed in")[2]
    assert [table.count(f" {state} ") for state in ("registered", "refused")] == [2, 3]
    assert "2 bots of 5 on the ladder" in table
    again = arena("submit", *things, "--owners", "class.csv", "--clock", "30s/move", "--json")
    fates = {fate["thing"]: fate for fate in json.loads(again.stdout)}
    assert again.exit_code == 1
    assert [(fates[thing]["owner"], fates[thing]["state"]) for thing in things] == [
        ("ann", "registered"), ("reds", "registered"), ("carol", "refused"), ("carol", "refused"), ("", "refused"),
    ]  # fmt: skip
    assert fates["ann-first"]["bot"]["name"] == ann.name
    assert "seat 0 of 2, after" in fates["carol_bot"]["reason"]
    assert "nobody in the roster is called as 'stranger' begins" in fates["stranger"]["reason"]
    store = Store(handed_in / "store/arena.db")
    owners = {bot.name: bot.owner for bot in store.all_bots()}
    store.close()
    assert owners == {"ann-first": "ann", "bob": "reds"}
    alone = arena("submit", "ann-first", "--owners", "class.csv", "--clock", "30s/move")
    assert (alone.exit_code, "1 bot of 1 on the ladder" in alone.stdout) == (0, True), alone.output


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        ((), "--owner NAME for one bot, or --owners FILE for many"),
        (("--owner", "ann", "--owners", "class.csv"), "--owner NAME for one bot, or --owners FILE for many"),
        (("another", "--owner", "ann"), "for many write --owners FILE"),
        (("--owners", "class.csv", "--name", "x"), "--name and --version are for one bot"),
        (("--owners", "none.csv"), "does not exist"),
    ],
)
def test_whose_it_is_must_be_clear(handed_in, words, complaint):
    done = arena("submit", "ann", *words)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1)
    assert complaint in done.stderr
    assert not (handed_in / "store").exists()
