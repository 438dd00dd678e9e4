"""The clients of OpenAI and Anthropic keep the contract of adapters, with a loop that
calls the tools.
"""

from __future__ import annotations

import copy
import json
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any

import httpx2
import pytest
from anthropic import Anthropic, AsyncAnthropic
from openai import AsyncOpenAI, OpenAI

from hexad.adapters.clients import memory_tools, with_memory
from hexad.errors import InvalidInput
from hexad_testing.adapter_suite import *  # noqa: F403
from hexad_testing.adapter_suite import BASE, BOOKING, Agents, blocks, calls
from hexad_testing.script import Call, Request, Script
from tests.support import requirement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from hexad import Hexad

NO_TOOL = "no such tool"


def _words(content: Any) -> str:
    if not isinstance(content, list):
        return str(content or "")
    return "".join(part.get("text") or _words(part.get("content")) for part in content)


# the three shapes: what a loop of one's own sends, and what the provider answers


def _tool(name: str, schema: str) -> dict[str, Any]:
    return {"name": name, "description": f"To {name}.", schema: {"type": "object"}}


def _read(system: str, said: tuple[tuple[str, str], ...], tools: list[Any]) -> Request:
    names, described = (
        [tool["name"] for tool in tools],
        [tool["description"] for tool in tools],
    )
    return Request(system, said, tuple(names), tuple(described))


class Chat:
    """`chat.completions.create`."""

    path = ("chat", "completions")

    def given(
        self, history: list[Any], tools: Sequence[str], user: str, session: str
    ) -> dict[str, Any]:
        named = [
            {"type": "function", "function": _tool(name, "parameters")}
            for name in tools
        ]
        given = {
            "model": "m",
            "messages": [{"role": "system", "content": BASE}, *history],
            "prompt_cache_key": session,
        }
        return (
            given
            | ({"safety_identifier": user} if user else {})
            | ({"tools": named} if named else {})
        )

    def read(self, body: dict[str, Any]) -> Request:
        system, *rest = body["messages"]
        said = tuple((each["role"], _words(each["content"])) for each in rest)
        return _read(
            _words(system["content"]),
            said,
            [tool["function"] for tool in body.get("tools", ())],
        )

    def answer(self, reply: list[str | Call]) -> dict[str, Any]:
        made = [
            {
                "id": f"c{place}",
                "type": "function",
                "function": {"name": each.tool, "arguments": json.dumps(each.args)},
            }
            for place, each in enumerate(reply)
            if isinstance(each, Call)
        ]
        text = "".join(each for each in reply if isinstance(each, str))
        message = {
            "role": "assistant",
            "content": text,
            **({"tool_calls": made} if made else {}),
        }
        return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [
            {"index": 0, "message": message, "finish_reason": "stop"}
        ]}  # fmt: skip

    def events(self, reply: list[str | Call]) -> Iterator[tuple[str, Any]]:
        message = self.answer(reply)["choices"][0]["message"]
        for place, call in enumerate(message.get("tool_calls", ())):
            call["index"] = place
        chunk = {
            "id": "1",
            "object": "chat.completion.chunk",
            "created": 1,
            "model": "m",
        }
        yield "", chunk | {"choices": [{"index": 0, "delta": message}]}
        yield "", "[DONE]"

    def added(self, answer: dict[str, Any]) -> list[Any]:
        return [answer["choices"][0]["message"]]

    def text(self, added: list[Any]) -> str:
        return str(added[0]["content"])

    def calls(self, added: list[Any]) -> list[tuple[str, str, Any]]:
        found = added[0].get("tool_calls") or ()
        return [
            (
                each["id"],
                each["function"]["name"],
                json.loads(each["function"]["arguments"]),
            )
            for each in found
        ]

    def results(self, ended: list[tuple[str, str, bool]]) -> list[Any]:
        return [
            {"role": "tool", "tool_call_id": call, "content": text}
            for call, text, _ in ended
        ]

    def streamed(self, events: list[Any]) -> list[Any]:
        message = events[0]["choices"][0]["delta"]
        return [{key: value for key, value in message.items() if value is not None}]


