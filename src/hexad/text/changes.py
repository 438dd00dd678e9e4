"""What a later text about the same thing leaves of an earlier one.

A text that says of itself that something changed ("now", "no longer", "from now on")
replaces the parts of an earlier one that are in its own words, but for one place or a
third of them; the other parts still hold.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.text import terms
from hexad.text.stopwords import STOPWORDS

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

_CHANGES: Final = re.compile(  # words by which a sentence says that something was otherwise before
    r"(?ix)\b(?: now | no\ longer | any\ ?more | from\ now\ on | instead | as\ of | again | actually | correction"
    r" | moved | switched | changed | swapped | replaced | updated? | raised | dropp\w+ | make\ it"
    r" | jetzt | inzwischen | ab\ sofort | nicht\ mehr | statt | getauscht | geändert | korrigier\w* | nun"
    r" | désormais | maintenant | finalement | changé\w* | à\ partir | ne\b.{1,20}\bplus"
    r" | ahora | ya\ no | en\ vez | cambi\w+ | a\ partir )\b"
    r" | に変え | 今度 | やっぱり | 现在 | 不再 | 改成 | 이제"
)
_SPEAKER: Final = (
    r"(?i)(?:^|[.,;:!] ?)"
    r"(?:i|ich|je|yo|(?:the |der |die |el |la )?(?:user|nutzer(?:in)?|usuari[oa])|l'utilisat\w+)\b"
    r"(?: ?(?:'ve|'m|'s|have|has|am|is|bin|ist|just|now|recently|already|jetzt|nun)\b)* "
)
_LIVES: Final = r"(?:(?:live|reside|base)[sd]? in\b|(?:wohn|leb)\w+ (?:jetzt )?in\b|habite\w* à|vi[st] à|viv[eo] en)"
_MOVES: Final = r"(?:(?:moved|relocated) to\b|(?:nach|in) \w+ (?:um)?gezogen|ai déménagé à|me he mudado a|me mudé a)"
_LIVED, _LIVES_NOW = (
    re.compile(_SPEAKER + _LIVES),
    re.compile(f"{_SPEAKER}(?:{_LIVES}|{_MOVES})"),
)
_PARTS: Final = re.compile(
    r"(?<=[.!?;,])\s+|(?<=[。、；，])"
)  # of an entry, each with its own terms
_CLAUSES: Final = re.compile(
    r"[.;]\s+|,?(?<!\d)\s(?:and|but|und|aber|sowie|et|mais|y|pero)\s(?!\d)|[。；]|以及|但是"
)
_EARLIER: Final = (
    "; before: "  # stands before what a correction may or may not have meant
)
_GENERIC: Final = frozenset(
    terms(
        "user users client customer prefer like likes want use always never keep please"
        " nutzer benutze benutzen nutzen verwenden mag immer utilise utilisons aime toujours usamos uso gusta siempre"
        " 用 喜欢 使って います 사용해요 사용합니다"
    )
)
_LEAST: Final = 3  # terms that a part shares with a later text which replaces it, where several words differ
_MOST_OF_PART: Final = 0.6
_SPOKEN_OF: Final = 0.5  # of a clause's terms, where somebody corrects that very entry
_DIFFER: Final = 4  # words in the one place in which two texts differ that begin alike
_BEGINNING: Final = 2  # words in which they begin alike: a subject and a verb
_ALIKE: Final = 0.6  # of the words of two such texts
_WORD: Final = re.compile(r"\w+")
_LONGEST: Final = 400  # characters of a text that is compared


def says_a_change(text: str) -> bool:
    """Whether a text says of itself that something was otherwise before."""
    return _CHANGES.search(text) is not None or _LIVES_NOW.search(text) is not None


def rest(text: str, later: Iterable[str]) -> str:
    """What still holds of a text beside later ones about the same thing; empty if
    nothing does.

    >>> rest("Plumber: Piotr at Blue Tap. Avoid Hargreaves.", ["Plumber at Blue Tap is now Kamil"])
    'Avoid Hargreaves.'
    >>> rest("User has a cat", ["User now has two dogs"])
    'User has a cat'
    """
    left = _PARTS.split(text) if len(text) <= _LONGEST else [text]
    for each in later:
        if len(text) <= _LONGEST and len(each) <= _LONGEST and says_a_change(each):
            left = [part for part in left if not _replaces(each, part)]
    return " ".join(left)


def _replaces(later: str, part: str) -> bool:
    """Whether a text that says a change is about a part of an earlier one."""
    if _LIVED.search(part) and _LIVES_NOW.search(later):
        return True
    said, own = telling(later), telling(part)
    mostly = len(own & said) >= max(_LEAST, _MOST_OF_PART * len(own))
    return mostly or has_new_value(part, later)


def has_new_value(earlier: str, later: str) -> bool:
    """Whether a text that says a change differs from an earlier one in one value alone."""
    return differences(earlier, " ".join(_CHANGES.sub(" ", later).split())) != ([], [])


def corrected(earlier: str, later: str, said: str = "") -> str:
    """A text that takes the place of an earlier one, followed by what it does not speak
    of.

    That is only kept where the later one, or the sentence that was ``said``, says that
    something changed. If parts of the earlier one are hardly in its words, that stands
    behind it whole.

    >>> corrected("User is vegetarian and allergic to peanuts", "User is not vegetarian any more")
    'User is not vegetarian any more; allergic to peanuts'
    >>> corrected("User is vegetarian and allergic to peanuts", "User eats meat again")
    'User eats meat again; before: User is vegetarian and allergic to peanuts'
    >>> corrected("Team members are Ann and Bob", "Team members are Ann")
    'Team members are Ann'
    """
    if (
        not (says_a_change(later) or says_a_change(said))
        or len(earlier) + len(later) > _LONGEST
    ):
        return later
    held = earlier.partition(_EARLIER)[0]
    left = unspoken(held, later)
    if left is None:
        return f"{later.rstrip(' .;')}{_EARLIER}{held}"
    return "; ".join([later.rstrip(" .;"), *left]) if left else later


def clauses(text: str) -> list[frozenset[str]]:
    """The terms of each thing that a text says: "I'm vegan and allergic to nuts" says
    two.
    """
    return [own for each in _CLAUSES.split(text) if (own := telling(each))]


def unspoken(earlier: str, later: str) -> list[str] | None:
    """The clauses of a text that a correction of it does not speak of; None if it is
    hardly in the text's words.
    """
    new = telling(later)
    clauses = [
        (each.strip(" .;"), telling(each))
        for each in _CLAUSES.split(earlier)
        if telling(each)
    ]
    shared = [len(own & new) / len(own) for _, own in clauses]
    if max(shared, default=1) < _SPOKEN_OF or any(
        0 < part < _SPOKEN_OF for part in shared
    ):
        return None
    return [text for (text, _), part in zip(clauses, shared, strict=True) if not part]


def differences(one: str, other: str) -> tuple[list[str], list[str]]:
    """The words in which two texts differ that begin alike and may say two values of
    one thing; else none.

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
    mine = [word for word in left[start : len(left) - end] if word not in shared]
    theirs = [word for word in right[start : len(right) - end] if word not in shared]
    alike = (
        start >= _BEGINNING
        and start + end >= _ALIKE * max(len(left), len(right))
        and telling(" ".join([*left[:start], *left[len(left) - end :]]))
    )
    return (
        (mine, theirs)
        if alike and mine and theirs and max(len(mine), len(theirs)) <= _DIFFER
        else ([], [])
    )


def _alike(one: Sequence[str], other: Sequence[str]) -> int:
    """How many words two lists have in common at their beginning."""
    return next(
        (at for at, (a, b) in enumerate(zip(one, other, strict=False)) if a != b),
        min(len(one), len(other)),
    )


def telling(text: str) -> frozenset[str]:
    """The terms of a text that say what it is about; a part of a sentence does not show
    its language.
    """
    return frozenset(
        term for term in terms(text) if term not in _GENERIC and term not in STOPWORDS
    )
