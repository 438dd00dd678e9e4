"""The commands of ordinary scripts, and the ways in which they do no harm.

Most commands are in none of the tables of the long way: those do nothing that it would find, whatever their words. Some
that are in one read and print, and nothing else. The others have a row that says what their words may look like, from
the first to the last: far less than what they honestly do. A script with anything else is followed.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.commands import INTERESTING, INTERESTING_STARTS
from hexad.skills.shell.ordinary_reading import AMONG, GAP, NAME, PLACE, RAW

if TYPE_CHECKING:
    from collections.abc import Callable

HARMLESS: Final = frozenset(
    """: basename break cat cksum cmp column comm continue cut df diff dirname du echo egrep exit expand expr false
    fgrep fold grep head id join ls md5sum nl paste pwd readlink realpath return rev seq sha1sum sha256sum sha512sum
    sleep stat tac tail tr true uname wc which whoami""".split()  # noqa: SIM905
)
"""What reads and prints, and can do nothing else, though some of it can hide something from who follows a script."""


@dataclass(frozen=True, slots=True)
class Use:
    """A way in which a command may be used."""

    fits: Callable[[str], object]  # whether all its words are of this way
    places: bool = True  # the variables among its words say where it reads or writes
    deletes: bool = False  # what they name is taken away
    reads: bool = False  # its words are variables, which it sets to what it is given


def _like(words: str) -> Callable[[str], object]:
    return re.compile(words, re.ASCII).fullmatch


def _some(options: str, words: str = PLACE) -> Use:
    """A command with options of these forms, and words of another."""
    return Use(_like(rf"(?:{GAP}(?:{options})(?=[ \t]))*+(?:{GAP}{words})++"))


_FILES: Final = rf"(?:{GAP}{PLACE})*+"
_ONE: Final = (
    r"\"(?:[^\"`\\$\n]++|\\[nt\"\\]|\$(?:[A-Za-z]\w*+|\{[A-Za-z]\w*+\}|\d(?!\d)|[#?]))*+\""  # one word for certain
)
_SIDE: Final = rf"(?:{_ONE}|{RAW}|\w[\w./]*+|\$[#?])"
_FILE_TEST: Final = rf"-[bcdefghknprstuwxzLNS]{GAP}{_SIDE}"
_COMPARED: Final = rf"{_SIDE}(?:{GAP}(?:==?|!=){GAP}{_SIDE})?+"
_NUMBERS: Final = rf"{_SIDE}{GAP}-(?:eq|ne|lt|le|gt|ge){GAP}{_SIDE}"
_TEST: Final = rf"{GAP}(?:!{GAP})?+(?:{_FILE_TEST}|{_NUMBERS}|{_COMPARED})"
_SED: Final = (
    r"'(?:\d*+(?:,(?:\d+|\$))?[dpq]|/[\w .^$:=#-]++/[dp]|"
    r"s(?P<sign>[/|,#])(?:(?!(?P=sign))[^\\'\n&])*+(?P=sign)(?:(?!(?P=sign))[^\\'\n])*+(?P=sign)g?)'"
)
_AWK: Final = r"'(?:[\w\s{}()+*/%,;:.!?^$=&\[\]-](?<!system)(?<!getline))++'"
_FORMAT: Final = r"(?:[^'\"`\\$\n%]++|\\[nt\\]|%[-0 +#]*+\d*+(?:\.\d++)?+[sdiuxXfgcbq%])*+"
ROWS: Final[dict[str, Use]] = {
    "awk": Use(_like(rf"(?:{GAP}-F(?:{GAP})?+(?:[,:;]|'[^'\\]'))?+{GAP}{_AWK}{_FILES}")),
    "chmod": Use(_like(rf"{GAP}(?:[ugoa]*+\+[rwx]++|[ugoa]++-[rwx]++|[4-7][0-7][0-5])(?:{GAP}{PLACE})++")),
    "command": Use(_like(rf"{GAP}-[vV]{GAP}\w[\w.+-]*+"), places=False),
    "cp": _some(r"-[rRapfnv]++"),
    "date": Use(_like(rf"(?:{GAP}-u)?+(?:{GAP}(?:\+[%\w.:-]++|'\+[%\w .:/-]++'|\"\+[%\w .:/-]++\"))?+")),
    "export": Use(_like(rf"(?:{GAP}{NAME})++"), places=False),
    "find": Use(
        _like(
            rf"(?:{GAP}{PLACE})++(?:{GAP}(?:-i?name{GAP}(?:{RAW}|\"[\w.*?-]++\")|-type{GAP}[fdl]|-m(?:ax|in)depth{GAP}\d+"
            rf"|-print|-empty))*+"
        )
    ),
    "local": Use(_like(rf"(?:{GAP}{NAME})++"), reads=True),
    "mkdir": _some(r"-[pv]++"),
    "mktemp": Use(_like(rf"(?:{GAP}-d)?+")),
    "mv": _some(r"-[fnv]++"),
    "printf": Use(_like(rf"{GAP}(?:'(?!-){_FORMAT}'|\"(?!-){_FORMAT}\")(?!\S)[^\x00]*+"), places=False),
    "read": Use(_like(rf"(?:{GAP}-r)?+(?:{GAP}{NAME})++"), reads=True),
    "rm": Use(
        _like(rf"(?:{GAP}-[rf]++)*+(?:{GAP}(?:\"\$(?:{NAME}|\{{{NAME}\}})\"|\w[\w.-]*+(?:/\w[\w.-]*+)*+)(?!\S))++"),
        deletes=True,
    ),
    "set": Use(_like(rf"(?:{GAP}[-+](?:[eux]*+o{GAP}(?:pipefail|errexit|nounset)|[eux]++(?!o)))++"), places=False),
    "shift": Use(_like(rf"(?:{GAP}\d)?+"), places=False),
    "sort": Use(_like(rf"(?:{GAP}-(?:[bdfghiMnRrsuVz]++|t[,:;.]|k[\d,.nr]++))*+{_FILES}")),
    "tar": Use(_like(rf"{GAP}-?[ctzjJv]*+f(?:{GAP}(?:{PLACE}|-C(?=[ \t])))++")),
    "tee": _some("-a"),
    "touch": _some("-c"),
    "test": Use(_like(_TEST), places=False),
    "umask": Use(_like(rf"{GAP}0?[0-7]{{3}}"), places=False),
    "uniq": Use(_like(rf"(?:{GAP}-[cdiu]++)*+(?:{GAP}{PLACE})?+")),
    "sed": Use(_like(rf"(?:{GAP}-[nEr]++)*+{GAP}{_SED}{_FILES}")),
    "[": Use(_like(rf"{_TEST}{GAP}\]"), places=False),
    "[[": Use(_like(rf"{GAP}(?:!{GAP})?+(?:{_FILE_TEST}|{_COMPARED}){GAP}\]\]"), places=False),
}
CLEANS_UP: Final = re.compile(
    rf"{GAP}'rm -r?f((?: \"\$[a-z]\w*+\")++)'(?:{GAP}(?:EXIT|INT|TERM|HUP|0))++", re.ASCII
).fullmatch
"""A `trap` that deletes what variables name, and nothing else."""
PATTERN: Final = re.compile(AMONG, re.ASCII).fullmatch
_SHELL_WORDS: Final = frozenset(
    """alias bg bind builtin caller cd command_not_found_handle compgen complete compopt declare dirs disown enable eval
    exec fc fg getopts history jobs let logout mapfile popd pushd readarray readonly shopt source suspend times trap
    typeset ulimit unalias unset wait chdir""".split()  # noqa: SIM905
)


@lru_cache(maxsize=1024)
def is_harmless(name: str) -> bool:
    """Whether a command does nothing that matters, whatever its words: it is known for that, or no rule is about it."""
    return name in HARMLESS or (name not in ROWS and may_be_defined(name))


@lru_cache(maxsize=1024)
def may_be_defined(name: str) -> bool:
    """Whether a function may have a name: not that of a command that means something to the shell or to a rule."""
    told = name.encode()
    known = name in HARMLESS or name in ROWS or name in _SHELL_WORDS or told in INTERESTING
    return not known and not told.startswith(INTERESTING_STARTS)
