"""What the API does for teams: it takes submissions in, tells how far they are, and takes them back."""

from contextlib import suppress
from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request

from arena.contest.submissions import QUEUED, Submission, Wish
from arena.errors import ArenaError, UsageError
from arena.service.access import Account
from arena.service.api.answers import StepAnswer, SubmissionAnswer
from arena.service.api.operations import BEFORE, LIMIT, PAGE, Answer, Batch, Operation, Parameter, batch
from arena.service.deeds import Deeds
from arena.service.uploads import PATIENCE, Patience, plain_name, receive_body
from arena.service.visitors import Visitor

_NAME = "[A-Za-z0-9._-]{1,40}"


@dataclass(frozen=True, slots=True)
class HandingIn:
    """The operations on submissions."""

    deeds: Deeds
    patience: Patience = PATIENCE

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
        one, many, own = Answer(SubmissionAnswer), Answer(SubmissionAnswer, many=True, paged=True), Account()
        return [
            Operation(
                "POST", "/submissions", "submit", "Hand in an archive of a bot, or an image that `docker save` wrote",
                one, self.submit, own, wishes, uploads=True,
            ),
            Operation(
                "GET", "/submissions", "submissions", "Your team's submissions, the newest first", many, self.all,
                own, [BEFORE, LIMIT],
            ),
            Operation(
                "GET", "/submissions/{submission}", "submission", "A submission of your team", one, self.one, own,
                [which],
            ),
            Operation(
                "GET", "/submissions/{submission}/steps", "steps", "What happened to it, step by step",
                Answer(StepAnswer, many=True), self.steps, own, [which, after],
            ),
            Operation(
                "POST", "/submissions/{submission}/cancel", "cancel", "Take back what nobody has begun to check", one,
                self.cancel, own, [which],
            ),
        ]  # fmt: skip

    async def submit(
        self,
        visitor: Visitor,
        request: Request,
        idempotency_key: str,
        file: str = "bot",
        name: str = "",
        version: str = "",
        games: str = "",
    ) -> SubmissionAnswer:
        wish = Wish(name, version, tuple(filter(None, games.split(","))))
        found, new = await run_in_threadpool(
            self.deeds.begin_upload, visitor, idempotency_key, plain_name(file), wish
        )  # fmt: skip
        if new:
            found = await self._receive(visitor, request, found)
        return self._answer(found)

    async def _receive(self, visitor: Visitor, request: Request, begun: Submission) -> Submission:
        try:
            received = await receive_body(
                request, self.deeds.contest.uploads, self.deeds.upload_bytes, self.patience
            )  # fmt: skip
            return await run_in_threadpool(self.deeds.end_upload, visitor, begun, received)
        except ArenaError as error:
            with suppress(UsageError):  # somebody has cancelled it meanwhile
                await run_in_threadpool(self.deeds.break_off, begun, str(error))
            raise

    def all(self, visitor: Visitor, before: int | None = None, limit: int = PAGE) -> Batch:
        team = None if visitor.known.organises else visitor.known.team.id
        found = self.deeds.submissions.newest(team_id=team, before=before, limit=limit)
        return batch(found, limit, self._answer, lambda submission: submission.id)

    def one(self, visitor: Visitor, submission: int) -> SubmissionAnswer:
        return self._answer(self.deeds.submission(visitor.person, submission))

    def steps(self, visitor: Visitor, submission: int, after: int = 0) -> Batch:
        found = self.deeds.submission(visitor.person, submission)
        return Batch([StepAnswer.of(step) for step in self.deeds.submissions.steps(found.id, after)])

    def cancel(self, visitor: Visitor, submission: int) -> SubmissionAnswer:
        self.deeds.cancel(visitor, submission)
        return self.one(visitor, submission)

    def _answer(self, found: Submission) -> SubmissionAnswer:
        return SubmissionAnswer.of(found, self.deeds.submissions.ahead(found) if found.state == QUEUED else None)
