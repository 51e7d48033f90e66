"""A bot that is not asked stands still, and a freeze that does nothing is noticed and told."""

import asyncio
import sys

import pytest

from arena.bots.launch import python_paths
from arena.bots.running import SandboxedBot
from arena.clock import TimeControl
from arena.errors import InfraError
from arena.match import Contestant, MatchStart
from arena.referee.enforcement import weaknesses
from arena.sandboxes.base import BotDirectory, Limits
from arena.sandboxes.launched.bubblewrap import BubblewrapSandbox, find_bubblewrap
from engines.claim.game import GAME
from tests.kits.needs import need

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="freezes bots in sandboxes")]

PONDERER = """
import threading
from arena.sdk import Bot, serve

class Ponderer(Bot):
    def choose(self, turn):
        return turn.legal[0]

def burn():
    while True:
        pass

threading.Thread(target=burn, daemon=True).start()
serve(Ponderer, "claim")
"""
PAUSE_S = 0.5


@pytest.fixture
def bot(tmp_path):
    need(missing())
    tmp_path.chmod(0o755)
    (tmp_path / "bot.py").write_text(PONDERER)
    program = BotDirectory(tmp_path, (sys.executable, "bot.py"), read_only=tuple(python_paths()))
    sandbox = BubblewrapSandbox(program, Limits(start_s=30.0))
    return SandboxedBot(Contestant("ponderer"), sandbox, ponder=False)


def missing():
    try:
        find_bubblewrap()
    except InfraError as error:
        return str(error)
    return None


async def spent_between_two_requests(bot):
    """Processor seconds that the bot uses while it is not asked."""
    control = TimeControl.parse("10s/move")
    request = GAME.codec.write_start(MatchStart("m", 0, 2, GAME.configure(2, {}), control))
    try:
        await bot.start()
        link = await bot.open_match(GAME.codec)
        await link.call(request, 30.0)
        await link.wait_frozen()
        before = bot.sandbox.cpu_time()
        await asyncio.sleep(PAUSE_S)
        spent = bot.sandbox.cpu_time() - before
        await link.close()
    finally:
        await bot.close()
    return spent


def test_a_frozen_bot_does_nothing(bot):
    assert asyncio.run(spent_between_two_requests(bot)) < 0.01
    assert bot.sandbox_report().enforcement["freeze"] in ("cgroup", "signal")


def test_a_freeze_that_does_nothing_is_told_with_the_match(bot, monkeypatch):
    async def pretend():
        return True

    monkeypatch.setattr(bot.sandbox, "begin_freeze", pretend)
    monkeypatch.setattr(bot.sandbox, "freeze", pretend)
    assert asyncio.run(spent_between_two_requests(bot)) > 0.02
    said = dict(bot.sandbox_report().enforcement)
    assert said["unfrozen"].endswith("of 1 times")
    assert "freeze: unconfirmed" in weaknesses(said)


def test_a_freeze_that_fails_is_told_with_the_match(bot, monkeypatch):
    honest = bot.sandbox.freeze

    async def fail():
        await honest()
        return False

    monkeypatch.setattr(bot.sandbox, "freeze", fail)
    asyncio.run(spent_between_two_requests(bot))
    assert bot.sandbox_report().enforcement["freeze"] == "unconfirmed"
