"""Which bots are started anew, and when; and that nothing of ours is ever left running."""

import asyncio

import pytest

from arena.bots.builtin import RandomBot
from arena.bots.running import LocalBot
from arena.bots.table import Table
from arena.clock import TimeControl
from arena.errors import InfraError, StartFailed, TimedOut
from arena.links.local import LocalLink
from arena.match import Contestant, Ending, MatchSpec
from arena.referee.faults import FORFEIT
from arena.referee.heartbeat import STEADY
from arena.sdk import Session
from arena.workers.base import Assignment, WorkerCleanupFailed
from arena.workers.worker import Worker
from engines.claim.game import GAME

CONTROL = TimeControl.parse("60s/move")


class HungLink:
    """A bot that answers nothing."""

    async def call(self, request, wait, reply_policy=None):
        raise TimedOut("no answer")

    async def wait_frozen(self):
        pass

    async def tell(self, request):
        pass

    async def close(self):
        pass


class ScriptedBot(LocalBot):
    """Plays at random, unless it is told to fail."""

    def __init__(self, name, *, start=None, hangs=False, close=None):
        super().__init__(Contestant(name), lambda: Session(GAME, RandomBot(1)).handle)
        self.start_error, self.hangs, self.close_error = start, hangs, close
        self.started = self.closed = self.paused = 0

    async def start(self):
        self.started += 1
        if self.start_error:
            raise self.start_error

    async def open_match(self, codec):
        return HungLink() if self.hangs else await super().open_match(codec)

    async def pause(self):
        self.paused += 1

    async def close(self):
        self.closed += 1
        if self.close_error:
            raise self.close_error


class Field:
    """Makes bots by number and remembers them all."""

    def __init__(self, *kinds):
        self.kinds, self.made = kinds, []

    def make(self, number):
        bot = self.kinds[number](f"bot-{number}")
        self.made.append((number, bot))
        return bot

    def worker(self, **options):
        return Worker(GAME, self.make, policy=FORFEIT, heartbeat=STEADY, **options)

    def count(self, number):
        return sum(made == number for made, _ in self.made)


def honest(name):
    return ScriptedBot(name)


def hung(name):
    return ScriptedBot(name, hangs=True)


def never_starts(name):
    return ScriptedBot(name, start=StartFailed("it exited with code 1"))


def breaks_the_machine(name):
    return ScriptedBot(name, start=InfraError("no space left on device"))


def assignment(number=0):
    contestants = (Contestant("a"), Contestant("b"))
    spec = MatchSpec(f"match-{number}", "claim", GAME.configure(2, {}), number, contestants, CONTROL)
    return Assignment(number, (0, 1), spec)


def play(field, matches, **options):
    async def run():
        worker = field.worker(**options)
        played = [await worker.play(bots, assignment(n), new_leg=new) for n, (bots, new) in enumerate(matches)]
        await worker.clear()
        return [match.record for match in played]

    records = asyncio.run(run())
    assert all(bot.closed for _, bot in field.made)
    return records


def endings(record):
    return [verdict.ending for verdict in record.verdicts]


def test_bots_stay_warm_for_a_leg_and_stand_still_between_matches():
    field = Field(honest, honest)
    play(field, [((0, 1), True), ((0, 1), False), ((0, 1), True)])
    assert len(field.made) == 4
    assert [bot.paused for _, bot in field.made] == [1 + 2] * 2 + [1 + 1] * 2  # after a start and after each match


async def test_a_deal_is_never_shown_again_to_bots_that_have_seen_it():
    field = Field(honest, honest)
    worker = field.worker()
    for number in (1, 2, 1, 2, 3, 3):
        await worker.play((0, 1), assignment(number), new_leg=False)
    await worker.clear()
    assert len(field.made) == 2 * 3  # 1 and 2, then 1, 2 and 3, then 3


def test_a_void_match_is_played_again_by_other_bots():
    broken = []

    class BreaksOnce(ScriptedBot):
        async def open_match(self, codec):
            if not broken:
                broken.append(self)
                raise InfraError("no more sockets")
            return await super().open_match(codec)

    field = Field(honest, BreaksOnce)
    (record,) = play(field, [((0, 1), True)])
    assert not record.void
    assert len(field.made) == 4


def test_other_bots_take_their_places():
    field = Field(honest, honest, honest)
    play(field, [((0, 1), True), ((0, 2), True), ((0, 1), True)])
    assert [field.count(number) for number in range(3)] == [3, 2, 1]


def test_a_bot_that_hangs_at_the_start_of_a_match_is_started_anew():
    field = Field(honest, hung)
    records = play(field, [((0, 1), True), ((0, 1), False), ((0, 1), False)])
    assert [endings(record) for record in records] == [[Ending.NORMAL, Ending.NO_START]] * 3
    assert field.count(1) == 3


