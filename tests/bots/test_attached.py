"""A bot in the user's own terminal: whatever happens, it is ended and nothing of it is left."""

import asyncio
import sys
from pathlib import Path

import pytest

from arena.bots.attached import AttachedBot
from arena.errors import InfraError
from arena.match import Contestant
from arena.sandboxes.base import BotDirectory
from tests.kits.contestants import choosing, write_bot

pytestmark = pytest.mark.real(reason="waits for processes of its own")


def attached(folder, *command):
    return AttachedBot(Contestant("bot"), BotDirectory(folder, (sys.executable, *command)))


def check_gone(bot):
    assert bot._process.returncode is not None
    assert not Path(bot._home).exists()


async def test_a_start_that_is_cancelled_leaves_no_task_and_no_process(tmp_path):
    bot = attached(tmp_path, "-c", "import time; time.sleep(600)")  # it never serves
    starting = asyncio.create_task(bot.start())
    while bot._process is None:
        await asyncio.sleep(0.01)
    await asyncio.sleep(0.1)
    starting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await starting
    left = asyncio.all_tasks() - {asyncio.current_task()}
    await bot.close()
    assert left == set()
    check_gone(bot)


async def test_a_connection_that_cannot_be_closed_keeps_no_process_alive(tmp_path):
    folder = write_bot(tmp_path / "bot", choosing("return turn.legal[0]"))
    bot = attached(folder, "bot.py")

    async def fail():
        raise InfraError("it cannot be closed")

    await bot.start()
    connection = bot._connection
    close, connection.close = connection.close, fail
    with pytest.raises(InfraError, match="it cannot be closed"):
        await bot.close()
    await close()
    check_gone(bot)


async def test_closing_that_is_cancelled_ends_the_process_all_the_same(tmp_path):
    stubborn = "import signal, time; signal.signal(15, signal.SIG_IGN); print(flush=True); time.sleep(600)"
    bot = attached(tmp_path, "-c", stubborn)
    starting = asyncio.create_task(bot.start())
    await asyncio.sleep(1.0)
    starting.cancel()
    await asyncio.wait([starting])
    closing = asyncio.create_task(bot.close())
    await asyncio.sleep(0.1)
    closing.cancel()
    await asyncio.wait([closing])
    check_gone(bot)
