"""`awk`: its programs, on the command line and in files."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.destructive import told
from hexad.skills.shell.held_files import read
from hexad.skills.shell.interpreters import scan_awk
from hexad.skills.shell.unseen import doubt

if TYPE_CHECKING:
    from hexad.skills.shell.machine import Shell

AWKS: Final = frozenset({"awk", "gawk", "mawk", "nawk", "original-awk"})
_FILE_OPTIONS: Final = frozenset({"-f", "--file", "-E", "--exec", "-i", "--include"})
_ATTACHED: Final = re.compile(r"(?:-f|-E|--file=|--exec=)(.+)").fullmatch
_STRING: Final = r"\"(?:[^\"\\\n]|\\.){0,500}\""
_SIDE_BY_SIDE: Final = re.compile(rf"{_STRING}(?:[ \t]+{_STRING})+")
_STRINGS: Final = re.compile(_STRING)
_BETWEEN: Final = re.compile(r"\"[ \t]+\"")
_TO_UNKNOWN: Final = re.compile(
    r"\bprint\w*\b[^|;\n}]{0,300}[^|]\|&?[ \t]*(?!getline\b)[A-Za-z_$(]|[\w)\]][ \t]*\|&?[ \t]*getline\b"
).search


def awk(shell: Shell, argv: list[str]) -> None:
    """Look at what an awk program starts and writes."""
    words, in_file = argv[1:], False
    if "inplace" in words:
        doubt(shell, words)
    while words and words[0].startswith("-") and len(words[0]) > 1:
        attached = _ATTACHED(words[0])
        path = words[1] if words[0] in _FILE_OPTIONS and words[1:] else attached[1] if attached else None
        for code in (read(shell, path) or ()) if path else ():
            _program(shell, argv, code)
        in_file = in_file or (path is not None and words[0] not in {"-i", "--include"})
        words = words[2 if words[0] in {*_FILE_OPTIONS, "-F", "-v", "-l"} else 1 :]
    if words and not in_file:
        _program(shell, argv, words[0])


def _program(shell: Shell, argv: list[str], code: str) -> None:
    scan_awk(shell, argv, code)
    if '" ' in code or '"\t' in code:
        together = _SIDE_BY_SIDE.sub(lambda texts: _BETWEEN.sub("", texts[0]), code)
        if together != code:
            scan_awk(shell, argv, together)
    if "|" in code and _TO_UNKNOWN(_STRINGS.sub('""', code)):
        shell.find("unknown-command", told(argv))
