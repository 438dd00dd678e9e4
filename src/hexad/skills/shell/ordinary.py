"""Scripts that need not be followed: nothing in them does harm, whichever way they take and whatever they are given.

Each command must be one that no rule is about, or be used in a way that `ordinary_commands.py` lists. Where a
variable says what is written or deleted, it must have been set before, in the same block or around it, and to nothing
but places in the working directory. Whatever is not as plain as that is followed through its syntax tree. So the answer
is that there is nothing to be found, or there is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from hexad.skills.shell.ordinary_commands import CLEANS_UP, PATTERN, ROWS, Use, is_harmless, may_be_defined
from hexad.skills.shell.ordinary_reading import COMMANDS, COUNTED, FILLED, FIRST, NAMES, PARAMETERS, PATH
from hexad.skills.shell.suspicion import is_suspicious

_LONGEST: Final = 20_000  # characters
_DEEPEST: Final = 20  # of what is nested
_OF_A_SHELL: Final = re.compile(r"#! ?/(?:usr/)?bin/(?:env )?(?:ba|da)?sh(?:[ \t]+-[eux]+)?\n").match
_LETTERS: Final = {
    "if": "i",
    "then": "t",
    "elif": "l",
    "else": "e",
    "fi": "f",
    "while": "w",
    "do": "d",
    "done": "D",
    "esac": "E",
    ";;": ";",
    "}": "}",
    "!": "!",
}
_OPEN: Final = frozenset("iwFCn")  # letters of what opens something
_WITHIN: Final = frozenset("tledp;")  # of what begins another part of it
_CLOSE: Final = frozenset("fDE}")
_MOST_PIPES: Final = 64
_JOINS: Final = {"&&": "&", "||": "&", "|": "|"}
_WHOLE: Final = re.compile(
    r"ic+tc+(?:lc+tc+)*(?:ec+)?f|Fdc+D|wc+dc+D|C(?:pc*;)*(?:pc+)?E|nc+\}|c(?:[&|]c)+|(?<!\|)!c"
).subn
_FILLS_IN: Final = re.compile(r"[\\`]|\$(?:[(\[]|\{(?!\w+\}))").search
_OWN: Final = re.compile(rf"(\"|'|){PATH}\1", re.ASCII).fullmatch
_FILLED: Final = re.compile(FILLED, re.ASCII).fullmatch
_GIVEN: Final = re.compile(rf"(\"?)\$\{{\d:-{PATH}\}}\1", re.ASCII).fullmatch  # what the script itself was given
_RAW: Final = re.compile(r"'[^']*'").sub
_NUMBER: Final = re.compile(r"\"?\d++\"?", re.ASCII).fullmatch
_NUMBERS: Final = re.compile(r"(?:\s++\d++)++", re.ASCII).fullmatch
_DATE: Final = re.compile(r"[ ]\+(?:\w|%[FYmdHMSsjy])(?:[\w.-]|%[FYmdHMSsjy])*+", re.ASCII).fullmatch
_LAST_PART: Final = re.compile(r"[ ]\"\$([a-z]\w*+)\"(?:[ ]\.\w[\w.]*+)?", re.ASCII).fullmatch
_TESTS: Final = frozenset({"[", "[[", "test"})


@dataclass(slots=True)
class _Seen:
    """What in a script matters only together with something else. The sets are of variables."""

    named: frozenset[str]  # functions
    letters: list[str] = field(default_factory=list)
    sure: set[str] = field(default_factory=set)  # that have been set by now, whichever way was taken
    outer: list[set[str]] = field(default_factory=list)  # the same before each thing that is open
    functions: set[str] = field(default_factory=set)  # those that are defined by now
    loose: set[str] = field(default_factory=set)  # that may hold more than a place in the working directory
    lent: set[str] = field(default_factory=set)  # that may hold a place which is not the script's own
    signed: set[str] = field(default_factory=set)  # that may begin with a sign, and be taken for an option
    first: set[str] = field(default_factory=set)  # that a word begins with
    texts: set[str] = field(default_factory=set)  # that may hold what is no number
    used: set[str] = field(default_factory=set)  # that say where something is read or written
    deleted: set[str] = field(default_factory=set)  # that say what is deleted
    counted: set[str] = field(default_factory=set)  # that a number is worked out of
    callers: set[str] = field(default_factory=set)  # functions that call functions
    called: set[str] = field(default_factory=set)  # and those that are called by functions
    within: str = ""  # the function that is being defined
    loops: dict[int, str] = field(default_factory=dict)  # the variables of loops whose bodies have not begun, by depth


def is_ordinary(script: str) -> bool:
    """Whether there is for certain nothing to be found in a script."""
    if len(script) > _LONGEST or not script.replace("\n", "").replace("\t", "").isprintable():
        return False
    if (script.startswith("#!") and not _OF_A_SHELL(script)) or is_suspicious(script):
        return False
    found = COMMANDS(script)
    if found[-1][-1] or found[-2:][0][-1]:  # what cannot be read goes up to the end
        return False
    seen = _Seen(frozenset(each[-3] for each in found if each[-3]))
    return _are_harmless(seen, found) and _is_whole(seen) and _fits(seen)


def _are_harmless(seen: _Seen, found: list[tuple[str, ...]]) -> bool:
    """Whether each command is, by itself and behind those before it; what comes after what is kept as letters."""
    opened = joined = ""
    waits = False  # a loop has its one condition
    for (
        how,
        var,
        sign,
        out,
        told,
        value,
        name,
        words,
        leads,
        quote,
        _,
        to,
        text,
        closes,
        around,
        end,
        opens,
        *heads,
    ) in found:
        if waits and opens != "do":
            return False
        waits = opened == "while"
        if waits and (not name or end in _JOINS):
            return False  # it may never end
        if name:
            fine = _is_harmless(seen, name, words, in_loop=waits) and _stays(seen, leads + to)
            letter = "c" if fine and _is_text(quote, text) else ""
        elif var:
            fine = _is_output(seen, var, out, told) if out else _is_value(seen, var, value)
            letter = "c" if fine and _is_set_so(seen, how, sign or ("$" if out else value)) else ""
            if not joined and end != "|":
                seen.sure.add(var)
        elif closes:
            letter = _closed(seen, _LETTERS[closes], around, joined=end in _JOINS)
        else:
            letter = _LETTERS.get(opens) or _opened(seen, heads, joined=bool(joined))
            _go(seen, letter)
        if not letter or len(seen.outer) > _DEEPEST:
            return False
        seen.letters.append(letter + _JOINS[end] if end in _JOINS else letter)
        opened, joined = opens, end if end in _JOINS else joined if opens == "!" else ""
        if heads[0]:
            seen.loops[len(seen.outer)] = heads[0]
    return True


def _is_text(quote: str, text: str) -> bool:
    """Whether a here-document is text; without a quote around its mark it is filled in."""
    return bool(quote) or not text or not _FILLS_IN(text)


def _go(seen: _Seen, letter: str) -> None:
    """Into something, or on to its next part: what was set in another part, or in a condition, may not be set here."""
    if letter in _OPEN:
        seen.outer.append(set(seen.sure))
    elif letter in _WITHIN and seen.outer:
        seen.sure = set(seen.outer[-1])
        if letter == "d" and len(seen.outer) in seen.loops:
            seen.sure.add(seen.loops.pop(len(seen.outer)))


def _closed(seen: _Seen, letter: str, around: str, *, joined: bool) -> str:
    """Out of something, and as before. A function that ends is defined, unless that happens beside the script."""
    if seen.outer:
        seen.sure = seen.outer.pop()
    if letter == "}":
        seen.functions.add(seen.within)
        seen.within = ""
    return letter if _stays(seen, around) and not (letter == "}" and joined) else ""


def _opened(seen: _Seen, heads: list[str], *, joined: bool) -> str:
    """The letter for the head of a loop, of a `case`, of one of its parts or of a function; none if it may do harm."""
    each, among, case, function, pattern, _ = heads
    if each:
        seen.lent.add(each)
        if not all(map(PATTERN, among.split())):
            seen.loose.add(each)
        if not _NUMBERS(among):
            seen.texts.add(each)
        return "F"
    if function:
        fine = not seen.outer and not joined and may_be_defined(function)
        seen.within = function
        return "n" if fine else ""
    return "C" if case else "p" if pattern else "\n"


def _is_harmless(seen: _Seen, name: str, words: str, *, in_loop: bool) -> bool:
    """Whether a command is, with these words; as a loop's condition it must be one that comes to an end."""
    if in_loop and name != "read" and not (name in _TESTS and "$" in words):
        return False
    if name in seen.named:
        if name not in seen.functions:
            return False
        if seen.within:
            seen.callers.add(seen.within)
            seen.called.add(name)
        return True
    if is_harmless(name):
        return True
    if name == "trap":
        found = CLEANS_UP(words)
        return found is not None and not seen.within and _deletes(seen, found[1])
    use = ROWS.get(name)
    return use is not None and _is_used(seen, use, words)


