"""The form of a value: how it changed, and which words may be named."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.learning.arguments.shapes import shape_of
from hexad.learning.errors.advice import About
from hexad.learning.errors.masking import mask_run

if TYPE_CHECKING:
    from collections.abc import Iterator

LONGEST_WORD: Final = 40
_LONGEST_AFFIX, _LETTERS = 12, 2  # characters at one end of a value: with a sign among them, and letters alone
_SHORT: Final = 8  # characters of a word that is shown as what the value was
_SIGNS: Final = {"'": "single quotes", '"': "double quotes", "_": "underscores", " ": "spaces", "-": "hyphens"}
QUOTES: Final = frozenset("'\"")
_STRONG: Final = re.compile(
    r"YYYY|DD|HH:|Month|digits|number|URL|UUID|e-mail|list|object|true or false|null|whole|eight|locale|empty"
)  # shapes that are a form of their own; words and texts of other kinds are not


def form_change(before: str, after: str) -> str:
    """How the form of a value changed, with `{name}` for its name; empty if it is only another value.

    >>> form_change("Medium", "medium"), form_change("Berlin", "Europe/Berlin"), form_change("ten", "10")
    ('write {name} in lower case', 'begin {name} with "Europe/"', 'give {name} as whole number as text, not as "ten"')
    """
    if before == after or not before or not after or before.startswith("/") or after.startswith("/"):
        return ""
    if before.casefold() == after.casefold():
        case = (
            "lower case" if after.islower() else "upper case" if after.isupper() else f"the case of {_pattern(after)}"
        )
        return f"write {{name}} in {case}"
    return shape_change(before, after) or _affix_change(before, after) or _sign_change(before, after)


def _affix_change(before: str, after: str) -> str:
    """Letters or signs that were added or left out at one end."""
    ends = (
        (after.endswith(before), after[: -len(before)], 'begin {{name}} with "{}"'),
        (after.startswith(before), after[len(before) :], 'end {{name}} with "{}"'),
        (before.endswith(after), before[: -len(after)], 'leave out "{}" before {{name}}'),
        (before.startswith(after), before[len(after) :], 'leave out "{}" after {{name}}'),
    )
    return next((words.format(part) for found, part, words in ends if found and _is_affix(part)), "")


def shape_change(before: str, after: str) -> str:
    """The shape that a value has now, if that is a form of its own and another than before."""
    one, other = shape_of(before), shape_of(after)
    if one == other or not _STRONG.search(other):
        return ""
    was = f'"{before}"' if before.isalpha() and len(before) <= _SHORT else one if _STRONG.search(one) else "text"
    return f"give {{name}} as {other}, not as {was}"


def _sign_change(before: str, after: str) -> str:
    """The same letters and digits with other signs."""
    if letters(before) != letters(after) or not letters(before):
        return ""
    if after[:1] == after[-1:] and after[:1] in _SIGNS and after[1:-1] == before:
        return f"put {{name}} in {_SIGNS[after[:1]]}"
    if any(map(str.isdigit, after)) and is_single(after) and not any(map(str.isalpha, after)):
        return f"write {{name}} like {_pattern(after)}, not like {_pattern(before)}"
    signs = (
        {pair for pair in zip(before, after, strict=False) if pair[0] != pair[1]}
        if len(before) == len(after)
        else set()
    )
    if len(signs) == 1:
        ((one, other),) = signs
        return f"use {_SIGNS.get(other, repr(other))} instead of {_SIGNS.get(one, repr(one))} in {{name}}"
    return ""


def is_strong(shape: str) -> bool:
    """Whether a shape is a form of its own, and not just some text."""
    return _STRONG.search(shape) is not None


def is_near(one: str, other: str) -> bool:
    """Whether one word is a typing error of another: a letter or two, never digits.

    >>> is_near("psuh", "push"), is_near("v1", "v2"), is_near("search", "checkout")
    (True, False, False)
    """
    if one == other or min(len(one), len(other)) < 2 or re.sub(r"\D", "", one) not in {"", re.sub(r"\D", "", other)}:
        return False
    if re.sub(r"\d", "", one) == re.sub(r"\d", "", other):
        return not any(map(str.isdigit, one)) and len(one) > 3
    return _distance(one.casefold(), other.casefold()) <= (1 if len(other) <= 4 else 2)


def _distance(one: str, other: str) -> int:
    """The number of letters to change, with swapped neighbours as one change; at most 3."""
    if abs(len(one) - len(other)) > 2:
        return 3
    rows = [list(range(len(other) + 1))]
    for i, left in enumerate(one, 1):
        row = [i]
        for j, right in enumerate(other, 1):
            best = min(rows[-1][j] + 1, row[-1] + 1, rows[-1][j - 1] + (left != right))
            if i > 1 and j > 1 and left == other[j - 2] and one[i - 2] == right:
                best = min(best, rows[-2][j - 2] + 1)
            row.append(best)
        rows.append(row)
    return rows[-1][-1]


def pair_edits(name: str, out: str, come: str, error: str, about: About) -> Iterator[str]:
    """One word that replaced another: another form, a near miss, a word of the error, or of a name that it rejects."""
    one, other = _narrowed(out, come)
    shown = is_shown(other, error) and any(map(str.isalnum, other)) and one != other
    if out.startswith(("/", "~")) or come.startswith(("/", "~")):
        return
    if out in QUOTES and come in QUOTES:
        yield f"use {_SIGNS[come]} instead of {_SIGNS[out]} around {name}"
    elif shown and (is_near(one, other) or (names(error, other) and not names(error, out))):
        yield f"use `{other}` instead of `{one}`"
    elif out in error and (form := form_change(out, come)):
        yield about_value(form, name)
    elif shown and about is About.FORM and names(error, one) and _is_name(one) and _is_name(other):
        yield f"use `{other}` instead of `{one}`"


def about_value(form: str, name: str) -> str:
    """A change of form with the name of its value."""
    return form.replace("{name}", name)


def _narrowed(one: str, other: str) -> tuple[str, str]:
    """The one part in which two words differ, if it is one."""
    left, right = re.split(r"(\W+)", one), re.split(r"(\W+)", other)
    different = [pair for pair in zip(left, right, strict=False) if pair[0] != pair[1]]
    return different[0] if len(left) == len(right) and len(different) == 1 and all(different[0]) else (one, other)


def _pattern(text: str) -> str:
    return re.sub(r"[a-z]", "a", re.sub(r"[A-Z]", "A", re.sub(r"\d", "0", text)))[:24]


def letters(text: str) -> str:
    """The letters and digits of a text, without case."""
    return "".join(filter(str.isalnum, text)).casefold()


def _is_affix(text: str) -> bool:
    """Whether letters and signs before or after a value are part of its form: few, without digits."""
    if not 0 < len(text) <= _LONGEST_AFFIX or any(map(str.isdigit, text)):
        return False
    return re.search(r"[^\w\s]", text) is not None or len(text.strip()) <= _LETTERS


def is_single(text: str) -> bool:
    """Whether a text is one word."""
    return not re.search(r"\s", text)


def is_shown(word: str, error: str) -> bool:
    """Whether a word may be named: not long, not a secret, no path and no identifier of one run."""
    if not word or "redacted" in word or len(word) > LONGEST_WORD or "@" in word or sum(map(str.isdigit, word)) > 3:
        return False
    return mask_run(word) == word and (not word.startswith(("/", "~")) or word in error)


def names(error: str, word: str) -> bool:
    """Whether an error has this very word."""
    return bool(word) and re.search(rf"(?<![\w-]){re.escape(word)}(?![\w-])", error) is not None


def _is_name(word: str) -> bool:
    return re.fullmatch(r"[A-Za-z_][\w.-]*", word) is not None
