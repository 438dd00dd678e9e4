"""Scripted models of frameworks that have a recipe but no adapter, for the pages about
them.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass
from itertools import count
from typing import Any

_IDS = count(1)


def _day(texts: Any) -> str | None:
    """The day that the model tries next; None once a room is booked."""
    text = "\n".join(map(str, texts))
    if "a room on 2026" in text:
        return None
    return (
        "2026-01-31" if "YYYY-MM-DD" in text or "cannot read" in text else "31/01/2026"
    )


def llama_index(model: str = "") -> Any:
    from llama_index.core.base.llms.types import (
        ChatMessage,
        ChatResponse,
        TextBlock,
        ToolCallBlock,
    )
    from llama_index.core.llms.llm import ToolSelection
    from llama_index.core.llms.mock import MockFunctionCallingLLM

    warnings.filterwarnings(
        "ignore", category=DeprecationWarning
    )  # it looks at all attributes of its agents

    class Scripted(MockFunctionCallingLLM):
        def _answer(self, messages: Any) -> Any:
            day = _day(each.content for each in messages)
            call = ToolCallBlock(
                tool_call_id=f"c{next(_IDS)}",
                tool_name="book",
                tool_kwargs={"day": day},
            )
            said = TextBlock(text="Booked.") if day is None else call
            return ChatResponse(
                message=ChatMessage(role="assistant", blocks=[said]), delta=""
            )

        async def astream_chat(self, messages: Any, **_: Any) -> Any:
            async def stream() -> Any:
                yield self._answer(messages)

            return stream()

        def _prepare_chat_with_tools(
            self, tools: Any, chat_history: Any = None, **_: Any
        ) -> Any:
            return {"messages": chat_history or []}

        def get_tool_calls_from_response(self, response: Any, **_: Any) -> Any:
            calls = [
                each
                for each in response.message.blocks
                if isinstance(each, ToolCallBlock)
            ]
            return [
                ToolSelection(
                    tool_id=each.tool_call_id,
                    tool_name=each.tool_name,
                    tool_kwargs=each.tool_kwargs,
                )
                for each in calls
            ]

    return Scripted()


def agno(id: str = "") -> Any:
    from agno.models.base import Model
    from agno.models.response import ModelResponse

    @dataclass
    class Scripted(Model):
        id: str = "scripted"

        def invoke(self, messages: Any, *_: Any, **__: Any) -> Any:
            day = _day(each.content for each in messages)
            if day is None:
                return ModelResponse(role="assistant", content="Booked.")
            function = {"name": "book", "arguments": json.dumps({"day": day})}
            call = {"id": f"c{next(_IDS)}", "type": "function", "function": function}
            return ModelResponse(role="assistant", tool_calls=[call])

        async def ainvoke(self, *given: Any, **named: Any) -> Any:
            return self.invoke(*given, **named)

        def invoke_stream(self, *given: Any, **named: Any) -> Any:
            yield self.invoke(*given, **named)

        async def ainvoke_stream(self, *given: Any, **named: Any) -> Any:
            yield self.invoke(*given, **named)

        def _parse_provider_response(self, response: Any, **_: Any) -> Any:
            return response

        _parse_provider_response_delta = _parse_provider_response

    return Scripted()


def smolagents(model: str = "") -> Any:
    from smolagents.models import (
        ChatMessage,
        ChatMessageToolCall,
        ChatMessageToolCallFunction,
        MessageRole,
        Model,
    )

    class Scripted(Model):
        def generate(self, messages: Any, **_: Any) -> Any:
            day = _day(each.content for each in messages)
            name, given = (
                ("final_answer", {"answer": "Booked."})
                if day is None
                else ("book", {"day": day})
            )
            function = ChatMessageToolCallFunction(name=name, arguments=given)
            call = ChatMessageToolCall(
                id=f"c{next(_IDS)}", type="function", function=function
            )
            return ChatMessage(
                role=MessageRole.ASSISTANT, content="", tool_calls=[call]
            )

    return Scripted()
