"""Requests to a model as providers define them: the user's latest message, calls that ended, the place for context.

Three shapes are read: chat completions and responses of OpenAI, messages of Anthropic. Nothing changes its arguments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from hexad.edges.agent import Context, Ended, failure_in_text
from hexad.edges.context import Latest
from hexad.memory.conversations.messages import field_of as _get

Body: TypeAlias = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Shape:
    """How one kind of request is read and written."""

    latest: Callable[[Body], Latest | None]
    ended: Callable[[Body], list[Ended]]  # calls whose results this request is the first to hold
    written: Callable[[Body, Context], dict[str, Any]]


def _items(body: Body, name: str) -> list[Any]:
    found = body.get(name)
    if isinstance(found, str):
        return [{"role": "user", "content": found}]
    return list(found) if isinstance(found, Iterable) and not isinstance(found, Mapping) else []


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(str(_get(part, "text") or "") for part in content or () if _get(part, "text"))


def _with_text(content: Any, text: str) -> Any:
    """A content of any shape, with a text at its end."""
    if isinstance(content, str) or not content:
        return f"{content}\n\n{text}" if content else text
    return [*content, {"type": "text", "text": text}]


def _latest(items: list[Any]) -> Latest | None:
    for place in reversed(range(len(items))):
        if _get(items[place], "role") == "user" and (text := _text(_get(items[place], "content"))):
            return Latest(text, place, place == len(items) - 1)
    return None


def _outcomes(
    body: Body, calls: Mapping[Any, tuple[Any, Any]], results: Iterable[tuple[Any, Any, bool]]
) -> list[Ended]:
    """The calls (name and arguments, by id) that have a result (id, text, failed), of tools that are offered."""
    offered = {_get(_get(tool, "function") or tool, "name") for tool in _items(body, "tools")}
    found: list[Ended] = []
    for call, result, failed in results:
        if call in calls and (not offered or calls[call][0] in offered):
            (name, args), text = calls[call], _text(result)
            known = hashlib.sha256(f"{call} {name} {args} {text}".encode(errors="surrogatepass")).hexdigest()
            error = (text or "failed") if failed else failure_in_text(text)
            found.append(Ended(str(name), args, text, error, known))
    return found


def _trailing(items: list[Any], is_result: Callable[[Any], bool]) -> list[Any]:
    """The results at the end of a request; earlier ones were at the end of an earlier request."""
    place = len(items)
    while place and is_result(items[place - 1]):
        place -= 1
    return items[place:]


def _in_front(items: list[Any], added: Context) -> list[Any]:
    latest = _latest(items)
    if not added.found or latest is None:
        return items
    return [*items[: latest.place], {"role": "user", "content": added.found}, *items[latest.place :]]


def _chat_ended(body: Body) -> list[Ended]:
    items = _items(body, "messages")
    made = [(call, _get(call, "function")) for item in items for call in _get(item, "tool_calls") or ()]
    calls = {_get(call, "id"): (_get(function, "name"), _get(function, "arguments")) for call, function in made}
    results = _trailing(items, lambda item: _get(item, "role") == "tool")
    return _outcomes(body, calls, [(_get(each, "tool_call_id"), _get(each, "content"), False) for each in results])


def _chat_written(body: Body, added: Context) -> dict[str, Any]:
    items = _in_front(_items(body, "messages"), added)
    if added.standing:
        first = items[0] if items and _get(items[0], "role") in {"system", "developer"} else None
        if first is None:
            items = [{"role": "system", "content": added.standing}, *items]
        else:
            role, content = _get(first, "role"), _with_text(_get(first, "content"), added.standing)
            items = [{**(first if isinstance(first, Mapping) else {}), "role": role, "content": content}, *items[1:]]
    return {**body, "messages": items}


def _responses_ended(body: Body) -> list[Ended]:
    items = _items(body, "input")
    made = [item for item in items if _get(item, "type") == "function_call"]
    calls = {_get(call, "call_id"): (_get(call, "name"), _get(call, "arguments")) for call in made}
    results = _trailing(items, lambda item: _get(item, "type") == "function_call_output")
    return _outcomes(body, calls, [(_get(each, "call_id"), _get(each, "output"), False) for each in results])


def _responses_written(body: Body, added: Context) -> dict[str, Any]:
    given = body.get("instructions")
    system = {"instructions": added.after(given if isinstance(given, str) else None)} if added.standing else {}
    return {**body, **system, **({"input": _in_front(_items(body, "input"), added)} if added.found else {})}


def _blocks(item: Any) -> list[Any]:
    content = _get(item, "content")
    return [{"type": "text", "text": content}] if isinstance(content, str) else list(content or ())


def _messages_ended(body: Body) -> list[Ended]:
    items = _items(body, "messages")
    made = [block for item in items for block in _blocks(item) if _get(block, "type") == "tool_use"]
    calls = {_get(use, "id"): (_get(use, "name"), _get(use, "input")) for use in made}
    last = [block for block in _blocks(items[-1]) if _get(block, "type") == "tool_result"] if items else []
    results = [(_get(each, "tool_use_id"), _get(each, "content"), bool(_get(each, "is_error"))) for each in last]
    return _outcomes(body, calls, results)


def _messages_written(body: Body, added: Context) -> dict[str, Any]:
    """Context stands in the user's own message, behind results of tools, which must come first."""
    items, written = _items(body, "messages"), dict(body)
    latest = _latest(items)
    if added.found and latest is not None:
        blocks = _blocks(items[latest.place])
        results = [block for block in blocks if _get(block, "type") == "tool_result"]
        rest = [block for block in blocks if _get(block, "type") != "tool_result"]
        items[latest.place] = {"role": "user", "content": [*results, {"type": "text", "text": added.found}, *rest]}
        written["messages"] = items
    if added.standing:
        system = body.get("system")
        written["system"] = _with_text(system if isinstance(system, str | list | tuple) else None, added.standing)
    return written


SHAPES: Final[Mapping[str, Shape]] = {
    "/chat/completions": Shape(lambda body: _latest(_items(body, "messages")), _chat_ended, _chat_written),
    "/responses": Shape(lambda body: _latest(_items(body, "input")), _responses_ended, _responses_written),
    "/v1/messages": Shape(lambda body: _latest(_items(body, "messages")), _messages_ended, _messages_written),
}
