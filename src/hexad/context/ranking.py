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
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hexad.model import Origin, Reason
from hexad.text.document import FIELD_WEIGHTS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from datetime import datetime

    from hexad.context.candidates import Measure
    from hexad.text.document import Document

PHRASE: Final = 0.15
ORIGIN: Final = 0.03
RELEVANCE: Final = 0.02
RECENCY: Final = 0.01
USE: Final = 0.01
_HALF_LIFE_DAYS: Final = 30.0
_NEAR: Final = 3  # words apart that still count as a phrase, in part


@dataclass(frozen=True, slots=True)
class Circumstances:
    """What is known of a text beyond its words."""

    origin: Origin = Origin.USER
    relevance: float = 1.0
    updated: datetime | None = None
    use_count: int = 0


def score(
    terms: Sequence[str], document: Document, about: Circumstances, measure: Measure, now: datetime | None
) -> float:
    """The sum of all signals; 0 for a text that holds none of the terms."""
    words = _words(terms, document, measure)
    return words and words + _phrase(terms, document, measure) + sum(value for _, _, value in _priors(about, now))


def reasons(
    terms: Sequence[str], document: Document, about: Circumstances, measure: Measure, now: datetime | None
) -> tuple[Reason, ...]:
    """The same sum, told: one reason for each matching term and each signal that added something."""
    told = [_told(term, document, measure) for term in terms if _occurrences(term, document)]
    if told:
        told.append(Reason("phrase", "neighbouring words", _phrase(terms, document, measure)))
        told.extend(Reason(*prior) for prior in _priors(about, now))
    return tuple(reason for reason in told if reason.value)


def _words(terms: Sequence[str], document: Document, measure: Measure) -> float:
    return sum(
        _worth(term, occurrences, document, measure) for term in terms if (occurrences := _occurrences(term, document))
    )


def _worth(term: str, occurrences: float, document: Document, measure: Measure) -> float:
    return measure.rarity[term] / measure.total * measure.saturated(occurrences, document.length)


def _occurrences(term: str, document: Document) -> int:
    return (
        document.body.count(term) * FIELD_WEIGHTS["body"]
        + document.name.count(term) * FIELD_WEIGHTS["name"]
        + document.tags.count(term) * FIELD_WEIGHTS["tags"]
    )


def _told(term: str, document: Document, measure: Measure) -> Reason:
    fields = [name for name in FIELD_WEIGHTS if term in getattr(document, name)]
    return Reason(
        "words", f"{term} in {' and '.join(fields)}", _worth(term, _occurrences(term, document), document, measure)
    )


def _phrase(terms: Sequence[str], document: Document, measure: Measure) -> float:
    """The rarity of neighbouring pairs that are near each other in the body, as a share of all pairs."""
    if len(terms) < 2:
        return 0.0
    pairs = list(zip(terms, terms[1:], strict=False))
    total = sum(measure.rarity[left] + measure.rarity[right] for left, right in pairs)
    found = sum(
        (measure.rarity[left] + measure.rarity[right]) * _closeness(left, right, document.body) for left, right in pairs
    )
    return PHRASE * found / total if total else 0.0


def _closeness(left: str, right: str, body: Sequence[str]) -> float:
    """1 where the right word follows the left one, less the further they are apart, 0 beyond `_NEAR`."""
    if left not in body or right not in body:
        return 0.0
    lefts = [place for place, term in enumerate(body) if term == left]
    rights = [place for place, term in enumerate(body) if term == right]
    gap = min(_gap(here, there) for here in lefts[:8] for there in rights[:8])
    return 0.0 if gap > _NEAR else 1 / gap


def _gap(here: int, there: int) -> int:
    return there - here if there > here else here - there + 1


def _priors(about: Circumstances, now: datetime | None) -> Iterator[tuple[str, str, float]]:
    if about.origin is Origin.USER:
        yield "origin", "said by the user", ORIGIN
    yield "relevance", f"{about.relevance:g}", RELEVANCE * about.relevance
    if about.updated is not None and now is not None:
        days = max(0.0, (now - about.updated).total_seconds() / 86_400)
        yield "recency", f"{days:.0f} days old", RECENCY * 0.5 ** (days / _HALF_LIFE_DAYS)
    if about.use_count:
        yield "use", f"used {about.use_count} times", USE * (1 - 1 / (1 + math.log1p(about.use_count)))
