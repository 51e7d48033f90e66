"""The tables in all their forms."""

import csv
import io
import json
import re
from datetime import UTC, datetime
from html import unescape
from itertools import combinations

import pytest
from rich.console import Console

from arena.cli.site import planned_matches
from arena.cli.table_formats import Table, print_table
from arena.cli.tables import print_standings
from arena.standings.ladder import Selection
from arena.standings.table import make_standings
from arena.store.base import BotEntry, MatchEntry, Output, SeatResult, Tally
from arena.store.sql import Store
from arena.tournaments.formats import schedule_of
from arena.web.formats import counted
from arena.web.reports import Cell, ReportSection, ratings_page, render_report
from tests.kits.contestants import arena
from tests.kits.fields import play_tournament

WORDS = [["ratings", "--game", "claim", "--all"], ["crosstable", "--game", "claim", "--all"], ["history", "two"]]
"""The bots are folders, which stay off the ladder."""


@pytest.fixture(scope="module")
def db(tmp_path_factory):
    """A store with a finished tournament."""
    return play_tournament(tmp_path_factory.mktemp("played"), rounds=2)


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_json_and_csv_have_the_same_rows(db, words):
    rows = json.loads(arena(*words, "--json", "--db", db).output)
    lines = list(csv.DictReader(io.StringIO(arena(*words, "--csv", "--db", db).output)))
    assert rows
    assert [{key: str(value) for key, value in row.items()} for row in rows] == lines


@pytest.mark.parametrize("words", WORDS, ids=" ".join)
def test_a_page_asks_the_network_for_nothing(db, words, tmp_path):
    result = arena(*words, "--html", tmp_path / "page.html", "--db", db)
    assert (result.exit_code, result.output) == (0, f"wrote {tmp_path / 'page.html'}\n")
    page = (tmp_path / "page.html").read_text()
    assert page == arena(*words, "--db", db, "--html").output.removesuffix("\n")
    assert not re.search(r"https?:|src=|@import|url\(|<script|<link", page)
    assert "default-src 'none'" in unescape(page)
    assert "light-dark(" in page
    assert all(name in page for name in ("one 1", "two 1", "three 1"))
    assert page.count("<table>") == page.count("<caption>") == 1


@pytest.mark.parametrize("command", ["ratings", "crosstable"])
def test_a_tournament_needs_no_game_beside_it(db, command):
    """The commands that other ones name, such as `arena tournament list` and `arena import`."""
    alone, both = (
        arena(command, "--tournament", 1, "--db", db),
        arena(command, "--tournament", 1, "--game", "claim", "--db", db),
    )
    assert (alone.exit_code, alone.output) == (0, both.output)
    neither = arena(command, "--db", db)
    assert (neither.exit_code, neither.stderr) == (2, "Error: which game? Give --game GAME, or --tournament ID\n")


def test_a_bot_that_has_not_played_is_the_best_of_nobody(capsys):
    """As after a budget that ended within the first round."""
    bots = [
        BotEntry(number, name, "1", "me", name, "", ("claim",), retired=False, created=datetime.now(UTC))
        for number, name in enumerate("abc")
    ]
    table = make_standings([Tally((0, 1), (1, 2), 4)], [], Selection(bots, bots))
    print_standings(table, "Claim", Console(width=100))
    idle = next(line for line in capsys.readouterr().out.splitlines() if "c 1" in line)
    assert idle.split() == ["–", "c", "1", "not", "played", "–", "–", "0", "0-0-0", "0"]
    page = ratings_page("Claim", {"": table.rows}, table)
    assert ">100 %<" not in page
    assert page.count(">has not played<") == 1


