"""What a later text about the same thing leaves of an earlier one.

A text that says of itself that something changed ("now", "no longer", "from now on") replaces what earlier ones say
with mostly the same words; their other parts still hold. Two texts that begin alike and differ in one place may both
hold.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.text import terms

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_CHANGES: Final = re.compile(  # words by which a sentence says that something was otherwise before
    r"(?ix)"
    r"\b(?: now | no\ longer | any\ ?more | from\ now\ on | instead | as\ of | since | again | actually"
    r" | correction | moved | switched | changed | swapped | replaced | updated? | raised | dropp\w+ | make\ it"
    r" | jetzt | inzwischen | ab\ sofort | nicht\ mehr | statt | getauscht | geändert | neu\w* | korrigier\w*"
    r" | désormais | maintenant | finalement | changé\w* | à\ partir | ne\b.{1,20}\bplus"
    r" | ahora | ya\ no | en\ vez | cambi\w+ | a\ partir )\b"
    r" | に変え | 今度 | やっぱり | 现在 | 不再 | 改成 | 이제"
)
_SPEAKER: Final = (
    r"(?i)(?:^|[.,;:!] ?)"
    r"(?:i|we|ich|wir|je|nous|(?:the |der |die |el |la )?(?:user|nutzer(?:in)?|usuari[oa])|l'utilisat\w+)\b"
    r"(?: ?(?:'ve|'m|'s|have|has|am|is|bin|ist|just|now|recently|already|jetzt|nun)\b)* "
)
_HOME: Final = (
    r"(?:(?:live|reside|move|relocate|base)[sd]? (?:in|to)\b|(?:wohn|leb)\w+ (?:jetzt )?in\b"
    r"|(?:nach|in) \w+ (?:um)?gezogen|habite\w* à|vi[st] à|ai déménagé à|viv[eo] en|me he mudado a|me mudé a)"
)
_EMPLOYER: Final = r"(?:(?:work|start)(?:s|ed)? (?:at|for)\b|arbeit\w+ (?:bei|für)\b|travaille chez|trabaj[ao] en)"
_SLOTS: Final = [re.compile(_SPEAKER + verbs) for verbs in (_HOME, _EMPLOYER)]  # of which a person has one
_PARTS: Final = re.compile(r"(?<=[.!?;,])\s+|(?<=[。、；，])")  # of an entry, each with its own terms
_CLAUSES: Final = re.compile(r"[.;]\s+|,?\s\b(?:and|but|und|aber|sowie|et|mais|y|pero)\b\s|[。；]|以及|但是")
_GENERIC: Final = frozenset(terms("user users client customer prefer want always never use keep please nutzer"))
_LEAST: Final = 2  # terms that two entries share, at the least
_SHARE: Final = 0.4  # of the terms of the earlier one that the later one has, too
_MOST_OF_PART: Final = 0.5
_DIFFER: Final = 4  # words in the one place in which two entries differ that begin alike
_WORD: Final = re.compile(r"\w+")
_LONGEST: Final = 400  # characters of an entry that is compared


def rest(text: str, later: Iterable[str]) -> str:
    """What still holds of a text beside later ones about the same thing; empty if nothing does.

    >>> rest("Plumber: Piotr at Blue Tap. Avoid Hargreaves.", ["Plumber at Blue Tap is now Kamil"])
    'Avoid Hargreaves.'
    >>> rest("User has a cat", ["User now has two dogs"])
    'User has a cat'
    """
    for each in later:
        if not text or max(len(text), len(each)) > _LONGEST:
            break
        if any(slot.search(text) and slot.search(each) for slot in _SLOTS):
            parts = _PARTS.split(text)
            text = " ".join(part for part in parts if not any(slot.search(part) for slot in _SLOTS))
        elif _CHANGES.search(each):
            text = _without(text, _telling(each))
    return text


def _without(text: str, said: frozenset[str]) -> str:
    """A text without the parts that are mostly in words of a later one; all of it, if nearly all words are."""
    parts, own = _PARTS.split(text), _telling(text)
    is_about_it = len(own & said) >= max(_LEAST, _SHARE * len(own))
    left = [part for part in parts if not _is_spoken_of(part, said, least=0 if is_about_it else _LEAST)]
    return " ".join(left) if len(left) < len(parts) or not is_about_it else ""


def _is_spoken_of(part: str, said: frozenset[str], *, least: int) -> bool:
    own = _telling(part)
    return len(own & said) >= max(least, _MOST_OF_PART * len(own))


def _telling(text: str) -> frozenset[str]:
    return frozenset(terms(text)) - _GENERIC


def differences(one: str, other: str) -> tuple[list[str], list[str]]:
    """The words in which two texts differ that begin alike and may say two values of one thing; else none.

    >>> differences("The capital of Peru is Lima.", "The capital of Peru is Cusco.")
    (['lima'], ['cusco'])
    >>> differences("a b", "a c")
    ([], [])
    """
    if max(len(one), len(other)) > _LONGEST:
        return [], []
    left, right = _WORD.findall(one.casefold()), _WORD.findall(other.casefold())
    start = _alike(left, right)
    end = _alike(left[start:][::-1], right[start:][::-1])
    shared = {*left[:start], *left[len(left) - end :]}
    mine, theirs = ([word for word in words[start : len(words) - end] if word not in shared] for words in (left, right))
    alike = 2 * (start + end) >= max(len(left), len(right)) and _telling(" ".join(left[:start]))
    return (mine, theirs) if alike and mine and theirs and max(len(mine), len(theirs)) <= _DIFFER else ([], [])


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words two lists have in common at their beginning."""
    return next((at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def says_a_change(text: str) -> bool:
    """Whether a text says of itself that something was otherwise before."""
    return _CHANGES.search(text) is not None


def corrected(earlier: str, later: str) -> str:
    """A later text, followed by what it does not speak of in the one that it takes the place of.

    >>> corrected("User is vegetarian and allergic to peanuts", "User is not vegetarian any more")
    'User is not vegetarian any more; allergic to peanuts'
    >>> corrected("Hotels up to 180 euros", "Hotels up to 240 euros")
    'Hotels up to 240 euros'
    """
    said = _telling(later)
    parts = [part.strip(" .;") for part in _CLAUSES.split(earlier[:_LONGEST])]
    known = [(part, _telling(part)) for part in parts if _telling(part)]
    left = [part for part, own in known if own.isdisjoint(said)]
    if not left or len(left) == len(known) or len(earlier) > _LONGEST:
        return later
    return "; ".join([later.rstrip(" .;"), *left])
