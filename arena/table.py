"""A table with running bots around it: open the links, play, replay what our own failure spoiled."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from arena.errors import ArenaError, BotFault
from arena.game import AnyGame
from arena.heartbeat import STEADY, Heartbeat
from arena.host import AnyCodec, RunningBot
from arena.match import MatchRecord, MatchSpec
from arena.player import STRICT, Answer, Leniency, Link, Player
from arena.referee import FORFEIT, Policy, play

REPLAYS = 2
"""How often a void match is played again, with the same seed, before it stays void."""


class LostLink:
    """Stands for a bot that never came to the table; whoever calls it learns why."""

    def __init__(self, fault: BotFault) -> None:
        self._fault = fault

    async def call(self, request: bytes, wait: float, leniency: Leniency = STRICT) -> Answer:  # noqa: ARG002
        """Raise the reason."""
        raise self._fault

    async def tell(self, request: bytes) -> None:
        """Nobody is there to listen."""

    async def close(self) -> None:
        """Nothing is held."""


class Table:
    """Runs bots for as long as it is entered as a context, and plays any number of matches between them."""

    def __init__(self, bots: Sequence[RunningBot], *, heartbeat: Heartbeat = STEADY, policy: Policy = FORFEIT) -> None:
        self._bots = bots
        self._heartbeat = heartbeat
        self._policy = policy
        self._lost: dict[int, BotFault] = {}

    async def __aenter__(self) -> "Table":
        """Start all bots at once; one that does not start is at fault in every match."""
        try:
            async with asyncio.TaskGroup() as group:
                for place in range(len(self._bots)):
                    group.create_task(self._start(place))
        except* ArenaError as errors:
            await self.__aexit__()
            raise errors.exceptions[0] from None
        return self

    async def __aexit__(self, *_: object) -> None:
        for bot in self._bots:
            await bot.close()

    async def play(self, game: AnyGame, spec: MatchSpec[Any], seating: Sequence[int]) -> MatchRecord[Any, Any]:
        """Play one match with these bots, named by their place at the table, in seat order."""
        for _ in range(1 + REPLAYS):
            record = await self._play_once(game, spec, seating)
            if not record.void:
                break
        return replace(record, boxes=tuple(self._bots[place].box() for place in seating))

    async def _play_once(self, game: AnyGame, spec: MatchSpec[Any], seating: Sequence[int]) -> MatchRecord[Any, Any]:
        links = [await self._open(place, game.codec) for place in seating]
        players = [Player(game.codec, link, spec.control, heartbeat=self._heartbeat) for link in links]
        try:
            return await play(game, players, spec, self._policy)
        finally:
            for link in links:
                with suppress(BotFault):
                    await link.close()

    async def _start(self, place: int) -> None:
        try:
            await self._bots[place].start()
        except BotFault as fault:
            self._lost[place] = fault

    async def _open(self, place: int, codec: AnyCodec) -> Link:
        if place in self._lost:
            return LostLink(self._lost[place])
        try:
            return await self._bots[place].open_match(codec)
        except BotFault as fault:
            return LostLink(fault)
