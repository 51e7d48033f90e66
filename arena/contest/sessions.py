"""Sessions of browsers: kept here and not in the cookie, so that one that is ended is ended at once."""

import secrets
from dataclasses import dataclass
from datetime import timedelta

from sqlalchemy import Engine, delete, func, insert, select

from arena.contest.people import People, Person, hash_of
from arena.contest.schema import people, sessions
from arena.store.database import writing
from arena.store.schema import as_utc

LASTS = timedelta(days=14)


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who is logged in."""

    person: Person
    form_token: str
    """Stands in every form of this session, and only there: a form of another site does not know it."""


class Sessions:
    """Who is logged in."""

    def __init__(self, database: Engine) -> None:
        self._database = database
        self._people = People(database)

    def start(self, person: Person) -> str:
        """Log a person in; the name of the session, for the cookie only."""
        name = secrets.token_urlsafe(32)
        with writing(self._database) as connection:
            now = as_utc(connection.execute(select(func.now())).scalar_one())
            connection.execute(delete(sessions).where(sessions.c.ends_at < now))
            values = {"id_hash": hash_of(name), "person_id": person.id, "form_token": secrets.token_urlsafe(32)}
            connection.execute(insert(sessions).values(**values, ends_at=now + LASTS))
        return name

    def find(self, name: str) -> Session | None:
        """The session of this name, if it has not ended and its person may still come in."""
        query = select(sessions, people.c.name, func.now().label("now")).join(people)
        query = query.where(sessions.c.id_hash == hash_of(name), people.c.disabled.is_(False))
        with self._database.connect() as connection:
            row = connection.execute(query).first()
        if row is None or as_utc(row.ends_at) <= as_utc(row.now):
            return None
        return Session(self._people.find(row.name), row.form_token)

    def end(self, name: str) -> None:
        """Log out."""
        with writing(self._database) as connection:
            connection.execute(delete(sessions).where(sessions.c.id_hash == hash_of(name)))
