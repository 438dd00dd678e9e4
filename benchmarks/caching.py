"""The input cost of a conversation with context, against the same without, where a
provider caches prompts.

A loop over a real client with memory: each turn has a message, three tool steps and an
answer. The provider keeps every prefix that it has seen, in blocks; a cached read costs
a tenth, and where writes cost more, they cost 1.25.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from benchmarks.corpus import entries, questions
from benchmarks.figures import Figure
from benchmarks.filling import fill
from hexad import Hexad

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

SIZE, TURNS, STEPS = 10_000, 12, 3
SYSTEM, RESULT, ANSWER = (
    8000,
    1200,
    500,
)  # characters: instructions with tools, a tool's result, an answer
BLOCK, CACHED, WRITTEN = 512, 0.1, 1.25
LIMIT = 1.3


def measure(folder: Path) -> Iterator[Figure]:
    """The same conversation with and without memory."""
    stored = list(entries(SIZE, seed=1))
    path = folder / f"{SIZE}.db"
    if not path.exists():
        fill(path, stored, lambda _done, _all: None)
    asked = list(questions(TURNS, seed=5, entries=stored))
    with Hexad.open(path, enabled=True, semantic=False) as hx:
        hx.knowledge.save(
            "answers", "Answer in one sentence, in metric units", category="preference"
        )
        without, with_it = _requests(None, asked), _requests(hx, asked)
    added = sum(map(len, with_it)) / sum(map(len, without))
    for written, limit in ((1.0, LIMIT), (WRITTEN, None)):
        ratio = _cost(with_it, written) / _cost(without, written)
        share = f"{_cached(with_it):.0%} of the input is cached, {_cached(without):.0%} without context"
        name = f"input cost of a conversation with context, cache writes at {written}, against none"
        yield Figure(
            name, ratio, limit, detail=f"{share}; {added:.2f} times the characters"
        )


def _requests(hx: Hexad | None, asked: Sequence[str]) -> list[str]:
    """The requests of a conversation, as the provider reads them."""
    import httpx2
    from openai import OpenAI

    from hexad.adapters.clients import with_memory

    seen: list[str] = []

    def answer(request: Any) -> Any:
        seen.append(
            "\n".join(
                json.dumps(each) for each in json.loads(request.content)["messages"]
            )
        )
        message = {"role": "assistant", "content": "x" * ANSWER}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return httpx2.Response(
            200,
            json={
                "id": "1",
                "object": "chat.completion",
                "created": 1,
                "model": "m",
                "choices": [choice],
            },
        )

    http = httpx2.Client(transport=httpx2.MockTransport(answer))
    client = OpenAI(api_key="k", base_url="http://localhost", http_client=http)
    client = client if hx is None else with_memory(client, hx, session="bench")
    said: list[Any] = [{"role": "system", "content": "You help. " * (SYSTEM // 10)}]
    for text in asked:
        said.append({"role": "user", "content": text})
        for step in range(STEPS):
            client.chat.completions.create(model="m", messages=said)
            said += _stepped(f"c{len(said)}", step)
        reply = client.chat.completions.create(model="m", messages=said)
        said.append({"role": "assistant", "content": reply.choices[0].message.content})
    return seen


def _stepped(call: str, step: int) -> list[Any]:
    function = {"name": "look_up", "arguments": json.dumps({"page": f"{call} {step}"})}
    made = {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": call, "type": "function", "function": function}],
    }
    return [
        made,
        {"role": "tool", "tool_call_id": call, "content": f"{call} " + "y" * RESULT},
    ]


def _cached_blocks(requests: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Of each request, how many characters are read from the cache, and how many are
    not.
    """
    known: set[str] = set()
    for text in requests:
        prefixes = [text[:end] for end in range(BLOCK, len(text) + 1, BLOCK)]
        hit = max((len(prefix) for prefix in prefixes if prefix in known), default=0)
        known.update(prefixes)
        yield hit, len(text) - hit


def _cached(requests: Sequence[str]) -> float:
    return sum(hit for hit, _ in _cached_blocks(requests)) / sum(map(len, requests))


def _cost(requests: Sequence[str], written: float) -> float:
    return sum(
        hit * CACHED + missed * written for hit, missed in _cached_blocks(requests)
    )


if __name__ == "__main__":
    from pathlib import Path
    from tempfile import TemporaryDirectory

    from benchmarks.figures import show

    with TemporaryDirectory(prefix="hexad-bench-") as place:
        show("Prompt caching", list(measure(Path(place))))