class Responses(Chat):
    """`responses.create`."""

    path = ("responses",)

    def given(
        self, history: list[Any], tools: Sequence[str], user: str, session: str
    ) -> dict[str, Any]:
        named = [
            {"type": "function", "strict": False, **_tool(name, "parameters")}
            for name in tools
        ]
        given = {
            "model": "m",
            "instructions": BASE,
            "input": history,
            "prompt_cache_key": session,
            "tools": named,
        }
        return given | ({"safety_identifier": user} if user else {})

    def read(self, body: dict[str, Any]) -> Request:
        items = tuple(
            ("tool", _words(each["output"]))
            if each.get("type") == "function_call_output"
            else (
                each.get("role", "assistant"),
                _words(each.get("content") or each.get("arguments")),
            )
            for each in body["input"]
        )
        return _read(body["instructions"], items, body["tools"])

    def answer(self, reply: list[str | Call]) -> dict[str, Any]:
        output = [
            {"type": "function_call", "id": f"f{place}", "call_id": f"c{place}", "name": each.tool,
             "arguments": json.dumps(each.args), "status": "completed"}
            if isinstance(each, Call)
            else {"type": "message", "id": f"m{place}", "role": "assistant", "status": "completed",
                  "content": [{"type": "output_text", "text": each, "annotations": []}]}
            for place, each in enumerate(reply)
        ]  # fmt: skip
        return {"id": "r", "object": "response", "created_at": 1, "model": "m", "output": output, "tools": [],
                "parallel_tool_calls": True, "tool_choice": "auto"}  # fmt: skip

    def events(self, reply: list[str | Call]) -> Iterator[tuple[str, Any]]:
        done = {
            "type": "response.completed",
            "sequence_number": 1,
            "response": self.answer(reply),
        }
        yield "response.completed", done

    def added(self, answer: dict[str, Any]) -> list[Any]:
        return list(answer["output"])

    def text(self, added: list[Any]) -> str:
        return "".join(
            _words(each["content"]) for each in added if each["type"] == "message"
        )

    def calls(self, added: list[Any]) -> list[tuple[str, str, Any]]:
        found = [each for each in added if each["type"] == "function_call"]
        return [
            (each["call_id"], each["name"], json.loads(each["arguments"]))
            for each in found
        ]

    def results(self, ended: list[tuple[str, str, bool]]) -> list[Any]:
        return [
            {"type": "function_call_output", "call_id": call, "output": text}
            for call, text, _ in ended
        ]

    def streamed(self, events: list[Any]) -> list[Any]:
        return self.added(events[-1]["response"])


