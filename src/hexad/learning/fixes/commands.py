"""Shell commands as words: which program a text runs, which of its words are operands, which take rights."""

from __future__ import annotations

import re
import shlex
from itertools import pairwise, takewhile
from typing import TYPE_CHECKING, Final, TypeAlias

from hexad.learning.errors.advice import is_dangerous
from hexad.learning.fixes.programs import GLUED, INSTALLS, KNOWN, PIP, UNCHECKED, WITH_SUBCOMMANDS

if TYPE_CHECKING:
    from collections.abc import Sequence

    Command: TypeAlias = Sequence[str]  # the words of a simple command: program, operands and options, settings

SETTING: Final = re.compile(r"([A-Z_][A-Z0-9_]*)=.*", re.DOTALL)
OPTION: Final = re.compile(r"(--?[A-Za-z?][\w.:-]*|--\w[\w-]+)(?:=.*|\[redacted:([\w-]+)\])?", re.DOTALL)
WHERE: Final = re.compile(  # options that say where something is
    "-[nCRwh]|--(?:namespace|region|profile|project|repo|manifest-path|prefix|workspace|host|context|chdir|cwd)"
)
_PROGRAM: Final = re.compile(r"(?:[~.]{0,2}/)?\.?[A-Za-z_][\w./+-]*")
_REDIRECTION: Final = re.compile(r"\d?>&\d|&>>?\s?\S+|<<<?")
_CODE: Final = re.compile(r"(?i)\s*(?:select|insert|update|delete|create|alter|drop|with|import|from|def|class)\b")
_OFF: Final = frozenset({"false", "no", "none", "0", ""})
_GUARD: Final = re.compile(r"(?i)^(?:require|check|verify|validate|enforce|confirm|protect|safe|weights-only)")
_BYPASS: Final = re.compile(  # names of arguments that pass by an approval, a limit or a check
    r"""(?ix) ^(?:skip|bypass|override|overrule|ignore|disable|without|no|allow)-(?!case|cache|missing|redirect|white
        |null|empty|space|blank|head|nan|index|dup|hidden|error|warning|colou?r|wait)
    | ^(?:override|overrule|bypass)$ | auto-?(?:approv|confirm|accept|merge) | approv | ^admin | ^i-know | destructive
    | ^confirm(?:ed)?$ | ^trust-remote"""
)


def commands(text: str) -> list[Command]:
    """The simple commands of a text that a shell can read, without redirections; else none."""
    if "\n" in text.strip() or _CODE.match(text):
        return []
    lexer = shlex.shlex(_REDIRECTION.sub("", text), posix=True, punctuation_chars="&|;")
    lexer.whitespace_split, lexer.commenters = True, ""
    try:
        words = list(lexer)
    except ValueError:
        return []
    found: list[list[str]] = [[]]
    for word in words:
        if re.fullmatch("[&|;]+", word):
            found.append([])
        else:
            found[-1].append(word)
    found = [["pip", *each[3:]] if PIP.match(" ".join(each)) else each for each in found]
    first = [[*takewhile(SETTING.fullmatch, each)] for each in found]
    ordered: list[Command] = [[*e[len(own) :], *own] for e, own in zip(found, first, strict=True) if e]
    return ordered if all(_PROGRAM.fullmatch(each[0]) for each in ordered) else []


def is_command(name: str, text: str, error: str) -> bool:
    """Whether the text of an argument is a shell command, and more than a sentence.

    It has an option, a chain, a setting, a known program, or one that the error names.
    """
    found = commands(text)
    if not found:
        return False
    first = found[0]
    named = re.search(rf"(?:^|[\s/'\"`]){re.escape(base(first[0]))}['\"`]?:", error) is not None
    signs = any(OPTION.fullmatch(word) or SETTING.fullmatch(word) for word in first)
    known = first[0] in KNOWN or first[0].startswith("./")
    return len(found) > 1 or named or signs or known or name.strip("/`") in {"command", "cmd"}


