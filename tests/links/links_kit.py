"""What the tests of the links share: servers in processes of their own, and a match against one of them."""

import asyncio
import os
import subprocess
import sys
import tempfile
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path
from random import Random

from arena.clock import TimeControl
from arena.links.connection import BotConnection, unix_connect
from arena.links.local import LocalLink
from arena.match import Contestant, MatchSpec
from arena.referee.player import Player
from arena.referee.referee import FaultPolicy, play
from arena.sdk import Bot, Session
from engines.claim import GAME

HERE = Path(__file__).parent
CONTROL = TimeControl(per_move=5.0, bank=0.0, increment=0.0)
SHORT = TimeControl(per_move=0.3, bank=0.0, increment=0.0)


class RandomBot(Bot):
    def __init__(self):
        self._rng = Random(1)

    def choose(self, turn):
        return self._rng.choice(turn.legal)


def local_link():
    return LocalLink(Session(GAME, RandomBot()).handle, lambda: 0.0)


@contextmanager
def program(*arguments, **environment):
    """A Python program that listens on the socket whose path is given; it is killed at the end."""
    with tempfile.TemporaryDirectory(prefix="links-") as folder:
        path = f"{folder}/s"
        with subprocess.Popen(
            [sys.executable, *map(str, arguments)],
            env={**os.environ, "ARENA_SOCKET": path, **environment},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as child:
            try:
                yield child, path
            finally:
                child.kill()


def hostile(attack):
    return program(HERE / "hostile_server.py", attack)


async def wait_for(path):
    """Until a server has bound its socket."""
    while not os.path.exists(path):
        await asyncio.sleep(0.01)


@asynccontextmanager
async def connected(path, start_limit=20.0):
    connection = await BotConnection.open(unix_connect(path), start_limit)
    try:
        yield connection
    finally:
        await connection.close()


@asynccontextmanager
async def scripted_bot(behaviour):
    """A connection to a bot of hostile_server.py, which has polite ones, too."""
    with hostile(behaviour) as (_, path):
        async with connected(path) as connection:
            yield connection


async def play_match(links, control=CONTROL, seed=3, strikes=0):
    names = tuple(Contestant(f"bot {seat}") for seat in range(len(links)))
    spec = MatchSpec("test", "claim", GAME.configure(2, {}), seed, names, control)
    return await play(GAME, [Player(GAME.codec, link, control) for link in links], spec, FaultPolicy(strikes))


async def play_against_local(connection, control=CONTROL, seed=3):
    """A match of the connected bot, in seat 0, against a polite one in this process."""
    link = await connection.open_match(GAME.codec)
    try:
        return await play_match([link, local_link()], control, seed)
    finally:
        await link.close()


def forget_peak_memory():
    Path("/proc/self/clear_refs").write_text("5")


def peak_memory():
    """The most bytes of memory that this process held since `forget_peak_memory`."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
