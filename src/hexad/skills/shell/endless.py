"""What never ends: loops whose condition always holds, and functions that call themselves whatever happens.

They matter where each turn starts something beside them: then no process can be started soon.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from tree_sitter import Node

    from hexad.skills.shell.machine import Shell

_SIDE: Final = r"([\w.\"'/-]*)"
_TEST: Final = re.compile(
    rf"(?:test|\[\[?)\s+(?:(!)\s+)?{_SIDE}(?:\s+(=|==|!=|-[a-z]{{2}})\s+{_SIDE})?\s*(?:\]\]?)?"
).fullmatch
_COUNTS: Final = re.compile(r"\(\(\s*(\d+)\s*\)\)").fullmatch
_SUCCEEDS: Final = re.compile(
    r"(?:\S*/)?(?:true|:|echo|printf|sleep|date|pwd|yes|seq|uname|id|hostname)(?:\s[^|&;]*)?"
).fullmatch
_FAILS: Final = re.compile(r"(?:\S*/)?false").fullmatch
_HEAD: Final = re.compile(r"\s*(while|until)\s+(.*?)\s*(?:;|\n)\s*do\b", re.DOTALL).match
_NO_CONDITION: Final = re.compile(r"\s*for\s*\(\([^;]*;\s*(?:1\s*)?;").match
_FED_FOREVER: Final = re.compile(
    rb"(?:yes|cat\s+/dev/(?:zero|u?random)|tail\s+-[fF]|seq\s+inf)\b|<\s*(?:/dev/(?:zero|u?random)\b|<\(\s*yes\b)"
)
_PAUSES: Final = re.compile(
    r"(?:^|[;&|{(\n]|\b(?:do|then|else))\s*(?:wait|sleep|read|break|exit|return|inotifywait|jobs|flock|timeout)\b"
    r"(?![^;&|\n)}]*&(?!&))"
).search
CONDITIONS: Final = re.compile(rb"\b(?:if|case|test|return|exit|while|until|for)\b|\[|&&|\|\||\(\(").search
_AT_ONCE: Final = re.compile(rb"\bxargs\b.*(?:-P *0|-P *\d{3,}|--max-procs[= ]*(?:0|\d{3,}))").search
_WORD: Final = re.compile(r"[\w-]{1,40}").fullmatch
_FIRST: Final = re.compile(rb"(?:case|\[|test)[ \t]+[\"']?\$\{?1").search
_NUMBERS: Final = {"-eq": "==", "-ne": "!=", "=": "==", "==": "==", "!=": "!="}


def check_endless(shell: Shell, node: Node) -> None:
    """A loop that has started something beside itself: it must have an end, or wait."""
    text = (node.text or b"").decode("utf-8", "replace")
    if not (_always(text) or _is_fed_forever(node)):
        return
    body = text.partition("do")[2]
    if not _PAUSES(body):
        shell.node = node
        shell.find("fork-bomb", "a loop without an end")


def fans_out(first: bytes, pipe: bytes) -> bool:
    """Whether a pipe starts as many processes as it can for words that never end."""
    return _FED_FOREVER.match(first) is not None and _AT_ONCE(pipe) is not None


def takes_apart(script: bytes, arguments: list[str]) -> bool:
    """Whether a script compares its first argument with the word that it starts itself with: `case $1 in worker)`."""
    word = arguments[0] if arguments else ""
    if not _WORD(word) or not _FIRST(script):
        return False
    told = re.escape(word.encode())
    return (
        re.search(rb"=[ \t]*[\"']?%b[\"']?(?=[\s\];]|$)|(?:^|[\s(|])[\"']?%b[\"']?[ \t]*\)" % (told, told), script)
        is not None
    )


def _always(text: str) -> bool:
    if _NO_CONDITION(text):
        return True
    head = _HEAD(text)
    if head is None:
        return False
    holds = _holds(head[2].strip())
    return holds is not None and holds == (head[1] == "while")


def _holds(condition: str) -> bool | None:
    """Whether a condition holds every time; None if that is not known."""
    if condition.startswith("! "):
        inner = _holds(condition[2:].strip())
        return None if inner is None else not inner
    if _SUCCEEDS(condition):
        return True
    if _FAILS(condition):
        return False
    number = _COUNTS(condition)
    if number:
        return int(number[1]) != 0
    test = _TEST(condition)
    return None if test is None else _compared(test)


def _compared(test: re.Match[str]) -> bool | None:
    negated, left, operator, right = test.groups()
    if operator is None:
        came: bool | None = bool(left.strip("\"'"))
    elif operator in _NUMBERS:
        came = (left.strip("\"'") == right.strip("\"'")) == (_NUMBERS[operator] == "==")
    else:
        return None
    return came != bool(negated)


def _is_fed_forever(node: Node) -> bool:
    """Whether a loop reads what never ends, such as the output of `yes`."""
    before = node.prev_named_sibling
    around = node.parent
    behind = around.text[node.end_byte - around.start_byte :] if around is not None and around.text else b""
    fed = before is not None and _FED_FOREVER.match(before.text or b"")
    return bool(fed) or _FED_FOREVER.search(behind[:200]) is not None
