"""The referee with scripted bots: every fault becomes a verdict, and only our own failures void a match."""

import asyncio
import re
from dataclasses import replace

import pytest

from arena import errors
from arena.bots.builtin import RandomBot
from arena.clock import TimeControl
from arena.contestant.reproduce import requests
from arena.errors import BadMessage, Crashed, Disconnected, EngineFault, InfraError, TimedOut
from arena.links.local import LocalLink
from arena.match import Contestant, Ending, MatchSpec, Moves, Ready
from arena.referee.faults import ENDING_OF, FaultPolicy
from arena.referee.illegal_moves import verdict_in
from arena.referee.player import Player
from arena.referee.progress import Progress
from arena.referee.record import dump, load
from arena.referee.referee import play
from arena.referee.replay import banks_of, verify
from arena.referee.seal import seal
from arena.sdk import Session
from engines.claim.game import GAME, Claim
from tests.referee.scripted_link import ScriptedLink

CONTROL = TimeControl(per_move=1.0, bank=2.0, increment=0.0, allowance=0.0)
CONFIG = GAME.configure(2, {})


def run(*scripts, game=GAME, strikes=0, lag=0.0, control=CONTROL):
    links = [ScriptedLink(GAME, script, lag) for script in scripts]
    spec = MatchSpec("m", "claim", CONFIG, 7, (Contestant("a"), Contestant("b")), control)
    players = [Player(game.codec, link, control) for link in links]
    return asyncio.run(play(game, players, spec, FaultPolicy(strikes))), links


def test_a_match_without_faults():
    record, links = run({}, {})
    assert [verdict.ending for verdict in record.verdicts] == [Ending.NORMAL] * 2
    assert len(record.played) == 52
    assert [link.calls for link in links] == [27, 27]
    assert all(link.told[0].outcome == record.outcome for link in links)
    verify(GAME, record)


def first_legal(turn):
    state = GAME.start(CONFIG, 7)
    return Moves(turn, (state.legal()[0],))


FAULTS = {
    "wrong bytes": (b"\xff\xff", Ending.PROTOCOL),
    "empty reply": (b"", Ending.PROTOCOL),
    "ready instead of a move": (Ready(True), Ending.PROTOCOL),
    "wrong turn": (first_legal(2), Ending.PROTOCOL),
    "no move": (Moves(1, ()), Ending.PROTOCOL),
    "unknown card": (Moves(1, (99,)), Ending.ILLEGAL),
    "too many moves": (Moves(1, (first_legal(1).moves[0], 0)), Ending.ILLEGAL),
    "late": (3.5, Ending.TIME),
    "over the bank": (3.01, Ending.TIME),
    "crash": (Crashed("exit code 1"), Ending.CRASH),
    "disconnect": (Disconnected("closed"), Ending.DISCONNECT),
    "out of memory": (errors.OutOfMemory("128 MiB"), Ending.OUT_OF_MEMORY),
    "abuse": (errors.Abuse("flood"), Ending.ABUSE),
}


@pytest.mark.parametrize(("step", "ending"), FAULTS.values(), ids=FAULTS)
def test_a_fault_forfeits_the_match(step, ending):
    record, links = run({1: step}, {})
    assert record.verdicts[0].ending is ending
    assert record.verdicts[0].sentence
    assert record.verdicts[1].ending is Ending.NORMAL
    assert record.outcome.ranks == (2, 1)
    assert record.outcome.scores == (0.0, 1.0)
    assert links[1].told[0].verdict.ending is Ending.NORMAL
    verify(GAME, record)


def test_an_illegal_move_is_kept_with_its_fault_and_its_seal_does_not_cover_it():
    record, _ = run({1: Moves(1, (99,))}, {})
    (fault,) = load(dump(record, GAME), lambda _: GAME).faults
    assert GAME.codec.load_move(fault.tried) == 99
    assert seal(GAME, record) == seal(GAME, replace(record, faults=(replace(fault, tried=b""),)))
    assert record.result == "b won by forfeit (a chose an illegal move at move 1)"
    assert record.seat_words(1) == "won by forfeit"
    legal = GAME.codec.dump_move(GAME.start(CONFIG, 7).legal()[0])
    with pytest.raises(errors.RecordError, match="move 1, for which seat 0 is blamed, is legal"):
        verify(GAME, replace(record, faults=(replace(fault, tried=legal),)))


def test_a_move_too_many_and_one_that_the_codec_cannot_write_are_not_kept():
    record, _ = run({1: FAULTS["too many moves"][0]}, {})
    assert record.faults[0].tried == b""
    progress, fault = Progress(record.spec), errors.IllegalMove("no")
    fault.tried = "not a card"
    progress.fail(GAME, GAME.start(CONFIG, 7), 0, fault)
    assert progress.faults[0].tried == b""


