"""`Recent`: a map of the latest entries, for threads and child processes alike;
`LatestResults`: results to reuse.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING, Generic, TypeVar

from hexad.fork import survive_fork

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

K = TypeVar("K")
V = TypeVar("V")
G = TypeVar("G")


class Recent(Generic[K, V]):
    """At most ``most`` entries; the one used least recently goes first.

    ``inherited`` says whether a child process keeps the entries of its parent.

    >>> latest = Recent[str, int](2)
    >>> for word in ("one", "two", "one", "three"):
    ...     _ = latest.update(word, lambda count: (count or 0) + 1)
    >>> list(latest), latest.get("one")
    (['one', 'three'], 2)
    """

    def __init__(self, most: int, *, inherited: bool = False) -> None:
        self._most = most
        self._inherited = inherited
        self._entries: OrderedDict[K, V] = OrderedDict()
        self._lock = threading.Lock()
        survive_fork(self)

    def after_fork(self) -> None:
        """A thread of the parent may have held the lock."""
        self._lock = threading.Lock()
        if not self._inherited:
            self._entries = OrderedDict()

    def get(self, key: K) -> V | None:
        """The value of a key, which counts as a use; None for an unknown key."""
        with self._lock:
            if key not in self._entries:
                return None
            self._entries.move_to_end(key)
            return self._entries[key]

    def put(self, key: K, value: V) -> None:
        """Keep a value under a key."""
        self.update(key, lambda _: value)

    def update(self, key: K, change: Callable[[V | None], V]) -> tuple[V | None, V]:
        """Replace a value by what ``change`` makes of it, in one step; returns the
        value before and after.
        """
        with self._lock:
            before = self._entries.get(key)
            after = self._entries[key] = change(before)
            self._entries.move_to_end(key)
            while len(self._entries) > self._most:
                self._entries.popitem(last=False)
            return before, after

    def pop(self, key: K) -> V | None:
        """Remove a key; returns its value."""
        with self._lock:
            return self._entries.pop(key, None)

    def clear(self) -> None:
        """Remove everything."""
        with self._lock:
            self._entries.clear()

    def __iter__(self) -> Iterator[K]:
        """The keys, least recently used first, as they are now."""
        with self._lock:
            return iter(list(self._entries))

    def __len__(self) -> int:
        return len(self._entries)


class LatestResults(Generic[K, G, V]):
    """The result for what was given last under a key: computed again once something
    else is given.

    >>> lengths = LatestResults[str, str, int](8)
    >>> lengths.of("name", "Ada", len), lengths.of("name", "Ada", lambda _: 99), lengths.of("name", "Grace", len)
    (3, 3, 5)
    """

    def __init__(self, most: int) -> None:
        self._known = Recent[K, tuple[G, V]](most)

    def of(self, key: K, given: G, compute: Callable[[G], V]) -> V:
        """What ``compute`` makes of ``given``, or made of an equal one the last time."""
        known = self._known.get(key)
        if known is None or known[0] != given:
            known = given, compute(given)
            self._known.put(key, known)
        return known[1]

    def clear(self) -> None:
        """Forget every result."""
        self._known.clear()
