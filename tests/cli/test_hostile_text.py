"""Nothing in a record or store that a stranger made steers the terminal, is taken for markup, or forges a line."""

import json
import re
from dataclasses import replace

import pytest
from click.testing import CliRunner

from arena.cli import main
from arena.match import NO_TIMES, Contestant, Ending, SandboxReport, Strike, Verdict
from arena.referee import record
from arena.registry import find
from arena.store.base import MatchEntry, Output, SeatResult
from arena.store.sql import Store
from arena.untrusted.text import json_text, printable
from tests.kits.contestants import choosing, write_bot

EVIL = (
    "\x1b]0;title\x07\x1b[2J\x1b[31m\x9b7m\x1b]8;;http://x/\x1b\\ \u202etxt\u2066 \x00\x08\r\nseat 1: forged "
    "[bold red]loud[/bold red] [/] [link=http://x]y[/link] :skull: \u200b\u2028 \\"
)
MARKUP = "[bold red]loud[/bold red] [/] [link=http://x]y[/link] :skull:"
COLOURS = re.compile(r"\x1b\[[0-9;]*m")


def arena(*args, colours=False):
    return CliRunner().invoke(
        main, [str(arg) for arg in args], env={"FORCE_COLOR": "1" if colours else None, "COLUMNS": "1000"}
    )


def assert_harmless(result, *, markup=True):
    """Only visible characters, and our own colours where they are asked for; the stranger's words stand as they are."""
    text = COLOURS.sub("", result.output)
    assert text.replace("\n", "").isprintable(), [each for each in text if not each.isprintable() and each != "\n"]
    assert not any(line.lstrip().startswith("seat 1: forged") for line in text.splitlines())
    assert not isinstance(result.exception, Exception), result.exception
    if markup:
        assert MARKUP in text


@pytest.fixture(scope="module")
def hostile(tmp_path_factory):
    """The record of a match with evil words wherever a record has words."""
    path = tmp_path_factory.mktemp("hostile") / "game.arena"
    CliRunner().invoke(main, ["match", "--game", "claim", "--bot", "first", "--seed", "7", "--out", str(path)])
    game, kept = find("claim"), record.read(path, find)
    evil = Verdict(Ending.CRASH, EVIL)
    spec = replace(kept.spec, match_id=EVIL, contestants=(Contestant(EVIL, EVIL, EVIL),) * 2)
    times = replace(NO_TIMES, wall=5)
    evil_moves = (replace(each, substituted=True, times=times, output=EVIL) for each in kept.played[:2])
    played = (*evil_moves, *kept.played[2:4])
    kept = replace(
        kept,
        spec=spec,
        played=played,
        verdicts=(evil, evil),
        outcome=replace(kept.outcome, reason=EVIL),
        strikes=(Strike(0, 0, evil), Strike(1, 1, evil)),
        sandboxes=(SandboxReport(EVIL, {EVIL: EVIL}),) * 2,
    )
    record.save(path, kept, game)
    return path


@pytest.mark.parametrize("colours", [False, True])
@pytest.mark.parametrize("words", [["show"], ["show", "--all"]])
def test_a_hostile_record_is_shown_as_it_is(hostile, words, colours):
    assert_harmless(arena("replay", *words, hostile, colours=colours))


def test_a_hostile_record_as_json_can_be_printed_and_read(hostile):
    result = arena("replay", "show", "--json", hostile)
    assert_harmless(result)
    assert json.loads(result.output.splitlines()[-1])["outcome"]["reason"] == EVIL


def test_a_hostile_record_is_verified_quietly(hostile, tmp_path):
    assert_harmless(arena("replay", "verify", hostile), markup=False)
    void = tmp_path / "void.arena"
    kept = record.read(hostile, find)
    record.save(void, replace(kept, verdicts=(Verdict(Ending.VOID, EVIL),) * 2), find("claim"))
    assert_harmless(arena("replay", "verify", void))


