"""Text to words, and words to the terms that an index holds."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from hexad.text.detection import SAMPLE, detect
from hexad.text.german import parts_of, rejoined
from hexad.text.identifiers import is_letters, is_plain, parts
from hexad.text.languages import GERMAN, LANGUAGES
from hexad.text.scripts import Script, hangul_terms, pieces, split, unspaced_terms
from hexad.text.spelling import caseless, legible, plain
from hexad.text.stems import stems
from hexad.text.stopwords import STOPWORDS

LONGEST_TERM = 64
LONGEST_WORD = 128
MOST_TERMS = 16
"""Bounds of a term's characters, a word's characters and, except in unspaced scripts, a word's terms."""

_REMEMBERED = 48  # longer stretches between spaces rarely repeat: they are not cached


class Word(NamedTuple):
    """A word as a person recognises it, and the opaque index terms it yields, the most
    specific one first.
    """

    surface: str
    terms: tuple[str, ...]
    parts: tuple[
        str, ...
    ] = ()  # those of the terms that stand for a part of the word only


def words(text: str, *, asking: bool = False) -> tuple[Word, ...]:
    """The words of `text` that carry a topic, in reading order, repetitions kept.

    `asking` is for a question, otherwise `text` is being stored; a question's terms are
    always among those that the same text would be stored under. Any string is fine; the
    work is linear in its length.
    """
    language = detect(text)
    found: list[Word] = []
    for stretch in text.split():
        read = _remembered if len(stretch) <= _REMEMBERED else _read
        found += read(stretch, language, asking)
    if language == GERMAN.name:
        found += (
            Word(verb, (verb,), (verb,))
            for verb in rejoined(text[:SAMPLE])
            if is_letters(verb)
        )
    return tuple(found)


def terms(text: str, *, asking: bool = False) -> tuple[str, ...]:
    """The terms of `words(text)`, in order.

    None is empty, longer than 64 characters, begins with "=", or holds white space or
    control characters.
    """
    return tuple(
        chain.from_iterable([word.terms for word in words(text, asking=asking)])
    )


_OPERAND = re.compile(r"(?<![\w.@/:-])(?<!\w')[0-9b-hj-z](?![\w@/]|[.:'-]\w)")


def operands(text: str) -> tuple[str, ...]:
    """The single letters and digits, which are no words: the x of an expression. The
    words a and I are not among them.

    >>> operands("I map x to f(x) in 3 steps, isn't it? See 2.5")
    ('x', 'f', 'x', '3')
    """
    return tuple(_OPERAND.findall(text.lower()))


# In legible text a word character is anything but ASCII punctuation.
_CHARACTER = r"[^\x00-/:-@\[-`{-\x7f]"
_SEGMENT = rf"(?:[A-Za-z]\#(?!{_CHARACTER})|{_CHARACTER}++(?:\+\+)?)"
_JOINT = r"(?:(?<=[A-Za-z])&(?=[A-Za-z])|(?=[_:/.@'-])_*+(?:://|::|/\.?|[.@'-])?_*+)"
# A dot begins a name (.env) unless it ends a sentence or calls a method; two dashes
# begin a flag, three are a line.
_OPENING = rf"(?:(?<!{_CHARACTER})(?<![.)\]])\.(?=[^\W\d_])|(?<!{_CHARACTER})(?<!-)--)"
_TOKENS = re.compile(rf"{_OPENING}?{_SEGMENT}(?:{_JOINT}{_SEGMENT}){{0,63}}")
_SEGMENTS = re.compile(_SEGMENT)
_PROSE = re.compile(r"([A-Za-z][a-z]{1,46})[.,;:!?]*")
_CONTRACTION = re.compile(r"(?:'(?:s|re|ve|ll|d|m)|n't)$", re.IGNORECASE)
_ELISION = re.compile(
    r"^(?:[cdjlmnst]|qu|un|(?:d|n)?ell|all|dall|sull|quest)'", re.IGNORECASE
)


def _read(stretch: str, language: str | None, asking: bool) -> tuple[Word, ...]:  # noqa: FBT001 - a cache's key
    """The words of a stretch of text between two spaces."""
    prose = _PROSE.fullmatch(stretch)
    if (
        prose
    ):  # most texts consist of plain words: the same result in a fraction of the time
        surface = prose[1].lower()
        return (
            ()
            if _is_stop(surface, language)
            else (_with_parts(surface, stems(surface, language), language),)
        )
    found: list[Word] = []
    for script, run in split(legible(stretch)):
        spaced = script == "spaced" and filter(
            None, (_word(name, language) for name in _names(run))
        )
        found += spaced or _unspaced(run, script=script, asking=asking)
    return tuple(found)


_remembered = lru_cache(1 << 15)(_read)


def _unspaced(run: str, *, script: Script, asking: bool) -> Iterator[Word]:
    for piece in pieces(run):
        found, parts = (
            hangul_terms(piece)
            if script == "hangul"
            else unspaced_terms(piece, asking=asking)
        )
        if found:
            yield Word(piece, found, parts)


@lru_cache(1 << 14)
def _word(token: str, language: str | None) -> Word | None:
    """The word that `token` is, unless it carries no topic."""
    name = _uncontracted(token)
    surface = caseless(name)
    found = () if _is_stop(surface, language) else _terms(name, language)
    return _with_parts(surface, found, language) if found else None


def _with_parts(surface: str, found: tuple[str, ...], language: str | None) -> Word:
    """A word with the terms of its parts, in a language that writes several words as
    one.
    """
    if language != GERMAN.name or not is_letters(surface):
        return Word(surface, found)
    more = tuple(part for part in parts_of(surface, found[-1]) if part not in found)[
        : MOST_TERMS - len(found)
    ]
    return Word(surface, (*found, *more), more)


def _names(run: str) -> Iterator[str]:
    """The tokens of a run, each in its own case; one that is too long to be a name
    gives its segments.
    """
    for token in _TOKENS.findall(run):
        if len(token) <= LONGEST_WORD:
            yield token
        else:
            for part in _SEGMENTS.findall(token):  # of a key or a blob the beginning
                yield (
                    part
                    if len(part) <= LONGEST_WORD
                    else part[:LONGEST_TERM].casefold()
                )


def _uncontracted(token: str) -> str:
    """`token` without a contraction or elision: user's, we'll, l'utilisateur. A stop
    word such as can't stays whole.
    """
    if "'" not in token or caseless(token) in STOPWORDS:
        return token
    return _ELISION.sub("", _CONTRACTION.sub("", token))


def _is_stop(surface: str, language: str | None) -> bool:
    return surface in STOPWORDS or (
        language is not None and surface in LANGUAGES[language].stopwords
    )


def _terms(name: str, language: str | None) -> tuple[str, ...]:
    """The terms of a name in its own case: of the whole, then of its parts."""
    found = list(_whole(name, language))
    if not is_plain(name):
        found += chain.from_iterable(_whole(part, language) for part in parts(name))
    return tuple(dict.fromkeys(term[:LONGEST_TERM] for term in found))[:MOST_TERMS]


def _whole(name: str, language: str | None) -> tuple[str, ...]:
    """The terms of a whole name: stems of a word, the spelling of anything else,
    nothing for a stop word.

    A camelCase name has both, since the same name in lower case is read as a word.
    Apostrophes are dropped.
    """
    name = name.replace("'", "")
    surface = caseless(name)
    spelled = plain(surface)
    if len(spelled) < 2 or _is_stop(surface, language):
        return ()
    if not is_letters(name):
        return (spelled,)
    return (
        stems(surface, language)
        if is_plain(name)
        else (spelled, *stems(surface, language))
    )
