"""The site served from the store: the same pages as in a folder, of its newest state; nothing can be written.

This process knows no sandbox and no bot. Handlers run in threads, because they wait for the database; ratings are
fitted in a thread of their own.
"""

import hashlib
import logging
import os
import sys
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.convertors import Convertor, register_url_convertor
from starlette.datastructures import QueryParams
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from arena.errors import ArenaError, RecordError, UsageError
from arena.web.connections import guarded
from arena.web.links import ASSETS, events_of, file_of
from arena.web.live import Live
from arena.web.rendering import (
    OutputMode,
    Page,
    Section,
    SiteContext,
    assets_version,
    prepare,
    render,
    render_section,
    site_files,
)
from arena.web.running import MatchFeed
from arena.web.site import NotFound
from arena.web.streams import Channel, Event, Streams, event

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors {}"
)
HEADERS = {
    "content-security-policy": POLICY.format("'none'"),
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
}
"""On every answer; only an embed may be framed."""
TYPES = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
IMMUTABLE = "public, max-age=31536000, immutable"
REVALIDATE = "no-cache"
PAGES = 256
"""Pages that are kept in memory, some ten kilobytes each."""
PACKS = 256
"""Packed replays that are kept in memory, a few dozen kilobytes each."""
PAUSE = 1.0
"""Seconds between two looks for events of a page; moves of a match are pushed."""
NICENESS = 10
"""What is served may wait; a tournament on the same machine may not."""
SWITCH_S = 0.0005
"""Seconds after which a thread that fits ratings lets others go on. A request gives way at every row that it reads, and
with Python's usual 5 ms a page of a hundred rows would wait for longer than all its work takes."""
MAX_QUERY = 2_000
"""Characters of a query; no page of ours has a longer one."""
MAX_PATH = 200
"""Characters of a path; pages of ours have at most 60, and an error page has a step up for each slash in every link."""

NAMES = {
    "home": "",
    "ladder": "{game:word}",
    "rules": "{game:word}",
    "bots": "",
    "bot": "{bot:number}",
    "pair": "{one:number}-{two:number}",
    "tournaments": "",
    "tournament": "{tournament:number}",
    "matches": "",
    "match": "{match:match}",
    "embed": "{match:match}",
}
"""The names in the addresses of pages, by the kind of page."""
SECTIONED, PLAYED = ("home", "tournament"), ("match", "embed")
"""The kinds of pages with sections that are live, and those that play a match."""

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def make_app(live: Live, streams: Streams | None = None) -> App:
    """The application: pages, their files, the packed replays, and what happens meanwhile."""
    pages = Pages(live)
    events = Events(live, pages, streams or Streams())
    packing = [Middleware(GZipMiddleware, minimum_size=1000)]
    paths = {kind: file_of(kind, names) for kind, names in NAMES.items()}
    routes = [
        Route(f"/{ASSETS}/{{name:path}}", pages.asset, middleware=packing),
        Route(f"/{file_of('replay', '{match:match}')}", pages.replay),  # packed already
        *(Route(f"/{events_of(paths[kind])}", partial(events.sections, kind), methods=["GET"]) for kind in SECTIONED),
        *(Route(f"/{events_of(paths[kind])}", events.match, methods=["GET"]) for kind in PLAYED),
        Route("/", partial(pages.page, "home"), middleware=packing),
        *(Route(f"/{path}", partial(pages.page, kind), middleware=packing) for kind, path in paths.items()),
        Route("/{path:path}", pages.missing, middleware=packing),
    ]
    # The headers are put on from outside, so that an answer to a fault of ours has them too.
    return Headers(Starlette(routes=routes, exception_handlers={ArenaError: pages.fail}))


def serve(live: Live, *, host: str, port: int, started: Callable[[], None]) -> None:
    """Serve until interrupted; `started` is called when requests are answered."""
    # h11, of which our protocol is made, stops at headers of 64 KB, which httptools does not; and without a limit an
    # open stream would keep us from ever stopping.
    streams = Streams()
    live.running.on_change = streams.wake
    config = uvicorn.Config(
        make_app(live, streams), host=host, port=port, http=guarded(), ws="none", lifespan="off",
        timeout_graceful_shutdown=2, timeout_keep_alive=10, limit_concurrency=1000, log_level=logging.WARNING,
        access_log=False, server_header=False, proxy_headers=False,
    )  # fmt: skip
    prepare(live.games.values())
    sys.setswitchinterval(SWITCH_S)
    os.nice(NICENESS)  # now, because threads that are there already would keep their own
    with live, suppress(KeyboardInterrupt):  # raised again by the server when it has stopped, and meant so
        _Server(config, started, streams).run()


