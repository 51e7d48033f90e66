"""The application of a contest: routes and thin handlers over its deeds and views, and the site's own pages."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from importlib import resources

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route

from arena import registry
from arena.contest.people import NewPerson, Person
from arena.contest.settings import Contest
from arena.contest.submissions import Submission, Wish
from arena.errors import ArenaError, InfraError, UsageError
from arena.service.access import Results, may_see, things
from arena.service.api.routes import api_routes
from arena.service.deeds import Deeds
from arena.service.forms import Fields, check_token, number, one, read_form
from arena.service.gate import Endpoint, Guard, RequestFilter, check_origin, endpoint_of, set_cookie
from arena.service.refusals import Refusal
from arena.service.uploads import PATIENCE, Patience, receive, sweep
from arena.service.views import Entry, Views
from arena.service.visitors import Visitor, visitor_of
from arena.web.connections import Limits
from arena.web.histories import histories_apart
from arena.web.live import Live
from arena.web.rendering import NAV, NavLink, OutputMode, Page, SiteContext, prepare, render, render_section
from arena.web.server import PAUSE, REVALIDATE, Address, App, Events, Headers, Pages, packed, serve_app, site_routes
from arena.web.site import NotFound
from arena.web.streams import Channel, Event, Streams, event

PACKAGES = ("arena.service", "arena.web")
MODULES = ("login.js", "upload.js")
FORM_HEADERS = {"cache-control": "no-store", "referrer-policy": "same-origin"}
"""Of pages with forms: for `no-referrer` browsers do not say either that a form comes from a page of ours."""
PROXY_CONNECTIONS = 1000
"""Connections of a proxy on another machine, which speaks for everybody."""


@dataclass(frozen=True, slots=True)
class Done:
    """What a form led to: the page to go to, or a page that is shown at once."""

    way: str = ""
    page: Page | None = None
    person: Person | None = None
    """Who looks at that page."""
    session: str | None = None
    """The name of a new session; empty if the one that was there has ended."""


class Service:
    """Answers to the requests of a contest."""

    def __init__(
        self,
        deeds: Deeds,
        live: Live,
        endpoint: Endpoint,
        streams: Streams | None = None,
        patience: Patience = PATIENCE,
    ) -> None:
        self.deeds, self._live, self.endpoint, self._patience = deeds, live, endpoint, patience
        self._views = Views(deeds, live.infos)
        self._standings = deeds.contest.settings.standings
        self.pages = Pages(live, lambda request: self.around(visitor_of(request).person))
        self._events = Events(live, self.pages, streams or Streams())
        self._modules = {
            name: resources.files("arena.service").joinpath("static", name).read_text("utf-8") for name in MODULES
        }

    def app(self) -> App:
        """All routes, each behind the guard that knows what it leads to."""
        routes = [*self._routes(), *api_routes(self.deeds, self._live), *site_routes(self.pages, self._events)]
        known = things(self._standings)
        for route in routes:
            route.app = Guard(route.app, route.name, known[route.name], self.deeds.sessions, self.endpoint)
        inner = Starlette(routes=routes, exception_handlers={ArenaError: self.fail})
        return Headers(RequestFilter(inner, self.endpoint))

    def _routes(self) -> list[Route]:
        get, post, views = ["GET"], ["POST"], self._views
        pages: Mapping[str, tuple[str, Callable[[Visitor, Request], Page]]] = {
            "login": ("login.html", lambda *_: views.log_in()),
            "join": ("join.html", lambda _, request: views.join(Entry(code=_query(request, "code")[:60]))),
            "mine": ("mine.html", lambda visitor, _: views.mine(visitor, self._live.site())),
            "submit": ("submit.html", lambda visitor, _: views.submit(visitor)),
            "submission": ("submissions/{number:number}.html", lambda who, request: self.story(who, _id(request))),
            "organiser": ("organiser.html", lambda visitor, _: views.organiser(visitor, self._live.site())),
            "audit": ("audit.html", lambda visitor, request: views.audit(visitor, _before(request))),
        }
        return [
            Route("/", self.home, middleware=packed(), name="contest"),
            Route("/index.html", self.home, middleware=packed(), name="contest"),
            Route("/modules/{name}", self._module, name="module"),
            Route("/submissions/{number:number}/file", self._download, methods=get, name="download"),
            Route("/events/submissions/{number:number}.html", self._follow, methods=get, name="submission_events"),
            Route("/login.html", partial(self._enter, self._log_in), methods=post, name="login"),
            Route("/join.html", partial(self._enter, self._join), methods=post, name="join"),
            Route("/logout.html", partial(self._form, self._log_out), methods=post, name="logout"),
            Route("/submit.html", self._submit, methods=post, name="submit"),
            Route("/do/{deed:word}", partial(self._form, self._do), methods=post, name="do"),
            *(
                Route(f"/{path}", partial(self._page, make), methods=get, middleware=packed(), name=name)
                for name, (path, make) in pages.items()
            ),
        ]

    # -- pages ----------------------------------------------------------------------------------------------

    def around(self, person: Person | None) -> SiteContext:
        """What pages look like for this person."""
        nav = list(NAV) if may_see(person, Results(self._standings)) else []
        if person is None:
            nav.append(NavLink("login", "login.html", "Log in"))
        else:
            nav = [NavLink("mine", "mine.html", "Mine"), NavLink("submit", "submit.html", "Submit"), *nav]
        if person and person.organises:
            nav.append(NavLink("organiser", "organiser.html", "Organiser"))
        names = self.deeds.names
        shown = {team.id: names.owner_name(team.owner, person) for team in names.teams().values()}
        return SiteContext(
            self._live.title, OutputMode.SERVED, nav=tuple(nav), version=repr(sorted(shown.items())), packages=PACKAGES,
            owner_name=lambda owner: names.owner_name(owner, person),
        )  # fmt: skip

    def home(self, request: Request) -> Response:
        """The first page."""
        visitor = visitor_of(request)
        around, shows = self.around(visitor.person), may_see(visitor.person, Results(self._standings))
        site_home = self.pages.find(Address("home"), around) if shows else None
        text = render(self._views.home(visitor, site_home), around)
        return HTMLResponse(text, headers={"cache-control": REVALIDATE, "referrer-policy": "same-origin"})

    def _page(self, make: Callable[[Visitor, Request], Page], request: Request) -> Response:
        visitor = visitor_of(request)
        return self.shown(make(visitor, request), visitor.person)

    def _module(self, request: Request) -> Response:
        name = request.path_params["name"]
        if name not in self._modules:
            return PlainTextResponse("There is no such file", 404)
        return Response(self._modules[name], media_type="text/javascript", headers={"cache-control": REVALIDATE})

    def _download(self, request: Request) -> Response:
        path, name = self.deeds.download(visitor_of(request).person, _id(request))
        headers = {"cache-control": "no-store"}
        return FileResponse(path, media_type="application/octet-stream", filename=name, headers=headers)

    async def _follow(self, request: Request) -> Response:
        visitor, submission_id = visitor_of(request), _id(request)
        await run_in_threadpool(self.deeds.submission, visitor.person, submission_id)
        feed = StepFeed(self, visitor, submission_id)
        return self._events.stream(f"submission {submission_id} {visitor.known.id}", lambda: Channel(feed, PAUSE))

    def story(self, visitor: Visitor, submission_id: int) -> Page:
        """The page of a submission as it is now."""
        return self._views.submission(visitor, self.deeds.submission(visitor.person, submission_id))

    # -- forms ----------------------------------------------------------------------------------------------

    async def _enter(self, deed: Callable[[Request, Visitor, Fields], Done], request: Request) -> Response:
        """Do what a form asks for that begins a session, and so knows none."""
        return await self._done(deed, request, await read_form(request, self.endpoint))

    async def _form(self, deed: Callable[[Request, Visitor, Fields], Done], request: Request) -> Response:
        """Do what a form of a session asks for."""
        fields = await read_form(request, self.endpoint)
        check_token(fields, visitor_of(request))
        return await self._done(deed, request, fields)

    async def _done(
        self, deed: Callable[[Request, Visitor, Fields], Done], request: Request, fields: Fields
    ) -> Response:
        """Do it, and show or go to what came of it."""
        visitor = visitor_of(request)
        done = await run_in_threadpool(deed, request, visitor, fields)
        if done.page is not None:
            response: Response = self.shown(done.page, done.person)
        else:
            response = RedirectResponse(done.way, 303, FORM_HEADERS)
        if done.session is not None:
            response.headers.append("set-cookie", set_cookie(self.endpoint, done.session))
        return response

    def _log_in(self, _: Request, visitor: Visitor, fields: Fields) -> Done:
        session, person = self.deeds.log_in(visitor, one(fields, "token"))
        return Done("organiser.html" if person.organises else "mine.html", session=session)

    def _log_out(self, _: Request, visitor: Visitor, __: Fields) -> Done:
        self.deeds.log_out(visitor)
        return Done("index.html", session="")

    def _join(self, _: Request, visitor: Visitor, fields: Fields) -> Done:
        newcomer = NewPerson(one(fields, "name").lower(), one(fields, "display"))
        issued = self.deeds.join(visitor, one(fields, "code"), newcomer)
        session, _person = self.deeds.log_in(visitor, issued.token)
        page = self._views.token(issued, "join.html", joined=True)
        return Done(page=page, person=issued.person, session=session)

    def _do(self, request: Request, visitor: Visitor, fields: Fields) -> Done:
        """One of the deeds that are a button each."""
        name, deeds = request.path_params["deed"], self.deeds
        match name:
            case "cancel":
                deeds.cancel(visitor, number(fields, "submission"))
            case "requeue":
                deeds.requeue(visitor, number(fields, "submission"))
            case "retire" | "restore":
                deeds.retire(visitor, number(fields, "bot"), restore=name == "restore")
            case "pause" | "resume":
                deeds.pause(visitor, on=name == "pause")
            case "disable" | "enable":
                deeds.disable(visitor, one(fields, "name"), disabled=name == "disable")
            case "renew":
                issued = deeds.renew(visitor, one(fields, "name"))
                return Done(page=self._views.token(issued, "do/renew", joined=False), person=visitor.person)
            case _:
                raise NotFound(name)
        back = one(fields, "back")
        return Done(f"../{back}.html" if back in ("mine", "organiser") else "../mine.html")

    async def _submit(self, request: Request) -> Response:
        """Take an upload; the form's fields come before the file, so that nothing is kept for one that is not ours."""
        visitor = visitor_of(request)
        check_origin(request, self.endpoint)
        await run_in_threadpool(self.deeds.check_open, visitor.known)
        begun: list[Submission] = []

        async def admit(fields: Fields, file_name: str) -> bool:
            check_token(fields, visitor)
            games = tuple(fields.get("game", ()))
            wish = Wish(one(fields, "name"), one(fields, "version"), games)
            found, new = await run_in_threadpool(self.deeds.begin_upload, visitor, one(fields, "key"), file_name, wish)
            begun.append(found)
            return new

        try:
            received = await receive(
                request, self.deeds.contest.uploads, self.deeds.upload_bytes, admit, self._patience
            )
            if received is not None:
                await run_in_threadpool(self.deeds.end_upload, visitor, begun[0], received)
        except ArenaError as error:
            if begun:
                with suppress(UsageError):  # somebody has cancelled it meanwhile
                    await run_in_threadpool(self.deeds.break_off, begun[0], str(error))
            raise
        way = f"submissions/{begun[0].id}.html"
        if _wants_json(request):
            return JSONResponse({"page": way}, headers=FORM_HEADERS)
        return RedirectResponse(way, 303, FORM_HEADERS)

    # -- what goes wrong ------------------------------------------------------------------------------------

    def fail(self, request: Request, error: Exception) -> Response:
        """What was refused, in a sentence; the form again where there is one."""
        if isinstance(error, NotFound):
            return self.pages.missing(request)
        if isinstance(error, InfraError) or not isinstance(error, Refusal | UsageError):
            return self.pages.fail(request, error)
        status = error.status if isinstance(error, Refusal) else 409
        headers = FORM_HEADERS | (error.headers if isinstance(error, Refusal) else {})
        words = str(error)[:1].upper() + str(error)[1:]
        if _wants_json(request):
            return JSONResponse({"error": words}, status, headers)
        if request.method == "POST" and request.url.path in ("/login.html", "/join.html"):
            page = self._views.log_in(words) if request.url.path == "/login.html" else self._views.join(Entry(words))
            response: Response = self.shown(page, visitor_of(request).person, status)
        else:
            response = self.pages.sentence(request, words, status)
        response.headers.update(headers)
        return response

    def shown(self, page: Page, person: Person | None, status: int = 200) -> Response:
        """A page of the contest, for this person only."""
        return HTMLResponse(render(page, self.around(person)), status, FORM_HEADERS)


