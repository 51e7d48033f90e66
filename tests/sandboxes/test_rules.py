"""The rules service runs in the bot's own sandbox: its limits, its freezing, its death."""

import asyncio
import os
import signal
import time
from contextlib import asynccontextmanager

import pytest

from arena.bots.launch import program_of
from arena.bots.manifest import Folder, read_manifest
from arena.errors import OutOfMemory
from arena.sandboxes.base import Limits
from arena.untrusted.units import MIB
from tests.sandboxes.sandbox_kit import KINDS, OBEDIENT, processes_with, small, tell, until

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="starts sandboxes")]

MANIFEST = """
name = "borrower"
version = "1"
games = ["claim"]
command = ["python3", "bot.py", "{mark}"]
rules = true
"""
# What the tests tell the bot to do begins with this.
CONNECT = """
import grpc
from arena.wire.v1 import rules_pb2 as pb, rules_pb2_grpc
channel = grpc.insecure_channel("unix:" + os.environ["ARENA_RULES_SOCKET"])
rules = rules_pb2_grpc.RulesServiceStub(channel)
root = pb.Root(game="claim", config=b"")
lines = [pb.Line(world=world) for world in range(10_000)]
"""
THINK = f"""
if os.fork() == 0:
    {CONNECT.replace(chr(10), chr(10) + "    ")}
    rules.PlayOut(pb.PlayOutRequest(root=root, lines=lines, times=1000))
    os._exit(0)
"""


@asynccontextmanager
async def borrower(kind, folder, limits=None):
    """A sandbox with a bot that has the rules beside it, its endpoint, and a mark on the command lines of both."""
    mark = f"mark-{os.urandom(8).hex()}"
    folder.mkdir(mode=0o755)
    (folder / "bot.py").write_text(OBEDIENT)
    (folder / "bot.toml").write_text(MANIFEST.format(mark=mark))
    program = program_of(Folder(folder, read_manifest(folder)))
    async with KINDS[kind](program, limits or Limits(start_s=60.0)) as sandbox:
        yield sandbox, await sandbox.start(), mark


@pytest.fixture(params=["bubblewrap", "process"])
def kind(request):
    """The sandboxes for folders."""
    request.getfixturevalue(request.param)
    return request.param


async def test_a_bot_reaches_the_rules_and_nothing_outlives_it(kind, tmp_path):
    code = CONNECT + "result = len(rules.Look(pb.LookRequest(root=root, lines=lines)).positions)"
    async with borrower(kind, tmp_path / "mine") as (sandbox, endpoint, mark):
        answer = await tell(endpoint, code)
        running = processes_with(mark)
        peak = sandbox.peak_memory()
    assert answer == "10000"
    assert len(running) >= 2
    assert peak is None or peak < 256 * MIB
    assert until(lambda: not processes_with(mark))


async def test_the_rules_sleep_while_the_bot_is_frozen_and_their_time_is_the_bots(kind, tmp_path):
    async def spent(sandbox, seconds):
        before = sandbox.cpu_time()
        await asyncio.sleep(seconds)
        return sandbox.cpu_time() - before

    async with borrower(kind, tmp_path / "mine") as (sandbox, endpoint, _):
        await tell(endpoint, THINK)
        deadline = time.monotonic() + 60
        while await spent(sandbox, 0.3) < 0.05 and time.monotonic() < deadline:
            pass
        while not await sandbox.freeze():  # a busy machine may need longer than one freeze waits
            assert time.monotonic() < deadline
        asleep = await spent(sandbox, 1.0)
        await sandbox.thaw()
        awake = await spent(sandbox, 2.0)
    assert asleep < 0.02
    assert awake > 0.1


@pytest.mark.parametrize(
    ("code", "exit_code", "number"),
    [("os._exit(3)", 3, None), ("os.kill(os.getpid(), signal.SIGSEGV)", None, signal.SIGSEGV)],
)
async def test_the_end_of_the_bot_is_told_as_it_was(kind, tmp_path, code, exit_code, number):
    async with borrower(kind, tmp_path / "mine") as (sandbox, endpoint, _):
        attack = asyncio.create_task(tell(endpoint, code))
        death = await asyncio.wait_for(sandbox.wait(), 60)
        await asyncio.gather(attack, return_exceptions=True)
    assert (death.exit_code, death.signal) == (exit_code, number)
    assert not death.out_of_memory
    assert not death.by_referee


GREED = {
    "the bot": "kept = [bytearray(b'x' * MIB) for _ in range(4096)]".replace("MIB", "(1 << 20)"),
    "the rules": CONNECT
    + "rules.Look(pb.LookRequest(root=root, lines=[pb.Line(world=1)] * 1_000_000, states=True), timeout=60)",
}


@pytest.mark.parametrize("code", GREED.values(), ids=GREED)
async def test_memory_is_one_account(bubblewrap, control_groups, tmp_path, code):
    async with borrower("bubblewrap", tmp_path / "mine", small(memory_bytes=192 * MIB)) as (sandbox, endpoint, _):
        attack = asyncio.create_task(tell(endpoint, code, timeout_s=90))
        death = await asyncio.wait_for(sandbox.wait(), 90)
        await asyncio.gather(attack, return_exceptions=True)
    assert death.out_of_memory
    assert isinstance(death.fault(), OutOfMemory)
