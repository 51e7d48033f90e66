"""Accounts, teams, tokens and sessions."""

from datetime import timedelta

import pytest

from arena.contest import sessions as module
from arena.contest.people import NewPerson, People
from arena.contest.schema import people as people_table
from arena.contest.sessions import Sessions
from arena.errors import UsageError


def test_people_of_one_team_share_it_and_one_alone_is_a_team(database, crew):
    everybody = {person.name: person for person in People(database).all()}
    assert everybody["alice"].team == everybody["bob"].team
    assert (everybody["carol"].team.name, everybody["carol"].team.display) == ("carol", "carol")
    assert everybody["alice"].team.owner == f"team-{everybody['bob'].team.id}"
    assert [person.name for person in everybody.values() if person.organises] == ["lee"]


def test_a_token_opens_its_account_and_only_its_hash_is_kept(database, crew):
    token = crew["alice"].token
    assert People(database).with_token(token) == crew["alice"].person
    assert People(database).with_token(token + "x") is None
    with database.connect() as connection:
        kept = repr(connection.execute(people_table.select()).all())
    assert token not in kept
    assert token.removeprefix("arena-") not in kept


@pytest.mark.parametrize("close", [lambda people: people.renew("alice"), lambda people: people.disable("alice")])
def test_a_new_token_or_a_lock_ends_everything_at_once(database, crew, close):
    sessions = Sessions(database)
    name = sessions.start(crew["alice"].person)
    assert sessions.find(name).person == crew["alice"].person
    close(People(database))
    assert sessions.find(name) is None
    assert People(database).with_token(crew["alice"].token) is None


def test_a_session_ends(database, crew, monkeypatch):
    sessions = Sessions(database)
    first, second = sessions.start(crew["alice"].person), sessions.start(crew["alice"].person)
    assert sessions.find(first).form_token != sessions.find(second).form_token
    sessions.end(first)
    assert (sessions.find(first), sessions.find(second).person.name) == (None, "alice")
    monkeypatch.setattr(module, "LASTS", timedelta(seconds=-1))
    assert sessions.find(sessions.start(crew["alice"].person)) is None


def test_an_erased_person_leaves_a_number(database, crew):
    people = People(database)
    before = crew["carol"].person
    gone = people.erase("carol")
    assert (gone.id, gone.disabled, gone.team.id) == (before.id, True, before.team.id)
    assert "carol" not in repr(people.all())
    people.erase("alice")
    assert people.find("bob").team.name == "reds"  # somebody is still in it


@pytest.mark.parametrize(
    ("newcomer", "complaint"),
    [
        (NewPerson("alice"), "there is an account alice already"),
        (NewPerson("Ann"), "'Ann' is not a valid name"),
        (NewPerson("ann", "a\u202eb"), "cannot be shown as a name"),
        (NewPerson("ann", "x" * 81), "cannot be shown as a name"),
        (NewPerson("ann", role="king"), "'king' is not a valid role"),
    ],
)
def test_all_are_added_or_none(database, crew, newcomer, complaint):
    with pytest.raises(UsageError, match=complaint):
        People(database).add([NewPerson("new"), newcomer])
    assert len(People(database).all()) == 4


def test_an_invitation_has_places_and_an_end(database, crew):
    people = People(database)
    code = people.invite(lasts=timedelta(days=1), places=1)
    with pytest.raises(UsageError, match="there is a team reds already"):
        people.join(code, NewPerson("eve", "", "reds"))
    assert people.join(code, NewPerson("dora", "Dora", role="organiser")).person.role == "contestant"
    with pytest.raises(UsageError, match="all places"):
        people.join(code, NewPerson("eve"))
    with pytest.raises(UsageError, match="not valid any more"):
        people.join(people.invite(lasts=timedelta(seconds=-1), places=9), NewPerson("eve"))
    with pytest.raises(UsageError, match="not valid any more"):
        people.join("guessed", NewPerson("eve"))


def test_the_first_team_owns_the_name_of_a_bot(database, crew):
    people = People(database)
    people.own_bot_name(crew["alice"].person.team, "mover")
    people.own_bot_name(crew["bob"].person.team, "mover")
    with pytest.raises(UsageError, match="belongs to another team"):
        people.own_bot_name(crew["carol"].person.team, "mover")
