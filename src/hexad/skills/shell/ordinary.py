"""Scripts that need not be followed: nothing in them does harm, in whichever order and with whichever values.

Each command must be one that no rule looks at, or be used in a way that `ordinary_commands.py` allows, and what only
matters together must not come together. Whatever is not as plain as that is followed through its syntax tree. So the
answer is that there is nothing to be found, or there is none.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Final

from hexad.skills.shell.carried import RUN_BY_OTHERS
from hexad.skills.shell.ordinary_commands import FAR, HARMLESS, Use, may_be_defined, tells_what_it_is_told, use_of
from hexad.skills.shell.ordinary_reading import COMMANDS, COUNTED, NAMES, PIPED, SUBSTITUTED, VARIABLES, WITHOUT
from hexad.skills.shell.parameters import GIVEN
from hexad.skills.shell.suspicion import is_suspicious

_LONGEST: Final = 20_000  # characters
_DEEPEST: Final = 20  # of what is nested
_INDEXED: Final = re.compile(r"\[[^\]\n]*(?:\$\(|`)").search  # an index that is worked out may run what it says
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
_JOINS: Final = {"&&": "&", "||": "&", "|": "|"}
_WHOLE: Final = re.compile(
    r"ic+tc+(?:lc+tc+)*(?:ec+)?f|Fdc+D|wc+dc+D|C(?:pc*;)*(?:pc+)?E|nc+\}|c(?:[&|]c)+|(?<!\|)!c"
).subn
_FILLS_IN: Final = re.compile(r"[\\`]|\$(?:[(\[]|\{(?!\w+\}))").search
_ARGUMENTS: Final = frozenset("123456789@*")
_UNCERTAIN: Final = re.compile(r"\A\s*[\"']{0,2}\Z|\s[\"']?(?:-|\.(?!/\w))|[\"']{2}|\\|\.[\"']?(?:\s|\Z)").search
_OWN: Final = re.compile(r"\w[\w./-]*|(\"?)\$\(mktemp(?: -d)?\)\1", re.ASCII).fullmatch
_NUMBER: Final = re.compile(r"(?:\s*\"?(?:\d+|\$\(\([^()]*\)\))\"?)+", re.ASCII).fullmatch
_CLEANS_UP: Final = re.compile(
    r"\s*'rm -r?f((?: \"\$[a-z]\w*\")+)'(?:\s+(?:EXIT|INT|TERM|HUP|ERR|0))+", re.ASCII
).fullmatch
_SPECIAL: Final = re.compile(r"BASH|LD_|DYLD_|GIT_|PS\d|GLOB|(?:OLD)?PWD|CDPATH").match
_TESTS: Final = frozenset({"[", "[[", "test"})


@dataclass(slots=True)
class _Seen:
    """What in a script matters only together with something else. The sets are of variables."""

    functions: frozenset[str]
    letters: list[str] = field(default_factory=list)
    places: set[str] = field(default_factory=set)  # that say where something is written
    deleted: set[str] = field(default_factory=set)  # that say what is deleted
    given: set[str] = field(default_factory=set)  # that come from outside
    values: set[str] = field(default_factory=set)  # that become a part of others
    own: set[str] = field(default_factory=set)  # that hold a name which the script itself chose
    others: set[str] = field(default_factory=set)  # that may hold something else
    counted: set[str] = field(default_factory=set)  # that a number is worked out of
    texts: set[str] = field(default_factory=set)  # that may hold what is no number
    passed: list[str] = field(default_factory=list)  # the words that functions are called with
    calls: set[tuple[str, str]] = field(default_factory=set)  # of functions by functions
    within: str = ""  # the function that is being defined
    takes: bool = False  # a function does something with its arguments
    is_far: bool = False  # a value may lead elsewhere
    is_odd: bool = False  # a value may be taken for an option
    varies: bool = False  # a variable stands where an option could
    deletes: bool = False
    moves: bool = False  # to another folder


def is_ordinary(script: str) -> bool:
    """Whether there is for certain nothing to be found in a script."""
    if len(script) > _LONGEST or not script.replace("\n", "").replace("\t", "").isprintable():
        return False
    if (script.startswith("#!") and not _OF_A_SHELL(script)) or _INDEXED(script) or is_suspicious(script):
        return False
    found = COMMANDS(script)
    if found[-1][-1] or found[-2:][0][-1]:  # what cannot be read goes up to the end
        return False
    functions = frozenset(each[-3] for each in found if each[-3])
    seen = _Seen(functions)
    return all(map(may_be_defined, functions)) and _are_harmless(seen, found) and _is_whole(seen) and _fits(seen)


def _are_harmless(seen: _Seen, found: list[tuple[str, ...]]) -> bool:
    """Whether each command is, by itself; what comes after what is kept as letters."""
    before = ""
    for (
        name,
        words,
        redirects,
        quote,
        mark,
        target,
        text,
        variable,
        value,
        closes,
        around,
        end,
        opens,
        each,
        among,
        case,
        function,
        pattern,
        _,
    ) in found:
        if name:
            letter = "c" if _is_harmless(seen, name, words, before) and _stays(seen, redirects) else ""
            if mark and not (_stays(seen, target) and (quote or not _FILLS_IN(text))):
                return False
        elif variable:
            letter = "c" if _may_be_set(seen, variable, value) else ""
        elif closes:
            letter = _LETTERS[closes] if _stays(seen, around) else ""
            seen.within = "" if closes == "}" else seen.within
        else:
            letter = _LETTERS.get(opens) or _opened(seen, (each, among, case, function, pattern))
        if not letter:
            return False
        seen.letters.append(letter + _JOINS[end] if end in _JOINS else letter)
        before = opens
    return True


def _opened(seen: _Seen, heads: tuple[str, str, str, str, str]) -> str:
    """The letter for the head of a loop, of a `case`, of one of its parts or of a function; none if it may do harm."""
    each, among, case, function, pattern = heads
    if each:
        return "F" if _may_be_set(seen, each, among, own=False) else ""
    if case:
        return "C" if "$(" not in case or _substitutes(seen, case) else ""
    if function:
        outer, seen.within = seen.within, function
        return "" if outer else "n"
    return "" if "$(" in pattern else "p" if pattern else "\n"


def _is_harmless(seen: _Seen, name: str, words: str, before: str) -> bool:
    if "$(" in words and not _substitutes(seen, words):
        return False
    if before == "while" and name != "read" and not (name in _TESTS and "$" in words):
        return False  # it may never end
    if name in seen.functions:
        seen.passed.append(words)
        if seen.within:
            seen.calls.add((seen.within, name))
        return True
    if name == "trap":
        return _cleans_up(seen, words)
    use = use_of(name)
    return use is HARMLESS or (use is not None and _is_used(seen, use, words))


def _is_used(seen: _Seen, use: Use, words: str) -> bool:
    """Whether a command is used as it may be."""
    if not use.allows(words):
        return False
    if "$" in words:
        _vary(seen, words)
    if use.reads:
        names = words.split()
        seen.given.update(names)
        seen.others.update(names)
        seen.texts.update(names)
        if any(map(_matters, names)):
            return False
    seen.moves = seen.moves or use.moves
    if use.deletes:
        seen.deletes = True
        seen.deleted.update(VARIABLES(words))
    return not use.writes or _stays(seen, words)


def _cleans_up(seen: _Seen, words: str) -> bool:
    """Whether a `trap` deletes the script's own files at the end, and does nothing else."""
    found = _CLEANS_UP(words)
    if found is None:
        return False
    seen.deletes = True
    seen.deleted.update(VARIABLES(found[1]))
    return True


