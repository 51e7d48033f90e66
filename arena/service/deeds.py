"""What people do and see in a contest, as data: pages show it, and so can any other form.

Each takes who asks and what is asked for. A Refusal or UsageError says in a sentence why it is not done.
"""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path

from sqlalchemy import Engine

from arena.contest.audit import Audit, Deed
from arena.contest.people import Issued, NewPerson, People, Person
from arena.contest.requests import PAUSED, RESTORE, RETIRE, Requests
from arena.contest.runners import Runners
from arena.contest.sessions import Sessions
from arena.contest.settings import Contest, bytes_of
from arena.contest.submissions import FAILED, Submission, Submissions, Wish
from arena.errors import UsageError
from arena.service.access import Account, OfTeam, Organising, Thing, may_see
from arena.service.limits import Limiter, Window
from arena.service.names import Names
from arena.service.refusals import Refusal, too_often
from arena.service.uploads import Received
from arena.service.visitors import Visitor
from arena.store.base import BotEntry

LOGINS = Window(5, 60.0), Window(30, 3600.0)
"""Tries to come in that failed, of one address: a whole class may log in at once."""
UPLOADS = Window(5, 60.0), Window(10, 3600.0)
"""Uploads of one person."""
DEEDS_PER_PAGE = 100
MAX_KEY = 80
MAX_WISH = 40


