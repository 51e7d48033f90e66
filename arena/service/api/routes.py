"""The routes of the API: parameters read within their bounds, answers as JSON, refusals as problem+json."""

import dataclasses
import json
import logging
from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.errors import InfraError, UsageError
from arena.service.access import may_see
from arena.service.api.description import describe
from arena.service.api.handing_in import HandingIn
from arena.service.api.operations import Operation
from arena.service.api.reading import Reading
from arena.service.deeds import Deeds
from arena.service.refusals import API, Refusal, problem
from arena.service.visitors import Visitor, visitor_of
from arena.web.live import Live

ROOT = f"{API}v1"
METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "QUERY")
MAX_QUERY = 2_000
"""Characters of a query."""


def api_routes(deeds: Deeds, live: Live) -> list[Route]:
    """A route for every operation, and one for their description."""
    operations = [*Reading(deeds, live).operations(), *HandingIn(deeds).operations()]
    text = _json(describe(deeds.contest.settings.title, ROOT, operations))

    async def description(request: Request) -> Response:  # noqa: ARG001  (Starlette's signature)
        return Response(text, media_type="application/json", headers={"cache-control": "no-cache"})

    own = [
        Route(f"{ROOT}{operation.path}", _endpoint(operation, deeds), methods=[operation.method], name="api")
        for operation in operations
    ]
    return [
        Route(f"{ROOT}/openapi.json", description, methods=["GET"], name="api"),
        *own,
        *(Route(f"{ROOT}{path}", _otherwise, methods=METHODS, name="api") for path in {one.path for one in operations}),
        Route(f"{ROOT}/{{rest:path}}", _nothing, methods=METHODS, name="api"),
    ]


async def _otherwise(request: Request) -> Response:
    return problem(405, f"it cannot be asked for by {request.method}: see {ROOT}/openapi.json")


async def _nothing(request: Request) -> Response:  # noqa: ARG001
    return problem(404, f"there is no such operation: see {ROOT}/openapi.json")


def _endpoint(operation: Operation, deeds: Deeds) -> Callable[..., Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            visitor = await run_in_threadpool(_visitor, deeds, request)
            _check_access(visitor, operation)
            given = _read(operation, request)
            if operation.uploads:
                return _response(await operation.handle(visitor, request, **given))
            return _response(await run_in_threadpool(operation.handle, visitor, **given))
        except Exception as error:
            if (refusal := _refusal(error)) is None:
                raise
            return refusal

    return answer


def _visitor(deeds: Deeds, request: Request) -> Visitor:
    """Whoever has the token of this request; a cookie means nothing here, so that no other site can use it."""
    kind, _, token = request.headers.get("authorization", "").partition(" ")
    somebody = Visitor(visitor_of(request).address)
    return deeds.with_token(somebody, token.strip()) if kind.lower() == "bearer" else somebody


def _check_access(visitor: Visitor, operation: Operation) -> None:
    if not may_see(visitor.person, operation.thing):
        raise Refusal(*((401, "give a token") if visitor.person is None else (403, "this is not yours to see")))


def _read(operation: Operation, request: Request) -> dict[str, Any]:
    """The parameters of a request; what nobody asked for is left out."""
    if len(request.url.query) > MAX_QUERY:
        raise Refusal(414, "the query is too long")
    places = {"path": request.path_params, "query": request.query_params, "header": request.headers}
    given = {}
    for parameter in operation.parameters:
        text = places[parameter.place].get(parameter.name)
        if text is not None:
            given[parameter.name.lower().replace("-", "_")] = parameter.read(text)
        elif parameter.required:
            raise Refusal(400, f"{parameter.name} is missing: {parameter.about}")
    return given


def _response(found: Any) -> Response:
    if isinstance(found, Response):
        return found
    headers = {"cache-control": "no-store"}
    if isinstance(found, bytes):
        return Response(found, media_type="application/octet-stream", headers=headers)
    return Response(_json(dataclasses.asdict(found)), media_type="application/json", headers=headers)


def _refusal(error: Exception) -> Response | None:
    """What a failure means to whoever asked; None if it is a fault of ours that the log must show."""
    match error:
        case Refusal():
            response = problem(error.status, error.words)
            response.headers.update(error.headers)
            return response
        case UsageError():
            return problem(409, str(error))
        case InfraError():  # what it says may name files
            logging.getLogger("uvicorn.error").error("%s", error)
            return problem(503, "the contest does not answer now: try again in a moment")
    return None


def _json(plain: Any) -> str:
    return json.dumps(plain, default=_plain, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"no JSON for {type(value)}")
