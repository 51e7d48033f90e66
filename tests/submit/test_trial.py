"""The trial matches of a submission, played by a worker as they are on a cluster."""

from functools import partial

import pytest

from arena import registry
from arena.bots.files import folder_digest
from arena.bots.launch import BotPlan, SandboxOptions
from arena.bots.manifest import Folder, read_manifest
from arena.clock import TimeControl
from arena.errors import InfraError, UsageError
from arena.match import Contestant
from arena.sandboxes.base import Limits
from arena.submit.trial import TrialConfig, play_trial, trial_place
from arena.workers.base import VoidMatch, WorkerDied
from arena.workers.placement import Placement
from arena.workers.pool import WorkerPool
from arena.workers.worker_process import WorkerProcess
from tests.kits.contestants import write_bot

TERMS = TrialConfig(SandboxOptions("process", Limits(), ponder=False), TimeControl.parse("5s/move+10s"))
SOURCE = """
import os
from arena.sdk import Bot, serve

class B(Bot):
    turns = 0

    def choose(self, turn):
        B.turns += 1
        if B.turns == {last}:
            print("these are my last words", flush=True)
            os._exit(3)
        return turn.legal[0]

serve(B, "claim")
"""


HERE = trial_place(Placement(), print)


def trial(folder, last=0, run=HERE):
    """What becomes of a bot that ends with its turn of this number."""
    write_bot(folder, SOURCE.format(last=last))
    plan = BotPlan(Contestant("bot", "1", folder_digest(folder)), Folder(folder, read_manifest(folder)), TERMS.sandbox)
    return run(registry.find("claim"), plan, TERMS)


def test_a_bot_that_plays_from_every_seat_passes(tmp_path):
    report = trial(tmp_path / "bot")
    assert (report.played, report.fault) == (2, None)


@pytest.mark.parametrize(("last", "seat"), [(3, 0), (30, 1)])
def test_a_bot_that_ends_in_a_match_is_refused_with_its_last_words(tmp_path, last, seat):
    report = trial(tmp_path / "bot", last)
    assert report.fault.ending.name in ("CRASH", "DISCONNECT")
    assert report.where.startswith(f"seat {seat} of 2, after ")
    assert "these are my last words" in report.log


class Failing(WorkerProcess):
    """A worker of which this many matches fail before the bot has done anything."""

    def __init__(self, plan, failures, *, dies):
        super().__init__(plan)
        self.failures, self.dies = failures, dies

    async def play(self, bots, assignment, *, new_leg):
        if self.failures:
            self.failures -= 1
            if self.dies:
                raise WorkerDied("the worker is gone")
            return VoidMatch("the disk is full", 0.0)
        return await super().play(bots, assignment, new_leg=new_leg)


def with_failures(failures, *, dies):
    return partial(play_trial, lambda plan: WorkerPool([Failing(plan, failures, dies=dies)], needed=1))


@pytest.mark.slow
def test_what_our_own_failure_spoils_is_played_again(tmp_path):
    report = trial(tmp_path / "bot", run=with_failures(1, dies=True))
    assert (report.played, report.fault) == (2, None)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("dies", "reason"), [(False, "the disk is full"), (True, "the worker is gone")], ids=["void", "gone"]
)
def test_a_match_that_stays_void_is_no_fault_of_the_bot(tmp_path, dies, reason):
    with pytest.raises(InfraError, match=f"a match is void, through no fault of the bot: {reason}"):
        trial(tmp_path / "bot", run=with_failures(9, dies=dies))


def test_a_cluster_s_options_are_for_a_cluster():
    with pytest.raises(UsageError, match="--priority and --registry are for matches on a cluster"):
        trial_place(Placement(priority=7), print)
