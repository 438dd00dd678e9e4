"""The difference between two texts or words as something to do: another form of a value, a typing error, a sign.

A word that replaced another is named if the error names one of the two, or if one is a typing error in something that
a program or a language defines; never if it belongs to one run (a path, a secret, an identifier).
"""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Final

from hexad.learning.arguments.shapes import in_words, is_strong, shape_of
from hexad.learning.errors.advice import Cause, Failure
from hexad.learning.errors.masking import mask_run
from hexad.learning.fixes.commands import option_name

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_MOST_OF_CODE: Final = 2  # edits of a query or program: more, and it is another one
_LONGEST_WORD, _LONGEST_AFFIX = 40, 12
_KIN: Final = 0.4  # of the words of two texts: less, and one is no edit of the other
_NEAR, _KIND, _SHORT = 0.75, 0.7, 4  # of the letters of two words; in two short ones more have to be the same
_TOKEN: Final = re.compile(r"[\w$@#.-]+|[^\w\s]")
_PLAIN: Final = re.compile(r"(?:--)?[A-Za-z_][\w:-]*|[A-Za-z_]\w*\.[A-Za-z_]\w*|\d+(?:\.\d+)+")
_STANDARD: Final = re.compile(
    r"(?:application|text|image|multipart)/[a-z.+-]+|utf-?8|latin-?1|GET|POST|PUT|PATCH|DELETE"
)
DEFINED: Final = re.compile(  # errors about a word that a program, a schema or a language defines
    r"(?i)command|option|flag|switch|argument|predicate|target|script|operation|keyword|syntax|column|table|relation"
    r"|function|attribute|module|protocol|format|\btypes?\b|field|propert|variable|phase|\btask|not defined"
    r"|recogni[sz]ed|filter|KeyError|encoder|codec"
)
_ONE_OF: Final = re.compile(
    r"(?i)\bone of\b|\ballow: \w+,|choose from|(?:allowed|valid|possible|supported) \w+:|['\"\w] or ['\"]"
)
_LISTED: Final = (  # one of several values, in any words
    r"""(?:[\w'"`](?:, | or | and )['"`]?{0}\b)|\b{0}['"`]?(?:, | or )['"`]?(?!(?:got|but|not|received|found)\b)\w"""
)
_UNDEFINED: Final = (  # what a language or a library does not have
    r"(?i)no such function: {0}\b|function {0}\(.*\) does not exist|unexpected keyword argument '{0}'"
    r"|no attribute '{0}'"
)
_HARMLESS: Final = re.compile(
    r"(?i)if (?:not )?exists|on conflict(?: \( \w+ \))? do nothing|or ignore"
)  # clauses that change no data
_GIVEN: Final = re.compile(r"(?:, )?(\w+) = (True|False|None|str|int|float|list|dict)(?: ,)?")  # for a function
_BY_NAME: Final = re.compile(r"(\w+) =")
OF_A_RUN: Final = re.compile(r"(?!\.?\w*venv/bin/activate$)(?:.*/\w|.*\w\.(?!txt$)[A-Za-z])")  # paths and files
_MARKS: Final = re.compile(r"[\"'`\\]")
_LESS: Final = re.compile(r"(?:\s*2>&1)?(?:\s*\|\s*(?:head|tail|cat|less)(?:\s+-[\w ]+)?)?\s*$")  # of an output


def is_same(one: str, other: str) -> bool:
    """Whether two texts are the same but for quotes, and for how much of an output is shown."""
    return _LESS.sub("", _MARKS.sub("", one)) == _LESS.sub("", _MARKS.sub("", other))


def is_edit(before: str, after: str) -> bool:
    """Whether each word that changed is an edit of the word that it replaced, and none is another one."""
    old, new = before.split(), after.split()
    pairs = [
        (" ".join(old[a:b]), " ".join(new[c:d]))
        for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
        if kind == "replace"
    ]
    return all(SequenceMatcher(None, *each, autojunk=False).ratio() >= _KIN for each in pairs)


def text_edits(name: str, before: str, after: str, failure: Failure) -> Iterator[str]:
    """A text of several words: another form of the whole, or a few words of an edit of it."""
    one, other = (_TOKEN.findall(_MARKS.sub("", each)) for each in (before, after))
    matcher = SequenceMatcher(None, one, other, autojunk=False)
    whole = form_change(name, before, after) if failure.of_the_call and len(before) <= _LONGEST_WORD else ""
    changed = [each for each in matcher.get_opcodes() if each[0] != "equal"]
    if whole or matcher.ratio() <= _KIN or len(changed) > _MOST_OF_CODE:
        yield from filter(None, [whole])
        return
    for kind, a, b, c, d in changed:
        if kind == "replace":
            for out, come in zip(one[a:b], other[c:d], strict=False):
                called = "function" in failure.text and one[b : b + 1] == other[d : d + 1] == ["("]
                undefined = re.search(_UNDEFINED.format(re.escape(out)), failure.text) is not None
                missing = undefined and (called or len(changed) == 1)
                owner = come.endswith(f".{out}") and come[: -len(out) - 1]  # a name's module, a column's table
                missing |= owner in one and names(failure.text, out.rpartition(".")[2]) and "." in out
                missing |= out in {"and", "or", "not"} and come in {"&", "|", "~"} and "ambiguous" in failure.text
                if owner and "ambiguous" in failure.text and names(failure.text, out):
                    yield f"qualify `{out}` with its table"
                elif owner and failure.cause is Cause.ABSENT and names(failure.text, out) and owner.isidentifier():
                    yield f"write `{out}` as `{come}`"
                else:
                    yield from [f"use `{come}` instead of `{out}`"] if missing else word_edits("", out, come, failure)
        elif kind == "insert":
            yield from _inserted(other[c:d], after, failure, after_sign=one[a - 1 : a], sole=len(changed) == 1)


