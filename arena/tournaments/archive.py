"""A tournament as one file: compressed lines of JSON with its settings, its bots by digest, its results and records.

The first line is the tournament, with a signature if somebody vouches for it; every further line is a match, as the
store keeps it, with its record in base64.
The same tournament gives the same bytes. Whoever reads an archive trusts nothing in it: every size is bounded, every
text can be shown anywhere, and what it says must be proven as for a store (see verify.py) before any of it is kept.
"""

import base64
import gzip
import json
import re
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, replace
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from arena.bots import register
from arena.bots.manifest import checked_name
from arena.bots.reserved import check_imported, is_builtin
from arena.canonical import canonical_json
from arena.errors import UsageError
from arena.referee import record
from arena.referee.enforcement import weak_limits
from arena.referee.outputs import MAX_OUTPUT
from arena.store.base import (
    BotEntry,
    Change,
    ImportRequest,
    KeptMatch,
    MatchEntry,
    Output,
    Outputs,
    SeatResult,
    TournamentEntry,
)
from arena.store.checksums import covers_output
from arena.store.sql import Store
from arena.tournaments.signing import Signature
from arena.tournaments.verify import StoredTournament
from arena.untrusted.text import escaped
from arena.workers.match_rows import LOG_KEPT

FORMAT = "arena-tournament-1"
MAX_MATCHES = 1_000_000
MAX_LINE = 2 << 20
"""Bytes of one line, unpacked; a match has a few thousand."""
MAX_RATIO = 100
FREE_BYTES = 16 << 20
"""Unpacked bytes that need no explanation; beyond them a file that shrinks more than matches do is a bomb."""
BATCH = 200
"""Matches that are added in one transaction: so long may others have to wait."""
PAUSE_S = 0.02
"""Seconds between two of them, in which those who wait get their turn."""
_DIGEST = re.compile(r"[a-z0-9:]{0,80}")
_SIGNED = b"arena tournament signature 1\0"
"""What every signed text begins with, so that a signature means nothing anywhere else."""


def write(tournament: StoredTournament, path: Path, *, with_output: bool = False) -> int:
    """Write the archive, whole or not at all, and say how many matches it has.

    Without what bots printed: UsageError if a match of an earlier Arena cannot be proved without that.
    """
    partial, count = path.with_name(f".{path.name}.partial"), 0
    head, numbers = _head(tournament)
    if tournament.signature:
        head["signature"] = asdict(tournament.signature)
    try:
        # Neither a name nor a date goes into the file, so that the same content has the same bytes.
        with partial.open("wb") as raw, gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as file:
            file.write(_line(head))
            for match in tournament.matches():
                file.write(_line(_match_to_json(match if with_output else _without_output(match), numbers)))
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
            0, str(head["game"]), dict(head["settings"]), bool(checksum), str(head["key"]), checksum, None,
            changes=tuple(Change.from_json(change) for change in head.get("changes", ())),
        )  # fmt: skip
        signature = Signature(**head["signature"]) if "signature" in head else None
        return StoredTournament(entry, bots, lambda: _matches(path), signature)


def text_to_sign(tournament: StoredTournament) -> bytes:
    """What is signed to vouch that a tournament was played so; UsageError if nobody here can."""
    entry = tournament.entry
    if not entry.finished:
        raise UsageError(f"tournament {entry.id} is not finished, and has no checksum to sign: sign it when it is")
    if entry.apart:
        raise UsageError(
            f"tournament {entry.id} was imported, and is not yours to sign: import it with --rated if you vouch for it"
        )
    return _signed_text(tournament)


def is_signature_true(tournament: StoredTournament) -> bool:
    """Whether the signature, if there is one, is that of its key, and binds all of a tournament that was verified."""
    signature = tournament.signature
    return signature is None or (tournament.entry.finished and signature.fits(_signed_text(tournament)))


def _signed_text(tournament: StoredTournament) -> bytes:
    """What is signed: the head, since its checksum binds all matches, and not that alone, since it binds no owner."""
    return _SIGNED + canonical_json(_head(tournament)[0])


def add(store: Store, archived: StoredTournament, *, rated: bool = False) -> tuple[TournamentEntry, int]:
    """Add a verified archive to a store: the tournament there, and how many of its matches were new.

    Unless it is `rated`, it counts for no table but its own, and its bots stay off the ladder. It is added piece by
    piece, so that a tournament that is being played meanwhile can write, too; who is interrupted adds it again.
    """
    entry = archived.entry
    ids = register.imported(store, archived.bots, rated=rated)
    checksums = {match.entry.match_id: match.checksum for match in archived.matches()}
    request = ImportRequest(checksums, entry.checksum, rated, entry.changes)
    target = store.tournament_for_import(entry.game, entry.settings, request)
    if target.finished or not (target.apart or rated):
        return target, 0  # all of it is here already
    added, matches = 0, (_renumbered(match, target.id, ids) for match in archived.matches())
    while batch := list(islice(matches, BATCH)):
        added += store.add_matches(target.id, batch)
        time.sleep(PAUSE_S)
    if entry.finished:
        store.finish_tournament(target.id, entry.checksum)
    return store.tournament(target.id), added


