"""What the pages of a contest show, made of what its deeds and its results say."""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import UTC, datetime

from arena.contest.audit import Deed
from arena.contest.people import Issued, Person, Team
from arena.contest.requests import PAUSED, RETIRE
from arena.contest.runners import LastBeat
from arena.contest.settings import ContestSettings
from arena.contest.submissions import (
    BUILDING,
    CANCELLED,
    CHECKING,
    FAILED,
    QUEUED,
    RECEIVED,
    REFUSED,
    REGISTERED,
    UNPACKING,
    WAITING,
    Quota,
    Step,
    Submission,
    Usage,
)
from arena.game import GameInfo
from arena.service.access import Results, may_see
from arena.service.deeds import DEEDS_PER_PAGE, Deeds
from arena.service.visitors import Visitor
from arena.standings.ladder import newest_versions
from arena.standings.table import Row
from arena.store.base import BotEntry, ListedMatch
from arena.web.causes import last_lines
from arena.web.formats import counted, moment
from arena.web.pages.home import Home
from arena.web.pages.views import MatchView, match_name
from arena.web.rendering import Page, Section
from arena.web.site import Site

MATCHES, TROUBLES = 8, 3
"""Matches and failures on a team's page."""
MOST_BOTS = 12
"""Bots of a team of which the latest matches are looked up."""
FAILING = 12

WORDS = {
    RECEIVED: "is being received",
    UNPACKING: "is being read",
    BUILDING: "is being built",
    CHECKING: "plays its trial matches",
    REGISTERED: "accepted: it plays",
    REFUSED: "refused",
    FAILED: "failed through us, not through your bot: an organiser can put it back",
    CANCELLED: "cancelled",
}
"""How far a submission is, to those who wait for it."""


@dataclass(frozen=True, slots=True)
class ContestFacts:
    """What the contest is, for its first page."""

    about: str
    games: Sequence[GameInfo]
    phase: str
    open: bool
    paused: bool
    opens: datetime | None
    closes: datetime | None
    person: Person | None
    shows_results: bool
    results_words: str
    address: str
    """Where programs reach it; empty if the organiser has not said so."""


@dataclass(frozen=True, slots=True)
class ContestHome(Home):
    """The first page of the site, with the contest above it."""

    contest: ContestFacts


@dataclass(frozen=True, slots=True)
class QuietHome:
    """The first page for those who may not see the results."""

    contest: ContestFacts


@dataclass(frozen=True, slots=True)
class Entry:
    """The form to log in, or to join with an invitation, with what was wrong with it."""

    error: str = ""
    code: str = ""
    name: str = ""
    display: str = ""


@dataclass(frozen=True, slots=True)
class NewToken:
    """A token that is shown once."""

    person: Person
    token: str
    joined: bool
    """Whether it is the visitor's own."""


@dataclass(frozen=True, slots=True)
class SubmissionView:
    """A submission as its team sees it."""

    submission: Submission
    team: Team | None
    words: str
    bot: BotEntry | None
    """What became of it, as far as this visitor may see its page."""
    waits: bool

    @property
    def wish(self) -> str:
        """What it shall be called, if its team said so."""
        wish = self.submission.wish
        return " ".join(filter(None, (wish.name, wish.version and f"version {wish.version}", ", ".join(wish.games))))


@dataclass(frozen=True, slots=True)
class SubmissionPage:
    """One submission."""

    view: SubmissionView
    form_token: str
    downloads: bool
    organises: bool


@dataclass(frozen=True, slots=True)
class StepList:
    """The story of a submission."""

    view: SubmissionView
    steps: Sequence[Step]


@dataclass(frozen=True, slots=True)
class OwnBot:
    """A bot of a team, and where it stands."""

    bot: BotEntry
    places: Sequence[tuple[GameInfo, Row]]
    asked: str
    """What the runner was asked to do with it, if that is not done yet."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A match that a bot lost by its own fault, with what it printed."""

    bot: BotEntry
    name: str
    """Of the match."""
    sentence: str
    output: str
    when: datetime


@dataclass(frozen=True, slots=True)
class Mine:
    """What a team has in the contest."""

    person: Person
    bots: Sequence[OwnBot]
    submissions: Sequence[SubmissionView]
    matches: Sequence[MatchView]
    troubles: Sequence[Trouble]
    usage: Usage
    quota: Quota
    shows_results: bool
    paused: bool
    open: bool
    phase: str
    form_token: str


@dataclass(frozen=True, slots=True)
class Submit:
    """The form of an upload."""

    games: Sequence[GameInfo]
    upload_bytes: int
    usage: Usage
    quota: Quota
    open: bool
    phase: str
    key: str
    form_token: str


