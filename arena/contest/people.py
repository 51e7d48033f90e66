"""People and their teams: rows with numbers that stay, and tokens of which only hashes are kept."""

import hashlib
import re
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import Connection, Engine, Row, Select, delete, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from arena.contest.schema import bot_names, invitations, people, sessions, teams
from arena.errors import UsageError
from arena.store.database import writing
from arena.store.schema import as_utc

ORGANISER, CONTESTANT = "organiser", "contestant"
ROLES = (ORGANISER, CONTESTANT)
TOKEN_PREFIX = "arena-"  # noqa: S105  (it lets people and scanners of secrets recognise a token; it is none)
_NAME = re.compile(r"[a-z0-9][a-z0-9._-]{0,39}")
MAX_DISPLAY = 80
_ERASED = "erased-"
"""Begins the name that an erased person or team has instead of its own; nobody else may have one like it."""


@dataclass(frozen=True, slots=True)
class Team:
    """Those who hand in bots together."""

    id: int
    name: str
    display: str

    @property
    def owner(self) -> str:
        """The owner of its bots in the results: a number, which outlives every name."""
        return f"team-{self.id}"

    @property
    def erased(self) -> bool:
        """Whether the last of its people was erased."""
        return self.name.startswith(_ERASED)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody with an account."""

    id: int
    name: str
    display: str
    team: Team
    role: str
    disabled: bool
    created: datetime

    @property
    def organises(self) -> bool:
        """Whether the person may see and do everything."""
        return self.role == ORGANISER

    @property
    def erased(self) -> bool:
        """Whether only a number is left of the person."""
        return self.name.startswith(_ERASED)


@dataclass(frozen=True, slots=True)
class NewPerson:
    """An account that is to be made; without a team the person is a team alone."""

    name: str
    display: str = ""
    team: str = ""
    role: str = CONTESTANT


@dataclass(frozen=True, slots=True)
class Issued:
    """A person with the token, which is known at this moment only."""

    person: Person
    token: str


def hash_of(secret: str) -> str:
    """What is kept of a secret of 32 random bytes: nobody guesses these, so that no slow hash is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()


def checked_account(name: str) -> str:
    """The name of an account or team, if it is one that addresses and tables can show."""
    if not _NAME.fullmatch(name):
        raise UsageError(
            f"{name[:60]!r} is not a valid name of an account or team: write 1 to 40 small letters, digits, dots, "
            "dashes or underscores"
        )
    if name.startswith(_ERASED):
        raise UsageError(f"names that begin with {_ERASED} are for people who were erased: choose another than {name}")
    return name


def checked_display(text: str) -> str:
    """A name for people to read: one line that cannot steer a terminal or a page."""
    text = " ".join(text.split())
    if not text.isprintable() or len(text) > MAX_DISPLAY:
        raise UsageError(f"{text[:60]!a} cannot be shown as a name: write at most {MAX_DISPLAY} printable characters")
    return text


def checked_role(role: str) -> str:
    """What somebody may do, if there is such a role."""
    if role not in ROLES:
        raise UsageError(f"{role[:60]!r} is not a valid role: write {' or '.join(ROLES)}")
    return role


