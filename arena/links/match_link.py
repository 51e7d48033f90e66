"""The link of one match, which outlives a connection that is closed before the bot's first move.

HTTP/2 lets a server close an idle or an old connection whenever it likes, and clients connect again. So does the
referee, once in a match, until the bot has been asked for its first move: from then on it would be asked twice.
"""

from collections.abc import Awaitable, Callable

from arena.errors import Disconnected, TimedOut
from arena.links.grpc import GrpcLink
from arena.referee.looptime import Deadline
from arena.referee.player import STRICT, Answer, Link, ReplyPolicy


class MatchLink(Link):
    """A match over one stream, or over a second one if the connection of the first was closed early."""

    def __init__(self, first: GrpcLink, again: Callable[[Deadline], Awaitable[GrpcLink]]) -> None:
        """`again` connects once more, before the deadline, or raises Disconnected."""
        self.stream = first
        """Over which the match is played at present."""
        self._again = again
        self._start: tuple[bytes, float] | None = None
        """The start of the match, which the bot has answered, and how long it might take for that."""
        self._final = False
        """Whether the match stays on its stream from now on."""

    async def call(self, request: bytes, wait: float, reply_policy: ReplyPolicy = STRICT) -> Answer:
        """Ask over the stream; if its connection was closed before the first move, over a new one."""
        if self._final:
            return await self.stream.call(request, wait, reply_policy)
        deadline = Deadline(self._start[1] if self._start else wait)
        try:
            answer = await self.stream.call(request, wait, reply_policy)
        except Disconnected:
            if not self.stream.has_lost_connection() or (self._start and self.stream.has_asked):
                raise
            return await self._call_again(request, wait, deadline, reply_policy)
        finally:
            if self._start and self.stream.has_asked:
                self._final = True  # also if its answer was given up: it has seen its first turn
        self._start = request, wait
        return answer

    async def _call_again(self, request: bytes, wait: float, deadline: Deadline, reply_policy: ReplyPolicy) -> Answer:
        """Ask over a new connection, where the bot hears of the match again; all within the time for its start."""
        self._final = True
        self.stream = await self._again(deadline)
        if not self._start:
            return await self.stream.call(request, deadline.left(), reply_policy)
        try:
            await self.stream.call(self._start[0], deadline.left(), reply_policy)
        except TimedOut as late:  # it was not asked for the move, so it is not late with it
            raise Disconnected("closed the connection and did not answer the start of the match on a new one") from late
        return await self.stream.call(request, wait, reply_policy)

    async def tell(self, request: bytes) -> None:
        """Send a request that has no reply."""
        await self.stream.tell(request)

    async def close(self) -> None:
        await self.stream.close()
