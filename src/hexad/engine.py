"""Where the paths meet: retrieve, assemble, explain, observe and watch over the ports
it is given.
"""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TYPE_CHECKING, Final

from hexad import signals
from hexad.context import assemble
from hexad.context.explanation import Explanation, judge
from hexad.context.layers import Judged
from hexad.context.past import as_of
from hexad.context.retriever import (
    ContextRetriever,
    Retriever,
    asked_for,
    failed_everywhere,
)
from hexad.context.selection import estimate_tokens
from hexad.context.standing import BUDGET, Room, Stands, read_standing
from hexad.context.two_memories import merged, standing_of_all
from hexad.errors import HexadError, InvalidInput
from hexad.memory import admission
from hexad.memory.usage.habits import Habits
from hexad.memory.usage.timeline import note_prompt
from hexad.model import RECORD_OF, Item, Layer, Prompt, Retrieval

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import Any

    from hexad.learning.observer import Observer
    from hexad.memory.workspace import Workspace
    from hexad.model import Association, TokenCounter
    from hexad.store import Store

_CANDIDATES: Final = 20  # items of a layer that an explanation shows
_FLUSH_PATIENCE: Final = 0.0  # an answer does not wait for the write lock to count uses


@dataclass(frozen=True, slots=True, kw_only=True, eq=False, repr=False)
class Engine:
    """Retrieval and memory of one scope."""

    workspace: Workspace
    retriever: Retriever
    max_per_layer: int
    counter: TokenCounter = estimate_tokens
    standing_budget: int = BUDGET
    tools: Mapping[str, Callable[..., Any]] = field(
        default_factory=dict
    )  # the agent's own, which skills call
    others: tuple[Engine, ...] = ()  # memories that are read besides, nearest first

    def retrieve(
        self,
        query: str,
        layers: Iterable[Layer | str] | None,
        max_per_layer: int | None,
        *,
        session: str | None,
    ) -> Retrieval:
        """The items that matter for a message."""
        wanted = None if layers is None else asked_for(layers)
        with signals.measured("retrieval") as facts:
            found = self._retrieved(query, wanted, max_per_layer, session=session)
            _note(facts, found)
        if not self.others:
            return found
        stored, limit = _stored(wanted), max_per_layer or self.max_per_layer
        more = [
            each.retrieve(query, stored, limit, session=session)
            for each in self.others
            if stored
        ]
        return merged([found, *more], limit)

    @property
    def own_retriever(self) -> ContextRetriever | None:
        """Hexad's own retriever; None if the engine was given another one."""
        own = self.retriever
        return own if isinstance(own, ContextRetriever) else None

    def as_of(self, when: datetime, empty: Callable[[], Store]) -> Engine:
        """This engine over what was known at a time, in new stores."""
        moment = admission.moment(
            "as_of", admission.instance("as_of", when, datetime, "a time")
        )
        own = self.own_retriever
        if moment is None or own is None:
            raise InvalidInput(
                "as_of", "needs Hexad's own retriever; this engine has another one"
            )
        return replace(
            self,
            retriever=as_of(own, moment, empty()),
            others=tuple(each.as_of(when, empty) for each in self.others),
        )

    def _retrieved(
        self,
        query: str,
        layers: Iterable[Layer | str] | None,
        max_per_layer: int | None,
        *,
        session: str | None,
    ) -> Retrieval:
        name = self.workspace.session_of(session) or None
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

    def turn(
        self,
        message: str,
        layers: Iterable[Layer | str] | None = None,
        *,
        session: str | None = None,
        wide: int = 0,
    ) -> tuple[Retrieval, Mapping[Layer, Sequence[Judged]]]:
        """Standing context and what was found besides it, and the candidates of each
        layer, up to ``wide`` of them.
        """
        wanted, room = None if layers is None else asked_for(layers), self._room
        with signals.measured("retrieval") as facts:
            found, candidates = self._turn(
                message, wanted, room, session=session, wide=wide
            )
            _note(facts, found)
        if not self.others:
            return found, candidates
        every, judged = [found], [candidates]
        for other in self.others:
            room = room.less(every[-1].standing)
            more, candidates = other._turn(  # noqa: SLF001 - one of us
                message, _stored(wanted), room, session=session, wide=wide
            )
            every.append(more)
            judged.append(candidates)
        together = {layer: list[Judged]() for layer in Layer}
        for one in judged:
            for layer, each in one.items():
                together[layer].extend(each)
        return merged(every, self.max_per_layer), together

    def _turn(
        self,
        message: str,
        layers: Sequence[Layer | str] | None,
        room: Room,
        *,
        session: str | None,
        wide: int,
    ) -> tuple[Retrieval, Mapping[Layer, Sequence[Judged]]]:
        own = self.own_retriever
        if own is not None and own.store is self.workspace.store:
            name = self.workspace.session_of(session) or None
            return own.examine(message, layers, session=name, wide=wide, room=room)
        stands, found = (
            self._standing(room),
            self._retrieved(message, layers, None, session=session),
        )
        ids = {item.id for item in (*stands.items, *stands.notes)}
        items, candidates = {}, {}
        for layer, every in found.items.items():
            known = ids if layer is Layer.USER_KNOWLEDGE else ()
            left = tuple(item for item in every if item.id not in known)
            if left:
                items[layer], candidates[layer] = left, [*map(Judged, left)]
        return replace(
            found,
            items=items,
            standing=stands.items,
            unfit=stands.unfit,
            noted=stands.notes,
        ), candidates

    def standing(self) -> tuple[Item, ...]:
        """The entries that are in every prompt."""
        room, found = self._room, list[tuple[Item, ...]]()
        for engine in (self, *self.others):
            found.append(engine._standing(room).items)  # noqa: SLF001 - one of us
            room = room.less(found[-1])
        return standing_of_all(found)

    @property
    def _room(self) -> Room:
        return Room(self.standing_budget, self.counter)

    def _standing(self, room: Room) -> Stands:
        here = self.workspace
        return read_standing(here.store, here.namespace, here.clock(), room, None)

    def assemble(
        self, base: str, retrieval: Retrieval, *, budget: int | None = None
    ) -> Prompt:
        """The base with the retrieved items after it. Pure: it counts and writes
        nothing.
        """
        admission.instance("base", base, str, "text")
        admission.instance(
            "retrieval", retrieval, Retrieval, "what retrieve() returned"
        )
        tokens = None if budget is None else admission.whole("budget", budget, low=0)
        return assemble(base, retrieval, budget=tokens, counter=self.counter)

    def shown(self, prompt: Prompt) -> None:
        """Record that a model got this prompt: one use of each item, and an offer of
        each fix.
        """
        admission.instance("prompt", prompt, Prompt, "what assemble() returned")
        if prompt.namespace != self.workspace.namespace:
            return  # another scope's items are not this scope's to count
        for distance, other in enumerate(self.others, start=1):
            theirs = tuple(
                replace(item, distance=0)
                for item in prompt.kept
                if item.distance == distance
            )
            other.shown(
                replace(prompt, kept=theirs, namespace=other.workspace.namespace)
            )
        prompt = replace(
            prompt, kept=tuple(item for item in prompt.kept if not item.distance)
        )
        full = False
        for layer in {item.layer for item in prompt.kept if item.layer in RECORD_OF}:
            used = [item.id for item in prompt.kept if item.layer is layer]
            full |= self.workspace.uses.add(
                self.workspace.namespace, layer, used, self.workspace.clock()
            )
        if full:
            self.workspace.flush(patience=_FLUSH_PATIENCE)
        if self.workspace.timeline:
            note_prompt(self.workspace, prompt)
        self.workspace.prompts.show(
            prompt.namespace, prompt.session or "", prompt.query, prompt.kept
        )
        learnings = [
            item.id for item in prompt.kept if item.layer is Layer.AGENT_LEARNINGS
        ]
        if learnings:
            self.observer.shown(learnings, prompt.session)

    def used(
        self, item: Item, query: str, *, session: str | None = None
    ) -> tuple[Association, ...]:
        """Associate the words of a question with the item that was used after it."""
        admission.instance("item", item, Item, "an item that retrieve() returned")
        if item.distance:
            return self.others[item.distance - 1].used(
                replace(item, distance=0), query, session=session
            )
        return Habits(self.workspace).teach(item.layer, item.id, query, session=session)

    @property
    def observer(self) -> Observer:
        """Learning in this engine's workspace."""
        from hexad.learning.observer import Observer  # noqa: PLC0415 - loads in 45 ms; retrieval needs none

        return Observer(self.workspace)

    def explain(
        self,
        message: str,
        *,
        base: str,
        layers: Iterable[Layer | str] | None,
        budget: int | None,
        session: str | None,
    ) -> Explanation:
        """Every candidate for a message's prompt, with its score and verdict."""
        started = time.perf_counter()
        wide = max(_CANDIDATES, self.max_per_layer)
        found, candidates = self.turn(message, layers, session=session, wide=wide)
        prompt = self.assemble(base, found, budget=budget)
        return judge(
            found,
            candidates,
            prompt,
            room=self._room,
            seconds=time.perf_counter() - started,
        )


def _note(facts: signals.Facts, found: Retrieval) -> None:
    """Note how long each layer's own work took and how many items it found."""
    if signals.wanted():
        facts |= {"standing": len(found.standing), "failures": len(found.failures)}
        facts |= {
            f"{layer}.seconds": seconds for layer, seconds in found.seconds.items()
        }
        facts |= {f"{layer}.items": len(items) for layer, items in found.items.items()}


def _stored(layers: Iterable[Layer | str] | None) -> tuple[Layer, ...]:
    """The layers that another memory is asked for: tools and the runtime state are the
    engine's own.
    """
    return tuple(layer for layer in asked_for(layers) if layer in RECORD_OF)
