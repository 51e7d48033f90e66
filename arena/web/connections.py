"""Who may hold connections to the server, how many and for how long: half requests must not keep others out."""

import asyncio
import ipaddress
from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

from uvicorn.protocols.http.h11_impl import H11Protocol

LOCAL = ("", "127.0.0.1", "::1")
"""A proxy on this machine speaks for everybody, and so has no limit of its own."""
BUSY = b"HTTP/1.1 503 Service Unavailable\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


@dataclass(frozen=True, slots=True)
class Limits:
    """What a connection may take."""

    header_s: float = 10.0
    """Seconds until the headers of a request are there, from its connection or the answer before it on."""
    waiting: int = 256
    """Connections on which no request is under way; one more, and the oldest of them is closed."""
    per_address: int = 100
    """Connections of one client; a browser has six."""


def client_network(address: str) -> str:
    """Who counts as one: an address of IPv4; of IPv6 its network, since everybody is given 2 ** 64 addresses."""
    if ":" not in address or address in LOCAL:
        return address
    parsed = ipaddress.IPv6Address(address.partition("%")[0])
    return str(parsed.ipv4_mapped or ipaddress.IPv6Network((parsed, 64), strict=False))


class ConnectionLimiter:
    """Counts the connections of one server, and says which of them has to go."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self._held: Counter[str] = Counter()
        self._waiting: dict[GuardedProtocol, None] = {}
        """In the order in which they began to wait."""

    def admit(self, address: str) -> bool:
        """Whether this address may hold one more connection; it is counted then."""
        if address not in LOCAL and self._held[address] >= self.limits.per_address:
            return False
        self._held[address] += 1
        return True

    def release(self, address: str) -> None:
        """A connection of this address is gone."""
        self._held[address] -= 1
        if not self._held[address]:
            del self._held[address]

    def wait(self, connection: "GuardedProtocol") -> None:
        """Note that it has no request under way; the one that has had none for the longest may have to go."""
        self._waiting[connection] = None
        if len(self._waiting) > self.limits.waiting:
            next(iter(self._waiting)).close_now()

    def stop_waiting(self, connection: "GuardedProtocol") -> None:
        """Note that it has a request, or is gone."""
        self._waiting.pop(connection, None)


class GuardedProtocol(H11Protocol):
    """HTTP as the server speaks it, with a deadline for each request and limits on connections."""

    limiter: ClassVar[ConnectionLimiter]
    _address: str | None = None
    """None for a connection that was refused."""
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as the base class has it
        super().connection_made(transport)
        address = client_network(self.client[0] if self.client else "")
        if not self.limiter.admit(address):
            transport.write(BUSY)
            transport.close()
            return
        self._address = address
        self._wait()

    def data_received(self, data: bytes) -> None:
        """A part of a request, of which the last part of the headers ends the wait."""
        if self._address is None:
            return
        super().data_received(data)
        if self.cycle is not None and not self.cycle.response_complete:
            self._end_wait()

    def on_response_complete(self) -> None:
        """An answer is sent, and the next request may come, or be there already."""
        super().on_response_complete()
        if self.cycle is None or self.cycle.response_complete:
            self._wait()

    def connection_lost(self, exc: Exception | None) -> None:
        self._end_wait()
        if self._address is not None:
            self.limiter.release(self._address)
            self._address = None
        super().connection_lost(exc)

    def close_now(self) -> None:
        """Close this connection now, whatever it has still to send or to get."""
        self._end_wait()
        self.transport.abort()

    def _wait(self) -> None:
        self._end_wait()
        self._deadline = self.loop.call_later(self.limiter.limits.header_s, self._late)
        self.limiter.wait(self)

    def _late(self) -> None:
        """The time is up; who still reads an answer has as long again."""
        if self.transport.get_write_buffer_size():
            self._deadline = self.loop.call_later(self.limiter.limits.header_s, self.close_now)
        else:
            self.close_now()

    def _end_wait(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None
        self.limiter.stop_waiting(self)


def guarded(limits: Limits | None = None) -> type[asyncio.Protocol]:
    """The protocol of one server, with these limits."""
    return type("Guarded", (GuardedProtocol,), {"limiter": ConnectionLimiter(limits or Limits())})