class People:
    """The accounts of a contest."""

    def __init__(self, database: Engine) -> None:
        self._database = database

    def add(self, newcomers: Sequence[NewPerson]) -> list[Issued]:
        """Make these accounts, all or none; UsageError names the one that is there already."""
        with writing(self._database) as connection:
            return [_add(connection, newcomer) for newcomer in newcomers]

    def all(self) -> list[Person]:
        with self._database.connect() as connection:
            return [_person(row) for row in connection.execute(_PEOPLE.order_by(people.c.id))]

    def find(self, name: str) -> Person:
        """The person of this name; UsageError if there is none."""
        with self._database.connect() as connection:
            row = connection.execute(_PEOPLE.where(people.c.name == name)).first()
        if row is None:
            raise UsageError(f"there is no account {name[:60]!r}: `arena contest people list` shows all")
        return _person(row)

    def with_token(self, token: str) -> Person | None:
        """Whoever this token was given to, unless the account is disabled."""
        which = _PEOPLE.where(people.c.token_hash == hash_of(token), people.c.disabled.is_(False))
        with self._database.connect() as connection:
            row = connection.execute(which).first()
        return None if row is None else _person(row)

    def teams(self) -> dict[int, Team]:
        """All teams by their ids."""
        with self._database.connect() as connection:
            return {row.id: Team(row.id, row.name, row.display) for row in connection.execute(select(teams))}

    def renew(self, name: str) -> Issued:
        """A new token in place of the old one, which ends all sessions."""
        person, token = self._present(name), new_token()
        with writing(self._database) as connection:
            connection.execute(update(people).where(people.c.id == person.id).values(token_hash=hash_of(token)))
            connection.execute(delete(sessions).where(sessions.c.person_id == person.id))
        return Issued(person, token)

    def disable(self, name: str, *, disabled: bool = True) -> Person:
        """Lock an account, at once, or let it in again."""
        person = self._present(name)
        with writing(self._database) as connection:
            connection.execute(update(people).where(people.c.id == person.id).values(disabled=disabled))
            if disabled:
                connection.execute(delete(sessions).where(sessions.c.person_id == person.id))
        return self.find(name)

    def erase(self, name: str) -> Person:
        """Take a person's name away for good, and the team's with the last of its people; results keep the number."""
        person = self.find(name)
        with writing(self._database) as connection:
            connection.execute(delete(sessions).where(sessions.c.person_id == person.id))
            gone = {"name": f"{_ERASED}{person.id}", "display": f"Person {person.id}", "disabled": True}
            connection.execute(update(people).where(people.c.id == person.id).values(**gone, token_hash=None))
            others = select(func.count()).where(
                people.c.team_id == person.team.id, people.c.name.not_like(f"{_ERASED}%")
            )
            if not connection.execute(others).scalar():
                named = {"name": f"{_ERASED}{person.team.id}", "display": f"Team {person.team.id}"}
                connection.execute(update(teams).where(teams.c.id == person.team.id).values(**named))
        return self.find(str(gone["name"]))

    def _present(self, name: str) -> Person:
        """The person of this name; UsageError for one who was erased, and stays so."""
        person = self.find(name)
        if person.erased:
            raise UsageError(f"{name} was erased, and nothing is left of that account: make a new one")
        return person

    def invite(self, *, lasts: timedelta, places: int) -> str:
        """A code with which so many people can make an account of their own until it ends."""
        code = secrets.token_urlsafe(9)
        with writing(self._database) as connection:
            now = as_utc(connection.execute(select(func.now())).scalar_one())
            values = {"code_hash": hash_of(code), "ends_at": now + lasts, "places": places}
            connection.execute(insert(invitations).values(values))
        return code

    def join(self, code: str, newcomer: NewPerson) -> Issued:
        """Make an account with a code; it joins no team that is there already, since nobody vouches for it."""
        with writing(self._database) as connection:
            which = invitations.c.code_hash == hash_of(code)
            row = connection.execute(select(invitations, func.now().label("now")).where(which)).first()
            if row is None or as_utc(row.ends_at) <= as_utc(row.now):
                raise UsageError("this invitation is not valid any more: ask the organiser for another one")
            if row.taken >= row.places:
                raise UsageError("all places of this invitation are taken: ask the organiser for another one")
            connection.execute(update(invitations).where(which).values(taken=invitations.c.taken + 1))
            wanted = checked_account(newcomer.team or newcomer.name)
            if connection.execute(select(teams.c.id).where(teams.c.name == wanted)).first():
                raise UsageError(f"there is a team {wanted} already: choose another name")
            return _add(connection, NewPerson(newcomer.name, newcomer.display, newcomer.team, CONTESTANT))

    def own_bot_name(self, team: Team, name: str) -> None:
        """Give the name of a bot to a team; UsageError if another one has it."""
        with writing(self._database) as connection:
            owner = connection.execute(select(bot_names.c.team_id).where(bot_names.c.name == name)).scalar()
            if owner is None:
                connection.execute(insert(bot_names).values(name=name, team_id=team.id))
            elif owner != team.id:
                raise UsageError(f"the bot name {name} belongs to another team: choose another one")


_PEOPLE: Select[tuple[object, ...]] = select(
    people, teams.c.name.label("team_name"), teams.c.display.label("team_display")
).join(teams)


def new_token() -> str:
    """A secret that opens an account."""
    return TOKEN_PREFIX + secrets.token_urlsafe(32)


def _person(row: Row[tuple[object, ...]]) -> Person:
    team = Team(row.team_id, row.team_name, row.team_display)
    return Person(row.id, row.name, row.display, team, row.role, row.disabled, as_utc(row.created_at))


def _add(connection: Connection, newcomer: NewPerson) -> Issued:
    name = checked_account(newcomer.name)
    role, token = checked_role(newcomer.role), new_token()
    display = checked_display(newcomer.display) or name
    if connection.execute(select(people.c.id).where(people.c.name == name)).first():
        raise UsageError(f"there is an account {name} already: choose another name")
    if not newcomer.team and connection.execute(select(teams.c.id).where(teams.c.name == name)).first():
        raise UsageError(f"there is a team {name} already: choose another name, or say that {name} is in that team")
    team_id = _team(connection, checked_account(newcomer.team or name), "" if newcomer.team else display)
    values = {"name": name, "display": display, "team_id": team_id, "role": role}
    try:
        connection.execute(insert(people).values(**values, token_hash=hash_of(token)))
    except IntegrityError as error:  # somebody else has taken it since
        raise UsageError(f"there is an account {name} already: choose another name") from error
    return Issued(_person(connection.execute(_PEOPLE.where(people.c.name == name)).one()), token)


def _team(connection: Connection, name: str, display: str) -> int:
    """The id of the team of this name, made now if it is new."""
    known = connection.execute(select(teams.c.id).where(teams.c.name == name)).scalar()
    if known is not None:
        return int(known)
    made = insert(teams).values(name=name, display=display or name).returning(teams.c.id)
    return int(connection.execute(made).scalar_one())
