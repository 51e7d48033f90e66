"""The referee with scripted bots: every fault becomes a verdict, and only our own failures void a match."""

import asyncio

import pytest

from arena import errors
from arena.builtin import RandomBot
from arena.clock import TimeControl
from arena.errors import BadMessage, Crashed, Disconnected, EngineFault, InfraError, TimedOut
from arena.links.local import LocalLink
from arena.match import Contestant, Ending, MatchSpec, Moves, Ready
from arena.player import Answer, Player
from arena.referee import ENDING_OF, play
from arena.replay import verify
from arena.sdk import Session
from engines.claim.game import GAME, Claim

CONTROL = TimeControl(per_move=1.0, bank=2.0, increment=0.0, allowance=0.0)
CONFIG = GAME.configure(2, {})


class ScriptedLink:
    """A bot that plays at random until its script says something else for a call."""

    def __init__(self, script=None, wall=0.01):
        self.inner = LocalLink(Session(GAME, RandomBot(1)).handle, lambda: 0.0)
        self.script = script or {}
        self.wall = wall
        self.calls = 0
        self.told = []

    async def call(self, request, wait):
        step = self.script.get(self.calls)
        self.calls += 1
        if isinstance(step, Exception):
            raise step
        if isinstance(step, float):
            if step > wait:
                raise TimedOut("no reply in time")
            return Answer((await self.inner.call(request, wait)).reply, step)
        if step is not None:
            return Answer(step if isinstance(step, bytes) else GAME.codec.write_reply(step), self.wall)
        return Answer((await self.inner.call(request, wait)).reply, self.wall)

    async def tell(self, request):
        self.told.append(GAME.codec.read_request(request))

    async def close(self):
        pass


def run(*scripts, game=GAME):
    links = [ScriptedLink(script) for script in scripts]
    spec = MatchSpec("m", "claim", CONFIG, 7, (Contestant("a"), Contestant("b")), CONTROL)
    players = [Player(game.codec, link, CONTROL) for link in links]
    return asyncio.run(play(game, players, spec)), links


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


def test_legal_moves_before_an_illegal_one_stay_played():
    record, _ = run({1: FAULTS["too many moves"][0]}, {})
    assert len(record.played) == 1


def test_time_in_the_bank_is_spent_and_recorded():
    record, _ = run({1: 2.5, 2: 1.4}, {})
    assert [verdict.ending for verdict in record.verdicts] == [Ending.NORMAL] * 2
    mine = [move for move in record.played if move.seat == 0]
    assert [move.charged_us for move in mine[:3]] == [2_500_000, 1_400_000, 10_000]
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
    record, _ = run({3: step}, {})
    assert {verdict.ending for verdict in record.verdicts} == {Ending.VOID}
    assert len(record.played) > 0


def test_a_broken_engine_voids_the_match():
    record, _ = run({}, {}, game=BrokenClaim())
    assert {verdict.ending for verdict in record.verdicts} == {Ending.VOID}
    assert "ZeroDivisionError" in record.verdicts[0].sentence


def test_every_fault_has_an_ending():
    assert set(ENDING_OF) == set(errors.BotFault.__subclasses__())
    assert len(set(ENDING_OF.values())) == len(ENDING_OF)
