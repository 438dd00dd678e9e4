"""A word of the syntax tree → the texts that it may come to."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.parameters import expansion, looked_up
from hexad.skills.shell.plain import string_of
from hexad.skills.shell.values import (
    ANYTHING,
    DOWNLOADED,
    HOME,
    MOST_TEXT,
    SPLIT,
    UNKNOWN,
    TooComplex,
    Values,
    bounded,
    braces,
    decoded,
    fields,
    joined,
    split,
    unescaped,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node

    from hexad.skills.shell.machine import Shell

_PLAIN: Final = re.compile(r"[\w./:=@%+,-]+").fullmatch
_HOLDS_A_COMMAND: Final = re.compile(r"(?<!\\)(?:`[^`]*`|\$\()").search
_INDEX: Final = re.compile(r"^\[[^\]]*\]=")
_RUNS_SOMETHING: Final = re.compile(rb"`|\$\(|[<>]\(|\$\{[^}]*(?:=|@P)").search
_HIDDEN: Final = str.maketrans("{},", "\x11\x12\x13")
_SHOWN: Final = str.maketrans("\x11\x12\x13", "{},")


def evaluate(shell: Shell, node: Node, *, quoted: bool = False) -> Values:
    """What a word comes to; a `SPLIT` in a value parts it into several words. Runs what the word substitutes."""
    return _WORDS.get(node.type, _other)(shell, node, quoted)


def text_of(node: Node) -> str:
    """A node's source."""
    return (node.text or b"").decode("utf-8", "replace")


def _word(shell: Shell, node: Node, _quoted: bool) -> Values:  # noqa: FBT001 - the table's signature
    text = text_of(node)
    if _PLAIN(text):
        return (text,)
    return _reread(shell, text) if _HOLDS_A_COMMAND(text) else (_literal(text),)


def _reread(shell: Shell, text: str) -> Values:
    """A text in which the grammar has overlooked a substitution, as the shell reads it."""
    shell.capturing += 1
    printed = shell.run_text('echo "' + text.replace('"', '\\"') + '"')
    shell.capturing -= 1
    return tuple(value.rstrip("\n") for value in printed)


def _literal(text: str) -> str:
    if text.startswith("~"):
        text = _tilde(text)
    text = unescaped(text)
    return expanded(text) if "{" in text else text


def _tilde(text: str) -> str:
    user, slash, rest = text[1:].partition("/")
    if not user or user in "+-":
        return (HOME if not user else UNKNOWN) + slash + rest
    return ("/root" if user == "root" else f"/home/{user}") + slash + rest


def expanded(text: str) -> str:
    """A word with its braces expanded: several words in one value."""
    words = braces(text)
    return UNKNOWN if words is None else SPLIT.join(words)


def _raw(_shell: Shell, node: Node, _quoted: bool) -> Values:  # noqa: FBT001
    return (text_of(node)[1:-1],)


def _ansi(_shell: Shell, node: Node, _quoted: bool) -> Values:  # noqa: FBT001
    return (decoded(text_of(node)[2:-1]),)


def _string(shell: Shell, node: Node, _quoted: bool) -> Values:  # noqa: FBT001
    source = node.text or b""
    plain = string_of(shell, source)
    if plain is not None:
        return plain
    if node.named_child_count <= 1 and b"$" not in source and b"`" not in source:
        return (_in_quotes(source.decode("utf-8", "replace")[1:-1]),)
    return filled(shell, node, 1, 1)


def filled(shell: Shell, node: Node, before: int = 0, behind: int = 0, *, raw: bool = False) -> Values:
    """The text between two places of a node with its expansions put in: the grammar leaves blanks out."""
    source, start = node.text or b"", node.start_byte
    parts: list[Values] = []
    at, end = before, len(source) - behind
    for child in node.named_children:
        if child.type in _EXPANSIONS:
            inner = child.text or b""
            blanks = len(inner) - len(inner.lstrip())  # the grammar counts them to what follows
            _add_text(shell, parts, source[at : child.start_byte - start + blanks], raw=raw)
            parts.append(evaluate(shell, child, quoted=True))
            at = child.end_byte - start
    _add_text(shell, parts, source[at:end], raw=raw)
    return joined(parts)


def _add_text(shell: Shell, parts: list[Values], source: bytes, *, raw: bool) -> None:
    if source:
        text = source.decode("utf-8", "replace")
        if not raw and _HOLDS_A_COMMAND(text):
            parts.append(_reread(shell, text))
        else:
            parts.append((text if raw else _in_quotes(text),))


def _in_quotes(text: str) -> str:
    return re.sub(r'\\([$`"\\\n])', r"\1", text) if "\\" in text else text


def _concatenation(shell: Shell, node: Node, quoted: bool) -> Values:  # noqa: FBT001
    children = node.children
    with_brace = any(child.type in _BARE and b"{" in (child.text or b"") for child in children)
    parts = [_part(shell, child, place, quoted=quoted, hide=with_brace) for place, child in enumerate(children)]
    whole = joined(parts)
    return bounded(expanded(value).translate(_SHOWN) for value in whole) if with_brace else whole


