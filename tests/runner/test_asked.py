"""What people ask of the runner: only about bots of their own team, and with an answer in a sentence."""

import pytest
from sqlalchemy import select

from arena.contest.requests import RESTORE, RETIRE
from arena.contest.runners import LeaseLost
from arena.contest.schema import requests
from arena.runner.asked import Asked


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
        ("alice", RETIRE, {"name": "mover"}, [True, True], "mover plays no more"),
        ("alice", RETIRE, {"name": "mover", "version": "1"}, [True, False], "mover 1 plays no more"),
        ("lee", RETIRE, {"name": "mover", "version": "2"}, [False, True], "mover 2 plays no more"),
        ("bob", RETIRE, {"name": "mover"}, [False, False], "your team has no bot mover"),
        ("alice", RETIRE, {"name": "mover", "version": "9"}, [False, False], "your team has no bot mover 9"),
        ("alice", RETIRE, {"name": "random"}, [False, False], "your team has no bot random"),
        ("alice", RETIRE, {}, [False, False], "it was not said which bot is meant"),
        ("alice", RETIRE, {"name": ["mover"]}, [False, False], "it was not said which bot is meant"),
        ("alice", "explode", {"name": "mover"}, [False, False], "the runner does not know how to 'explode' anything"),
    ],
)
def test_a_request_is_done_and_answered(kit, store, who, kind, arguments, after, answer):
    kit.requests.add(kit.crew[who], kind, arguments)
    Asked(kit.people, kit.requests, store, 1, quiet).work_off()
    assert (retired(store), answers(kit), kit.requests.open()) == (after, [answer], [])


def test_a_retired_bot_is_restored(kit, store):
    for kind in (RETIRE, RESTORE):
        kit.requests.add(kit.crew["alice"], kind, {"name": "mover"})
    Asked(kit.people, kit.requests, store, 1, quiet).work_off()
    assert retired(store) == [False, False]
    assert answers(kit) == ["mover plays no more", "mover plays again"]


def test_a_runner_that_was_replaced_answers_nothing(kit, store):
    kit.requests.add(kit.crew["bob"], RETIRE, {"name": "mover"})
    kit.runners.enter(2, "another one")
    with pytest.raises(LeaseLost):
        Asked(kit.people, kit.requests, store, 1, quiet).work_off()
    assert answers(kit) == [None]
