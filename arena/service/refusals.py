"""Why a request gets nothing: one sentence, and the status that says the same to programs."""

import json
from collections.abc import Mapping
from http import HTTPStatus

from starlette.responses import Response

from arena.errors import ArenaError

API = "/api/"
"""How the paths begin at which programs ask, which read a refusal as JSON."""


class Refusal(ArenaError):
    """A request that is not answered as it was meant."""

    def __init__(self, status: int, words: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(words)
        self.status, self.words, self.headers = status, words, dict(headers or {})


def too_often(seconds: float) -> Refusal:
    """Somebody tried too often, and may again after so many seconds."""
    wait = max(1, round(seconds + 0.5))
    words = f"{wait} seconds" if wait < 120 else f"{round(wait / 60)} minutes"
    return Refusal(429, f"That was tried too often: wait {words}", {"retry-after": str(wait)})


def problem(status: int, words: str) -> Response:
    """A refusal for programs, as RFC 9457 has it."""
    body = json.dumps({"title": HTTPStatus(status).phrase, "status": status, "detail": words}, ensure_ascii=False)
    headers = {"cache-control": "no-store"} | ({"www-authenticate": "Bearer"} if status == 401 else {})
    return Response(body, status, headers, "application/problem+json")
