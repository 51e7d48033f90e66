"""A tournament as one file: compressed lines of JSON with its settings, its bots by digest, its results and records.

The first line is the tournament; every further line is a match, as the store keeps it, with its record in base64.
The same tournament gives the same bytes. Whoever reads an archive trusts nothing in it: every size is bounded, every
text can be shown anywhere, and what it says must be proven as for a store (see verify.py) before any of it is kept.
"""

import base64
import gzip
import json
import re
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena.bots.manifest import checked_name
from arena.canonical import canonical_json
from arena.errors import UsageError
from arena.play import record
from arena.sandboxes.base import weak_limits
from arena.store.base import BotEntry, KeptMatch, MatchEntry, SeatResult, Store, TournamentEntry
from arena.submit.registration import LOCAL_OWNER
from arena.tournaments.verify import StoredTournament
from arena.untrusted.text import escaped

FORMAT = "arena-tournament-1"
MAX_MATCHES = 1_000_000
MAX_LINE = 2 << 20
"""Bytes of one line, unpacked; a match has a few thousand."""
MAX_RATIO = 100
FREE_BYTES = 16 << 20
"""Unpacked bytes that need no explanation; beyond them a file that shrinks more than matches do is a bomb."""
_DIGEST = re.compile(r"[a-z0-9:]{0,80}")


def write(tournament: StoredTournament, path: Path) -> int:
    """Write the archive, whole or not at all, and say how many matches it has."""
    partial, count = path.with_name(f".{path.name}.partial"), 0
    head, numbers = _head(tournament)
    try:
        # Neither a name nor a date goes into the file, so that the same content has the same bytes.
        with partial.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
            file.write(_line(head))
            for match in tournament.matches():
                file.write(_line(_match_to_json(match, numbers)))
                count += 1
        partial.replace(path)
    except OSError as error:
        raise UsageError(f"{path} cannot be written: {error.strerror}") from error
    finally:
        partial.unlink(missing_ok=True)
    return count


def read(path: Path) -> StoredTournament:
    """The tournament in an archive, with the archive's own numbers of bots.

    UsageError says why a file cannot be one; whether what it says is true is for verify.py to find out.
    """
    with _map_archive_errors(path):
        head = next(_lines(path))
        if head.get("format") != FORMAT:
            raise UsageError(f"its format is not {FORMAT}")
        bots = [_bot_from_json(number, plain) for number, plain in enumerate(head["bots"])]
        checksum = str(head["checksum"])
        entry = TournamentEntry(
            0, str(head["game"]), dict(head["settings"]), bool(checksum), str(head["key"]), checksum, None
        )
        return StoredTournament(entry, bots, lambda: _matches(path))


def add(store: Store, archived: StoredTournament) -> tuple[TournamentEntry, int]:
    """Add a verified archive to a store: the tournament there, and how many of its matches were new."""
    entry = archived.entry
    for known in store.tournaments(entry.game):
        if known.finished and known.key == entry.key and known.checksum == entry.checksum:
            return known, 0
    ids = {bot.id: _find_or_register(store, bot).id for bot in archived.bots}
    number = store.begin_tournament(entry.game, entry.settings).id
    added = store.add_matches(number, (_renumbered(match, number, ids) for match in archived.matches()))
    if entry.finished:
        store.finish_tournament(number)
    return store.tournament(number), added


def _find_or_register(store: Store, bot: BotEntry) -> BotEntry:
    """The bot in this store, registered without its files if it is new here."""
    for known in store.bot_versions(bot.name):
        if known.version == bot.version:
            if known.digest != bot.digest:
                raise UsageError(f"another bot is registered here as {bot.label}: its digest is {known.digest}")
            return known
    return store.add_bot(
        name=bot.name, version=bot.version, owner=bot.owner, digest=bot.digest, origin="", games=bot.games,
        tried=bot.owner == LOCAL_OWNER,  # a folder that nobody handed in there is not on the ladder here
    )  # fmt: skip


def _renumbered(match: KeptMatch, tournament_id: int, ids: Mapping[int, int]) -> KeptMatch:
    """The match with the tournament and bot ids of another store."""
    seats = tuple(replace(seat, bot_id=ids[seat.bot_id]) for seat in match.entry.seats)
    weak = weak_limits(record.sandbox_reports(match.record))
    return replace(match, entry=replace(match.entry, tournament_id=tournament_id, seats=seats), weak_limits=weak)