def operands(name: str, text: str, error: str) -> Sequence[str]:
    """The operands of a shell command: they belong to one run; none if a text is no command."""
    return [
        word
        for each in (commands(text) if is_command(name, text, error) else ())
        for place, word in enumerate(each)
        if place and is_operand(word) and not SETTING.fullmatch(word) and not is_subcommand(each, place)
    ]


def programs(text: str) -> Sequence[str]:
    """The program and subcommand of each command in a text.

    >>> programs("cd src && git push origin main; .venv/bin/python3.12 -m build")
    ['cd', 'git push', 'python']
    """
    return [_program(each) for each in commands(text)]


def failed_program(text: str, error: str) -> str:
    """The program and subcommand of the command that an error is about."""
    return _program(failed_command(commands(text), error))


def failed_command(found: Sequence[Command], error: str) -> Command:
    """The command that an error is about: the one with most of its words."""
    return max(reversed(found), key=lambda each: sum(word in error for word in each))


def takes_rights(path: str, before: str, after: str) -> bool:
    """Whether an argument now takes rights or turns a check off, by its name and value or by the words of its text."""
    name = re.sub("_|(?<=[a-z])(?=[A-Z])", "-", path.rsplit("/", 1)[-1]).lower()
    off = after.casefold() in _OFF - {""}
    if before.startswith("https://") and after.startswith("http://"):
        return True
    if (_BYPASS.search(name) and not off) or (_GUARD.search(name) and off):
        return True
    if before and not after and re.search("check|verif|valid|lint|strict|audit|safe|confirm", name):
        return True
    given = f"{name}={after}" + ("" if after.casefold() in _OFF else f" --{name}")
    if after and is_dangerous(given) and not is_dangerous(before):
        return True
    return bool(_risks(commands(after)) - _risks(commands(before)))


def _risks(found: Sequence[Command]) -> set[str]:
    risks = set[str]()
    for words in found:
        letters = {f"-{letter}" for word in words if re.fullmatch(r"-[A-Za-z]+", word) for letter in word[1:]}
        risks |= UNCHECKED & {f"{name}:{word}" for name in words[:3] for word in (*words, *letters)}
    return risks


def verb(command: Command) -> str:
    """The subcommand, if the program has subcommands."""
    words = (
        word
        for before, word in pairwise(command)
        if re.fullmatch("[a-z][a-z0-9]*(?:-[a-z]+)*", word) and not WHERE.fullmatch(before)
    )
    return next(words, "") if base(command[0]) in WITH_SUBCOMMANDS else ""


def is_operand(word: str) -> bool:
    """Whether a word is no option."""
    return OPTION.fullmatch(word) is None


def is_subcommand(command: Command, place: int) -> bool:
    """Whether the word at a place belongs to the program and not to one run."""
    plain = all(re.fullmatch(r"[a-z][a-z-]*", word) for word in command[1 : place + 1])
    package = place > 1 and command[1] in INSTALLS
    return base(command[0]) in WITH_SUBCOMMANDS and 0 < place <= 2 and plain and not package


def base(program: str) -> str:
    """A program without the folder of one machine."""
    return program.rsplit("/", 1)[-1] if program.startswith(("/", "~")) else program


def shown_option(word: str, program: str) -> str:
    """An option without its value, also if that is glued to it: `-u` of `-umia:secret`."""
    name = option_name(word)
    glued = re.fullmatch(r"-[A-Za-z][^-]+", name) and (
        base(program) in GLUED or ":" in name or re.search(r"\d.*\d", name)
    )
    return name[:2] if glued else name


def option_name(word: str) -> str:
    """An option or a setting without its value; any other word as it is."""
    found = OPTION.fullmatch(word) or SETTING.fullmatch(word)
    return found[1] if found else word


def _program(command: Command) -> str:
    """The program, without its folder and version, and its subcommand."""
    name = re.sub(r"(?<=[a-z])[\d.]+$", "", command[0].rsplit("/", 1)[-1])
    return f"{name} {verb(command)}".strip()