def test_legal_moves_before_an_illegal_one_stay_played():
    record, _ = run({1: FAULTS["too many moves"][0]}, {})
    assert len(record.played) == 1


class Talkative(RandomBot):
    """Sends one move too many with the last card of the game."""

    def choose_several(self, turn):
        seen = turn.observation
        last = seen.phase == 2 and len(seen.hand) == 1 and seen.lead is not None
        return [self.choose(turn), 0] if last else [self.choose(turn)]


def test_moves_after_the_end_of_the_game_are_ignored():
    spec = MatchSpec("m", "claim", CONFIG, 7, (Contestant("a"), Contestant("b")), CONTROL)
    players = [Player(GAME.codec, LocalLink(Session(GAME, Talkative(1)).handle, lambda: 0.0), CONTROL) for _ in "ab"]
    record = asyncio.run(play(GAME, players, spec))
    assert [verdict.ending for verdict in record.verdicts] == [Ending.NORMAL] * 2
    assert len(record.played) == 52


def test_time_in_the_bank_is_spent_and_recorded():
    record, _ = run({1: 2.5, 2: 1.4}, {})
    assert [verdict.ending for verdict in record.verdicts] == [Ending.NORMAL] * 2
    moves = [move for move in record.played if move.seat == 0]
    assert [move.times.charged for move in moves[:3]] == [2_500_000, 1_400_000, 10_000]
    assert run({1: 2.5, 2: 1.6}, {})[0].verdicts[0].ending is Ending.TIME


@pytest.mark.parametrize("step", [TimedOut("no answer"), BadMessage("nonsense"), Moves(1, (3,)), Crashed("exit 1")])
def test_a_bot_that_does_not_start(step):
    record, _ = run({}, {0: step})
    assert record.verdicts[1].ending in {Ending.NO_START, Ending.PROTOCOL, Ending.CRASH}
    assert record.outcome.ranks == (1, 2)
    assert record.played == ()


def test_both_at_fault_are_two_verdicts():
    record, _ = run({0: TimedOut("")}, {0: Crashed("exit 1")})
    assert [verdict.ending for verdict in record.verdicts] == [Ending.NO_START, Ending.CRASH]
    assert record.outcome.ranks == (1, 1)
    verify(GAME, record)


class BrokenClaim(Claim):
    def start(self, config, seed):
        raise ZeroDivisionError("our rules are broken")


@pytest.mark.parametrize("step", [InfraError("no docker"), EngineFault("bad rules")])
def test_our_own_failure_voids_the_match(step):
    record, links = run({3: step}, {})
    assert {verdict.ending for verdict in record.verdicts} == {Ending.VOID}
    assert len(record.played) > 0
    assert record.outcome.ranks == ()
    assert [link.told[0].outcome.ranks for link in links] == [(1, 1)] * 2  # as the contract promises bots


def test_our_own_failure_at_the_start_voids_the_match():
    record, _ = run({0: InfraError("no docker")}, {0: InfraError("no disk")})
    assert {verdict.ending for verdict in record.verdicts} == {Ending.VOID}


def test_a_broken_engine_voids_the_match():
    record, _ = run({}, {}, game=BrokenClaim())
    assert {verdict.ending for verdict in record.verdicts} == {Ending.VOID}
    assert "ZeroDivisionError" in record.verdicts[0].sentence


@pytest.mark.parametrize("step", [b"\xff", 3.5, Moves(1, (99,)), Moves(1, ())])
def test_a_strike_is_made_good_by_a_random_legal_move(step):
    record, _ = run({1: step}, {}, strikes=1)
    assert [verdict.ending for verdict in record.verdicts] == [Ending.NORMAL] * 2
    (strike,) = record.strikes
    assert (strike.seat, strike.ply) == (0, 0)
    assert [move.substituted for move in record.played[:2]] == [True, False]
    again, _ = run({1: step}, {}, strikes=1)
    assert [played.move for played in again.played] == [played.move for played in record.played]
    verify(GAME, record)


def a_card_of_the_other(seat):
    """A card that this seat does not hold at the start, since another one holds it."""
    return GAME.start(CONFIG, 7).view(1 - seat).hand[0]


def test_a_verdict_says_in_words_which_move_was_illegal():
    move = a_card_of_the_other(0)
    for record, verdict in (
        (forfeited := run({1: Moves(1, (move,))}, {})[0], forfeited.verdicts[0]),
        (forgiven := run({1: Moves(1, (move,))}, {}, strikes=1)[0], forgiven.strikes[0].verdict),
    ):
        assert re.fullmatch(r"chose “leads \w+ \d”, which is not one of the 13 legal moves", verdict.sentence)
        verify(GAME, record)
    unknown, _ = run({1: Moves(1, (99,))}, {})
    assert unknown.verdicts[0].sentence == 'chose “{"play": 99}”, which is not one of the 13 legal moves'