@dataclass(frozen=True, slots=True)
class FailingBot:
    """A bot that loses matches by faults."""

    bot: BotEntry
    game: GameInfo
    faults: int
    games: int


@dataclass(frozen=True, slots=True)
class Organiser:
    """What organisers look after."""

    person: Person
    paused: bool
    runner: LastBeat | None
    """None if there never was one."""
    queue: Sequence[SubmissionView]
    failed: Sequence[SubmissionView]
    failing: Sequence[FailingBot]
    people: Sequence[Person]
    deeds: Sequence[Deed]
    form_token: str


@dataclass(frozen=True, slots=True)
class AuditPage:
    """A page of what was done."""

    deeds: Sequence[Deed]
    older: str


class Views:
    """Makes pages for visitors; whether they may see them was decided before."""

    def __init__(self, deeds: Deeds, infos: Mapping[str, GameInfo]) -> None:
        self._deeds, self._infos = deeds, infos

    @property
    def _settings(self) -> ContestSettings:
        return self._deeds.contest.settings

    def facts(self, visitor: Visitor) -> ContestFacts:
        """What the contest is."""
        settings, now = self._settings, datetime.now(UTC)
        shows = may_see(visitor.person, Results(settings.standings))
        return ContestFacts(
            settings.about, list(self._infos.values()), self._phase(now), settings.is_open(now),
            self._deeds.requests.is_on(PAUSED), settings.opens, settings.closes, visitor.person, shows,
            "" if shows else _hidden_words(visitor), settings.address.rstrip("/"),
        )  # fmt: skip

    def home(self, visitor: Visitor, site_home: Page | None) -> Page:
        """The first page, with that of the site for those who may see it."""
        facts, settings = self.facts(visitor), self._settings
        words = f"{settings.title}: bots play {', '.join(info.title for info in self._infos.values())}."
        if site_home is None or not isinstance(site_home.data, Home):
            return Page("index.html", "quiet_front.html", settings.title, words, QuietHome(facts))
        known = {field.name: getattr(site_home.data, field.name) for field in fields(Home)}
        data = ContestHome(**known, contest=facts)
        return Page(site_home.path, "front.html", settings.title, words, data, live=True, sections=site_home.sections)

    def log_in(self, error: str = "") -> Page:
        """The form to log in."""
        return Page("login.html", "login.html", "Log in", "Log in with your token.", Entry(error), part="login")

    def join(self, entry: Entry) -> Page:
        """The form to make an account with an invitation."""
        return Page("join.html", "join.html", "Join", "Make an account with an invitation.", entry, part="login")

    def token(self, issued: Issued, path: str, *, joined: bool) -> Page:
        """A token, once."""
        data = NewToken(issued.person, issued.token, joined)
        return Page(path, "token.html", "A new token", "A token is shown once.", data)

    def mine(self, visitor: Visitor, site: Site) -> Page:
        """What the visitor's team has."""
        person, now = visitor.known, datetime.now(UTC)
        shows = may_see(person, Results(self._settings.standings))
        bots = self._deeds.bots_of(person)
        latest = _latest(site, newest_versions(bots, retired=True)[:MOST_BOTS])
        data = Mine(
            person, self._own_bots(bots, site, shows_results=shows),
            [self.submission_view(visitor, item) for item in self._newest(person)],
            site.views_of(latest[:MATCHES]) if shows else [],
            list(_troubles(site, latest, {bot.id: bot for bot in bots})),
            self._deeds.submissions.usage(person.team), self._settings.submission_quota, shows,
            self._deeds.requests.is_on(PAUSED), self._settings.is_open(now), self._phase(now), visitor.form_token,
        )  # fmt: skip
        return Page("mine.html", "mine.html", "Mine", "Your bots and submissions.", data, part="mine")

    def submit(self, visitor: Visitor) -> Page:
        """The form of an upload; its key makes the same form sent twice one upload."""
        now = datetime.now(UTC)
        data = Submit(
            list(self._infos.values()), self._deeds.upload_bytes, self._deeds.submissions.usage(visitor.known.team),
            self._settings.submission_quota, self._settings.is_open(now) or visitor.known.organises, self._phase(now),
            secrets.token_urlsafe(18), visitor.form_token,
        )  # fmt: skip
        return Page("submit.html", "submit.html", "Submit", "Hand in a bot.", data, part="submit")

    def submission(self, visitor: Visitor, found: Submission) -> Page:
        """A submission with its story, which goes on while somebody looks."""
        view = self.submission_view(visitor, found)
        data = SubmissionPage(view, visitor.form_token, bool(found.digest), visitor.known.organises)
        steps = StepList(view, self._deeds.submissions.steps(found.id))
        return Page(
            f"submissions/{found.id}.html", "submission.html", f"Submission {found.id}", "How far a submission is.",
            data, part="mine", live=not found.is_decided, sections=(Section("steps", steps),),
        )  # fmt: skip

    def organiser(self, visitor: Visitor, site: Site) -> Page:
        """What organisers look after."""
        deeds = self._deeds
        data = Organiser(
            visitor.known, deeds.requests.is_on(PAUSED), deeds.runners.last(),
            [self.submission_view(visitor, item) for item in deeds.submissions.open()],
            [self.submission_view(visitor, item) for item in deeds.failed(visitor.person)],
            _failing(site), deeds.everybody(visitor.person), deeds.audit(visitor.person, limit=12), visitor.form_token,
        )  # fmt: skip
        return Page("organiser.html", "organiser.html", "Organiser", "Queue and people.", data, part="organiser")

    def audit(self, visitor: Visitor, before: int | None) -> Page:
        """What was done."""
        found = self._deeds.audit(visitor.person, before)
        older = f"?before={found[-1].id}" if len(found) == DEEDS_PER_PAGE else ""
        return Page("audit.html", "audit.html", "Audit", "Who did what.", AuditPage(found, older), part="organiser")

    def submission_view(self, visitor: Visitor, found: Submission) -> SubmissionView:
        """A submission in words."""
        bot = self._deeds.bots().get(found.bot_id or 0)
        shown = bot if may_see(visitor.person, Results(self._settings.standings)) else None
        team = self._deeds.names.teams().get(found.team_id)
        return SubmissionView(found, team, self._words(found, bot), shown, found.state in WAITING)

    def _words(self, found: Submission, bot: BotEntry | None) -> str:
        if found.state == QUEUED:
            ahead = self._deeds.submissions.ahead(found)
            return f"waits, after {counted(ahead, 'other')}" if ahead else "waits, and is the next"
        if found.state == REGISTERED and bot:
            return f"accepted as {bot.label}: it plays"
        return WORDS.get(found.state, found.state)

    def _newest(self, person: Person) -> list[Submission]:
        return self._deeds.submissions.newest(team_id=person.team.id, limit=20)

    def _phase(self, now: datetime) -> str:
        """Where the contest stands, in a sentence."""
        opens, closes = self._settings.opens, self._settings.closes
        if opens and now < opens:
            return f"It opens on {moment(opens)}."
        if closes and now >= closes:
            return f"It closed on {moment(closes)}."
        return f"It is open until {moment(closes)}." if closes else "It is open."

    def _own_bots(self, bots: Sequence[BotEntry], site: Site, *, shows_results: bool) -> list[OwnBot]:
        asked = {
            request.arguments.get("bot_id"): "to be retired" if request.kind == RETIRE else "to be restored"
            for request in (self._deeds.requests.open() if bots else ())
        }
        tables = site.snapshot.tables if shows_results else {}
        return [
            OwnBot(
                bot,
                [(self._infos[name], table.row_of[bot.id]) for name, table in tables.items() if bot.id in table.row_of],
                asked.get(bot.id, ""),
            )
            for bot in bots
        ]


