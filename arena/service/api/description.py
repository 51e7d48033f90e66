"""The description of the API as OpenAPI 3.1, made of its operations and of the fields of their answers."""

import inspect
import types
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from datetime import datetime
from typing import Any, get_args, get_origin, get_type_hints

from arena.distribution import version
from arena.service.access import may_see
from arena.service.api.answers import Problem
from arena.service.api.operations import MAX_PAGE, Answer, Operation, Parameter

_PLAIN: Mapping[type, dict[str, Any]] = {
    str: {"type": "string"},
    int: {"type": "integer"},
    float: {"type": "number"},
    bool: {"type": "boolean"},
    datetime: {"type": "string", "format": "date-time"},
}
_PROBLEMS = {
    400: "the request is not what it should be",
    401: "there is no token, or it is not valid",
    403: "this account may not do or see this",
    404: "there is no such thing",
    405: "it cannot be asked for in this way",
    408: "the upload took too long",
    409: "it is not possible any more",
    413: "the body is too large",
    414: "the address is too long",
    421: "the contest does not answer under that name",
    429: "too many requests: try again later",
    507: "the file could not be kept, through no fault of yours",
    503: "the contest does not answer now: try again in a moment",
}


def describe(title: str, root: str, operations: Iterable[Operation]) -> dict[str, Any]:
    """The whole description."""
    known: dict[str, Any] = {}
    paths: dict[str, dict[str, Any]] = {}
    for operation in operations:
        paths.setdefault(operation.path, {})[operation.method.lower()] = _operation(operation, known)
    _schema(Problem, known)
    return {
        "openapi": "3.1.0",
        "info": {"title": title, "version": version(), "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"}},
        "servers": [{"url": root}],
        "paths": paths,
        "components": {
            "schemas": known,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(operation: Operation, known: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.summary,
        "parameters": [_parameter(parameter) for parameter in operation.parameters],
        "security": [{}, {"token": []}] if may_see(None, operation.thing) else [{"token": []}],
        "responses": {
            "200": {"description": "done", "content": _content(operation.answer, known)},
            **{
                str(status): {
                    "description": words,
                    "content": {"application/problem+json": {"schema": _schema(Problem, known)}},
                }
                for status, words in _PROBLEMS.items()
            },
        },
    }
    if operation.uploads:
        anything = {"type": "string", "contentMediaType": "application/octet-stream"}
        found["requestBody"] = {"required": True, "content": {"application/octet-stream": {"schema": anything}}}
    return found


def _parameter(parameter: Parameter) -> dict[str, Any]:
    kind: dict[str, Any] = {"type": "string", "pattern": f"^{parameter.pattern}$"}
    if parameter.number:
        kind = {"type": "integer", "minimum": 1, "maximum": parameter.highest}
    return {
        "name": parameter.name,
        "in": parameter.place,
        "description": parameter.about,
        "required": parameter.required,
        "schema": kind,
    }


def _content(answer: Answer | None, known: dict[str, Any]) -> dict[str, Any]:
    if answer is None:
        return {"application/octet-stream": {"schema": {"type": "string", "contentEncoding": "binary"}}}
    schema = _schema(answer.kind, known)
    if answer.many:
        items = {"type": "array", "items": schema, "maxItems": MAX_PAGE} if answer.paged else _list(schema)
        after = {"next": {"type": ["integer", "null"], "description": "give it as `before` for the next page"}}
        properties = {"items": items, **(after if answer.paged else {})}
        schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"application/json": {"schema": schema}}


def _list(schema: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": schema}


def _schema(kind: Any, known: dict[str, Any]) -> dict[str, Any]:
    """The schema of a type; those of dataclasses stand once in `known`."""
    if kind in _PLAIN:
        return dict(_PLAIN[kind])
    if isinstance(kind, type) and is_dataclass(kind):
        name = kind.__name__
        if name not in known:
            known[name] = {}  # a place for one that names itself
            hints = get_type_hints(kind)
            known[name] = {
                "type": "object",
                "description": inspect.getdoc(kind),
                "properties": {item.name: _schema(hints[item.name], known) for item in fields(kind)},
                "required": [item.name for item in fields(kind)],
            }
        return {"$ref": f"#/components/schemas/{name}"}
    if get_origin(kind) is types.UnionType:
        inner, _ = get_args(kind)
        return {"anyOf": [_schema(inner, known), {"type": "null"}]}
    if get_origin(kind) is tuple:
        return _list(_schema(get_args(kind)[0], known))
    raise TypeError(f"no schema for {kind}")