@pytest.fixture(scope="module")
def early(tmp_path_factory):
    """A store with a tournament that was stopped before its bots had met, and a test of two of them."""
    db = tmp_path_factory.mktemp("early") / "db"
    store = Store(db)
    bots = [
        store.add_bot(name=name, version="1", owner=f"owner of {name}", digest=name, origin="/x", games=["claim"])
        for name in "abcd"
    ]
    cup, test = store.begin_tournament("claim", {}), store.begin_tournament("claim", {"format": "test"})
    played = [(cup, 0, 1, 4), (cup, 2, 3, 6), (test, 0, 2, 2)]
    for entry, one, two, times in played:
        for count in range(store.latest_number(), store.latest_number() + times):
            ranks = (1, 2) if entry is cup or count % 2 else (2, 1)
            seats = tuple(SeatResult(bots[i].id, rank, 1.0, "NORMAL", "", 1, 1) for i, rank in zip((one, two), ranks))
            store.add_match(MatchEntry(entry.id, f"{count:04}", count, "", count, "", 1, "", seats), b"")
    store.close()
    return db


def test_a_tournament_stopped_early_is_in_order_of_points_in_every_form(early):
    words = ("ratings", "--tournament", 1, "--db", early)
    shown = arena(*words).output
    heads = next(line for line in shown.splitlines() if "points" in line)
    assert heads.split() == ["bot", "owner", "points", "games", "W-D-L", "faults"]
    assert [line.split()[0] for line in shown.splitlines()[3:7]] == ["c", "a", "d", "b"]
    assert "In order of points: ratings and ranks are known when all have met" in " ".join(shown.split())
    rows = json.loads(arena(*words, "--json").output)
    assert [(row["name"], row["owner"], row["group"]) for row in rows] == [
        ("c", "owner of c", 2), ("a", "owner of a", 1), ("d", "owner of d", 2), ("b", "owner of b", 1),
    ]  # fmt: skip
    unknown = ("place", "mu", "sigma", "field_sigma", "best", "rank_low", "rank_high")
    assert {row[name] for row in rows for name in unknown} == {None}
    for line in csv.DictReader(io.StringIO(arena(*words, "--csv").output, newline="")):
        assert {line[name] for name in unknown} == {""}
    page = arena(*words, "--html").output
    assert "% intervals" not in page.split("<table>")[0]  # no plot of ratings
    assert "owner of c" in page


def test_a_cross_table_says_who_met_only_in_tests(early):
    assert "1 pair met only in tests, which are not rated: --tests shows them" in arena(
        "crosstable", "--game", "claim", "--db", early
    ).output.replace("\n", " ")
    tests = arena("crosstable", "--game", "claim", "--tests", "--db", early).output
    assert tests.count("1/2") == 2
    assert "met only" not in tests


def test_owners_are_shown_where_they_differ_and_bars_where_there_is_room(monkeypatch, early, db):
    def heads(width, *words):
        monkeypatch.setenv("COLUMNS", str(width))
        lines = arena("ratings", *words).output.splitlines()
        return lines[1], "●" in "".join(lines)

    several = ("--game", "claim", "--tests", "--db", early)
    assert ["owner" in heads(width, *several)[0] for width in (80, 100)] == [True, True]
    assert [heads(width, *several)[1] for width in (80, 100)] == [False, True]
    one_owner = heads(80, "--game", "claim", "--latest", "--db", db)
    assert ("owner" in one_owner[0], one_owner[1]) == (False, True)


def test_the_ratings_show_bars_ranks_and_what_a_seat_is_worth(db):
    output = arena("ratings", "--game", "claim", "--latest", "--db", db).output
    assert all(word in output for word in ("●", "──", "W-D-L", "rank", "best", "faults", "worth of a seat"))