def _renumbered(match: KeptMatch, tournament_id: int, ids: Mapping[int, int]) -> KeptMatch:
    """The match with the tournament and bot ids of another store."""
    seats = tuple(replace(seat, bot_id=ids[seat.bot_id]) for seat in match.entry.seats)
    weak = weak_limits(record.sandbox_reports(match.record))
    return replace(match, entry=replace(match.entry, tournament_id=tournament_id, seats=seats), weak_limits=weak)


def field_of(tournament: StoredTournament) -> list[BotEntry]:
    """Every bot that ever took part, in the order of their numbers."""
    known = {(bot.name, bot.version): bot for bot in tournament.bots}
    return [known[name, version] for name, version, _ in tournament.entry.field]


# -- writing ----------------------------------------------------------------------------------------------


def _head(tournament: StoredTournament) -> tuple[dict[str, Any], dict[int, int]]:
    """The first line, and the archive's number of every bot in it by its number in the store."""
    entry, field = tournament.entry, field_of(tournament)
    names = ("name", "version", "owner", "digest", "games")
    head = {
        "format": FORMAT,
        "game": entry.game,
        "settings": entry.settings,
        "key": entry.key,
        "checksum": entry.checksum,
        "bots": [{name: getattr(bot, name) for name in names} for bot in field],
    }
    if entry.changes:
        head["changes"] = [change.to_json() for change in entry.changes]
    return head, {bot.id: number for number, bot in enumerate(field)}


def _without_output(match: KeptMatch) -> KeptMatch:
    """The match without what its bots printed."""
    if covers_output(match) or record.has_output(match.record):
        raise UsageError(
            f"match {match.entry.match_id} was kept by an earlier Arena, whose checksums cover what bots printed, and "
            "cannot be proved without it: give --with-output if everybody may see that"
        )
    return replace(match, outputs={})


def _match_to_json(match: KeptMatch, numbers: Mapping[int, int]) -> dict[str, Any]:
    plain = asdict(match.entry)
    del plain["tournament_id"], plain["ended_at_fault"]  # which its record says
    for number, seat in enumerate(plain["seats"]):
        seat["bot_id"] = numbers[seat["bot_id"]]
        if output := match.outputs.get(number):
            seat["log"] = output.end
            seat["by_move"] = {str(move): text for move, text in output.by_move.items()}
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
    outputs = {
        number: Output(seat.pop("log", ""), {int(move): text for move, text in seat.pop("by_move", {}).items()})
        for number, seat in enumerate(plain["seats"])
    }
    seats = tuple(SeatResult(**seat) for seat in plain.pop("seats"))
    entry = MatchEntry(tournament_id=0, seats=seats, ended_at_fault=record.ended_at_fault(content), **plain)
    # All else is compared with the record; these two are in the table alone.
    if not isinstance(entry.ordinal, int) or not 0 <= entry.ordinal < MAX_MATCHES:
        raise UsageError(f"{entry.ordinal!r:.40} is not a valid place in a schedule")
    said = {number: output for number, output in outputs.items() if output != Output("")}
    _check_outputs(said)
    return KeptMatch(entry, content, checksum, said)


def _check_outputs(outputs: Outputs) -> None:
    """Refuse what no bot can have printed, or more than is ever kept of it."""
    for output in outputs.values():
        texts = [(output.end, LOG_KEPT), *((text, MAX_OUTPUT) for text in output.by_move.values())]
        if not all(isinstance(text, str) and len(text) <= most for text, most in texts):
            raise UsageError("the output of a bot must be text, and not longer than what is kept of it")


def _bot_from_json(number: int, plain: Mapping[str, Any]) -> BotEntry:
    name, version = (checked_name(plain[key], f"the {key} of a bot") for key in ("name", "version"))
    owner = checked_name(plain["owner"], "the owner of a bot") if plain["owner"] else ""
    check_imported(name, version, owner)
    games = tuple(checked_name(game, "the game of a bot") for game in plain["games"])
    if not _DIGEST.fullmatch(digest := str(plain["digest"])):
        raise UsageError(f"{digest!r:.80} is not a digest")
    if bool(digest) is is_builtin(name, version, owner):  # only the players inside the referee have no files
        raise UsageError(f"the bot {name} {version} of {owner or 'nobody'} has the digest {digest or 'none'}")
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
        raise UsageError(f"{path} is refused: it is not a tournament of Arena: {escaped(str(error)):.200}") from error
