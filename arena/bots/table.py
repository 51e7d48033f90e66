"""A table: starts a group of bots, and plays matches between them over one link per seat."""

import asyncio
from collections.abc import Sequence
from contextlib import AsyncExitStack, suppress
from dataclasses import replace
from typing import Any

from arena.bots.running import AnyCodec, RunningBot, close_all
from arena.errors import BotFault
from arena.game import AnyGame
from arena.match import AnyRecord, MatchSpec
from arena.play.faults import FORFEIT, Policy
from arena.play.heartbeat import STEADY, Heartbeat
from arena.play.player import STRICT, Answer, Leniency, Link, Player
from arena.play.referee import Watch, play


class FailedLink:
    """The link of a bot that did not start or opened no stream; every call raises its fault."""

    def __init__(self, fault: BotFault) -> None:
        self._fault = fault

    async def call(self, request: bytes, wait: float, leniency: Leniency = STRICT) -> Answer:  # noqa: ARG002
        """Raise the fault."""
        raise self._fault

    async def settle(self) -> None:
        """Nobody is there to freeze."""

    async def tell(self, request: bytes) -> None:
        """Nobody is there to listen."""

    async def close(self) -> None:
        """Nothing is held."""


class Table:
    """Runs bots for as long as it is entered as a context, and plays any number of matches between them."""

    def __init__(self, bots: Sequence[RunningBot], *, heartbeat: Heartbeat = STEADY, policy: Policy = FORFEIT) -> None:
        self.bots = bots
        self.not_started: dict[int, BotFault] = {}
        """The bots that did not start, by their place at the table, and why."""
        self._heartbeat = heartbeat
        self._policy = policy

    async def __aenter__(self) -> "Table":
        """Start all bots at once; one that does not start is at fault in every match."""
        starts = await asyncio.gather(*(self._start(place) for place in range(len(self.bots))), return_exceptions=True)
        if failures := [failure for failure in starts if failure is not None]:
            await self.__aexit__()
            raise failures[0]
        return self

    async def __aexit__(self, *_: object) -> None:
        await close_all(self.bots)

    async def play(
        self, game: AnyGame, spec: MatchSpec[Any], seating: Sequence[int], watch: Watch | None = None
    ) -> AnyRecord:
        """Play one match with these bots, named by their place at the table, in seat order."""
        async with AsyncExitStack() as links:
            players = []
            for place in seating:
                link = await self._open(place, game.codec)
                links.push_async_callback(self._release, place, link)
                players.append(Player(game.codec, link, spec.control, heartbeat=self._heartbeat))
            record = await play(game, players, spec, self._policy, watch)
        return replace(record, sandboxes=tuple(self.bots[place].sandbox_report() for place in seating))

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

    async def _release(self, place: int, link: Link) -> None:
        """End the stream of a bot and freeze the bot, so that it takes no processor time from others."""
        with suppress(BotFault):
            await link.close()
        await self.bots[place].pause()