def _part(shell: Shell, node: Node, place: int, *, quoted: bool, hide: bool) -> Values:
    kind = node.type
    if kind in _BARE:
        text = text_of(node)
        if place == 0 and text.startswith("~"):
            text = _tilde(text)
        return (unescaped(text),)
    if not node.is_named:
        return ("",) if kind in {"$", "``"} else (kind,)
    values = evaluate(shell, node, quoted=quoted)
    return tuple(value.translate(_HIDDEN) for value in values) if hide else values


def _variable(shell: Shell, node: Node, quoted: bool) -> Values:  # noqa: FBT001
    name = text_of(node).lstrip()[1:]
    values = looked_up(shell, name)
    if quoted and name == "*":
        return _in_one_word(shell, values)
    return values if quoted and name != "@" else _split(shell, values, keep=quoted)


def _expansion(shell: Shell, node: Node, quoted: bool) -> Values:  # noqa: FBT001
    values = expansion(shell, node)
    whole = quoted and b"@]" not in (node.text or b"")
    return _in_one_word(shell, values) if whole else _split(shell, values, keep=quoted)


def _in_one_word(shell: Shell, values: Values) -> Values:
    """Several words as one, with the first character of `IFS` between them."""
    separators = shell.variables.get("IFS", (" ",))
    return bounded(value.replace(SPLIT, between[:1]) for value in values for between in separators)


def _split(shell: Shell, values: Values, *, keep: bool) -> Values:
    if keep:
        return values
    separators = shell.variables.get("IFS")
    blanks = " \t\n" if separators is None else "".join(separators)
    return tuple(split(value, blanks) for value in values)


def _substitution(shell: Shell, node: Node, quoted: bool) -> Values:  # noqa: FBT001
    inner = node.named_children
    if len(inner) == 1 and inner[0].type == "file_redirect":  # `$(< file)` is what the file holds
        printed = shell.read_from(inner[0])
    else:
        printed = shell.captured(node)
    stripped = tuple(value.rstrip("\n") for value in printed)
    return stripped if quoted else _split(shell, stripped, keep=False)


def _process(shell: Shell, node: Node, _quoted: bool) -> Values:  # noqa: FBT001
    """`<(…)` is a file with what it prints; `>(…)` is given something that is not known."""
    if text_of(node).startswith(">"):
        shell.started += 1
        shell.captured(node, stdin=DOWNLOADED)
        return ("/dev/fd/63",)
    printed = shell.captured(node)
    name = f"/dev/fd/{64 + len(shell.files)}"
    shell.files[name] = printed
    return (name,)


def _arithmetic(shell: Shell, node: Node, _quoted: bool) -> Values:  # noqa: FBT001
    run_inside(shell, node)
    inner = text_of(node).lstrip()[3:-2].strip()
    return (inner,) if inner.isdigit() else ANYTHING


def _other(shell: Shell, node: Node, _quoted: bool) -> Values:  # noqa: FBT001
    run_inside(shell, node)
    return (text_of(node),)


def run_inside(shell: Shell, node: Node) -> None:
    """Run what a test, a pattern or a calculation substitutes."""
    if not _RUNS_SOMETHING(node.text or b""):
        return
    for child in node.named_children:
        evaluate(shell, child)


def array(shell: Shell, node: Node) -> Values:
    """The elements of an array, as words."""
    elements = [evaluate(shell, child) for child in node.named_children]
    return joined([tuple(_INDEX.sub("", value) for value in element) for element in elements], SPLIT)


def _translated(shell: Shell, node: Node, quoted: bool) -> Values:  # noqa: FBT001
    return joined([evaluate(shell, child, quoted=quoted) for child in node.named_children])


def _command_name(shell: Shell, node: Node, quoted: bool) -> Values:  # noqa: FBT001
    return joined([evaluate(shell, child, quoted=quoted) for child in node.named_children])


_BARE: Final = frozenset({"word", "number", "extglob_pattern", "brace_expression", "regex", "variable_name"})
_EXPANSIONS: Final = frozenset({"simple_expansion", "expansion", "command_substitution", "arithmetic_expansion"})
_WORDS: Final[dict[str, Callable[[Shell, Node, bool], Values]]] = {
    "word": _word,
    "number": _word,
    "brace_expression": _word,
    "raw_string": _raw,
    "ansi_c_string": _ansi,
    "string": _string,
    "translated_string": _translated,
    "concatenation": _concatenation,
    "simple_expansion": _variable,
    "expansion": _expansion,
    "command_substitution": _substitution,
    "process_substitution": _process,
    "arithmetic_expansion": _arithmetic,
    "command_name": _command_name,
}


def variants(words: list[Values]) -> list[list[str]]:
    """Every list of words that a command may come to; of too many possibilities none is known."""
    texts = [word[0] for word in words if len(word) == 1]
    if len(texts) == len(words):
        if len(texts) > 16 and sum(map(len, texts)) > MOST_TEXT:
            raise TooComplex
        return [fields(SPLIT.join(texts))]
    whole = joined(words, SPLIT)
    if len(whole) == 1 and whole[0] == UNKNOWN and len(words) > 1:
        whole = joined([word if len(word) == 1 else ANYTHING for word in words], SPLIT)
    return [[field for field in value.split(SPLIT) if field] for value in whole]