def test_a_page_escapes_everything():
    nasty = '"><script>alert(1)</script>'
    section = ReportSection(nasty, (), [Cell(nasty)], [[Cell(nasty, head=True), Cell(nasty, style=nasty)]], nasty)
    page = render_report(nasty, nasty, [section])
    assert "<script" not in page
    assert "&lt;script&gt;" in page


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_csv_is_safe_for_spreadsheets(start, capsys):
    rows = [{"bot": f"{start}cmd|' /C calc'!A0", "points": -1.5}]
    print_table(Table(rows, str, lambda: None), as_json=False, as_csv=True, html=None, columns=None)
    (line,) = csv.DictReader(io.StringIO(capsys.readouterr().out, newline=""))
    assert line["bot"].startswith("'")
    assert line["points"] == "-1.5"


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (["ratings", "--game", "claim", "--json", "--csv"], "choose one of --json, --csv and --html"),
        (["ratings", "--game", "claim", "--by", "role"], "the seats of claim have no roles"),
        (["ratings", "--game", "rrr", "--tournament", "1"], "tournament 1 is one of claim, not of rrr"),
        (["ratings", "--game", "claim", "--latest", "--tests"], "choose one of --latest, --tests"),
        (
            ["ratings", "--game", "claim", "--since", "soon"],
            "'soon' is not a valid date: write 2026-05-01, or 7d for a week ago",
        ),
        (["ratings", "--game", "claim", "--html", "/no/such/folder/x.html"], "cannot be written"),
        (
            ["ratings", "--game", "claim", "--latest", "--columns", "name,elo"],
            "there is no column 'elo': choose among group, place,",
        ),
        (["ratings", "--game", "claim", "--columns", "name", "--html"], "a page has all of them"),
        (["history", "nobody"], "there is no bot 'nobody'"),
        (["history", "two", "--match", "zz"], "it played no match 'zz'"),
        (["history", "two", "--match", ""], "it played no match ''"),
        (["history", "two", "--out", "x"], "say with --match"),
        (["history", "two", "--match", "1", "--csv"], "one match is shown as text, or whole with --json"),
    ],
)
def test_what_cannot_be_is_one_sentence(db, words, complaint):
    result = arena(*words, "--db", db)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert result.stderr.count("\n") == 1


def test_columns_are_chosen_in_every_form(db):
    words = ("ratings", "--game", "claim", "--latest", "--columns", "games,name", "--db", db)
    rows = json.loads(arena(*words, "--json").output)
    assert all(list(row) == ["games", "name"] for row in rows)
    lines = list(csv.DictReader(io.StringIO(arena(*words, "--csv").output, newline="")))
    assert lines == [{name: str(value) for name, value in row.items()} for row in rows]
    heads, _, *printed = arena(*words).output.splitlines()
    assert heads.split() == ["games", "name"]
    assert [line.split() for line in printed[: len(rows)]] == [[str(row["games"]), row["name"]] for row in rows]