def _inserted(
    tokens: Sequence[str], after: str, failure: Failure, *, after_sign: Sequence[str], sole: bool
) -> Iterator[str]:
    """Words that came to a query or program: those that the error names, a statement before it, a cast, an argument."""
    code, error = " ".join(tokens), failure.text.casefold().replace(" codec ", " encoding ")
    clause = failure.cause is Cause.ABSENT and _HARMLESS.fullmatch(code)
    grouped = re.match("(?i)group by", code) and re.search("group|aggregat", error)
    words = [each for each in tokens if each[0].isalpha() and len(each) > 1 and not re.search(f"['\"]{each}", after)]
    if words[:1] in (["import"], ["from"]) and names(error, words[-1].casefold()):
        yield f"add `{code}`"
    elif (cast := re.fullmatch(r": : (\w+)", code)) and re.search(r"\btypes?\b|\bcast|operator", error):
        yield f"add `::{cast[1]}`"
    elif code.casefold() == "rollback ;" and "transaction" in error:
        yield "run `ROLLBACK` first"
    elif sole and failure.of_the_call and (given := _GIVEN.fullmatch(code)):
        yield f"add `{given[1]}={given[2]}`"
    elif sole and failure.of_the_call and [*after_sign] in (["("], [","]) and (given := _BY_NAME.fullmatch(code)):
        yield f"write `{given[1]}=…`, with the name"
    elif words and (clause or grouped or all(names(error, each.casefold()) for each in words)):
        yield f"add `{' '.join(words)}`"


def word_edits(name: str, out: str, come: str, failure: Failure) -> Iterator[str]:
    """A word or value that replaced another: one that the error names, a typing error, or another form of it."""
    error = failure.text
    if name and out.casefold() == come.casefold():  # the error may name one of several such values
        yield from filter(None, [form_change(name, out, come)])
        return
    one, other = (out, come) if name or names(error, come) else _narrowed(out, come)
    listed = re.fullmatch(r"(\d+)(?:\.\d+)+", other) and one.partition(".")[0] == other.partition(".")[0]  # a version
    sole = name or not names(error, out) or listed
    listed_there = re.search(_LISTED.format(re.escape(other)), error) is not None
    one_of_many = name and (listed_there or _ONE_OF.search(error)) and not is_near(one, other)
    named = sole and not one_of_many and names(error, other) and not names(out, other)
    typo = any(is_typo(*pair) and names(error, pair[0]) for pair in {(one, other), _narrowed(out, come)})
    slip = not name and is_near(one, other) and DEFINED.search(error) and len(one) - len(other) < 3
    standard = name and failure.of_the_call and _STANDARD.fullmatch(come) and letters(out) != letters(come)
    if standard or ((named or typo or slip) and isshown(other, error) and (name or _PLAIN.fullmatch(other))):
        alone = f', not as "{one}"' if not (named or slip) else ""  # it may be no fix for other values
        yield f'give {name} as "{other}"{alone}' if name else f"use `{other}` instead of `{one}`"
    elif (failure.of_the_call and (name or out in error)) or (name and letters(out) in letters(come)):
        yield from filter(None, [form_change(name or "the value", out, come)])


def form_change(name: str, before: str, after: str) -> str:
    """How the form of a value changed; empty if it is only another value.

    >>> form_change("x", "Medium", "medium"), form_change("x", "Berlin", "Europe/Berlin"), form_change("x", "ten", "10")
    ('write x in lower case', 'write x as "Europe/…"', 'give x as digits, not as text')
    """
    own = after.endswith(f"/{before.lstrip('~./')}") and not before.startswith("/")
    if own and re.match(r"(?i)(?:\$[({]?pwd[)}]?)?/", after):
        return f"give {name} as an absolute path"
    if before == after or not before or not after or before.startswith("/") or after.startswith("/"):
        return ""
    if before.casefold() == after.casefold() and (after.islower() or after.isupper()):
        return f"write {name} in {'lower' if after.islower() else 'upper'} case"
    one, other = in_words(shape_of(before)), in_words(shape_of(after))
    if _is_code(before, after):
        case = "lower" if after.islower() else "upper"
        return f"give {name} as a code of {len(after)} letters in {case} case, not as {one}"
    if one != other and is_strong(other) and not affix_change(name, before, after):
        return f"give {name} as {other}, not as {one}"
    return affix_change(name, before, after)


