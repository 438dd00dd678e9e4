"""The items of each session's latest prompt, in memory, so that a later use can be
credited to its question.

Forgetting anything clears every map of this process that holds texts of prompts:
`forgettable` names them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, TypeVar
from weakref import WeakSet

from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexad.model import Item, Layer

MOST_PROMPTS: Final = 4096  # sessions whose latest prompt is remembered


class Clearable(Protocol):
    """A map in memory."""

    def clear(self) -> None:
        """Remove everything."""


C = TypeVar("C", bound=Clearable)
_texts: Final[WeakSet[Clearable]] = WeakSet()


def forgettable(texts: C) -> C:
    """Clear this map whenever something is forgotten."""
    _texts.add(texts)
    return texts


def forget_texts() -> None:
    """Clear every map that holds texts of prompts; each turn looks its context up
    again.
    """
    for each in list(_texts):
        each.clear()


class ShownItems(NamedTuple):
    """The question of a prompt, and the items that went into it."""

    question: str
    items: frozenset[tuple[Layer, str]]  # those that were not credited yet


class Prompts:
    """The latest prompt of each session: in memory, bounded, and never another
    namespace's.
    """

    def __init__(self) -> None:
        self._latest = forgettable(Recent[tuple[str, str], ShownItems](MOST_PROMPTS))

    def show(
        self, namespace: str, session: str, question: str, items: Iterable[Item]
    ) -> None:
        """Remember what went into a session's prompt."""
        self._latest.put(
            (namespace, session),
            ShownItems(question, frozenset((item.layer, item.id) for item in items)),
        )

    def take(self, namespace: str, session: str, layer: Layer, id: str) -> str | None:
        """The question of the session's latest prompt, if the item was in it and was
        not taken before.
        """
        place, item = (namespace, session), (layer, id)
        shown = self._latest.get(place)
        if shown is None or item not in shown.items:
            return None
        before, _ = self._latest.update(
            place,
            lambda now: (now or shown)._replace(items=(now or shown).items - {item}),
        )
        return before.question if before is not None and item in before.items else None