def _hidden_words(visitor: Visitor) -> str:
    if visitor.person is None:
        return "Standings and matches are shown to those who take part: log in to see them, if they are open."
    return "Standings and matches are hidden at present; your own bots are on your page."


def _latest(site: Site, bots: Sequence[BotEntry]) -> list[ListedMatch]:
    """The latest matches of these bots, each once."""
    found = {match.number: match for bot in bots for match in site.store.latest_matches(bot_id=bot.id, limit=30)}
    return [found[number] for number in sorted(found, reverse=True)]


def _troubles(site: Site, matches: Sequence[ListedMatch], own: Mapping[int, BotEntry]) -> Sequence[Trouble]:
    found = [
        (match, seat, result)
        for match in matches
        for seat, result in enumerate(match.entry.seats)
        if result.at_fault and result.bot_id in own
    ]
    troubles = []
    for match, seat, result in found[:TROUBLES]:
        entry = match.entry
        printed = site.store.kept_match(entry.tournament_id, entry.match_id).outputs.get(seat)
        name, output = match_name(entry.tournament_id, entry.match_id), last_lines(printed.end) if printed else ""
        troubles.append(Trouble(own[result.bot_id], name, result.sentence, output, match.created))
    return troubles


def _failing(site: Site) -> list[FailingBot]:
    """Bots of the ladders that had faults, the worst first."""
    found = [
        FailingBot(row.bot, site.infos[name], row.faults, row.rating.games)
        for name, table in site.snapshot.tables.items()
        for row in table.rows
        if row.faults
    ]
    return sorted(found, key=lambda bot: bot.faults / max(bot.games, 1), reverse=True)[:FAILING]