def _is_code(before: str, after: str) -> bool:
    """Whether a word was replaced by the code of a country, a language, a currency or an airport."""
    inside = "".join(letter for letter in before.casefold() if letter in after.casefold())
    short = re.fullmatch("[A-Z]{2,3}", after) is not None and inside.startswith(after.casefold()[0])
    return len(before) > 3 and before.isalpha() and (short or re.fullmatch("[a-z]{2}", after) is not None)


def affix_change(name: str, before: str, after: str) -> str:
    """Characters that were added or left out at the ends of a value, if they are part of its form."""
    for one, other, words in ((before, after, 'as "{}…{}"'), (after, before, 'without "{}{}"')):
        head, found, tail = other.partition(one)
        if found and len(head + tail) <= _LONGEST_AFFIX and re.fullmatch(r"(?!\w*$)[^\d@]+", head + tail):
            general = re.fullmatch(r"(?:[A-Z][a-z]+/|\w+://|[^\w]*)", head) and not re.search(r"\w", tail)
            return f"write {name} {words.format(head, tail)}" if general else ""
    return ""


def sign_change(name: str, before: str, after: str) -> str:
    """A sign that was left out everywhere: 1,250 and 1250."""
    gone = {*before} - {*after}
    inner = len(gone) == 1 and not (sign := gone.pop()).isalnum() and before.replace(sign, "") == after
    return f"write {name} without {'spaces' if sign == ' ' else f'`{sign}`'}" if inner else ""


def isshown(word: str, error: str) -> bool:
    """Whether a word may be named: not long, not a secret, no path and no identifier of one run."""
    if not word or "redacted" in word or len(word) > _LONGEST_WORD or "@" in word or sum(map(str.isdigit, word)) > 3:
        return False
    return mask_run(word) == word and (not word.startswith(("/", "~")) or word in error)


def is_general(word: str, error: str) -> bool:
    """Whether a word may be named, and is no file or folder."""
    return isshown(word, error) and not OF_A_RUN.match(word)


def names(error: str, word: str) -> bool:
    """Whether an error has this very word."""
    around = r"[\w.:/-]" if word[:1].isdigit() else r"[\w-]"  # a number may be a part of an address or a version
    return bool(word) and re.search(rf"(?<!{around}){re.escape(word)}(?!{around}\w|[\w-])", error) is not None


def mentions(error: str, word: str) -> bool:
    """Whether an error has a word that may be shown, an option with or without its dashes."""
    name = option_name(word)
    return isshown(name, error) and any(names(error, each) for each in (name, name.lstrip("-")))


def is_near(one: str, other: str) -> bool:
    """Whether one word is a typing error of another, never in digits."""
    one, other = option_name(one), option_name(other)
    if one == other or len(one) < 2 or re.sub(r"\D", "", one) != re.sub(r"\D", "", other):
        return False
    if abs(len(one) - len(other)) > max(2, len(one) // 3):
        return False
    ratio = SequenceMatcher(None, one, other, autojunk=False).ratio()
    enough = ratio > _NEAR or (ratio == _NEAR and (len(one) != len(other) or len(one) > _SHORT))
    return enough or sorted(one) == sorted(other)


def is_kin(one: str, other: str) -> bool:
    """Whether two words are the same thing, perhaps of another run: `reports/2025` and `reports/2026`."""
    return SequenceMatcher(None, one, other, autojunk=False).ratio() >= _KIND


def is_typo(one: str, other: str) -> bool:
    """Whether two words differ in a letter or two of one part: a name that somebody mistyped, and not another one."""
    if abs(len(one) - len(other)) > 1 or not all(re.fullmatch(r"[A-Za-z][\w.@-]{2,}", each) for each in (one, other)):
        return False
    left, right = (re.findall("[a-z]+", each.lower()) for each in (one, other))
    parts = [pair for pair in zip(left, right, strict=False) if pair[0] != pair[1]]
    if len(left) != len(right):
        parts = [(one, other)] if re.fullmatch(r"\D*", one + other) else []
    return len(parts) == 1 and min(map(len, parts[0])) > 2 and is_near(one, other) and is_near(*parts[0])


def _narrowed(one: str, other: str) -> tuple[str, str]:
    """The one part in which two words differ, if it is one."""
    left, right = (re.split(r"(://|(?:[/=(),\"':]|(?<!\d)\.|\.(?!\d))+)", each) for each in (one, other))
    different = [pair for pair in zip(left, right, strict=False) if pair[0] != pair[1]]
    return different[0] if len(left) == len(right) and len(different) == 1 and all(different[0]) else (one, other)


def letters(text: str) -> str:
    """A text without signs and case."""
    return "".join(filter(str.isalnum, text)).casefold()
