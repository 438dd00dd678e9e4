"""Text → syntax tree."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import tree_sitter_bash
from tree_sitter import Language, Parser

if TYPE_CHECKING:
    from tree_sitter import Node

_LANGUAGE: Final = Language(tree_sitter_bash.language())
LONGEST: Final = 262_144  # characters
_SHORT: Final = 1_000
_MOST_SIGNS: Final = {"|": 2_000, "<<": 500, "=(": 500, "((": 2_000, "case": 2_000, "${": 4_000}
"""The grammar takes quadratic time over many of these."""
_FAR: Final = re.compile("[\U00010000-\U0010ffff]")  # behind a brace the grammar reads memory that is not its own
_JOIN: Final = re.compile(rb"(?<=[^\s\\])\\\n(?=\S)")  # a line end within a word, which the grammar does not know
_JOIN_IN_COMMENT: Final = re.compile(rb"#[^\n]*[^\s\\]\\\n\S")
_VARIABLE_IN_WORD: Final = re.compile(rb"\$(?<=[\w./:=-]\$)([A-Za-z_]\w*)")  # the grammar loses some of these
_QUOTED_START: Final = re.compile(rb"(?<=\n)([ \t]*)\\(?=[A-Za-z])")  # `\rm`: the grammar joins it to the line above
_INDENTED_END: Final = re.compile(r"<<[ \t]*\\?['\"]?(\w+)['\"]?.*?\n\t+\1[ \t]*(?:\n|\Z)", re.DOTALL)
_FED_BLOCK: Final = re.compile(rb"(\}|\bdone|\bfi|\besac)[ \t]*<<<[ \t]*(\"[^\"]*\"|'[^']*'|\S+)")


@dataclass(frozen=True, slots=True)
class Script:
    """A parsed text. ``gaps`` are the places where a line end was taken out of a word."""

    root: Node
    gaps: tuple[int, ...] = ()
    is_ambiguous: bool = False  # a shell and the grammar may read it differently

    def line_of(self, node: Node) -> int:
        """The line that a node begins on, as the author counts."""
        return node.start_point[0] + 1 + bisect_right(self.gaps, node.start_byte)

    def broken_line(self) -> int:
        """The line of the first syntax error; 0 if there is none."""
        node = self.root
        if not node.has_error and not self.is_ambiguous:
            return 0
        while inner := next(
            (each for each in node.children if each.is_error or each.is_missing or each.has_error), None
        ):
            node = inner
        return self.line_of(node)


def is_parsable(text: str) -> bool:
    """Whether parsing takes bounded time."""
    return len(text) < _SHORT or (
        len(text) <= LONGEST and all(text.count(sign) <= most for sign, most in _MOST_SIGNS.items())
    )


def parsed(text: str) -> Script:
    """The syntax tree of a script. Never an error: parts that cannot be read are marked in the tree."""
    source = _FAR.sub("\ufffd", text).encode("utf-8", "replace")
    ambiguous = bool(_JOIN_IN_COMMENT.search(source)) or ("\n\t" in text and bool(_INDENTED_END.search(text)))
    gaps = tuple(found.start() - 2 * number for number, found in enumerate(_JOIN.finditer(source)))
    source = _VARIABLE_IN_WORD.sub(rb"${\1}", _QUOTED_START.sub(rb"\1", _JOIN.sub(b"", source)))
    root = parser().parse(source).root_node
    if root.has_error and b"<<<" in source:  # the grammar does not know `<<<` behind a block
        again = parser().parse(_FED_BLOCK.sub(rb"\1 < <(echo \2)", source)).root_node
        root = root if again.has_error else again
    return Script(root, gaps, ambiguous)


def parser() -> Parser:
    """A parser for one text: making one is cheap, and threads do not share it."""
    return Parser(_LANGUAGE)
