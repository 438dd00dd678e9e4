"""Words that can be read from their text alone. Most are: for these no node of the syntax tree has to be made.

What is read here comes to the same as `words.py` makes of the nodes. Whatever looks unusual is left to it.
"""

from __future__ import annotations

import re
import shlex
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.parameters import first_element, looked_up, or_default
from hexad.skills.shell.values import Values, joined, split

if TYPE_CHECKING:
    from hexad.skills.shell.machine import Shell

_NAME: Final = r"[A-Za-z_]\w*"
_BARE: Final = r"[\w./:=@%+,*?^-]"
_BRACED: Final = rf"\{{(?:{_NAME}\}}|(?:{_NAME}|\d):-{_BARE}*\}})"
_VARIABLE: Final = rf"\$(?:{_NAME}|\d(?!\d)|[@*#?!$]|{_BRACED})"
_STRING: Final = rf'"(?:[^"`\\$\n]|{_VARIABLE})*+"'
_RAW: Final = r"'[^'\n]*'"
_SPECIAL: Final = rf"(?:{_STRING}|{_RAW}|{_VARIABLE})"
_END: Final = r"(?=[ \t]|\Z)"
_WORDS: Final = re.compile(rf"[ \t]*(?:({_BARE}++){_END}|({_SPECIAL}){_END}|(.+))", re.ASCII | re.DOTALL).findall
"""For each word: its bare text, or its text with quotes and variables; behind what is unusual there is no other."""
_IS_STRING: Final = re.compile(_STRING, re.ASCII).fullmatch
_ASSIGNED: Final = re.compile(rf"({_NAME})=({_BARE}*|{_SPECIAL})", re.ASCII).fullmatch
_REDIRECTED: Final = re.compile(rf"\d?(>>?|<|>&|&>>?)[ \t]*({_BARE}+|{_SPECIAL})", re.ASCII).fullmatch
_OUTPUT: Final = re.compile(rb"([A-Za-z_]\w*)=(\"?)\$\(([^()`<>;&|\\\n]+)\)\2").fullmatch
_SAYS: Final = re.compile(
    rf"\s*(?:(echo|exit|return|true|printf(?=[ \t]+'[^'-]))(?:[ \t]+(?:{_BARE}++|{_SPECIAL})(?=[ \t;\n]))*+"
    r"(?:[ \t]*\d?>&[12])?[ \t]*[;\n]\s*|(.+))",
    re.ASCII | re.DOTALL,
).findall
_LONGEST_SAYING: Final = 1000  # characters
_OPENING: Final = frozenset('"$')
_SPECIAL_STARTS: Final = _OPENING | {"'"}
_PARTS: Final = re.compile(rf"\$(?:({_NAME}|\d|[@*#?!$])|\{{({_NAME}|\d)(?::-({_BARE}*))?\}})", re.ASCII).split


def words_of(shell: Shell, source: bytes) -> list[Values] | None:
    """What each word of a command may come to; None if one is not plain."""
    if not source.isascii() or _is_put_together(shell, source):
        return None
    found = _WORDS(source.decode())
    if not found or found[-1][2]:
        return None
    return [(bare,) if bare else _special(shell, special) for bare, special, _ in found]


def _is_put_together(shell: Shell, source: bytes) -> bool:
    """Whether all arguments become one word in a way of the script's own."""
    return "IFS" in shell.variables and b"$*" in source


def is_plain(source: bytes) -> bool:
    """Whether a text is nothing but plain words."""
    found = _WORDS(source.decode()) if source.isascii() else []
    return bool(found) and not found[-1][2]


def string_of(shell: Shell, source: bytes) -> Values | None:
    """What a text in double quotes, with them, may come to; None if it is not plain."""
    if not source.isascii() or _is_put_together(shell, source):
        return None
    text = source.decode()
    return _filled(shell, text[1:-1]) if _IS_STRING(text) else None


def assignment_of(shell: Shell, source: bytes) -> tuple[str, Values] | None:
    """A variable and what it is set to; None if that is not plain."""
    found = _ASSIGNED(source.decode()) if source.isascii() and not _is_put_together(shell, source) else None
    if found is None:
        return None
    name, text = found.groups()
    sign = text[:1]
    if sign == "'":
        return name, (text[1:-1],)
    if sign not in _OPENING:
        return name, (text,)
    return name, _filled(shell, text.strip('"'))


def redirection_of(shell: Shell, source: bytes) -> tuple[str, Values] | None:
    """The sign of a redirection and what it may point at; None if that is not plain."""
    found = _REDIRECTED(source.decode()) if source.isascii() else None
    if found is None:
        return None
    sign, text = found.groups()
    return sign, _special(shell, text) if text[0] in _SPECIAL_STARTS else (text,)


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
    if text[0] == "$" and text[1:].isidentifier():  # nearly always
        return looked_up(shell, text[1:])
    pieces = _PARTS(text)
    parts: list[Values] = [(pieces[0],)] if pieces[0] else []
    for at in range(1, len(pieces), 4):
        name, braced, default, behind = pieces[at : at + 4]
        parts.append(looked_up(shell, name) if name else _braced(shell, braced, default))
        if behind:
            parts.append((behind,))
    return joined(parts)


def _braced(shell: Shell, name: str, default: str | None) -> Values:
    """What a `${name}` or a `${name:-default}` comes to: of an array its first element."""
    values = first_element(looked_up(shell, name))
    return values if default is None else or_default(values, (default,))


def output_of(source: bytes) -> tuple[str, bytes] | None:
    """A variable that is set to what one command prints, and that command; None for any other assignment."""
    found = _OUTPUT(source)
    return (found[1].decode(), found[3].strip()) if found else None


def says_only(source: bytes) -> frozenset[str]:
    """The commands in a function's body if it only prints plain words, whatever its arguments; else none."""
    if len(source) > _LONGEST_SAYING or not source.isascii() or source[:1] != b"{":
        return frozenset()
    found = _SAYS(source[1:-1].decode())
    return frozenset(name for name, _ in found) if found and not found[-1][1] else frozenset()


def quoted_words(text: str) -> list[str]:
    """The words of a text as `xargs` parts them: quotes and backslashes keep blanks."""
    try:
        return shlex.split(text)[:256]
    except ValueError:
        return text.split()[:256]
