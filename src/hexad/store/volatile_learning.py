"""Learning's ports over dictionaries: the calls and offers of each session, in the state that `volatile` keeps."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING

from hexad.model import Origin
from hexad.store.learning import OFFERED
from hexad.store.learning import skeleton as skeleton_of

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from datetime import datetime

    from hexad.model import Learning
    from hexad.store.learning import Call, Offer


class VolatileLearning(ABC):
    """The learning part of a volatile state. What it changes is replaced whole, so that taking it back is one step."""

    def __init__(self) -> None:
        super().__init__()
        self._undo: list[Callable[[], object]] = []
        self._calls: dict[str, tuple[Call, ...]] = {}
        self._offers: dict[str, dict[tuple[str, str], Offer]] = {}

    @abstractmethod
    def learnings(self, namespace: str) -> Sequence[Learning]: ...

    @abstractmethod
    def change_learning(self, namespace: str, id: str, change: Callable[[Learning], Learning]) -> None: ...

    # reading

    def templates(self, namespace: str, trigger: str, length: int | None, limit: int) -> Sequence[tuple[str, str]]:
        newest = reversed(self.learnings(namespace))
        fitting = (each for each in newest if each.trigger == trigger and length in {None, each.length})
        return [(each.template, each.id) for each in fitting][:limit]

    def open_templates(self, namespace: str, trigger: str, length: int, limit: int) -> Sequence[tuple[str, str]]:
        known = self.templates(namespace, trigger, length, len(self.learnings(namespace)))
        return [each for each in known if "<*>" in each[0]][:limit]

    def like_skeleton(self, namespace: str, trigger: str, skeleton: str, length: int) -> Sequence[tuple[str, str]]:
        known = self.templates(namespace, trigger, length, len(self.learnings(namespace)))
        return [each for each in known if skeleton_of(each[0]) == skeleton]

    def least_known(self, namespace: str, trigger: str, beyond: int) -> str | None:
        known = [each for each in self.learnings(namespace) if each.trigger == trigger]
        bare = (each.id for each in known if _is_bare(each))
        return next(bare, None) if len(known) >= beyond else None

    def calls(self, namespace: str, session: str, limit: int) -> Sequence[Call]:
        return [call for call in reversed(self._calls.get(namespace, ())) if call.session == session][:limit]

    def all_calls(self, namespace: str) -> Sequence[Call]:
        return sorted(self._calls.get(namespace, ()), key=lambda each: (each.session, each.number))

    def awaits_success(self, namespace: str, session: str, tool: str) -> bool:
        if any(each.state == OFFERED for each in self.offers(namespace, session)):
            return True
        calls = reversed(self._calls.get(namespace, ()))
        last = next((call for call in calls if (call.session, call.tool) == (session, tool)), None)
        return last is not None and not last.ok

    def offers(self, namespace: str, session: str) -> Sequence[Offer]:
        offers = self._offers.get(namespace, {})
        return [offers[place] for place in sorted(offers) if place[0] == session]

    # writing

    def see(self, namespace: str, id: str, at: datetime) -> None:
        self.change_learning(namespace, id, lambda known: replace(known, seen=known.seen + 1, updated=at))

    def see_template(self, namespace: str, trigger: str, template: str, length: int, at: datetime) -> str | None:
        wanted = (trigger, template, length)
        found = (each.id for each in self.learnings(namespace) if (each.trigger, each.template, each.length) == wanted)
        known = next(found, None)
        if known is not None:
            self.see(namespace, known, at)
        return known

    def add_call(self, namespace: str, call: Call) -> None:
        self._set_calls(namespace, sorted([*self._calls.get(namespace, ()), call], key=lambda each: each.number))

    def keep_calls(self, namespace: str, session: str, latest: int) -> None:
        known = self._calls.get(namespace, ())
        own = [each.number for each in known if each.session == session]
        last = own[-latest - 1] if len(own) > latest else -1
        self._set_calls(namespace, [each for each in known if each.session != session or each.number > last])

    def drop_calls(self, namespace: str, before: int) -> None:
        self._set_calls(namespace, [each for each in self._calls.get(namespace, ()) if each.number >= before])

    def put_offer(self, namespace: str, offer: Offer) -> None:
        self._set_offers(namespace, [*self._all_offers(namespace), offer])

    def drop_offers(self, namespace: str, before: datetime) -> None:
        self._set_offers(namespace, [each for each in self._all_offers(namespace) if each.at >= before])

    def relink(self, namespace: str, old: str, new: str | None) -> None:
        calls = self._calls.get(namespace, ())
        self._set_calls(
            namespace, [replace(each, learning=new or "") if each.learning == old else each for each in calls]
        )
        offers = self._all_offers(namespace)
        staying = [each for each in offers if each.learning != old]
        moved = [replace(each, learning=new) for each in offers if each.learning == old and new is not None]
        self._set_offers(namespace, [*moved, *staying])  # what the other was told itself is stronger

    def forget_calls(self, namespace: str, session: str | None) -> None:
        self._set_calls(
            namespace, [each for each in self._calls.get(namespace, ()) if session not in {None, each.session}]
        )
        self._set_offers(
            namespace, [each for each in self._all_offers(namespace) if session not in {None, each.session}]
        )

    def _all_offers(self, namespace: str) -> Sequence[Offer]:
        return tuple(self._offers.get(namespace, {}).values())

    def _set_calls(self, namespace: str, calls: Sequence[Call]) -> None:
        old = self._calls.get(namespace, ())
        self._calls[namespace] = tuple(calls)
        self._undo.append(lambda: self._calls.update({namespace: old}))

    def _set_offers(self, namespace: str, offers: Sequence[Offer]) -> None:
        old = self._offers.get(namespace, {})
        self._offers[namespace] = {(each.session, each.learning): each for each in offers}
        self._undo.append(lambda: self._offers.update({namespace: old}))


def _is_bare(learning: Learning) -> bool:
    return learning.origin is Origin.TOOL and learning.seen <= 1 and not learning.fix and not learning.diagnosis
