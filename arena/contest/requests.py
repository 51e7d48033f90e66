"""What the web process asks of the runner, and switches: rows that outlive either process."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Engine, insert, select, update

from arena.contest.people import Person
from arena.contest.runners import check_epoch
from arena.contest.schema import requests, switches
from arena.store.database import writing

PAUSED = "paused"
RETIRE, RESTORE = "retire", "restore"


@dataclass(frozen=True, slots=True)
class OpenRequest:
    """Something that the runner shall do."""

    id: int
    person_id: int
    kind: str
    arguments: Mapping[str, Any]


class Requests:
    """What the runner was asked for and has not done yet."""

    def __init__(self, database: Engine) -> None:
        self._database = database

    def add(self, person: Person, kind: str, arguments: Mapping[str, Any]) -> int:
        """Ask for something; its number."""
        asked = insert(requests).values(person_id=person.id, kind=kind, arguments=dict(arguments))
        with writing(self._database) as connection:
            return int(connection.execute(asked.returning(requests.c.id)).scalar_one())

    def open(self) -> list[OpenRequest]:
        """What has no answer yet, the oldest first."""
        query = select(requests).where(requests.c.answer.is_(None)).order_by(requests.c.id)
        with self._database.connect() as connection:
            return [OpenRequest(row.id, row.person_id, row.kind, row.arguments) for row in connection.execute(query)]

    def answer(self, request_id: int, sentence: str, *, epoch: int | None = None) -> None:
        """Say what was done, once. A runner says its epoch."""
        which = (requests.c.id == request_id, requests.c.answer.is_(None))
        with writing(self._database) as connection:
            check_epoch(connection, epoch)
            connection.execute(update(requests).where(*which).values(answer=sentence))

    def turn(self, switch: str, *, on: bool) -> None:
        """Turn a switch."""
        with writing(self._database) as connection:
            if not connection.execute(update(switches).where(switches.c.name == switch).values(on=on)).rowcount:
                connection.execute(insert(switches).values(name=switch, on=on))

    def is_on(self, switch: str) -> bool:
        """Whether a switch is on; one that nobody turned is off."""
        with self._database.connect() as connection:
            return bool(connection.execute(select(switches.c.on).where(switches.c.name == switch)).scalar())
