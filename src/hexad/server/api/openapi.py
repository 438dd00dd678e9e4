"""The OpenAPI 3.1 description of the interface, made from its table."""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from hexad._version import __version__
from hexad.schemas import COMPONENTS, KEY, TEXT, ref
from hexad.server.api.problems import FAULTS
from hexad.server.api.routes import EVERY_CALL, ROUTES, Route

PREFIX: Final = "/api/v1"
_PROBLEM: Final = {"application/problem+json": {"schema": ref("Problem")}}
_FAULTS: Final = {
    str(status): {"description": text, "content": _PROBLEM}
    for status, (text, _) in FAULTS.items()
}


@cache
def description() -> dict[str, Any]:
    """The description of every route."""
    paths: dict[str, Any] = {}
    for route in ROUTES:
        paths.setdefault(route.path, {})[route.method.lower()] = _operation(route)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Hexad",
            "version": __version__,
            "summary": "The memory of AI agents: everything that the command line does with data, over HTTP.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": PREFIX}],
        "security": [{"token": []}, {}],
        "paths": paths,
        "components": {
            "securitySchemes": {
                "token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "`hexad tokens make`",
                }
            },
            "schemas": COMPONENTS,
        },
    }


def _operation(route: Route) -> dict[str, Any]:
    operation: dict[str, Any] = {
        "operationId": route.name,
        "summary": route.summary,
        "description": f"Needs the right `{route.right}`.",
        "tags": [route.path.split("/")[1]],
        "parameters": _parameters(route),
        "responses": {str(route.status): _answer(route), **_FAULTS},
    }
    if route.method == "PUT" and route.conditional:
        operation["responses"]["201"] = _answer(route)
    if route.body is not None:
        content = {"application/json": {"schema": route.body}}
        operation["requestBody"] = {
            "required": bool(route.body.get("required")),
            "content": content,
        }
    elif route.takes:
        operation["requestBody"] = {
            "required": True,
            "content": {route.takes: {"schema": TEXT}},
        }
    return operation


def _parameters(route: Route) -> list[dict[str, Any]]:
    in_path = [part[1:-1] for part in route.path.split("/") if part.startswith("{")]
    found = [
        {"name": name, "in": "path", "required": True, "schema": KEY}
        for name in in_path
    ]
    query = {**EVERY_CALL, **route.query}
    found += [
        {"name": name, "in": "query", "required": False, "schema": schema}
        for name, schema in query.items()
    ]
    if route.conditional:
        headers = (
            ("If-Match", "If-None-Match") if route.method == "PUT" else ("If-Match",)
        )
        found += [
            {"name": name, "in": "header", "required": False, "schema": TEXT}
            for name in headers
        ]
    return found


def _answer(route: Route) -> dict[str, Any]:
    content = (
        {}
        if route.status == 204
        else {"content": {route.media_type: {"schema": route.answer}}}
    )
    return {"description": "Done.", **content}