class _Server(uvicorn.Server):
    """A server that says when it answers, and ends its streams when it stops."""

    def __init__(self, config: uvicorn.Config, started: Callable[[], None], streams: Streams) -> None:
        super().__init__(config)
        self._on_start, self._streams = started, streams

    async def startup(self, sockets: Any = None) -> None:
        await super().startup(sockets)
        if not self.should_exit:
            self._on_start()

    async def shutdown(self, sockets: Any = None) -> None:
        """End the streams, which would never end by themselves, and stop."""
        self._streams.stop()
        await super().shutdown(sockets)


class Headers:
    """Puts the security headers on every answer, errors too; an answer's own ones stay."""

    def __init__(self, app: App) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                known = {name for name, _ in message["headers"]}
                more = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *(pair for pair in more if pair[0] not in known)]
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class _Text(Convertor[str]):
    """A part of an address that stays as it is."""

    def convert(self, value: str) -> str:
        return value

    def to_string(self, value: str) -> str:
        return value


class _Word(_Text):
    regex = "[a-z][a-z0-9_]{0,39}"


class _Number(_Text):
    regex = "[1-9][0-9]{0,9}"


class _Match(_Text):
    regex = f"{_Number.regex}-[0-9a-f]{{1,32}}"


for _key, _convertor in (("word", _Word()), ("number", _Number()), ("match", _Match())):
    register_url_convertor(_key, _convertor)


@dataclass(frozen=True, slots=True)
class Address:
    """Which page is asked for."""

    kind: str
    names: tuple[str, ...] = ()
    query: str = ""

    @classmethod
    def of(cls, kind: str, request: Request) -> "Address":
        """The page of this kind that a request names."""
        return cls(kind, tuple(request.path_params.values()), request.url.query)


@dataclass(frozen=True, slots=True)
class Failure:
    """Why there is no page."""

    words: str


class Pages:
    """Answers to requests; blocking ones, so that Starlette runs them in threads."""

    def __init__(self, live: Live) -> None:
        self._live = live
        self._files = site_files(live.games.values())
        self._around = SiteContext(live.title, OutputMode.SERVED)
        self._packed = lru_cache(PACKS)(self._pack)
        # By the tag, so that a page is made once for all who look at it, until something has changed.
        self._made = lru_cache(PAGES)(self._make)

    def page(self, kind: str, request: Request) -> Response:
        if len(request.url.query) > MAX_QUERY:
            return PlainTextResponse("That address is too long", 414)
        address = Address.of(kind, request)
        tag = self.tag(address)
        if _is_known(request, tag):
            return Response(status_code=304, headers={"etag": tag, "cache-control": REVALIDATE})
        try:
            text, framed = self._made(tag, address)
        except NotFound:
            return self.missing(request)
        headers = {"etag": tag, "cache-control": REVALIDATE}
        if framed:
            headers["content-security-policy"] = POLICY.format("*")
        return HTMLResponse(text, headers=headers)

    def missing(self, request: Request) -> Response:
        """There is nothing at this address."""
        path = request.url.path[1:]
        if len(path) > MAX_PATH:
            return PlainTextResponse("That address is too long", 414)
        return self._error(path, "There is no such page", 404)

    def asset(self, request: Request) -> Response:
        """A file that pages need; with our version in the address it never changes."""
        name = request.path_params["name"]
        if name not in self._files:
            return PlainTextResponse("There is no such file", 404)
        current = request.query_params.get("v") == assets_version()
        headers = {"cache-control": IMMUTABLE if current else REVALIDATE}
        return Response(self._files[name], media_type=TYPES[name.rpartition(".")[2]], headers=headers)

    def replay(self, request: Request) -> Response:
        """The positions of a match, packed; the player unpacks them, so no encoding is announced."""
        name = request.path_params["match"]
        try:
            data = self._pack(name) if self._live.running.record(name) else self._packed(name)
        except NotFound:
            return PlainTextResponse("There is no such match", 404)
        except (RecordError, UsageError) as error:
            return PlainTextResponse(f"This match cannot be replayed: {error}", 422)
        if self._live.running.record(name) is not None:
            return Response(data, media_type="application/gzip", headers={"cache-control": "no-store"})
        # A match never changes, but what we make of it does when Arena is upgraded.
        tag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
        if _is_known(request, tag):
            return Response(status_code=304, headers={"etag": tag})
        headers = {"etag": tag, "cache-control": "public, max-age=3600"}
        return Response(data, media_type="application/gzip", headers=headers)

    def fail(self, request: Request, error: Exception) -> Response:
        """The database went away, or is not what it was; what it said may name files, so it goes to the log."""
        logging.getLogger("uvicorn.error").error("%s: %s", request.url.path[:MAX_PATH], error)
        return self._error(
            request.url.path[1 : 1 + MAX_PATH], "The store does not answer now: try again in a moment", 503
        )

    def _pack(self, name: str) -> bytes:
        return self._live.site().replay(name).packed()

    def tag(self, address: Address) -> str:
        """Changes whenever the page may have changed."""
        version = self._live.version()
        running = self._live.running.version if address.kind in SECTIONED + PLAYED else ""
        state = repr((assets_version(), self._live.title, version, running, address))
        return f'W/"{hashlib.sha256(state.encode()).hexdigest()[:20]}"'

    def find(self, address: Address) -> Page:
        """What the page shows now; NotFound if there is none."""
        return self._live.site().page(address.kind, *address.names, query=QueryParams(address.query))

    def section(self, page: Page, section: Section) -> str:
        """A section of the page as HTML."""
        return render_section(section, page, self._around)

    def _make(self, tag: str, address: Address) -> tuple[str, bool]:  # noqa: ARG002  (the key of the cache)
        """The text of a page, and whether other sites may frame it."""
        page = self.find(address)
        return render(page, self._around), page.framed

    def _error(self, path: str, words: str, status: int) -> Response:
        # The links lead up from where the browser thinks it is.
        where = "/".join("x" * (path.count("/") + 1))
        text = render(Page(where, "error.html", words, words, Failure(words)), self._around)
        return HTMLResponse(text, status, {"cache-control": "no-store"})