class Messages(Chat):
    """`messages.create`."""

    path = ("messages",)

    def given(
        self, history: list[Any], tools: Sequence[str], user: str, session: str
    ) -> dict[str, Any]:
        named = [_tool(name, "input_schema") for name in tools]
        given = {
            "model": "m",
            "max_tokens": 9,
            "system": BASE,
            "messages": history,
            "tools": named,
        }
        return given | {"metadata": {"user_id": f"{user}|{session}"}}

    def read(self, body: dict[str, Any]) -> Request:
        said = []
        for each in body["messages"]:
            parts = (
                [{"type": "text", "text": each["content"]}]
                if isinstance(each["content"], str)
                else each["content"]
            )
            said += [
                (
                    "tool" if part["type"] == "tool_result" else each["role"],
                    _words([part]),
                )
                for part in parts
            ]
        return _read(_words(body["system"]), tuple(said), body["tools"])

    def answer(self, reply: list[str | Call]) -> dict[str, Any]:
        content = [
            {
                "type": "tool_use",
                "id": f"c{place}",
                "name": each.tool,
                "input": each.args,
            }
            if isinstance(each, Call)
            else {"type": "text", "text": each}
            for place, each in enumerate(reply)
        ]
        return {"id": "1", "type": "message", "role": "assistant", "model": "m", "content": content,
                "stop_reason": "end_turn", "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip

    def events(self, reply: list[str | Call]) -> Iterator[tuple[str, Any]]:
        answer = self.answer(reply)
        yield "message_start", {"type": "message_start", "message": answer}
        yield "message_stop", {"type": "message_stop"}

    def added(self, answer: dict[str, Any]) -> list[Any]:
        return [{"role": "assistant", "content": answer["content"]}]

    def text(self, added: list[Any]) -> str:
        return _words(added[0]["content"])

    def calls(self, added: list[Any]) -> list[tuple[str, str, Any]]:
        found = [each for each in added[0]["content"] if each["type"] == "tool_use"]
        return [(each["id"], each["name"], each["input"]) for each in found]

    def results(self, ended: list[tuple[str, str, bool]]) -> list[Any]:
        if not ended:
            return []
        blocks = [
            {
                "type": "tool_result",
                "tool_use_id": call,
                "content": text,
                "is_error": bad,
            }
            for call, text, bad in ended
        ]
        return [{"role": "user", "content": blocks}]

    def streamed(self, events: list[Any]) -> list[Any]:
        return self.added(events[0]["message"])


@dataclass
class ClientAgent:
    """A loop of one's own over a client: it asks, calls tools, and asks again."""

    shape: Chat
    client: Any
    aclient: Any
    tools_of_ours: bool
    tools: dict[str, Callable[..., Any]]
    histories: dict[str, list[Any]] = field(default_factory=dict)
    used: Any = None

    def _create(self, client: Any) -> Any:
        self.used = client
        for name in self.shape.path:
            client = getattr(client, name)
        return client.create

    def say(self, text: str, *, user: str, session: str, stream: bool) -> str:
        history = self.histories.setdefault(session, [])
        history.append({"role": "user", "content": text})
        while True:
            answer = self._create(self.client)(
                **self._given(user, session), stream=stream
            )
            if stream:
                added = self.shape.streamed(
                    [each.model_dump(exclude_none=True) for each in answer]
                )
            else:
                added = self.shape.added(answer.model_dump(exclude_none=True))
            history += added
            if not self._called(history, added, user):
                return self.shape.text(added)

    async def asay(self, text: str, *, user: str, session: str, stream: bool) -> str:
        history = self.histories.setdefault(session, [])
        history.append({"role": "user", "content": text})
        while True:
            answer = await self._create(self.aclient)(
                **self._given(user, session), stream=stream
            )
            if stream:
                events = [each.model_dump(exclude_none=True) async for each in answer]
                added = self.shape.streamed(events)
            else:
                added = self.shape.added(answer.model_dump(exclude_none=True))
            history += added
            if not self._called(history, added, user):
                return self.shape.text(added)

    def _given(self, user: str, session: str) -> dict[str, Any]:
        return self.shape.given(
            copy.deepcopy(self.histories[session]),
            list(self._offered(user)),
            user,
            session,
        )

    def _offered(self, user: str) -> dict[str, Callable[..., Any]]:
        ours = (
            memory_tools(self.used, self.shape.given([], (), user, ""))
            if self.tools_of_ours
            else ()
        )
        return {**self.tools, **{tool.__name__: tool for tool in ours}}

    def _called(self, history: list[Any], added: list[Any], user: str) -> bool:
        tools = self._offered(user)
        ended = [
            (call, *_ended(tools.get(name), args))
            for call, name, args in self.shape.calls(added)
        ]
        history += self.shape.results(ended)
        return bool(ended)

    def stored(self, session: str) -> str:
        return str(self.histories[session])


def _ended(tool: Callable[..., Any] | None, args: dict[str, Any]) -> tuple[str, bool]:
    if tool is None:
        return NO_TOOL, True
    try:
        result = tool(**args)
    except Exception as error:
        return f"{type(error).__name__}: {error}", True
    return result if isinstance(result, str) else json.dumps(result), False


def _transport(shape: Chat, script: Script) -> httpx2.MockTransport:
    def handle(request: Any) -> Any:
        body = json.loads(request.content)
        try:
            reply = script.play(shape.read(body))
        except ConnectionError as error:
            return httpx2.Response(
                400, json={"error": {"message": str(error), "type": "x"}}
            )
        if not body.get("stream"):
            return httpx2.Response(200, json=shape.answer(reply))
        lines = [
            (f"event: {name}\n" if name else "")
            + f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n"
            for name, data in shape.events(reply)
        ]
        return httpx2.Response(
            200, text="".join(lines), headers={"content-type": "text/event-stream"}
        )

    return httpx2.MockTransport(handle)


def _identity(shape: Chat) -> dict[str, Any]:
    if isinstance(shape, Messages):
        return {
            "user": lambda body: (
                body["metadata"]["user_id"].split("|")[0] or body["nobody"]
            ),
            "session": lambda body: body["metadata"]["user_id"].split("|")[1],
        }
    return {
        "user": lambda body: body["safety_identifier"],
        "session": lambda body: body["prompt_cache_key"],
    }


def make(
    shape: Chat,
    hx: Hexad | None,
    script: Script,
    tools: Sequence[Callable[..., Any]] = (),
    *,
    budget: int = 2000,
    tools_of_ours: bool = True,
) -> ClientAgent:
    kinds = (
        (Anthropic, AsyncAnthropic)
        if isinstance(shape, Messages)
        else (OpenAI, AsyncOpenAI)
    )
    transport = _transport(shape, script)
    https = httpx2.Client(transport=transport), httpx2.AsyncClient(transport=transport)
    clients: list[Any] = [
        kind(api_key="k", base_url="http://localhost", http_client=http, max_retries=0)
        for kind, http in zip(kinds, https, strict=True)
    ]
    if hx is not None:
        clients = [
            with_memory(client, hx, budget=budget, **_identity(shape))
            for client in clients
        ]
    named = {tool.__name__: tool for tool in tools}
    return ClientAgent(shape, *clients, tools_of_ours, named)


def scripted(script: Script) -> OpenAI:
    http = httpx2.Client(transport=_transport(Chat(), script))
    return OpenAI(
        api_key="k", base_url="http://localhost", http_client=http, max_retries=0
    )


@pytest.fixture(
    params=[Chat, Responses, Messages], ids=["chat", "responses", "messages"]
)
def agents(request: pytest.FixtureRequest) -> Agents:
    missing = dict.fromkeys(
        ("cancel", "approval"),
        "a client calls no tools, so none can be cancelled or approved",
    )
    return Agents(partial(make, request.param()), missing=missing, wraps=False)


# what only clients have


@pytest.fixture
def openai(hx: Hexad) -> tuple[Any, Script]:
    script = Script(lambda _request: "Booked.")
    hx.knowledge.save("room", "Book a quiet room")
    return scripted(script), script


SAID: Any = {
    "model": "m",
    "messages": [
        {"role": "system", "content": BASE},
        {"role": "user", "content": BOOKING},
    ],
}


@requirement("EDGE-01")
def test_every_way_to_a_completion_has_its_context_and_the_original_client_has_none(
    openai: Any, hx: Hexad
) -> None:
    client, script = openai
    mine = with_memory(client, hx)
    _ = client.chat.completions.with_raw_response  # cached, and still the original's
    mine.chat.completions.create(**SAID)
    mine.chat.completions.with_raw_response.create(**SAID)
    mine.with_options(timeout=5).chat.completions.create(**SAID)
    with mine.chat.completions.stream(**SAID) as events:
        events.until_done()
    assert [len(blocks(request)) for request in script.requests] == [1, 1, 1, 1]
    client.chat.completions.create(**SAID)
    assert not blocks(script.requests[-1])
    assert SAID["messages"][-1]["content"] == BOOKING
    assert len(SAID["messages"]) == 2


@requirement("EDGE-01")
def test_the_stream_helper_of_anthropic_has_its_context(hx: Hexad) -> None:
    script = Script(lambda _request: "Booked.")
    hx.knowledge.save("room", "Book a quiet room")
    http = httpx2.Client(transport=_transport(Messages(), script))
    client = with_memory(
        Anthropic(api_key="k", base_url="http://localhost", http_client=http), hx
    )
    said: Any = {"model": "m", "max_tokens": 9, "system": BASE, "tools": []}
    with client.messages.stream(
        **said, messages=[{"role": "user", "content": BOOKING}]
    ) as events:
        assert events.get_final_text() == "Booked."
    assert len(blocks(script.requests[0])) == 1


@requirement("EDGE-01")
def test_context_stands_behind_tool_results_in_the_users_message(hx: Hexad) -> None:
    script = Script(lambda _request: "Booked.")
    hx.knowledge.save("room", "Book a quiet room")
    http = httpx2.Client(transport=_transport(Messages(), script))
    client = with_memory(
        Anthropic(api_key="k", base_url="http://localhost", http_client=http), hx
    )
    use = {"type": "tool_use", "id": "c1", "name": "book", "input": {"day": "31/01"}}
    result = {
        "type": "tool_result",
        "tool_use_id": "c1",
        "content": "no such day",
        "is_error": True,
    }
    messages: Any = [
        {"role": "user", "content": "Hello"},
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [result, {"type": "text", "text": BOOKING}]},
    ]
    client.messages.create(
        model="m", max_tokens=9, system=BASE, tools=[], messages=messages
    )
    assert [role for role, _ in script.requests[0].messages] == [
        "user",
        "assistant",
        "tool",
        "user",
        "user",
    ]
    assert blocks(script.requests[0]) == [3]
    assert calls(hx) == [("book", False)]


