"""Checksums over what the store keeps, so that a changed cell is found; arena/tournaments/verify.py compares them.

A match has one over its rows and its record, a finished tournament one over its settings and all of its matches, so
that a match that was taken away is missed. Whoever can write the database can write new checksums too: the checksum
of a finished tournament is worth publishing, because nothing in it can change without changing that one number.
"""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from arena.canonical import canonical_json
from arena.store.base import BotEntry, Changes, KeptMatch, MatchEntry, Outputs


def settings_key(game: str, settings: Mapping[str, Any]) -> str:
    """What two tournaments with the same settings share; stored since the first version, with spaces in its JSON."""
    return hashlib.sha256(json.dumps([game, settings], sort_keys=True).encode()).hexdigest()


def bot_checksum(bot: BotEntry) -> str:
    """A checksum over all that never changes about a version of a bot."""
    return _sha256([bot.name, bot.version, bot.owner, bot.digest, list(bot.games)])


def match_checksum(match: MatchEntry, record: bytes) -> str:
    """A checksum over a match and its seats, but for the numbers that the store itself gave out.

    Whether it ended at a fault follows from its record, and older checksums do not know of it. What bots printed is no
    part of it: an archive may leave that out.
    """
    return _match_checksum(match, record, {})


def fits_checksum(kept: KeptMatch) -> bool:
    """Whether a match is what it was when its checksum was made."""
    return kept.checksum == match_checksum(kept.entry, kept.record) or covers_output(kept)


def covers_output(kept: KeptMatch) -> bool:
    """Whether its checksum fits, and is one of an earlier Arena, which covered what bots printed."""
    return bool(kept.outputs) and kept.checksum == _match_checksum(kept.entry, kept.record, kept.outputs)


def _match_checksum(match: MatchEntry, record: bytes, outputs: Outputs) -> str:
    plain = asdict(match)
    del plain["tournament_id"], plain["ended_at_fault"]
    for number, seat in enumerate(plain["seats"]):
        del seat["bot_id"]
        seat["log"] = outputs[number].end if number in outputs else ""
    return _sha256([plain, hashlib.sha256(record).hexdigest()])


class TournamentChecksum:
    """A checksum over the settings and the checksums of all matches, in the order of the schedule.

    It is that of the JSON text [key, [checksum, ...]], with [change, ...] as a third part if there were changes. It is
    made piece by piece: there may be a million matches.
    """

    def __init__(self, game: str, settings: Mapping[str, Any], changes: Changes = ()) -> None:
        self._changes = [change.to_json() for change in changes]
        self._digest = hashlib.sha256(f"[{json.dumps(settings_key(game, settings))},[".encode())
        self._separator = ""

    def add(self, match: str) -> None:
        """The checksum of one more match."""
        self._digest.update((self._separator + json.dumps(match)).encode())
        self._separator = ","

    def value(self) -> str:
        """The checksum of all that was added."""
        whole = self._digest.copy()
        whole.update(b"]," + canonical_json(self._changes) + b"]" if self._changes else b"]]")
        return whole.hexdigest()


def _sha256(value: Any) -> str:
    return hashlib.sha256(canonical_json(value)).hexdigest()
