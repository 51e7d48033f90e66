"""The seal of a match: a hash chain that shows whether a record or a row in the store was changed.

It covers the rules version, the bots' digests, config and seed, every move with its observation, and the result.
The digest is taken of our own JSON, because the bytes of protobuf promise no canonical form.
"""

import hashlib
from typing import Any

from arena.codec import canonical_json
from arena.game import AnyGame
from arena.match import AnyRecord
from arena.play.replay import positions


def seal(game: AnyGame, record: AnyRecord) -> str:
    """The seal, computed by replaying the match; RecordError if it does not replay."""
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