def _is_used(seen: _Seen, use: Use, words: str) -> bool:
    """Whether a command is used as it may be."""
    if not use.fits(words):
        return False
    if use.reads:
        names = words.split()
        seen.loose.update(names)
        seen.texts.update(names)
    if use.deletes:
        return _deletes(seen, words)
    return not use.places or _stays(seen, words)


def _deletes(seen: _Seen, words: str) -> bool:
    names = PARAMETERS(words)
    seen.deleted.update(names)
    return seen.sure.issuperset(names)


def _stays(seen: _Seen, words: str) -> bool:
    """Whether the variables in words are set by now; else they may be empty, or come from outside."""
    if "$" in words:
        names = PARAMETERS(_RAW("", words))
        if not seen.sure.issuperset(names):
            return False
        seen.used.update(names)
        seen.first.update(FIRST(words))
    return True


def _is_set_so(seen: _Seen, before: str, value: str) -> bool:
    """Whether the word before a variable sets it: `local` does so only in a function, and some shells split values."""
    return not before or ((before != "local" or seen.within != "") and (value[:1] == '"' or _OWN(value) is not None))


def _is_value(seen: _Seen, variable: str, value: str) -> bool:
    """Take note of what a variable is set to; whether that does no harm."""
    if not _NUMBER(value):
        if COUNTED(value):
            names = NAMES(value)
            seen.counted.update(names)
            seen.loose.add(variable)
            return seen.sure.issuperset(names)  # what comes from outside may be a text, which would be run
        seen.texts.add(variable)
    if _OWN(value):
        return True
    seen.lent.add(variable)
    if not (_GIVEN(value) and not seen.within) and not (_FILLED(value) and _stays(seen, value)):
        seen.loose.add(variable)
    return True


