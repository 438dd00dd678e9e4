"""Text → syntax tree, with what the grammar does not understand written in another way."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Language, Node, Parser

LONGEST: Final = 262_144  # characters
_MOST_SIGNS: Final = {"|": 2_000, "<<": 500, "=(": 500, "((": 2_000, "case": 2_000, "${": 4_000}
_SHORT: Final = 1_000  # too short for so many
_FAR: Final = re.compile("[\U00010000-\U0010ffff]")  # behind a brace the grammar reads memory that is not its own
_WORD_GOES_ON: Final = re.compile(rb"(?<=[^\s\\])\\\n(?=\S)")
_PERHAPS_TEXT: Final = re.compile(r"#|<<|'").search  # signs of comments, here-documents and quotes
_IN_TEXT: Final = re.compile(
    r"(?:^|(?<=[\s;&|(]))#[^\n]*\\\n|<<-?[ \t]*(?P<quote>['\"\\])(?P<end>\w+)['\"]?[^\n]*\n.*?\n[\t]*(?P=end)(?=\n|\Z)",
    re.DOTALL | re.MULTILINE,
)
"""Comments that end with a backslash, and here-documents that are taken as they are."""
_MARKS: Final = re.compile(r"<<[ \t]*['\"\\]?(\w+)").findall  # of here-documents that end at the start of a line
_HELD: Final = "\x11"
_VARIABLE_IN_WORD: Final = re.compile(rb"\$(?<=[\w./:=-]\$)([A-Za-z_]\w*)")  # the grammar loses some of these
_ARGUMENTS_LOOP: Final = re.compile(rb"\bfor\s+(\w+)\s+do\b")
_BOTH_WAYS: Final = re.compile(rb"(?<=[\d\s])<>")
_ROOT_TESTED: Final = re.compile(rb"(?<=[ \t])/(?=[ \t]+\]\]?(?:[ \t;\n]|$))")  # `[ -d / ]`
_BASED: Final = re.compile(rb"(?<=[(\s+*-])\d+#(?=[\w$])")  # `$((10#$n))`
_GIVEN_BEHIND: Final = re.compile(
    rb"(\}|\bdone|\bfi|\besac)[ \t]*<<<[ \t]*(\"[^\"$`]*(?:\$\w+[^\"$`]*)*\"|\$\w+|\$?'[^']*')"
)
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

    def broken_line(self) -> int:
        """The line from which on it cannot be read, as far as that can be told."""
        return self.line_of(_first_error(self.root))


def _first_error(node: Node) -> Node:
    """The innermost node that is none, or that holds what is missing: the first of them."""
    inner: Node | None = node
    while inner is not None:
        node = inner
        inner = next((each for each in node.children if each.is_error or each.is_missing or each.has_error), None)
    return node


def is_parsable(text: str) -> bool:
    """Whether parsing ends soon: the grammar takes quadratic time over many of a few signs."""
    return len(text) < _SHORT or (
        len(text) <= LONGEST and all(text.count(sign) <= most for sign, most in _MOST_SIGNS.items())
    )


def readings(text: str) -> list[Script]:
    """The syntax tree of a script, and of what else it may say.

    A line end behind a backslash is taken out of a word, for the grammar does not know that it may stand there. In a
    comment, in quotes and in a here-document it ends the line all the same: such a script is read in each way. So is
    one whose here-document has its mark behind tabs: the grammar ends it there, a shell only if it began with `<<-`.
    """
    first = parsed(text)
    others: list[Script] = []
    if first.gaps and _PERHAPS_TEXT(text):
        held = _IN_TEXT.sub(lambda found: found[0].replace("\\\n", f"{_HELD}\n"), text)
        others += [parsed(held.replace(_HELD, "")), parsed(text, joins=False)]
    if "<<" in text and "\n\t" in text:
        marks = {re.escape(mark) for mark in _MARKS(text)}
        shifted = re.sub(rf"\n\t+(?=(?:{'|'.join(marks)})(?:\n|\Z))", "\n.", text) if marks else text
        others += [parsed(shifted)] if shifted != text else []
    return [first, *(replace(other, is_broken=other.is_broken and first.is_broken) for other in others)]


def parsed(text: str, *, joins: bool = True) -> Script:
    """The syntax tree of a script; never an error: what cannot be read is marked in it."""
    source = _FAR.sub("\ufffd", text).encode("utf-8", "replace")
    gaps: tuple[int, ...] = ()
    if joins and b"\\\n" in source:
        gaps = tuple(found.start() - 2 * n for n, found in enumerate(_WORD_GOES_ON.finditer(source)))
        source = _WORD_GOES_ON.sub(b"", source)
    source = _VARIABLE_IN_WORD.sub(rb"${\1}", source)
    root = parser().parse(source).root_node
    if not root.has_error:
        return Script(root, is_broken=False, gaps=gaps)
    written = _BRACE_FIRST.sub(rb"\1''{", source)  # `{a,b} c`: the grammar takes the brace for a block
    written = _BOTH_WAYS.sub(_one_way, written)  # `3<>file`: it knows only one way
    written = _ROOT_TESTED.sub(rb"'/'", _BASED.sub(b"", written))
    written = _GIVEN_BEHIND.sub(rb"\1 < <(echo \2)", written)
    written = _ARGUMENTS_LOOP.sub(rb'for \1 in "$@"; do', written)
    again = parser().parse(written).root_node if written != source else root
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
