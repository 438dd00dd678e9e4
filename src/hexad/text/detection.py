"""Which language a Latin-script text is written in, by its function words."""

from hexad.text.languages import LANGUAGES, Language
from hexad.text.stopwords import ENGLISH

SAMPLE = 4096
"""Characters that are read: more would cost time and not change the answer."""

SHORT = 6
"""Up to so many words, a single function word is evidence enough."""

_OWN = frozenset[str]().union(*(language.own for language in LANGUAGES.values()))
_PUNCTUATION = ".,;:!?¿¡…()[]{}<>«»„“”‘’\"'`*_-/"


def detect(text: str) -> str | None:
    """The name of the language whose function words outnumber the English ones in `text`, None for English.

    A wrong answer costs little: a word keeps its English stem beside the one of the language found.
    """
    found = [word.strip(_PUNCTUATION) for word in text[:SAMPLE].casefold().split()]
    # Most texts are English: they have no such word, and nothing is counted.
    if not _OWN.isdisjoint(found):
        return _outnumbering(found)
    return None if _HINTS.isdisjoint(found) else _hinted(set(found))


def _outnumbering(found: list[str]) -> str | None:
    """The best language with evidence enough; on a tie the one that `LANGUAGES` names first."""
    counted = [word for word in found if word in _OWN]
    hits, language = max(((_hits(counted, each), each) for each in LANGUAGES.values()), key=lambda pair: pair[0])
    english = sum(word in ENGLISH and word not in language.shared for word in found)
    enough = 1 if len(found) <= SHORT else 2
    return language.name if hits >= enough and hits > english else None


def _hinted(found: set[str]) -> str | None:
    """The language of two shared words in a text without English function words."""
    hits, language = max(((len(found & _hints(each)), each) for each in LANGUAGES.values()), key=lambda pair: pair[0])
    return language.name if hits >= 2 and not (found & ENGLISH) - language.shared else None


def _hits(counted: list[str], language: Language) -> int:
    return sum(word in language.own for word in counted)


def _hints(language: Language) -> frozenset[str]:
    return language.shared - ENGLISH


_HINTS = frozenset[str]().union(*(_hints(language) for language in LANGUAGES.values()))
