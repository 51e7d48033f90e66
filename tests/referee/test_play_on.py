"""With more than two seats the others play on after a fault: who plays for a seat at fault, and who is last."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.clock import TimeControl
from arena.errors import Abuse, BadMessage, Crashed, InfraError, RecordError, TimedOut
from arena.match import Contestant, Ending, Fault, MatchSpec, Outcome, Verdict
from arena.referee import record
from arena.referee.faults import FaultPolicy, result, substitute
from arena.referee.player import Player
from arena.referee.referee import play
from arena.referee.replay import positions, verify
from arena.registry import find
from engines.kingdoms.game import GAME
from tests.referee.scripted_link import ScriptedLink

CONTROL = TimeControl(per_move=1.0, bank=2.0, increment=0.0, allowance=0.0)
CRASH = Crashed("exit code 1")


def run(*scripts, seed=7, strikes=0, dismiss=None):
    links = [ScriptedLink(GAME, script) for script in scripts]
    config = GAME.configure(len(scripts), {})
    contestants = tuple(Contestant(f"bot{seat}") for seat in range(len(scripts)))
    spec = MatchSpec("m", "kingdoms", config, seed, contestants, CONTROL)
    players = [Player(GAME.codec, link, CONTROL) for link in links]
    return asyncio.run(play(GAME, players, spec, FaultPolicy(strikes), None, dismiss)), links


def game_outcome(kept):
    *_, (last, _) = positions(GAME, kept)
    return last.outcome()


def endings(kept):
    return [verdict.ending for verdict in kept.verdicts]


@pytest.mark.parametrize("seats", [3, 4])
def test_one_crash_and_the_others_play_on(seats):
    kept, links = run({}, {3: CRASH}, *[{}] * (seats - 2))
    verify(GAME, kept)
    assert endings(kept) == [Ending.NORMAL, Ending.CRASH, *[Ending.NORMAL] * (seats - 2)]
    (fault,) = kept.faults
    assert (fault.seat, fault.verdict) == (1, kept.verdicts[1])
    assert all(move.substituted == (move.seat == 1 and ply >= fault.ply) for ply, move in enumerate(kept.played))
    assert links[1].calls == 4
    assert links[1].closed
    assert not links[1].told
    game = game_outcome(kept)
    fair = [seat for seat in range(seats) if seat != 1]
    assert kept.outcome.ranks[1] == seats
    assert kept.outcome.scores[1] == 0.0
    for seat in fair:
        assert kept.outcome.scores[seat] == game.scores[seat]
        assert kept.outcome.ranks[seat] == 1 + sum(game.ranks[other] < game.ranks[seat] for other in fair)
    assert kept.outcome.reason == f"{game.reason}; seat 1 forfeited"
    assert all(links[seat].told[0].outcome == kept.outcome for seat in fair)


def test_a_crash_saves_no_friend():
    """Who was losing is still behind the honest winner; before, all but the crashed bot shared the first place."""
    fair, _ = run({}, {}, {}, {})
    loser = fair.outcome.ranks.index(max(fair.outcome.ranks))
    friend = (loser + 1) % 4
    moves = sum(move.seat == friend for move in fair.played)
    scripts = [{moves: CRASH} if seat == friend else {} for seat in range(4)]
    kept, _ = run(*scripts)
    honest = [seat for seat in range(4) if seat not in (loser, friend)]
    assert kept.outcome.ranks[loser] > min(kept.outcome.ranks[seat] for seat in honest)
    assert kept.outcome.ranks[friend] == 4


def test_two_crashes_of_four_share_the_last_place():
    kept, _ = run({2: CRASH}, {}, {4: TimedOut("slow")}, {})
    verify(GAME, kept)
    assert [(fault.seat, fault.verdict.ending) for fault in kept.faults] == [(0, Ending.CRASH), (2, Ending.TIME)]
    assert (kept.outcome.ranks[0], kept.outcome.ranks[2]) == (3, 3)
    assert sorted((kept.outcome.ranks[1], kept.outcome.ranks[3]))[0] == 1
    assert kept.outcome.reason.endswith("; seat 0 and seat 2 forfeited")


def test_with_one_fair_seat_left_the_match_ends():
    kept, links = run({2: CRASH}, {}, {1: CRASH})
    verify(GAME, kept)
    assert game_outcome(kept) is None
    assert kept.outcome == Outcome((2, 1, 2), (0.0, 1.0, 0.0), "seat 0 and seat 2 forfeited, and only seat 1 is left")
    assert [fault.ply for fault in kept.faults][-1] == len(kept.played)
    assert links[1].told[0].outcome == kept.outcome


@pytest.mark.parametrize("seats", [3, 4])
def test_one_never_starts_and_the_others_play(seats):
    kept, links = run(*[{}] * (seats - 1), {0: TimedOut("no answer")})
    verify(GAME, kept)
    assert kept.faults == (Fault(seats - 1, 0, kept.verdicts[-1]),)
    assert kept.verdicts[-1].ending is Ending.NO_START
    assert kept.outcome.ranks[-1] == seats
    assert links[-1].closed
    assert any(move.seat == seats - 1 and move.substituted for move in kept.played)


def test_nobody_starts():
    kept, _ = run({0: CRASH}, {0: CRASH}, {0: CRASH})
    verify(GAME, kept)
    assert kept.outcome == Outcome((1, 1, 1), (0.0,) * 3, "seat 0, seat 1 and seat 2 forfeited")
    assert kept.played == ()


def test_strikes_come_first():
    kept, _ = run({1: BadMessage("nonsense"), 3: BadMessage("nonsense")}, {}, {}, strikes=1)
    verify(GAME, kept)
    assert len(kept.strikes) == len(kept.faults) == 1
    assert kept.why_substituted(kept.strikes[0].ply) == kept.strikes[0].verdict
    assert kept.why_substituted(kept.faults[0].ply) == kept.faults[0].verdict


def test_the_bot_is_dismissed_once_and_only_while_others_play_on():
    gone = []

    async def dismiss(seat):
        gone.append(seat)

    run({}, {}, {2: CRASH}, dismiss=dismiss)
    assert gone == [2]
    run({}, {0: CRASH}, {0: CRASH}, dismiss=dismiss)
    assert gone == [2]


def test_a_failure_of_ours_after_a_fault_still_voids_the_match():
    kept, _ = run({1: CRASH}, {}, {5: InfraError("no disk")})
    assert kept.void
    assert not kept.ended_at_fault


FAULTS = st.sampled_from([CRASH, TimedOut("late"), BadMessage("nonsense"), Abuse("flood")])
SCRIPTS = st.lists(st.dictionaries(st.integers(0, 30), FAULTS, max_size=2), min_size=3, max_size=4)


@pytest.mark.slow
@settings(deadline=None, max_examples=40)
@given(SCRIPTS, st.integers(0, 2**32), st.integers(0, 2), st.data())
def test_whatever_goes_wrong_is_verified_and_what_is_changed_is_not(scripts, seed, strikes, data):
    kept, _ = run(*scripts, seed=seed, strikes=strikes)
    kept = record.load(record.dump(kept, GAME), find)
    verify(GAME, kept)
    faulty = [seat for seat, verdict in enumerate(kept.verdicts) if verdict.at_fault]
    assert sorted(fault.seat for fault in kept.faults) == faulty
    lies = [replace(kept, outcome=replace(kept.outcome, ranks=data.draw(other_ranks(kept.outcome.ranks))))]
    lies += [replace(kept, faults=kept.faults[:-1]), replace(kept, faults=())] if faulty and len(kept.played) else []
    if choices := [ply for ply, move in enumerate(kept.played) if move.substituted]:
        ply = data.draw(st.sampled_from(choices))
        state = next(state for at, (state, _) in enumerate(positions(GAME, kept)) if at == ply)
        others = [move for move in state.legal() if move != kept.played[ply].move]
        lies += [with_move(kept, ply, move=others[0])] if others else []
        if any(fault.seat == kept.played[ply].seat and fault.ply <= ply for fault in kept.faults):
            lies += [with_move(kept, ply, substituted=False)]
    for lie in lies:
        with pytest.raises(RecordError):
            verify(GAME, lie)


def with_move(kept, ply, **changes):
    return replace(kept, played=(*kept.played[:ply], replace(kept.played[ply], **changes), *kept.played[ply + 1 :]))


def other_ranks(ranks):
    return st.tuples(*[st.integers(1, len(ranks))] * len(ranks)).filter(lambda other: other != ranks)


LATE = Verdict(Ending.TIME, "late")
LIES = {
    "another verdict": lambda r: replace(r, faults=(replace(r.faults[0], verdict=LATE),)),
    "another seat": lambda r: replace(r, faults=(replace(r.faults[0], seat=0),)),
    "later": lambda r: replace(r, faults=(replace(r.faults[0], ply=r.faults[0].ply + 4),)),
    "earlier": lambda r: replace(r, faults=(replace(r.faults[0], ply=0),)),
    "after the end": lambda r: replace(r, faults=(replace(r.faults[0], ply=len(r.played) + 1),)),
    "twice": lambda r: replace(r, faults=r.faults * 2),
    "cut at the fault": lambda r: replace(r, played=r.played[: r.faults[0].ply]),
}


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_lie_about_a_fault_does_not_verify(lie):
    kept, _ = run({}, {3: CRASH}, {})
    with pytest.raises(RecordError):
        verify(GAME, lie(kept))


def test_a_record_from_before_matches_were_played_on_is_still_true_and_is_not_rated():
    kept, _ = run({}, {3: CRASH}, {})
    early = Outcome((1, 3, 1), (1.0, 0.0, 1.0), "seat 1 forfeited")
    old = replace(kept, played=kept.played[: kept.faults[0].ply], faults=(), outcome=early)
    verify(GAME, old)
    assert old.ended_at_fault
    assert record.ended_at_fault(record.dump(old, GAME))
    assert not kept.ended_at_fault
    assert not record.ended_at_fault(record.dump(kept, GAME))
    with pytest.raises(RecordError):
        verify(GAME, replace(old, outcome=replace(early, ranks=(1, 3, 2))))


def test_the_substitute_and_the_ranks_by_hand():
    assert substitute(7, 0, [10, 20, 30]) == substitute(7, 0, [10, 20, 30])
    assert {substitute(7, ply, range(5)) for ply in range(60)} == set(range(5))
    game = Outcome((1, 3, 2, 3), (9.0, 1.0, 5.0, 1.0), "over")
    assert result(game, [0], 4) == Outcome((4, 2, 1, 2), (0.0, 1.0, 5.0, 1.0), "over; seat 0 forfeited")
    assert result(game, [2, 0], 4) == Outcome((3, 1, 3, 1), (0.0, 1.0, 0.0, 1.0), "over; seat 0 and seat 2 forfeited")
    assert result(None, [0], 2) == Outcome((2, 1), (0.0, 1.0), "seat 0 forfeited")
