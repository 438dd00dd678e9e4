"""Text → syntax tree, with what the grammar does not understand written in another way."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser

LONGEST: Final = 262_144  # characters
_MOST_SIGNS: Final = {"|": 2_000, "<<": 500, "=(": 500, "((": 2_000, "case": 2_000, "${": 4_000}
_SHORT: Final = 1_000  # too short for so many
_FAR: Final = re.compile("[\U00010000-\U0010ffff]")  # behind a brace the grammar reads memory that is not its own
_WORD_GOES_ON: Final = re.compile(rb"(?<=[^\s\\])\\\n(?=\S)")
_VARIABLE_IN_WORD: Final = re.compile(rb"\$(?<=[\w./:=-]\$)([A-Za-z_]\w*)")  # the grammar loses some of these
_ARGUMENTS_LOOP: Final = re.compile(rb"\bfor\s+(\w+)\s+do\b")
_BOTH_WAYS: Final = re.compile(rb"(?<=[\d\s])<>")
_BRACE_FIRST: Final = re.compile(rb"(^|[;&|(\n]\s*|\b(?:do|then|else|sudo|exec)\s+)\{(?=[^\s{};]*,)")


@dataclass(frozen=True, slots=True)
class Script:
    """A parsed text. ``gaps`` are the places where a line end was taken out of a word."""

    root: Node
    is_broken: bool
    gaps: tuple[int, ...] = ()

    def line_of(self, node: Node) -> int:
        """The line that a node begins on, as the author counts."""
        return node.start_point[0] + 1 + (bisect_right(self.gaps, node.start_byte) if self.gaps else 0)


def is_parsable(text: str) -> bool:
    """Whether parsing ends soon: the grammar takes quadratic time over many of a few signs."""
    return len(text) < _SHORT or (
        len(text) <= LONGEST and all(text.count(sign) <= most for sign, most in _MOST_SIGNS.items())
    )


def parsed(text: str) -> Script:
    """The syntax tree of a script; never an error: what cannot be read is marked in it."""
    source = _FAR.sub("\ufffd", text).encode("utf-8", "replace")
    gaps: tuple[int, ...] = ()
    if b"\\\n" in source:
        gaps = tuple(found.start() - 2 * n for n, found in enumerate(_WORD_GOES_ON.finditer(source)))
        source = _WORD_GOES_ON.sub(b"", source)
    source = _VARIABLE_IN_WORD.sub(rb"${\1}", source)
    root = parser().parse(source).root_node
    if not root.has_error:
        return Script(root, is_broken=False, gaps=gaps)
    written, changes = _BRACE_FIRST.subn(rb"\1''{", source)  # `{a,b} c`: the grammar takes the brace for a block
    written, more = _BOTH_WAYS.subn(_one_way, written)  # `3<>file`: it knows only one way
    written, most = _ARGUMENTS_LOOP.subn(rb'for \1 in "$@"; do', written)
    again = parser().parse(written).root_node if changes or more or most else root
    return Script(again, again.has_error, gaps)


def _one_way(found: re.Match[bytes]) -> bytes:
    return b"> " if found.string[: found.start()][-1:] in b"12" else b"< "


def parser() -> Parser:
    """One for each text: it takes no time, threads do not meet, and nothing is left of the text before."""
    import tree_sitter  # noqa: PLC0415 - an extra, and only needed here

    return tree_sitter.Parser(_language())


@cache
def _language() -> Language:
    """An ImportError without the extra."""
    import tree_sitter  # noqa: PLC0415 - likewise
    import tree_sitter_bash  # noqa: PLC0415

    return tree_sitter.Language(tree_sitter_bash.language())
