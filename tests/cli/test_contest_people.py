"""`arena contest new` and `people`: from a roster to cards, and what becomes of accounts after that."""

import csv
import io
import json
import re
import sys
from pathlib import Path

import pytest
import segno

from arena.contest.audit import Audit
from arena.contest.people import People
from arena.contest.sessions import Sessions
from arena.contest.submissions import Submissions
from arena.store.sql import Store
from tests.kits.contest_folders import hand_in, make_contest, opened
from tests.kits.contestants import arena

TOKEN = re.compile(r"arena-[\w-]{43}")


def refusal(*words):
    done = arena(*words)
    assert (done.exit_code, done.stdout, done.stderr.count("\n")) == (2, "", 1), done.output
    return done.stderr


def good(*words):
    done = arena(*words)
    assert done.exit_code == 0, done.output
    return done.stdout


@pytest.fixture
def contest(tmp_path):
    return make_contest(tmp_path)


@pytest.fixture
def there(contest):
    return ("--contest", contest.folder)


@pytest.fixture
def database(contest):
    engine = contest.open_people()
    yield engine
    engine.dispose()


def audited(database):
    return [(deed.who, deed.address, deed.action, deed.thing) for deed in Audit(database).newest()]


def states(contest):
    rows = json.loads(good("contest", "people", "list", "--contest", contest.folder, "--json"))
    return {row["name"]: row["state"] for row in rows}


def test_a_roster_becomes_accounts_and_cards_whose_tokens_open_them(tmp_path):
    (tmp_path / "class.csv").write_text("name,display,team\nann,Ann A.,reds\nbob,,reds\ncarol,,\n")
    words = ("--game", "claim", "--game", "assassins", "--roster", tmp_path / "class.csv", "--title", "Spring cup")
    said = good("contest", "new", tmp_path / "cup", *words, "--address", "https://cup.example/", "--pseudonyms")
    assert "made the contest Spring cup" in said
    assert "4 accounts, 2 teams" in said
    contest = opened(tmp_path / "cup")
    settings = contest.settings
    assert (settings.title, settings.games, settings.pseudonyms) == ("Spring cup", ("claim", "assassins"), True)
    cards = tmp_path / "cup" / "cards.html"
    assert cards.stat().st_mode & 0o777 == 0o600
    page = cards.read_text()
    tokens = TOKEN.findall(page)
    database = contest.open_people()
    names = [People(database).with_token(token).name for token in tokens]
    assert names == ["organiser", "ann", "bob", "carol"]
    assert [deed[1:] for deed in audited(database)] == [("terminal", "contest new", "4 accounts")]
    database.dispose()
    # The QR code is that of the login, with the token where no server sees it.
    code = io.BytesIO()
    segno.make_qr(f"https://cup.example/login.html#{tokens[1]}", error="m").save(
        code, kind="svg", border=2, xmldecl=False, svgns=False, omitsize=True, svgclass=None, lineclass=None, nl=False
    )
    assert code.getvalue().decode() in page


def test_tokens_are_nowhere_but_on_the_cards(tmp_path):
    (tmp_path / "class.csv").write_text("name\nann\n")
    said = arena("contest", "new", tmp_path / "cup", "--game", "claim", "--roster", tmp_path / "class.csv")
    added = arena("contest", "people", "add", "bob", "--contest", tmp_path / "cup")
    renewed = arena("contest", "people", "renew", "ann", "--contest", tmp_path / "cup")
    cards = [tmp_path / "cup" / name for name in ("cards.html", "cards-2.html", "cards-3.html")]
    tokens = {token for path in cards for token in TOKEN.findall(path.read_text())}
    assert len(tokens) == 4
    others = [path.read_bytes() for path in tmp_path.rglob("*") if path.is_file() and path not in cards]
    for token in tokens:
        assert token not in said.output + added.output + renewed.output
        assert not any(token.removeprefix("arena-").encode() in data for data in others)


