"""The numbered steps of a check; the first failure ends it."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from dataclasses import replace
from functools import partial

from arena.bots.running import RunningBot, SandboxedBot
from arena.clock import Meter, TimeControl
from arena.contestant.check.advice import advice
from arena.contestant.check.report import CheckFailed, Mark, Measures, Remark, Step, percentile
from arena.contestant.check.trials import CheckSettings, Trials, lowest_bank
from arena.errors import BotFault
from arena.game import AnyGame
from arena.match import Seat, ordinal
from arena.referee.faults import verdict_of
from arena.referee.heartbeat import Heartbeat

WARM_MATCHES = 5
SHARE_OF_SEATS, SHARE_OF_POSITIONS, SHARE_OF_MATCHES = 0.4, 0.7, 0.85
"""The share of the time after which a step is content with what it has seen."""
LEFT_OUT = "the rest is left out, --thorough tries all"
DEALS = 1_000_000
"""More than any check plays."""
TIGHT = 0.8
"""A bot that uses more than this share of its time or memory is warned: other machines are busier."""

Run = Callable[[], Awaitable[Remark]]


class Check:
    """Checks one bot at one game; `twin` is the same bot, never frozen, for matches at the same time."""

    def __init__(
        self,
        game: AnyGame,
        bots: tuple[RunningBot, RunningBot],
        opponent: RunningBot,
        *,
        settings: CheckSettings,
        heartbeat: Heartbeat,
    ) -> None:
        self._game = game
        self._bot, self._twin = bots
        self._settings = settings
        self._trials = Trials(game, opponent, settings=settings, heartbeat=heartbeat)
        # Deals of its own: whichever is faster, the same seed is the same check.
        apart = replace(settings, seed=settings.seed + DEALS)
        self._twin_trials = Trials(game, opponent, settings=apart, heartbeat=heartbeat)
        self._two_at_once: asyncio.Future[Remark] | None = None
        self._start_seconds = 0.0
        self._began = time.monotonic()

    async def steps(self) -> AsyncIterator[Step]:
        """Every step as soon as it is done; those after a failure are not tried."""
        failed = False
        for number, (title, run) in enumerate(self._plan(), 1):
            step = Step(number, title, Mark.SKIPPED) if failed else await self._take(number, title, run)
            failed = failed or step.mark is Mark.FAILED
            yield step

    async def close(self) -> None:
        """End the bot; may be called at any time."""
        if self._two_at_once is not None:
            self._two_at_once.cancel()
            await asyncio.gather(self._two_at_once, return_exceptions=True)
        try:
            await self._bot.close()
        finally:
            await self._twin.close()

    def measures(self) -> Measures | None:
        """What the bot took; None if it never decided anything."""
        walls = sorted(times.wall / 1e6 for trials in (self._trials, self._twin_trials) for times in trials.times())
        if not walls:
            return None
        shares = (percentile(walls, 50), percentile(walls, 99), walls[-1])
        return Measures(self._start_seconds, len(walls), *shares, peak_memory(self._bot))

    def _plan(self) -> Iterator[tuple[str, Run]]:
        info = self._game.info
        yield "starts", self._starts
        yield "gets ready for a match", self._gets_ready
        for seat in range(info.max_seats):
            role = f" ({info.roles[seat]})" if info.roles else ""
            yield f"plays from seat {seat}{role}", partial(self._plays_from, seat)
        yield "keeps to the clock", self._keeps_to_the_clock
        yield "answers odd positions", self._answers_odd_positions
        yield "plays match after match", self._plays_on
        yield "plays two matches at once", self._plays_two_at_once
        yield "stays within its memory", self._stays_within_memory

    def _is_spent(self, share: float) -> bool:
        """Whether this share of the time for the check is over."""
        return time.monotonic() - self._began > share * self._settings.seconds

    async def _take(self, number: int, title: str, run: Run) -> Step:
        started = time.monotonic()
        try:
            try:
                remark = await run()
            except BotFault as fault:
                raise CheckFailed(verdict_of(fault), "") from fault
        except CheckFailed as failure:
            seconds = time.monotonic() - started
            hint = advice(failure.verdict, self._game, await self._bot.read_log())
            return Step(number, title, Mark.FAILED, str(failure), seconds, hint, failure.evidence, failure.seat)
        mark = Mark.WARNED if remark.advice else Mark.PASSED
        return Step(number, title, mark, remark.text, time.monotonic() - started, remark.advice)

    async def _starts(self) -> Remark:
        started = time.monotonic()
        await self._bot.start()
        self._start_seconds = time.monotonic() - started
        return Remark(f"serving after {self._start_seconds:.2f} s; {self._settings.start_s:g} s are allowed")

    async def _gets_ready(self) -> Remark:
        await self._trials.begin_only(self._bot)
        return Remark("answered `start` with `ready`")

    async def _plays_from(self, seat: Seat) -> Remark:
        info = self._game.info
        ranks: list[str] = []
        for seats in range(max(info.min_seats, seat + 1), info.max_seats + 1):
            if ranks and self._is_spent(SHARE_OF_SEATS):
                ranks.append(LEFT_OUT)
                break
            record = await self._trials.play(self._bot, seat=seat, seats=seats)
            ranks.append(f"{ordinal(record.outcome.ranks[seat])} of {seats}")
        return Remark(f"against random: {', '.join(ranks)}")

    async def _keeps_to_the_clock(self) -> Remark:
        slowest = max((times.charged for times in self._trials.times()), default=0) / 1e6
        lowest = min(lowest_bank(record, seat) for record, seat in self._trials.records)
        return judge_clock(self._settings.control, slowest, lowest)

    async def _answers_odd_positions(self) -> Remark:
        if self._settings.side_by_side:  # the clock is judged by now, and nothing below depends on the twin
            self._two_at_once = asyncio.ensure_future(self._play_two_at_once())
        variants = [(*variant, seat) for variant in self._game.info.variants() for seat in range(variant[0])]
        kept = variants[:: math.ceil(len(variants) / self._settings.positions)]
        left, asked, games = [math.ceil(self._settings.positions / len(kept))] * len(kept), 0, 0
        while max(left) > 0:  # one game of each in turn, so that every kind is seen before the time is over
            for number, (seats, options, seat) in enumerate(kept):
                if asked and self._is_spent(SHARE_OF_POSITIONS):
                    return Remark(f"{asked} positions of {games} random games; {LEFT_OUT}")
                if left[number] > 0:
                    config = self._game.configure(seats, options)
                    done = await self._trials.walk(self._bot, config, seats=seats, seat=seat, quota=left[number])
                    # A seat may have nothing to decide in a short game; that counts as well, so that this ends.
                    left[number] -= max(done, 1)
                    asked, games = asked + done, games + 1
        return Remark(f"{asked} positions of {games} random games, in {len(kept)} variants and seats")

    async def _plays_on(self) -> Remark:
        before, seats = peak_memory(self._bot), self._game.info.min_seats
        played = 0
        while played < WARM_MATCHES and not (played and self._is_spent(SHARE_OF_MATCHES)):
            await self._trials.play(self._bot, seat=played % seats, seats=seats)
            played += 1
        after = peak_memory(self._bot)
        grown = "" if before is None or after is None else f"; its memory grew by {(after - before) / 2**20:.1f} MiB"
        return Remark(f"{played} more matches in the same process{grown}")

    async def _plays_two_at_once(self) -> Remark:
        return await (self._two_at_once or self._play_two_at_once())

    async def _play_two_at_once(self) -> Remark:
        """Only a warning: a process plays one match at a time, unless the organiser lets bots think all the time."""
        seats = self._game.info.min_seats
        try:
            await self._twin.start()
            both = [self._twin_trials.play(self._twin, seat=seat, seats=seats) for seat in range(2)]
            for result in await asyncio.gather(*both, return_exceptions=True):
                if isinstance(result, BaseException):
                    raise result
        except (CheckFailed, BotFault) as fault:
            hint = "keep what belongs to one match in the object of that match, and serve each stream on its own"
            return Remark(str(fault), hint)
        finally:
            await self._twin.close()
        return Remark("both to the end, in one process")

    async def _stays_within_memory(self) -> Remark:
        peak, limit = peak_memory(self._bot), self._settings.memory_bytes
        if peak is None:
            return Remark("nothing counts its memory here")
        hint = "it is close to its limit, and will be ended when it needs more" if peak > TIGHT * limit else ""
        return Remark(f"peak {peak / 2**20:.0f} MiB of {limit / 2**20:.0f} MiB", hint)


def judge_clock(control: TimeControl, slowest: float, lowest: float) -> Remark:
    """What to say of the slowest decision and of the lowest bank, in seconds; no bot gets here that was late."""
    if control.meter is Meter.NONE:
        return Remark("there is no clock")
    text = f"slowest decision charged {slowest * 1000:.0f} ms"
    if control.bank:
        text += f", never less than {lowest:.1f} s of {control.bank:g} s in the bank"
    tight = lowest < (1 - TIGHT) * control.bank if control.bank else slowest > TIGHT * control.per_move
    hint = f"it plays close to its limit ({control}): leave a margin, since another machine may be slower"
    return Remark(text, hint if tight else "")


def peak_memory(bot: RunningBot) -> int | None:
    """The most bytes it ever used, where something counts them."""
    return bot.sandbox.peak_memory() if isinstance(bot, SandboxedBot) else None
