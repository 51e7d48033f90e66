"""A table: starts a group of bots, and plays matches between them over one link per seat."""

import asyncio
from collections.abc import Collection, Mapping, Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from types import MappingProxyType
from typing import Any

from arena.bots.running import AnyCodec, RunningBot, close_all
from arena.errors import BotFault, InfraError
from arena.game import AnyGame
from arena.match import AnyRecord, MatchSpec, SandboxReport, Seat
from arena.referee.faults import FORFEIT, FaultPolicy
from arena.referee.heartbeat import STEADY, Heartbeat
from arena.referee.player import STRICT, Answer, Link, Player, ReplyPolicy
from arena.referee.progress import Watch
from arena.referee.referee import play

NO_EXTRA: Mapping[str, str] = MappingProxyType({})


class FailedLink(Link):
    """The link of a bot that did not start or opened no stream; every call raises its fault."""

    def __init__(self, fault: BotFault) -> None:
        self._fault = fault

    async def call(self, request: bytes, wait: float, reply_policy: ReplyPolicy = STRICT) -> Answer:  # noqa: ARG002
        raise self._fault

    async def tell(self, request: bytes) -> None:
        """Nobody is there to listen."""

    async def close(self) -> None:
        """Nothing is held."""


class Table:
    """Runs bots for as long as it is entered as a context, and plays any number of matches between them."""

    def __init__(
        self,
        bots: Sequence[RunningBot],
        *,
        heartbeat: Heartbeat = STEADY,
        policy: FaultPolicy = FORFEIT,
        extra_enforcement: Mapping[str, str] = NO_EXTRA,
    ) -> None:
        """`extra_enforcement` holds for all bots of its matches."""
        self.bots = bots
        self._extra_enforcement = extra_enforcement
        self.not_started: dict[int, BotFault] = {}
        """The bots that did not start, by their place at the table, and why."""
        self.seeds: set[int] = set()
        """The seeds of all matches that these bots were shown anything of, from whatever seat."""
        self.cleanup_error: Exception | None = None
        """What failed after a match was decided: the match stands, and these bots should play no further one."""
        self._heartbeat = heartbeat
        self._policy = policy

    async def __aenter__(self) -> "Table":
        """Start all bots at once; one that does not start is at fault in every match."""
        starts = await asyncio.gather(*(self._start(place) for place in range(len(self.bots))), return_exceptions=True)
        if failures := [failure for failure in starts if failure is not None]:
            with suppress(InfraError):  # which says the same again at the end of the table
                await self.__aexit__()
            raise failures[0]
        return self

    async def __aexit__(self, *_: object) -> None:
        await close_all(self.bots)

    async def play(
        self, game: AnyGame, spec: MatchSpec[Any], seating: Sequence[int], watch: Watch | None = None
    ) -> AnyRecord:
        """Play one match with these bots, named by their place at the table, in seat order."""
        self.seeds.add(spec.seed)
        dismissed = set[int]()

        async def dismiss(seat: Seat) -> None:
            """End a bot at fault while the others play on; the end of the table says what cannot be cleaned up."""
            dismissed.add(seating[seat])
            with suppress(Exception):
                await self.bots[seating[seat]].dismiss()

        async with AsyncExitStack() as links:
            players = []
            for place in seating:
                link = await self._open(place, game.codec)
                links.push_async_callback(self._release, place, link, dismissed)
                players.append(Player(game.codec, link, spec.control, heartbeat=self._heartbeat))
            record = await play(game, players, spec, self._policy, watch, dismiss)
        return replace(record, sandboxes=tuple(map(self._report, seating)))

    def _report(self, place: int) -> SandboxReport:
        report = self.bots[place].sandbox_report()
        return replace(report, enforcement={**report.enforcement, **self._extra_enforcement})

    async def read_printed(self, seating: Sequence[int]) -> tuple[list[str], list[list[str]]]:
        """What the bots of the latest match printed, and that by turn, in seat order; nothing if it cannot be read."""
        bots = [self.bots[place] for place in seating]
        try:
            return [await bot.read_log() for bot in bots], [await bot.read_outputs() for bot in bots]
        except Exception as error:  # whatever it is, the match is decided
            self.cleanup_error = error
            return [""] * len(bots), [[] for _ in bots]

    async def _start(self, place: int) -> None:
        bot = self.bots[place]
        try:
            await bot.start()
            await bot.pause()
        except BotFault as fault:
            self.not_started[place] = fault

    async def _open(self, place: int, codec: AnyCodec) -> Link:
        if place in self.not_started:
            return FailedLink(self.not_started[place])
        try:
            return await self.bots[place].open_match(codec)
        except BotFault as fault:
            return FailedLink(fault)

    async def _release(self, place: int, link: Link, dismissed: Collection[int]) -> None:
        """End the stream of a bot and freeze the bot, so that it takes no processor time from others."""
        if place in dismissed:
            return
        try:
            with suppress(BotFault):
                await link.close()
            await self.bots[place].pause()
        except Exception as error:  # as above
            self.cleanup_error = error