class Events:
    """Answers that go on: what happens to a page while somebody looks at it."""

    def __init__(self, live: Live, pages: Pages, streams: Streams) -> None:
        self._live, self._pages, self._streams = live, pages, streams

    async def sections(self, kind: str, request: Request) -> Response:
        """The sections of a page of this kind, as they change."""
        address = Address(kind, tuple(request.path_params.values()))
        return self._stream(repr(address), lambda: Channel(SectionFeed(self._pages, address), PAUSE))

    async def match(self, request: Request) -> Response:
        """The moves of a match, from where the reader is."""
        name = request.path_params["match"]
        # A browser that lost its connection asks at the same address, and says what it got last.
        known = _number(request.headers.get("last-event-id") or request.query_params.get("from", ""))
        attempt = request.query_params.get("attempt", "")

        def make() -> Channel:
            feed = MatchFeed.of(self._live.running, name)
            # If it is over, or played anew, the page is another one now.
            return Channel(feed if feed and attempt == str(feed.attempt) else Reload(), PAUSE, pushed=True)

        return self._stream(f"{name} {attempt}", make, known)

    def _stream(self, name: str, make: Callable[[], Channel], known: int = 0) -> Response:
        if self._streams.full:
            return PlainTextResponse("Too many are watching: try again later", 503)
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        text = self._streams.follow(name, make, known)
        return StreamingResponse(text, media_type="text/event-stream", headers=headers)


class Reload:
    """The source of a single event: the page is to be loaded anew."""

    over = False

    def look(self) -> Sequence[Event]:
        self.over = True
        return [event("again", {})]


class SectionFeed:
    """The sections of a page that is live."""

    def __init__(self, pages: Pages, address: Address) -> None:
        self._pages, self._address = pages, address
        self._tag = ""
        self._versions: dict[str, str] = {}
        self.over = False

    def look(self) -> Sequence[Event]:
        """Those that have changed since the last look."""
        tag = self._pages.tag(self._address)
        if tag == self._tag:
            return []
        try:
            page = self._pages.find(self._address)
        except NotFound:
            page = None
        self._tag = tag
        if page is None or not page.live:  # the tournament is finished, and its page another one
            self.over = True
            return [event("end", {})]
        versions = {section.name: section.version for section in page.sections}
        changed = [section for section in page.sections if self._versions.get(section.name) != versions[section.name]]
        self._versions = versions
        return [
            event("section", {"name": section.name, "html": self._pages.section(page, section)}, subject=section.name)
            for section in changed
        ]


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0


def _is_known(request: Request, tag: str) -> bool:
    return tag in (part.strip() for part in request.headers.get("if-none-match", "").split(","))