def test_where_one_move_is_legal_the_verdict_says_that_it_was_another():
    state, fault = GAME.start(CONFIG, 7), errors.IllegalMove("no")
    while len(state.legal()) > 1:
        state.apply(state.legal()[0])
    fault.tried = next(card for card in range(50) if card not in state.legal())
    sentence = verdict_in(GAME, state, fault).sentence
    assert re.fullmatch(r"chose “.* \w+ \d.*”, but only one other move was legal", sentence)


def test_a_game_that_cannot_tell_an_illegal_move_leaves_the_sentence_of_its_rules():
    class Silent(Claim):
        def describe_move(self, state, move, seat=None):
            raise ZeroDivisionError

    state, fault = GAME.start(CONFIG, 7), errors.IllegalMove("no")
    fault.tried = object()
    assert verdict_in(Silent(), state, fault).sentence == "no"


@pytest.mark.parametrize("reply", [b"\xff", Moves(1, (99,))], ids=["no message", "no card"])
def test_the_time_of_a_reply_that_was_forgiven_is_kept(reply):
    control = TimeControl(per_move=0.0, bank=4.0, increment=0.0, allowance=0.0)
    record, links = run({1: reply}, {}, strikes=1, control=control)
    first = record.played[0]
    assert (first.substituted, first.times.wall, first.times.charged) == (True, 10_000, 10_000)
    turns = [GAME.codec.read_request(request) for request in links[0].asked[1:]]
    assert turns[1].bank == pytest.approx(3.99)
    assert next(iter(banks_of(record)))[0] == pytest.approx(3.99)
    asked = [request.turn for request in requests(GAME, record, 0)]
    assert [turn.bank for turn in asked] == pytest.approx([turn.bank for turn in turns], abs=1e-6)


@pytest.mark.parametrize("late", [9.0, 4.1], ids=["no reply", "a late reply"])
def test_the_increment_of_a_late_move_that_was_forgiven_is_there(late):
    record, links = run({1: late}, {}, strikes=1, control=TimeControl.parse("4s+0.5s"))
    assert [verdict.ending for verdict in record.verdicts] == [Ending.NORMAL] * 2
    turns = [GAME.codec.read_request(request) for request in links[0].asked[1:]]
    assert (turns[0].bank, turns[1].bank) == (4.0, 0.5)
    assert next(banks[0] for banks, move in zip(banks_of(record), record.played) if move.seat == 0) == 0.5
    asked = [request.turn for request in requests(GAME, record, 0)]
    assert [turn.bank for turn in asked] == pytest.approx([turn.bank for turn in turns], abs=1e-6)


def test_one_strike_too_many_forfeits():
    record, _ = run({1: b"", 2: b"", 3: b""}, {}, strikes=2)
    assert len(record.strikes) == 2
    assert record.verdicts[0].ending is Ending.PROTOCOL
    assert record.outcome.ranks == (2, 1)


def test_a_crash_is_never_made_good():
    record, _ = run({1: Crashed("exit 1")}, {}, strikes=9)
    assert record.verdicts[0].ending is Ending.CRASH


@pytest.mark.parametrize(("lag", "ending"), [(0.0, Ending.TIME), (0.05, Ending.TIME), (0.15, Ending.NORMAL)])
def test_a_lag_excuses_what_it_can_explain_and_voids_nothing(lag, ending):
    record, _ = run({2: 3.1}, {}, lag=lag)  # 0.1 s more than there is
    assert record.verdicts[0].ending is ending
    if ending is Ending.NORMAL:
        late = [move for move in record.played if move.seat == 0][1]
        assert (late.times.wall, late.times.charged, late.times.lag) == (3_100_000, 3_000_000, 150_000)


def test_no_lag_makes_a_bot_that_never_answers_play_on_or_voids_its_match():
    record, _ = run({2: 3.5}, {}, lag=9.0)  # the link has waited for the time, and for the lag
    assert record.verdicts[0].ending is Ending.TIME


def test_no_other_fault_is_excused_by_a_lag():
    assert run({2: b""}, {}, lag=9.0)[0].verdicts[0].ending is Ending.PROTOCOL


def test_every_fault_has_an_ending():
    assert set(ENDING_OF) == set(errors.BotFault.__subclasses__())
    assert len(set(ENDING_OF.values())) == len(ENDING_OF)
