"""Which items each session's latest prompt offered: in memory, so that what is used then can be credited to it."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.fork import survive_fork

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexad.model import Item, Layer

MOST_PROMPTS: Final = 4096  # sessions whose latest prompt is remembered


class Shown(NamedTuple):
    """The question of a prompt, and the items that went into it."""

    question: str
    items: frozenset[tuple[Layer, str]]


class Prompts:
    """The latest prompt of each session: in memory, bounded, and never another namespace's."""

    def __init__(self) -> None:
        self.after_fork()
        survive_fork(self)

    def after_fork(self) -> None:
        """What was shown is the parent's; a thread of the parent may have held the lock."""
        self._latest: OrderedDict[tuple[str, str], Shown] = OrderedDict()
        self._lock = threading.Lock()

    def show(self, namespace: str, session: str, question: str, items: Iterable[Item]) -> None:
        """Remember what went into a session's prompt."""
        with self._lock:
            shown = Shown(question, frozenset((item.layer, item.id) for item in items))
            self._latest[namespace, session] = shown
            self._latest.move_to_end((namespace, session))
            while len(self._latest) > MOST_PROMPTS:
                self._latest.popitem(last=False)

    def forget(self, namespace: str, session: str | None) -> None:
        """Forget a session's prompt, or those of all sessions."""
        with self._lock:
            gone = [place for place in self._latest if place[0] == namespace and session in {None, place[1]}]
            for place in gone:
                del self._latest[place]

    def take(self, namespace: str, session: str, layer: Layer, id: str) -> str | None:
        """The question of the session's latest prompt, if the item was in it and was not taken before."""
        with self._lock:
            shown = self._latest.get((namespace, session))
            if shown is None or (layer, id) not in shown.items:
                return None
            self._latest[namespace, session] = shown._replace(items=shown.items - {(layer, id)})
            return shown.question
