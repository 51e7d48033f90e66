"""Seals: what was sealed once fits for ever, and whatever is changed breaks the seal."""

import json
from dataclasses import replace

import pytest

from arena.match import Outcome, Verdict
from arena.referee import record
from arena.referee.seal import seal
from arena.registry import find, games
from tests.kits.sealed_records import DATA, RECORD, SEALS, play_one


@pytest.mark.parametrize("name", games())
def test_what_was_sealed_once_still_fits(name):
    kept = record.read(DATA / name / RECORD, find)
    seals = json.loads((DATA / name / SEALS).read_text())
    assert {"2": seal(find(name), kept)} == seals
    assert {len(text) for text in seals.values()} == {64}  # as the store has room for


def test_every_change_breaks_it():
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
    seals = {seal(game, variant) for variant in [played, *changed]}
    assert len(seals) == 1 + len(changed)
    assert seal(game, played) == seal(game, play_one(game))