@requirement("EDGE-01")
def test_a_request_that_is_sent_again_counts_its_results_once(
    openai: Any, hx: Hexad
) -> None:
    client, _ = openai
    mine = with_memory(client, hx)
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "book", "arguments": "{}"},
    }
    messages = [
        *SAID["messages"],
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "ValueError: no day"},
    ]
    for _ in range(2):
        mine.chat.completions.create(model="m", messages=messages)
    assert calls(hx) == [("book", False)]


@requirement("EDGE-01")
def test_a_text_as_input_gets_its_context_in_front(hx: Hexad) -> None:
    script = Script(lambda _request: "Booked.")
    hx.knowledge.save("room", "Book a quiet room")
    http = httpx2.Client(transport=_transport(Responses(), script))
    client = with_memory(
        OpenAI(api_key="k", base_url="http://localhost", http_client=http), hx
    )
    client.responses.create(model="m", instructions=BASE, input=BOOKING, tools=[])
    assert blocks(script.requests[0]) == [0]
    assert script.requests[0].messages[1] == ("user", BOOKING)


@requirement("EDGE-01")
def test_something_that_is_no_client_is_refused(hx: Hexad) -> None:
    with pytest.raises(InvalidInput, match="OpenAI or Anthropic"):
        with_memory(object(), hx)
