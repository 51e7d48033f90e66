"""A bot that always crashes must not bring the others nearer together, at tables of four that play on without it."""

import asyncio
from itertools import permutations

import pytest

from arena.bots.builtin import RandomBot
from arena.bots.in_process import resolve_bot
from arena.clock import TimeControl
from arena.errors import Crashed
from arena.links.local import LocalLink
from arena.match import Contestant, MatchSpec
from arena.ratings import collect, rate
from arena.ratings.model import ENVIRONMENT, ROLE_SIGMA
from arena.ratings.results import Result
from arena.referee.player import Player
from arena.referee.referee import play
from arena.sdk import Session
from engines.kingdoms.game import GAME

CONTROL = TimeControl.parse("none")
HONEST = ("greedy", "mixed", "random")


def bot(name, seed):
    """The bot of this name: `mixed` plays every second match well."""
    good = name == "greedy" or (name == "mixed" and seed % 2)
    return resolve_bot(GAME, "greedy").make(seed) if good else RandomBot(seed)


class CrashingLink(LocalLink):
    """Crashes when it is asked for its second move."""

    calls = 0

    async def call(self, *args):
        self.calls += 1
        if self.calls == 3:
            raise Crashed("it exited with code 3")
        return await super().call(*args)


def match(seating, seed, *, crashes):
    config = GAME.configure(len(seating), {})
    spec = MatchSpec("m", "kingdoms", config, seed, tuple(map(Contestant, seating)), CONTROL)
    players = []
    for name in seating:
        session = Session(GAME, bot(name, seed)).handle
        kind = CrashingLink if crashes and name == "fourth" else LocalLink
        players.append(Player(GAME.codec, kind(session, lambda: 0.0), CONTROL))
    return asyncio.run(play(GAME, players, spec))


def gap(*, crashes):
    """The distance of the best and the worst honest bot, after every seating of two deals."""
    results = []
    for number, seating in enumerate(permutations((*HONEST, "fourth"))):
        kept = match(seating, number % 2, crashes=crashes)
        results.append(Result(seating, kept.outcome.ranks))
    rows = {row.bot: row.mu for row in rate(collect(results), ENVIRONMENT, role_sigma=ROLE_SIGMA).rows}
    assert not crashes or min(rows, key=rows.get) == "fourth"
    return rows["greedy"] - rows["random"]


@pytest.mark.slow
def test_a_bot_that_always_crashes_does_not_shrink_the_gap_between_the_others():
    fair, crashing = gap(crashes=False), gap(crashes=True)
    assert fair > 3.0
    assert crashing > 0.6 * fair  # it was 0 when the others shared the first place
