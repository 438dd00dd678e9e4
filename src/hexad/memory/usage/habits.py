"""Learning from use: an item that was used after a question is found by that question's
words. Bounded, and fading.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from hexad.errors import InvalidInput, NotFound
from hexad.memory import admission
from hexad.memory.redaction import redact
from hexad.model import RECORD_OF, Association, Layer, Origin
from hexad.text import terms

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence
    from datetime import datetime

    from hexad.memory.workspace import Change, Workspace

TAUGHT: Final = 32  # words of one question that are learned, the first of them
MOST_CHARACTERS: Final = 16_384  # of a question that are read
MOST_TERMS: Final = 64  # words that are kept for one item, the strongest
HALF_LIFE_DAYS: Final = 90.0
FAINTEST: Final = 0.05  # a weight below this is dropped when its item is used again
_DAY: Final = 86_400.0


class Habits:
    """The words that led to an item before, of one namespace."""

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    def teach(
        self, layer: Layer, id: str, question: str, *, session: str | None = None
    ) -> tuple[Association, ...]:
        """Let the words of a question help find an item next time; returns all that is
        known of the item now.

        Secrets in the question are not learned. A stored item that cannot be found any
        more is `NotFound`.
        """
        if Layer.parse(layer) is Layer.RUNTIME_CONTEXT:
            raise InvalidInput(
                "item", "is the runtime state, which every question finds"
            )
        asked, name = (
            admission.instance("query", question, str, "text"),
            admission.key("id", id),
        )
        with self._workspace.change(actor=Origin.AGENT, session=session) as change:
            row = change.unit.get(layer, name) if layer in RECORD_OF else None
            if layer in RECORD_OF and (row is None or row.document is None):
                raise NotFound(layer.noun, name, self._workspace.namespace)
            return learn(change, layer, name, asked)

    def of(self, layer: Layer | str, id: str) -> tuple[Association, ...]:
        """The words that lead to one item, the strongest first."""
        with self._workspace.reading() as view:
            found = view.associations(Layer.parse(layer), admission.text("id", id))
        return tuple(sorted(found, key=lambda each: (-each.weight, each.term)))

    def list(self) -> tuple[Association, ...]:
        """Everything that was learned in this namespace, by layer, item and word."""
        with self._workspace.reading() as view:
            return tuple(view.associations())

    def reset(self, layer: Layer | str | None = None, id: str | None = None) -> int:
        """Forget all associations, or those of one layer or item; return their number."""
        wanted = None if layer is None else Layer.parse(layer)
        name = None if id is None else admission.text("id", id)
        if id is not None and wanted is None:
            raise InvalidInput("id", "needs the layer it is of")
        with self._workspace.change(actor=Origin.USER) as change:
            gone = change.unit.associations(wanted, name)
            unlearn(change, gone)
            change.audit(
                "habit.reset",
                f"{wanted or 'every layer'}/{id or 'all'}",
                {"words": len(gone)},
            )
        return len(gone)


def learn(
    change: Change, layer: Layer, id: str, question: str
) -> tuple[Association, ...]:
    """Record one more use of an item for a question, inside a transaction; return the
    item's associations.
    """
    words = dict.fromkeys(terms(redact(question[:MOST_CHARACTERS]).text, asking=True))
    held, now = change.unit.associations(layer, id), change.workspace.clock()
    learned = strengthened(
        held, layer, id, tuple(words)[:TAUGHT], session=change.session, now=now
    )
    change.unit.associate(layer, id, learned)
    change.audit("habit.teach", f"{layer}/{id}", {"words": len(learned)})
    return tuple(learned)


def credit(change: Change, layer: Layer, id: str) -> None:
    """Credit an item that the session's latest prompt offered for that prompt's
    question, once.
    """
    question = change.workspace.prompts.take(
        change.workspace.namespace, change.session, layer, id
    )
    if question is not None:
        learn(change, layer, id, question)


def unlearn(change: Change, gone: Collection[Association]) -> None:
    """Remove associations."""
    lost: dict[tuple[Layer, str], set[str]] = {}
    for each in gone:
        lost.setdefault((each.layer, each.id), set()).add(each.term)
    for (layer, name), words in lost.items():
        left = [
            each
            for each in change.unit.associations(layer, name)
            if each.term not in words
        ]
        change.unit.associate(layer, name, left)


def faded(learned: Association, now: datetime) -> float:
    """Its weight now: half of it after each half-life; a clock that went back adds
    nothing.
    """
    days = max(0.0, (now - learned.used).total_seconds() / _DAY)
    return float(learned.weight * 0.5 ** (days / HALF_LIFE_DAYS))


def strengthened(
    held: Iterable[Association],
    layer: Layer,
    id: str,
    terms: Collection[str],
    *,
    session: str,
    now: datetime,
) -> Sequence[Association]:
    """The associations of an item after one more use for a question with these terms."""
    weights = {
        each.term: replace(each, weight=faded(each, now), used=now) for each in held
    }
    for term in dict.fromkeys(terms):
        before = weights[term].weight if term in weights else 0.0
        weights[term] = Association(
            layer=layer, id=id, term=term, weight=before + 1, session=session, used=now
        )
    strongest = sorted(weights.values(), key=lambda each: (-each.weight, each.term))[
        :MOST_TERMS
    ]
    return [each for each in strongest if each.weight >= FAINTEST]
