"""Requests to a model as providers define them: the latest message, calls that ended,
the places for what is added.

Three shapes are read: chat completions and responses of OpenAI, messages of Anthropic.
Nothing changes its arguments.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

from hexad.agents.agent import Context, EndedCall, failure_in_text
from hexad.agents.context import Latest
from hexad.memory.conversations.messages import field_of as _get

Body: TypeAlias = Mapping[str, Any]
Texts: TypeAlias = Mapping[
    Any, str
]  # for the model: by a call's id as the provider has it, or by a tool's name
_LONGEST_DESCRIPTION: Final = (
    1024  # some providers behind OpenAI's API refuse a longer one
)


@dataclass(frozen=True, slots=True)
class RequestShape:
    """How one kind of request is read and written.

    ``ended`` are the calls whose results this request is the first to hold, by the
    provider's ids of them.
    """

    latest: Callable[[Body], Latest | None]
    ended: Callable[[Body], dict[Any, EndedCall]]
    written: Callable[[Body, Context], dict[str, Any]]
    beside: Callable[[Body, Texts], dict[str, Any]]  # texts behind those results
    tools: Callable[[Body], list[str]]  # the names of structured tools
    noted: Callable[
        [Body, Texts], dict[str, Any]
    ]  # texts behind the descriptions of those

    def extended(
        self, body: Body, context: Context, texts: Texts, notes: Texts
    ) -> dict[str, Any]:
        """The body with everything that is added to it."""
        longer = self.beside(body, texts) if texts else body
        return self.written(self.noted(longer, notes) if notes else longer, context)


def _items(body: Body, name: str) -> list[Any]:
    found = body.get(name)
    if isinstance(found, str):
        return [{"role": "user", "content": found}]
    return (
        list(found)
        if isinstance(found, Iterable) and not isinstance(found, Mapping)
        else []
    )


def _text(content: Any) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(
        str(_get(part, "text") or "") for part in content or () if _get(part, "text")
    )


def _with_text(content: Any, text: str, kind: str = "text") -> Any:
    """A content of any shape, with a text at its end."""
    if isinstance(content, str) or not content:
        return f"{content}\n\n{text}" if content else text
    return [*content, {"type": kind, "text": text}]


def described(description: str | None, note: str) -> str:
    r"""A tool's description with a note behind it: never twice, and not where a
    provider may refuse the length.

    >>> described("Book a room.", "Known from earlier calls: give `day` as YYYY-MM-DD.")
    'Book a room.\n\nKnown from earlier calls: give `day` as YYYY-MM-DD.'
    """
    before = description or ""
    if not note or note in before:
        return before
    longer = f"{before}\n\n{note}" if before else note
    return before if len(before) <= _LONGEST_DESCRIPTION < len(longer) else longer


def _latest(items: list[Any]) -> Latest | None:
    for place in reversed(range(len(items))):
        if _get(items[place], "role") == "user" and (
            text := _text(_get(items[place], "content"))
        ):
            return Latest(text, place, place == len(items) - 1)
    return None


def _outcomes(
    body: Body,
    calls: Mapping[Any, tuple[Any, Any, str]],
    results: Iterable[tuple[Any, Any, bool]],
) -> dict[Any, EndedCall]:
    """The calls (name, arguments and the agent's sentence, by id) that have a result
    (id, text, failed), of tools that are offered.
    """
    offered = {
        _get(_get(tool, "function") or tool, "name") for tool in _items(body, "tools")
    }
    found: dict[Any, EndedCall] = {}
    for call, result, failed in results:
        if call in calls and (not offered or calls[call][0] in offered):
            (name, args, said), text = calls[call], _text(result)
            known = hashlib.sha256(
                f"{call} {name} {args} {text}".encode(errors="surrogatepass")
            ).hexdigest()
            error = (text or "failed") if failed else failure_in_text(text)
            found[call] = EndedCall(str(name), args, text, error, known, said)
    return found


def _trailing(items: list[Any], is_result: Callable[[Any], bool]) -> list[Any]:
    """The results at the end of a request; earlier ones were at the end of an earlier
    request.
    """
    place = len(items)
    while place and is_result(items[place - 1]):
        place -= 1
    return items[place:]


def _noted(body: Body, notes: Texts, place: Callable[[Any], Any]) -> dict[str, Any]:
    """The body with notes behind the descriptions of tools, which stand at a place of
    their definitions.
    """
    tools: list[Any] = []
    for tool in _items(body, "tools"):
        held = place(tool)
        note = notes.get(_get(held, "name"), "") if isinstance(held, Mapping) else ""
        text = described(_get(held, "description"), note) if note else ""
        if not note or text == _get(held, "description"):
            tools.append(tool)
        elif held is tool:
            tools.append({**tool, "description": text})
        else:
            tools.append({**tool, "function": {**held, "description": text}})
    return {**body, "tools": tools}


def _names(body: Body, place: Callable[[Any], Any]) -> list[str]:
    found = [
        _get(held, "name")
        for tool in _items(body, "tools")
        if isinstance(held := place(tool), Mapping)
    ]
    return [name for name in found if isinstance(name, str) and name.strip()]


def _chat_tool(tool: Any) -> Any:
    """The definition of a structured tool; None for other tools, whose descriptions are
    not ours.
    """
    return (
        _get(tool, "function")
        if isinstance(tool, Mapping) and _get(tool, "type") == "function"
        else None
    )


def _responses_tool(tool: Any) -> Any:
    return (
        tool if isinstance(tool, Mapping) and _get(tool, "type") == "function" else None
    )


def _messages_tool(tool: Any) -> Any:
    return (
        tool
        if isinstance(tool, Mapping) and _get(tool, "input_schema") is not None
        else None
    )


def _told(
    results: list[Any], texts: Texts, id: str, content: str, kind: str = "text"
) -> list[Any]:
    """Results of calls, with texts behind those that they are about."""
    longer: list[Any] = []
    for each in results:
        text = texts.get(_get(each, id), "") if isinstance(each, Mapping) else ""
        longer.append(
            {**each, content: _with_text(each.get(content), text, kind)}
            if text
            else each
        )
    return longer


def _in_front(items: list[Any], added: Context) -> list[Any]:
    latest = _latest(items)
    if not added.found or latest is None:
        return items
    return [
        *items[: latest.place],
        {"role": "user", "content": added.found},
        *items[latest.place :],
    ]


def _is_chat_result(item: Any) -> bool:
    return bool(_get(item, "role") == "tool")


def _is_responses_result(item: Any) -> bool:
    return bool(_get(item, "type") == "function_call_output")


def _chat_ended(body: Body) -> dict[Any, EndedCall]:
    items = _items(body, "messages")
    calls: dict[Any, tuple[Any, Any, str]] = {}
    for item in items:
        for call in _get(item, "tool_calls") or ():
            function = _get(call, "function")
            said = _text(_get(item, "content"))
            calls[_get(call, "id")] = (
                _get(function, "name"),
                _get(function, "arguments"),
                said,
            )
    results = _trailing(items, _is_chat_result)
    return _outcomes(
        body,
        calls,
        [
            (_get(each, "tool_call_id"), _get(each, "content"), False)
            for each in results
        ],
    )


def _chat_written(body: Body, added: Context) -> dict[str, Any]:
    items = _in_front(_items(body, "messages"), added)
    if added.standing:
        first = (
            items[0]
            if items and _get(items[0], "role") in {"system", "developer"}
            else None
        )
        if first is None:
            items = [{"role": "system", "content": added.standing}, *items]
        else:
            role, content = (
                _get(first, "role"),
                _with_text(_get(first, "content"), added.standing),
            )
            items = [
                {
                    **(first if isinstance(first, Mapping) else {}),
                    "role": role,
                    "content": content,
                },
                *items[1:],
            ]
    return {**body, "messages": items}


def _chat_told(body: Body, texts: Texts) -> dict[str, Any]:
    items = _items(body, "messages")
    results = _trailing(items, _is_chat_result)
    before = items[: len(items) - len(results)]
    return {
        **body,
        "messages": [*before, *_told(results, texts, "tool_call_id", "content")],
    }


def _responses_ended(body: Body) -> dict[Any, EndedCall]:
    items = _items(body, "input")
    made = [item for item in items if _get(item, "type") == "function_call"]
    calls = {
        _get(call, "call_id"): (_get(call, "name"), _get(call, "arguments"), "")
        for call in made
    }
    results = _trailing(items, _is_responses_result)
    return _outcomes(
        body,
        calls,
        [(_get(each, "call_id"), _get(each, "output"), False) for each in results],
    )


def _responses_written(body: Body, added: Context) -> dict[str, Any]:
    given = body.get("instructions")
    system = (
        {"instructions": added.after(given if isinstance(given, str) else None)}
        if added.standing
        else {}
    )
    return {
        **body,
        **system,
        **({"input": _in_front(_items(body, "input"), added)} if added.found else {}),
    }


def _responses_told(body: Body, texts: Texts) -> dict[str, Any]:
    items = _items(body, "input")
    results = _trailing(items, _is_responses_result)
    before = items[: len(items) - len(results)]
    return {
        **body,
        "input": [*before, *_told(results, texts, "call_id", "output", "input_text")],
    }


def _blocks(item: Any) -> list[Any]:
    content = _get(item, "content")
    return (
        [{"type": "text", "text": content}]
        if isinstance(content, str)
        else list(content or ())
    )


def _messages_ended(body: Body) -> dict[Any, EndedCall]:
    items = _items(body, "messages")
    calls: dict[Any, tuple[Any, Any, str]] = {}
    for item in items:
        said = _text(_blocks(item))
        for use in _blocks(item):
            if _get(use, "type") == "tool_use":
                calls[_get(use, "id")] = (_get(use, "name"), _get(use, "input"), said)
    last = (
        [block for block in _blocks(items[-1]) if _get(block, "type") == "tool_result"]
        if items
        else []
    )
    results = [
        (_get(each, "tool_use_id"), _get(each, "content"), bool(_get(each, "is_error")))
        for each in last
    ]
    return _outcomes(body, calls, results)


def _messages_written(body: Body, added: Context) -> dict[str, Any]:
    """Context stands in the user's own message, behind results of tools, which must
    come first.
    """
    items, written = _items(body, "messages"), dict(body)
    latest = _latest(items)
    if added.found and latest is not None:
        blocks = _blocks(items[latest.place])
        results = [block for block in blocks if _get(block, "type") == "tool_result"]
        rest = [block for block in blocks if _get(block, "type") != "tool_result"]
        items[latest.place] = {
            "role": "user",
            "content": [*results, {"type": "text", "text": added.found}, *rest],
        }
        written["messages"] = items
    if added.standing:
        system = body.get("system")
        written["system"] = _with_text(
            system if isinstance(system, str | list | tuple) else None, added.standing
        )
    return written


def _messages_told(body: Body, texts: Texts) -> dict[str, Any]:
    *before, last = _items(body, "messages")
    return {
        **body,
        "messages": [
            *before,
            {**last, "content": _told(_blocks(last), texts, "tool_use_id", "content")},
        ],
    }


SHAPES: Final[Mapping[str, RequestShape]] = {
    "/chat/completions": RequestShape(
        latest=lambda body: _latest(_items(body, "messages")),
        ended=_chat_ended,
        written=_chat_written,
        beside=_chat_told,
        tools=lambda body: _names(body, _chat_tool),
        noted=lambda body, notes: _noted(body, notes, _chat_tool),
    ),
    "/responses": RequestShape(
        latest=lambda body: _latest(_items(body, "input")),
        ended=_responses_ended,
        written=_responses_written,
        beside=_responses_told,
        tools=lambda body: _names(body, _responses_tool),
        noted=lambda body, notes: _noted(body, notes, _responses_tool),
    ),
    "/v1/messages": RequestShape(
        latest=lambda body: _latest(_items(body, "messages")),
        ended=_messages_ended,
        written=_messages_written,
        beside=_messages_told,
        tools=lambda body: _names(body, _messages_tool),
        noted=lambda body, notes: _noted(body, notes, _messages_tool),
    ),
}
