"""A bot has its own time to get ready: from when it may run, without what our own side took before or meanwhile."""

import asyncio
import sys
import time

import pytest

from arena.bots.running import SandboxedBot
from arena.errors import InfraError, StartFailed
from arena.match import Contestant
from arena.referee import looptime
from arena.sandboxes.base import BotDirectory, Limits
from arena.sandboxes.launched.process import ProcessSandbox
from tests.hostile.backends import KIT

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="bots start against a deadline")]

START_S, OURS_S = 1.5, 1.6
BOT = """
import sys, time
from raw import Peer, listen, serve

class Slow(Peer):
    def on_health(self, stream):
        time.sleep(float(sys.argv[2]))
        super().on_health(stream)

time.sleep(float(sys.argv[1]))
serve(Slow)
"""


def make_bot(folder, before_socket, before_answer):
    """A bot that takes so long to open its socket, and so long to answer the health check."""
    (folder / "bot.py").write_text(BOT)
    command = (sys.executable, "bot.py", str(before_socket), str(before_answer))
    sandbox = ProcessSandbox(BotDirectory(folder, command, env={"PYTHONPATH": str(KIT)}), Limits(start_s=START_S))
    return SandboxedBot(Contestant("slow"), sandbox, ponder=False)


def start(bot):
    async def begin():
        try:
            await bot.start()
        finally:
            await bot.close()

    looptime.run(begin())


def test_our_own_set_up_is_not_the_bots_time(tmp_path, monkeypatch):
    bot = make_bot(tmp_path, 0.0, 0.6)
    acquire = bot.sandbox._acquire
    monkeypatch.setattr(bot.sandbox, "_acquire", lambda: (time.sleep(OURS_S), acquire()))
    start(bot)


def test_a_stall_while_it_opens_its_socket_is_not_the_bots_time_afterwards(tmp_path, monkeypatch):
    bot = make_bot(tmp_path, 0.0, 0.6)
    release = bot.sandbox._release

    async def stand_still_after_release():
        await release()
        asyncio.get_running_loop().call_soon(time.sleep, OURS_S)

    monkeypatch.setattr(bot.sandbox, "_release", stand_still_after_release)
    start(bot)


async def test_a_bot_that_did_not_start_is_at_fault_however_it_is_cleared_away(tmp_path, monkeypatch):
    """What cannot be cleared away is told by whoever closes the bot, and not in the place of its fault."""
    bot = make_bot(tmp_path, "no number", 0.0)

    async def fail():
        raise InfraError("its processes cannot be ended")

    end = bot.sandbox._end
    monkeypatch.setattr(bot.sandbox, "_end", fail)
    with pytest.raises(StartFailed, match="exited with code 1"):
        await bot.start()
    with pytest.raises(InfraError, match="cannot be ended"):
        await bot.close()
    await end()


def test_both_waits_have_one_deadline(tmp_path):
    began = time.monotonic()
    with pytest.raises(StartFailed, match=r"was not ready within 1\.5 s"):
        start(make_bot(tmp_path, 1.0, 1.4))
    assert time.monotonic() - began < 10
