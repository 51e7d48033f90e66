"""The fence among the rows of a contest: of a runner that slept while another one took over nothing is written."""

import pytest

from arena.contest import runners as module
from arena.contest.people import People
from arena.contest.requests import RETIRE, Requests
from arena.contest.runners import Runners
from arena.contest.submissions import Submissions
from arena.store.leases import LeaseLost
from tests.contest.test_submissions import hand_in


def test_a_runner_is_known_by_its_last_beat(database, monkeypatch):
    known = Runners(database)
    assert known.last() is None
    known.enter(3, "process 7 on here")
    known.beat(3, module.WORKING)
    last = known.last()
    assert (last.epoch, last.place, last.state, last.here) == (3, "process 7 on here", "working", True)
    known.beat(3, module.ENDED)
    assert not known.last().here
    known.enter(4, "process 8 on here")
    assert (known.last().epoch, known.last().here) == (4, True)
    monkeypatch.setattr(module, "SILENT", -module.SILENT)
    assert not known.last().here


def test_nothing_is_written_with_the_epoch_of_an_earlier_runner(database, crew):
    queue, requests, people, known = Submissions(database), Requests(database), People(database), Runners(database)
    first = hand_in(queue, crew["alice"])
    known.enter(1, "the first")
    queue.claim(1)
    waiting = hand_in(queue, crew["carol"])
    asked = requests.add(crew["alice"].person, RETIRE, {"name": "mover"})
    known.enter(2, "the second")
    for write in (
        lambda: queue.claim(1),
        lambda: queue.recover(1),
        lambda: known.beat(1, module.WORKING),
        lambda: known.enter(1, "the first"),
        lambda: requests.answer(asked, "late", epoch=1),
        lambda: people.own_bot_name(crew["alice"].person.team, "late", epoch=1),
    ):
        with pytest.raises(LeaseLost):
            write()
    assert queue.find(waiting.id).state == "queued"
    assert [request.id for request in requests.open()] == [asked]
    people.own_bot_name(crew["carol"].person.team, "late", epoch=2)
    queue.recover(2)
    assert queue.claim(2).id == first.id
