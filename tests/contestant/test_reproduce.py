"""A played match again: the requests rebuilt from its record, and the answers of then and now side by side."""

import asyncio
import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from arena.bots.builtin import FirstBot, RandomBot
from arena.clock import TimeControl
from arena.contestant.reproduce import in_words, reproduce, requests
from arena.errors import UsageError
from arena.links.local import LocalLink
from arena.match import NO_TIMES, Contestant, Ending, MatchSpec, Strike, Verdict
from arena.referee import record as records
from arena.referee.faults import FaultPolicy
from arena.referee.player import STRICT, Player
from arena.referee.referee import play
from arena.registry import games
from arena.sdk import Bot, Session
from engines.claim import GAME
from tests.kits.contestants import arena, arena_process, choosing, write_bot

RANDOM = Path(__file__).parents[2] / "sample_bots/random"


class Tap(LocalLink):
    """A link that keeps what it carries."""

    def __init__(self, game, bot):
        super().__init__(Session(game, bot).handle, time.monotonic)
        self.sent = []

    async def call(self, request, wait, reply_policy=STRICT):
        self.sent.append(request)
        return await super().call(request, wait, reply_policy)


def played(bots, game=GAME, clock="5s/move", seed=3, strikes=0):
    """The record of a match between these bots, and the requests of each seat."""
    control = TimeControl.parse(clock)
    links = [Tap(game, bot) for bot in bots]
    names = tuple(Contestant(f"bot{seat}") for seat in range(len(bots)))
    spec = MatchSpec("test", game.info.name, game.configure(len(bots), {}), seed, names, control)
    players = [Player(game.codec, link, control) for link in links]
    return asyncio.run(play(game, players, spec, FaultPolicy(strikes))), [link.sent[1:] for link in links]


def compared(record, seat, bot, game=GAME, first=1):
    async def run():
        link = Tap(game, bot)
        return [comparison async for comparison in reproduce(game, record, seat, link, first=first)], link.sent

    return asyncio.run(run())


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("name", games())
def test_the_requests_are_the_same_bytes(name, seat):
    game = games()[name]
    record, sent = played([RandomBot(1), RandomBot(2)], game)
    assert [game.codec.write_turn(request.turn) for request in requests(game, record, seat)] == sent[seat]


def test_a_running_bank_is_rebuilt_to_the_microsecond():
    record, sent = played([RandomBot(1), RandomBot(2)], clock="30s+0.5s")
    turns = [GAME.codec.read_request(request) for request in sent[0]]
    for request, turn in zip(requests(GAME, record, 0), turns, strict=True):
        assert request.turn.bank == pytest.approx(turn.bank, abs=1e-4)
        assert replace(request.turn, bank=0.0, available=0.0) == replace(turn, bank=0.0, available=0.0)


def test_a_bot_that_wants_no_list_gets_none():
    class Blind(Bot):
        wants_legal = False

        def choose(self, turn):
            assert turn.legal is None
            return GAME.imagine(turn.observation, Random(1)).legal()[0]

    record, sent = played([Blind(), FirstBot(0)])
    answers, again = compared(record, 0, Blind())
    assert again[1:] == sent[0]
    assert all(answer.same for answer in answers)


def test_the_same_bot_answers_the_same():
    record, _ = played([FirstBot(0), RandomBot(2)])
    answers, _ = compared(record, 0, FirstBot(0))
    assert len(answers) == 26
    assert all(answer.same for answer in answers)


def test_another_bot_differs_and_the_game_goes_on_as_recorded():
    record, sent = played([FirstBot(0), RandomBot(2)])
    answers, again = compared(record, 0, RandomBot(9))
    assert again[1:] == sent[0]
    assert {answer.same for answer in answers} == {True, False}
    for answer in answers:
        assert answer.same == (answer.moves == answer.request.recorded)
        assert in_words(GAME, answer.request.state, answer.moves)


def test_it_can_begin_in_the_middle():
    record, _ = played([FirstBot(0), RandomBot(2)])
    whole, _ = compared(record, 0, FirstBot(0))
    part, _ = compared(record, 0, FirstBot(0), first=whole[20].request.move)
    assert [answer.request.turn for answer in part] == [answer.request.turn for answer in whole[20:]]


