"""The runner with real sandboxes: fates, takeover, pause, drain, and a submission that would never end."""

import os
import time
from pathlib import Path

import pytest

from arena.contest.requests import PAUSED, RETIRE
from arena.runner.shift import Pace
from arena.store.leases import Holder
from tests.hostile.traces import descendants
from tests.kits.contestants import choosing, need_bubblewrap
from tests.kits.runners import BROKEN, bot_archive, end, hostile_archive, process, running, said, wait_until
from tools.contest_crash import ContestCrash

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="submissions are checked in sandboxes")]

SLOW = choosing("import time\ntime.sleep(0.1)\nreturn turn.legal[0]")
SLEEPS = "import time\ntime.sleep(600)\n"


@pytest.fixture(autouse=True)
def bubblewrap():
    need_bubblewrap()


def test_two_runners_and_the_fates_of_four_teams(kit):
    """A second runner waits until the first is killed, and does what that had not done."""
    good = kit.hand_in("alice", bot_archive("mover"))
    broken = kit.hand_in("bob", bot_archive("fails", BROKEN))
    with process("run", kit.folder) as first:
        wait_until(lambda: kit.found(broken).is_decided, child=first)
        found = kit.found(good)
        assert (found.state, found.bot_id) == ("registered", kit.bots()[0].id)
        assert kit.bots()[0].owner == kit.crew["alice"].team.owner
        found = kit.found(broken)
        assert found.state == "refused"
        assert "fails is refused: at claim, before it opened its socket, it exited with code 1" in found.reason
        assert "I am about to fail" in found.output
        assert "No module named 'no_such_module'" in found.output
        with process("run", kit.folder) as second:
            wait_until(lambda: said(second, "waiting"), child=second)
            slow = kit.hand_in("bob", bot_archive("slow", SLOW))
            wait_until(lambda: kit.found(slow).state == "checking", child=first)
            first.kill()
            first.wait()
            wait_until(lambda: kit.found(slow).attempt == 2, child=second)
            assert said(second, "begun")[0]["epoch"] > said(first, "begun")[0]["epoch"]
            hostile = kit.hand_in("carol", hostile_archive("memory_bomb", "heap"))
            wait_until(lambda: kit.found(hostile).is_decided, child=second)
            assert kit.found(hostile).state == "refused"
            assert "memory" in kit.found(hostile).reason
            assert (kit.found(slow).state, kit.found(slow).attempt) == ("registered", 2)
            assert end(second) == 0
    assert [step.state for step in kit.queue.steps(good)] == [
        "received",
        "queued",
        "unpacking",
        "checking",
        "checking",
        "registered",
    ]
    assert not any(str(kit.folder) in step.text for step in kit.queue.steps(good))
    assert kit.leftovers() == []
    assert not kit.runners.last().here


def test_a_paused_contest_begins_nothing_and_answers_what_is_asked(kit):
    kit.requests.turn(PAUSED, on=True)
    number = kit.hand_in("alice", b"this is no archive")
    with running(kit):
        asked = kit.requests.add(kit.crew["alice"], RETIRE, {"bot_id": 7})
        wait_until(lambda: asked not in [request.id for request in kit.requests.open()])
        wait_until(lambda: kit.runners.last().state == "paused")
        assert kit.found(number).state == "queued"
        kit.requests.turn(PAUSED, on=False)
        wait_until(lambda: kit.found(number).is_decided)


def test_a_submission_that_takes_too_long_is_ended_and_the_next_one_is_checked(kit):
    endless = kit.hand_in("alice", bot_archive("endless", SLEEPS))
    after = kit.hand_in("bob", b"this is no archive")
    with running(kit, Pace(look_s=0.05, longest_s=4.0, failed_s=0.05)):
        wait_until(lambda: kit.found(after).is_decided)
        found = kit.found(endless)
        assert (found.state, found.attempt) == ("failed", 1)
        assert "the check took longer than" in found.reason
        assert kit.leftovers() == []


def test_a_runner_that_shall_end_finishes_what_it_has_in_work(kit):
    number = kit.hand_in("alice", bot_archive("mover"))
    with process("run", kit.folder) as child:
        wait_until(lambda: kit.found(number).state == "checking", child=child)
        later = kit.hand_in("bob", bot_archive("other"))
        assert end(child) == 0
    assert (kit.found(number).state, kit.found(later).state) == ("registered", "queued")
    last = kit.runners.last()
    assert (last.state, last.here) == ("ended", False)


def test_what_does_not_end_in_time_waits_for_the_next_runner(kit):
    number = kit.hand_in("alice", bot_archive("endless", SLEEPS))
    with running(kit, Pace(look_s=0.05, drain_s=0.5, failed_s=0.05)) as (stop, events):
        wait_until(lambda: kit.found(number).state == "checking")
        stop.ask()
        wait_until(lambda: ("ended", {}) in events)
    found = kit.found(number)
    assert (found.state, found.attempt) == ("queued", 1)
    assert "the runner was stopped" in kit.queue.steps(number)[-1].text
    assert kit.leftovers() == []


def test_a_runner_whose_lease_was_taken_registers_nothing_more(kit):
    """As one that slept: it learns of it when it writes, before the other one has said anything to the contest."""
    number = kit.hand_in("alice", bot_archive("slow", SLOW))
    store = kit.contest.open_results_to_write()
    with running(kit) as (stop, events):
        wait_until(lambda: kit.found(number).state == "checking")
        fence = store.take_lease("runner", Holder("elsewhere", 1, "another boot", "1-1-1"), lambda entry: True)
        wait_until(lambda: "lease_lost" in [event for event, _ in events])
        stop.ask()
    assert (kit.bots(), kit.found(number).is_decided, kit.found(number).attempt) == ([], False, 1)
    store.release_lease(fence)
    store.close()
    with running(kit):
        wait_until(lambda: kit.found(number).is_decided)
    assert (kit.found(number).state, len(kit.bots())) == ("registered", 1)


def test_a_runner_that_lost_its_place_stops_what_it_has_in_work(kit):
    number = kit.hand_in("alice", bot_archive("endless", SLEEPS))
    with running(kit) as (_, events):
        wait_until(lambda: kit.found(number).state == "checking")
        kit.runners.enter(1000, "another runner")
        wait_until(lambda: "lease_lost" in [event for event, _ in events])
        told = kit.queue.steps(number)
        time.sleep(1.0)
        assert kit.queue.steps(number) == told
        assert [pid for pid in descendants(os.getpid()) if "check_process" in words_of(pid)] == []


def words_of(pid):
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except OSError:
        return ""  # it has ended


@pytest.mark.timeout(300)
def test_a_runner_that_is_killed_again_and_again_loses_and_doubles_nothing(tmp_path):
    crash = ContestCrash(tmp_path, seed=7)
    crash.run(3)
    assert (crash.counts["kills"], crash.counts["submissions"]) == (3, 6 * crash.counts["contests"])
