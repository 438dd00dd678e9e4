"""How well a text answers a question, as a sum of named signals. Pure: the same arguments give the same score.

Words decide; everything else is a gentle prior whose greatest value is written here, so that it can order what
matches alike and never bury a clear match.

| signal | at most | what it says |
|---|---|---|
| words | 1.0 | the share of the question's rarity that the text holds (BM25 over name, body and tags) |
| phrase | 0.15 | neighbouring words of the question stand next to each other in the text |
| origin | 0.03 | a user said it |
| relevance | 0.02 | the weight that was given to the entry when it was saved |
| recency | 0.01 | it changed lately (half after 30 days) |
| use | 0.01 | it was put into prompts before |
"""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from hexad.model import Origin, Reason
from hexad.text.document import FIELD_WEIGHTS, Document

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hexad.context.candidates import Measure
    from hexad.model import Query
    from hexad.store import Sketch

PHRASE: Final = 0.15
ORIGIN: Final = 0.03
RELEVANCE: Final = 0.02
RECENCY: Final = 0.01
USE: Final = 0.01
SLACK: Final = PHRASE + ORIGIN + RELEVANCE + RECENCY + USE
"""The most that anything but words can add."""
_HALF_LIFE_DAYS: Final = 30.0
_DAY: Final = 86_400_000_000  # microseconds
_LINE: Final = "\n"
_USER: Final = Origin.USER.value
_NEAR: Final = 3  # words apart that still count as a phrase, in part


def score(words: float, terms: Sequence[str], sketch: Sketch, measure: Measure, now: int) -> float:
    """The sum of all signals, ``words`` being the share that the row's terms have; 0 where that is 0."""
    return words and words + _phrase(terms, sketch.words, measure) + sum(value for _, _, value in _priors(sketch, now))


def reasons(query: Query, sketch: Sketch, measure: Measure, now: int) -> tuple[Reason, ...]:
    """The same sum, told: one reason for each matching term and each signal that added something."""
    document, terms = Document.unpack(sketch.words), query.terms
    matching = [term for term in terms if term in measure.rarity and _occurrences(term, document)]
    told = [_told(term, query.spelled.get(term, term), document, measure) for term in matching]
    if told:
        told.append(Reason("phrase", "neighbouring words", _phrase(terms, sketch.words, measure)))
        told.extend(Reason(signal, _PRIORS[signal].format(seen), value) for signal, seen, value in _priors(sketch, now))
    return tuple(reason for reason in told if reason.value)


def _worth(term: str, occurrences: float, document: Document, measure: Measure) -> float:
    return measure.rarity[term] / measure.total * measure.saturated(occurrences, document.length)


def _occurrences(term: str, document: Document) -> int:
    return (
        document.body.count(term) * FIELD_WEIGHTS["body"]
        + document.name.count(term) * FIELD_WEIGHTS["name"]
        + document.tags.count(term) * FIELD_WEIGHTS["tags"]
    )


def _told(term: str, spelled: str, document: Document, measure: Measure) -> Reason:
    fields = [name for name in FIELD_WEIGHTS if term in getattr(document, name)]
    return Reason(
        "words", f"{spelled} in {' and '.join(fields)}", _worth(term, _occurrences(term, document), document, measure)
    )


def _phrase(terms: Sequence[str], packed: str, measure: Measure) -> float:
    """The rarity of neighbouring pairs that are near each other in the body, as a share of all pairs."""
    if len(terms) < 2:
        return 0.0
    body = f" {packed.split(_LINE, 2)[1]} "
    present = {term for term in terms if f" {term} " in body}
    rarity, total, found = measure.rarity, 0.0, 0.0
    for left, right in pairwise(terms):
        worth = rarity.get(left, 0.0) + rarity.get(right, 0.0)
        total += worth
        if left in present and right in present:
            found += worth * _closeness(left, right, body.split())
    return PHRASE * found / total if total else 0.0


def _closeness(left: str, right: str, body: Sequence[str]) -> float:
    """1 where the right word follows the left one, less the further they are apart, 0 beyond `_NEAR`."""
    lefts = [place for place, term in enumerate(body) if term == left]
    rights = [place for place, term in enumerate(body) if term == right]
    gap = min(_gap(here, there) for here in lefts[:8] for there in rights[:8])
    return 0.0 if gap > _NEAR else 1 / gap


def _gap(here: int, there: int) -> int:
    return there - here if there > here else here - there + 1


def _priors(sketch: Sketch, now: int) -> Iterator[tuple[str, float, float]]:
    """Each prior with what it saw and what it adds."""
    if sketch.origin == _USER:
        yield "origin", 1.0, ORIGIN
    yield "relevance", sketch.relevance, RELEVANCE * sketch.relevance
    days = max(0.0, (now - sketch.updated) / _DAY)
    yield "recency", days, RECENCY * 0.5 ** (days / _HALF_LIFE_DAYS)
    if sketch.use_count:
        yield "use", sketch.use_count, USE * (1 - 1 / (1 + math.log1p(sketch.use_count)))


_PRIORS: Final = {
    "origin": "said by the user",
    "relevance": "weight {:g}",
    "recency": "{:.0f} days old",
    "use": "in {:g} prompts before",
}
