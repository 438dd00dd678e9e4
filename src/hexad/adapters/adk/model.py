"""`ContextAwareModel`: any ADK model, with context in each request."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager, aclosing, asynccontextmanager
from typing import TYPE_CHECKING, Any

from google.adk.models.base_llm import BaseLlm
from google.adk.models.registry import LLMRegistry
from pydantic import PrivateAttr

from hexad.adapters.adk.context import Recall
from hexad.adapters.adk.request import ContextPlace
from hexad.agents.context import BUDGET
from hexad.errors import InvalidInput

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator

    from google.adk.models.base_llm_connection import BaseLlmConnection
    from google.adk.models.llm_request import LlmRequest
    from google.adk.models.llm_response import LlmResponse

    from hexad.facade import Hexad


class ContextAwareModel(BaseLlm):
    """A model that gets what Hexad knows with each request. Make one with `wrap`.

    A model sees neither user nor session. With `HexadPlugin` or `adk_tools` beside it,
    context comes from the conversation's own memory and from the engine's; alone, from
    the engine's.
    """

    _inner: BaseLlm = PrivateAttr()
    _recall: Recall = PrivateAttr()

    def __init__(self, **_: Any) -> None:
        raise InvalidInput(
            "model", "make one with ContextAwareModel.wrap(hx, model_or_name)"
        )

    @classmethod
    def wrap(
        cls,
        hx: Hexad,
        model_or_name: BaseLlm | str,
        placement: str = ContextPlace.SYSTEM,
        budget: int = BUDGET,
    ) -> ContextAwareModel:
        """The model, or the one of that name, with context in each request it gets.

        ``placement`` is "system", the end of the system instruction, or "user_turn", in
        front of the user's latest message, where a provider's prompt cache keeps the
        whole system instruction. ``budget`` is in tokens.
        """
        inner = (
            LLMRegistry.new_llm(model_or_name)
            if isinstance(model_or_name, str)
            else model_or_name
        )
        if not isinstance(inner, BaseLlm):
            raise InvalidInput(
                "model_or_name",
                f"must be an ADK model or its name, not {type(inner).__name__}",
            )
        model = cls.model_construct(model=inner.model)
        model._inner = inner  # noqa: SLF001 - one of us
        model._recall = Recall(hx, placement, budget)  # noqa: SLF001 - one of us
        return model

    @property
    def wrapped(self) -> BaseLlm:
        """The model inside."""
        return self._inner

    def serves(self, hx: Hexad) -> bool:
        """Whether its context comes from the same memory as that of an adapter of this
        engine.
        """
        own = self._recall.memory.hx
        return own.enabled and own.store is hx.store and own.namespace == hx.namespace

    @property
    def capabilities(self) -> Any:
        """The capabilities of the model inside."""
        return self._inner.capabilities

    async def generate_content_async(
        self,
        llm_request: LlmRequest,
        stream: bool = False,  # noqa: FBT001, FBT002 - ADK's signature
    ) -> AsyncGenerator[LlmResponse, None]:
        """The answers of the model inside to the request with context."""
        request = await self._recall.augmented(llm_request)
        async with aclosing(
            self._inner.generate_content_async(request, stream=stream)
        ) as responses:
            async for response in responses:
                yield response

    def connect(
        self, llm_request: LlmRequest
    ) -> AbstractAsyncContextManager[BaseLlmConnection]:
        """A live connection of the model inside, opened with context."""
        return (
            self._connected(llm_request)
            if self._recall.memory.hx.enabled
            else self._inner.connect(llm_request)
        )

    @asynccontextmanager
    async def _connected(
        self, llm_request: LlmRequest
    ) -> AsyncIterator[BaseLlmConnection]:
        request = await self._recall.augmented(llm_request)
        async with self._inner.connect(request) as connection:
            yield connection