def _is_output(seen: _Seen, variable: str, name: str, words: str) -> bool:
    """The same for what a command prints."""
    seen.texts.add(variable)
    if name == "mktemp":
        return words in {"", " -d"}
    seen.lent.add(variable)
    part = _LAST_PART(words) if name == "basename" else None
    if part is not None and part[1] in seen.sure:
        seen.used.add(part[1])
        seen.first.add(part[1])
        seen.signed.add(variable)
    elif name != "date" or not _DATE(words):
        seen.loose.add(variable)
    if name == "date":
        return ROWS[name].fits(words) is not None
    return name not in seen.named and is_harmless(name)


def _is_whole(seen: _Seen) -> bool:
    """Whether what is opened is closed: each `if`, loop, `case` and function with commands in it becomes a command."""
    text = "".join(seen.letters).rstrip("\n")
    if text.count("|") > _MOST_PIPES:
        return False
    for _ in range(_DEEPEST):
        text, changes = _WHOLE("c", text)
        if not changes:
            break
    return not text.strip("c")


def _fits(seen: _Seen) -> bool:
    """Whether variables that matter are never set to anything else, and no function that is called calls another."""
    return (
        seen.loose.isdisjoint(seen.used)
        and seen.loose.isdisjoint(seen.deleted)
        and seen.lent.isdisjoint(seen.deleted)
        and seen.signed.isdisjoint(seen.first)
        and seen.texts.isdisjoint(seen.counted)
        and seen.called.isdisjoint(seen.callers)
    )
