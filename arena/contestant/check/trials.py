"""Trial matches of a check: whole matches against random opponents, and single decisions in random games."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from typing import Any

from arena.bots.running import RunningBot
from arena.bots.table import Table
from arena.clock import TimeControl
from arena.contestant.check.report import CheckFailed
from arena.errors import BotFault, InfraError
from arena.game import AnyGame, AnyState
from arena.match import (
    FINE,
    NO_TIMES,
    AnyRecord,
    Ending,
    MatchEnd,
    MatchRecord,
    MatchSpec,
    MatchStart,
    PlayedMove,
    Seat,
    Times,
    Verdict,
    undecided,
)
from arena.referee.faults import early_end, substitute, verdict_of
from arena.referee.heartbeat import Heartbeat
from arena.referee.player import Player
from arena.referee.progress import apply_reply
from arena.referee.replay import banks_of
from arena.referee.retries import RETRIES
from arena.rng import random_id, sample, stream

TURNS_PER_WALK = 4
"""Positions asked about in one game of random moves; more games show more kinds of positions."""

_BOT, _OPPONENT = 0, 1


@dataclass(frozen=True, slots=True)
class CheckSettings:
    """The time control, seed, sample size and limits of a check."""

    control: TimeControl
    seed: int
    positions: int
    start_s: float
    memory_bytes: int
    seconds: float = math.inf
    """How long the check should take: what only looks further is cut short, and every step is still taken."""
    side_by_side: bool = False
    """Whether two processes of the bot can run at once, and neither costs the other time."""


class Trials:
    """Plays a bot against random opponents, and collects the records and times."""

    def __init__(self, game: AnyGame, opponent: RunningBot, *, settings: CheckSettings, heartbeat: Heartbeat) -> None:
        self.records: list[tuple[AnyRecord, Seat]] = []
        self._game = game
        self._opponent = opponent
        self._settings = settings
        self._heartbeat = heartbeat
        self._walked: list[Times] = []
        self._deals = count(settings.seed)
        """A new deal for every trial: its bot stays warm, and would know one that it has seen from another seat."""

    def times(self) -> Iterator[Times]:
        """The times of every decision so far."""
        for record, seat in self.records:
            yield from (move.times for move in record.played if move.seat == seat and move.times != NO_TIMES)
        yield from self._walked

    async def begin_only(self, bot: RunningBot) -> None:
        """Begin a match and end it at once."""
        seats = self._game.info.min_seats
        spec = self._spec(bot, self._game.configure(seats, {}), seats=seats, seat=0)
        await self._ask_along(bot, spec, 0, [], set())

    async def play(self, bot: RunningBot, *, seat: Seat, seats: int) -> AnyRecord:
        """One match against random opponents; CheckFailed if the bot did not play it to its end."""
        spec = self._spec(bot, self._game.configure(seats, {}), seats=seats, seat=seat)
        table = Table([bot, self._opponent], heartbeat=self._heartbeat)
        seating = [_BOT if number == seat else _OPPONENT for number in range(seats)]
        record = await table.play(self._game, spec, seating)
        verdict = record.verdicts[seat]
        if verdict.ending is Ending.VOID:
            raise InfraError(f"a match is void, through no fault of the bot: {verdict.sentence}")
        if verdict.at_fault:
            ply = next(fault.ply for fault in record.faults if fault.seat == seat)
            raise CheckFailed(verdict, f"seat {seat} of {seats}, after {ply} moves", record, seat)
        self.records.append((record, seat))
        return record

    async def walk(self, bot: RunningBot, config: Any, *, seats: int, seat: Seat, quota: int) -> int:
        """One game of random moves in which the bot is asked now and then what it would do; how often it was asked."""
        spec = self._spec(bot, config, seats=seats, seat=seat)
        moves = random_game(self._game, config, spec.seed)
        plies = [ply for ply, played in enumerate(moves) if played.seat == seat]
        chosen = set(sample(stream(spec.seed, "check", seat), plies, min(len(plies), TURNS_PER_WALK, quota)))
        for attempt in RETRIES.attempts():
            try:
                await self._ask_along(bot, spec, seat, moves, chosen)
                break
            except InfraError:
                if attempt == RETRIES.replays:
                    raise
        return len(chosen)

    async def _ask_along(
        self, bot: RunningBot, spec: MatchSpec[Any], seat: Seat, moves: list[PlayedMove[Any]], chosen: set[int]
    ) -> None:
        game, state, ply = self._game, self._game.start(spec.config, spec.seed), 0
        link = await bot.open_match(game.codec)
        try:
            player = Player(game.codec, link, spec.control, heartbeat=self._heartbeat)
            await player.begin(MatchStart(random_id(), seat, len(spec.contestants), spec.config, spec.control))
            for ply, played in enumerate(moves):
                if ply in chosen:
                    decision = await player.decide(state, seat, player.wait_frozen)
                    try_moves(state, seat, decision.moves)
                    self._walked.append(decision.times)
                state.apply(played.move)
            outcome = state.outcome() or undecided(len(spec.contestants), "only a check")
            await player.end(MatchEnd(outcome, FINE))
        except BotFault as fault:
            verdict = verdict_of(fault)
            record = aborted_record(game, spec, moves[:ply], seat, verdict)
            where = f"seat {seat}, position after {ply} random moves" if moves else ""
            raise CheckFailed(verdict, where, record, seat) from fault
        finally:
            await link.close()

    def _spec(self, bot: RunningBot, config: Any, *, seats: int, seat: Seat) -> MatchSpec[Any]:
        opponent, seed = self._opponent.contestant, next(self._deals)
        names = tuple(bot.contestant if number == seat else opponent for number in range(seats))
        return MatchSpec(f"check-{seed}-{seat}", self._game.info.name, config, seed, names, self._settings.control)


def random_game(game: AnyGame, config: Any, seed: int) -> list[PlayedMove[Any]]:
    """The moves of a game that is played to its end at random, marked as nobody's choice."""
    state, moves = game.start(config, seed), list[PlayedMove[Any]]()
    while (seat := state.to_move()) is not None:
        move = substitute(seed, len(moves), state.legal())
        state.apply(move)
        moves.append(PlayedMove(seat, move, substituted=True))
    return moves


def try_moves(state: AnyState, seat: Seat, moves: tuple[Any, ...]) -> None:
    """Apply the moves to a copy; IllegalMove if the referee would refuse one of them."""
    for _ in apply_reply(state.clone(), seat, moves):
        pass


def lowest_bank(record: AnyRecord, seat: Seat) -> float:
    """The fewest seconds that this seat ever had in its bank."""
    return min([record.spec.control.bank, *(banks[seat] for banks in banks_of(record))])


def aborted_record(
    game: AnyGame, spec: MatchSpec[Any], played: list[PlayedMove[Any]], seat: Seat, verdict: Verdict
) -> AnyRecord:
    """The record of a match that ended where the bot was at fault."""
    seats = len(spec.contestants)
    verdicts = tuple(verdict if number == seat else FINE for number in range(seats))
    return MatchRecord(spec, game.info.version, tuple(played), verdicts, early_end([seat], seats))
