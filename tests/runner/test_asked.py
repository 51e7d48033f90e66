"""What people ask of the runner: only about bots of their own team, and with an answer in a sentence."""

import pytest
from sqlalchemy import select

from arena.contest.requests import RESTORE, RETIRE
from arena.contest.schema import requests
from arena.runner.asked import Asked
from arena.store.leases import LeaseLost


@pytest.fixture
def store(kit):
    store = kit.contest.open_results_to_write()
    facts = {"digest": "sha256:0", "origin": "/x", "games": ["claim"]}
    for version in ("1", "2"):
        store.add_bot(name="mover", version=version, owner=kit.crew["alice"].team.owner, **facts)
    yield store
    store.close()


def answers(kit):
    with kit.database.connect() as connection:
        return list(connection.execute(select(requests.c.answer).order_by(requests.c.id)).scalars())


def retired(store):
    return [entry.retired for entry in store.bot_versions("mover")]


def quiet(event, **facts):
    """Nobody reads the log."""


@pytest.mark.parametrize(
    ("who", "kind", "arguments", "after", "answer"),
    [
        ("alice", RETIRE, {"bot_id": 1}, [True, False], "mover 1 plays no more"),
        ("lee", RETIRE, {"bot_id": 2}, [False, True], "mover 2 plays no more"),
        ("bob", RETIRE, {"bot_id": 1}, [False, False], "your team has no such bot"),
        ("alice", RETIRE, {"bot_id": 9}, [False, False], "your team has no such bot"),
        ("alice", RETIRE, {}, [False, False], "your team has no such bot"),
        ("alice", RETIRE, {"bot_id": [1]}, [False, False], "your team has no such bot"),
        ("alice", "explode", {"bot_id": 1}, [False, False], "the runner does not know how to 'explode' anything"),
    ],
)
def test_a_request_is_done_and_answered(kit, store, who, kind, arguments, after, answer):
    kit.requests.add(kit.crew[who], kind, arguments)
    Asked(kit.people, kit.requests, store, 1, quiet).work_off()
    assert (retired(store), answers(kit), kit.requests.open()) == (after, [answer], [])


def test_a_retired_bot_is_restored(kit, store):
    for kind in (RETIRE, RESTORE):
        kit.requests.add(kit.crew["alice"], kind, {"bot_id": 2})
    Asked(kit.people, kit.requests, store, 1, quiet).work_off()
    assert retired(store) == [False, False]
    assert answers(kit) == ["mover 2 plays no more", "mover 2 plays again"]


def test_a_runner_that_was_replaced_answers_nothing(kit, store):
    kit.requests.add(kit.crew["bob"], RETIRE, {"bot_id": 1})
    kit.runners.enter(2, "another one")
    with pytest.raises(LeaseLost):
        Asked(kit.people, kit.requests, store, 1, quiet).work_off()
    assert answers(kit) == [None]
