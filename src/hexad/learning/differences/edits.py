"""The difference between two texts as something to do: words of a command, the form of a value, a near miss.

Of a text that is no command, a word is named only if the error names it or it is a near miss.
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TYPE_CHECKING, Final

from hexad.learning.differences.commands import both, command_edits
from hexad.learning.differences.forms import (
    LONGEST_WORD,
    QUOTES,
    about_value,
    form_change,
    is_shown,
    is_single,
    letters,
    names,
    pair_edits,
    shape_change,
)
from hexad.learning.errors.advice import About

if TYPE_CHECKING:
    from collections.abc import Iterator

_MOST: Final = 4  # edits of one text that are named
_WORD: Final = re.compile(r"[\w$@#.-]+|[^\w\s]")
_MEDIA_TYPE: Final = re.compile(r"(?:application|text|image|audio|video|multipart)/[a-z.+-]+")


def edits(name: str, before: str, after: str, error: str, about: About) -> tuple[str, ...]:
    """What to do to turn a text that failed into the one that worked; empty if nothing is to be said of it."""
    old, new = both(before, after)
    if old and new:
        found = command_edits(old, new, error, about)
    elif is_single(before) and is_single(after):
        found = _value_edits(name, before, after, error, about)
    elif _is_kin(before, after):
        whole = form_change(before, after) if len(before) <= LONGEST_WORD and about is About.FORM else ""
        found = iter([about_value(whole, name)]) if whole else _word_edits(name, before, after, error, about)
    else:
        found = iter([about_value(form, name)] if about is About.FORM and (form := form_change(before, after)) else ())
    return tuple(dict.fromkeys(found))[:_MOST]


def _value_edits(name: str, before: str, after: str, error: str, about: About) -> Iterator[str]:
    """A single value: one that the error names, or another form of the same value."""
    named = names(error, after) and not names(before, after) and is_shown(after, error)
    if named or (about is About.FORM and _MEDIA_TYPE.fullmatch(after)):
        yield f'give {name} as "{after}"'
    elif shape_change(before, after):
        return  # the shapes say it
    elif (form := form_change(before, after)) and (about is About.FORM or letters(before) in letters(after)):
        yield about_value(form, name)


def _word_edits(name: str, before: str, after: str, error: str, about: About) -> Iterator[str]:
    old, new = list(_WORD.finditer(before)), list(_WORD.finditer(after))
    one, other = [each[0] for each in old], [each[0] for each in new]
    for kind, a, b, c, d in SequenceMatcher(None, one, other, autojunk=False).get_opcodes():
        if kind == "replace":
            pairs = [pair for pair in zip_longest(one[a:b], other[c:d], fillvalue="") if all(pair)]
            inside = f"`{one[b]}`" if b < len(one) and is_shown(one[b], error) and one[a] in QUOTES else name
            found = [each for pair in pairs for each in pair_edits(inside, *pair, error, about)]
            yield from found or _segment(
                before[old[a].start() : old[b - 1].end()], after[new[c].start() : new[d - 1].end()], error, about
            )
        elif (
            kind == "insert"
            and all(names(error, each) for each in other[c:d])
            and any(map(str.isalnum, "".join(other[c:d])))
        ):
            yield f"add `{after[new[c].start() : new[d - 1].end()]}`"


def _segment(out: str, come: str, error: str, about: About) -> Iterator[str]:
    """A piece of code that replaced one whose name the error rejects."""
    rejected = about is About.FORM and any(names(error, each) for each in re.findall(r"[A-Za-z_]\w+", out))
    if rejected and is_shown(come, error) and not re.search(r"[\d'\"]", come):
        yield f"write `{come}` instead of `{out}`"


def _is_kin(before: str, after: str) -> bool:
    """Whether one text is an edit of the other, and not another text."""
    one, other = _WORD.findall(before), _WORD.findall(after)
    return SequenceMatcher(None, one, other, autojunk=False).ratio() > 0.4
