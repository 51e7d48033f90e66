"""A bot that hangs at the start of a match costs itself that match: the next one finds it anew, and others go on."""

import asyncio

import pytest

from arena.bots.running import SandboxedBot
from arena.match import Contestant, Ending
from arena.referee import player
from arena.referee.faults import FORFEIT
from arena.referee.heartbeat import STEADY
from arena.workers.base import Assignment
from arena.workers.worker import Worker
from engines.claim import GAME
from tests.hostile import backends
from tests.hostile.cases import Case
from tests.hostile.neighbour import CALM, make_spec, remote
from tests.kits.needs import need

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a bot in a sandbox is waited for")]

HUNG, HONEST, OTHER = 0, 1, 2
NAMES = ("hung", "honest", "other")
PLAIN = Case(name="hung", why="", verdict=())
ANSWER_S = 2.0
BOT = """
from raw import Peer, hang, serve

starts = []

class Hung(Peer):
    def on_start(self, stream, start):
        starts.append(start)
        if len(starts) > 1:
            hang()
        super().on_start(stream, start)

serve(Hung)
"""


@pytest.fixture
def make_bot(tmp_path, monkeypatch):
    """A bot in bubblewrap that plays the first match of its life and hangs at every later start; and honest ones."""
    need(backends.BACKENDS["bubblewrap"].missing())
    monkeypatch.setattr(player, "READY_WAIT", ANSWER_S)
    (tmp_path / "bot.py").write_text(BOT)
    tmp_path.chmod(0o755)

    def make(number):
        if number != HUNG:
            return remote(NAMES[number])
        sandbox = backends.BACKENDS["bubblewrap"].sandbox(tmp_path, ("python3", "{bot}/bot.py"), PLAIN.bot_limits())
        return SandboxedBot(Contestant(NAMES[HUNG]), sandbox, ponder=False)

    return make


def endings(make_bot, jobs):
    """The endings of every match, in seat order, in the order in which they were played."""

    async def play():
        worker, ended = Worker(GAME, make_bot, policy=FORFEIT, heartbeat=STEADY), []
        for bots, matches, deal in jobs:
            for number in range(matches):
                spec = make_spec([NAMES[bot] for bot in bots], deal + number, CALM)
                played = await worker.play(bots, Assignment(number, (0, 1), spec), new_leg=not number)
                ended.append(tuple(verdict.ending for verdict in played.record.verdicts))
        await worker.clear()
        return ended

    return asyncio.run(play())


@pytest.mark.slow
def test_a_bot_that_hangs_at_a_start_is_found_anew_in_the_next_match(make_bot):
    normal, lost = (Ending.NORMAL, Ending.NORMAL), (Ending.NO_START, Ending.NORMAL)
    jobs = [((HUNG, HONEST), 4, 1), ((HONEST, OTHER), 1, 9)]
    assert endings(make_bot, jobs) == [normal, lost, normal, lost, normal]