HOSTILE = """name,display,team
mallory,"<script>alert(1)</script><img src=x onerror=alert(2)>",
formula,"=cmd|' /C calc'!A0",reds
quote,"a"" onmouseover=""x()",reds
"""


def test_hostile_names_are_text_on_cards_and_cells_in_csv(tmp_path):
    contest = make_contest(tmp_path, "--title", "</title><script>t()</script>", roster=HOSTILE)
    page = (contest.folder / "cards.html").read_text()
    assert not re.search(r"<script|<img|onmouseover=\"|</title><", page)
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in page
    assert "a&#34; onmouseover=&#34;x()" in page
    rows = list(csv.DictReader(io.StringIO(good("contest", "people", "list", "--csv", "--contest", contest.folder))))
    assert next(row["display"] for row in rows if row["name"] == "formula") == "'=cmd|' /C calc'!A0"


@pytest.mark.parametrize(
    ("roster", "complaint"),
    [
        ("name\n=cmd()\n", "line 2: '=cmd()' is not a valid name"),
        ("name,display\nann,a\u202eb\n", "line 2: 'a\\u202eb' cannot be shown as a name"),
        ("name,display\nann,\x1b[31m\n", "cannot be shown as a name"),
        ("name\nann\nANN\n", "line 3: ann stands there twice"),
        ("name\n../up\n", "line 2: '../up' is not a valid name"),
        ("name\nerased-1\n", "line 2: names that begin with erased-"),
        ("name,team\nreds,\nann,reds\n", "reds is a person without a team and also a team"),
        ("name,role\nann,king\n", "line 2: 'king' is not a valid role"),
        ("name;team\nann;reds\n", "line 1: its first line must name columns"),
        ("name,name\nann,bob\n", "line 1: its first line must name columns"),
        ("name,display\nann," + "x" * 200_000 + "\n", "field larger than field limit"),
        ("name\n" + "ann\n" * 300_000, "is longer than 1024 KiB"),
        ("name\norganiser\n", "the roster has organiser as a contestant"),
        ("", "line 0: its first line must name columns"),
    ],
)
def test_a_roster_that_cannot_be_is_refused_in_a_sentence_and_nothing_is_made(tmp_path, roster, complaint):
    (tmp_path / "class.csv").write_text(roster, encoding="utf-8")
    words = ("--game", "claim", "--roster", tmp_path / "class.csv")
    assert complaint in refusal("contest", "new", tmp_path / "cup", *words)
    assert not (tmp_path / "cup").exists()


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("--game", "chess"), "there is no game 'chess'"),
        (("--game", "claim", "--address", "cup.example"), "address must be of the form https://cup.example"),
        (("--game", "claim", "--address", "https://cup.example/?a#b"), "address must be of the form"),
        (("--game", "claim", "--db", "file.db"), "--db takes a URL of PostgreSQL"),
        (("--game", "claim", "--db", "postgresql://nobody@127.0.0.1:1/none"), "postgresql://nobody@127.0.0.1:1/none"),
        (("--game", "claim", "--organiser", "Ms Lee"), "'Ms Lee' is not a valid name"),
        (("--game", "claim", "--title", "a\u202eb"), "cannot be shown as a name"),
        ((), "Missing option '--game'"),
    ],
)
def test_what_cannot_be_a_contest_leaves_nothing_behind(tmp_path, words, complaint):
    done = arena("contest", "new", tmp_path / "cup", *words)
    assert done.exit_code in (1, 2)
    assert complaint in done.stderr
    assert done.stderr.count("\n") == 1
    assert not (tmp_path / "cup" / "contest.toml").exists()
    assert not list(tmp_path.rglob("cards*"))


def test_a_second_contest_does_not_replace_the_first(tmp_path, contest):
    before = (contest.folder / "contest.toml").read_bytes(), (contest.folder / "cards.html").read_bytes()
    assert "there is a contest in" in refusal("contest", "new", contest.folder, "--game", "claim")
    assert ((contest.folder / "contest.toml").read_bytes(), (contest.folder / "cards.html").read_bytes()) == before


