"""Which language a Latin-script text is written in, by its function words and its
accents.
"""

from typing import Final

from hexad.text.languages import LANGUAGES, Language
from hexad.text.stopwords import ENGLISH

SAMPLE: Final = (
    4096  # characters that are read: more would cost time and not change the answer
)

_ENOUGH: Final = 2  # one word of the language's own, or two signs that are weaker
_MOST_ACCENTS: Final = 2  # words with an accent that count
_PUNCTUATION: Final = ".,;:!?¿¡…()[]{}<>«»„“”‘’\"'`*_-/"
_ACCENTS: Final = {
    "german": frozenset("äöüß"),
    "french": frozenset("éèêàâçœûîïë"),
    "spanish": frozenset("ñáéíóú¿¡"),
    "italian": frozenset("èìòùàé"),
    "portuguese": frozenset("ãõáéíóúâêôç"),
    "dutch": frozenset("ëï"),
}
_ELIDED: Final = {
    "french": frozenset(
        ["j", "qu", "n", "c", "s", "m", "t", "l", "d", "jusqu", "lorsqu", "aujourd"]
    ),
    "italian": frozenset(
        ["l", "d", "dell", "all", "nell", "dall", "sull", "un", "quest", "c", "s"]
    ),
}
_NONE: Final = frozenset[str]()


def detect(text: str) -> str | None:
    """The name of the language whose words outweigh the English ones in `text`, None
    for English.

    A wrong answer costs little: a word keeps its English stem beside the one of the
    language found.
    """
    sample = text[:SAMPLE].casefold().replace("’", "'")
    found = [word.strip(_PUNCTUATION) for word in sample.split()]
    # Most texts are English: they have no such word, and nothing is counted.
    if sample.isascii() and "'" not in sample and _SIGNS.isdisjoint(found):
        return None
    weight, language = max(
        ((_weight(found, sample, each), each) for each in LANGUAGES.values()),
        key=lambda pair: pair[0],
    )
    english = sum(word in ENGLISH and word not in language.shared for word in found)
    return language.name if weight >= _ENOUGH and weight > 2 * english else None


def _weight(found: list[str], sample: str, language: Language) -> int:
    """Signs of a language in a text: two for each function word of its own, one for any
    other sign.
    """
    accents, elided = _ACCENTS[language.name], _ELIDED.get(language.name, _NONE)
    accented = (
        0
        if sample.isascii()
        else sum(not accents.isdisjoint(word) for word in sample.split())
    )
    weight = min(accented, _MOST_ACCENTS)
    for word in found:
        if word in language.own:
            weight += 2
        elif word in _HINTS[language.name] or (
            "'" in word and word.partition("'")[0] in elided
        ):
            weight += 1
    return weight


_HINTS: Final = {
    language.name: language.shared - ENGLISH for language in LANGUAGES.values()
}
_SIGNS: Final = _NONE.union(
    *(language.own for language in LANGUAGES.values()), *_HINTS.values()
)
