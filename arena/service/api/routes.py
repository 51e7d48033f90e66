"""The routes of the API: parameters read within their bounds, answers as JSON, refusals as problem+json."""

import dataclasses
import json
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from arena.contest.people import Person
from arena.errors import InfraError, UsageError
from arena.service.api.description import describe
from arena.service.api.operations import Malformed, Operation
from arena.service.api.reading import Missing

ROOT = "/api/v1"
MAX_QUERY = 2_000
"""Characters of a query."""


class Forbidden(Exception):
    """An account that may not do or see this."""


class Unauthorised(Exception):
    """There is no valid token."""


class TooMany(Exception):
    """Too many requests, or too large a body: the status says which."""

    def __init__(self, status: int, words: str) -> None:
        super().__init__(words)
        self.status = status


Permit = Callable[[Person | None, Operation], None]
"""Raises Forbidden or Unauthorised if this person may not ask for this."""
FindPerson = Callable[[Request], Awaitable[Person | None]]


def api_routes(title: str, operations: Sequence[Operation], find_person: FindPerson, permit: Permit) -> list[Route]:
    """A route for every operation, and one for their description."""
    text = _json(describe(title, operations))

    async def description(request: Request) -> Response:  # noqa: ARG001  (Starlette's signature)
        return Response(text, media_type="application/json", headers={"cache-control": "no-cache"})

    own = [
        Route(f"{ROOT}{operation.path}", _endpoint(operation, find_person, permit), methods=[operation.method])
        for operation in operations
    ]
    return [Route(f"{ROOT}/openapi.json", description), *own, Route(f"{ROOT}/{{rest:path}}", _nothing)]


async def _nothing(request: Request) -> Response:  # noqa: ARG001
    return problem(404, "there is no such operation: see /api/v1/openapi.json")


def _endpoint(operation: Operation, find_person: FindPerson, permit: Permit) -> Callable[..., Awaitable[Response]]:
    async def answer(request: Request) -> Response:
        try:
            person = await find_person(request)
            permit(person, operation)
            given = _read(operation, request)
            if operation.uploads:
                return _response(await operation.handle(person, request, **given))
            return _response(await run_in_threadpool(operation.handle, person, **given))
        except Exception as error:
            if (refusal := _refusal(error)) is None:
                raise
            return refusal

    return answer


def _read(operation: Operation, request: Request) -> dict[str, Any]:
    """The parameters of a request; what nobody asked for is left out."""
    if len(request.url.query) > MAX_QUERY:
        raise TooMany(414, "the query is too long")
    places = {"path": request.path_params, "query": request.query_params, "header": request.headers}
    given = {}
    for parameter in operation.parameters:
        text = places[parameter.place].get(parameter.name)
        if text is not None:
            given[parameter.name.lower().replace("-", "_")] = parameter.read(text)
        elif parameter.required:
            raise Malformed(f"{parameter.name} is missing: {parameter.about}")
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
    statuses = {Malformed: 400, Unauthorised: 401, Forbidden: 403, Missing: 404, UsageError: 409, InfraError: 503}
    if isinstance(error, TooMany):
        return problem(error.status, str(error))
    for kind, status in statuses.items():
        if isinstance(error, kind):
            words = "the contest does not answer now: try again in a moment" if kind is InfraError else str(error)
            return problem(status, words)
    return None


_TITLES = {
    400: "Bad request", 401: "No valid token", 403: "Not allowed", 404: "Not found", 405: "No such method",
    409: "Not possible", 413: "Too large", 414: "Too long", 429: "Too many requests", 503: "Not available",
}  # fmt: skip


def problem(status: int, words: str) -> Response:
    """A refusal as RFC 9457 has it."""
    body = _json({"title": _TITLES[status], "status": status, "detail": words})
    headers = {"cache-control": "no-store"} | ({"www-authenticate": "Bearer"} if status == 401 else {})
    return Response(body, status, headers, "application/problem+json")


def _json(plain: Any) -> str:
    return json.dumps(plain, default=_plain, ensure_ascii=False, allow_nan=False)


def _plain(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    raise TypeError(f"no JSON for {type(value)}")