# -- writing ----------------------------------------------------------------------------------------------


def _head(tournament: StoredTournament) -> tuple[dict[str, Any], dict[int, int]]:
    """The first line, and the archive's number of every bot in it by its number in the store."""
    entry = tournament.entry
    known = {(bot.name, bot.version): bot for bot in tournament.bots}
    field = [known[name, version] for name, version, _ in entry.settings["bots"]]
    names = ("name", "version", "owner", "digest", "games")
    head = {
        "format": FORMAT,
        "game": entry.game,
        "settings": entry.settings,
        "key": entry.key,
        "checksum": entry.checksum,
        "bots": [{name: getattr(bot, name) for name in names} for bot in field],
    }
    return head, {bot.id: number for number, bot in enumerate(field)}


def _match_to_json(match: KeptMatch, numbers: Mapping[int, int]) -> dict[str, Any]:
    plain = asdict(match.entry)
    del plain["tournament_id"]
    for seat in plain["seats"]:
        seat["bot_id"] = numbers[seat["bot_id"]]
    return {**plain, "checksum": match.checksum, "record": base64.b64encode(match.record).decode()}


def _line(value: Any) -> bytes:
    return canonical_json(value) + b"\n"


# -- reading ----------------------------------------------------------------------------------------------


def _matches(path: Path) -> Iterator[KeptMatch]:
    with _map_archive_errors(path):
        lines = _lines(path)
        next(lines)
        for number, plain in enumerate(lines, 1):
            if number > MAX_MATCHES:
                raise UsageError(f"it has more than {MAX_MATCHES:,} matches")
            yield _match_from_json(plain)


def _match_from_json(plain: dict[str, Any]) -> KeptMatch:
    checksum, content = str(plain.pop("checksum")), base64.b64decode(plain.pop("record"), validate=True)
    seats = tuple(SeatResult(**seat) for seat in plain.pop("seats"))
    entry = MatchEntry(tournament_id=0, seats=seats, **plain)
    # All else is compared with the record; these two are in the table alone.
    if not isinstance(entry.ordinal, int) or not 0 <= entry.ordinal < MAX_MATCHES:
        raise UsageError(f"{entry.ordinal!r:.40} is no place in a schedule")
    if not all(isinstance(seat.log, str) for seat in seats):
        raise UsageError("the output of a bot must be text")
    return KeptMatch(entry, content, checksum)


def _bot_from_json(number: int, plain: Mapping[str, Any]) -> BotEntry:
    name, version = (checked_name(plain[key], f"the {key} of a bot") for key in ("name", "version"))
    owner = checked_name(plain["owner"], "the owner of a bot") if plain["owner"] else ""
    games = tuple(checked_name(game, "the game of a bot") for game in plain["games"])
    if not _DIGEST.fullmatch(digest := str(plain["digest"])):
        raise UsageError(f"{digest!r:.80} is no digest")
    return BotEntry(number, name, version, owner, digest, "", games, retired=False, created=datetime.now(UTC))


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    left = FREE_BYTES + MAX_RATIO * path.stat().st_size
    with gzip.open(path, "rb") as file:
        while line := file.readline(MAX_LINE):
            left -= len(line)
            if not line.endswith(b"\n") or left < 0:
                raise UsageError("it or one of its lines is too long, or it was cut off")
            value = json.loads(line)
            _check_texts(value)
            yield value


def _check_texts(value: Any) -> None:
    """Refuse text that could steer a terminal, wherever it is."""
    if isinstance(value, str) and not value.replace("\n", "").isprintable():
        raise UsageError(f"it has control characters in {value!r:.40}")
    if isinstance(value, dict):
        value = [*value.keys(), *value.values()]
    for part in value if isinstance(value, list) else ():
        _check_texts(part)


@contextmanager
def _map_archive_errors(path: Path) -> Iterator[None]:
    """Turn every error of reading an archive into a UsageError that names the file."""
    try:
        yield
    except UsageError as error:
        raise UsageError(f"{path} is refused: {error}") from error
    except (gzip.BadGzipFile, zlib.error, EOFError) as error:
        raise UsageError(f"{path} is refused: it is damaged, or no file that `arena export` wrote") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except (AttributeError, KeyError, RecursionError, StopIteration, TypeError, ValueError) as error:
        raise UsageError(f"{path} is refused: it is no tournament of Arena: {escaped(str(error)):.200}") from error
