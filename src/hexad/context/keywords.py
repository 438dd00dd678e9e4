"""A message → what to look for. Any string is safe; the work is bounded however long it
is.
"""

from __future__ import annotations

import re
from typing import Final

from hexad.errors import InvalidInput
from hexad.model import Query
from hexad.text import operands, words
from hexad.text.detection import detect
from hexad.text.everyday import says_little

MAX_CHARACTERS: Final = 16_384  # of a longer message the two ends are read: what is asked stands at one of them
MAX_TERMS: Final = 256


def extract(message: str, *, session: str | None = None) -> Query:
    """The keywords of a message, each once, in reading order, and the terms they are
    indexed under.

    >>> extract("When may I deploy to staging?").keywords
    ('deploy', 'staging')
    >>> sorted(extract("Which Go version does Petra use?").names)
    ['go', 'petra']
    """
    if not isinstance(message, str):
        raise InvalidInput("query", f"must be text, not {type(message).__name__}")
    text = _IDIOM.sub(" ", _bounded(message))
    found, language = words(text, asking=True), detect(text)
    keywords = dict.fromkeys(word.surface for word in found)
    small = (
        frozenset(operands(text)) if found else frozenset()
    )  # they add to words, and say nothing by themselves
    spelled = {
        term: word.surface for word in reversed(found) for term in reversed(word.terms)
    }
    whole = {term for word in found for term in word.terms if term not in word.parts}
    parts = small | (frozenset(part for word in found for part in word.parts) - whole)
    terms = dict.fromkeys(
        (*(term for word in found for term in word.terms), *sorted(small))
    )
    written = (
        {each.lower() for each in _NAME.findall(text)}
        if language is None and _SENTENCE.search(text)
        else ()
    )
    names = frozenset(term for term, surface in spelled.items() if surface in written)
    common = small | frozenset(
        term for term in terms if term not in names and says_little(term, language)
    )
    return Query(
        message,
        tuple(keywords)[:MAX_TERMS],
        tuple(terms)[:MAX_TERMS],
        session,
        spelled,
        common,
        parts,
        names,
    )


def quoted(query: Query) -> frozenset[str]:
    """The terms that stand between quotes only, if there are others: the values in an
    error message.

    >>> sorted(quoted(extract("use of `n` of type 'Vec' before it is bound")))
    ['n', 'vec']
    """
    rest = _QUOTED.sub(" ", query.text)
    if rest == query.text:
        return frozenset()
    said = extract(rest).terms
    return frozenset(query.terms).difference(said) if said else frozenset()


def personal(text: str) -> bool:
    """Whether a message speaks of its author or their group. Only English ones are
    known not to.

    >>> [personal(text) for text in ("Where do we deploy?", "What is the capital of Mongolia?", "Wo liegt das?")]
    [True, False, True]
    """
    return (
        bool(_PERSONAL.search(text))
        or not text.replace("’", "'").isascii()
        or detect(text) is not None
    )


_PERSONAL: Final = re.compile(r"\b(?:[Ii]|[Mm]y|[Mm]ine|[Mm]yself|[Ww]e|[Oo]urs?|us)\b")
_NAME: Final = re.compile(r"(?<=[\w,] )[A-Z][a-z]+")  # inside a sentence
_SENTENCE: Final = re.compile(r"\b[a-z]")  # and no greeting, such as "Good Morning"
_IDIOM: Final = re.compile(  # words that are about no topic together
    r"(?i)\b(?:doesn'?t|does not|didn'?t|did not|isn'?t|is not|won'?t) work(?:ing)?\b"
    r"|\b(?:good|great|nice) (?:job|work)\b|\byour name\b"
)
_QUOTED: Final = re.compile(r"`[^`]*`|\"[^\"]*\"|(?<!\w)'[^']*'(?!\w)")


def _bounded(message: str) -> str:
    if len(message) <= MAX_CHARACTERS:
        return message
    half = MAX_CHARACTERS // 2
    return f"{message[:half]} {message[-half:]}"
