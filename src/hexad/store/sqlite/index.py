"""The index in SQL: postings for most rows, and the latest rows of each layer unsplit.
This module writes it.

A save would otherwise write a page for each of its words. So it writes one row, and
every `MOST_FRESH`-th save writes the postings of all of them. `search.py` reads both,
and readers see no difference.
"""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from hexad.store.sqlite.statements import Queries
from hexad.text.document import Document

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from hexad.model import Layer

COUNT: Final = (
    1 << 62
)  # the number under which a term's rows are counted; no row has it
MOST_FRESH: Final = 32
LONGEST_FRESH: Final = 256  # terms of a text that may stay unsplit
_CHUNK: Final = 4000  # placeholders in one statement
_SCOPE: Final = "SELECT id FROM hexad_scope WHERE namespace = ? AND layer = ?"
_ADD_SCOPE: Final = "INSERT INTO hexad_scope (namespace, layer, rows, length, fresh) VALUES (?, ?, 0, 0, 0)"
_GROW_SCOPE: Final = (
    "UPDATE hexad_scope SET rows = rows + ?, length = length + ?, fresh = fresh "
    "+ ? WHERE id = ? RETURNING fresh"
)
_FRESH: Final = (
    "SELECT number, words FROM hexad_fresh WHERE scope = ? ORDER BY number DESC"
)
_ADD_FRESH: Final = "INSERT INTO hexad_fresh (scope, number, words) VALUES (?, ?, ?)"
_REMOVE_FRESH: Final = "DELETE FROM hexad_fresh WHERE scope = ? AND number = ?"
_CLEAR_FRESH: Final = "DELETE FROM hexad_fresh WHERE scope = ?"
_NO_MORE_FRESH: Final = "UPDATE hexad_scope SET fresh = 0 WHERE id = ?"
_COUNT_UP: Final = (
    f"INSERT INTO hexad_posting (term, number, weight, length) VALUES (?, {COUNT}, ?, 0) ON CONFLICT (term, number) DO "
    "UPDATE SET weight = weight + excluded.weight"
)
_COUNT_DOWN: Final = (
    f"UPDATE hexad_posting SET weight = weight - 1 WHERE term = ? AND number = {COUNT}"
)
_REMOVE_UNUSED_TERM: Final = (
    f"DELETE FROM hexad_posting WHERE term = ? AND number = {COUNT} AND weight = 0"
)
_ADD_POSTING: Final = (
    "INSERT INTO hexad_posting (term, number, weight, length) VALUES (?, ?, ?, ?)"
)
_REMOVE_POSTING: Final = "DELETE FROM hexad_posting WHERE term = ? AND number = ?"
_REMOVE_POSTINGS: Final = "DELETE FROM hexad_posting WHERE term = ?"
_NEW_HOME: Final = (
    "UPDATE hexad_scope SET id = (SELECT max(id) + 1 FROM hexad_scope), rows = "
    "0, length = 0, fresh = 0 WHERE id = ?"
)


class Index(Queries):
    """The terms of a namespace: `Unit` adds the rest of the ports."""

    def _reindex(
        self, layer: Layer, number: int, old: str | None, new: Document | None
    ) -> None:
        """Let a row be found by its new words, and no longer by its old ones."""
        if old is None and new is None:
            return
        home = self._home(layer)
        if old is not None:
            self._remove_words(home, number, old)
        if new is not None:
            self._add_words(home, number, new)

    def _clear_layer(self, layer: Layer, rows: Sequence[object]) -> None:
        """Remove the postings of a layer's rows, as far as their words can be read, and
        begin a new home for it.
        """
        home, terms = self._home(layer), set[int]()
        for words in rows:
            with suppress(ValueError, AttributeError, TypeError):
                terms.update(
                    hashed(home, term) for term in Document.unpack(str(words)).weights()
                )
        self._many(_REMOVE_POSTINGS, [(term,) for term in sorted(terms)])
        self._run(_CLEAR_FRESH, home)
        self._run(_NEW_HOME, home)

    def _add_words(self, home: int, number: int, document: Document) -> None:
        """A short text stays unsplit for a while; a long one would make every question
        read it whole.
        """
        fresh = document.length <= LONGEST_FRESH
        if fresh:
            self._run(_ADD_FRESH, home, number, document.pack())
        else:
            self._write_postings(sorted(_postings_of(home, number, document)))
        waiting = self._run(
            _GROW_SCOPE, 1, document.length, int(fresh), home
        ).fetchall()
        if waiting[0][0] >= MOST_FRESH:
            self._merge_fresh(home)

    def _remove_words(self, home: int, number: int, packed: str) -> None:
        document = Document.unpack(packed)
        fresh = self._run(_REMOVE_FRESH, home, number).rowcount
        if not fresh:
            terms = sorted(hashed(home, term) for term in document.weights())
            self._many(_REMOVE_POSTING, [(term, number) for term in terms])
            self._many(_COUNT_DOWN, [(term,) for term in terms])
            self._many(_REMOVE_UNUSED_TERM, [(term,) for term in terms])
        self._run(_GROW_SCOPE, -1, -document.length, -fresh, home).fetchall()

    def _merge_fresh(self, home: int) -> None:
        waiting = self._run(_FRESH, home).fetchall()
        postings = (
            _postings_of(home, number, Document.unpack(words))
            for number, words in waiting
        )
        self._write_postings(sorted(chain.from_iterable(postings)))
        self._run(_CLEAR_FRESH, home)
        self._run(_NO_MORE_FRESH, home)

    def _write_postings(self, postings: Sequence[tuple[int, int, int, int]]) -> None:
        """In the order of their keys, so that what lies on one page is written at once."""
        self._many(_ADD_POSTING, postings)
        self._many(
            _COUNT_UP, sorted(Counter(posting[0] for posting in postings).items())
        )

    def _home(self, layer: Layer) -> int:
        found = self._run(_SCOPE, self.namespace, layer).fetchone()
        return int(
            found[0]
            if found
            else self._run(_ADD_SCOPE, self.namespace, layer).lastrowid or 0
        )


@lru_cache(maxsize=1 << 14)
def hashed(home: int, term: str) -> int:
    """The key of a term in one layer of one namespace: 64 bits are enough for all
    words.
    """
    digest = blake2b(f"{home} {term}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def chunks(values: Collection[Any]) -> Iterator[list[Any]]:
    """The values in lists that one statement can take."""
    listed = list(values)
    return (listed[start : start + _CHUNK] for start in range(0, len(listed), _CHUNK))


def padded(values: Collection[Any], size: int = 8) -> list[Any]:
    """The values, the last one repeated up to a multiple of ``size``: so few statements
    differ in their length, and those that were compiled before are used again.
    """
    listed = list(values)
    return listed + listed[-1:] * (-len(listed) % size)


def placeholders(values: Sequence[object]) -> str:
    """A placeholder for each value."""
    return ",".join("?" * len(values))


def _postings_of(
    home: int, number: int, document: Document
) -> Iterator[tuple[int, int, int, int]]:
    length = document.length
    return (
        (hashed(home, term), number, weight, length)
        for term, weight in document.weights().items()
    )
