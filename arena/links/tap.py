"""What the relay sees of one match's stream: when a request passed, when its reply was there, what nobody asked for."""

import asyncio
from collections import deque
from collections.abc import Callable

from arena.errors import BadMessage
from arena.links.frames import PREFIX_BYTES, Messages

MAX_MESSAGE = 1 << 20
"""Bytes of the longest message, both ways."""
MAX_SURPLUS = 3
"""How many replies that nobody asked for a stream may carry before it is a fault."""


class Tap:
    """Times and sorts the replies of one stream at the relay, before our gRPC library has even read them."""

    def __init__(self, now: Callable[[], float]) -> None:
        self.bound: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        """Done when the stream is open on the wire."""
        self.ended = False
        """True when the bot itself ended the stream, so that its status is the bot's word."""
        self.asked_at = 0.0
        self.answered_at = 0.0
        self.surplus = 0
        self._now = now
        self._messages = Messages(self._on_prefix, self._on_message)
        self._wanted: deque[bool] = deque()
        """For every reply that our library has not delivered yet: whether it answers a request."""
        self._unsent = 0
        self._asking = False
        self._open = False
        self._late = 0

    # -- called by the link -------------------------------------------------------------------------

    def expect(self, size: int, *, reply: bool) -> None:
        """A request of this many bytes is about to be sent."""
        self._unsent += size + PREFIX_BYTES
        self._asking = reply

    def answered(self) -> bool:
        """Whether the reply to the last request is here, even if our library has not delivered it yet."""
        return not self._asking and not self._open

    def give_up(self) -> None:
        """No longer wait for the reply; when it comes after all, it is dropped and not held against the bot."""
        self._asking = self._open = False
        self._late += 1

    def take(self) -> bool:
        """Whether the message that was delivered now is the wanted reply."""
        return bool(self._wanted) and self._wanted.popleft()

    # -- called by the relay ------------------------------------------------------------------------

    def sent(self, size: int) -> None:
        """Count the bytes of requests that passed on their way to the bot."""
        self._unsent -= size
        if self._asking and self._unsent <= 0:
            self._asking, self._open = False, True
            self.asked_at = self._now()

    def received(self, data: bytes) -> None:
        """These bytes came from the bot; BadMessage if they cannot belong to a reply that we accept."""
        self._messages.feed(data)

    def _on_prefix(self, compressed: bool, size: int) -> None:
        if compressed:
            raise BadMessage("sent a compressed message: compression is not accepted")
        if size > MAX_MESSAGE:
            raise BadMessage(f"announced a message of {size} bytes: {MAX_MESSAGE} are the most")

    def _on_message(self) -> None:
        wanted = False
        if self._late:
            self._late -= 1
        elif self._open:
            self._open, wanted = False, True
            self.answered_at = self._now()
        else:
            self.surplus += 1
        self._wanted.append(wanted)
        if self.surplus > MAX_SURPLUS:
            raise BadMessage(f"sent {self.surplus} replies that nobody asked for")
