"""What people asked of the runner by the pages: done, and answered in a sentence."""

from arena.contest.people import People, Person
from arena.contest.requests import RESTORE, RETIRE, OpenRequest, Requests
from arena.errors import UsageError
from arena.runner.log import Log
from arena.store.failures import StoreUnusable
from arena.store.sql import Store


class Asked:
    """Works off what was asked, with the epoch of a runner, behind whose lease the store is."""

    def __init__(self, people: People, requests: Requests, store: Store, epoch: int, log: Log) -> None:
        self._people, self._requests, self._store, self._epoch, self._log = people, requests, store, epoch, log

    def work_off(self) -> None:
        """Do and answer all that is open, the oldest first."""
        for request in self._requests.open():
            try:
                sentence = self._done(request)
            except UsageError as error:
                if isinstance(error, StoreUnusable):
                    raise
                sentence = str(error)
            self._requests.answer(request.id, sentence, epoch=self._epoch)
            self._log("answered", request=request.id, kind=request.kind, text=sentence)

    def _done(self, request: OpenRequest) -> str:
        if request.kind not in (RETIRE, RESTORE):
            raise UsageError(f"the runner does not know how to {request.kind[:20]!r} anything")
        name, version = (_text(request, key) for key in ("name", "version"))
        self._check_owner(self._people.by_id(request.person_id), name, version)
        retired = request.kind == RETIRE
        self._store.retire_bot(name, version or None, retired=retired)
        label = f"{name} {version}".strip()
        return f"{label} plays no more" if retired else f"{label} plays again"

    def _check_owner(self, person: Person, name: str, version: str) -> None:
        """UsageError unless there is such a bot, and the person may decide about it."""
        found = [
            entry for entry in self._store.bot_versions(name) if entry.on_ladder and version in ("", entry.version)
        ]
        own = [entry for entry in found if person.organises or entry.owner == person.team.owner]
        if not own or own != found:
            raise UsageError(f"your team has no bot {f'{name} {version}'.strip()[:80]}")


def _text(request: OpenRequest, key: str) -> str:
    value = request.arguments.get(key) or ""
    if not isinstance(value, str) or (key == "name" and not value):
        raise UsageError("it was not said which bot is meant")
    return value
