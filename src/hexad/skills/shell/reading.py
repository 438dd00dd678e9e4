"""Read a script: its text as a syntax tree, and each word as a text with markers for its
unknown parts. Quotes, plain variables, defaults and braces are expanded.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

import tree_sitter_bash
from tree_sitter import Language, Node, Parser

from hexad.skills.shell.tables import BREAK, HOME, MADE, SELF, UNKNOWN, named

if TYPE_CHECKING:
    from hexad.skills.shell.gate import Gate

_LANGUAGE: Final = Language(tree_sitter_bash.language())
LONGEST: Final = 65_536  # characters of a text
_SLOW: Final = {
    "|": 2_000,
    "<<": 150,
    "=(": 500,
    "((": 2_000,
    "${": 4_000,
    ")": 4_000,
    "\n\t\n": 1_000,
}
"""The grammar takes quadratic time over so many of these."""
_MENDED: Final = {
    r"[\U00010000-\U0010ffff]": "\ufffd",  # behind a brace: reads foreign memory
    r"(?<=[^\s\\])\\\n(?=\S)": "",  # a line end within a word
    r"(?<=\n)([ \t]*)\\(?=[A-Za-z])": r"\1",  # `\rm`: joined to the line above
    r"\$(?<=[\w./:=-]\$)([A-Za-z_]\w*)": r"${\1}",  # some of these are lost
    r"(\|[^|\n]+\|[^|&\n]*[^\s|&;(){\\])(?<!\bdo)(?<!\bthen)\n": "\\1;\n",  # joined to the next line
}
"""What the grammar gets wrong, and what is read in its place."""
_AMBIGUOUS: Final = re.compile(
    r"\x00|(?m:^[^\n#]*#[^\n]*[^\s\\]\\\n\S)|"
    r"<<[ \t]*\\?['\"]?(\w+)['\"]?(?s:.)*?\n\t+\1[ \t]*(?:\n|\Z)"
)
"""A shell and the grammar read these differently."""
_BRACES: Final = re.compile(r"([^\s{}]*)\{([^{}\s]*)\}([^\s{}]*)")
_ESCAPES: Final = dict(zip("abefnrtv", "\a\b\x1b\f\n\r\t\v", strict=True))
_VARIABLES: Final = {
    **dict.fromkeys(named("? # $ - RANDOM UID EUID SECONDS LINENO PPID BASHPID"), "1"),
    **dict.fromkeys(named("0 BASH_SOURCE"), SELF),
    **dict.fromkeys(named("SHELL BASH"), "/bin/sh"),
    **dict.fromkeys(named("HOME XDG_CONFIG_HOME XDG_DATA_HOME"), HOME),
    **dict.fromkeys(named("@ *"), f"{UNKNOWN}{BREAK}{UNKNOWN}"),
    "TMPDIR": "/tmp/t",  # noqa: S108 - a path of the script
    "PATH": "/usr/bin",
    "IFS": " ",
    "!": "%1",
}
_MAY_VANISH: Final = named("simple_expansion expansion command_substitution")
"""A shell splits these at spaces; they are no word at all if they come to nothing."""
WORDS: Final = _MAY_VANISH | named("""
    word number variable_name extglob_pattern test_operator concatenation command_name string translated_string
    raw_string     ansi_c_string process_substitution arithmetic_expansion brace_expression array heredoc_body
