"""The seal of a match: a digest that shows whether a record or a row in the store was changed.

It covers the rules version, the bots' digests, config and seed, every move with its observation, and the result.
It is `2:`, the number of its version, and 62 hexadecimal digits, a digest of the messages' bytes: those that it covers
have no maps and no unknown fields, and protobuf writes their fields in the order of their numbers; golden seals in the
tests would show a release that does otherwise.
"""

import hashlib
from struct import Struct
from typing import Any

from arena.canonical import canonical_json
from arena.game import AnyGame
from arena.match import AnyRecord
from arena.referee.replay import positions

_PREFIX = "2:"
_LENGTH = Struct(">I")
_DIGEST_BYTES = 31
"""With its prefix, a seal is 64 characters long, for which the store has room."""


def seal(game: AnyGame, record: AnyRecord) -> str:
    """The seal, computed by replaying the match; RecordError if it does not replay."""
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


def _beginning(game: AnyGame, record: AnyRecord) -> list[Any]:
    spec = record.spec
    bots = [[bot.name, bot.version, bot.digest] for bot in spec.contestants]
    return [spec.game, record.rules_version, spec.match_id, game.codec.config_to_json(spec.config), spec.seed, bots]


def _result(record: AnyRecord) -> list[Any]:
    outcome = record.outcome
    verdicts = [[verdict.ending.name, verdict.sentence] for verdict in record.verdicts]
    return [list(outcome.ranks), list(outcome.scores), outcome.reason, verdicts]