def test_a_hostile_version_of_the_rules_is_refused_quietly(hostile, tmp_path):
    path = tmp_path / "old.arena"
    record.save(path, replace(record.read(hostile, find), rules_version=EVIL), find("claim"))
    for words in (["replay", "show"], ["replay", "verify"]):
        result = arena(*words, path)
        assert_harmless(result)
        assert result.exit_code == 1


@pytest.mark.parametrize("colours", [False, True])
@pytest.mark.parametrize("seat", [0, 1])
def test_a_hostile_record_is_reproduced_quietly(hostile, seat, colours, tmp_path):
    bot = write_bot(tmp_path / "mine", choosing("return turn.legal[-1]"))
    assert_harmless(arena("bot", "reproduce", hostile, "--seat", seat, "--bot", bot, colours=colours))


def test_a_record_that_lacks_verdicts_is_refused_in_a_sentence(hostile, tmp_path):
    bot, path = write_bot(tmp_path / "mine", choosing("return turn.legal[-1]")), tmp_path / "few.arena"
    record.save(path, replace(record.read(hostile, find), verdicts=()), find("claim"))
    result = arena("bot", "reproduce", path, "--seat", 1, "--bot", bot)
    assert result.exit_code == 1
    assert "Error: the record has not one verdict per seat" in result.output


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    """A store with evil words wherever a store has words."""
    path = tmp_path_factory.mktemp("store") / "db"
    store = Store(path)
    bots = [
        store.add_bot(name=name, version=EVIL, owner=EVIL, digest=name + EVIL, origin=EVIL, games=["claim"])
        for name in ("a", EVIL)
    ]
    log = EVIL.replace("\r\n", " ")  # what a bot prints has lines of its own
    seats = tuple(SeatResult(bot.id, rank, 0.0, "CRASH", EVIL, 1, 7) for rank, bot in enumerate(bots, 1))
    tournament = store.begin_tournament("claim", {})
    store.add_match(
        MatchEntry(tournament.id, "abc123", 0, "0 1", 1, EVIL, 5, "", seats),
        b"record",
        (),
        {0: Output(log), 1: Output(log)},
    )
    store.close()
    return path


@pytest.mark.parametrize("colours", [False, True])
@pytest.mark.parametrize(
    "words",
    [
        ["history", "a"],
        ["history", "a", "--json"],
        ["history", "a", "--csv"],
        ["history", "a", "--match", "abc"],
        ["bots", "list"],
        ["bots", "show", "a"],
        ["ratings", "--game", "claim"],
        ["ratings", "--game", "claim", "--json"],
        ["ratings", "--game", "claim", "--csv"],
        ["crosstable", "--game", "claim"],
    ],
)
def test_a_hostile_store_is_shown_as_it_is(store, words, colours):
    assert_harmless(arena(*words, "--db", store, colours=colours))


def test_a_hostile_store_is_verified_quietly(store):
    assert_harmless(arena("verify", "--db", store), markup=False)


@pytest.mark.parametrize("words", [["ratings", "--game", "claim"], ["crosstable", "--game", "claim"], ["history", "a"]])
def test_a_page_that_is_printed_steers_no_terminal(store, words):
    result = arena(*words, "--html", "--db", store)
    assert result.exit_code == 0, result.output
    assert result.output.replace("\n", "").isprintable()


def test_only_invisible_characters_are_escaped():
    assert printable("Doppelgänger «é» 😀") == "Doppelgänger «é» 😀"
    assert printable("a\nb\tc") == "a\\nb\\tc"
    assert printable("a\nb\x1b", lines=True) == "a\nb\\x1b"
    assert json.loads(json_text({"ä": EVIL + "\U000e0001"}, indent=2)) == {"ä": EVIL + "\U000e0001"}
    assert json_text(["ä", "\x9b", "\U000e0001"]) == '["ä", "\\u009b", "\\udb40\\udc01"]'
