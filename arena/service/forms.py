"""Forms: read within limits, and only if they are ours."""

import asyncio
import hmac
from collections.abc import AsyncIterator, Mapping
from urllib.parse import parse_qsl

from starlette.requests import ClientDisconnect, Request

from arena.service.gate import Endpoint, check_origin
from arena.service.refusals import Refusal
from arena.service.visitors import Visitor

MAX_FORM = 16 << 10
"""Bytes of a form without a file."""
MAX_FIELDS = 40
FORM_S = 15.0
"""Seconds in which a form without a file must be there."""
TOKEN = "form_token"  # noqa: S105  (the name of the field)

Fields = Mapping[str, tuple[str, ...]]


async def read_form(request: Request, endpoint: Endpoint) -> Fields:
    """The fields of a form that a page of ours has sent; Refusal if it did not, or if it is too much."""
    check_origin(request, endpoint)
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/x-www-form-urlencoded":
        raise Refusal(415, "A form is sent as application/x-www-form-urlencoded")
    check_length(request, MAX_FORM)
    body = bytearray()
    try:
        async with asyncio.timeout(FORM_S):
            async for chunk in arriving(request, FORM_S):
                body += chunk
                if len(body) > MAX_FORM:
                    raise Refusal(413, "This form is too long")
    except TimeoutError as error:
        raise Refusal(408, "This form took too long to arrive") from error
    try:
        pairs = parse_qsl(body.decode("ascii"), keep_blank_values=True, max_num_fields=MAX_FIELDS, errors="strict")
    except ValueError as error:
        raise Refusal(400, "This form cannot be read") from error
    return collected(pairs)


def collected(pairs: list[tuple[str, str]]) -> Fields:
    """The values by name; Refusal for characters that steer a terminal or turn a line round."""
    found: dict[str, tuple[str, ...]] = {}
    for name, value in pairs:
        if not (name + value).isprintable():
            raise Refusal(400, "Control characters and others that cannot be seen are not taken: write plain text")
        found[name] = (*found.get(name, ()), value)
    return found


def check_token(fields: Fields, visitor: Visitor) -> None:
    """Refusal unless the form is one of this session; who has no session has none of its forms either."""
    if visitor.person and not hmac.compare_digest(one(fields, TOKEN).encode(), visitor.form_token.encode()):
        raise Refusal(403, "This form is not of this session: open the page again and send it from there")


def check_length(request: Request, most: int) -> None:
    """Refusal if the request says that it is longer than this."""
    length = request.headers.get("content-length", "0")
    if not length.isascii() or not length.isdigit() or int(length) > most:
        raise Refusal(413, "This is more than is taken here")


async def arriving(request: Request, patience: float) -> AsyncIterator[bytes]:
    """The body piece by piece; Refusal if one does not come in time, or the connection is gone."""
    pieces = request.stream()
    while True:
        try:
            yield await asyncio.wait_for(anext(pieces), patience)
        except StopAsyncIteration:
            return
        except TimeoutError as error:
            raise Refusal(408, "Nothing came for too long: try again") from error
        except ClientDisconnect as error:
            raise Refusal(400, "The connection was broken off") from error


def one(fields: Fields, name: str) -> str:
    """The value of a field, without spaces around it; the last one if there are several."""
    return fields.get(name, ("",))[-1].strip()


def number(fields: Fields, name: str) -> int:
    """The number of something in a field; Refusal if it is none."""
    text = one(fields, name)
    if not (text.isascii() and text.isdigit() and 0 < len(text) < 10):
        raise Refusal(400, f"The field {name} must be a number")
    return int(text)
