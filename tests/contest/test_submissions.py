"""The queue of submissions: quotas, turns, epochs, and what becomes of what was in work."""

import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest

from arena.contest import submissions as module
from arena.contest.people import People
from arena.contest.submissions import Quota, Submissions, Wish
from arena.errors import UsageError
from arena.store.leases import LeaseLost

ROOMY = Quota(per_day=100, waiting=100, disk_bytes=1 << 30)


@pytest.fixture
def queue(database):
    return Submissions(database)


def hand_in(queue, issued, key="k", quota=ROOMY, size=10):
    made, _ = queue.add(issued.person, key, "mover.zip", Wish(games=("claim",)), quota)
    return queue.queue(made.id, "ab" * 32, size)


def test_the_way_of_a_submission_is_told_step_by_step(queue, crew):
    made = hand_in(queue, crew["alice"])
    assert (made.state, made.wish, made.bytes) == ("queued", Wish(games=("claim",)), 10)
    assert queue.claim(7).id == made.id
    queue.step(made.id, 7, "building", "building it in the sandbox")
    queue.decide(made.id, 7, "registered", "mover 1 is on the ladder", bot_id=3)
    assert [step.state for step in queue.steps(made.id)] == [
        "received",
        "queued",
        "unpacking",
        "building",
        "registered",
    ]
    assert [step.text for step in queue.steps(made.id, after=4)] == ["mover 1 is on the ladder"]
    found = queue.find(made.id)
    assert (found.bot_id, found.is_decided, found.attempt) == (3, True, 1)
    assert queue.open() == []


def test_the_same_key_is_the_same_submission(queue, crew):
    first = hand_in(queue, crew["alice"])
    again, new = queue.add(crew["alice"].person, "k", "mover.zip", Wish(), ROOMY)
    assert (again.id, new) == (first.id, False)
    assert queue.add(crew["carol"].person, "k", "mover.zip", Wish(), ROOMY)[1]


def test_one_of_a_team_at_a_time_and_the_longest_waiting_first(queue, crew):
    first, second, third = (
        hand_in(queue, crew[name], key) for name, key in (("alice", "1"), ("bob", "2"), ("carol", "3"))
    )
    assert queue.ahead(third) == 2
    assert queue.claim(1).id == first.id
    assert queue.claim(1).id == third.id
    assert queue.claim(1) is None  # Bob is of Alice's team
    queue.decide(first.id, 1, "refused", "it does not start", output="no module torch")
    assert queue.claim(1).id == second.id
    assert queue.find(first.id).output == "no module torch"


def test_two_runners_never_get_the_same(queue, crew):
    made = [hand_in(queue, crew[name], "k") for name in ("alice", "carol", "lee")]
    start = threading.Barrier(4)

    def take(epoch):
        start.wait()
        return queue.claim(epoch)

    with ThreadPoolExecutor(4) as threads:
        taken = [found.id for found in threads.map(take, range(1, 5)) if found]
    assert sorted(taken) == [submission.id for submission in made]


def test_a_runner_that_lost_its_lease_writes_nothing(queue, crew):
    made = hand_in(queue, crew["alice"])
    queue.claim(1)
    queue.recover(2)
    assert queue.find(made.id).state == "queued"
    assert queue.claim(2).attempt == 2
    for write in (
        lambda: queue.step(made.id, 1, "checking", "late"),
        lambda: queue.decide(made.id, 1, "refused", "late"),
        lambda: queue.give_back(made.id, 1, "late"),
    ):
        with pytest.raises(LeaseLost):
            write()
    assert "late" not in repr(queue.steps(made.id))
    queue.recover(2)  # what it has in work itself stays
    assert queue.find(made.id).state == "unpacking"


def test_our_failures_are_tried_twice_more_and_never_refuse(queue, crew):
    made = hand_in(queue, crew["alice"])
    for _ in range(3):
        queue.claim(1)
        queue.give_back(made.id, 1, "the disk is full")
    found = queue.find(made.id)
    assert found.state == "failed"
    assert found.reason == "failed 3 times, through no fault of the bot: the disk is full"
    queue.requeue(made.id)
    assert (queue.find(made.id).state, queue.claim(1).attempt) == ("queued", 1)


def test_only_what_waits_is_cancelled(queue, crew):
    first, second = hand_in(queue, crew["alice"], "1"), hand_in(queue, crew["alice"], "2")
    queue.claim(1)
    with pytest.raises(UsageError, match="not received or queued any more"):
        queue.cancel(first.id)
    queue.cancel(second.id)
    assert queue.find(second.id).state == "cancelled"


def test_an_upload_that_never_ended_is_given_up(queue, crew, monkeypatch):
    made, _ = queue.add(crew["alice"].person, "k", "mover.zip", Wish(), ROOMY)
    queue.recover(1)
    assert queue.find(made.id).state == "received"
    monkeypatch.setattr(module, "BROKEN_OFF", timedelta(seconds=-10))
    queue.recover(1)
    assert (queue.find(made.id).state, queue.find(made.id).reason) == ("refused", "the upload was broken off")


@pytest.mark.parametrize(
    ("quota", "complaint"),
    [
        (Quota(per_day=9, waiting=2, disk_bytes=99), "2 submissions of your team wait already"),
        (Quota(per_day=2, waiting=9, disk_bytes=99), "handed in 2 times within 24 hours"),
        (Quota(per_day=9, waiting=9, disk_bytes=20), "fill the 0 MiB"),
    ],
)
def test_a_quota_is_of_the_team(queue, crew, quota, complaint):
    hand_in(queue, crew["alice"], "1", quota)
    hand_in(queue, crew["bob"], "2", quota)
    with pytest.raises(UsageError, match=complaint):
        hand_in(queue, crew["alice"], "3", quota)
    hand_in(queue, crew["carol"], "1", quota)


def test_pages_of_submissions(queue, crew):
    made = [hand_in(queue, crew["alice"], str(number)).id for number in range(5)]
    hand_in(queue, crew["carol"])
    team = People(queue._database).find("alice").team.id
    page = queue.newest(team_id=team, limit=2)
    assert [found.id for found in page] == made[:2:-1]
    assert [found.id for found in queue.newest(team_id=team, before=page[-1].id)] == made[2::-1]
