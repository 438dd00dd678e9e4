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
    from hexad.learning.attending import Attending
    from hexad.learning.outcome import FailureRule
    from hexad.memory.workspace import Workspace
    from hexad.model import Association, Learning, TokenCounter

_CANDIDATES: Final = 20  # items of a layer that an explanation shows
_FLUSH_PATIENCE: Final = 0.0  # an answer does not wait for the write lock to count uses
_OFFER_PATIENCE: Final = 0.1  # nor long to remember which fixes it holds


@dataclass(frozen=True, slots=True, kw_only=True)
class Engine:
    """Retrieval and memory of one scope."""

    workspace: Workspace
    retriever: Retriever
    max_per_layer: int
    counter: TokenCounter = estimate_tokens
    tools: Mapping[str, Callable[..., Any]] = field(default_factory=dict)  # the agent's own, to be called by skills

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
        except Exception as error:  # noqa: BLE001 - a retriever that is not ours may be down; the agent goes on
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
        self._remember_offers(prompt)

    def used(self, item: Item, query: str, *, session: str | None = None) -> tuple[Association, ...]:
        """Let the words of a question help find the item that was used after it."""
        if not isinstance(item, Item):
            raise InvalidInput("item", f"must be an item that retrieve() returned, not {type(item).__name__}")
        if not isinstance(query, str):
            raise InvalidInput("query", f"must be text, not {type(query).__name__}")
        return Habits(self.workspace).teach(item.layer, item.id, query, session=session)

    def observe(
        self,
        tool: str,
        *,
        args: object = None,
        result: object = None,
        error: object = None,
        session: str | None = None,
        failure: FailureRule | None = None,
        patience: float | None = None,
        strict: bool = False,
    ) -> Learning | None:
        """Learn from one call; the learning that its error belongs to. What cannot be written is logged, or raised."""
        from hexad.learning.advice import warn  # noqa: PLC0415
        from hexad.learning.evidence import PATIENCE, Recorder  # noqa: PLC0415 - who only remembers need not load it
        from hexad.learning.outcome import Passing, outcome_of  # noqa: PLC0415

        if isinstance(result, Passing):
            return None
        name, known = admission.key("tool", tool), self.workspace.session_of(session)
        try:
            outcome = outcome_of(name, arguments=args, result=result, error=error, session=known, failure=failure)
            return Recorder(self.workspace).record(outcome, patience=PATIENCE if patience is None else patience)
        except Exception as trouble:
            if strict:
                raise
            warn(name, trouble)  # an agent goes on, whatever its memory does
            return None

    def watch(
        self,
        tool: Callable[..., Any],
        *,
        advise: bool = False,
        name: str | None = None,
        session: str | None = None,
        failure: FailureRule | None = None,
    ) -> Callable[..., Any]:
        """The tool, observed."""
        from hexad.learning.tool_objects import is_tool_object, watched_object  # noqa: PLC0415
        from hexad.learning.watching import watched  # noqa: PLC0415

        return (watched_object if is_tool_object(tool) else watched)(
            self.workspace,
            tool,
            name=None if name is None else admission.key("name", name),
            session=None if session is None else self.workspace.session_of(session),
            failure=failure,
            advise=admission.flag("advise", advise),
        )

    def attend(self, name: str, tool: Callable[..., Any], session: str | None) -> Attending:
        """A tool as a skill's step calls it: watched, once, and judged by the rule that it is watched with."""
        from hexad.learning.attending import Attending  # noqa: PLC0415

        return Attending(self.workspace, name, tool, session)

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
        if isinstance(self.retriever, ContextRetriever):
            name = session if session is not None else self.workspace.session or None
            wide = max(_CANDIDATES, self.max_per_layer)
            found, candidates = self.retriever.examine(message, layers, session=name, wide=wide)
        else:
            found = self.retrieve(message, layers, session=session)
            candidates = {layer: [Judged(item) for item in items] for layer, items in found.items.items()}
        prompt = self.assemble(base, found, budget=budget)
        return judge(found, candidates, prompt, seconds=time.perf_counter() - started)

    def _remember_offers(self, prompt: Prompt) -> None:
        """Store which fixes the session saw, so that any process can credit them with what follows."""
        learnings = [item.id for item in prompt.kept if item.layer is Layer.AGENT_LEARNINGS]
        if learnings:
            from hexad.learning.record import remember_offers  # noqa: PLC0415

            remember_offers(self.workspace, learnings, session=prompt.session, patience=_OFFER_PATIENCE)

    def _count_uses(self, prompt: Prompt) -> None:
        full = False
        for layer in {item.layer for item in prompt.kept if item.layer in RECORD_OF}:
            used = [item.id for item in prompt.kept if item.layer is layer]
            full |= self.workspace.uses.add(self.workspace.namespace, layer, used, self.workspace.clock())
        if full:
            self.workspace.uses.flush(self.workspace.store, patience=_FLUSH_PATIENCE)