def _matters(variable: str) -> bool:
    """Whether the shell or other programs do something with a variable."""
    return not variable[0].islower() and (
        variable in RUN_BY_OTHERS or variable in GIVEN or _SPECIAL(variable) is not None
    )


def _may_be_set(seen: _Seen, variable: str, value: str, *, own: bool = True) -> bool:
    """Whether a variable may be set to a value, or to each of several."""
    if _matters(variable) or value[:1] == "-":
        return False
    is_far, seen.is_far = seen.is_far, False
    if not _becomes(seen, value):
        return False
    (seen.own if own and not seen.is_far and _OWN(value) else seen.others).add(variable)
    seen.is_far = seen.is_far or is_far
    if not _NUMBER(value):
        seen.texts.add(variable)
    return True


def _becomes(seen: _Seen, values: str) -> bool:
    """Whether the commands are harmless whose output becomes a value; note what such values may come to."""
    values = f" {values}"
    if "$(" in values:
        if not _substitutes(seen, values):
            return False
        values = WITHOUT("$", values)
    if "$" in values:
        _note(seen, seen.values, values)
    if _UNCERTAIN(values):
        seen.is_far = seen.is_odd = True
    elif not seen.is_far and FAR(values):
        seen.is_far = True
    return True


def _substitutes(seen: _Seen, words: str) -> bool:
    """Whether the commands in words are harmless; a value that can be worked out from theirs may lead elsewhere."""
    for text in COUNTED(words) if "$((" in words else ():
        seen.counted.update(NAMES(text))
    for text in SUBSTITUTED(words):
        for name, arguments in PIPED(text):
            use = use_of(name)
            if name in seen.functions or use is None or use.changes or not use.allows(arguments):
                return False
            if tells_what_it_is_told(name) or FAR(arguments):
                seen.is_far = True
            if "$" in arguments:
                _note(seen, seen.values, arguments)
                _vary(seen, arguments)
    return True


