"""Errors → patterns: masked, split into words, and grouped so that variants of one error share a template.

A line belongs to the template whose constant words it has, among those of the same tool and number of words. If a new
template differs from others in one place only, and this place has held `VARIETY` different words, then a value stands
there that no masking rule knew (a user's name, a branch): the templates become one, with a wildcard in that place.
Short sentences stay apart: at least `ANCHORS` words must remain. The name after a word such as "field" identifies the
error and never becomes a wildcard.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final, TypeAlias

from hexad.learning.errors.body import readable
from hexad.learning.errors.masking import ANNOUNCES, PLACEHOLDERS, WILD, holds_code, masked, word
from hexad.recent import Recent

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    Words: TypeAlias = tuple[str, ...]

VARIETY: Final = 6  # different words at one place that make it a wildcard
ANCHORS: Final = 3  # words that must remain beside a wildcard
MOST_WORDS: Final = 96  # of a line; later ones are ignored
MOST_TEXT: Final = 4096  # characters that are read: half of them at the end, where a traceback has its message
_PUNCTUATION: Final = re.compile(r"([\s,;:=()\[\]{}\"'`|]+)")
_FRAME: Final = re.compile(r"^Traceback \(most recent call last\):|^\s+at [\w$.<>]+\(|^\s+File \"", re.MULTILINE)
_EXCEPTION: Final = re.compile(r"^(?:[\w.$]+\.)?([A-Z]\w*(?:Error|Exception|Warning|Interrupt|Exit|Timeout|\b))(?::|$)")
_ECHO: Final = re.compile(r"\n(?:LINE \d+: .*|[ \t]*\^[ ^~]*)(?=\n|\Z)")  # a database's copy of the statement
_PAIR: Final = re.compile(  # a driver's code and message
    r"""\((-?\d+), b?(["'])(?:\w+\2, (["'])(\w+ .+)\3|(.+?)\2)(?:, .*)?\)\Z""", re.DOTALL
)
_QUOTED_WHOLE: Final = re.compile(
    r"""(?<=Error: )(["'])(\w+(?: [a-z]+){3} .*)\1\Z"""
)  # a message that a KeyError holds
_LANGUAGE: Final = re.compile(r"^(?:Caused by: |Exception in thread \"[^\"]*\" )?")
_SIGNS: Final = ",;:=()[]{}|"  # words of a pattern; a single quote is not one
_STOPS: Final = ".!?"
_DIGIT: Final = re.compile(r"\d")
_STATUS: Final = re.compile(r"[45]\d\d\b")  # the one code that is recognised by its digits
_COUNTS: Final = re.compile(r"\{|::|\.[a-z]+\d")  # JSON, ::1 and .mp3: a digit matters there
_ZEROS: Final = str.maketrans("123456789", "000000000")
_SHORT: Final = 1000  # characters of an error that is looked up before it is read
_known: Final = Recent[int, "Words"](1024)  # by the hash of an error without its digits
_NOTHING: Final = "..."  # the pattern of an error without words
_TIGHT_BEFORE: Final = frozenset(",;:=)]}")
_TIGHT_AFTER: Final = frozenset("([{=")


def words_of(error: str) -> Words:
    """The words of an error's pattern.

    >>> words_of("Transaction with ID 3 not found.")
    ('Transaction', 'with', 'ID', '<num>', 'not', 'found')
    """
    if len(error) > _SHORT or _STATUS.search(error):
        return _words_of(error)
    shape = hash(error.translate(_ZEROS))  # an error of another row has the same words
    words = _known.get(shape)
    if words is None:
        words = _words_of(error)
        if not (any(map(_DIGIT.search, words)) or _COUNTS.search(error) or holds_code(error)):
            _known.put(shape, words)
    return words


def _words_of(error: str) -> Words:
    found: list[str] = []
    for place, part in enumerate(_PUNCTUATION.split(masked(readable(essence(ends(error, MOST_TEXT)))))):
        if place % 2:
            found += [sign for sign in part if sign in _SIGNS] if part != " " else ()
        elif part.strip(_STOPS):
            found.append(word(part.rstrip(_STOPS)))
        if len(found) > 2 * MOST_WORDS:
            break
    return _in_one(found)[:MOST_WORDS] or (_NOTHING,)


@lru_cache(maxsize=4096)  # the patterns of a tool are compared with each of its new errors
def split(pattern: str) -> Words:
    """The words of a pattern that `pattern_text` wrote."""
    parts = enumerate(_PUNCTUATION.split(pattern))
    signs = (filter(_SIGNS.__contains__, part) if place % 2 else (part,) for place, part in parts)
    return tuple(each for part in signs for each in part if each)


@lru_cache(maxsize=1024)
def pattern_text(words: Words) -> str:
    """A pattern as a person reads it.

    >>> pattern_text(words_of("ValueError: no file 'a.txt' (errno=2)"))
    'ValueError: no file <value> (errno=<value>)'
    """
    text = ""
    for each in words:
        tight = not text or each in _TIGHT_BEFORE or text[-1] in _TIGHT_AFTER
        text += each if tight else f" {each}"
    return text


def essence(error: str) -> str:
    r"""The last exception of a traceback with its message; any other text without its copy of a statement.

    >>> essence("Traceback (most recent call last):\n  File \"a.py\", line 3, in f\n    g()\nKeyError: 'name'")
    "KeyError: 'name'"
    """
    if "\n" not in error or not _FRAME.search(error):
        error = _ECHO.sub("", _QUOTED_WHOLE.sub(r"\2", error) if "Error: " in error else error)
        return (_PAIR.sub(r" error code \1: \4\5", error) if error.endswith(")") else error).rstrip()
    lines = [line for line in error.splitlines() if line.strip()]
    heads = [place for place, line in enumerate(lines) if _EXCEPTION.match(_LANGUAGE.sub("", line))]
    if not heads:
        return lines[-1]
    java = any(line.lstrip().startswith("at ") for line in lines)
    kept = [line for line in lines[heads[-1] :] if not re.match(r"\s+(?:at |File \"|\.\.\. \d+ more)", line)]
    return _QUOTED_WHOLE.sub(r"\2", "\n".join(kept[:1] if java else kept))


def ends(text: str, most: int) -> str:
    """A text's beginning and end, if it has more than so many characters; the end begins with a line if it has some."""
    if len(text) <= most:
        return text
    half = most // 2
    end = text[-half:]
    lines = end.partition("\n")[2]
    return f"{text[:half]}\n{lines if len(lines) > half // 2 else end}"


@dataclass(frozen=True, slots=True)
class Placement:
    """Where a line belongs: its template now, and the templates that this one replaces."""

    template: Words
    replaced: tuple[Words, ...] = ()


def place(line: Words, bucket: Collection[Words]) -> Placement:
    """Where a line belongs among the templates of the same length; their order does not matter."""
    best = fitting(line, bucket)
    if best is None:
        return _settled(line, frozenset(bucket))
    wider = _union((best, line))
    return Placement(wider, () if wider == best else (best,))


def fitting(line: Words, bucket: Collection[Words]) -> Words | None:
    """The most specific template of the same length that a line fits."""
    found = [template for template in bucket if len(template) == len(line) and _fits(template, line)]
    return max(found, key=lambda each: (-sum(map(is_placeholder, each)), each)) if found else None


def holds(words: Words, part: Words) -> bool:
    """Whether a pattern contains another, shorter one: the same words in a row."""
    spans = range(len(words) - len(part) + 1)
    return any(each[0].isalpha() for each in part) and any(_fits(part, words[at : at + len(part)]) for at in spans)


def is_near(line: Words, template: Words) -> bool:
    """Whether a line has a template's words but for one, in whose place a value may stand."""
    if len(line) != len(template) or _fits(template, line):
        return False
    places = _differences(template, line)
    return len(places) == 1 and _may_open(template, places[0])


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
    """The templates that differ from this one in the same place, if it holds values; else none."""
    near: dict[int, list[Words]] = {}
    for other in bucket:
        places = _differences(template, other)
        if len(places) == 1 and _may_open(template, places[0]):
            near.setdefault(places[0], []).append(other)
    families = (near[place] for place in sorted(near) if _varies([template, *near[place]], place))
    return sorted(next(families, ()))


def _varies(family: Sequence[Words], place: int) -> bool:
    """Whether a place holds values: one of its words was masked, or it has many."""
    held = {template[place] for template in family}
    return len(held) >= VARIETY or any(map(is_placeholder, held))


def _may_open(template: Words, place: int) -> bool:
    """Whether enough words remain; punctuation and the names of parameters never become wildcards."""
    left = [each for at, each in enumerate(template) if at != place and each[0].isalpha()]
    return template[place] not in _SIGNS and not _is_parameter(template, place) and len(left) >= ANCHORS


def _is_parameter(template: Words, place: int) -> bool:
    before = [each for each in template[max(0, place - 2) : place] if each != ":"]
    return bool(before) and ANNOUNCES.fullmatch(before[-1]) is not None


def opens(template: Words, lines: Iterable[Words]) -> bool:
    """Whether a template has a wildcard in place of a word of one of its lines."""
    return any(
        held == WILD and not is_placeholder(word) for line in lines for held, word in zip(template, line, strict=True)
    )


def _differences(one: Words, other: Words) -> Sequence[int]:
    """The first places in which two templates differ, two at most; a value that an error repeats counts once."""
    first: dict[tuple[str, str], int] = {}
    for at, pair in enumerate(zip(one, other, strict=True)):
        if len(first) < 2 and pair[0] != pair[1] and not all(map(is_placeholder, pair)):
            first.setdefault(pair, at)
    return list(first.values())


def _fits(template: Words, line: Words) -> bool:
    """Whether a line has a template's constant words in their places, and values where the template has them."""
    return all(
        held in {found, WILD} or (is_placeholder(held) and is_placeholder(found))
        for held, found in zip(template, line, strict=True)
    )


def _union(templates: Sequence[Words]) -> Words:
    """The narrowest template that all of them fit."""
    return tuple(held.pop() if len(held := set(column)) == 1 else WILD for column in zip(*templates, strict=True))


def is_placeholder(token: str) -> bool:
    """Whether a word of a pattern is a placeholder."""
    return token in PLACEHOLDERS


def _in_one(found: Sequence[str]) -> Words:
    """Several values in a row, with or without commas, become one: a list may have any length."""
    row: list[str] = []
    for each in found:
        if is_placeholder(each):
            if len(row) > 1 and row[-1] == "," and is_placeholder(row[-2]):
                row.pop()
            if row and is_placeholder(row[-1]):
                row[-1] = each if row[-1] == each else WILD
                continue
        row.append(each)
    return tuple(row)


def grouped(errors: Iterable[str]) -> list[Words]:
    """The template of each error, once all of them were seen in this order; the engine keeps these in its store.

    >>> one, other = grouped(["user 17 is locked", "user 18 is locked"])
    >>> one == other
    True
    """
    lines = [words_of(error) for error in errors]
    buckets: dict[int, set[Words]] = {}
    for line in lines:
        bucket = buckets.setdefault(len(line), set())
        where = place(line, bucket)
        bucket.difference_update(where.replaced)
        bucket.add(where.template)
    templates = {line: fitting(line, buckets[len(line)]) or line for line in set(lines)}
    return [templates[line] for line in lines]
