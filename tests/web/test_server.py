"""The application without a network: what it answers when the store does not."""

import asyncio
from types import SimpleNamespace

import pytest

from arena.errors import InfraError
from arena.web import server
from arena.web.server import Address, make_app
from arena.web.site import NotFound

pytestmark = pytest.mark.slow


class Broken:
    """A state whose store went away."""

    games, title = {}, "Cup"

    def __init__(self, error):
        self._error = error

    def version(self):
        raise self._error


def ask(app, path):
    """Status, headers and body of a GET, and whether the application failed."""
    sent = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        sent.append(message)

    scope = {
        "type": "http", "method": "GET", "path": path, "raw_path": path.encode(), "root_path": "", "scheme": "http",
        "query_string": b"", "headers": [], "server": ("x", 80), "client": ("y", 1), "http_version": "1.1",
    }  # fmt: skip
    failed = None
    try:
        asyncio.run(app(scope, receive, send))
    except RuntimeError as error:
        failed = error
    body = b"".join(message.get("body", b"") for message in sent).decode()
    return sent[0]["status"], {name.decode(): value.decode() for name, value in sent[0]["headers"]}, body, failed


@pytest.mark.parametrize("path", ["/", "/ladders/claim.html", "/embed/1-ab.html"])
def test_a_store_that_went_away_is_a_sentence(path):
    status, headers, body, failed = ask(make_app(Broken(InfraError("the store /secret/arena.db is damaged"))), path)
    assert (status, failed) == (503, None)
    assert "does not answer now" in body
    assert "secret" not in body
    assert "frame-ancestors 'none'" in headers["content-security-policy"]
    assert f'href="{"../" * (path.count("/") - 1)}index.html"' in body


def test_even_a_fault_of_ours_is_answered_with_the_headers():
    status, headers, body, failed = ask(make_app(Broken(RuntimeError("secret"))), "/index.html")
    assert (status, str(failed)) == (500, "secret")
    assert "secret" not in body
    assert headers.items() >= server.HEADERS.items()


class Still:
    """A state in which nothing happens."""

    def __init__(self, title="Cup"):
        self.games, self.title = {}, title
        self.running = SimpleNamespace(version="0")

    def version(self):
        return "1"

    def site(self):
        def page(kind, *names, query):
            raise NotFound(kind)

        return SimpleNamespace(page=page)


@pytest.mark.parametrize("path", ["/" * 30_000, "/a" * 15_000, "/" + "a" * 30_000, "/" * 190])
def test_a_long_path_has_a_short_answer(path):
    status, _, body, failed = ask(make_app(Still()), path)
    assert (status in (404, 414), failed) == (True, None)
    assert len(body) < 10_000


@pytest.mark.parametrize(
    "path",
    [
        "/bots/0.html", "/bots/x.html", "/bots/12345678901.html", "/bots/1-2.html", "/pairs/1.html", "/ladders/A.html",
        "/matches/1-xyz.html", "/tournaments/1.htm", "/events/bots.html", "/events/tournaments/x.html", "/index",
    ],
)  # fmt: skip
def test_what_is_no_address_of_ours_is_answered_without_the_store(path):
    assert ask(make_app(Broken(InfraError("away"))), path)[0] == 404


def test_another_title_is_another_page():
    tags = {server.Pages(Still(title)).tag(Address("home")) for title in ("Cup", "Spring cup", "Cup")}
    assert len(tags) == 2
    # Nor does what stands in one part of an address pass for another part of it.
    pages = server.Pages(Still())
    assert pages.tag(Address("pair", ("1", "23"))) != pages.tag(Address("pair", ("12", "3")))
