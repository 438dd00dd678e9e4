"""An index of opaque terms in memory: which numbered documents hold a term, how often,
and how long they are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from hexad.text.document import Document


class Posting(NamedTuple):
    """One document that holds a term: how often, weighted by field, and how many terms
    the document has in all.
    """

    number: int
    weight: int
    length: int


class IndexStatistics(NamedTuple):
    """Counts of an index: its documents, all their terms, and the documents that hold
    each of some terms.
    """

    rows: int
    length: int
    frequencies: Mapping[str, int]


class TermIndex:
    """Postings in dictionaries."""

    def __init__(self) -> None:
        self._postings: dict[str, dict[int, Posting]] = {}
        self._rows = 0
        self._length = 0

    def add(self, number: int, document: Document) -> None:
        """Index a document under a number that is not in use."""
        self._rows += 1
        self._length += document.length
        for term, weight in document.weights().items():
            self._postings.setdefault(term, {})[number] = Posting(
                number, weight, document.length
            )

    def statistics(self, terms: Collection[str]) -> IndexStatistics:
        """The counts for these terms; a term that no document holds is absent."""
        known = {
            term: len(self._postings[term]) for term in terms if term in self._postings
        }
        return IndexStatistics(self._rows, self._length, known)

    def postings(self, term: str, *, limit: int) -> list[Posting]:
        """The documents that hold a term, highest number first."""
        held = self._postings.get(term, {})
        return [held[number] for number in sorted(held, reverse=True)[:limit]]

    def postings_among(self, term: str, numbers: Collection[int]) -> Sequence[Posting]:
        """Those of the given documents that hold a term, in any order."""
        held = self._postings.get(term, {})
        return [held[number] for number in numbers if number in held]
