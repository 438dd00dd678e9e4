"""What earlier questions teach: an item that was used after a question is found by that question's words."""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.errors import InvalidInput, NotFound
from hexad.fork import survive_fork
from hexad.memory.associations import strengthened
from hexad.memory.redaction import redact
from hexad.model import RECORD_OF, Layer, Origin
from hexad.store import Scope
from hexad.text import terms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from hexad.memory.keeper import Change, Keeper
    from hexad.model import Association, Item

TAUGHT: Final = 32  # words of one question that are learned, the first of them
MOST_CHARACTERS: Final = 16_384  # of a question that are read
MOST_PROMPTS: Final = 4096  # sessions whose latest prompt is remembered


class Habits:
    """The words that led to an item before, of one namespace."""

    def __init__(self, keeper: Keeper) -> None:
        self._keeper = keeper

    def teach(self, layer: Layer, id: str, question: str, *, session: str | None = None) -> tuple[Association, ...]:
        """Let the words of a question help find an item next time; returns all that is known of the item now.

        Secrets in the question are not learned. A stored item that is gone is `NotFound`.
        """
        if layer is Layer.RUNTIME_CONTEXT:
            raise InvalidInput("item", "is the runtime state, which is there whatever is asked")
        words = terms(redact(question[:MOST_CHARACTERS]).text, asking=True)
        with self._keeper.change(actor=Origin.AGENT, session=session) as change:
            scope = self._keeper.scope(layer)
            if layer in RECORD_OF and change.unit.get(scope, id) is None:
                raise NotFound(layer.noun, id, self._keeper.namespace)
            held = change.unit.associations_of(scope, id)
            learned = strengthened(
                held,
                layer,
                id,
                tuple(dict.fromkeys(words))[:TAUGHT],
                session=change.session,
                now=self._keeper.clock(),
            )
            change.unit.associate(scope, id, learned)
            change.audit("habit.teach", f"{layer}/{id}", {"words": len(learned)})
        return tuple(learned)

    def of(self, layer: Layer | str, id: str) -> tuple[Association, ...]:
        """What was learned of one item, the strongest word first."""
        with self._keeper.store.reading() as view:
            found = view.associations_of(self._keeper.scope(Layer.parse(layer)), id)
        return tuple(sorted(found, key=lambda each: (-each.weight, each.term)))

    def list(self) -> tuple[Association, ...]:
        """Everything that was learned in this namespace, by layer, item and word."""
        with self._keeper.store.reading() as view:
            return tuple(view.all_associations(self._keeper.namespace))

    def reset(self, layer: Layer | str | None = None, id: str | None = None) -> int:
        """Unlearn it all, or what is of one layer, or of one item; returns how many words went."""
        wanted = None if layer is None else Layer.parse(layer)
        if id is not None and wanted is None:
            raise InvalidInput("id", "needs the layer it is of")
        with self._keeper.change(actor=Origin.USER) as change:
            learned = change.unit.all_associations(self._keeper.namespace)
            gone = [each for each in learned if wanted in {None, each.layer} and id in {None, each.id}]
            unlearn(change, gone)
            change.audit("habit.reset", f"{wanted or 'every layer'}/{id or 'all'}", {"words": len(gone)})
        return len(gone)


def unlearn(change: Change, gone: Collection[Association]) -> None:
    """Take words away from the items they led to."""
    lost: dict[tuple[Layer, str], set[str]] = {}
    for each in gone:
        lost.setdefault((each.layer, each.id), set()).add(each.term)
    for (layer, name), words in lost.items():
        scope = Scope(change.keeper.namespace, layer)
        left = [each for each in change.unit.associations_of(scope, name) if each.term not in words]
        change.unit.associate(scope, name, left)


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

    def question_for(self, namespace: str, session: str, layer: Layer, id: str) -> str | None:
        """The question of the session's latest prompt, if the item was in it."""
        with self._lock:
            shown = self._latest.get((namespace, session))
        return shown.question if shown and (layer, id) in shown.items else None
