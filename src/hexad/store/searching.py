"""Which postings of a question are read, the same on every store: those of its rarest
terms, up to a fixed number.

The cost is bounded, however large the database is. Terms are opened in the order of
rarity, and a term names its newest rows as long as there is room. A term for which
there is no room only adds to rows that are there already.
"""

from __future__ import annotations

import math
from collections import Counter
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

from hexad.model import Association, Layer
from hexad.store import MOST_ASSOCIATIONS, LayerEvidence, Question, Row, VectorState
from hexad.text.document import SUBJECT, Document, facet
from hexad.text.index import IndexStatistics, Posting

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence


CAPACITY: Final = 600  # rows of a layer that are weighed by their postings
MAX_OPENED: Final = 64  # terms that are opened, the rarest first


def counted_terms(
    terms: Sequence[str], facets: Sequence[str], *, subjects: bool
) -> Sequence[str]:
    """The terms whose frequencies are needed: the question's, the facets, and the
    subjects that its terms may name.
    """
    return (
        (*terms, *facets, *(facet(SUBJECT, term) for term in terms))
        if subjects
        else (*terms, *facets)
    )


def opening_order(statistics: IndexStatistics, terms: Sequence[str]) -> list[str]:
    """The terms to open: the rarest first, then those that name a subject, which all
    rows about it hold.
    """
    known = statistics.frequencies
    rarest = sorted(known.keys() & set(terms), key=lambda term: (known[term], term))[
        :MAX_OPENED
    ]
    return sorted(rarest, key=lambda term: facet(SUBJECT, term) in known)


def evidence_of(
    question: Question,
    opened: Mapping[Layer, tuple[IndexStatistics, Opening, bool]],
    associations: Iterable[tuple[Association, int | None]],
    vectors: Mapping[Layer, VectorState],
    standing: Sequence[Row],
    *,
    own: bool,
    threads: bool = True,
) -> dict[Layer, LayerEvidence]:
    """The evidence of each layer, from its statistics, its opened terms, and whether
    rows may be left out of them.

    Associations come with the number of their item, if that is an indexed row.
    """
    known = list(associations)
    led = Counter((each.layer, each.term) for each, _ in known)
    found: dict[Layer, LayerEvidence] = {}
    for layer in question.layers:
        few = [
            pair
            for pair in known
            if pair[0].layer is layer and led[layer, pair[0].term] <= MOST_ASSOCIATIONS
        ]
        said = [each for each, _ in few]
        if layer not in opened:
            found[layer] = LayerEvidence(associations=said)
            continue
        entries = layer is Layer.USER_KNOWLEDGE
        statistics, opening, filtered = opened[layer]
        found[layer] = LayerEvidence(
            statistics,
            opening.postings,
            standing if entries else (),
            vectors.get(layer, VectorState()),
            said,
            {each.id: number for each, number in few if number is not None},
            filtered,
            own and entries,
            threads and entries,
        )
    return found


class Opening:
    """Collects the postings of terms, which must come in the order of opening."""

    def __init__(self) -> None:
        self.postings: dict[str, list[Posting]] = {}
        self._named = (
            0  # postings so far; rows are only counted once there may be too many
        )
        self._rows: dict[int, None] = {}
        self._overflowing: dict[
            str, int
        ] = {}  # the number of rows before each term that had more rows than room

    @property
    def room(self) -> int:
        """How many rows the next term may name."""
        if self._named and not self._rows:
            self._rows = dict.fromkeys(
                [
                    posting[0]
                    for postings in self.postings.values()
                    for posting in postings
                ]
            )
        return CAPACITY - len(self._rows)

    def add(self, term: str, newest: list[Posting]) -> None:
        """A term's rows, newest first, at least as many as there is room for if it has
        them.
        """
        self._named += len(newest)
        if self._named < CAPACITY and not self._rows:
            self.postings[term] = newest
            return
        room = self.room
        kept = newest[:room]
        if len(kept) == room:
            self._overflowing[term] = len(self._rows)
        self.postings[term] = kept
        self._rows.update(dict.fromkeys([posting[0] for posting in kept]))

    @property
    def unread(self) -> Mapping[str, Sequence[int]]:
        """The terms of which `complete` needs more postings, each with the rows to look
        for: those that other terms named before it and that are older than its own.
        """
        rows = list(self._rows) if self._overflowing else []
        wanted: dict[str, Sequence[int]] = {}
        for term, before in self._overflowing.items():
            oldest = self.postings[term][-1][0] if self.postings[term] else math.inf
            wanted[term] = [row for row in rows[:before] if row < oldest]
        return {term: older for term, older in wanted.items() if older}

    def complete(self, among: Mapping[str, Sequence[Posting]]) -> None:
        """For truncated terms, add their postings for rows that other terms found."""
        for term, postings in among.items():
            self.postings[term] += postings


@dataclass(slots=True)
class UnsplitRows:
    """The rows of a layer that have no postings yet, newest first: their words are read
    whole.
    """

    rows: Sequence[tuple[int, str]] = ()
    _terms: frozenset[str] | None = None
    _found: dict[str, list[Posting]] = field(default_factory=dict)
    _read: dict[int, tuple[Mapping[str, int], int]] = field(default_factory=dict)

    def postings(self, term: str) -> list[Posting]:
        """The rows that hold a term, newest first."""
        if self._terms is None:
            self._terms = frozenset(
                chain.from_iterable(
                    words.replace("\n", " ").split(" ") for _, words in self.rows
                )
            )
        if term not in self._terms:
            return []
        if term not in self._found:
            self._found[term] = list(self._holding(term))
        return self._found[term]

    def _holding(self, term: str) -> Iterator[Posting]:
        for number, words in self.rows:
            if term in words:  # quick, and rarely wrong
                if number not in self._read:
                    document = Document.unpack(words)
                    self._read[number] = document.weights(), document.length
                weights, length = self._read[number]
                if term in weights:
                    yield Posting(number, weights[term], length)
