"""Matches that are not those of the schedule are found, in every format, however true each of them is."""

from collections import Counter
from dataclasses import replace
from itertools import combinations

import pytest

from arena.bots.builtin import FirstBot
from arena.errors import UsageError
from arena.registry import find
from arena.schedules.budget import Budget
from arena.schedules.outcomes import FixtureResult
from arena.store.base import KeptMatch
from arena.store.checksums import TournamentChecksum, match_checksum
from arena.tournaments import changing
from arena.tournaments.schedule_replay import ScheduleReplay
from arena.tournaments.settings import Settings
from arena.tournaments.verify import StoredTournament, check_tournament, stored_tournament, unproved_schedule
from tests.kits.tournaments import BASE, MAKERS, World

pytestmark = pytest.mark.slow

ADAPTIVE = {"format": "adaptive", "rounds": 0, "goal": {"top": 1, "confidence": 0.9, "most": 24}}
TEST = {
    "format": "test", "rounds": 0, "bots": BASE.bots[:2],
    "goal": {"elo0": 0.0, "elo1": 300.0, "alpha": 0.2, "beta": 0.2, "most": 20},
}  # fmt: skip
NEVER = {"top": 1, "confidence": 0.9999, "most": 24}
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
    entry, whole, made = kept.entry, TournamentChecksum(kept.entry.game, kept.entry.settings, kept.entry.changes), []
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
    # A test leaves out what is left of its last pairs, so that place is one of the schedule, for another deal.
    wrong = ("after the end of the schedule", "its deal does not come from the tournament's seed")
    assert any(what in finding for what in wrong for finding in found)


def test_a_test_is_true_with_and_without_what_was_played_after_its_decision():
    settings = replace(BASE, **TEST)
    won = {True: FixtureResult((0, 1), (1, 2)), False: FixtureResult((1, 0), (2, 1))}
    for pairs, called in (
        (1, ["it is called finished after 2 of 40 matches, but its schedule goes on"]),
        (6, []),
        (8, []),
    ):
        replay = ScheduleReplay(settings)
        for place in range(2 * pairs):
            group = (0, 1)
            assert list(replay.check(place, won[place % 2 == 0], settings.deal_seed(place // 2, group))) == []
        assert list(replay.end(finished=True)) == called


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
    assert (findings(kept), kept.entry.state, bool(kept.entry.checksum)) == ([], "closed", True)
    matches, open_one = list(kept.matches()), replace(kept.entry, changes=())
    (found,) = findings(forged(replace(kept, entry=open_one), matches))
    assert "it is called finished after" in found
    (found,) = findings(forged(kept, matches[:-1]))
    assert "it is called closed after" in found


def test_a_changed_field_is_true_and_only_what_is_missing_is_played(tmp_path):
    """One is excluded after five matches and another joins: nobody plays a deal twice, and nobody misses one."""
    bots = (*BASE.bots, ("first2", "1", ""))
    MAKERS["first2"] = FirstBot
    world = World(tmp_path / "db", replace(BASE, bots=bots))
    everybody = world.field
    world.settings, world.field = BASE, everybody[:3]
    world.run(stop_after=5)
    _, gone = changing.exclude(world.store, 1, "other")
    assert 0 < gone < 8
    assert changing.add(world.store, 1, "first2")[1] == 0
    world.settings, world.field = Settings.of(world.store.tournament(1)), everybody
    tournament, complete, _ = world.run(concurrency=2)
    assert (complete, tournament.id) == (True, 1)
    kept = stored(world)
    assert findings(kept) == []
    pairs = Counter(tuple(sorted(seat.bot_id for seat in match.entry.seats)) for match in kept.matches())
    stays = [bot.id for bot in everybody if bot.name != "other"]
    assert [pairs[pair] for pair in combinations(stays, 2)] == [4, 4, 4]
    assert sum(pairs.values()) == 12 + gone
    for count in (0, 5, 11):  # leaving out is found, and so is who hides that somebody was excluded
        assert findings(forged(kept, list(kept.matches())[:count])) != []
    for changes in ((), kept.entry.changes[:1], kept.entry.changes[1:]):
        assert findings(replace(kept, entry=replace(kept.entry, changes=changes))) != []


def test_whoever_comes_back_plays_what_was_missed(tmp_path):
    world = World(tmp_path / "db", replace(BASE, rounds=4))
    world.run(stop_after=7)
    for change, stop_after in ((changing.exclude, 3), (changing.add, None)):
        change(world.store, 1, "other")
        world.settings = Settings.of(world.store.tournament(1))
        world.run(stop_after=stop_after)
    kept = stored(world)
    assert (kept.entry.state, kept.entry.excluded, findings(kept)) == ("finished", set(), [])
    pairs = Counter(tuple(sorted(seat.bot_id for seat in match.entry.seats)) for match in kept.matches())
    assert set(pairs.values()) == {8}


@pytest.mark.parametrize("name", FORMATS)
def test_whatever_was_stopped_can_be_closed(tmp_path, name):
    world = World(
        tmp_path / "db", replace(BASE, **{**FORMATS[name], **({"goal": NEVER} if name == "adaptive" else {})})
    )
    world.run(stop_after=3)
    entry, full, rest = changing.close(world.store, 1)
    assert (entry.state, full + rest) == ("closed", 3)
    assert findings(stored(world)) == []
    with pytest.raises(UsageError, match="tournament 1 is closed: nothing of it changes any more"):
        changing.exclude(world.store, 1, "first")


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
    assert "different pairing rules" in unproved_schedule(replace(kept.entry, settings=settings))
