"""What people asked of the runner by the pages: done, and answered in a sentence."""

from arena.contest.people import People, Person
from arena.contest.requests import RESTORE, RETIRE, OpenRequest, Requests
from arena.errors import UsageError
from arena.runner.log import Log
from arena.store.base import BotEntry
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
        bot = self._bot_of(self._people.by_id(request.person_id), request.arguments.get("bot_id"))
        retired = request.kind == RETIRE
        self._store.retire_bot(bot.name, bot.version, retired=retired)
        return f"{bot.label} plays no more" if retired else f"{bot.label} plays again"

    def _bot_of(self, person: Person, bot_id: object) -> BotEntry:
        """The bot that is meant, if the person may decide about it; UsageError if not."""
        found = next((entry for entry in self._store.all_bots() if entry.id == bot_id), None)
        if found is None or not (person.organises or found.owner == person.team.owner):
            raise UsageError("your team has no such bot")
        return found
