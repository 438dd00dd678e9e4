"""A model provider on loopback that plays a script: Anthropic's messages and OpenAI's
responses, as streams.
"""

from __future__ import annotations

import json
import threading
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from typing import TYPE_CHECKING, Any

from hexad_testing.script import Call

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Answer = Callable[[dict[str, Any], str], list[str | Call]]

_IDS = count(1)
_START = {"id": "m", "type": "message", "role": "assistant", "model": "m", "content": [], "stop_reason": None,
          "stop_sequence": None, "usage": {"input_tokens": 1, "output_tokens": 1}}  # fmt: skip
_USAGE = {"input_tokens": 1, "output_tokens": 1, "total_tokens": 2}


@contextmanager
def provider(answer: Answer) -> Iterator[str]:
    """The address of a provider that answers each request by its body and key."""
    server = ThreadingHTTPServer(
        ("127.0.0.1", 0), type("Handler", (_Handler,), {"answer": staticmethod(answer)})
    )
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


class _Handler(BaseHTTPRequestHandler):
    answer: Answer

    def log_message(self, *_: Any) -> None:
        pass

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        make = _messages if "/messages" in self.path else _responses
        try:
            reply = self.answer(body, self.headers.get("x-api-key", ""))
        except Exception as error:
            failed = {
                "type": "error",
                "error": {"type": "invalid_request_error", "message": str(error)},
            }
            return self._send(400, "application/json", json.dumps(failed))
        text = "".join(
            f"event: {each['type']}\ndata: {json.dumps(each)}\n\n"
            for each in make(reply)
        )
        return self._send(200, "text/event-stream", text)

    def _send(self, status: int, kind: str, text: str) -> None:
        self.send_response(status)
        self.send_header("content-type", kind)
        self.end_headers()
        self.wfile.write(text.encode())


def _messages(reply: list[str | Call]) -> Iterator[dict[str, Any]]:
    yield {"type": "message_start", "message": _START}
    for index, each in enumerate(reply):
        if isinstance(each, str):
            block: Any = {"type": "text", "text": ""}
            delta = {"type": "text_delta", "text": each}
        else:
            block = {
                "type": "tool_use",
                "id": f"t{next(_IDS)}",
                "name": each.tool,
                "input": {},
            }
            delta = {"type": "input_json_delta", "partial_json": json.dumps(each.args)}
        yield {"type": "content_block_start", "index": index, "content_block": block}
        yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    stop = {
        "stop_reason": "tool_use"
        if any(isinstance(each, Call) for each in reply)
        else "end_turn"
    }
    yield {
        "type": "message_delta",
        "delta": {**stop, "stop_sequence": None},
        "usage": {"output_tokens": 1},
    }
    yield {"type": "message_stop"}


def _responses(reply: list[str | Call]) -> Iterator[dict[str, Any]]:
    yield {"type": "response.created", "response": {"id": "r"}}
    for index, each in enumerate(reply):
        if isinstance(each, str):
            said = [{"type": "output_text", "text": each}]
            item = {
                "type": "message",
                "role": "assistant",
                "id": f"m{next(_IDS)}",
                "content": said,
            }
        else:
            call = {
                "call_id": f"c{next(_IDS)}",
                "name": each.tool,
                "arguments": json.dumps(each.args),
            }
            item = {"type": "function_call", **call}
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": "response.completed", "response": {"id": "r", "usage": _USAGE}}
