"""Words that can be read from their text alone. Most are: for these no node of the syntax tree has to be made.

What is read here comes to the same as `words.py` makes of the nodes. Whatever looks unusual is left to it.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.parameters import first_element, looked_up
from hexad.skills.shell.values import SPLIT, Values, joined, split

if TYPE_CHECKING:
    from hexad.skills.shell.machine import Shell

_NAME: Final = r"[A-Za-z_]\w*"
_VARIABLE: Final = rf"\$(?:{_NAME}|\d(?!\d)|[@*#?!$]|\{{{_NAME}\}})"
_STRING: Final = rf'"(?:[^"`\\$\n]|{_VARIABLE})*"'
_RAW: Final = r"'[^'\n]*'"
_BARE: Final = r"[\w./:=@%+,*?^-]"
_SPECIAL: Final = rf"(?:{_STRING}|{_RAW}|{_VARIABLE})"
_END: Final = r"(?=[ \t]|\Z)"
_WORDS: Final = re.compile(rf"[ \t]*(?:({_BARE}+){_END}|({_SPECIAL}){_END}|(.+))", re.ASCII | re.DOTALL).findall
"""For each word: its bare text, or its text with quotes and variables; behind what is unusual there is no other."""
_IS_STRING: Final = re.compile(_STRING, re.ASCII).fullmatch
_ASSIGNED: Final = re.compile(rf"({_NAME})=({_BARE}*|{_SPECIAL})", re.ASCII).fullmatch
_REDIRECTED: Final = re.compile(rf"\d?(>>?|<|>&|&>>?)[ \t]*({_BARE}+|{_SPECIAL})", re.ASCII).fullmatch
_PARTS: Final = re.compile(rf"\$(?:({_NAME}|\d|[@*#?!$])|\{{({_NAME})\}})", re.ASCII).split


def words_of(shell: Shell, source: bytes) -> list[Values] | None:
    """What each word of a command may come to; None if one is not plain."""
    if not source.isascii():
        return None
    found = _WORDS(source.decode())
    if not found or found[-1][2]:
        return None
    return [(bare,) if bare else _special(shell, special) for bare, special, _ in found]


def string_of(shell: Shell, source: bytes) -> Values | None:
    """What a text in double quotes, with them, may come to; None if it is not plain."""
    if not source.isascii():
        return None
    text = source.decode()
    return _filled(shell, text[1:-1]) if _IS_STRING(text) else None


def assignment_of(shell: Shell, source: bytes) -> tuple[str, Values] | None:
    """A variable and what it is set to; None if that is not plain."""
    found = _ASSIGNED(source.decode()) if source.isascii() else None
    if found is None:
        return None
    name, text = found.groups()
    sign = text[:1]
    if sign == "'":
        return name, (text[1:-1],)
    if sign != '"' and sign != "$":
        return name, (text,)
    return name, _filled(shell, text.strip('"'))


def redirection_of(shell: Shell, source: bytes) -> tuple[str, Values] | None:
    """The sign of a redirection and what it may point at; None if that is not plain."""
    found = _REDIRECTED(source.decode()) if source.isascii() else None
    if found is None:
        return None
    sign, text = found.groups()
    return sign, _special(shell, text) if text[0] in "\"'$" else (text,)


def _special(shell: Shell, text: str) -> Values:
    sign = text[0]
    if sign == '"':
        return _filled(shell, text[1:-1])
    if sign == "'":
        return (text[1:-1],)
    separators = shell.variables.get("IFS")
    blanks = " \t\n" if separators is None else "".join(separators)
    return tuple([split(value, blanks) for value in _filled(shell, text)])


def _filled(shell: Shell, text: str) -> Values:
    """A text with its variables put in; nothing is split."""
    if "$" not in text:
        return (text,)
    pieces = _PARTS(text)
    parts: list[Values] = [(pieces[0],)] if pieces[0] else []
    for at in range(1, len(pieces), 3):
        name, braced, behind = pieces[at : at + 3]
        parts.append(looked_up(shell, name) if name else whole(shell, braced))
        if behind:
            parts.append((behind,))
    return joined(parts)


def whole(shell: Shell, name: str) -> Values:
    """What a `${name}` comes to: of an array its first element."""
    return tuple([value.replace(SPLIT, " ") for value in first_element(looked_up(shell, name))])
