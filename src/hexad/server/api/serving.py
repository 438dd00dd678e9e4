"""Requests of the interface → calls of its table → answers."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import unquote

import anyio
from starlette.responses import JSONResponse, Response, StreamingResponse

from hexad.agents.threads import ThreadPool
from hexad.errors import InvalidInput
from hexad.json_form import to_json, unique_keys
from hexad.mcp.http import largest_body
from hexad.server.api.calls import ApiCall, Reply, body_of, number_in
from hexad.server.api.moving import LARGEST
from hexad.server.api.openapi import PREFIX, description
from hexad.server.api.problems import BadRequest
from hexad.server.api.routes import EVENTS, EVERY_CALL, ROUTES, Route
from hexad.server.api.verbs import newer
from hexad.skills.parameters import admit

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping, Sequence
    from pathlib import Path

    from starlette.requests import Request
    from starlette.types import Scope

    from hexad.facade import Hexad
    from hexad.model import AuditRecord
    from hexad.schemas import Schema
    from hexad.server.tokens import Callers

READING: Final = ThreadPool(8, "hexad-api-read")
WRITING: Final = ThreadPool(4, "hexad-api-write")
RUNNING: Final = ThreadPool(4, "hexad-api-run")
_BEAT: Final = 1.0  # seconds between two looks at the log
_JSON: Final = "application/json"
_PATTERNS: Final = [
    (re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]+)", route.path)), route)
    for route in ROUTES
]


@dataclass(frozen=True, slots=True)
class Api:
    """Answers the requests of the interface."""

    hx: Hexad
    callers: Callers
    evals: Path | None = None

    async def answer(self, request: Request) -> Response:
        """Answer one request; an error is one that `problems` describes."""
        path = _path(request.scope)
        caller = self.callers.bearer(request)
        if path == "/openapi.json":
            return JSONResponse(description())
        route, names = _route(request.method, path)
        request.scope["hexad.route"] = f"{PREFIX}{route.path}"
        caller.require(route.right)
        schemas = {**EVERY_CALL, **route.query}
        asked = {
            name: _typed(schemas.get(name, {}), text)
            for name, text in request.query_params.items()
        }
        query = _checked({"properties": schemas}, asked)
        if "after" in route.query and (
            last := request.headers.get("last-event-id", "")
        ):
            query["after"] = number_in(last, "Last-Event-ID")
        hx = caller.engine(self.hx, query.pop("namespace", None), query.get("session"))
        given, sent = (
            await self._body(route, request),
            await body_of(request, LARGEST) if route.takes else b"",
        )
        read, unread = (
            request.headers.get(name, "") for name in ("if-match", "if-none-match")
        )
        call = ApiCall(
            hx,
            caller,
            self.callers.tokens,
            names,
            query,
            given,
            read,
            unread,
            sent,
            self.evals,
        )
        pool = RUNNING if route.runs else READING if route.method == "GET" else WRITING
        came = await pool.run(partial(route.work, call))
        return (
            events(call.hx, came)
            if route.media_type == EVENTS
            else _response(route, call, came)
        )

    async def _body(self, route: Route, request: Request) -> Mapping[str, Any]:
        if route.body is None:
            return {}
        raw = await body_of(request, largest_body(self.hx.settings))
        if (
            raw
            and request.headers.get("content-type", "")
            .partition(";")[0]
            .strip()
            .casefold()
            != _JSON
        ):
            raise BadRequest(415, "send the body as Content-Type: application/json")
        return _checked(route.body, _parsed(raw) if raw else {})


def _path(scope: Scope) -> str:
    """The path below the prefix, as it was sent: a key may hold a slash, written %2F."""
    raw: str = (
        (scope.get("raw_path") or scope["path"].encode())
        .partition(b"?")[0]
        .decode("ascii", "replace")
    )
    return f"/{raw.removeprefix(PREFIX).strip('/')}"


def _route(method: str, path: str) -> tuple[Route, dict[str, str]]:
    """The route of a request, and the names in its path."""
    found = [
        (route, match)
        for pattern, route in _PATTERNS
        if (match := pattern.fullmatch(path))
    ]
    for route, match in found:
        if route.method == method:
            try:
                return route, {
                    name: unquote(text, errors="strict")
                    for name, text in match.groupdict().items()
                }
            except UnicodeDecodeError:
                raise BadRequest(400, "the path is not UTF-8") from None
    if found:
        ways = ", ".join(sorted({each.method for each, _ in found}))
        raise BadRequest(405, f"this can only be asked with {ways}", Allow=ways)
    raise BadRequest(
        404, f"there is no such path; {PREFIX}/openapi.json lists them all"
    )


def events(hx: Hexad, first: tuple[Sequence[AuditRecord], int]) -> Response:
    """The log as server-sent events: the first records, and what comes after them."""
    headers = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    return StreamingResponse(_stream(hx, *first), media_type=EVENTS, headers=headers)


async def _stream(
    hx: Hexad, records: Sequence[AuditRecord], last: int
) -> AsyncIterator[str]:
    yield "retry: 2000\n\n"
    while True:
        for record in records:
            yield f"id: {record.sequence}\nevent: change\ndata: {json.dumps(to_json(record))}\n\n"
        if not records:
            yield ": still here\n\n"
            await anyio.sleep(_BEAT)
        records, last = await READING.run(partial(newer, hx, last))


def _typed(schema: Schema, text: str) -> Any:
    """A query parameter in the type of its schema, where it is written as one."""
    if schema.get("type") in {"integer", "number", "boolean"}:
        with suppress(ValueError, RecursionError):
            return json.loads(text, parse_constant=_no_number)
    return text


def _checked(schema: Schema, given: Any) -> dict[str, Any]:
    try:
        return admit(schema, given)
    except InvalidInput as error:
        raise InvalidInput(
            error.field.removeprefix("parameters."), error.reason
        ) from None


def _parsed(raw: bytes) -> Any:
    try:
        return json.loads(raw, object_pairs_hook=unique_keys, parse_constant=_no_number)
    except (ValueError, RecursionError) as error:
        raise BadRequest(400, f"the body is not JSON: {str(error)[:200]}") from None


def _no_number(word: str) -> Any:
    raise ValueError(f"{word} is not JSON")


def _response(route: Route, call: ApiCall, came: Any) -> Response:
    reply = came if isinstance(came, Reply) else Reply(came)
    headers = {
        "Cache-Control": "no-store",
        **({"ETag": reply.etag} if reply.etag else {}),
    }
    status = reply.status or route.status
    if isinstance(came, bytes):
        return Response(came, status, headers, media_type=route.media_type)
    if status == 204:
        return Response(status_code=204, headers=headers)
    if reply.etag and route.method == "GET" and reply.etag in call.if_none_match:
        return Response(status_code=304, headers=headers)
    return JSONResponse(reply.document, status, headers)
