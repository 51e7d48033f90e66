"""Half requests on real sockets: they are ended, and nobody else waits for it."""

import socket
import threading
import time
from contextlib import ExitStack, contextmanager

import pytest
import uvicorn

from arena.web.connections import Limits, client_network, guarded

pytestmark = [pytest.mark.slow, pytest.mark.real(reason="a server ends slow connections, by its clock")]

GET = b"GET / HTTP/1.1\r\nhost: x\r\n\r\n"


async def app(scope, receive, send):
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"2")]})
    await send({"type": "http.response.body", "body": b"ok"})


@contextmanager
def served(limits, concurrency=1000):
    """A server on a free port of this machine."""
    config = uvicorn.Config(
        app, port=0, http=guarded(limits), ws="none", lifespan="off", log_level="error", limit_concurrency=concurrency
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    deadline = time.monotonic() + 10
    while not server.started and time.monotonic() < deadline:
        time.sleep(0.01)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join(10)


def connect(stack, port, source="127.0.0.1"):
    return stack.enter_context(socket.create_connection(("127.0.0.1", port), 10, source_address=(source, 0)))


def answer(connection):
    """The status of the answer to a whole request."""
    connection.sendall(GET)
    text = b""
    while not text.endswith((b"ok", b"content-length: 0\r\n\r\n")):
        text += (part := connection.recv(1000))
        if not part:
            break
    return text.split(b"\r\n")[0]


def is_closed(connection):
    """Whether the server has closed it, or does within the time limit of the socket."""
    try:
        return connection.recv(1000) == b""
    except ConnectionError:
        return True


def test_many_half_requests_keep_nobody_out():
    """With as many as would fill the server, and without waiting for any deadline."""
    with ExitStack() as stack, served(Limits(header_s=60.0, waiting=20), concurrency=100) as port:
        halves = [connect(stack, port) for _ in range(150)]
        for half in halves:
            half.sendall(GET[:-2])
        assert answer(connect(stack, port)) == b"HTTP/1.1 200 OK"
        assert all(map(is_closed, halves[:100]))


def test_a_request_has_a_deadline_however_slowly_it_drips():
    with ExitStack() as stack, served(Limits(header_s=0.5)) as port:
        first, later = connect(stack, port), connect(stack, port)
        assert answer(later) == b"HTTP/1.1 200 OK"
        began = time.monotonic()
        closed = []
        while len(closed) < 2 and time.monotonic() - began < 8:
            for each in (first, later):  # a byte at a time, of a first request and of one after an answer
                if each not in closed:
                    each.settimeout(0.05)
                    try:
                        each.sendall(b"G" if time.monotonic() - began < 0.1 else b"E")
                        if each.recv(100) == b"":
                            closed.append(each)
                    except TimeoutError:
                        pass
                    except ConnectionError:
                        closed.append(each)
        assert len(closed) == 2
        assert 0.4 < time.monotonic() - began < 8


def test_an_address_has_so_many_connections_and_another_has_its_own():
    with ExitStack() as stack, served(Limits(per_address=5)) as port:
        many = [connect(stack, port, "127.0.0.2") for _ in range(5)]
        assert [answer(each) for each in many] == [b"HTTP/1.1 200 OK"] * 5
        assert answer(connect(stack, port, "127.0.0.2")) == b"HTTP/1.1 503 Service Unavailable"
        assert answer(connect(stack, port, "127.0.0.3")) == b"HTTP/1.1 200 OK"
        # A proxy on this machine speaks for everybody.
        assert [answer(connect(stack, port)) for _ in range(8)] == [b"HTTP/1.1 200 OK"] * 8
        many[0].close()
        until = time.monotonic() + 5
        while (status := answer(connect(stack, port, "127.0.0.2"))) != b"HTTP/1.1 200 OK" and time.monotonic() < until:
            time.sleep(0.05)
        assert status == b"HTTP/1.1 200 OK"


@pytest.mark.parametrize(
    ("address", "counted"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:aaaa::1", "2001:db8:1:2::/64"),
        ("fe80::1%eth0", "fe80::/64"),
        ("::1", "::1"),
        ("", ""),
    ],
)
def test_all_addresses_that_one_line_is_given_count_together(address, counted):
    assert client_network(address) == counted


def test_a_connection_serves_one_request_after_the_other():
    with ExitStack() as stack, served(Limits()) as port:
        kept = connect(stack, port)
        assert [answer(kept) for _ in range(5)] == [b"HTTP/1.1 200 OK"] * 5
