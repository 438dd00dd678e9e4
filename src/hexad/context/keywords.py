"""A message → what to look for. Any string is safe; the work is bounded however long it is."""

from __future__ import annotations

from typing import Final

from hexad.errors import InvalidInput
from hexad.model import Query
from hexad.text import words
from hexad.text.common import says_little
from hexad.text.detection import detect

MAX_CHARACTERS: Final = 16_384  # of a longer message the two ends are read: what is asked stands at one of them
MAX_TERMS: Final = 256


def extract(message: str, *, session: str | None = None) -> Query:
    """The keywords of a message, each once, in reading order, and the terms they are indexed under.

    >>> extract("When may I deploy to staging?").keywords
    ('deploy', 'staging')
    """
    if not isinstance(message, str):
        raise InvalidInput("query", f"must be text, not {type(message).__name__}")
    text = _bounded(message)
    found, language = words(text, asking=True), detect(text)
    keywords = dict.fromkeys(word.surface for word in found)
    spelled = {term: word.surface for word in reversed(found) for term in reversed(word.terms)}
    whole = {term for word in found for term in word.terms if term not in word.parts}
    parts = frozenset(part for word in found for part in word.parts) - whole
    terms = dict.fromkeys(term for word in found for term in word.terms)
    common = frozenset(term for term in terms if says_little(term, language))
    return Query(message, tuple(keywords)[:MAX_TERMS], tuple(terms)[:MAX_TERMS], session, spelled, common, parts)


def _bounded(message: str) -> str:
    if len(message) <= MAX_CHARACTERS:
        return message
    half = MAX_CHARACTERS // 2
    return f"{message[:half]} {message[-half:]}"
