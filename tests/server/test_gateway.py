"""The gateway: official clients through it to a scripted provider, whose answers come
back as they were.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

import anthropic
import httpx2
import openai
import pytest
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from tests.server.server_support import caller, running, secret, serving, tokens_in
from tests.store.postgres import drop_schema, new_schema
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator
    from pathlib import Path

    from hexad import Hexad
    from hexad.server.tokens import Tokens

T = TypeVar("T")
CHAT = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "stop",
            "message": {"role": "assistant", "content": "On Tuesdays — déjà."},
        }
    ],
    "usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2},
}
PART = {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
PARTS = [
    {"index": 0, "delta": {"content": word}, "finish_reason": None}
    for word in ("On ", "Tues", "days")
]
STREAM = [
    *(
        f"data: {json.dumps({**PART, 'choices': [each]})}\n\n".encode()
        for each in PARTS
    ),
    b": a comment that no parser keeps\n\n",
    b"data: [DONE]\n\n",
]
MESSAGE = {
    "id": "m1",
    "type": "message",
    "role": "assistant",
    "model": "m",
    "content": [{"type": "text", "text": "On Tuesdays"}],
    "stop_reason": "end_turn",
    "stop_sequence": None,
    "usage": {"input_tokens": 1, "output_tokens": 1},
}
ANSWER = {
    "id": "r1",
    "object": "response",
    "created_at": 1,
    "model": "m",
    "status": "completed",
    "output": [
        {
            "type": "message",
            "id": "o1",
            "status": "completed",
            "role": "assistant",
            "content": [
                {"type": "output_text", "text": "On Tuesdays", "annotations": []}
            ],
        }
    ],
    "parallel_tool_calls": True,
    "tool_choice": "auto",
    "tools": [],
}


def events(*found: dict[str, Any]) -> list[bytes]:
    """A stream of named events, with a comment in it."""
    lines = [
        f"event: {each['type']}\ndata: {json.dumps(each)}\n\n".encode()
        for each in found
    ]
    return [lines[0], b": a comment that no parser keeps\n\n", *lines[1:]]


SAID = {"output_index": 0, "content_index": 0, "item_id": "o1"}
BLOCK = {
    "type": "content_block_start",
    "index": 0,
    "content_block": {"type": "text", "text": ""},
}
STREAMS = {
    "/v1/chat/completions": STREAM,
    "/v1/responses": events(
        {
            "type": "response.created",
            "sequence_number": 0,
            "response": {**ANSWER, "output": []},
        },
        *(
            {"type": "response.output_text.delta", **SAID, "delta": word}
            for word in ("On ", "Tuesdays")
        ),
        {"type": "response.completed", "sequence_number": 3, "response": ANSWER},
    ),
    "/v1/messages": events(
        {"type": "message_start", "message": {**MESSAGE, "content": []}},
        BLOCK,
        *(
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "text_delta", "text": word},
            }
            for word in ("On ", "Tuesdays")
        ),
        {"type": "content_block_stop", "index": 0},
        {"type": "message_stop"},
    ),
}


@dataclass
class Provider:
    """A provider that keeps what it was sent, and answers from a script."""

    requests: list[tuple[str, dict[str, str], bytes]] = field(default_factory=list)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] == "lifespan":
            await receive()
            await send({"type": "lifespan.startup.complete"})
            await receive()
            await send({"type": "lifespan.shutdown.complete"})
            return
        request = Request(scope, receive)
        raw = await request.body()
        self.requests.append((request.url.path, dict(request.headers), raw))
        await self._answer(request.url.path, raw)(scope, receive, send)

    def _answer(self, path: str, raw: bytes) -> Response:
        if path.endswith("/models"):
            return JSONResponse(
                {"object": "list", "data": []}, headers={"x-request-id": "abc"}
            )
        if b"make it fail" in raw:
            return JSONResponse(
                {"error": {"message": "quota", "type": "insufficient_quota"}}, 429
            )
        if b'"stream": true' in raw or b'"stream":true' in raw:
            return StreamingResponse(_stream(path), media_type="text/event-stream")
        answers = {
            "/v1/chat/completions": CHAT,
            "/v1/responses": ANSWER,
            "/v1/messages": MESSAGE,
        }
        return Response(
            json.dumps(answers[path], indent=1), media_type="application/json"
        )

    @property
    def body(self) -> dict[str, Any]:
        sent: dict[str, Any] = json.loads(self.requests[-1][2])
        return sent


async def _stream(path: str) -> AsyncIterator[bytes]:
    for part in STREAMS[path]:
        yield part


@pytest.fixture
def tokens(tmp_path: Path) -> Tokens:
    return tokens_in(tmp_path)


@pytest.fixture
def hx(tmp_path: Path) -> Iterator[Hexad]:
    with opened(
        tmp_path / "agent.db", semantic=False, standing_budget=300, capture=True
    ) as engine:
        engine.knowledge.save("units", "Always answer in metric units", category="rule")
        engine.knowledge.save(
            "deploy-window", "Deploys happen on Tuesdays", origin="tool"
        )
        yield engine


@pytest.fixture
def provider() -> Provider:
    return Provider()


@pytest.fixture
def gateway(hx: Hexad, tokens: Tokens, provider: Provider) -> Iterator[str]:
    with (
        running(provider) as upstream,
        serving(hx, tokens, upstream=f"{upstream}/v1") as url,
    ):
        yield f"{url}/gateway"


def chat(
    gateway: str,
    content: str = "when may I deploy?",
    headers: dict[str, str] | None = None,
    **more: Any,
) -> Any:
    body = {"model": "m", "messages": [{"role": "user", "content": content}], **more}
    sent = {"Authorization": "Bearer sk-provider", **(headers or {})}
    return httpx2.post(f"{gateway}/v1/chat/completions", json=body, headers=sent)


def eventually(look: Callable[[], T]) -> T:
    """The first answer that is not empty: the gateway learns after it has answered."""
    until = time.monotonic() + 60
    while not (found := look()) and time.monotonic() < until:
        time.sleep(0.01)
    return found


@requirement("GATE-01")
def test_chat_completions_get_context_and_come_back_unchanged(
    gateway: str, provider: Provider
) -> None:
    with openai.OpenAI(base_url=f"{gateway}/v1", api_key="sk-provider") as model:
        given: list[Any] = [
            {"role": "system", "content": "Be terse."},
            {"role": "user", "content": "when may I deploy?"},
        ]
        came = model.chat.completions.create(model="m", messages=given)
        stream = model.chat.completions.create(model="m", messages=given, stream=True)
        parts = [each.choices[0].delta.content for each in stream]
        listed = model.models.list()
    assert came.choices[0].message.content == "On Tuesdays — déjà."
    assert "".join(map(str, parts)) == "On Tuesdays"
    assert listed.data == []
    path, headers, _ = provider.requests[0]
    body = json.loads(provider.requests[0][2])
    assert path == "/v1/chat/completions"
    assert headers["authorization"] == "Bearer sk-provider"
    system, found, user = body["messages"]
    assert system["content"].startswith("Be terse.\n\n")
    assert "metric units" in system["content"]
    assert "Deploys happen on Tuesdays" in found["content"]
    assert user == given[1]


@requirement("GATE-01")
def test_responses_and_messages_get_context_too(
    gateway: str, provider: Provider
) -> None:
    with openai.OpenAI(base_url=f"{gateway}/v1", api_key="sk") as model:
        answer = model.responses.create(
            model="m", input="when may I deploy?", instructions="Be terse."
        )
    assert answer.output_text == "On Tuesdays"
    assert "metric units" in provider.body["instructions"]
    assert "Deploys happen" in provider.body["input"][0]["content"]
    with anthropic.Anthropic(base_url=gateway, api_key="sk") as other:
        asked: list[Any] = [{"role": "user", "content": "when may I deploy?"}]
        message = other.messages.create(model="m", max_tokens=9, messages=asked)
    assert message.content[0].text == "On Tuesdays"  # type: ignore[union-attr]
    assert provider.requests[-1][0] == "/v1/messages"
    assert any("sk" in value for value in provider.requests[-1][1].values())
    assert "metric units" in provider.body["system"]
    assert "Deploys happen" in str(provider.body["messages"][0]["content"])


@requirement("GATE-01")
def test_a_stream_and_an_error_of_the_provider_come_back_byte_for_byte(
    gateway: str, provider: Provider
) -> None:
    streamed = chat(gateway, stream=True)
    assert streamed.content == b"".join(STREAM)
    assert streamed.headers["x-accel-buffering"] == "no"
    assert streamed.headers["content-type"].startswith("text/event-stream")
    plain = chat(gateway)
    assert plain.content == json.dumps(CHAT, indent=1).encode()
    failed = chat(gateway, "make it fail")
    assert (failed.status_code, failed.json()["error"]["type"]) == (
        429,
        "insufficient_quota",
    )
    models = httpx2.get(f"{gateway}/v1/models?limit=3")
    assert models.headers["x-request-id"] == "abc"
    assert provider.requests[-1][0] == "/v1/models"


@requirement("GATE-01")
@pytest.mark.parametrize("path", STREAMS)
def test_streams_of_every_shape_come_back_byte_for_byte_with_context_sent(
    gateway: str, provider: Provider, path: str
) -> None:
    said = {"input": "when may I deploy?"} if "responses" in path else {}
    asked = said or {
        "messages": [{"role": "user", "content": "when may I deploy?"}],
        "max_tokens": 9,
    }
    came = httpx2.post(f"{gateway}{path}", json={"model": "m", "stream": True, **asked})
    assert came.content == b"".join(STREAMS[path])
    assert b"Deploys happen on Tuesdays" in provider.requests[-1][2]


@requirement("GATE-01")
def test_official_clients_read_streams_of_responses_and_messages(gateway: str) -> None:
    with openai.OpenAI(base_url=f"{gateway}/v1", api_key="sk") as model:
        stream = model.responses.create(
            model="m", input="when may I deploy?", stream=True
        )
        assert (
            "".join(
                each.delta
                for each in stream
                if each.type == "response.output_text.delta"
            )
            == "On Tuesdays"
        )
    with anthropic.Anthropic(base_url=gateway, api_key="sk") as other:
        asked: list[Any] = [{"role": "user", "content": "when may I deploy?"}]
        with other.messages.stream(model="m", max_tokens=9, messages=asked) as parts:
            assert "".join(parts.text_stream) == "On Tuesdays"


@requirement("GATE-01")
def test_memory_can_be_off_and_our_headers_stay_here(
    gateway: str, provider: Provider, tokens: Tokens
) -> None:
    token = secret(tokens, namespaces=("default", "default/*"))
    mine = {
        "X-Hexad-Token": token,
        "X-Hexad-User": "dana",
        "X-Hexad-Session": "s1",
        "X-Hexad-Memory": "off",
    }
    sent = b'{"model":"m",  "messages":[{"role":"user","content":"d\\u00e9ploy?"}], "top_p":1.0}'
    url, kind = f"{gateway}/v1/chat/completions", {"Content-Type": "application/json"}
    assert httpx2.post(url, content=sent, headers={**mine, **kind}).status_code == 200
    _, headers, raw = provider.requests[-1]
    assert raw == sent
    assert not [name for name in headers if name.startswith("x-hexad")]
    assert "cookie" not in headers


@requirement("GATE-01")
def test_a_user_outside_of_the_token_is_refused_and_reads_nobody_elses_memory(
    gateway: str, provider: Provider, hx: Hexad, tokens: Tokens
) -> None:
    hx.scoped(namespace="default/erin").knowledge.save(
        "erins", "Erin deploys on Sundays", category="rule"
    )
    hx.scoped(namespace="acme/dana").knowledge.save(
        "danas", "Dana deploys on Mondays", category="rule"
    )
    one, tenant = (
        secret(tokens, namespaces=("default/dana",)),
        secret(tokens, namespaces=("acme/*",)),
    )
    assert chat(gateway).status_code == 401
    assert (
        chat(
            gateway, headers={"X-Hexad-Token": one, "X-Hexad-User": "erin"}
        ).status_code
        == 403
    )
    count = len(provider.requests)
    assert (
        chat(
            gateway, headers={"X-Hexad-Token": one, "X-Hexad-User": "dana"}
        ).status_code
        == 200
    )
    assert chat(gateway, headers={"X-Hexad-Token": one}, user="erin").status_code == 200
    for _, _, raw in provider.requests[count:]:
        assert b"Erin deploys" not in raw
        assert b"metric units" not in raw, "the shared memory above is not this token's"
    assert (
        chat(
            gateway, headers={"X-Hexad-Token": tenant, "X-Hexad-User": "dana"}
        ).status_code
        == 200
    )
    assert b"Dana deploys on Mondays" in provider.requests[-1][2]


GIVEN, FAILED = {"day": "31/01"}, "ValueError: cannot read the day '31/01'"
CALLED = {
    "type": "function",
    "id": "t1",
    "function": {"name": "book", "arguments": json.dumps(GIVEN)},
}
USED = {"type": "tool_use", "id": "t1", "name": "book", "input": GIVEN}
TRANSCRIPTS: dict[str, list[dict[str, Any]]] = {
    "/v1/chat/completions": [
        {"role": "assistant", "content": None, "tool_calls": [CALLED]},
        {"role": "tool", "tool_call_id": "t1", "content": FAILED},
    ],
    "/v1/responses": [
        {
            "type": "function_call",
            "call_id": "t1",
            "name": "book",
            "arguments": json.dumps(GIVEN),
        },
        {"type": "function_call_output", "call_id": "t1", "output": FAILED},
    ],
    "/v1/messages": [
        {"role": "assistant", "content": [USED]},
        {
            "role": "user",
            "content": [
                {
                    "type": "tool_result",
                    "tool_use_id": "t1",
                    "is_error": True,
                    "content": FAILED,
                }
            ],
        },
    ],
}


@requirement("GATE-01")
@pytest.mark.parametrize("path", TRANSCRIPTS)
def test_tool_calls_are_learned_from_the_transcript_once(
    gateway: str, hx: Hexad, path: str
) -> None:
    history = [{"role": "user", "content": "book a room"}, *TRANSCRIPTS[path]]
    body = {
        "model": "m",
        "max_tokens": 9,
        "input" if "responses" in path else "messages": history,
    }
    for _ in range(2):
        sent = {"X-Hexad-User": "dana", "X-Hexad-Session": "s1"}
        assert (
            httpx2.post(f"{gateway}{path}", json=body, headers=sent).status_code == 200
        )
    own = hx.scoped(namespace="default/dana")
    [learned] = eventually(lambda: own.learnings.list(noticed=True))
    assert (learned.trigger, learned.seen) == ("tool:book", 1)
    assert hx.learnings.list(noticed=True) == ()


TOOL = {"name": "book", "description": "Book a room."}
TOOLS: dict[str, dict[str, Any]] = {
    "/v1/chat/completions": {
        "type": "function",
        "function": {**TOOL, "parameters": {"type": "object"}},
    },
    "/v1/responses": {"type": "function", **TOOL, "parameters": {"type": "object"}},
    "/v1/messages": {**TOOL, "input_schema": {"type": "object"}},
}
NOTE = "Known from earlier calls: give `day` as YYYY-MM-DD, not as text."


def learned_before(hx: Hexad) -> None:
    """Two sessions of the user met the error, and what worked next was another form of
    the argument.
    """
    own = hx.scoped(namespace="default/dana")
    for session in ("earlier", "later"):
        own.observe(tool="book", args=GIVEN, error=FAILED, session=session)
        own.observe(
            tool="book", args={"day": "2026-01-31"}, result="ok", session=session
        )


def asked(gateway: str, path: str, history: list[dict[str, Any]], session: str) -> None:
    body = {
        "model": "m",
        "max_tokens": 9,
        "input" if "responses" in path else "messages": history,
    }
    sent = {"X-Hexad-User": "dana", "X-Hexad-Session": session}
    came = httpx2.post(
        f"{gateway}{path}", json={**body, "tools": [TOOLS[path]]}, headers=sent
    )
    assert came.status_code == 200


@requirement("EVID-04", "GATE-01")
@pytest.mark.parametrize("path", TOOLS)
def test_what_is_known_of_a_structured_tool_stands_behind_its_description(
    gateway: str, provider: Provider, hx: Hexad, path: str
) -> None:
    learned_before(hx)
    sent = []
    for number, message in enumerate(("Where is my parcel?", "Do you sell shoes?")):
        asked(gateway, path, [{"role": "user", "content": message}], f"s{number}")
        [tool] = provider.body["tools"]
        sent.append(json.dumps(tool))
        described = tool.get("function", tool)["description"]
        assert described == f"Book a room.\n\n{NOTE}"
    assert sent[0] == sent[1]


@requirement("EVID-04", "GATE-01")
@pytest.mark.parametrize("path", TOOLS)
def test_what_is_known_stands_behind_the_result_of_a_call_that_failed(
    gateway: str, provider: Provider, hx: Hexad, path: str
) -> None:
    learned_before(hx)
    asked(
        gateway,
        path,
        [{"role": "user", "content": "book a room"}, *TRANSCRIPTS[path]],
        "s1",
    )
    body = provider.body
    last = body["input" if "responses" in path else "messages"][-1]
    last = (
        last
        if "content" not in last or isinstance(last["content"], str)
        else last["content"][0]
    )
    result = last.get("output") or last["content"]
    assert result.startswith(f"{FAILED}\n\nFrom memory: Failed before (")
    assert 'What worked next: book(day="2026-01-31")' in result


@requirement("GATE-01")
def test_what_a_user_says_becomes_a_proposal_never_an_entry(
    gateway: str, hx: Hexad
) -> None:
    chat(gateway, "I prefer short answers. What is new?")
    [proposal] = eventually(hx.proposals.list)
    assert proposal.content == "I prefer short answers."
    assert "prefer" not in str(hx.knowledge.list())


@requirement("GATE-01")
def test_without_the_store_requests_still_pass_and_tokens_are_still_checked(
    tmp_path: Path, tokens: Tokens, provider: Provider
) -> None:
    token = secret(tokens)
    with (
        opened(tmp_path / "agent.db", semantic=False) as hx,
        running(provider) as upstream,
        serving(hx, tokens, upstream=upstream) as url,
    ):
        hx.store.close()
        came = chat(f"{url}/gateway", headers={"X-Hexad-Token": token})
        assert came.content == json.dumps(CHAT, indent=1).encode()
        assert chat(f"{url}/gateway").status_code == 401
        assert httpx2.get(f"{url}/healthz").status_code == 503


@requirement("GATE-01")
def test_a_provider_that_is_down_or_not_named_is_said_so(
    hx: Hexad, tokens: Tokens
) -> None:
    with serving(hx, tokens) as url:
        assert "--upstream" in chat(f"{url}/gateway").json()["error"]["message"]
    with serving(hx, tokens, upstream="http://127.0.0.1:9") as url:
        assert chat(f"{url}/gateway").status_code == 502


@requirement("API-01")
def test_interface_pages_and_gateway_are_the_same_over_postgresql(
    tokens: Tokens, provider: Provider
) -> None:
    where = new_schema()
    try:
        with (
            opened(where, semantic=False) as hx,
            running(provider) as upstream,
            serving(hx, tokens, upstream=f"{upstream}/v1") as url,
            caller(url) as api,
        ):
            saved = api.put(
                "/knowledge/deploy-window",
                json={"content": "Deploys happen on Tuesdays"},
            )
            stale = {"If-Match": saved.headers["etag"]}
            api.put(
                "/knowledge/deploy-window",
                json={"content": "Deploys happen on Thursdays"},
            )
            late = api.put(
                "/knowledge/deploy-window", json={"content": "mine"}, headers=stale
            )
            assert (saved.status_code, late.status_code) == (201, 412)
            assert api.get("/doctor").json()["ok"]
            assert "Thursdays" in httpx2.get(f"{url}/knowledge?key=deploy-window").text
            assert (
                "Thursdays" in httpx2.get(f"{url}/playground?message=when+deploys").text
            )
            assert chat(f"{url}/gateway").json() == CHAT
            assert (
                "Deploys happen on Thursdays" in provider.body["messages"][0]["content"]
            )
            assert "deploy-window" in httpx2.get(f"{url}/timeline").text
            assert httpx2.get(f"{url}/healthz").json() == {"status": "ok"}
    finally:
        drop_schema(where)
