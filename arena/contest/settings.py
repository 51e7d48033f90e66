"""A contest is a folder: contest.toml says what it is, and beside it lie its results, its people and its uploads."""

import json
import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from sqlalchemy import Engine

from arena.clock import DEFAULT_CLOCK, TimeControl
from arena.contest.people import checked_display
from arena.contest.schema import PEOPLE
from arena.contest.submissions import Quota
from arena.errors import UsageError, did_you_mean
from arena.store.database import open_database
from arena.store.sql import Store
from arena.untrusted.toml import read_toml

FILE = "contest.toml"
MAX_BYTES = 1 << 16
MAX_ADDRESS = 200
PUBLIC, CONTESTANTS, HIDDEN = "public", "contestants", "hidden"
"""Who sees standings: everybody, whoever has an account, or organisers only."""
_SIZE = re.compile(r"(\d{1,6})([kmg])")
_UNITS = {"k": 1 << 10, "m": 1 << 20, "g": 1 << 30}


@dataclass(frozen=True, slots=True)
class Limits:
    """What a bot has when it is checked and when it plays."""

    memory: str = "512m"
    cpus: float = 1.0


@dataclass(frozen=True, slots=True)
class Quotas:
    """How much a team may hand in."""

    submissions_per_day: int = 20
    waiting: int = 3
    upload: str = "64m"
    disk: str = "1g"


@dataclass(frozen=True, slots=True)
class Places:
    """Where everything is kept: files in the folder of the contest, or PostgreSQL."""

    results: str = "arena.db"
    people: str = "people.db"
    uploads: str = "uploads"

    @property
    def has_password(self) -> bool:
        """Whether whoever reads this can come into the database."""
        return any(urlsplit(where).password for where in (self.results, self.people) if "://" in where)


@dataclass(frozen=True, slots=True)
class ContestSettings:
    """All that contest.toml says."""

    title: str
    games: tuple[str, ...]
    about: str = ""
    clock: str = DEFAULT_CLOCK
    standings: str = PUBLIC
    pseudonyms: bool = False
    """Whether pages for everybody show teams by number instead of by name."""
    address: str = ""
    """Where people reach the contest, for cards and messages: https://cup.example."""
    opens: datetime | None = None
    closes: datetime | None = None
    limits: Limits = field(default_factory=Limits)
    quota: Quotas = field(default_factory=Quotas)
    keep: Places = field(default_factory=Places)

    def check(self, known_games: Mapping[str, object]) -> None:
        """UsageError says what cannot be so."""
        if not self.games:
            raise UsageError(f"{FILE}: games must name one game or more")
        for game in self.games:
            if game not in known_games:
                raise UsageError(f"{FILE}: there is no game {game!r}{did_you_mean(game, known_games)}")
        if self.standings not in (PUBLIC, CONTESTANTS, HIDDEN):
            raise UsageError(f"{FILE}: standings must be {PUBLIC}, {CONTESTANTS} or {HIDDEN}")
        if self.opens and self.closes and self.opens >= self.closes:
            raise UsageError(f"{FILE}: it closes before it opens")
        if self.quota.submissions_per_day < 1 or self.quota.waiting < 1:
            raise UsageError(f"{FILE}: quota.submissions_per_day and quota.waiting must be 1 or more")
        checked_display(self.title)
        _check_address(self.address)
        TimeControl.parse(self.clock)
        for size in (self.limits.memory, self.quota.upload, self.quota.disk):
            bytes_of(size)

    @property
    def submission_quota(self) -> Quota:
        """How much a team may hand in, in numbers."""
        return Quota(self.quota.submissions_per_day, self.quota.waiting, bytes_of(self.quota.disk))

    @property
    def login_address(self) -> str:
        """Where people log in with their tokens; empty if the contest has no address yet."""
        return self.address and f"{self.address.rstrip('/')}/login.html"

    @property
    def join_address(self) -> str:
        """Where people make accounts of their own with a code; empty if the contest has no address yet."""
        return self.address and f"{self.address.rstrip('/')}/join.html"

    def is_open(self, now: datetime) -> bool:
        """Whether bots may be handed in at this moment."""
        return (self.opens is None or self.opens <= now) and (self.closes is None or now < self.closes)


def _check_address(address: str) -> None:
    """UsageError unless cards can show it and a browser goes there; none at all is one that is not known yet."""
    if not address:
        return
    try:
        parts = urlsplit(address)
        good = parts.scheme in ("http", "https") and bool(parts.hostname) and not (parts.query or parts.fragment)
    except ValueError:
        good = False
    if not (
        good and address.isascii() and address.isprintable() and " " not in address and len(address) <= MAX_ADDRESS
    ):
        raise UsageError(f"{FILE}: address must be of the form https://cup.example, not {address[:60]!a}")


def bytes_of(size: str) -> int:
    """A number of bytes such as 512m."""
    if not (found := _SIZE.fullmatch(size.lower())):
        raise UsageError(f"{size[:40]!r} is not a valid size: write 512m or 1g")
    return int(found[1]) * _UNITS[found[2]]