class StepFeed:
    """The story of a submission while somebody looks at it; it ends with the decision."""

    def __init__(self, service: Service, visitor: Visitor, submission_id: int) -> None:
        self._service, self._visitor, self._id = service, visitor, submission_id
        self._version = ""
        self.over = False

    def look(self) -> Sequence[Event]:
        """The story as it is now, if it has gone on."""
        page = self._service.story(self._visitor, self._id)
        if not page.live or self._service.deeds.sessions.find(self._visitor.session) is None:
            self.over = True  # it is decided, or whoever looked was logged out: the page is another one now
            return [event("end", {})]
        (section,) = page.sections
        if section.version == self._version:
            return []
        self._version = section.version
        html = render_section(section, page, self._service.around(self._visitor.person))
        return [event("section", {"name": section.name, "html": html}, subject=section.name)]


def serve_contest(
    contest: Contest, *, host: str, port: int, started: Callable[[], None], behind_proxy: bool = False,
    insecure: bool = False,
) -> None:  # fmt: skip
    """Serve a contest until interrupted; `started` is called when requests are answered."""
    settings = contest.settings
    check_exposure(host, settings.address, insecure=insecure)
    games = {name: registry.find(name) for name in settings.games}
    live = Live(
        contest.open_results(), games, title=settings.title, planned=lambda _: None,
        histories=lambda: histories_apart(contest.results),
    )  # fmt: skip
    sweep(contest.uploads)
    streams, endpoint = Streams(), endpoint_of(settings.address, host, behind_proxy=behind_proxy)
    deeds = Deeds(contest, contest.open_people(), lambda: live.site().snapshot.bots)
    prepare(games.values(), PACKAGES)
    limits = Limits(per_address=PROXY_CONNECTIONS) if behind_proxy else None
    app = Service(deeds, live, endpoint, streams).app()
    serve_app(app, live, streams, host=host, port=port, started=started, limits=limits)


def check_exposure(host: str, address: str, *, insecure: bool) -> None:
    """UsageError if tokens would cross a network that anybody can read."""
    nearby = host in ("localhost", "::1") or host.startswith("127.")
    if not nearby and not address.startswith("https://") and not insecure:
        raise UsageError(
            f"{host} can be reached by others, and without https they can read every token on the way: put a proxy "
            "with TLS before it and write its https:// address into contest.toml, or say --insecure in a network that "
            "you trust"
        )


def _id(request: Request) -> int:
    return int(request.path_params["number"])


def _query(request: Request, name: str) -> str:
    return request.query_params.get(name, "")


def _before(request: Request) -> int | None:
    text = _query(request, "before")
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _wants_json(request: Request) -> bool:
    return request.headers.get("accept", "").startswith("application/json")
