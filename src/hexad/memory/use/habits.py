"""Learning from use: an item that was used after a question is found by that question's words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from hexad.errors import InvalidInput, NotFound
from hexad.memory import admission
from hexad.memory.redaction import redact
from hexad.memory.use.associations import strengthened
from hexad.model import RECORD_OF, Layer, Origin
from hexad.text import terms

if TYPE_CHECKING:
    from collections.abc import Collection

    from hexad.memory.workspace import Change, Workspace
    from hexad.model import Association

TAUGHT: Final = 32  # words of one question that are learned, the first of them
MOST_CHARACTERS: Final = 16_384  # of a question that are read


class Habits:
    """The words that led to an item before, of one namespace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def teach(self, layer: Layer, id: str, question: str, *, session: str | None = None) -> tuple[Association, ...]:
        """Let the words of a question help find an item next time; returns all that is known of the item now.

        Secrets in the question are not learned. A stored item that cannot be found any more is `NotFound`.
        """
        if Layer.parse(layer) is Layer.RUNTIME_CONTEXT:
            raise InvalidInput("item", "is the runtime state, which every question finds")
        if not isinstance(question, str):
            raise InvalidInput("question", f"must be text, not {type(question).__name__}")
        name = admission.key("id", id)
        with self._workspace.change(actor=Origin.AGENT, session=session) as change:
            if layer in RECORD_OF and not _is_indexed(change, layer, name):
                raise NotFound(layer.noun, name, self._workspace.namespace)
            return learn(change, layer, name, question)

    def of(self, layer: Layer | str, id: str) -> tuple[Association, ...]:
        """The words that lead to one item, the strongest first."""
        with self._workspace.reading() as view:
            found = view.associations(Layer.parse(layer), id)
        return tuple(sorted(found, key=lambda each: (-each.weight, each.term)))

    def list(self) -> tuple[Association, ...]:
        """Everything that was learned in this namespace, by layer, item and word."""
        with self._workspace.reading() as view:
            return tuple(view.associations())

    def reset(self, layer: Layer | str | None = None, id: str | None = None) -> int:
        """Forget all associations, or those of one layer or item; return their number."""
        wanted = None if layer is None else Layer.parse(layer)
        if id is not None and wanted is None:
            raise InvalidInput("id", "needs the layer it is of")
        with self._workspace.change(actor=Origin.USER) as change:
            gone = change.unit.associations(wanted, id)
            unlearn(change, gone)
            change.audit("habit.reset", f"{wanted or 'every layer'}/{id or 'all'}", {"words": len(gone)})
        return len(gone)


def learn(change: Change, layer: Layer, id: str, question: str) -> tuple[Association, ...]:
    """Record one more use of an item for a question, inside a transaction; return the item's associations."""
    words = dict.fromkeys(terms(redact(question[:MOST_CHARACTERS]).text, asking=True))
    learned = strengthened(
        change.unit.associations(layer, id),
        layer,
        id,
        tuple(words)[:TAUGHT],
        session=change.session,
        now=change.workspace.clock(),
    )
    change.unit.associate(layer, id, learned)
    change.audit("habit.teach", f"{layer}/{id}", {"words": len(learned)})
    return tuple(learned)


def credit(change: Change, layer: Layer, id: str) -> None:
    """Credit an item that the session's latest prompt offered for that prompt's question, once."""
    question = change.workspace.prompts.take(change.workspace.namespace, change.session, layer, id)
    if question is not None:
        learn(change, layer, id, question)


def unlearn(change: Change, gone: Collection[Association]) -> None:
    """Remove associations."""
    lost: dict[tuple[Layer, str], set[str]] = {}
    for each in gone:
        lost.setdefault((each.layer, each.id), set()).add(each.term)
    for (layer, name), words in lost.items():
        left = [each for each in change.unit.associations(layer, name) if each.term not in words]
        change.unit.associate(layer, name, left)


def _is_indexed(change: Change, layer: Layer, id: str) -> bool:
    row = change.unit.get(layer, id)
    return row is not None and row.document is not None
