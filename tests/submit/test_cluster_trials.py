"""The trial matches of a submission, played by an executor as they are on a cluster."""

import pytest

from arena import registry
from arena.bots.launch import BotPlan, SandboxOptions
from arena.bots.manifest import Folder, folder_digest, read_manifest
from arena.clock import TimeControl
from arena.match import Contestant
from arena.sandboxes import Limits
from arena.submit.cluster_trials import cluster_trial, play_trial
from arena.submit.pipeline import TrialConfig, try_here
from arena.workers.local import LocalExecutor
from arena.workers.placement import Placement
from tests.kits.contestants import write_bot

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="submissions are played by worker processes")]

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


def trials(folder, last):
    """What becomes of a bot that ends with its turn of this number, here and with an executor."""
    write_bot(folder, SOURCE.format(last=last))
    plan = BotPlan(Contestant("bot", "1", folder_digest(folder)), Folder(folder, read_manifest(folder)), TERMS.sandbox)
    game = registry.find("claim")
    there = play_trial(lambda plan: LocalExecutor(plan, concurrency=1), game, plan, TERMS)
    return try_here(game, plan, TERMS), there


def test_a_bot_that_plays_from_every_seat_passes(tmp_path):
    here, there = trials(tmp_path / "bot", last=0)
    assert there == here
    assert there.played == 2


@pytest.mark.parametrize(("last", "seat"), [(3, 0), (30, 1)])
def test_a_bot_that_ends_in_a_match_is_refused_with_its_last_words(tmp_path, last, seat):
    for report in trials(tmp_path / "bot", last):
        assert report.fault.ending.name in ("CRASH", "DISCONNECT")
        assert report.where.startswith(f"seat {seat} of 2, after ")
        assert "these are my last words" in report.log


def test_on_this_machine_nothing_changes():
    assert cluster_trial(Placement(), print) is None
