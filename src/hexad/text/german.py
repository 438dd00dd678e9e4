"""Parts of German words: a compound's beginning and end, and a verb without its prefix
and endings.

No dictionary: a long word gives several beginnings and ends, and the whole words of
others decide which of them match.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.text.languages import GERMAN
from hexad.text.spelling import plain

if TYPE_CHECKING:
    from collections.abc import Iterator

_COMPOUND: Final = 8  # letters of a stem that may have parts
_BEGINNINGS, _ENDS = range(4, 9), range(4, 11)  # lengths of the parts
_PREFIXES: Final = (
    "zurück|zusammen|weiter|statt|durch|unter|über|fest|frei|nach|raus|rein|teil|auf|aus|bei|ein|her|hin|los|mit"
    "|vor|weg|ab|an|um|zu"
)
_SEPARABLE: Final = re.compile(f"({_PREFIXES}|wieder)(?:ge|zu)?(.{{3,}})")
_APART: Final = re.compile(
    rf"(?:^|[.,;:!?] )([^.,;:!?\n]{{3,120}}) ({_PREFIXES})(?=[.,;:!?\n]|$)"
)
_PARTICIPLE: Final = re.compile("ge(.{3,}(?:t|en))")
_ENDINGS: Final = ("test", "ten", "te", "est", "et", "en", "st", "t", "n", "e")
_DERIVED: Final = frozenset(
    [
        "schaft",
        "igkeit",
        "lichkeit",
        "ichkeit",
        "barkeit",
        "ierung",
        "tungen",
        "ungen",
        "ation",
    ]
)


def parts_of(word: str, stem: str) -> tuple[str, ...]:
    """The parts of a caseless word with its German stem, both of them at most once.

    >>> parts_of("ausgeliefert", "ausgeliefert")[:2]
    ('ausliefer', 'liefer')
    """
    found = [*_verb(word)]
    if len(stem) >= _COMPOUND:
        found += [stem[:size] for size in _BEGINNINGS if size <= len(stem) - 3]
        found += [
            stem[-size:]
            for size in _ENDS
            if size <= len(stem) - 3 and stem[-size:] not in _DERIVED
        ]
    return tuple(dict.fromkeys(part for part in found if part != stem))


def rejoined(text: str) -> Iterator[str]:
    """Verbs whose prefix stands at the end of their clause, as `parts_of` writes them;
    up to two words may be the verb.

    >>> list(rejoined("Ruf mich um acht an."))
    ['anruf', 'anach']
    """
    for clause, prefix in _APART.findall(text):
        first, *rest = clause.split()
        words = [first.casefold(), *filter(str.islower, rest)]
        verbs = [word for word in words if word not in GERMAN.stopwords]
        yield from (plain(prefix + _base(verb)) for verb in verbs[:2])


def _verb(word: str) -> list[str]:
    """A verb's base, after its separable prefix and alone: ausliefern, ausgeliefert and
    liefert share liefer.
    """
    separable = _SEPARABLE.fullmatch(word)
    if separable is not None:
        base = plain(_base(separable[2]))
        return (
            [plain(separable[1]) + base, base]
            if len(base) >= 4
            else [plain(separable[1]) + base]
        )
    participle = _PARTICIPLE.fullmatch(word)
    base = plain(_base(participle[1] if participle else word))
    return [base] if len(base) >= 4 and base != plain(word) else []


def _base(verb: str) -> str:
    ending = next(
        (
            each
            for each in _ENDINGS
            if verb.endswith(each) and len(verb) - len(each) >= 3
        ),
        "",
    )
    return verb.removesuffix(ending)
