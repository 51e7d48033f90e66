"""`serve()`: a bot's main program, in a process of its own, against the real referee."""

import asyncio
import os
import signal
import socket
import subprocess
import sys

import pytest

from arena.errors import Disconnected, UsageError
from arena.links.connection import BotConnection, tcp_connect
from arena.match import Ending
from arena.sdk import Bot
from arena.sdk.serve import address, bots_by_game
from engines.claim import GAME
from tests.links.links_kit import connected, play_against_local, play_match, program

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="replies come over sockets, against deadlines")]

FIRST = """
import sys
from arena.sdk import Bot, serve

class First(Bot):
    def choose(self, turn):
        return turn.legal[0]
    def end(self, end):
        print("the end:", end.verdict.ending.name, flush=True)
"""
GOOD = FIRST + "serve(First, game='claim')"
SEVERAL = FIRST + "serve({'claim': First})"
BROKEN = (
    FIRST
    + """
class Broken(First):
    def choose(self, turn):
        raise KeyError("my own mistake")
serve(Broken, game="claim")
"""
)
LEAVES = (
    FIRST
    + """
class Leaves(First):
    def choose(self, turn):
        sys.exit("I have had enough")
serve(Leaves, game="claim")
"""
)
THINKER = (
    FIRST
    + """
class Thinker(First):
    def choose(self, turn):
        while True:
            pass
serve(Thinker, game="claim")
"""
)
COUNTER = (
    FIRST
    + """
class Counter(First):
    matches = 0
    def __init__(self):
        Counter.matches += 1
        self.turns = 0
        print("a bot for match", Counter.matches, flush=True)
    def choose(self, turn):
        self.turns += 1
        assert self.turns == turn.number, "one bot object per match"
        return super().choose(turn)
serve(Counter, game="claim")
"""
)


def fine(result):
    return all(verdict.ending is Ending.NORMAL for verdict in result.verdicts)


@pytest.mark.parametrize("code", [GOOD, SEVERAL])
def test_a_bot_plays_and_stops_when_told(code):
    async def run(path):
        async with connected(path) as connection:
            assert fine(await play_against_local(connection))

    with program("-c", code) as (child, path):
        asyncio.run(run(path))
        child.send_signal(signal.SIGTERM)
        assert child.wait(20) == 0
        assert "the end: NORMAL" in child.stdout.read()
        assert child.stderr.read() == ""


def test_matches_one_after_another_and_in_parallel_each_with_its_own_bot():
    async def match(connection, seed):
        links = [await connection.open_match(GAME.codec) for _ in range(2)]
        assert fine(await play_match(links, seed=seed))
        for link in links:
            await link.close()

    async def run(path):
        async with connected(path) as connection:
            for seed in range(3):
                await match(connection, seed)
            async with asyncio.TaskGroup() as group:
                for seed in range(4):
                    group.create_task(match(connection, seed))

    with program("-c", COUNTER) as (child, path):
        asyncio.run(run(path))
        child.terminate()
        assert child.wait(20) == 0
        assert "a bot for match 14" in child.stdout.read()


@pytest.mark.parametrize(("code", "words"), [(BROKEN, "my own mistake"), (LEAVES, "SystemExit: I have had enough")])
def test_a_bots_own_error_is_shown_to_its_author_and_ends_the_stream(code, words):
    async def run(path):
        async with connected(path) as connection:
            for _ in range(2):
                verdict = (await play_against_local(connection)).verdicts[0]
                assert verdict.ending is Ending.DISCONNECT
                assert words in verdict.sentence

    with program("-c", code) as (child, path):
        asyncio.run(run(path))
        child.terminate()
        assert child.wait(20) == 0
        errors = child.stderr.read()
    assert "Traceback" in errors
    assert words in errors


def test_a_bot_deep_in_thought_stops_as_well():
    async def run(path, child):
        async with connected(path) as connection:
            match = asyncio.create_task(play_against_local(connection))
            await asyncio.sleep(0.5)
            child.terminate()
            assert await asyncio.to_thread(child.wait, 20) == 0
            assert (await match).verdicts[0].ending is Ending.DISCONNECT

    with program("-c", THINKER) as (child, path):
        asyncio.run(run(path, child))


def test_a_bot_on_a_port_for_development():
    async def run(port):
        connection = await BotConnection.open(tcp_connect("localhost", port), 20.0)
        assert fine(await play_against_local(connection))
        await connection.close()

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with program("-c", GOOD, "--port", port, ARENA_SOCKET=""):
        asyncio.run(run(port))


def test_the_wrong_game_is_said_in_one_sentence():
    with program("-c", FIRST + "serve(First, game='chess')") as (child, _):
        assert child.wait(20) == 2
        assert child.stderr.read().startswith("-c: there is no game 'chess'")


def test_a_bot_for_another_game_is_disconnected():
    async def run(path):
        async with connected(path) as connection:
            other = type("Other", (), {"wire": GAME.codec.wire, "prefix": "Other"})
            link = await connection.open_match(other)
            await asyncio.sleep(0.2)
            with pytest.raises(Disconnected, match="UNIMPLEMENTED"):
                await link.call(b"", 5.0)

    with program("-c", GOOD) as (_, path):
        asyncio.run(run(path))


def test_where_a_bot_listens():
    assert address([], {"ARENA_SOCKET": "/run/b"}) == "unix:/run/b"
    assert address(["--port", "7"], {"ARENA_SOCKET": "/run/b"}) == "unix:/run/b"
    assert address(["--port", "7", "--mine"], {"ARENA_PORT": "8"}) == "127.0.0.1:7"
    assert address([], {"ARENA_PORT": "8"}) == "127.0.0.1:8"
    with pytest.raises(UsageError, match="--port"):
        address([], {})


def test_a_bot_needs_a_game():
    with pytest.raises(UsageError, match="which game"):
        bots_by_game(Bot, None)


def test_a_taken_port_is_an_error():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        command = [sys.executable, "-c", GOOD, "--port", str(taken.getsockname()[1])]
        done = subprocess.run(
            command, env={**os.environ, "ARENA_SOCKET": ""}, capture_output=True, text=True, timeout=60, check=False
        )
    assert done.returncode == 2
    assert "cannot listen" in done.stderr