def test_a_bot_that_never_starts_is_given_up_until_the_next_leg():
    field = Field(honest, never_starts)
    records = play(field, [((0, 1), True), ((0, 1), False), ((0, 1), True)])
    assert [endings(record) for record in records] == [[Ending.NORMAL, Ending.NO_START]] * 3
    assert field.count(1) == 2


def test_fresh_bots_for_each_match():
    field = Field(honest, honest)
    play(field, [((0, 1), True), ((0, 1), False)], fresh=True)
    assert len(field.made) == 4


def test_a_failure_of_ours_at_the_start_voids_that_match_alone():
    field = Field(honest, breaks_the_machine, honest)
    broken, fine = play(field, [((0, 1), True), ((0, 2), True)])
    assert broken.void
    assert "no space left on device" in broken.verdicts[0].sentence
    assert field.count(1) == 3
    assert endings(fine) == [Ending.NORMAL, Ending.NORMAL]


def cannot_be_cleared_away(name, **options):
    return ScriptedBot(name, close=InfraError("its processes cannot be ended"), **options)


async def test_a_decided_match_stands_however_the_bots_are_cleared_away():
    """A loser could otherwise have its match played again."""
    field = Field(honest, lambda name: cannot_be_cleared_away(name, hangs=True))
    worker = field.worker()
    played = await worker.play((0, 1), assignment(), new_leg=True)
    assert not any(bot.closed for _, bot in field.made)  # the match is out of the house first
    await worker.tidy()
    assert all(bot.closed for _, bot in field.made)
    with pytest.raises(WorkerCleanupFailed, match="its processes cannot be ended"):
        await worker.play((0, 1), assignment(1), new_leg=True)
    assert endings(played.record) == [Ending.NORMAL, Ending.NO_START]


async def test_the_next_pairing_does_not_pay_for_what_earlier_bots_left():
    field = Field(honest, cannot_be_cleared_away, honest)
    first, second = field.worker(), field.worker()
    await first.play((0, 1), assignment(), new_leg=True)
    with pytest.raises(WorkerCleanupFailed):
        await first.play((0, 2), assignment(1), new_leg=True)
    assert endings((await second.play((0, 2), assignment(1), new_leg=True)).record) == [Ending.NORMAL, Ending.NORMAL]


@pytest.mark.parametrize("error", [InfraError("docker does not answer"), ValueError("a fault of ours")])
@pytest.mark.parametrize("verb", ["pause", "read_log", "read_outputs"])
async def test_what_fails_after_the_end_of_a_match_costs_the_bots_and_not_the_match(verb, error):
    field = Field(honest, honest)

    async def fail():
        raise error

    worker = field.worker()
    played = [await worker.play((0, 1), assignment(), new_leg=True)]
    setattr(field.made[1][1], verb, fail)
    played.append(await worker.play((0, 1), assignment(1), new_leg=False))
    played.append(await worker.play((0, 1), assignment(2), new_leg=False))
    await worker.clear()
    assert [endings(match.record) for match in played] == [[Ending.NORMAL, Ending.NORMAL]] * 3
    assert [match.replays for match in played] == [0, 0, 0]
    assert field.count(1) == 2


def test_an_engine_that_fails_anywhere_voids_the_match(monkeypatch):
    state = type(GAME.start(GAME.configure(2, {}), 0))
    for verb in ("view", "legal", "to_move", "outcome"):
        with monkeypatch.context() as patch:
            calls = []
            plain = getattr(state, verb)

            def broken(self, *args, calls=calls, plain=plain):
                calls.append(args)
                if len(calls) > 3 or plain.__name__ == "outcome":
                    raise ZeroDivisionError("no such trick")
                return plain(self, *args)

            patch.setattr(state, verb, broken)
            (record,) = play(Field(honest, honest), [((0, 1), True)])
        assert record.void, verb
        assert record.verdicts[0].sentence == "EngineFault: ZeroDivisionError: no such trick"


def test_one_bot_that_cannot_be_closed_does_not_keep_the_others_running():
    bots = [ScriptedBot("a"), ScriptedBot("b", close=InfraError("the engine hangs")), ScriptedBot("c")]

    async def run():
        async with Table(bots):
            pass

    with pytest.raises(InfraError, match="the engine hangs"):
        asyncio.run(run())
    assert [bot.closed for bot in bots] == [1, 1, 1]


def test_a_link_that_cannot_be_opened_leaves_no_other_open():
    closed = []

    class Counted(LocalLink):
        async def close(self):
            closed.append(self)

    class Opened(ScriptedBot):
        async def open_match(self, codec):
            return Counted(Session(GAME, RandomBot(1)).handle, lambda: 0.0)

    class Broken(ScriptedBot):
        async def open_match(self, codec):
            raise InfraError("no more sockets")

    (record,) = play(Field(Opened, Broken), [((0, 1), True)])
    assert record.void
    assert len(closed) == 3
