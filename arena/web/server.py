"""The site served from the store: the same pages as in a folder, of its newest state; nothing can be written.

This process knows no sandbox and no bot. Handlers run in threads, because they wait for the database; ratings are
fitted in a thread of their own.
"""

import hashlib
import logging
import os
import re
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, MutableMapping, Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import QueryParams
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse
from starlette.routing import Route

from arena.errors import ArenaError, RecordError, UsageError
from arena.web.connections import guarded
from arena.web.links import ASSETS, file_of
from arena.web.live import Live
from arena.web.rendering import Form, Page, SiteContext, assets_version, prepare, render, site_files
from arena.web.running import MatchFeed
from arena.web.site import NotFound
from arena.web.streams import Channel, Event, Streams, event
from arena.web.viewers import find_viewer

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
MATCH_PAUSE, PAGE_PAUSE = 0.5, 1.0
"""Seconds between two looks for events of a match and of a page."""
NICENESS = 10
"""What is served may wait; a tournament on the same machine may not."""
SWITCH_S = 0.0005
"""Seconds after which a thread that fits ratings lets others go on. A request gives way at every row that it reads, and
with Python's usual 5 ms a page of a hundred rows would wait for longer than all its work takes."""
MAX_ADDRESS = 2_000
"""Characters of a query; no page of ours has a longer one."""
MAX_PATH = 200
"""Characters of a path; pages of ours have at most 60, and an error page has a step up for each slash in every link."""

_MATCH = re.compile(r"(?:matches|embed)/([0-9]{1,10}-[0-9a-f]{1,32})\.html")
_LIVE = re.compile(r"index\.html|tournaments/[0-9]{1,10}\.html")
_SECTION = re.compile(r'<section [^>]*data-live="(\w+)".*?</section>', re.DOTALL)
"""Sections are not nested, and no text of a bot can look like one."""

Scope = MutableMapping[str, Any]
Send = Callable[[MutableMapping[str, Any]], Awaitable[None]]
Receive = Callable[[], Awaitable[MutableMapping[str, Any]]]
App = Callable[[Scope, Receive, Send], Awaitable[None]]


def make_app(live: Live, streams: Streams | None = None) -> App:
    """The application: pages, their files, the packed replays, and what happens meanwhile."""
    pages = Pages(live)
    events = Events(live, pages, streams or Streams())
    packing = [Middleware(GZipMiddleware, minimum_size=1000)]
    routes = [
        Route(f"/{ASSETS}/{{name:path}}", pages.asset, middleware=packing),
        Route("/replays/{name}.json.gz", pages.replay),  # packed already
        Route("/events/{path:path}", events.stream, methods=["GET"]),
        Route("/{path:path}", pages.page, middleware=packing),
    ]
    # The headers are put on from outside, so that an answer to a fault of ours has them too.
    return Headers(Starlette(routes=routes, exception_handlers={ArenaError: pages.fail}))


