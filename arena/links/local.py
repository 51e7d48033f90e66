"""A link to a bot inside this process, for tests and built-in bots."""

from collections.abc import Callable

from arena.errors import BadMessage, TimedOut
from arena.referee.player import STRICT, Answer, Link, ReplyPolicy


class LocalLink(Link):
    """Carries the same bytes as a network link would, to a plain function; it cannot interrupt a slow one."""

    def __init__(self, handle: Callable[[bytes], bytes | None], now: Callable[[], float]) -> None:
        self._handle = handle
        self._now = now

    async def call(self, request: bytes, wait: float, reply_policy: ReplyPolicy = STRICT) -> Answer:  # noqa: ARG002
        """Ask the function and time it."""
        started = self._now()
        reply = self._handle(request)
        wall = self._now() - started
        if wall > wait:
            raise TimedOut(f"answered after {wall:.3f} s")
        if reply is None:
            raise BadMessage("gave no reply")
        return Answer(reply, wall)

    async def tell(self, request: bytes) -> None:
        """Hand over a request that has no reply."""
        self._handle(request)

    async def close(self) -> None:
        """Nothing is held."""
