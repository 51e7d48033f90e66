"""Why a match ended by a fault: the move, what was legal, and what the bot printed if that is asked for."""

from dataclasses import replace

import pytest

from arena.errors import Crashed
from arena.match import Ending, Fault, Strike, Verdict, result_words
from arena.referee.faults import result
from arena.referee.record import dump
from arena.registry import find
from arena.store.sql import Store
from arena.web.causes import find_causes, last_lines
from arena.web.replay_data import read_replay
from arena.web.replay_page import replay_html
from arena.web.site import Site
from arena.web.snapshot import take_snapshot
from arena.workers.match_rows import match_entry
from tests.kits.contestants import arena
from tests.referee.test_play_on import run as play_kingdoms
from tests.web.replays import random_match

SECRET = "<b>Traceback</b>: my opening book"


def illegal_match(name="claim", *, tried=None, ply=9):
    """A random game in which the seat to move after so many moves played one that it had played before."""
    whole, game = random_match(name), find(name)
    seat = whole.played[ply].seat
    earlier = next(move.move for move in whole.played if move.seat == seat)
    packed = game.codec.dump_move(earlier) if tried is None else tried
    fault = Fault(seat, ply, Verdict(Ending.ILLEGAL, "<i>7</i> may not be played now"), packed)
    verdicts = tuple(fault.verdict if other == seat else fine for other, fine in enumerate(whole.verdicts))
    outcome = result(None, [seat], 2)
    return replace(whole, played=whole.played[:ply], verdicts=verdicts, outcome=outcome, faults=(fault,))


@pytest.mark.parametrize("name", ["assassins", "claim", "rrr"])
def test_the_cause_of_an_illegal_move_is_the_move_and_what_was_legal(name):
    record, game = illegal_match(name), find(name)
    (cause,) = find_causes(game, record)
    state = game.start(record.spec.config, record.spec.seed)
    for played in record.played:
        state.apply(played.move)
    assert (cause.seat, cause.ply, len(cause.legal)) == (record.faults[0].seat, 9, len(state.legal()))
    assert cause.tried.endswith("}")
    assert cause.tried.startswith(("leads", "follows with")) == (name == "claim")
    assert not any(words.startswith("seat") for words in cause.legal)


def test_what_was_forgiven_is_told_on_the_page():
    whole = random_match("claim")
    third = replace(whole.played[2], substituted=True)
    strike = Strike(third.seat, 2, Verdict(Ending.ILLEGAL, "chose “leads <i>Goblin 7</i>”"))
    record = replace(whole, played=(*whole.played[:2], third, *whole.played[3:]), strikes=(strike,))
    (cause,) = find_causes(find("claim"), record)
    assert (cause.seat, cause.ply, cause.forgiven) == (third.seat, 2, True)
    page = replay_html(read_replay(find("claim"), record))
    assert '<a href="#2">at move 3</a>: <bdi>chose “leads &lt;i&gt;Goblin 7&lt;/i&gt;”</bdi>' in page
    assert "did wrong" not in page


def test_lists_of_matches_in_which_others_played_on_say_when_a_bot_was_at_fault(tmp_path):
    kept, _ = play_kingdoms({}, {5: Crashed("exit code 1")}, {})
    store = Store(tmp_path / "db")
    facts = {"owner": "", "origin": "/x", "games": ["kingdoms"]}
    bots = [store.add_bot(name=f"bot{seat}", version="1", digest=str(seat), **facts) for seat in range(3)]
    game, tournament = find("kingdoms"), store.begin_tournament("kingdoms", {})
    places, ids = range(3), [bot.id for bot in bots]
    entry = match_entry(game, kept, tournament_id=tournament.id, ordinal=0, places=places, bot_ids=ids)
    store.add_match(entry, dump(kept, game))
    said = f"(bot1's process ended at move {kept.faults[0].ply + 1})"
    assert said in kept.result
    assert said in " ".join(arena("history", "bot0", "--json", "--db", tmp_path / "db").output.split())
    shown = " ".join(arena("history", "bot0", "--match", kept.spec.match_id, "--db", tmp_path / "db").output.split())
    assert said.replace("bot1's", "bot1 1's") in shown
    site = Site(store, {"kingdoms": game}, take_snapshot(store, {"kingdoms": game.info}))
    (view,) = site.views_of(store.latest_matches())
    assert said.replace("bot1's", "bot1 1's") in view.result


def test_an_older_record_still_tells_what_was_legal():
    record = illegal_match()
    new, old = (find_causes(find("claim"), kept)[0] for kept in (record, replace(record, faults=())))
    assert old == replace(new, tried="")


def test_bytes_that_are_no_move_are_left_out():
    (cause,) = find_causes(find("claim"), illegal_match(tried=b"\xff\xff"))
    assert cause.tried == ""
    assert cause.legal


def test_the_page_of_a_match_tells_the_cause_and_output_only_if_asked():
    record = illegal_match()
    replay, seat = read_replay(find("claim"), record), record.faults[0].seat
    page = replay_html(replay)
    assert replay.result in page
    assert "won by forfeit (" in replay.result
    assert "chose an illegal move at move 10)" in replay.result
    assert '<a href="#9">at move 10</a>' in page
    assert "&lt;i&gt;7&lt;/i&gt; may not be played now" in page
    assert f"{len(replay.causes[0].legal)} moves were legal" in page.replace("move was", "moves were")
    assert "Traceback" not in page
    assert "&lt;b&gt;Traceback&lt;/b&gt;: my opening book" in replay_html(replay, outputs={seat: SECRET})
    assert "Traceback" not in replay_html(replay, framed=True, outputs={seat: SECRET})


def test_output_is_shown_in_its_last_lines_and_cannot_steer_a_terminal():
    assert last_lines("".join(f"{number}\n" for number in range(30))).splitlines()[0] == "10"
    assert last_lines("\x1b[2Jgone\n") == "\\x1b[2Jgone"


RESULTS = [
    ((1, 2), ("NORMAL", "NORMAL"), {}, "a wins: 5 to 2"),
    ((1, 1), ("NORMAL", "NORMAL"), {}, "A draw: 5 to 2"),
    ((2, 1), ("TIME", "NORMAL"), {0: 36}, "b won by forfeit (a used more time than it had at move 37)"),
    ((2, 1), ("NO_START", "NORMAL"), {0: 0}, "b won by forfeit (a never became ready)"),
    ((1, 1), ("NO_START", "CRASH"), {}, "Nobody won (a never became ready; b's process ended)"),
    ((2, 1, 3), ("NORMAL", "NORMAL", "CRASH"), {2: 4}, "b wins: 5 to 2 (c's process ended at move 5)"),
    ((1, 1, 3), ("NORMAL", "NORMAL", "CRASH"), {}, "a and b share the win: 5 to 2 (c's process ended)"),
    ((), ("VOID", "VOID"), {}, "The match does not count"),
]


@pytest.mark.parametrize(("ranks", "endings", "plies", "sentence"), RESULTS, ids=[row[3] for row in RESULTS])
def test_a_result_is_one_sentence(ranks, endings, plies, sentence):
    assert result_words("abc"[: len(endings)], ranks, "5 to 2", endings, plies) == sentence
