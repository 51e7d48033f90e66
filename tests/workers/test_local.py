"""Worker processes: the same table as in one process, whoever dies, and nothing left behind."""

import asyncio
import os
import signal
import time
from dataclasses import replace

import pytest

from arena.bots.files import folder_digest
from arena.bots.launch import BotPlan, SandboxOptions
from arena.bots.manifest import Builtin, Folder, read_manifest
from arena.errors import UsageError
from arena.match import Contestant
from arena.sandboxes.base import Limits
from arena.tournaments.tournament import Tournament
from arena.workers import local, neighbours
from arena.workers.local import LocalExecutor
from arena.workers.messages import WorkerPlan
from arena.workers.worker_process import WorkerProcess
from tests.kits.tournaments import BASE, World

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="worker processes are started and killed")]

OPTIONS = SandboxOptions("process", Limits(), ponder=False)
SETTINGS = replace(BASE, bots=BASE.bots[::2])
"""Between `first` and `random`."""
SLOW_BOT = """
import time
from arena.sdk import Bot, serve

class Slow(Bot):
    def choose(self, turn):
        time.sleep(0.05)
        return turn.legal[0]

serve(Slow, "claim")
"""


class Processes(World):
    """Tournaments whose matches are played in processes of their own."""

    def sources(self):
        return [Builtin(bot.name) for bot in self.field]

    def execute(self, *tables, **options):
        with Tournament.start(self.game, self.settings, self.field, self.store) as tournament:
            return tournament, *self.execute_as(tournament, *tables, **options)

    def execute_as(self, tournament, concurrency=1, on_start=None, stop_after=None, abort_after=None):
        plans = [
            BotPlan(Contestant(bot.name, bot.version, bot.digest), source, OPTIONS)
            for bot, source in zip(self.field, self.sources())
        ]
        plan = WorkerPlan(
            self.settings.game,
            tournament.id,
            tuple(plans),
            tuple(bot.id for bot in self.field),
            7,
            0,
            self.settings.fresh,
        )
        seen = []

        async def run():
            executor = LocalExecutor(plan, concurrency=concurrency)

            def on_match(match):
                seen.append(match)
                if len(seen) == stop_after:
                    executor.stop()
                if len(seen) == abort_after:
                    executor.abort()

            watching = asyncio.create_task(on_start(executor)) if on_start else None
            complete = await tournament.run(executor, on_match)
            if watching:
                await watching
            return complete

        return asyncio.run(run()), seen


class SlowProcesses(Processes):
    """The same with a bot that takes its time, in a process of its own."""

    def __init__(self, folder, settings=SETTINGS, program=SLOW_BOT):
        self.bot = folder / "slow"
        self.bot.mkdir()
        toml = 'name = "slow"\nversion = "1"\ngames = ["claim"]\ncommand = ["python3", "bot.py"]\n'
        (self.bot / "bot.toml").write_text(toml)
        (self.bot / "bot.py").write_text(program)
        source = Folder(self.bot, read_manifest(self.bot))
        digest = folder_digest(self.bot)
        super().__init__(folder / "db", replace(settings, bots=(("slow", "1", digest), ("random", "1", ""))))
        self._source = source

    def sources(self):
        return [self._source, Builtin("random")]


def children():
    """The worker processes of this process."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/stat") as file:
                parent = int(file.read().rpartition(")")[2].split()[1])
            with open(f"/proc/{pid}/cmdline") as file:
                command = file.read()
        except OSError:
            continue
        if parent == os.getpid() and "worker_main" in command:
            found.append(int(pid))
    return found


def bots_of(folder):
    """The processes of the bots in this folder."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.readlink(f"/proc/{pid}/cwd") == str(folder):
                found.append(int(pid))
        except OSError:
            continue
    return found


async def until(test, seconds=60.0):
    deadline = time.monotonic() + seconds
    while not (found := test()):
        assert time.monotonic() < deadline
        await asyncio.sleep(0.05)
    return found


@pytest.mark.parametrize("concurrency", [1, 3])
def test_the_table_is_that_of_a_tournament_in_one_process(tmp_path, concurrency):
    inline = World(tmp_path / "inline", SETTINGS)
    expected = inline.table(inline.run()[0])
    world = Processes(tmp_path / "db", SETTINGS)
    tournament, complete, seen = world.execute(concurrency)
    assert complete
    assert len(seen) == len(expected) == 4
    assert world.table(tournament) == expected
    assert children() == []


