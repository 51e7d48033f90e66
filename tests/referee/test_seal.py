"""Seals: what was sealed once fits for ever, and whatever is changed breaks the seal, in both versions."""

import json
from dataclasses import replace

import pytest

from arena.errors import RecordError
from arena.match import Outcome, Verdict
from arena.referee import record
from arena.referee.seal import VERSION, seal, version_of
from arena.registry import find, games
from tests.kits.sealed_records import DATA, RECORD, SEALS, play_one

VERSIONS = range(1, VERSION + 1)


@pytest.mark.parametrize("name", games())
def test_what_was_sealed_once_still_fits(name):
    kept = record.read(DATA / name / RECORD, find)
    seals = json.loads((DATA / name / SEALS).read_text())
    assert {str(version): seal(find(name), kept, version) for version in VERSIONS} == seals
    assert [version_of(text) for text in seals.values()] == list(VERSIONS)
    assert {len(text) for text in seals.values()} == {64}  # as the store has room for


@pytest.mark.parametrize("version", VERSIONS)
def test_every_change_breaks_it(version):
    game = find("claim")
    played = play_one(game)
    first, second, *rest = played.played
    spec, outcome, (fine, _) = played.spec, played.outcome, played.verdicts
    bots = (replace(spec.contestants[0], digest="sha256:1"), spec.contestants[1])
    changed = [
        replace(played, spec=replace(spec, match_id="0" * 16)),
        replace(played, spec=replace(spec, contestants=bots)),
        replace(played, played=(replace(first, substituted=True), second, *rest)),
        replace(played, played=played.played[:-1]),
        replace(played, verdicts=(fine, Verdict(fine.ending, "another sentence"))),
        replace(played, outcome=Outcome(outcome.ranks[::-1], outcome.scores, outcome.reason)),
        replace(played, outcome=Outcome(outcome.ranks, outcome.scores, "another reason")),
    ]
    seals = {seal(game, variant, version) for variant in [played, *changed]}
    assert len(seals) == 1 + len(changed)
    assert seal(game, played, version) == seal(game, play_one(game), version)


def test_a_version_that_is_not_known_is_refused():
    game = find("claim")
    assert version_of("3:" + "0" * 62) == 3
    with pytest.raises(RecordError, match="version 3"):
        seal(game, play_one(game), 3)
