"""What the API does for teams: it takes submissions in, tells how far they are, and takes them back."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from starlette.requests import Request

from arena.contest.people import Person
from arena.contest.submissions import QUEUED, Submission, Submissions, Wish
from arena.errors import UsageError
from arena.service.api.answers import StepAnswer, SubmissionAnswer
from arena.service.api.operations import BEFORE, LIMIT, PAGE, Answer, Batch, Operation, Parameter, batch
from arena.service.api.reading import Missing

Receive = Callable[[Person, Request, str, str, Wish], Awaitable[Submission]]
"""Takes in the body of a request under a key and a file name."""
_NAME = "[A-Za-z0-9._-]{1,40}"


@dataclass(frozen=True, slots=True)
class HandingIn:
    """The operations on submissions."""

    submissions: Submissions
    receive: Receive

    def operations(self) -> list[Operation]:
        """All of them, each for people with an account."""
        which = Parameter("submission", "path", "the id of a submission", number=True)
        after = Parameter("after", "query", "only steps with a higher number", number=True)
        wishes = [
            Parameter("file", "query", "what the file is called"),
            Parameter("name", "query", "the bot's name; else that of its bot.toml", pattern=_NAME),
            Parameter("version", "query", "its version; else that of its bot.toml", pattern=_NAME),
            Parameter("games", "query", "its games with commas between them", pattern="[a-z0-9_,]{1,200}"),
            Parameter("Idempotency-Key", "header", "the same key is the same one", pattern="[!-~]{1,80}", needed=True),
        ]
        one, many = Answer(SubmissionAnswer), Answer(SubmissionAnswer, many=True, paged=True)
        return [
            Operation(
                "POST", "/submissions", "submit", "Hand in an archive of a bot, or an image that `docker save` wrote",
                one, self.submit, wishes, token=True, uploads=True,
            ),
            Operation(
                "GET", "/submissions", "submissions", "Your team's submissions, the newest first", many, self.all,
                [BEFORE, LIMIT], token=True,
            ),
            Operation(
                "GET", "/submissions/{submission}", "submission", "A submission of your team", one, self.one, [which],
                token=True,
            ),
            Operation(
                "GET", "/submissions/{submission}/steps", "steps", "What happened to it, step by step",
                Answer(StepAnswer, many=True), self.steps, [which, after], token=True,
            ),
            Operation(
                "POST", "/submissions/{submission}/cancel", "cancel", "Take back what nobody has begun to check", one,
                self.cancel, [which], token=True,
            ),
        ]  # fmt: skip

    async def submit(
        self,
        person: Person,
        request: Request,
        idempotency_key: str,
        file: str = "bot",
        name: str = "",
        version: str = "",
        games: str = "",
    ) -> SubmissionAnswer:
        wish = Wish(name, version, tuple(filter(None, games.split(","))))
        return self._answer(await self.receive(person, request, idempotency_key, file, wish))

    def all(self, person: Person, before: int | None = None, limit: int = PAGE) -> Batch:
        team = None if person.organises else person.team.id
        found = self.submissions.newest(team_id=team, before=before, limit=limit)
        return batch(found, limit, self._answer, lambda submission: submission.id)

    def one(self, person: Person, submission: int) -> SubmissionAnswer:
        return self._answer(self._find(person, submission))

    def steps(self, person: Person, submission: int, after: int = 0) -> Batch:
        found = self._find(person, submission)
        return Batch([StepAnswer.of(step) for step in self.submissions.steps(found.id, after)])

    def cancel(self, person: Person, submission: int) -> SubmissionAnswer:
        self.submissions.cancel(self._find(person, submission).id)
        return self.one(person, submission)

    def _find(self, person: Person, number: int) -> Submission:
        """A submission that this person may see; another team's is not there."""
        try:
            found = self.submissions.find(number)
        except UsageError as error:
            raise Missing("there is no such submission") from error
        if found.team_id != person.team.id and not person.organises:
            raise Missing("there is no such submission")
        return found

    def _answer(self, found: Submission) -> SubmissionAnswer:
        return SubmissionAnswer.of(found, self.submissions.ahead(found) if found.state == QUEUED else None)
