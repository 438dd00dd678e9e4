"""Where the paths meet: retrieve, assemble, explain, observe and watch over the ports it is given."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from hexad.context import assemble
from hexad.context.explanation import Explanation, judge
from hexad.context.layers import Judged
from hexad.context.retriever import ContextRetriever, failed_everywhere
from hexad.context.selection import estimate_tokens
from hexad.errors import HexadError, InvalidInput
from hexad.memory import admission
from hexad.memory.habits import Habits
from hexad.model import RECORD_OF, Item, Layer, Prompt, Retrieval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Any

    from hexad.context.retriever import Retriever
    from hexad.learning.calls.watching import StepTool
    from hexad.learning.observer import Observer
    from hexad.memory.workspace import Workspace
    from hexad.model import Association, TokenCounter

_CANDIDATES: Final = 20  # items of a layer that an explanation shows
_FLUSH_PATIENCE: Final = 0.0  # an answer does not wait for the write lock to count uses


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Retrieval and memory of one scope."""

    workspace: Workspace
    retriever: Retriever
    max_per_layer: int
    counter: TokenCounter = estimate_tokens
    tools: Mapping[str, Callable[..., Any]] = field(default_factory=dict)  # the agent's own, which skills call

    def retrieve(
        self,
        query: str,
        layers: Iterable[Layer | str] | None = None,
        max_per_layer: int | None = None,
        *,
        session: str | None = None,
    ) -> Retrieval:
        """The items that matter for a message."""
        name = session if session is not None else self.workspace.session or None
        try:
            return self.retriever.retrieve(query, layers, max_per_layer, session=name)
        except HexadError:
            raise
        except Exception as error:  # noqa: BLE001 - a user's own retriever may be down; the agent goes on
            return Retrieval(
                query=query,
                failures=failed_everywhere(layers, error),
                namespace=self.workspace.namespace,
                session=name,
            )

    def assemble(self, base: str, retrieval: Retrieval, *, budget: int | None = None) -> Prompt:
        """The base with the retrieved items after it. Pure: it counts and writes nothing."""
        if not isinstance(base, str):
            raise InvalidInput("base", f"must be text, not {type(base).__name__}")
        if not isinstance(retrieval, Retrieval):
            raise InvalidInput("retrieval", f"must be what retrieve() returned, not {type(retrieval).__name__}")
        tokens = None if budget is None else admission.whole("budget", budget, low=0)
        return assemble(base, retrieval, budget=tokens, counter=self.counter)

    def shown(self, prompt: Prompt) -> None:
        """Record that a model got this prompt: one use of each item, and an offer of each fix."""
        if not isinstance(prompt, Prompt):
            raise InvalidInput("prompt", f"must be what assemble() returned, not {type(prompt).__name__}")
        if prompt.namespace != self.workspace.namespace:
            return  # another scope's items are not this scope's to count
        self._count_uses(prompt)
        self.workspace.prompts.show(prompt.namespace, prompt.session or "", prompt.query, prompt.kept)
        learnings = [item.id for item in prompt.kept if item.layer is Layer.AGENT_LEARNINGS]
        if learnings:
            self.observer.shown(learnings, prompt.session)

    def used(self, item: Item, query: str, *, session: str | None = None) -> tuple[Association, ...]:
        """Associate the words of a question with the item that was used after it."""
        if not isinstance(item, Item):
            raise InvalidInput("item", f"must be an item that retrieve() returned, not {type(item).__name__}")
        if not isinstance(query, str):
            raise InvalidInput("query", f"must be text, not {type(query).__name__}")
        return Habits(self.workspace).teach(item.layer, item.id, query, session=session)

    @property
    def observer(self) -> Observer:
        """Learning in this engine's workspace."""
        from hexad.learning.observer import Observer  # noqa: PLC0415 - loads in 45 ms; retrieval needs none

        return Observer(self.workspace)

    def step_tool(self, name: str, tool: Callable[..., Any], session: str | None) -> StepTool:
        """A tool as a skill's step calls it, observed."""
        return self.observer.step_tool(name, tool, session)

    def explain(
        self,
        message: str,
        *,
        base: str = "",
        layers: Iterable[Layer | str] | None = None,
        budget: int | None = None,
        session: str | None = None,
    ) -> Explanation:
        """Every candidate for a message's prompt, with its score and verdict."""
        started = time.perf_counter()
        if isinstance(self.retriever, ContextRetriever):
            name = session if session is not None else self.workspace.session or None
            wide = max(_CANDIDATES, self.max_per_layer)
            found, candidates = self.retriever.examine(message, layers, session=name, wide=wide)
        else:
            found = self.retrieve(message, layers, session=session)
            candidates = {layer: [Judged(item) for item in items] for layer, items in found.items.items()}
        prompt = self.assemble(base, found, budget=budget)
        return judge(found, candidates, prompt, seconds=time.perf_counter() - started)

    def _count_uses(self, prompt: Prompt) -> None:
        full = False
        for layer in {item.layer for item in prompt.kept if item.layer in RECORD_OF}:
            used = [item.id for item in prompt.kept if item.layer is layer]
            full |= self.workspace.uses.add(self.workspace.namespace, layer, used, self.workspace.clock())
        if full:
            self.workspace.uses.flush(self.workspace.store, patience=_FLUSH_PATIENCE)
