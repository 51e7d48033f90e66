"""Matches that are not those of the schedule are found, in every format, however true each of them is."""

from dataclasses import replace

import pytest

from arena.registry import find
from arena.schedules.budget import Budget
from arena.store.base import KeptMatch
from arena.store.checksums import TournamentChecksum, match_checksum
from arena.tournaments.verify import StoredTournament, check_tournament, stored_tournament, unproved_schedule
from tests.kits.tournaments import BASE, World

pytestmark = pytest.mark.slow

ADAPTIVE = {"format": "adaptive", "rounds": 0, "goal": {"top": 1, "confidence": 0.9, "most": 24}}
TEST = {
    "format": "test", "rounds": 0, "bots": BASE.bots[:2],
    "goal": {"elo0": 0.0, "elo1": 300.0, "alpha": 0.2, "beta": 0.2, "most": 20},
}  # fmt: skip
FORMATS = {
    "round-robin": {"rounds": 2},
    "gauntlet": {"format": "gauntlet", "rounds": 2},
    "swiss": {"format": "swiss", "rounds": 3},
    "adaptive": ADAPTIVE,
    "test": TEST,
    "seeds": {"rounds": 2, "seeds": (7, 8), "deals": "common"},
}


def play(path, stop_after=None, budget=None, **changes):
    """A store with a tournament; the tournament as it is kept."""
    world = World(path, replace(BASE, **changes))
    _, complete, _ = world.run(stop_after=stop_after, budget=budget)
    assert complete == (stop_after is None and budget is None)
    return stored(world)


def stored(world):
    (entry,) = world.store.tournaments()
    return stored_tournament(world.store, entry)


def forged(kept, matches, *, finished=True):
    """The same tournament with other matches, each with its place, and with checksums that fit."""
    entry, whole, made = kept.entry, TournamentChecksum(kept.entry.game, kept.entry.settings), []
    for match in matches:
        checksum = match_checksum(match.entry, match.record)
        whole.add(checksum)
        made.append(KeptMatch(match.entry, match.record, checksum))
    checksum = whole.value() if finished else ""
    return StoredTournament(replace(entry, finished=finished, checksum=checksum), kept.bots, lambda: made)


def findings(kept):
    return [str(finding) for finding in check_tournament(kept, find)]


def renumbered(matches):
    return [replace(match, entry=replace(match.entry, ordinal=place)) for place, match in enumerate(matches)]


@pytest.fixture(scope="module", params=FORMATS, ids=FORMATS)
def kept(request, tmp_path_factory):
    return play(tmp_path_factory.mktemp("played") / "db", **FORMATS[request.param])


def test_what_was_played_by_the_schedule_is_true(kept):
    assert findings(kept) == []


def test_a_tournament_that_is_called_finished_too_early_is_found(kept):
    matches = list(kept.matches())
    for count in (0, 1, len(matches) // 2, len(matches) - 1):
        (found,) = findings(forged(kept, matches[:count]))
        assert f"it is called finished after {count}" in found


def test_what_is_not_finished_may_have_gaps_within_its_rounds(kept):
    matches = list(kept.matches())
    assert findings(forged(kept, matches[:-1], finished=False)) == []
    assert findings(forged(kept, matches[: len(matches) // 2], finished=False)) == []


def test_a_match_that_is_left_out_and_the_others_moved_up_is_found(kept):
    matches = list(kept.matches())
    (found,) = findings(forged(kept, renumbered(matches[1:]), finished=False))
    assert "the schedule has other bots or other seats" in found


def test_a_match_after_the_end_is_found(kept):
    matches = list(kept.matches())
    again = replace(matches[0], entry=replace(matches[0].entry, ordinal=len(matches)))
    found = findings(forged(kept, [*matches, again]))
    assert any("after the end of the schedule" in finding for finding in found)


def test_matches_with_other_deals_are_found(tmp_path):
    """Every one of them replays; the seeds were chosen, until their results suited somebody."""
    asked, played = play(tmp_path / "asked"), play(tmp_path / "played", seed=77)
    (found,) = findings(forged(asked, list(played.matches())))
    assert "its deal does not come from the tournament's seed" in found


def test_a_round_of_a_swiss_tournament_is_not_played_before_the_one_before_it(tmp_path):
    kept = play(tmp_path / "db", format="swiss", rounds=3)
    matches = list(kept.matches())
    (found,) = findings(forged(kept, [*matches[:1], *matches[2:]], finished=False))
    assert "its round comes when all before it are played, but 1 of those are missing" in found


def test_a_tournament_without_a_last_round_is_true_wherever_its_budget_ended(tmp_path):
    clock = iter(range(10**6))
    world = World(tmp_path / "db", replace(BASE, rounds=0))
    tournament, complete, _ = world.run(budget=Budget(60, now=lambda: float(next(clock))))
    assert not complete
    assert tournament.played > 6
    kept = stored(world)
    assert findings(kept) == []
    (found,) = findings(forged(kept, list(kept.matches())))
    assert "it is called finished after" in found


def test_what_a_stopped_tournament_has_is_true(tmp_path):
    assert findings(play(tmp_path / "db", stop_after=5)) == []


def test_more_rounds_than_chosen_seeds_make_no_sense(tmp_path):
    kept = play(tmp_path / "db", rounds=2, seeds=(7, 8), deals="common")
    settings = {**kept.entry.settings, "seeds": [7]}
    found = findings(replace(kept, entry=replace(kept.entry, settings=settings)))
    assert any("make no sense" in finding for finding in found)


@pytest.mark.parametrize("changes", [{"format": "swiss", "rounds": 3}, ADAPTIVE], ids=["swiss", "adaptive"])
def test_a_schedule_of_an_earlier_version_is_left_unproved(tmp_path, changes):
    kept = play(tmp_path / "db", **changes)
    settings = {**kept.entry.settings}
    del settings[f"{changes['format']}_version"]
    assert unproved_schedule(kept.entry) is None
    assert "pairs otherwise" in unproved_schedule(replace(kept.entry, settings=settings))