class Illegal(FirstBot):
    def choose(self, turn):
        return 99 if turn.number in (4, 6) else turn.legal[0]


def test_the_request_that_ended_the_match_comes_last():
    record, sent = played([Illegal(0), FirstBot(0)])
    answers, again = compared(record, 0, FirstBot(0))
    assert again[1:] == sent[0]
    assert 'the match ended here: chose “{"play": 99}”, which is not one of the' in answers[-1].request.note
    assert (answers[-1].request.recorded, answers[-1].same) == ((), False)
    assert not any(answer.request.note for answer in answers[:-1])
    (*_, last), _ = compared(record, 1, FirstBot(0))
    assert last.same


def test_an_illegal_answer_of_today_is_a_fault():
    record, _ = played([FirstBot(0), FirstBot(0)])
    answers, _ = compared(record, 0, Illegal(0))
    assert [answer.request.turn.number for answer in answers if answer.fault] == [4, 6]
    assert '{"play": 99}' in answers[3].fault


def test_a_replaced_move_is_nobodys():
    record, sent = played([Illegal(0), FirstBot(0)], strikes=2)
    answers, again = compared(record, 0, FirstBot(0))
    assert again[1:] == sent[0]
    noted = [answer for answer in answers if answer.request.note]
    assert [answer.request.turn.number for answer in noted] == [4, 6]
    assert all('random move was played for it: chose “{"play": 99}”' in answer.request.note for answer in noted)


def test_moves_of_one_reply_are_one_request():
    record, _ = played([FirstBot(0), FirstBot(0)], games()["kingdoms"])
    moves = list(record.played)
    double = next(ply for ply in range(1, len(moves)) if moves[ply].seat == moves[ply - 1].seat == 0)
    moves[double] = replace(moves[double], times=NO_TIMES)
    joined = replace(record, played=tuple(moves))
    lengths = [len(request.recorded) for request in requests(games()["kingdoms"], joined, 0)]
    assert sorted(set(lengths)) == [1, 2]
    assert sum(lengths) == sum(move.seat == 0 for move in moves)
    answers, _ = compared(joined, 0, FirstBot(0), games()["kingdoms"])
    assert all(answer.same for answer in answers)


def test_a_note_names_the_strike_of_its_own_move():
    record, _ = played([FirstBot(0), FirstBot(0)])
    ply = next(ply for ply, move in enumerate(record.played) if ply > 5 and move.seat == 0)
    moves = [replace(move, substituted=number == ply) for number, move in enumerate(record.played)]
    strikes = (Strike(0, ply, Verdict(Ending.TIME, "took too long")), Strike(1, 2, Verdict(Ending.TIME, "other")))
    changed = replace(record, played=tuple(moves), strikes=strikes)
    noted = [(request.move, request.note) for request in requests(GAME, changed, 0) if request.note]
    assert noted == [(ply + 1, "a random move was played for it: took too long")]


def test_a_seat_that_is_not_there_is_refused():
    record, _ = played([FirstBot(0), FirstBot(0)])
    with pytest.raises(UsageError, match="seats 0 to 1, not 2"):
        compared(record, 2, FirstBot(0))


# As it is typed.


@pytest.fixture
def kept(tmp_path):
    record, _ = played([FirstBot(0), RandomBot(1)])
    records.save(tmp_path / "game.arena", record, GAME)
    return tmp_path / "game.arena"


@pytest.mark.real(reason="the bot is a process")
@pytest.mark.slow
def test_a_folder_is_compared_and_its_output_seen(kept, tmp_path):
    bot = write_bot(tmp_path / "mine", choosing("print('turn', turn.number)\nreturn turn.legal[-1]"))
    done = arena_process("bot", "reproduce", kept, "--seat", 0, "--bot", bot, "--from", 10)
    assert done.returncode == 0, done.stderr
    assert "turn 26" in done.stdout
    assert "turn 1\n" not in done.stdout
    assert " then: seat 0 " in done.stdout
    assert " now:  seat 0 " in done.stdout
    assert " differently, first at move " in done.stdout