class Deeds:
    """All that can be done in one contest, and by whom."""

    def __init__(
        self, contest: Contest, database: Engine, bots: Callable[[], Mapping[int, BotEntry]],
        uploads: Limiter | None = None,
    ) -> None:  # fmt: skip
        self.contest = contest
        self.people, self.sessions, self.submissions = People(database), Sessions(database), Submissions(database)
        self.requests, self.runners, self._audit = Requests(database), Runners(database), Audit(database)
        self.names = Names(self.people, pseudonyms=contest.settings.pseudonyms)
        self.bots = bots
        """Those in the results, by their ids."""
        self._logins, self._uploads = Limiter(*LOGINS), uploads or Limiter(*UPLOADS)

    # -- coming and going -----------------------------------------------------------------------------------

    def log_in(self, visitor: Visitor, token: str) -> tuple[str, Person]:
        """A new session for whoever has this token: its name, for the cookie only."""
        person = self.people.with_token(token)
        if person is None:
            self._count_failure(visitor)
            self._audit.add(None, visitor.address, "failed login")
            raise Refusal(
                403, "Nobody has this token: copy all of it from your card, or ask an organiser for a new one"
            )
        if visitor.session:
            self.sessions.end(visitor.session)
        self._audit.add(person, visitor.address, "login")
        return self.sessions.start(person), person

    def with_token(self, visitor: Visitor, token: str) -> Visitor:
        """The visitor as whoever has this token, for one request without a session."""
        person = self.people.with_token(token)
        if person is None:
            self._count_failure(visitor)
            raise Refusal(401, "Nobody has this token")
        return Visitor(visitor.address, person)

    def log_out(self, visitor: Visitor) -> None:
        """End the session."""
        self.sessions.end(visitor.session)
        self._audit.add(visitor.known, visitor.address, "logout")

    def join(self, visitor: Visitor, code: str, newcomer: NewPerson) -> Issued:
        """Make an account with an invitation; its token is known at this moment only."""
        self._check_tries(visitor)
        try:
            issued = self.people.join(code, newcomer)
        except UsageError:
            self._count_failure(visitor)
            self._audit.add(None, visitor.address, "failed join")
            raise
        self._audit.add(issued.person, visitor.address, "join")
        return issued

    def _check_tries(self, visitor: Visitor) -> None:
        if wait := self._logins.wait_of(visitor.address):
            raise too_often(wait)

    def _count_failure(self, visitor: Visitor) -> None:
        """Refuse who failed too often; a valid token is let in even where others guess from the same address."""
        self._check_tries(visitor)
        self._logins.add(visitor.address)

    # -- submissions ----------------------------------------------------------------------------------------

    def check_open(self, person: Person, now: datetime | None = None) -> None:
        """Refusal unless this person may hand in now; organisers try things out before it opens."""
        settings = self.contest.settings
        now = now or datetime.now(UTC)
        if not settings.is_open(now) and not person.organises:
            early = settings.opens and now < settings.opens
            raise Refusal(403, "The contest is not open yet" if early else "The contest is over: nothing more is taken")

    def begin_upload(self, visitor: Visitor, key: str, file_name: str, wish: Wish) -> tuple[Submission, bool]:
        """Enter an upload that begins now; whether it is new. The same key again is the same upload."""
        person = visitor.known
        self.check_open(person)
        if not 8 <= len(key) <= MAX_KEY:
            raise Refusal(400, "This form has no key of its own: open the page again")
        if not may_see(person, Account()):
            raise Refusal(403, "Log in first")
        self._check_wish(wish)
        wait = self._uploads.wait_of(str(person.id))
        if wait and not person.organises:
            raise too_often(wait)
        found, new = self.submissions.add(person, key, file_name, wish, self.contest.settings.submission_quota)
        if new:
            self._uploads.add(str(person.id))
        return found, new

    def end_upload(self, visitor: Visitor, submission: Submission, received: Received) -> Submission:
        """All of it is there: it waits to be checked."""
        queued = self.submissions.queue(submission.id, received.digest, received.size)
        self._audit.add(visitor.known, visitor.address, "upload", f"submission {submission.id}")
        return queued

    def break_off(self, submission: Submission, reason: str) -> None:
        """It did not come through."""
        self.submissions.break_off(submission.id, reason)

    def submission(self, person: Person | None, submission_id: int) -> Submission:
        """A submission; Refusal in the same words if it is another team's and if there is none."""
        try:
            found = self.submissions.find(submission_id)
        except UsageError as error:
            raise Refusal(404, "There is no such submission") from error
        if not may_see(person, OfTeam(found.team_id)):
            raise Refusal(404, "There is no such submission")
        return found

    def download(self, person: Person | None, submission_id: int) -> tuple[Path, str]:
        """The file of a submission, and what it was called."""
        found = self.submission(person, submission_id)
        path = self.contest.uploads / found.digest
        if not found.digest or not path.is_file():
            raise Refusal(404, "This file is not kept any more")
        return path, found.file_name

    def cancel(self, visitor: Visitor, submission_id: int) -> None:
        """Take back what nobody has begun to check."""
        self.submissions.cancel(self.submission(visitor.person, submission_id).id)
        self._audit.add(visitor.known, visitor.address, "cancel", f"submission {submission_id}")

    def requeue(self, visitor: Visitor, submission_id: int) -> None:
        """Put back what failed through us."""
        self._organise(visitor)
        self.submissions.requeue(self.submission(visitor.person, submission_id).id)
        self._audit.add(visitor.known, visitor.address, "requeue", f"submission {submission_id}")

    @property
    def upload_bytes(self) -> int:
        """How large a file may be."""
        return bytes_of(self.contest.settings.quota.upload)

    def _check_wish(self, wish: Wish) -> None:
        if max(len(wish.name), len(wish.version)) > MAX_WISH:
            raise Refusal(400, f"Names and versions have at most {MAX_WISH} characters")
        unknown = set(wish.games) - set(self.contest.settings.games)
        if unknown:
            raise Refusal(400, "Choose among the games of this contest")

    # -- bots -----------------------------------------------------------------------------------------------

    def bots_of(self, person: Person) -> list[BotEntry]:
        """The bots of this person's team, the newest first."""
        own = (bot for bot in self.bots().values() if bot.owner == person.team.owner)
        return sorted(own, key=lambda bot: bot.id, reverse=True)

    def retire(self, visitor: Visitor, bot_id: int, *, restore: bool = False) -> int:
        """Ask the runner to take a bot out of play, or to let it in again; the number of the request."""
        bot = self.bots().get(bot_id)
        team = next((team for team in self.people.teams().values() if bot and team.owner == bot.owner), None)
        thing: Thing = OfTeam(team.id) if team else Organising()
        if bot is None or not may_see(visitor.person, thing):
            raise Refusal(404, "There is no such bot")
        kind = RESTORE if restore else RETIRE
        asked = self.requests.add(visitor.known, kind, {"bot_id": bot.id})
        self._audit.add(visitor.known, visitor.address, kind, bot.label)
        return asked

    # -- by organisers --------------------------------------------------------------------------------------

    def failed(self, person: Person | None) -> list[Submission]:
        """The latest submissions that failed through us."""
        self._check_organiser(person)
        return [item for item in self.submissions.newest(limit=200) if item.state == FAILED][:20]

    def pause(self, visitor: Visitor, *, on: bool) -> None:
        """Stop checking and playing, or go on."""
        self._organise(visitor)
        self.requests.turn(PAUSED, on=on)
        self._audit.add(visitor.known, visitor.address, "pause" if on else "resume")

    def disable(self, visitor: Visitor, name: str, *, disabled: bool) -> Person:
        """Lock an account at once, or let it in again."""
        self._organise(visitor)
        if name == visitor.known.name:
            raise Refusal(400, "Your own account cannot be changed here: another organiser can do it")
        changed = self.people.disable(name, disabled=disabled)
        self._audit.add(visitor.known, visitor.address, "disable" if disabled else "enable", changed.name)
        return changed

    def renew(self, visitor: Visitor, name: str) -> Issued:
        """A new token in place of the old one; it is known at this moment only."""
        self._organise(visitor)
        issued = self.people.renew(name)
        self._audit.add(visitor.known, visitor.address, "renew token", issued.person.name)
        return issued

    def everybody(self, person: Person | None) -> list[Person]:
        """All accounts."""
        self._check_organiser(person)
        return self.people.all()

    def audit(self, person: Person | None, before: int | None = None, limit: int = DEEDS_PER_PAGE) -> list[Deed]:
        """What was done, the newest first; `before` is the lowest number of the page before."""
        self._check_organiser(person)
        return self._audit.newest(before=before, limit=limit)

    def _organise(self, visitor: Visitor) -> None:
        self._check_organiser(visitor.person)

    def _check_organiser(self, person: Person | None) -> None:
        if not may_see(person, Organising()):
            raise Refusal(403, "Only organisers see this")
