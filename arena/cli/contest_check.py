"""`arena contest check`: everything of a contest is read, and what is wrong is said in sentences."""

import hashlib
import importlib.util
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import urlsplit

import click

from arena.bots.files import folder_digest
from arena.cli.contest_cards import CARDS
from arena.cli.contest_folder import open_contest, opened
from arena.cli.options import json_option
from arena.cli.output import echo, print_json
from arena.cli.store import open_store_to_read
from arena.contest.people import People, Team
from arena.contest.settings import FILE, Contest
from arena.contest.submissions import REGISTERED, Submission, Submissions
from arena.distribution import install_hint
from arena.errors import ArenaError, UsageError
from arena.intake.bot_files import folder_of
from arena.store.base import BotEntry
from arena.store.files import DamagedFiles
from arena.store.sql import Store
from arena.web.formats import counted

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_PAGE = 500


@dataclass(frozen=True, slots=True)
class Finding:
    """A sentence about a contest."""

    sentence: str
    wrong: bool = True
    """Else it is only something to know."""


@click.command()
@click.argument("folder", type=click.Path(file_okay=False, path_type=Path), default=Path())
@json_option
def check(folder: Path, as_json: bool) -> None:
    """Read everything of the contest in FOLDER and say what is wrong.

    It reads contest.toml, the people, every upload and every bot with its digest, and the rows of the results; the
    current folder is meant if none is named. Nothing is changed, and it may run beside the contest. The exit code is
    1 if something is wrong. What this machine can enforce says `arena doctor`, and `arena verify` replays every
    match. --json prints a list with sentence and wrong; what is not wrong is only to be known.

    \b
    arena contest check my-cup
    """
    findings = list(_findings(folder))
    wrong = sum(finding.wrong for finding in findings)
    if as_json:
        print_json([{"sentence": finding.sentence, "wrong": finding.wrong} for finding in findings])
    else:
        for finding in findings:
            echo(f"{'wrong' if finding.wrong else 'note'}: {finding.sentence}")
        echo(f"{counted(wrong, 'thing')} to put right" if wrong else "nothing is wrong")
    if wrong:
        click.get_current_context().exit(1)


def _findings(folder: Path) -> Iterator[Finding]:
    try:
        contest = open_contest(folder)
    except UsageError as error:
        yield Finding(str(error))
        return
    yield from _settings(contest)
    yield from _files(contest)
    yield from _libraries()
    try:
        with opened(contest, read_only=True) as there:
            yield from _people(there.people)
            teams, handed_in = there.people.teams(), list(_all(there.submissions))
    except ArenaError as error:
        yield Finding(f"the people cannot be read: {error}")
        return
    yield from _uploads(contest, handed_in)
    try:
        yield from _results(contest, teams, handed_in)
    except ArenaError as error:
        yield Finding(f"the results cannot be read: {error}")


def _settings(contest: Contest) -> Iterator[Finding]:
    settings, path = contest.settings, contest.folder / FILE
    parts = urlsplit(settings.address)
    if not settings.address:
        yield Finding(f"{FILE} says no address, so that cards do not say where to go", wrong=False)
    elif parts.scheme == "http" and parts.hostname not in _LOOPBACK:
        yield Finding(
            f"the address {settings.address} is not encrypted: tokens can be read on the way; put a proxy with TLS in "
            "front and write https://"
        )
    if settings.closes and settings.closes <= datetime.now(UTC):
        yield Finding(f"it closed at {settings.closes:%Y-%m-%d %H:%M} UTC: nothing can be handed in", wrong=False)
    elif not settings.is_open(datetime.now(UTC)):
        yield Finding(f"it opens at {settings.opens:%Y-%m-%d %H:%M} UTC", wrong=False)
    if settings.keep.has_password and _others_may_read(path):
        yield Finding(f"{path} has the password of the database, and others can read it: chmod 600 {path}")


def _files(contest: Contest) -> Iterator[Finding]:
    if not contest.uploads.is_dir():
        yield Finding(f"there is no folder {contest.uploads}: make it, for your own eyes only (chmod 700)")
    elif _others_may_read(contest.uploads):
        yield Finding(f"others can read {contest.uploads}, where uploads lie: chmod 700 {contest.uploads}")
    for path in sorted(contest.folder.glob(CARDS)):
        if _others_may_read(path):
            yield Finding(f"others can read {path}, and so all its tokens: chmod 600 {path}, and renew them")
        else:
            yield Finding(f"{path} has tokens in it: print it, hand the cards out, and delete it", wrong=False)


def _others_may_read(path: Path) -> bool:
    return bool(path.stat().st_mode & 0o077)


def _libraries() -> Iterator[Finding]:
    for module in ("starlette", "uvicorn", "segno"):
        if importlib.util.find_spec(module) is None:
            yield Finding(f"{module} is not installed, without which no contest is held: {install_hint('contest')}")


def _people(accounts: People) -> Iterator[Finding]:
    active = [person for person in accounts.all() if not person.disabled]
    if not any(person.organises for person in active):
        yield Finding("no organiser can log in: `arena contest people add NAME --organiser` makes one")
    contestants = [person for person in active if not person.organises]
    if not contestants:
        yield Finding("no contestant has an account: add a roster, or invite people", wrong=False)
        return
    teams = {person.team.id for person in contestants}
    yield Finding(f"{counted(len(contestants), 'contestant')} in {counted(len(teams), 'team')} can log in", wrong=False)


def _all(submissions: Submissions) -> Iterator[Submission]:
    """Every submission, without its words, of which there may be very many."""
    before = None
    while page := submissions.newest(before=before, limit=_PAGE):
        yield from (replace(each, reason="", output="") for each in page)
        before = page[-1].id


def _uploads(contest: Contest, handed_in: Sequence[Submission]) -> Iterator[Finding]:
    known = {each.digest: each.id for each in handed_in if each.digest}
    for digest, number in sorted(known.items(), key=lambda item: item[1]):
        path = contest.upload(digest)
        if not path.is_file():
            yield Finding(f"the file of submission {number} is gone: there is no {path}")
        elif _sha256(path) != digest:
            yield Finding(f"the file of submission {number} was changed: {path} is not what its digest says")


def _sha256(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def _results(contest: Contest, teams: Mapping[int, Team], handed_in: Sequence[Submission]) -> Iterator[Finding]:
    store = open_store_to_read(contest.results)
    for sentence in store.inconsistencies():
        yield Finding(f"in the results {sentence}")
    bots = {bot.id: bot for bot in store.all_bots()}
    for each in handed_in:
        bot = bots.get(each.bot_id or 0)
        if each.state == REGISTERED and (bot is None or bot.owner != teams[each.team_id].owner):
            yield Finding(f"submission {each.id} is registered, and its team has no such bot in the results")
    owners = {team.owner for team in teams.values()}
    for bot in bots.values():
        if bot.owner in owners and bot.on_ladder and not bot.retired:
            yield from _bot(store, bot)


def _bot(store: Store, bot: BotEntry) -> Iterator[Finding]:
    try:
        folder = folder_of(store, bot) if bot.kind == "folder" else None
    except DamagedFiles as error:
        yield Finding(f"the files of {bot.label} cannot be read: {error}")
        return
    if bot.kind == "absent" or (folder and not folder.is_dir()):
        yield Finding(f"the files of {bot.label} are gone, and it cannot play: restore a backup, or retire it")
    elif folder and folder_digest(folder) != bot.digest:
        yield Finding(f"the files of {bot.label} were changed: {folder} is not what its digest says")