def test_a_crosstable_of_many_bots_is_cut_into_parts_and_not_short(tmp_path, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    store = Store(tmp_path / "db")
    names = [f"bot{'-of-a-long-name' * (number % 3)}-{number}" for number in range(14)]
    bots = [
        store.add_bot(name=name, version="1", owner="", digest=name, origin="/x", games=["claim"]) for name in names
    ]
    cup = store.begin_tournament("claim", {})
    for count, (a, b) in enumerate(combinations(bots, 2)):
        seats = tuple(SeatResult(bot.id, 1, 1.0, "NORMAL", "", 1, 1) for bot in (a, b))
        store.add_match(MatchEntry(cup.id, f"{count:04}", count, "", count, "", 1, "", seats), b"")
    store.close()
    output = arena("crosstable", "--game", "claim", "--db", tmp_path / "db").output
    assert max(map(len, output.splitlines())) <= 80
    assert (output.count("0.5/1"), output.count("·"), output.count("…")) == (14 * 13, 14, 0)
    assert all(name in output.replace("\n", " ") or name[:20] in output for name in names)


def test_a_store_with_tests_alone_says_that_there_are_some(tmp_path):
    store = Store(tmp_path / "db")
    bots = [
        store.add_bot(name=name, version="1", owner="", digest=name, origin="/x", games=["claim"], tried=True)
        for name in "abc"
    ]
    test = store.begin_tournament("claim", {"format": "test"})
    seats = tuple(SeatResult(bot.id, 1, 1.0, "NORMAL", "", 1, 1) for bot in bots[:2])
    store.add_match(MatchEntry(test.id, "00", 0, "", 0, "", 1, "", seats), b"")
    store.close()
    for command in ("ratings", "crosstable"):
        shown = arena(command, "--game", "claim", "--db", tmp_path / "db").output
        assert shown == "no rated matches of claim yet, only tests: --tests shows them\n"
    listed = arena("bots", "list", "--db", tmp_path / "db").output
    assert "not shown: 3 versions only tried out; --all shows every version" in listed


def test_an_empty_store_has_empty_tables(tmp_path):
    db = tmp_path / "empty.db"
    Store(db).close()
    for words in WORDS[:2]:
        assert json.loads(arena(*words, "--json", "--db", db).output) == []
        for form in ([], ["--csv"], ["--html"]):
            result = arena(*words, "--db", db, *form)
            assert result.exit_code == 0, result.output
        assert "no matches of claim yet" in arena(*words, "--db", db).output


def test_a_contestant_sees_why_a_match_was_lost(tmp_path):
    store = Store(tmp_path / "db")
    bots = [
        store.add_bot(name=name, version="1", owner="", digest=name, origin="/x", games=["claim"])
        for name in ("a", "b")
    ]
    seats = (
        SeatResult(bots[0].id, 2, 0.0, "CRASH", "its process ended with code 1", 1_500_000, 7),
        SeatResult(bots[1].id, 1, 1.0, "NORMAL", "played to the end", 9, 7),
    )
    tournament = store.begin_tournament("claim", {})
    match = MatchEntry(tournament.id, "abc123", 0, "0 1", 1, "a forfeits", 5, "", seats)
    outputs = {0: Output("Traceback: no cheese\n"), 1: Output("the other's secret\n")}
    store.add_match(match, b"record", (), outputs)
    store.close()
    out = tmp_path / "game.arena"
    output = arena("history", "a", "--match", "abc", "--out", out, "--db", tmp_path / "db").output
    assert "match abc123 of tournament 1: b 1 won by forfeit (a 1's process ended at move 6), 5 moves" in output
    assert "seat 0  a 1, rank 2, 0 points, 1.50 s" in output
    assert "CRASH: its process ended with code 1" in output
    assert "played to the end" not in output
    assert "Traceback: no cheese" in output
    assert "secret" not in output
    assert out.read_bytes() == b"record"
    plain = json.loads(arena("history", "a", "--match", "abc", "--json", "--db", tmp_path / "db").output)
    assert (plain["match"], plain["output"], len(plain["seats"])) == ("abc123", "Traceback: no cheese\n", 2)
    assert (plain["seats"][0]["name"], plain["seats"][0]["version"]) == ("a", "1")


def test_numbers_have_their_nouns():
    assert [counted(number, "match") for number in (0, 1, 2000)] == ["0 matches", "1 match", "2,000 matches"]


def test_how_many_matches_are_planned_is_worked_out_once(monkeypatch):
    made = []
    monkeypatch.setattr("arena.cli.site.schedule_of", lambda settings: made.append(settings) or schedule_of(settings))
    settings = {
        "game": "kingdoms", "options": {}, "seats": 3, "format": "round-robin", "rounds": 2, "seed": 987, "clock": "1s",
        "strikes": 0, "sandbox": "process", "memory_bytes": 1, "cpus": 1.0, "ponder": False, "fresh": False,
        "bots": [[f"b{number}", "1", "x"] for number in range(5)],
    }  # fmt: skip
    assert [planned_matches(settings) for _ in range(3)] == [60, 60, 60]
    assert planned_matches({**settings, "rounds": 3}) == 90
    assert len(made) == 2
