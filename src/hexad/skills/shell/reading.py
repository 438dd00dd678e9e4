"""Read a script: its text as a syntax tree, and each word as a few possible texts, with
markers for unknown parts.

Quotes, plain variables, defaults, braces and substituted commands are expanded. Every
other expansion is unknown.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice, product
from typing import TYPE_CHECKING, Final

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from hexad.skills.shell.places import BREAK, HOME, MADE, SELF, UNKNOWN, named

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.skills.shell.walking import Shell

_LANGUAGE: Final = Language(tree_sitter_bash.language())
_LONGEST_SCRIPT: Final = 65_536  # characters
_MOST_SIGNS: Final = {
    "|": 2_000,
    "<<": 150,
    "=(": 500,
    "((": 2_000,
    "case": 2_000,
    "${": 4_000,
}
"""The grammar takes quadratic time over many of these."""
_FAR: Final = re.compile(
    "[\U00010000-\U0010ffff]"
)  # behind a brace the grammar reads memory that is not its own
_JOIN: Final = re.compile(
    rb"(?<=[^\s\\])\\\n(?=\S)"
)  # a line end within a word, which the grammar does not know
_JOIN_IN_COMMENT: Final = re.compile(rb"^[^\n#]*#[^\n]*[^\s\\]\\\n\S", re.MULTILINE)
_VARIABLE_IN_WORD: Final = re.compile(
    rb"\$(?<=[\w./:=-]\$)([A-Za-z_]\w*)"
)  # the grammar loses some of these
_QUOTED_START: Final = re.compile(
    rb"(?<=\n)([ \t]*)\\(?=[A-Za-z])"
)  # `\rm`: the grammar joins it to the line above
_INDENTED_END: Final = re.compile(
    r"<<[ \t]*\\?['\"]?(\w+)['\"]?.*?\n\t+\1[ \t]*(?:\n|\Z)", re.DOTALL
)
MOST: Final = 8  # texts that a word may come to
LONGEST: Final = 65_536  # characters of a text
_BRACES: Final = re.compile(
    r"([^\s{}'\"$`\\]*)\{([^{}'\"$`\\\s]*,[^{}'\"$`\\\s]*)\}([^\s{}'\"$`\\]*)"
)
_ESCAPE: Final = re.compile(
    r"\\(x[0-9a-fA-F]{1,2}|u[0-9a-fA-F]{1,4}|0?[0-7]{1,3}|[abefnrtv\\'\"?])"
)
_ESCAPES: Final = {
    "n": "\n",
    "t": "\t",
    "r": "\r",
    "a": "\a",
    "b": "\b",
    "e": "\x1b",
    "f": "\f",
    "v": "\v",
}
_TILDE: Final = re.compile(r"~([A-Za-z_][\w-]*)?(?=/|$)")
_PRESET: Final = {
    **dict.fromkeys(named("? # $ - RANDOM UID EUID SECONDS LINENO PPID BASHPID"), "1"),
    **dict.fromkeys(("0", "BASH_SOURCE"), SELF),
    **dict.fromkeys(("SHELL", "BASH"), "/bin/sh"),
    **dict.fromkeys(("HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"), HOME),
    "TMPDIR": "/tmp/t",  # noqa: S108 - a script's path
    "PATH": "/usr/bin",
    "IFS": " ",
    "!": "%1",
}
_NESTED: Final = named(
    "command_substitution process_substitution expansion simple_expansion string concatenation"
)


@dataclass(frozen=True, slots=True)
class ParsedScript:
    """A parsed text."""

    root: Node
    is_ambiguous: bool = False  # a shell and the grammar may read it differently

    def broken_line(self) -> int:
        """The line of the first syntax error; 0 if it has no error."""
        node = self.root
        if not node.has_error and not self.is_ambiguous:
            return 0
        while inner := next((each for each in node.children if each.has_error), None):
            node = inner
        return node.start_point[0] + 1


def is_parsable(text: str) -> bool:
    """Whether parsing takes bounded time."""
    return len(text) <= _LONGEST_SCRIPT and all(
        text.count(sign) <= most for sign, most in _MOST_SIGNS.items()
    )


def parsed(text: str) -> ParsedScript:
    """The syntax tree of a script. Never an error: parts that cannot be read are marked
    in the tree.
    """
    source = _FAR.sub("\ufffd", text).encode("utf-8", "replace")
    ambiguous = bool(_JOIN_IN_COMMENT.search(source)) or (
        "\n\t" in text and bool(_INDENTED_END.search(text))
    )
    source = _VARIABLE_IN_WORD.sub(
        rb"${\1}", _QUOTED_START.sub(rb"\1", _JOIN.sub(b"", source))
    )
    return ParsedScript(
        Parser(_LANGUAGE).parse(source).root_node, ambiguous
    )  # threads do not share a parser


def text_of(node: Node) -> str:
    """The text of a node as it is written."""
    return (node.text or b"").decode("utf-8", "replace")


def unescaped(text: str) -> str:
    r"""A text with `\n`, `\x41` and `\101` as the characters that they stand for."""
    return _ESCAPE.sub(_character, text)


def _character(found: re.Match[str]) -> str:
    code = found[1]
    if code[0].isdecimal() or code[0] in "xu":
        return chr(int(code, 8) % 256 if code[0].isdecimal() else int(code[1:], 16))
    return _ESCAPES.get(code, code)


def expanded(shell: Shell, node: Node, *, quoted: bool = False) -> tuple[str, ...]:
    """The texts that a word may come to; a `BREAK` stands where a shell would split it."""
    shell.spend()
    if node.type not in KINDS:
        scan(shell, node)
        return ("1" if node.type == "arithmetic_expansion" else UNKNOWN,)
    texts = KINDS[node.type](shell, node, quoted)
    shell.spend(sum(map(len, texts)) // 200)
    is_split = node.type in _SPLIT and not quoted
    return tuple(re.sub(r"\s+", BREAK, text) for text in texts) if is_split else texts


def scan(shell: Shell, node: Node) -> None:
    """Walk every command that is substituted somewhere below a node."""
    left = list(node.children)
    while left:
        each = left.pop()
        shell.spend()
        if each.type in _NESTED:
            expanded(shell, each, quoted=True)
        else:
            left += each.children


def fields(shell: Shell, node: Node) -> list[list[str]]:
    """Each possible text of a word, split into the words that a command gets."""
    return [
        [word for word in text.split(BREAK) if word or node.type not in _SPLIT]
        for text in expanded(shell, node)
    ]


def _joined(parts: list[tuple[str, ...]]) -> tuple[str, ...]:
    """Every way to put the texts of the parts one behind the other, up to `MOST`; the
    others are unknown.
    """
    if sum(len(text) for part in parts for text in part) > LONGEST:
        return (
            MADE if any(MADE in text for part in parts for text in part) else UNKNOWN,
        )
    some = list(islice(map("".join, product(*parts)), MOST + 1))
    return tuple([*some[:MOST], UNKNOWN] if len(some) > MOST else some)


def _word(shell: Shell, node: Node, quoted: bool) -> tuple[str, ...]:  # noqa: FBT001 - as all of `KINDS`
    text = text_of(node)
    if found := re.search(
        r"`(.*)`", text, re.DOTALL
    ):  # the grammar does not look into some of them
        shell.run_text(found[1], text)
        return (UNKNOWN,)
    if (braced := _BRACES.fullmatch(text)) and not quoted:
        return (
            BREAK.join(
                f"{braced[1]}{each}{braced[3]}" for each in braced[2].split(",")
            ),
        )
    if found := _TILDE.match(text):
        home = (
            HOME
            if not found[1]
            else "/root"
            if found[1] == "root"
            else f"/home/{found[1]}"
        )
        text = home + text[found.end() :]
    return (re.sub(r"\\(.)", r"\1", text.replace("\\\n", ""), flags=re.DOTALL),)


def _parts(shell: Shell, node: Node, quoted: bool) -> tuple[str, ...]:  # noqa: FBT001
    if _BRACES.fullmatch(text_of(node)):
        return _word(shell, node, quoted)
    return _joined(
        [
            expanded(shell, child, quoted=quoted)
            for child in node.children
            if child.type != "$"
        ]
    )


def _string(shell: Shell, node: Node, _quoted: bool) -> tuple[str, ...]:  # noqa: FBT001
    """The parts of a text in double quotes; what lies between the nodes is literal
    text.
    """
    raw = node.text or b""
    parts: list[tuple[str, ...]] = []
    at = 1
    for child in node.named_children:
        if child.type != "string_content":
            parts += [
                _literal(raw[at : child.start_byte - node.start_byte]),
                expanded(shell, child, quoted=True),
            ]
            at = child.end_byte - node.start_byte
    return _joined([*parts, _literal(raw[at:].removesuffix(b'"'))])


def _literal(raw: bytes) -> tuple[str, ...]:
    return (
        re.sub(
            r'\\([$`"\\\n])',
            lambda found: found[1].strip("\n"),
            raw.decode("utf-8", "replace"),
        ),
    )


def value(shell: Shell, name: str) -> tuple[str, ...]:
    """The texts that a variable may hold."""
    given = shell.arguments
    if name in shell.variables:
        return shell.variables[name]
    if name == "PWD":
        return shell.folders
    if name in {"@", "*"}:
        return (UNKNOWN if given is None else BREAK.join(given),)
    if name.isdecimal() and name != "0":
        return (
            UNKNOWN if given is None else "".join(given[int(name) - 1 : int(name)]),
        )
    return (_PRESET.get(name, UNKNOWN),)


def _expansion(shell: Shell, node: Node, quoted: bool) -> tuple[str, ...]:  # noqa: FBT001
    """`${name}`, with a default or without; what changes the text of a variable is not
    followed.
    """
    scan(shell, node)
    name, *rest = [
        child for child in node.children if child.type not in {"${", "}"}
    ] or [node]
    held = value(shell, text_of(name).partition("[")[0])
    if name.type == "subscript":
        return (
            held
            if re.fullmatch(r"\w+\[[@*0]\]", text_of(name)) and not rest
            else (UNKNOWN,)
        )
    operator = rest[0].type if rest else ""
    if operator in {"", ":-", "-", ":=", "=", ":?", "?"}:
        default = (
            expanded(shell, rest[1], quoted=quoted)
            if len(rest) > 1 and operator[-1:] in {"-", "="}
            else ()
        )
        texts = (
            (*(text for text in held if text or not default), *default)
            if UNKNOWN in held or "" in held
            else held
        )
        return texts or ("",)
    if operator in {":+", "+"} and len(rest) > 1:
        return (*expanded(shell, rest[1], quoted=quoted), "")
    return (MADE if any(MADE in text for text in held) else UNKNOWN,)


def _process(shell: Shell, node: Node, _quoted: bool) -> tuple[str, ...]:  # noqa: FBT001
    """`<(…)` is a file that holds what the commands print; `>(…)` runs them with what
    is written to it.
    """
    path = f"/dev/fd/{node.start_byte + 10}"
    shell.files[path] = shell.isolated(node, shell.stdin)
    shell.has_made_file |= MADE in shell.files[path]
    return (path,)


def here_document(shell: Shell, text: str) -> str:
    """A here-document whose end is not quoted: read as a text in double quotes."""
    quoted = re.sub(r'(?<!\\)"', '\\"', text)
    command = parsed(f': "{quoted}"').root.named_children
    if len(command) == 1 and len(command[0].named_children) == 2:
        return "\n".join(expanded(shell, command[0].named_children[1], quoted=True))
    scan(shell, parsed(text).root)
    return UNKNOWN


KINDS: Final[dict[str, Callable[[Shell, Node, bool], tuple[str, ...]]]] = {
    **dict.fromkeys(
        ("word", "number", "variable_name", "extglob_pattern", "test_operator"), _word
    ),
    **dict.fromkeys(("concatenation", "command_name", "translated_string"), _parts),
    "string": _string,
    "raw_string": lambda _shell, node, _quoted: (text_of(node)[1:-1],),
    "ansi_c_string": lambda _shell, node, _quoted: (unescaped(text_of(node)[2:-1]),),
    "simple_expansion": lambda shell, node, _quoted: value(shell, text_of(node)[1:]),
    "expansion": _expansion,
    "command_substitution": lambda shell, node, _quoted: (
        shell.isolated(node, shell.stdin).rstrip("\n"),
    ),
    "process_substitution": _process,
}
_SPLIT: Final = named("simple_expansion expansion command_substitution")
"""Kinds that a shell splits at spaces unless they are quoted; they are no word at all if they come to nothing."""