@pytest.mark.real(reason="the bot is a process")
@pytest.mark.slow
def test_a_strangers_record_cannot_steer_the_terminal_by_way_of_a_bot_that_prints_what_it_is_told(tmp_path):
    record, _ = played([FirstBot(0), RandomBot(1)])
    evil = "\x1b]0;owned\x07\x1b[2J\u202e"
    verdicts = tuple(replace(verdict, sentence=f"played{evil}") for verdict in record.verdicts)
    spec, outcome = replace(record.spec, match_id=f"id{evil}"), replace(record.outcome, reason=f"by points{evil}")
    forged = replace(record, spec=spec, outcome=outcome, verdicts=verdicts)
    records.save(tmp_path / "forged.arena", forged, GAME)
    done = arena_process("bot", "reproduce", tmp_path / "forged.arena", "--seat", 0, "--bot", RANDOM)
    assert done.returncode == 0, done.stderr
    assert "seat 0: by points\\x1b" in done.stdout, "the sample bot prints how the match ended"
    assert not {"\x1b", "\x07", "\u202e"} & set(done.stdout + done.stderr)


@pytest.mark.real(reason="the bot is a process")
@pytest.mark.slow
def test_a_breakpoint_works(kept, tmp_path):
    bot = write_bot(tmp_path / "mine", choosing("if turn.number == 3: breakpoint()\nreturn turn.legal[0]"))
    typed = "p 'at turn', turn.number\ncontinue\n"
    done = arena_process("bot", "reproduce", kept, "--seat", 0, "--bot", bot, typed=typed)
    assert done.returncode == 0, done.stderr
    assert "('at turn', 3)" in done.stdout
    assert "26 decisions: 26 as recorded, 0 differently" in done.stdout


@pytest.mark.real(reason="the bot is a process")
@pytest.mark.slow
def test_an_error_in_the_bot_shows_its_traceback(kept, tmp_path):
    bot = write_bot(tmp_path / "mine", choosing("if turn.number == 3: 1 / 0\nreturn turn.legal[0]"))
    done = arena_process("bot", "reproduce", kept, "--seat", 0, "--bot", bot)
    assert done.returncode == 1
    assert "2 decisions: 2 as recorded" in done.stdout
    assert "Then the bot failed: ended the stream" in done.stdout
    assert "ZeroDivisionError" in done.stderr


@pytest.mark.real(reason="the bot is a process")
@pytest.mark.slow
def test_a_bot_that_does_not_start_is_said_to(kept, tmp_path):
    bot = write_bot(tmp_path / "mine", "import no_such_module\n")
    done = arena_process("bot", "reproduce", kept, "--seat", 0, "--bot", bot)
    assert done.returncode == 1
    assert "the bot ended before it was ready, with code 1" in done.stdout
    assert "No module named 'no_such_module'" in done.stderr


@pytest.mark.real(reason="the bot is a process")
@pytest.mark.slow
def test_a_bot_in_an_ide_is_reached_by_its_port(kept, tmp_path):
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    bot = write_bot(tmp_path / "mine", choosing("return turn.legal[0]"))
    with subprocess.Popen([sys.executable, "bot.py", "--port", str(port)], cwd=bot) as child:
        try:
            done = arena_process("bot", "reproduce", kept, "--seat", 0, "--bot", f"grpc://127.0.0.1:{port}")
        finally:
            child.kill()
    assert done.returncode == 0, done.stderr
    assert "26 as recorded" in done.stdout


@pytest.mark.parametrize(
    ("args", "complaint"),
    [
        (["--seat", 0, "--bot", "random"], "random cannot be debugged: give a folder"),
        (["--seat", 0, "--bot", "./nowhere"], "there is no bot './nowhere'"),
        (["--seat", -1, "--bot", "random"], "Invalid value for '--seat'"),
        (["--bot", "random"], "Missing option '--seat'"),
    ],
)
def test_bad_input_is_one_sentence(kept, args, complaint):
    result = arena("bot", "reproduce", kept, *args)
    assert result.exit_code == 2
    assert complaint in result.stderr
    assert result.stderr.count("\n") == 1


def test_a_turn_is_what_the_bot_sees():
    """The observation of a rebuilt request is that of the seat, never the full state."""
    record, _ = played([FirstBot(0), RandomBot(1)])
    for request in requests(GAME, record, 1):
        assert request.turn.observation == request.state.view(1)
