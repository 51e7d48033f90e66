"""Who did what, and from where: rows that are only added."""

from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Engine, insert, select

from arena.contest.people import Person
from arena.contest.schema import audit, people
from arena.store.database import writing
from arena.store.schema import as_utc


@dataclass(frozen=True, slots=True)
class Deed:
    """One thing that somebody did."""

    id: int
    who: str
    """The name of the account; empty for somebody without one, or at the organiser's terminal."""
    address: str
    action: str
    thing: str
    at: datetime


class Audit:
    """The list of what was done in a contest."""

    def __init__(self, database: Engine) -> None:
        self._database = database

    def add(self, person: Person | None, address: str, action: str, thing: str = "") -> None:
        """Note what somebody did; never with a secret in it."""
        values = {"person_id": person and person.id, "address": address[:60], "action": action, "thing": thing[:200]}
        with writing(self._database) as connection:
            connection.execute(insert(audit).values(values))

    def newest(self, *, before: int | None = None, limit: int = 100) -> list[Deed]:
        """The latest deeds; `before` is the lowest id of the page before."""
        query = select(audit, people.c.name).outerjoin(people).order_by(audit.c.id.desc()).limit(limit)
        if before is not None:
            query = query.where(audit.c.id < before)
        with self._database.connect() as connection:
            return [
                Deed(row.id, row.name or "", row.address, row.action, row.thing, as_utc(row.created_at))
                for row in connection.execute(query)
            ]
