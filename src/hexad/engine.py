"""Where the paths meet: retrieve, assemble and explain over the ports it is given."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from hexad.context import assemble
from hexad.context.explanation import Explanation, judge
from hexad.context.retriever import failed_everywhere
from hexad.context.selection import estimate_tokens
from hexad.errors import HexadError, InvalidInput
from hexad.memory import admission
from hexad.model import RECORD_OF, Retrieval

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexad.context.retriever import Retriever
    from hexad.memory.keeper import Keeper
    from hexad.model import Layer, Prompt, TokenCounter

_CANDIDATES: Final = 20  # items of a layer that an explanation shows
_FLUSH_PATIENCE: Final = 0.0  # an answer does not wait for the write lock to count uses


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Retrieval and memory of one scope."""

    keeper: Keeper
    retriever: Retriever
    max_per_layer: int
    counter: TokenCounter = estimate_tokens

    def retrieve(
        self,
        query: str,
        layers: Iterable[Layer | str] | None = None,
        max_per_layer: int | None = None,
        *,
        session: str | None = None,
    ) -> Retrieval:
        """The items that matter for a message."""
        name = session if session is not None else self.keeper.session or None
        try:
            return self.retriever.retrieve(query, layers, max_per_layer, session=name)
        except HexadError:
            raise
        except Exception as error:  # noqa: BLE001 - a retriever that is not ours may be down; the agent goes on
            return Retrieval(
                query=query,
                failures=failed_everywhere(layers, error),
                namespace=self.keeper.namespace,
                session=name,
            )

    def assemble(self, base: str, retrieval: Retrieval, *, budget: int | None = None) -> Prompt:
        """The prompt, and one more use for each item in it."""
        prompt = self._assembled(base, retrieval, budget)
        self._count_uses(prompt, retrieval)
        return prompt

    def explain(
        self,
        message: str,
        *,
        base: str = "",
        layers: Iterable[Layer | str] | None = None,
        budget: int | None = None,
        session: str | None = None,
    ) -> Explanation:
        """Why the prompt for a message is what it is; nothing is counted as used."""
        started = time.perf_counter()
        found = self.retrieve(message, layers, session=session)
        prompt = self._assembled(base, found, budget)
        stored = [layer for layer in found.items if layer in RECORD_OF]
        more = self.retrieve(message, stored, max(_CANDIDATES, self.max_per_layer), session=session).items
        wide = replace(found, items={**found.items, **more})
        return judge(wide, prompt, self.max_per_layer, seconds=time.perf_counter() - started)

    def _assembled(self, base: str, retrieval: Retrieval, budget: int | None) -> Prompt:
        if not isinstance(base, str):
            raise InvalidInput("base", f"must be text, not {type(base).__name__}")
        if not isinstance(retrieval, Retrieval):
            raise InvalidInput("retrieval", f"must be what retrieve() returned, not {type(retrieval).__name__}")
        tokens = None if budget is None else admission.whole("budget", budget, low=0)
        return assemble(base, retrieval, budget=tokens, counter=self.counter)

    def _count_uses(self, prompt: Prompt, retrieval: Retrieval) -> None:
        if retrieval.namespace != self.keeper.namespace:
            return  # what another scope found is not this scope's to change
        full = False
        for layer in {item.layer for item in prompt.kept if item.layer in RECORD_OF}:
            used = [item.id for item in prompt.kept if item.layer is layer]
            full |= self.keeper.uses.add(self.keeper.scope(layer), used, self.keeper.clock())
        if full:
            self.keeper.uses.flush(self.keeper.store, patience=_FLUSH_PATIENCE)