def test_a_password_in_the_settings_is_for_its_owner(tmp_path):
    from arena import registry
    from arena.contest.settings import ContestSettings, Places, make_contest

    settings = ContestSettings("Cup", ("claim",), keep=Places())
    make_contest(tmp_path / "plain", settings, registry.games())
    assert (tmp_path / "plain" / "contest.toml").stat().st_mode & 0o777 == 0o644
    assert Places(results="postgresql://me:secret@host/name").has_password
    assert not Places(results="postgresql://me@host/name").has_password


def test_people_are_listed_in_every_form(contest, there):
    assert "Carol" in good("contest", "people", "list", *there)
    rows = json.loads(good("contest", "people", "list", "--json", *there))
    facts = ("name", "display", "team", "role", "state")
    assert [tuple(row[name] for name in facts) for row in rows[1:3]] == [
        ("ann", "Ann A.", "reds", "contestant", "active"),
        ("bob", "bob", "reds", "contestant", "active"),
    ]
    assert good("contest", "people", "list", "--csv", "--columns", "team,name", *there).split()[:3] == [
        "team,name", "organiser,organiser", "reds,ann",
    ]  # fmt: skip


def test_the_current_folder_is_meant(contest, monkeypatch, tmp_path):
    monkeypatch.chdir(contest.folder)
    assert "carol" in good("contest", "people", "list")
    monkeypatch.chdir(tmp_path)
    assert "there is no contest.toml in ." in refusal("contest", "people", "list")


def test_people_are_added_with_cards_of_their_own(contest, there, database, tmp_path):
    good("contest", "people", "add", "dora", "--display", "Dora D.", "--team", "reds", *there)
    (tmp_path / "late.csv").write_text("name,role\neve,\nfay,organiser\n")
    good("contest", "people", "add", "--roster", tmp_path / "late.csv", *there)
    everybody = {person.name: person for person in People(database).all()}
    assert (everybody["dora"].team.name, everybody["fay"].organises) == ("reds", True)
    for name, people in (("cards-2.html", ["dora"]), ("cards-3.html", ["eve", "fay"])):
        tokens = TOKEN.findall((contest.folder / name).read_text())
        assert [People(database).with_token(token).name for token in tokens] == people
    numbers = {f"person {everybody[name].id}" for name in ("dora", "eve", "fay")}
    assert {thing for _, _, action, thing in audited(database) if action == "people add"} == numbers


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("add", "carol"), "there is an account carol already"),
        (("add", "reds"), "there is a team reds already"),
        (("add",), "name either one person or a file with --roster"),
        (("renew",), "name either one person or --all"),
        (("renew", "nobody"), "there is no account 'nobody'"),
        (("disable", "nobody"), "there is no account 'nobody'"),
        (("erase", "nobody", "--yes"), "there is no account 'nobody'"),
    ],
)
def test_what_cannot_be_done_is_said_and_writes_no_cards(contest, there, database, words, complaint):
    before = audited(database)
    assert complaint in refusal("contest", "people", *words, *there)
    assert [path.name for path in contest.folder.glob("cards*")] == ["cards.html"]
    assert audited(database) == before


def test_a_locked_account_is_out_at_once_and_comes_back_with_its_token(contest, there, database):
    token = TOKEN.findall((contest.folder / "cards.html").read_text())[1]
    accounts, sessions = People(database), Sessions(database)
    session = sessions.start(accounts.find("ann"))
    good("contest", "people", "disable", "ann", *there)
    assert (accounts.with_token(token), sessions.find(session), states(contest)["ann"]) == (None, None, "disabled")
    assert "could not log in" in refusal("contest", "people", "renew", "ann", *there)
    good("contest", "people", "enable", "ann", *there)
    assert accounts.with_token(token).name == "ann"
    assert [deed[2] for deed in audited(database)][:2] == ["people enable", "people disable"]