def _stays(seen: _Seen, words: str) -> bool:
    """Whether words lead to places in the working directory, if the variables among them do."""
    if not words:
        return True
    if FAR(words) or "$(" in words:
        return False
    if "$" in words:
        _note(seen, seen.places, words)
    return True


def _note(seen: _Seen, names: set[str], words: str) -> None:
    """Keep the variables among words."""
    found = VARIABLES(words)
    names.update(found)
    if seen.within and not _ARGUMENTS.isdisjoint(found):
        seen.takes = True


def _vary(seen: _Seen, words: str) -> None:
    seen.varies = True
    if seen.within and not _ARGUMENTS.isdisjoint(VARIABLES(words)):
        seen.takes = True


def _is_whole(seen: _Seen) -> bool:
    """Whether what is opened is closed: each `if`, loop, `case` and function with commands in it becomes a command."""
    text = "".join(seen.letters).rstrip("\n")
    for _ in range(_DEEPEST):
        text, changes = _WHOLE("c", text)
        if not changes:
            break
    return not text.strip("c")


def _fits(seen: _Seen) -> bool:
    """Whether what matters only together does not come together."""
    if seen.takes and not all(_becomes(seen, words) for words in seen.passed):
        return False
    return (
        not (seen.is_odd and seen.varies)
        and not (seen.deletes and (seen.moves or not seen.deleted <= seen.own - seen.others))
        and not (seen.places and not _lead_nowhere(seen))
        and (not seen.counted or seen.counted <= (seen.own | seen.others) - seen.texts)
        and (not seen.calls or _ends(seen.calls))
    )


def _lead_nowhere(seen: _Seen) -> bool:
    """Whether the variables that say where something is written hold nothing that leads elsewhere."""
    used = seen.places | seen.values
    return not seen.is_far and used.isdisjoint(GIVEN) and used.isdisjoint(seen.given) and "PWD" not in used


def _ends(calls: set[tuple[str, str]]) -> bool:
    """Whether no function comes to call itself."""
    left = set(calls)
    while left:
        callers = {caller for caller, _ in left}
        last = {call for call in left if call[1] not in callers}
        if not last:
            return False
        left -= last
    return True
