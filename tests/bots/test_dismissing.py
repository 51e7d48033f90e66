"""A bot at fault is ended in the middle of a match, and nothing that it does then is a way to void the match."""

import pytest

from arena.bots.builtin import RandomBot
from arena.bots.running import LocalBot
from arena.bots.table import Table
from arena.clock import TimeControl
from arena.errors import Crashed, InfraError
from arena.links.local import LocalLink
from arena.match import Contestant, Ending, MatchSpec
from arena.sdk import Session
from engines.kingdoms.game import GAME

CONTROL = TimeControl.parse("none")


def session():
    return Session(GAME, RandomBot(1)).handle


class CrashingLink(LocalLink):
    """Answers the start of the match, and nothing after it."""

    started = False

    async def call(self, *args):
        if self.started:
            raise Crashed("it exited with code 3")
        self.started = True
        return await super().call(*args)


class Untidy(LocalBot):
    """Crashes in its first turn, and cannot be cleaned up."""

    dismissed = closed = paused = 0

    async def open_match(self, codec):
        return CrashingLink(session(), lambda: 0.0)

    async def dismiss(self):
        self.dismissed += 1
        await super().dismiss()

    async def pause(self):
        self.paused += 1

    async def close(self):
        self.closed += 1
        raise InfraError("its folder is not empty")


async def test_a_bot_that_cannot_be_cleaned_up_voids_no_match_and_is_told_of_at_the_end_of_the_table():
    bots = [LocalBot(Contestant("a"), session), Untidy(Contestant("b"), session), LocalBot(Contestant("c"), session)]
    spec = MatchSpec("m", "kingdoms", GAME.configure(3, {}), 7, tuple(bot.contestant for bot in bots), CONTROL)
    table = await Table(bots).__aenter__()
    kept = await table.play(GAME, spec, [0, 1, 2])
    assert (bots[1].dismissed, bots[1].closed, bots[1].paused) == (1, 1, 1)  # paused once, when it had started
    with pytest.raises(InfraError, match="its folder is not empty"):
        await table.__aexit__()
    assert [verdict.ending for verdict in kept.verdicts] == [Ending.NORMAL, Ending.CRASH, Ending.NORMAL]
    assert kept.outcome.ranks[1] == 3