def test_new_tokens_replace_the_old_ones(contest, there, database):
    old = TOKEN.findall((contest.folder / "cards.html").read_text())
    good("contest", "people", "disable", "carol", *there)
    good("contest", "people", "renew", "--all", *there)
    fresh = TOKEN.findall((contest.folder / "cards-2.html").read_text())
    accounts = People(database)
    assert [accounts.with_token(token) for token in old] == [None] * 4
    assert [accounts.with_token(token).name for token in fresh] == ["organiser", "ann", "bob"]


def test_who_is_erased_leaves_a_number_and_the_team_its_files_with_the_last(contest, there, database):
    first, second = hand_in(contest, "ann", "mover"), hand_in(contest, "bob", "mover", "2")
    other = hand_in(contest, "carol", "rook", data=b"ann mover 1")  # the same bytes as another's
    team = People(database).find("ann").team
    good("contest", "people", "erase", "ann", "--yes", *there)
    assert len(list(contest.uploads.iterdir())) == 2  # Bob is still there
    said = good("contest", "people", "erase", "bob", "--yes", *there)
    assert "removed 1 upload and the files of 2 bots" in said
    (kept,) = contest.uploads.iterdir()
    assert kept.read_bytes() == b"ann mover 1"
    assert {path.name for path in (contest.folder / "bots").iterdir() if path.is_dir()} == {other.digest[7:]}
    with_results = Store(contest.results)
    bots = {bot.id: bot for bot in with_results.all_bots()}
    with_results.close()
    assert {(bots[each.id].owner, bots[each.id].retired, bots[each.id].kind) for each in (first, second)} == {
        (team.owner, True, "absent")
    }
    assert (bots[other.id].retired, bots[other.id].kind) == (False, "folder")
    submissions = Submissions(database)
    steps = [submissions.steps(each.id) for each in submissions.newest()]
    everything = repr((People(database).all(), submissions.newest(), steps, audited(database)))
    assert not re.search(r"\b(ann|bob|reds|Ann)\b", everything)
    assert "carol.zip" in everything
    assert states(contest) == {"organiser": "active", "erased-2": "erased", "erased-3": "erased", "carol": "active"}
    assert "was erased" in refusal("contest", "people", "enable", "erased-2", *there)
    assert arena("contest", "check", contest.folder).exit_code == 0


def test_erasing_asks_first(contest, there):
    done = arena("contest", "people", "erase", "carol", *there)
    assert done.exit_code == 130
    assert states(contest)["carol"] == "active"


def test_a_code_lets_strangers_in(contest, there, database):
    from arena.contest.people import NewPerson

    said = good("contest", "people", "invite", "--places", "1", "--days", "2", *there)
    code = said.splitlines()[-1]
    assert "1 account can be made within 2 days" in said
    assert People(database).join(code, NewPerson("zoe")).person.name == "zoe"
    deed = next(deed for deed in audited(database) if deed[2] == "people invite")
    assert deed[1:] == ("terminal", "people invite", "1 places, 2 days")
    assert code not in repr(audited(database))


def test_lost_people_are_not_made_anew(contest, there):
    Path(contest.people).unlink()
    assert "restore a backup" in refusal("contest", "people", "list", *there)
    assert not Path(contest.people).exists()


def test_without_the_library_of_qr_codes_nothing_is_made(tmp_path, contest, there, monkeypatch):
    monkeypatch.setitem(sys.modules, "segno", None)
    said = refusal("contest", "new", tmp_path / "second", "--game", "claim")
    assert "cards need a library for QR codes (segno): pip install" in said
    assert not (tmp_path / "second").exists()
    assert "pip install" in refusal("contest", "people", "add", "zoe", *there)
    assert "zoe" not in states(contest)
    assert "segno is not installed" in arena("contest", "check", contest.folder).stdout
