"""Errors → patterns: their words, grouped so that variants of one error share a
template.

A line belongs to the template whose constant words it has, among those of the same tool
and number of words. If a new template differs from others in one place only, and this
place has held `VARIETY` different words, then a value stands there that no masking rule
knew (a user's name, a branch): the templates become one, with a wildcard in that place.
Short sentences stay apart: at least `ANCHORS` words must remain. The name after a word
such as "field" identifies the error and never becomes a wildcard.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from hexad.calls.error_words import SIGNS, is_placeholder
from hexad.calls.masking import ANNOUNCES, WILD

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from hexad.calls.error_words import Words

VARIETY: Final = 6  # different words at one place that make it a wildcard
ANCHORS: Final = 3  # words that must remain beside a wildcard


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a line belongs: its template now, and the templates that this one replaces."""

    template: Words
    replaced: tuple[Words, ...] = ()


def place(line: Words, bucket: Collection[Words]) -> Placement:
    """Where a line belongs among the templates of the same length; their order does not
    matter.
    """
    best = fitting(line, bucket)
    if best is None:
        return _settled(line, frozenset(bucket))
    wider = _union((best, line))
    return Placement(wider, () if wider == best else (best,))


def fitting(line: Words, bucket: Collection[Words]) -> Words | None:
    """The most specific template of the same length that a line fits."""
    found = [
        template
        for template in bucket
        if len(template) == len(line) and _fits(template, line)
    ]
    return (
        max(found, key=lambda each: (-sum(map(is_placeholder, each)), each))
        if found
        else None
    )


def holds(words: Words, part: Words) -> bool:
    """Whether a pattern contains another, shorter one: the same words in a row."""
    spans = range(len(words) - len(part) + 1)
    return any(each[0].isalpha() for each in part) and any(
        _fits(part, words[at : at + len(part)]) for at in spans
    )


def _settled(line: Words, bucket: frozenset[Words]) -> Placement:
    """A new template, merged with all that prove to be the same error now."""
    template = line
    replaced: frozenset[Words] = frozenset()
    while True:
        family = _family(template, bucket - replaced)
        if not family:
            return Placement(template, tuple(sorted(replaced)))
        template = _union((template, *family))
        swallowed = {each for each in bucket if _fits(template, each)}
        replaced |= frozenset(family) | swallowed


def _family(template: Words, bucket: Iterable[Words]) -> Sequence[Words]:
    """The templates that differ from this one in the same place, if it holds values;
    else none.
    """
    near: dict[int, list[Words]] = {}
    for other in bucket:
        places = _differences(template, other)
        if len(places) == 1 and _may_open(template, places[0]):
            near.setdefault(places[0], []).append(other)
    families = (
        near[place]
        for place in sorted(near)
        if _varies([template, *near[place]], place)
    )
    return sorted(next(families, ()))


def _varies(family: Sequence[Words], place: int) -> bool:
    """Whether a place holds values: one of its words was masked, or it has many."""
    held = {template[place] for template in family}
    return len(held) >= VARIETY or any(map(is_placeholder, held))


def _may_open(template: Words, place: int) -> bool:
    """Whether enough words remain; punctuation and the names of parameters never become
    wildcards.
    """
    left = [
        each for at, each in enumerate(template) if at != place and each[0].isalpha()
    ]
    return (
        template[place] not in SIGNS
        and not _is_parameter(template, place)
        and len(left) >= ANCHORS
    )


def _is_parameter(template: Words, place: int) -> bool:
    before = [each for each in template[max(0, place - 2) : place] if each != ":"]
    return bool(before) and ANNOUNCES.fullmatch(before[-1]) is not None


def opens(template: Words, lines: Iterable[Words]) -> bool:
    """Whether a template has a wildcard in place of a word of one of its lines."""
    return any(
        held == WILD and not is_placeholder(word)
        for line in lines
        for held, word in zip(template, line, strict=True)
    )


def _differences(one: Words, other: Words) -> Sequence[int]:
    """The first places in which two templates differ, two at most; a value that an
    error repeats counts once.
    """
    first: dict[tuple[str, str], int] = {}
    for at, pair in enumerate(zip(one, other, strict=True)):
        if len(first) < 2 and pair[0] != pair[1] and not all(map(is_placeholder, pair)):
            first.setdefault(pair, at)
    return list(first.values())


def _fits(template: Words, line: Words) -> bool:
    """Whether a line has a template's constant words in their places, and values where
    the template has them.
    """
    return all(
        held in {found, WILD} or (is_placeholder(held) and is_placeholder(found))
        for held, found in zip(template, line, strict=True)
    )


def _union(templates: Sequence[Words]) -> Words:
    """The narrowest template that all of them fit."""
    return tuple(
        held.pop() if len(held := set(column)) == 1 else WILD
        for column in zip(*templates, strict=True)
    )
