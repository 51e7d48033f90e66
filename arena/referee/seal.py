"""The seal of a match: a digest that shows whether a record or a row in the store was changed.

It covers the rules version, the bots' digests, config and seed, every move with its observation, and the result.
Version 2, `2:` and 62 hexadecimal digits, is a digest of the messages' bytes: those that it covers have no maps and no
unknown fields, and protobuf writes their fields in the order of their numbers; golden seals in the tests would show a
release that does otherwise. Version 1, 64 digits, is one of their JSON; it takes four times as long, and is computed
only to verify what was sealed with it.
"""

import hashlib
from struct import Struct
from typing import Any

from arena.canonical import canonical_json
from arena.errors import RecordError
from arena.game import AnyGame
from arena.match import AnyRecord
from arena.referee.replay import positions

VERSION = 2
_PREFIX = f"{VERSION}:"
_LENGTH = Struct(">I")
_DIGEST_BYTES = 31
"""With its prefix, a seal of version 2 is as long as one of version 1."""


def seal(game: AnyGame, record: AnyRecord, version: int = VERSION) -> str:
    """The seal, computed by replaying the match; RecordError if it does not replay."""
    if version == 1:
        return _seal_of_json(game, record)
    if version != VERSION:
        raise RecordError(f"there is no seal of version {version}: a newer Arena may have made it")
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)

    def add(part: bytes) -> None:
        digest.update(_LENGTH.pack(len(part)))  # so that nothing can move from one part into the next
        digest.update(part)

    add(canonical_json(_beginning(game, record)))
    for state, played in positions(game, record):
        if played is not None:
            add(bytes((played.seat, played.substituted)))
            add(game.codec.dump_observation(state.view(played.seat)))
            add(game.codec.dump_move(played.move))
    add(canonical_json(_result(record)))
    return _PREFIX + digest.hexdigest()


def version_of(seal: str) -> int:
    """The version of a seal."""
    number, colon, _ = seal.partition(":")
    return int(number) if colon and number.isdecimal() else 1


def _seal_of_json(game: AnyGame, record: AnyRecord) -> str:
    """A chain of digests, one for every move."""
    digest = hashlib.sha256(canonical_json(_beginning(game, record)))
    for state, played in positions(game, record):
        if played is not None:
            seen = game.codec.observation_to_json(state.view(played.seat))
            step = [played.seat, seen, game.codec.move_to_json(played.move), played.substituted]
            digest = hashlib.sha256(digest.digest() + canonical_json(step))
    return hashlib.sha256(digest.digest() + canonical_json(_result(record))).hexdigest()


def _beginning(game: AnyGame, record: AnyRecord) -> list[Any]:
    spec = record.spec
    bots = [[bot.name, bot.version, bot.digest] for bot in spec.contestants]
    return [spec.game, record.rules_version, spec.match_id, game.codec.config_to_json(spec.config), spec.seed, bots]


def _result(record: AnyRecord) -> list[Any]:
    outcome = record.outcome
    verdicts = [[verdict.ending.name, verdict.sentence] for verdict in record.verdicts]
    return [list(outcome.ranks), list(outcome.scores), outcome.reason, verdicts]
