"""How often, from where and on which address: the limits of the service, without a network."""

import asyncio

import pytest

from arena.errors import InfraError, UsageError
from arena.service.gate import RequestFilter, endpoint_of, set_cookie
from arena.service.limits import Limiter, Window
from arena.service.names import Names
from arena.service.server import check_exposure


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


def test_both_windows_count():
    clock = Clock()
    limiter = Limiter(Window(2, 10.0), Window(3, 100.0), now=clock)
    got = []
    for _ in range(4):
        got.append(round(limiter.wait_of("a"), 1))
        limiter.add("a")
        clock.now += 5
    # The short window has room again when the long one is full.
    assert got == [0.0, 0.0, 0.0, 18.3]
    assert limiter.wait_of("b") == 0.0
    clock.now += 1000
    assert limiter.wait_of("a") == 0.0


def test_memory_does_not_grow_and_who_tries_on_is_not_forgotten():
    limiter = Limiter(Window(1, 1e9), keys=100)
    limiter.add("mallory")
    for number in range(10_000):
        limiter.add(f"address {number}")
        if number % 50 == 0:
            limiter.add("mallory")
    assert len(limiter._levels) == 100
    assert limiter.wait_of("mallory") > 0


@pytest.mark.parametrize(
    ("host", "address", "insecure", "refused"),
    [
        ("127.0.0.1", "", False, False),
        ("localhost", "", False, False),
        ("::1", "http://cup.example", False, False),
        ("0.0.0.0", "", False, True),
        ("0.0.0.0", "http://cup.example", False, True),
        ("192.168.1.5", "", False, True),
        ("0.0.0.0", "https://cup.example", False, False),
        ("0.0.0.0", "", True, False),
    ],
)
def test_what_others_can_read_is_not_started_unasked(host, address, insecure, refused):
    if refused:
        with pytest.raises(UsageError, match="--insecure"):
            check_exposure(host, address, insecure=insecure)
    else:
        check_exposure(host, address, insecure=insecure)


def test_a_server_answers_to_its_own_names_only():
    endpoint = endpoint_of("https://Cup.example:8443/", "0.0.0.0")
    assert endpoint.hosts == {"localhost", "127.0.0.1", "[::1]", "cup.example"}
    assert endpoint_of("", "2001:db8::1").hosts == {"localhost", "127.0.0.1", "[::1]", "[2001:db8::1]"}
    assert set_cookie(endpoint, "").startswith('__Host-arena="";')


def test_an_address_that_asks_without_end_is_told_to_wait():
    asked, sent = [], []

    async def app(scope, receive, send):
        asked.append(scope["path"])

    async def send(message):
        sent.append(message.get("status"))

    waits = RequestFilter(app, endpoint_of("", "127.0.0.1"), Limiter(Window(2, 60.0)))

    def ask(client, path="/bots.html"):
        scope = {
            "type": "http", "method": "GET", "path": path, "query_string": b"", "scheme": "http", "client": (client, 1),
            "server": ("127.0.0.1", 80), "headers": [(b"host", b"localhost")],
        }  # fmt: skip
        asyncio.run(waits(scope, None, send))

    for client in ("192.0.2.1",) * 4 + ("2001:db8::1", "2001:db8::2", "2001:db8::3", "192.0.2.2"):
        ask(client)
    assert len(asked) == 5
    assert [status for status in sent if status] == [429] * 3
    ask("192.0.2.1", "/assets/site.css")
    for _ in range(5):
        ask("127.0.0.1")  # a proxy here speaks for everybody
    assert len(asked) == 11


def test_without_the_people_teams_have_numbers():
    class Gone:
        def teams(self):
            raise InfraError("the database is away")

    assert Names(Gone(), pseudonyms=False).owner_name("team-7", None) == "Team 7"
