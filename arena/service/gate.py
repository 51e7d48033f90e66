"""What every request passes before anything else looks at it: host, characters, how often it comes, who sends it."""

import ipaddress
import logging
from collections.abc import Collection, MutableMapping
from dataclasses import dataclass
from http.cookies import SimpleCookie
from typing import Any
from urllib.parse import unquote, urlsplit

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import MutableHeaders
from starlette.requests import HTTPConnection, Request
from starlette.responses import PlainTextResponse, RedirectResponse

from arena.contest.sessions import LASTS, Sessions
from arena.service.access import FRAMED, Everybody, Organising, Results, Thing, may_see
from arena.service.limits import Limiter, Window
from arena.service.refusals import API, Refusal, problem
from arena.service.visitors import Visitor
from arena.web.connections import LOCAL, client_network
from arena.web.links import up_from
from arena.web.server import App, Receive, Scope, Send

LOOPBACK = ("localhost", "127.0.0.1", "[::1]")
PAGES = Window(1200, 60.0), Window(30_000, 3600.0)
"""Requests of one address: a class behind one address loads many pages, and a program that loads all of them waits."""


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Under which names this server is reached, and how."""

    hosts: Collection[str]
    """Names that requests may ask for, without ports."""
    address: str = ""
    """Where people reach it, as contest.toml says."""
    behind_proxy: bool = False
    """Whether a proxy of ours says who asks; nobody else is believed."""

    @property
    def secure(self) -> bool:
        """Whether people reach it by https."""
        return self.address.startswith("https://")

    @property
    def cookie(self) -> str:
        """The name of the cookie; its prefix makes browsers refuse one that another host or plain http has set."""
        return "__Host-arena" if self.secure else "arena"


def endpoint_of(address: str, host: str, *, behind_proxy: bool = False) -> Endpoint:
    """The names for a server that listens on this host and is reached at this address."""
    named = urlsplit(address).hostname or ""
    bound = "" if host in ("0.0.0.0", "::") else host  # noqa: S104  (only compared)
    hosts = {_bracketed(name) for name in (named, bound) if name}
    return Endpoint(frozenset({*LOOPBACK, *hosts}), address.rstrip("/"), behind_proxy)


def set_cookie(endpoint: Endpoint, name: str) -> str:
    """The header that gives a browser its session, or with an empty name takes it away."""
    cookie: SimpleCookie = SimpleCookie({endpoint.cookie: name})
    held = cookie[endpoint.cookie]
    held["path"], held["httponly"], held["samesite"] = "/", True, "Lax"
    held["max-age"] = str(int(LASTS.total_seconds())) if name else "0"
    if endpoint.secure:
        held["secure"] = True
    return held.OutputString()


def check_origin(request: Request, endpoint: Endpoint) -> None:
    """Refusal unless the browser says that a page of ours has sent this form."""
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin", "")
    own = {f"{request.url.scheme}://{request.headers.get('host', '')}"} | (
        {endpoint.address} if endpoint.address else set()
    )
    if site not in (None, "same-origin") or (site is None and origin not in own):
        raise Refusal(403, "This form does not come from a page of this contest: open the page and send it again")
    if origin not in ("", "null", *own):
        raise Refusal(403, "This form comes from another site")


class RequestFilter:
    """Refuses what no page of ours sends, in plain text, before it costs anything."""

    def __init__(self, app: App, endpoint: Endpoint, limiter: Limiter | None = None) -> None:
        self._app, self._endpoint = app, endpoint
        self._limiter = limiter or Limiter(*PAGES)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if self._endpoint.behind_proxy:
            _believe_proxy(scope)
        connection = HTTPConnection(scope)
        client = client_network(connection.client.host) if connection.client and connection.client.host else ""
        scope.setdefault("state", {})["visitor"] = Visitor(client)
        if refused := self._refused(connection, client):
            status, words = refused
            answer = problem(status, words) if scope["path"].startswith(API) else PlainTextResponse(words, status)
            if status == 429:
                answer.headers["retry-after"] = "60"
            await answer(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _refused(self, connection: HTTPConnection, client: str) -> tuple[int, str] | None:
        if _host(connection) not in self._endpoint.hosts:
            return 421, "This server does not answer under that name: contest.toml says its address"
        if not (unquote(connection.url.path) + unquote(connection.url.query.replace("+", " "))).isprintable():
            return 400, "That address has characters that cannot be shown"
        if client in LOCAL or "/assets/" in connection.url.path:
            return None
        if self._limiter.wait_of(client):
            return 429, "Too many requests: wait a minute"
        self._limiter.add(client)
        return None


class Guard:
    """Finds out who asks, and lets in who may see what is behind it."""

    def __init__(self, app: App, name: str, thing: Thing, sessions: Sessions, endpoint: Endpoint) -> None:
        self._app, self._name, self._thing, self._sessions, self._endpoint = app, name, thing, sessions, endpoint

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope)
        visitor: Visitor = scope["state"]["visitor"]
        cookie = request.cookies.get(self._endpoint.cookie, "")
        if cookie and self._name not in (*FRAMED, "asset", "module", "api"):
            session = await run_in_threadpool(self._sessions.find, cookie[:100])
            if session:
                visitor = Visitor(visitor.address, session.person, session.form_token, cookie)
                scope["state"]["visitor"] = visitor
        if may_see(visitor.person, self._thing):
            await self._app(scope, receive, self._private(visitor, send))
        elif visitor.person is None and request.method != "POST" and self._name.find("events") < 0:
            way = RedirectResponse(up_from(request.url.path[1:]) + "login.html", 303, {"cache-control": "no-store"})
            await way(scope, receive, send)
        else:
            raise Refusal(403, _reason(self._thing, visitor))

    def _private(self, visitor: Visitor, send: Send) -> Send:
        """Keep what not everybody may see, or what a session sees, out of caches that people share."""
        if isinstance(self._thing, Everybody) and visitor.person is None:
            return send

        async def send_privately(message: MutableMapping[str, Any]) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                headers.add_vary_header("cookie")
                if visitor.person or not may_see(None, self._thing):
                    kept = headers.get("cache-control", "no-store")
                    headers["cache-control"] = kept if kept == "no-store" else "private, no-cache"
            await send(message)

        return send_privately


def _reason(thing: Thing, visitor: Visitor) -> str:
    match thing:
        case Results():
            return "The standings are not shown at present"
        case Organising():
            return "Only organisers see this"
    return "Log in first" if visitor.person is None else "This is not yours to see"


def _bracketed(host: str) -> str:
    return f"[{host}]" if ":" in host else host.lower()


def _host(connection: HTTPConnection) -> str:
    """The name that was asked for, without its port."""
    host = connection.headers.get("host", "").lower()
    return host.partition("]")[0] + "]" if host.startswith("[") else host.partition(":")[0]


def _believe_proxy(scope: Scope) -> None:
    """Take the address and the scheme that the proxy before us has noted; what came before its note is anybody's."""
    headers = HTTPConnection(scope).headers
    noted = headers.getlist("x-forwarded-for")
    last = noted[-1].rpartition(",")[2].strip() if noted else ""
    try:
        scope["client"] = (str(ipaddress.ip_address(last)), 0)
    except ValueError:
        logging.getLogger("uvicorn.error").warning("the proxy does not say who asks: let it set X-Forwarded-For")
    if headers.get("x-forwarded-proto") in ("http", "https"):
        scope["scheme"] = headers["x-forwarded-proto"]
