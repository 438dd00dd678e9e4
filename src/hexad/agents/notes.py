"""Notes about objects that belong to a framework."""

from __future__ import annotations

import weakref
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class Notes(Generic[T]):
    """Values for objects that cannot be hashed or changed: keyed by identity, kept
    while the object lives.
    """

    def __init__(self) -> None:
        self._known: dict[int, tuple[weakref.ref[Any], T]] = {}

    def put(self, thing: object, note: T) -> None:
        """Keep a value for an object."""
        place = id(thing)
        self._known[place] = (
            weakref.ref(thing, lambda _: self._known.pop(place, None) and None),
            note,
        )

    def of(self, thing: object) -> T | None:
        """The value of that very object."""
        known = self._known.get(id(thing))
        return known[1] if known is not None and known[0]() is thing else None

    def __len__(self) -> int:
        return len(self._known)
