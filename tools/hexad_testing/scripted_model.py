"""`ScriptedModel`: an ADK model that plays back what it was given, for real agents
without a key or a network.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable, Iterable
from typing import Final, TypeAlias

from google.adk.models.base_llm import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types
from pydantic import PrivateAttr

from hexad_testing.script import Call, Reply, in_order

__all__ = ["Call", "Reply", "Script", "ScriptedModel"]
_NO_TOKENS: Final = types.GenerateContentResponseUsageMetadata(
    prompt_token_count=0, candidates_token_count=0
)
Script: TypeAlias = Iterable[Reply] | Callable[[LlmRequest], Reply]


class ScriptedModel(BaseLlm):
    """Answers from a script: a list of replies, played once in order, or a function
    from the request to a reply.

    A reply is a text, a `Call`, several of them, or an exception to raise. ``requests``
    holds every request as it came. When it streams, a text comes word by word. With
    many conversations at once, use a function: a list knows one order.

    >>> model = ScriptedModel.playing(["Hello."])
    >>> model.model, model.requests
    ('scripted', [])
    """

    _script: Callable[[LlmRequest], Reply] = PrivateAttr()
    _requests: list[LlmRequest] = PrivateAttr(default_factory=list)

    @classmethod
    def playing(cls, script: Script, *, model: str = "scripted") -> ScriptedModel:
        """A model that plays a script."""
        made = cls(model=model)
        made._script = script if callable(script) else in_order(script)
        return made

    @property
    def requests(self) -> list[LlmRequest]:
        """The requests that it got, in order."""
        return self._requests

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - ADK's signature
    ) -> AsyncGenerator[LlmResponse, None]:
        """The next reply."""
        self._requests.append(llm_request)
        reply = self._script(llm_request)
        if isinstance(reply, Exception):
            raise reply
        parts = [
            _part(each)
            for each in ((reply,) if isinstance(reply, str | Call) else reply)
        ]
        if stream:
            for word in (each for part in parts for each in (part.text or "").split()):
                said = types.Content(role="model", parts=[types.Part(text=f"{word} ")])
                yield LlmResponse(content=said, partial=True)
        yield LlmResponse(
            content=types.Content(role="model", parts=parts),
            partial=False,
            usage_metadata=_NO_TOKENS,
        )


def _part(reply: str | Call) -> types.Part:
    if isinstance(reply, str):
        return types.Part(text=reply)
    return types.Part(
        function_call=types.FunctionCall(name=reply.tool, args=dict(reply.args))
    )
