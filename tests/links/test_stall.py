"""A referee that is stopped in the middle of a match blames nobody, and lets nobody off."""

import asyncio
import json
import signal
import subprocess
import sys
import time

import pytest

from arena.errors import StartFailed
from arena.links.connection import BotConnection, unix_connect
from arena.referee import looptime
from tests.links.links_kit import HERE, hostile, wait_for

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="processes are stopped while a clock runs")]

REFEREE = """
import asyncio, json, sys
sys.path.insert(0, sys.argv[1])
from tests.links.links_kit import GAME, TimeControl, connected, wait_for
from arena.referee import looptime
from arena.referee.heartbeat import ThreadHeartbeat
from arena.match import Contestant, MatchSpec
from arena.referee.player import Player
from arena.referee.referee import play

CONTROL = TimeControl(0.5, 0.0, 0.0)

async def main(one, two):
    await wait_for(one)
    await wait_for(two)
    async with connected(one) as first, connected(two) as second:
        links = [await bot.open_match(GAME.codec) for bot in (first, second)]
        spec = MatchSpec("m", "claim", GAME.configure(2, {}), 3, (Contestant("a"), Contestant("b")), CONTROL)
        with ThreadHeartbeat() as heartbeat:
            print("playing", flush=True)
            result = await play(GAME, [Player(GAME.codec, link, CONTROL, heartbeat=heartbeat) for link in links], spec)
    print(json.dumps([[verdict.ending.name for verdict in result.verdicts],
                      [max(move.times.wall, move.times.lag) for move in result.played]]))

looptime.run(main(*sys.argv[2:]))
"""


def stopped_in_the_middle(one, two, stops=3):
    """The verdicts and the longest walls of a match whose referee is stopped, for a second, several times."""
    with (
        hostile(one) as (_, first),
        hostile(two) as (_, second),
        subprocess.Popen(
            [sys.executable, "-c", REFEREE, str(HERE.parents[1]), first, second], stdout=subprocess.PIPE, text=True
        ) as referee,
    ):
        assert referee.stdout.readline() == "playing\n"
        for _ in range(stops):
            time.sleep(0.25)
            referee.send_signal(signal.SIGSTOP)
            time.sleep(1.0)
            referee.send_signal(signal.SIGCONT)
        return json.loads(referee.stdout.readline())


def test_no_bot_loses_by_a_stall_of_the_referee():
    endings, walls = stopped_in_the_middle("thinks", "thinks")
    assert endings == ["NORMAL", "NORMAL"]
    assert max(walls) > 500_000  # or nothing was shown


def test_a_bot_that_hangs_is_out_of_time_all_the_same():
    endings, _ = stopped_in_the_middle("hang", "thinks", stops=1)
    assert endings == ["TIME", "NORMAL"]


@pytest.mark.parametrize("ready", [True, False])
def test_a_bot_that_starts_meanwhile_gets_the_time_back(ready):
    with hostile("thinks") as (_, address):
        connect, begun = unix_connect(address), []

        def connect_later():
            begun.append(time.monotonic())
            if not ready or begun[-1] < begun[0] + 0.3:
                raise FileNotFoundError(2, "not yet")
            return connect()

        async def start():
            await wait_for(address)
            asyncio.get_running_loop().call_later(0.1, time.sleep, 1.0)
            connection = await BotConnection.open(connect_later, 0.5)
            await connection.close()

        if ready:
            looptime.run(start())
        else:
            with pytest.raises(StartFailed, match=r"was not ready within 0\.5 s"):
                looptime.run(start())
