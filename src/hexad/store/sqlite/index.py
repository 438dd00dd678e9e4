"""The index in SQL: postings for most rows, and the latest rows of each scope as they are.

A save would otherwise write a page for each of its words; so it writes one row, and every `MOST_FRESH`-th save writes
the postings of all of them. Readers cannot tell the difference.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from hexad.store.sqlite.statements import statements
from hexad.text.document import Document
from hexad.text.index import Posting, Statistics

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from hexad.store import Scope

COUNT: Final = 1 << 62  # the number under which a term's rows are counted; no row has it
MOST_FRESH: Final = 32
LONGEST_FRESH: Final = 256  # terms of a text that may wait
_CHUNK: Final = 450  # placeholders in one statement


@dataclass(slots=True)
class _Home:
    """What is known of a scope inside one transaction."""

    id: int
    rows: int
    length: int
    fresh: Sequence[tuple[int, str]]
    all_fresh: str = ""
    found: dict[str, list[Posting]] = field(default_factory=dict)
    read: dict[int, tuple[Mapping[str, int], int]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.all_fresh = "\n".join(words for _, words in self.fresh)

    def fresh_postings(self, term: str) -> list[Posting]:
        """The fresh rows that hold a term, newest first."""
        if term not in self.found:
            self.found[term] = list(self._holding(term)) if term in self.all_fresh else []
        return self.found[term]

    def _holding(self, term: str) -> Iterator[Posting]:
        for number, words in self.fresh:
            if term in words:  # quick, and rarely wrong
                weights, length = self._read(number, words)
                if term in weights:
                    yield Posting(number, weights[term], length)

    def _read(self, number: int, words: str) -> tuple[Mapping[str, int], int]:
        if number not in self.read:
            document = Document.unpack(words)
            self.read[number] = document.weights(), document.length
        return self.read[number]


class Index:
    """The terms of all scopes, over one connection inside one transaction."""

    def __init__(self, connection: sqlite3.Connection) -> None:
        self._connection = connection
        self._sql = statements()
        self._homes: dict[Scope, _Home] = {}

    def statistics(self, scope: Scope, terms: Collection[str]) -> Statistics:
        """What the index knows of these terms."""
        home = self._home(scope)
        if home is None:
            return Statistics(0, 0, {})
        counts = dict(self._counted(home, terms))
        for term in terms if home.fresh else ():
            found = len(home.fresh_postings(term))
            if found:
                counts[term] = counts.get(term, 0) + found
        return Statistics(home.rows, home.length, counts)

    def postings(self, scope: Scope, term: str, *, limit: int, below: int | None = None) -> Sequence[Posting]:
        """The rows that hold a term, newest number first."""
        home = self._home(scope)
        if home is None:
            return ()
        top = COUNT if below is None else below
        rows = self._run("postings", hashed(home.id, term), top, limit).fetchall()
        fresh = [posting for posting in home.fresh_postings(term) if posting.number < top] if home.fresh else []
        if fresh and rows and fresh[-1].number < rows[0][0]:  # an older row was saved again
            return sorted([*fresh, *rows], reverse=True)[:limit]
        return [*fresh, *rows][:limit] if fresh else rows

    def postings_among(self, scope: Scope, term: str, numbers: Collection[int]) -> Sequence[Posting]:
        """Those of the given rows that hold a term."""
        home = self._home(scope)
        if home is None:
            return ()
        found: list[Any] = [
            posting
            for chunk in chunks(numbers)
            for posting in self._connection.execute(
                f"SELECT number, weight, length FROM hexad_posting WHERE term = ? AND number IN ({marks(chunk)})",
                (hashed(home.id, term), *chunk),
            )
        ]
        return [*found, *(posting for posting in home.fresh_postings(term) if posting.number in numbers)]

    def replace(self, scope: Scope, number: int, old: str | None, new: Document | None) -> None:
        """Let a row be found by its new words, and no longer by its old ones."""
        if old is None and new is None:
            return
        home = self._home_id(scope)
        if old is not None:
            self._remove(home, number, old)
        if new is not None:
            self._add(home, number, new)
        self._homes.pop(scope, None)
        self._merge_if_enough(scope)

    def _add(self, home: int, number: int, document: Document) -> None:
        """A short text waits with the fresh ones; a long one would make every question read it whole."""
        fresh = document.length <= LONGEST_FRESH
        if fresh:
            self._run("add_fresh", home, number, document.pack())
        else:
            self._write_postings(sorted(_postings_of(home, number, document)))
        self._run("grow_scope", 1, document.length, int(fresh), home)

    def _remove(self, home: int, number: int, packed: str) -> None:
        document = Document.unpack(packed)
        fresh = self._run("remove_fresh", home, number).rowcount
        if not fresh:
            terms = sorted(hashed(home, term) for term in document.weights())
            self._many("remove_posting", [(term, number) for term in terms])
            self._many("count_down", [(term,) for term in terms])
            self._many("remove_unused_term", [(term,) for term in terms])
        self._run("grow_scope", -1, -document.length, -fresh, home)

    def _merge_if_enough(self, scope: Scope) -> None:
        home, _, _, fresh = self._run("scope", *scope).fetchone()
        if fresh < MOST_FRESH:
            return
        waiting = self._run("fresh", home).fetchall()
        postings = (_postings_of(home, number, Document.unpack(words)) for number, words in waiting)
        self._write_postings(sorted(chain.from_iterable(postings)))
        self._run("clear_fresh", home)
        self._run("no_more_fresh", home)

    def _write_postings(self, postings: Sequence[tuple[int, int, int, int]]) -> None:
        """In the order of their keys, so that what lies on one page is written at once."""
        self._many("add_posting", postings)
        self._many("count_up", sorted(Counter(posting[0] for posting in postings).items()))

    def _counted(self, home: _Home, terms: Collection[str]) -> Iterator[tuple[str, int]]:
        hashes = {hashed(home.id, term): term for term in terms}
        for chunk in chunks(hashes):
            for term, count in self._connection.execute(
                f"SELECT term, weight FROM hexad_posting WHERE term IN ({marks(chunk)}) AND number = {COUNT}", chunk
            ):
                yield hashes[term], count

    def _home(self, scope: Scope) -> _Home | None:
        """The scope, looked up once in a transaction."""
        if scope not in self._homes:
            found = self._run("scope", *scope).fetchone()
            if found is None:
                return None
            home, rows, length, fresh = found
            self._homes[scope] = _Home(home, rows, length, self._run("fresh", home).fetchall() if fresh else ())
        return self._homes[scope]

    def _home_id(self, scope: Scope) -> int:
        found = self._run("scope", *scope).fetchone()
        return int(found[0] if found else self._run("add_scope", *scope).lastrowid or 0)

    def _run(self, name: str, *values: object) -> sqlite3.Cursor:
        return self._connection.execute(self._sql[name], values)

    def _many(self, name: str, values: Collection[tuple[int, ...]]) -> None:
        self._connection.executemany(self._sql[name], values)


@lru_cache(maxsize=1 << 14)
def hashed(home: int, term: str) -> int:
    """A term of a scope as the index knows it: 64 bits tell all the words of the world apart."""
    digest = blake2b(f"{home} {term}".encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big", signed=True)


def chunks(values: Collection[Any]) -> Iterator[list[Any]]:
    """The values in lists that one statement can take."""
    listed = list(values)
    return (listed[start : start + _CHUNK] for start in range(0, len(listed), _CHUNK))


def marks(values: Sequence[object]) -> str:
    """A placeholder for each value."""
    return ",".join("?" * len(values))


def _postings_of(home: int, number: int, document: Document) -> Iterator[tuple[int, int, int, int]]:
    length = document.length
    return ((hashed(home, term), number, weight, length) for term, weight in document.weights().items())
