"""Records: what is saved comes back, a changed byte is found, and a lie does not replay."""

import asyncio
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.bots.builtin import FirstBot, RandomBot
from arena.clock import TimeControl
from arena.errors import RecordError
from arena.links.local import LocalLink
from arena.match import Contestant, Ending, MatchSpec, Outcome, Verdict
from arena.referee import record
from arena.referee.player import Player
from arena.referee.referee import play
from arena.referee.replay import positions, verify
from arena.registry import find, games
from arena.sdk import Session

CONTROL = TimeControl(per_move=1.0, bank=10.0, increment=0.0)


def play_one(name="claim", seed=7):
    game = find(name)
    config = game.configure(game.info.min_seats, {})
    bots = [RandomBot(seed), *(FirstBot(seed) for _ in range(game.info.min_seats - 1))]
    contestants = tuple(Contestant(type(bot).__name__, "1", "sha256:0") for bot in bots)
    spec = MatchSpec(record.match_id(game, config, seed, contestants), name, config, seed, contestants, CONTROL)
    players = [Player(game.codec, LocalLink(Session(game, bot).handle, lambda: 0.0), CONTROL) for bot in bots]
    return game, asyncio.run(play(game, players, spec))


GAME, PLAYED = play_one()
DATA = record.dump(PLAYED, GAME)


@pytest.mark.parametrize("name", games())
def test_round_trip(name, tmp_path):
    game, played = play_one(name)
    record.save(tmp_path / "m.arena", played, game)
    restored = record.read(tmp_path / "m.arena", find)
    assert restored == played
    verify(game, restored)
    assert [path.name for path in tmp_path.iterdir()] == ["m.arena"]


@given(st.integers(0, len(DATA) - 1), st.integers(1, 255))
def test_a_changed_byte_is_found(place, change):
    damaged = DATA[:place] + bytes((DATA[place] ^ change,)) + DATA[place + 1 :]
    with pytest.raises(RecordError):
        record.load(damaged, find)


@pytest.mark.parametrize("data", [b"", b"hello", DATA[:-1], DATA + b"\0", DATA[: len(DATA) // 2]])
def test_what_is_no_record_is_refused(data):
    with pytest.raises(RecordError):
        record.load(data, find)


def swapped(moves):
    first, *middle, last = moves
    return (replace(first, move=last.move), *middle, replace(last, move=first.move))


FINE = Verdict(Ending.NORMAL, "fine")
FORFEIT = Outcome((2, 1), (0.0, 1.0), "seat 0 forfeited")
LIES = {
    "outcome": lambda r: replace(r, outcome=replace(r.outcome, ranks=r.outcome.ranks[::-1])),
    "score": lambda r: replace(r, outcome=replace(r.outcome, scores=(9.0, 0.0))),
    "moves": lambda r: replace(r, played=swapped(r.played)),
    "seat": lambda r: replace(r, played=(replace(r.played[0], seat=1), *r.played[1:])),
    "cut": lambda r: replace(r, played=r.played[:-1]),
    "seed": lambda r: replace(r, spec=replace(r.spec, seed=8)),
    "config": lambda r: replace(r, spec=replace(r.spec, config=GAME.configure(2, {"first_leader": "1"}))),
    "version": lambda r: replace(r, rules_version="0"),
    "blame": lambda r: replace(r, verdicts=(Verdict(Ending.TIME, "late"), FINE), outcome=FORFEIT),
    "verdicts": lambda r: replace(r, verdicts=(FINE,)),
}  # fmt: skip


@pytest.mark.parametrize("lie", LIES.values(), ids=LIES)
def test_a_lie_does_not_verify(lie):
    with pytest.raises(RecordError):
        verify(GAME, record.load(record.dump(lie(PLAYED), GAME), find))


def test_positions_end_with_the_outcome():
    *_, (last, played) = positions(GAME, PLAYED)
    assert played is None
    assert last.outcome() == PLAYED.outcome


def test_the_same_match_has_the_same_name():
    again = play_one()[1]
    assert again.spec.match_id == PLAYED.spec.match_id
    assert play_one(seed=8)[1].spec.match_id != PLAYED.spec.match_id


@pytest.mark.parametrize("part", [record.sandbox_reports, record.faults_in, record.rules_version])
def test_a_part_of_bytes_that_are_no_record_is_refused_as_a_record_error(part):
    with pytest.raises(RecordError, match="cannot be read"):
        part(bytes(range(256)))