def serve(live: Live, *, host: str, port: int, started: Callable[[], None]) -> None:
    """Serve until interrupted; `started` is called when requests are answered."""
    # h11, of which our protocol is made, stops at headers of 64 KB, which httptools does not; and without a limit an
    # open stream would keep us from ever stopping.
    streams = Streams()
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
        """Listen, and say so."""
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
        """Handle a request."""

        async def send_with_headers(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                known = {name for name, _ in message["headers"]}
                more = [(name.encode(), value.encode()) for name, value in HEADERS.items()]
                message["headers"] = [*message["headers"], *(pair for pair in more if pair[0] not in known)]
            await send(message)

        await self._app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class Pages:
    """Answers to requests; blocking ones, so that Starlette runs them in threads."""

    def __init__(self, live: Live) -> None:
        self._live = live
        viewers = {viewer.name: viewer for viewer in map(find_viewer, live.games.values())}
        self._files = site_files(tuple(viewers.values()))
        self._around = SiteContext(live.title, Form.SERVED)
        self._packed = lru_cache(PACKS)(self._pack)
        # By the tag, so that a page is made once for all who look at it, until something has changed.
        self.made = lru_cache(PAGES)(self._make)

    def page(self, request: Request) -> Response:
        """A page by its file name."""
        path = request.path_params["path"] or file_of("home")
        if len(path) > MAX_PATH or len(request.url.query) > MAX_ADDRESS:
            return PlainTextResponse("That address is too long", 414)
        tag = self.tag(path, request.url.query)
        if _is_known(request, tag):
            return Response(status_code=304, headers={"etag": tag, "cache-control": REVALIDATE})
        try:
            text, framed = self.made(tag, path, request.url.query)
        except NotFound:
            return self._error(path, "There is no such page", 404)
        headers = {"etag": tag, "cache-control": REVALIDATE}
        if framed:
            headers["content-security-policy"] = POLICY.format("*")
        return HTMLResponse(text, headers=headers)

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
        name = request.path_params["name"]
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

    def tag(self, path: str, query: str) -> str:
        """Changes whenever the page may have changed."""
        version = self._live.version()
        running = self._live.running.version if _LIVE.fullmatch(path) or _MATCH.fullmatch(path) else ""
        state = repr((assets_version(), self._live.title, version, running, path, query))
        return f'W/"{hashlib.sha256(state.encode()).hexdigest()[:20]}"'

    def _make(self, tag: str, path: str, query: str) -> tuple[str, bool]:  # noqa: ARG002  (the key of the cache)
        """The text of a page, and whether other sites may frame it."""
        page = self._live.site().page(path, QueryParams(query))
        return render(page, self._around), page.framed

    def _error(self, path: str, words: str, status: int) -> Response:
        # The links lead up from where the browser thinks it is.
        where = "/".join("x" * (path.count("/") + 1))
        text = render(Page(where, "error.html", words, words, {"words": words}), self._around)
        return HTMLResponse(text, status, {"cache-control": "no-store"})


class Events:
    """Answers that go on: what happens to a page while somebody looks at it."""

    def __init__(self, live: Live, pages: Pages, streams: Streams) -> None:
        self._live, self._pages, self._streams = live, pages, streams

    async def stream(self, request: Request) -> Response:
        """The events of a page, from where the reader is."""
        path = request.path_params["path"]
        if self._streams.full:
            return PlainTextResponse("Too many are watching: try again later", 503)
        if match := _MATCH.fullmatch(path):
            text = self._match_events(match[1], request)
        elif _LIVE.fullmatch(path):
            text = self._streams.follow(
                path, lambda: Channel(PageSections(self._pages, path), PAGE_PAUSE, latest_only=True)
            )
        else:
            return PlainTextResponse("Nothing happens there", 404)
        headers = {"cache-control": "no-store", "x-accel-buffering": "no"}
        return StreamingResponse(text, media_type="text/event-stream", headers=headers)

    def _match_events(self, name: str, request: Request) -> AsyncIterator[str]:
        # A browser that lost its connection asks at the same address, and says what it got last.
        known = _number(request.headers.get("last-event-id") or request.query_params.get("from", ""))
        attempt = request.query_params.get("attempt", "")

        def make() -> Channel:
            feed = MatchFeed.of(self._live.running, name)
            # If it is over, or played anew, the page is another one now.
            return Channel(feed if feed and attempt == str(feed.attempt) else Reload(), MATCH_PAUSE)

        return self._streams.follow(f"{name} {attempt}", make, known)


class Reload:
    """The source of a single event: the page is to be loaded anew."""

    over = False

    def look(self) -> Sequence[Event]:
        """That event."""
        self.over = True
        return [event("again", {})]


class PageSections:
    """The sections of a page that are live, as the page itself has them."""

    def __init__(self, pages: Pages, path: str) -> None:
        self._pages, self._path = pages, path
        self._tag, self._sections = "", {"": ""}
        self.over = False

    def look(self) -> Sequence[Event]:
        """All of them, if one has changed."""
        tag = self._pages.tag(self._path, "")
        if tag == self._tag:
            return []
        self._tag = tag
        try:
            text, _ = self._pages.made(tag, self._path, "")
        except NotFound:
            text = ""
        if 'data-events="' not in text:  # the tournament is finished, and its page another one
            self.over = True
            return [event("end", {})]
        sections = {found[1]: found[0] for found in _SECTION.finditer(text)}
        if sections == self._sections:
            return []
        self._sections = sections
        return [event("sections", sections)]


def _number(text: str) -> int:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 7 else 0


def _is_known(request: Request, tag: str) -> bool:
    return tag in (part.strip() for part in request.headers.get("if-none-match", "").split(","))