@dataclass(frozen=True, slots=True)
class Contest:
    """A contest that is there: its folder and what its contest.toml says."""

    folder: Path
    settings: ContestSettings

    @property
    def results(self) -> str:
        """The store of results, as `--db` takes it."""
        return self._place(self.settings.keep.results)

    @property
    def people(self) -> str:
        """The database of people, submissions and audit: a file or a URL."""
        return self._place(self.settings.keep.people)

    @property
    def uploads(self) -> Path:
        """The folder in which uploads lie until they are decided, and after that for their teams."""
        return self.folder / self.settings.keep.uploads

    def upload(self, digest: str) -> Path:
        """The uploaded file with this digest, whether or not it is there."""
        return self.uploads / digest

    def open_people(self, *, read_only: bool = False) -> Engine:
        """The database that the web process may write."""
        return open_database(self.people, read_only=read_only, form=PEOPLE)

    def open_results(self) -> Store:
        """The store of results, through which nothing can be written."""
        return Store(self.results, read_only=True)

    def _place(self, where: str) -> str:
        return where if "://" in where else str(self.folder / where)


def read_contest(folder: Path, known_games: Mapping[str, object]) -> Contest:
    """The contest in this folder; UsageError says what is wrong with it."""
    path = folder / FILE
    if not path.is_file():
        raise UsageError(
            f"there is no {FILE} in {folder}: name the folder of a contest, or make one with `arena contest new "
            f"{folder} --game GAME`"
        )
    settings = _from_toml(read_toml(path, MAX_BYTES), path)
    settings.check(known_games)
    return Contest(folder.resolve(), settings)


def make_contest(folder: Path, settings: ContestSettings, known_games: Mapping[str, object]) -> Contest:
    """Write a new contest with empty results and nobody in it; UsageError if one is there already."""
    settings.check(known_games)
    if (folder / FILE).exists():
        raise UsageError(f"there is a contest in {folder} already: choose another folder")
    contest = Contest(folder.resolve(), settings)
    try:
        contest.uploads.mkdir(parents=True, exist_ok=True)
        contest.uploads.chmod(0o700)
        Store(contest.results).close()
        contest.open_people().dispose()
        # The last thing, so that a folder that has it is complete; a URL in it may have a password.
        with open(
            os.open(folder / FILE, os.O_WRONLY | os.O_CREAT | os.O_EXCL, _mode(settings)), "w", encoding="utf-8"
        ) as file:
            file.write(to_toml(settings))
    except OSError as error:
        raise UsageError(f"{folder} cannot be written: {error.strerror}; choose another folder") from error
    return contest


def _mode(settings: ContestSettings) -> int:
    return 0o600 if settings.keep.has_password else 0o644


def to_toml(settings: ContestSettings) -> str:
    """The text of contest.toml; what is not said there is as it is here."""
    lines, tables = [], []
    for item in fields(settings):
        value = getattr(settings, item.name)
        if isinstance(value, Limits | Quotas | Places):
            inner = [f"{part.name} = {_toml(getattr(value, part.name))}" for part in fields(value)]
            tables += ["", f"[{item.name}]", *inner]
        elif value is not None:
            lines.append(f"{item.name} = {_toml(value)}")
    return "\n".join([*lines, *tables, ""])


def _toml(value: Any) -> str:
    if isinstance(value, datetime):
        return value.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
    return json.dumps(list(value) if isinstance(value, tuple) else value, ensure_ascii=False)


def _from_toml(content: Mapping[str, Any], path: Path) -> ContestSettings:
    plain = dict(content)
    tables = {
        name: _filled(kind(), plain.pop(name, {}), f"{path}: [{name}]")
        for name, kind in (("limits", Limits), ("quota", Quotas), ("keep", Places))
    }
    if "title" not in plain or "games" not in plain:
        raise UsageError(f"{path} must say `title` and `games`")
    if isinstance(plain["games"], list):
        plain["games"] = tuple(plain["games"])
    _filled(ContestSettings("", (), opens=_ANY_TIME, closes=_ANY_TIME), plain, str(path))
    plain |= {name: _moment(plain[name]) for name in ("opens", "closes") if name in plain}
    return ContestSettings(**plain, **tables)


_ANY_TIME = datetime(2000, 1, 1, tzinfo=UTC)


def _moment(value: datetime) -> datetime:
    """A date of TOML; without a time zone it is one of UTC."""
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def _filled(default: Any, given: Any, where: str) -> Any:
    """A dataclass with the given values in place of its own; UsageError for one that it has not, or of another kind."""
    if not isinstance(given, Mapping):
        raise UsageError(f"{where} must be a table")
    known = {item.name: getattr(default, item.name) for item in fields(default)}
    for key, value in given.items():
        if key not in known:
            raise UsageError(f"{where} has an unknown key {key[:40]!r}{did_you_mean(key, known)}")
        wanted = type(known[key])
        if wanted is float and type(value) is int:
            continue
        if type(value) is not wanted:
            raise UsageError(f"{where}: {key} must be a {_KINDS[wanted]}")
        if wanted is tuple and not all(isinstance(entry, str) for entry in value):
            raise UsageError(f"{where}: {key} must be a list of texts")
    return replace(default, **given)


_KINDS = {str: "text", int: "whole number", float: "number", bool: "true or false", tuple: "list", datetime: "date"}
