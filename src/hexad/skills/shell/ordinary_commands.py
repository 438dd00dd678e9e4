"""The ways in which a command does no harm, whatever the variables among its words hold.

Most commands are not looked at by any rule: those are harmless in every way. The others have a row here, or none. What
a row allows is far less than what the command can do honestly: a script with anything else is followed in full.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.commands import INTERESTING, INTERESTING_STARTS
from hexad.skills.shell.machine import PRINTERS
from hexad.skills.shell.own_commands import OWN_COMMANDS
from hexad.skills.shell.plain import NAME

if TYPE_CHECKING:
    from collections.abc import Callable

    Matches = Callable[[str], object]

_BEFORE: Final = r"(?:(?<=[\s=,<>|(].)|(?<=[\s=,<>|(][\"'].)|(?<=:.)(?!/)|(?<=:-.)|(?<=:-[\"'].))"
FAR: Final = re.compile(
    rf"/(?:(?!dev/null(?:\s|\Z)){_BEFORE}|(?<=[\"'][\"']/))|~{_BEFORE}|\.(?:\.|[*?]|[\"']?\$)|-(?<=[/\"'>=]-)|:-[.}}]|\\|"
    r"\$(?:\{(?:#|\w+(?!:-|[\w}]))|\{?\w+\}?[\"']*/+(?![\w$]))",
    re.DOTALL,
).search
"""Words behind a blank that may lead out of the working directory, or that another program may take for an option."""
_DASHED: Final = re.compile(r"(?<=[\s\"'])-[^\s]*").findall
_AWK: Final = (
    r"(?:\s+-F\s?(?:[^\s'\"$\\]|'[^']'))?(?:\s+-v\s+\w+=[\w.:-]+)*\s+'\s*([^'\s][^']*)'(?:\s+[\w.\"$][\w.\"$/*-]*)*"
)
_AWK_DOES: Final = re.compile(
    r"[|>@\"\\`<]|\b(?:system|getline|ENVIRON|ARGV|fflush|close|printf|RS|FS|OFS|ORS)\b"
).search
_SED: Final = (
    r"(?:\s+-[nEr]+)*\s+'(?:\d*(?:,(?:\d+|\$))?[dpq]|/[\w .^$:=#-]+/[dp]|"
    r"s(?P<sign>[/|,#:])(?:(?!(?P=sign))[^\\'\n])*(?P=sign)(?:(?!(?P=sign))[^\\'\n])*(?P=sign)g?)'"
    r"(?:\s+[\w.\"$][\w.\"$/*-]*)*"
)


@dataclass(frozen=True, slots=True)
class Use:
    """How a command may be used: what its options look like, or all its words; and what these words say."""

    options: Matches | None = None
    shape: Matches | None = None
    writes: bool = False  # its words are places that it writes to
    deletes: bool = False  # and these it takes away
    moves: bool = False  # what follows happens in another folder
    reads: bool = False  # its words are variables, which it sets to what it is given

    @property
    def changes(self) -> bool:
        """Whether something is not afterwards as it was."""
        return self.writes or self.deletes or self.moves or self.reads

    def allows(self, words: str) -> bool:
        """Whether a command with these words is used in this way."""
        if self.shape is not None and not self.shape(words):
            return False
        return self.options is None or all(map(self.options, _DASHED(words)))


def _with(options: str, *, writes: bool = False) -> Use:
    return Use(options=re.compile(options).fullmatch, writes=writes)


def _shaped(shape: str) -> Matches:
    return re.compile(shape, re.ASCII).fullmatch


def _is_plain_awk(words: str) -> bool:
    found = _shaped_awk(words)
    return found is not None and not _AWK_DOES(found[1])


_shaped_awk: Final = re.compile(_AWK, re.ASCII).fullmatch
_OWN_NAME: Final = rf"(?:\s+(?:\"\$(?:{NAME}|\{{{NAME}\}})\"|\$(?:{NAME}|\{{{NAME}\}})|\w[\w.-]*(?:/\w[\w.-]*)*))+"
HARMLESS: Final = Use()
USES: Final[dict[str, Use]] = {
    "mkdir": _with(r"-[pv]+", writes=True),
    "touch": _with(r"-[acm]", writes=True),
    "cp": _with(r"-[rRapfnvu]+", writes=True),
    "mv": _with(r"-[fnv]+", writes=True),
    "tee": _with(r"-a", writes=True),
    "cat": _with(r"-[AbeEnstTuv]+"),
    "head": _with(r"-[ncq]?\d*"),
    "tail": _with(r"-[ncq]?\d*"),
    "sort": _with(r"-[bdfghiMnRrsuVz]+|-[tk][\d,.nr:;|'\"]*"),
    "mktemp": _with(r"-[dqu]"),
    "date": Use(shape=_shaped(r"(?:\s+-u)?(?:\s+[\"']?\+[\w %:/.,+-]*[\"']?)?")),
    "find": _with(
        r"-(?:i?name|i?path|type|m(?:ax|in)depth|size|mtime|mmin|newer|print0?|not|[oa]|empty)|-?\d+|-\+?\d+[kMG]?"
    ),
    "tar": Use(
        shape=_shaped(r"\s+-?[cxtzjJvf]+(?:\s+[^\s-][^\n]*|\s+-[Cf]\s+[^\n]*)?"),
        options=re.compile(r"-[cxtzjJvf]+|-C").fullmatch,
        writes=True,
    ),
    "sed": Use(shape=_shaped(_SED)),
    "awk": Use(shape=_is_plain_awk),
    "chmod": Use(shape=_shaped(r"\s+(?:[ugoa]*[+-][rwx]+|0?[4-7][0-7][0-5])(?:\s+[\w\"$][^\s]*)+"), writes=True),
    "rm": Use(shape=_shaped(rf"(?:\s+-[rfv]+)*{_OWN_NAME}"), deletes=True, writes=True),
    "cd": Use(shape=_shaped(r"\s+\"?[\w.$][^\s-]*"), writes=True, moves=True),
    "read": Use(shape=_shaped(rf"(?:\s+-r)?(?:\s+{NAME})+"), reads=True),
    "set": Use(shape=_shaped(r"(?:\s+[-+](?:[eux]+|[eux]*o\s+(?:pipefail|errexit|nounset)))+")),
    "shift": Use(shape=_shaped(r"(?:\s+\d)?")),
    "export": Use(shape=_shaped(rf"(?:\s+{NAME})+")),
    "local": Use(shape=_shaped(rf"(?:\s+{NAME})+"), reads=True),
    "printf": Use(shape=re.compile(r"\s+(?![\"']?-)").match),
    "[": Use(shape=re.compile(r"(?!.*\s[\"']?-[vR][\"']?\s).*\s\]", re.DOTALL).fullmatch),
    "[[": Use(shape=re.compile(r"(?!.*\s[\"']?-(?:[vR]|eq|ne|lt|le|gt|ge)[\"']?\s).*\s\]\]", re.DOTALL).fullmatch),
    "test": Use(shape=re.compile(r"(?!.*\s[\"']?-[vR][\"']?\s)", re.DOTALL).match),
    "command": Use(shape=_shaped(r"\s+-[vV]\s+[\w.+-]+")),
    "unset": Use(shape=_shaped(rf"(?:\s+{NAME})+"), reads=True),
    "umask": Use(shape=_shaped(r"\s+0?\d\d\d")),
}
_SHELL_WORDS: Final = frozenset(
    """alias bg bind builtin caller command compgen complete compopt declare dirs disown enable eval exec fc fg
    getopts history jobs let logout mapfile popd pushd readarray readonly shopt source suspend times trap typeset ulimit
    umask unalias unset""".split()  # noqa: SIM905
)
_UNKNOWN_OUTPUT: Final = frozenset({"basename", "mktemp", "date", "find"})


@lru_cache(maxsize=1024)
def use_of(name: str) -> Use | None:
    """How a command may be used so that it does no harm; None if that is not known."""
    use = USES.get(name)
    if use is not None:
        return use
    told = name.encode()
    if name in _SHELL_WORDS or name in OWN_COMMANDS or told.startswith(INTERESTING_STARTS):
        return None
    return HARMLESS if told not in INTERESTING or told in PRINTERS else None


@lru_cache(maxsize=1024)
def may_be_defined(name: str) -> bool:
    """Whether a function may have a name: that of no command which a rule looks at."""
    told = name.encode()
    return name not in USES and name not in _SHELL_WORDS and told not in INTERESTING and use_of(name) is not None


@lru_cache(maxsize=1024)
def tells_what_it_is_told(name: str) -> bool:
    """Whether what a command prints can be worked out from its words or its input."""
    return name.encode() in INTERESTING and name not in _UNKNOWN_OUTPUT