""")


def parsed(text: str) -> tuple[Node, int]:
    """The syntax tree of a script, and the line of its first error; 0 if it has none."""
    signs = _SLOW.items()
    if len(text) > LONGEST or any(text.count(sign) > most for sign, most in signs):
        return parsed(UNKNOWN)[0], 1  # it may take very long
    has_error = bool(_AMBIGUOUS.search(text))
    for pattern, replacement in _MENDED.items():
        text = re.sub(pattern, replacement, text)
    parser = Parser(_LANGUAGE)  # threads do not share a parser
    root = node = parser.parse(text.encode("utf-8", "replace")).root_node
    while broken := [each for each in node.children if each.has_error]:
        node = broken[0]
    return root, node.start_point[0] + 1 if has_error or root.has_error else 0


def text_of(node: Node) -> str:
    """The text of a node as it is written."""
    return (node.text or b"").decode("utf-8", "replace")


def unescaped(text: str) -> str:
    r"""A text with `\n`, `\x41` and `\101` as the characters that they stand for."""

    def character(found: re.Match[str]) -> str:
        letter, octal, code = found.groups()
        if letter:
            return _ESCAPES.get(letter, letter)
        return chr(int(octal, 8) % 256 if octal else int(code, 16))

    codes = r"\\(?:([abefnrtv\\'\"?])|0?([0-7]{1,3})|[xu]([0-9a-fA-F]{1,4}))"
    return re.sub(codes, character, text)


def expanded(  # noqa: C901, PLR0911, PLR0912 - kinds of nodes
    gate: Gate, node: Node, *, quoted: bool = False
) -> str:
    """The text that a word comes to; a `BREAK` stands where a shell would split it."""
    text = text_of(node)
    gate.spend(1 + len(text) // 200)
    children = node.named_children
    match node.type:
        case "raw_string":
            return text[1:-1]
        case "ansi_c_string":
            return unescaped(text[2:-1])
        case "string" | "heredoc_body":
            return _filled(gate, node)
        case "concatenation" | "command_name" | "translated_string":
            text = ""
            for child in children:
                text = (text + expanded(gate, child, quoted=quoted))[:LONGEST]
            return _braces(text)
        case "simple_expansion":
            text = gate.value(text[1:])
        case "expansion":
            text = _expansion(gate, node)
        case "command_substitution":
            text = gate.walk(node, gate.stdin).rstrip("\n")
        case "process_substitution":
            path = f"/dev/fd/{node.start_byte + 10}"
            gate.files[path] = gate.walk(node, gate.stdin)
            return path
        case "array":
            return BREAK.join(expanded(gate, child) for child in children)
        case kind if kind in WORDS and not children:
            return _word(gate, text)
        case _:  # what is computed
            for child in children:
                expanded(gate, child, quoted=True)
            return "1" if node.type == "arithmetic_expansion" else UNKNOWN
    return text if quoted else re.sub(r"\s+", BREAK, text)


def fields(gate: Gate, node: Node) -> list[str]:
    """The words that a command gets from one that is written."""
    words = expanded(gate, node).split(BREAK)
    return [word for word in words if word or node.type not in _MAY_VANISH]


def default_value(name: str) -> str:
    """What a variable holds that the script does not set."""
    return _VARIABLES.get(name, UNKNOWN)


def _filled(gate: Gate, node: Node) -> str:
    """A text in double quotes, or a here-document, with what its variables hold."""
    raw = node.text or b""
    for child in reversed(node.named_children):
        if not child.type.endswith("_content"):
            start = child.start_byte - node.start_byte
            end = child.end_byte - node.start_byte
            text = expanded(gate, child, quoted=True)
            raw = raw[:start] + text.encode("utf-8", "replace") + raw[end:]
    text = raw.decode("utf-8", "replace")[:LONGEST]
    if node.type == "string":
        text = text[1:].removesuffix('"')
    return re.sub(r'\\\n|\\([$`"\\])', r"\1", text)


def _word(gate: Gate, text: str) -> str:
    if found := re.search(r"`(.*)`", text, re.DOTALL):
        gate.run_text(found[1], text)  # the grammar does not look into some of them
        return UNKNOWN
    text = re.sub(r"^~root(?=/|$)", "/root", text)
    text = re.sub(r"^~(?=[A-Za-z_])", "/home/", text)
    text = re.sub(r"^~(?=/|$)", HOME, text)
    return _braces(re.sub(r"\\(?:\n|(.))", r"\1", text))


def _braces(text: str) -> str:
    found = _BRACES.fullmatch(text)
    if not found or "," not in found[2]:
        return text
    before, choices, after = found.groups()
    return BREAK.join(f"{before}{each}{after}" for each in choices.split(","))


def _expansion(gate: Gate, node: Node) -> str:
    """`${name}`, with a default or without; what changes the text of a variable is not
    followed.
    """
    name, *rest = node.children[1:-1]
    others = [expanded(gate, child, quoted=True) for child in rest[1:]]
    held = gate.value(text_of(name).partition("[")[0])
    operator = rest[0].type if rest else ""

    if name.type == "subscript" and not re.search(r"\[[@*]\]$", text_of(name)):
        return UNKNOWN
    if operator in {":=", "="}:
        gate.assign(text_of(name), "".join(others))
    if operator in {":-", "-", ":=", "="} and held in {"", UNKNOWN}:
        return BREAK.join([held, *others] if held else others)
    if operator in {":+", "+"}:
        return "".join(others)
    if operator in {"", ":-", "-", ":=", "=", ":?", "?"}:
        return held
    return MADE if MADE in held else UNKNOWN