def test_a_stopped_tournament_goes_on(tmp_path):
    world = Processes(tmp_path / "db", SETTINGS)
    assert [world.execute(stop_after=1)[1], world.execute()[1]] == [False, True]


def test_a_match_whose_worker_is_killed_is_played_again(tmp_path):
    world = SlowProcesses(tmp_path)
    killed = []

    async def kill(executor):
        await until(lambda: executor.running and bots_of(world.bot))
        await asyncio.sleep(0.3)  # into the match
        killed.extend(children())
        os.kill(killed[0], signal.SIGKILL)

    tournament, complete, seen = world.execute(on_start=kill)
    assert complete
    assert len(killed) == 1
    assert len({match.match_id for match in seen}) == len(seen) == tournament.total()
    assert {seat.ending for match in seen for seat in match.seats} == {"NORMAL"}
    assert children() == bots_of(world.bot) == []


LITTERING_BOT = """
import os, shutil
from arena.sdk import Bot, serve

class Littering(Bot):
    def choose(self, turn):
        # What the referee made for it is gone when it wants to remove it.
        shutil.rmtree(os.path.dirname(os.environ["ARENA_SOCKET"]), ignore_errors=True)
        return turn.legal[0]

serve(Littering, "claim")
"""


def test_bots_that_cannot_be_cleared_away_cost_their_worker_and_no_match(tmp_path, monkeypatch):
    starts, start = [], WorkerProcess.start

    async def counted(worker):
        starts.append(worker)
        await start(worker)

    monkeypatch.setattr(WorkerProcess, "start", counted)
    world = SlowProcesses(tmp_path, replace(SETTINGS, rounds=1), LITTERING_BOT)
    tournament, complete, seen = world.execute()
    assert complete
    assert len({match.match_id for match in seen}) == len(seen) == tournament.total()
    assert {seat.ending for match in seen for seat in match.seats} == {"NORMAL"}
    assert len(starts) == 2  # one for each leg
    assert children() == bots_of(world.bot) == []


def test_a_worker_and_its_bots_keep_to_the_processors_of_their_table(tmp_path, monkeypatch):
    processors = sorted(os.sched_getaffinity(0))
    shares = [(processors[0],), (processors[-1],)]
    monkeypatch.setattr(local, "divide_cores", lambda *_: shares)
    monkeypatch.setattr(neighbours, "NAME", f"arena-test-{os.getpid()}")  # others test on this machine, too
    world = SlowProcesses(tmp_path, replace(SETTINGS, rounds=4))
    found = set()

    async def look(_):
        await until(lambda: len(bots_of(world.bot)) > 1)
        found.update(tuple(os.sched_getaffinity(pid)) for pid in (*children(), *bots_of(world.bot)))

    world.execute(concurrency=2, on_start=look)
    assert found == set(shares)


def test_an_abort_ends_workers_and_bots_at_once(tmp_path):
    world = SlowProcesses(tmp_path, replace(SETTINGS, rounds=50))
    tournament, complete, seen = world.execute(concurrency=2, abort_after=1)
    assert not complete
    assert tournament.played == len(seen) < 10
    assert children() == bots_of(world.bot) == []


def test_a_bot_that_was_changed_meanwhile_stops_the_tournament_with_one_sentence(tmp_path):
    world = SlowProcesses(tmp_path)
    (world.bot / "bot.py").write_text(SLOW_BOT + "# better\n")
    with pytest.raises(UsageError, match="is not what was registered as slow 1"):
        world.execute()
    assert children() == []


def test_a_worker_ends_its_bots_and_itself_when_the_tournament_is_gone(tmp_path):
    world = SlowProcesses(tmp_path, replace(SETTINGS, rounds=50))
    pid = os.fork()
    if not pid:
        try:
            world.execute()
        finally:
            os._exit(0)
    try:
        asyncio.run(until(lambda: bots_of(world.bot)))
    finally:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    asyncio.run(until(lambda: not bots_of(world.bot)))
