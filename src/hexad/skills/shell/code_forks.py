"""Code that starts processes without end: in a loop that nothing leaves, or in a function that calls itself."""

from __future__ import annotations

import re
from itertools import islice, takewhile
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad.skills.shell.code_parts import Code

_MOST: Final = 100  # loops and functions that are looked at
_FORK: Final = re.compile(r"\b(?:pcntl_)?v?fork\b(?! ?=|\w)")
_SPAWN: Final = re.compile(
    r"\bPopen\b|\bspawn\w*\b|\bProcess(?:Builder)?\b ?\(|\bchild_process\.exec\w*|\bpopen\w*\b|\bexec\b[^\n;}]{0,200}&|"
    r"\bCommand::new\b|\bexec\.Command\b|\bexecFile\b|\bstart_process\b|\bproc_open\b|\bcreate_subprocess_\w+|"
    r"\bStart-Process\b"
)
_STARTS_TEXT: Final = re.compile(
    r"\b(?:system|execute|shell_exec|passthru|exec|popen|run|call|cmd)\b ?\(? ?\x0e(\d+)\x0f"
)
_LOOP: Final = re.compile(r"\b(?:while|until|for|foreach|loop|redo|goto|map|times|each)\b")
_FORKS_ON: Final = re.compile(r"\bfork\b[^;\n]{0,80}?[ \t)}](?:while|until|for|foreach)\b")
_CALMS: Final = re.compile(r"\b(?:_?exit|exec\w*|wait\w*|accept|break|last|return|kill)\b")
_CALMS_SPAWN: Final = re.compile(
    r"\b(?:_?exit|wait\w*|sleep\w*|communicate|join|poll|accept|recv\w*|read\w*|input|get|gets|select|await|break|"
    r"last|return|kill|"
    r"yield|setTimeout|Sleep|check|getline)\b"
)
_TRUE: Final = r"(?:True|true|TRUE|1|!0|!![01]|not False|not 0|1 ?== ?1|!false|:)"
_ENDLESS: Final = re.compile(
    rf"\bwhile ?\(? ?{_TRUE} ?\)?(?=[ :{{;\n]|[A-Za-z]|\x0e|$)|\bfor ?\( ?[^;()]{{0,40}}; ?;[^;()]{{0,40}}\)|"
    rf"\buntil ?\(? ?(?:0|false|1 ?== ?2)\b ?\)?|\bloop\b ?(?=[{{d(])|"
    r"\bfor ?(?=\{)|\bfor\b[^\n:]{0,40}\b(?:count|cycle|repeat)\([^()\n]{0,20}\)|"
    r"\bfor\b[^\n:]{0,40}\biter\( ?int ?, ?1 ?\)|\bsetInterval ?(?=\()|\bforever\b"
)
_AGAIN: Final = re.compile(r"\bredo\b|\bgoto \w+")
_FUNCTION: Final = re.compile(
    r"\b(?:def|sub|function|fn|func|fun|defp) (\w+)|\b(\w+) ?= ?(?:lambda\b|function\b|\(\) ?=>|->)|\b(?:int|void|"
    r"pid_t) (\w+)(?= ?\([^()]{0,80}\) ?\{)|"
    r"\((?:defun|define) \(?(\w+)|\blocal function (\w+)"
)
_ITSELF: Final = re.compile(
    r"\b(?:fork|spawn\w*|Popen|run|call|system|exec\w*|popen\w*)\b ?\(? ?[^)\n;]{0,80}(?:__filename|__file__|"
    r"\bsys\.argv|\$0\b|process\.argv|\$PROGRAM_NAME|__FILE__)"
)


def is_fork_bomb(code: Code) -> bool:
    """Whether code starts processes without end, and neither ends nor awaits what it started."""
    text = code.skeleton
    if not _starts(code, text):
        return False
    if "fork" in text and _forks_in_a_loop(text):
        return True
    if _ITSELF.search(text) and not re.search(r"\b(?:if|unless|case|switch|when|match|exec[lv]\w*)\b|\?", text):
        return True
    return any(_goes_on(code, body) for body in (*_loops(text), *_recursions(text)))


def _starts(code: Code, text: str) -> bool:
    return bool(_FORK.search(text) or _SPAWN.search(text) or _in_background(code, text))


def _in_background(code: Code, text: str) -> bool:
    """Whether a command is started that goes on by itself: its text ends with `&`."""
    return any(code.get(number).rstrip().endswith("&") for number in _STARTS_TEXT.findall(text))


def _goes_on(code: Code, body: str) -> bool:
    if _FORK.search(body):
        return _CALMS.search(body) is None
    return _starts(code, body) and _CALMS_SPAWN.search(_SPAWN.sub("", body)) is None


def _forks_in_a_loop(text: str) -> bool:
    forks = [found.start() for found in _FORK.finditer(text)]
    loop = _LOOP.search(text)
    in_loop = (loop is not None and forks and loop.start() < forks[-1]) or _FORKS_ON.search(text) is not None
    return bool(in_loop) and _CALMS.search(text) is None


def _loops(text: str) -> Iterator[str]:
    """What each loop that never ends by itself does again and again."""
    for found in islice(_ENDLESS.finditer(text), _MOST):
        before = re.split(r"[;{}\n]", text[max(0, found.start() - 300) : found.start()])[-1]
        if before.strip() and not re.search(r"(?:\bdo|[:(])\s*$", before):
            yield before  # `fork while 1`
        else:
            yield _body(text, found.end(), found.start())
    for found in islice(_AGAIN.finditer(text), 1):
        yield text[: found.start()]


def _recursions(text: str) -> Iterator[str]:
    """What each function does that calls itself."""
    for found in islice(_FUNCTION.finditer(text), _MOST):
        name = next(group for group in found.groups() if group)
        body = _body(text, found.end(), found.start())
        if re.search(rf"\b{re.escape(name)}\b(?! ?=[^=>])", body):
            yield body


def _body(text: str, start: int, head: int) -> str:
    """The block that follows a place: in braces, or what is indented below, or the rest of the statement."""
    part = text[start : start + 4000]
    opening = re.match(r"[^\n;{}]{0,120}?\{", part)
    if opening:
        return _in_braces(part, opening.end())
    rest = re.match(r"[^\n:]{0,120}:[ ]*\n", part)
    if rest:
        line = text[text.rfind("\n", 0, head) + 1 : head]
        return _indented(part[rest.end() :], len(line) - len(line.lstrip()))
    block = re.match(r"(?:[^\n]{0,80}\bdo\b|\s*;|[^\n;]{0,40}\n|[^\n;]{0,40};).*?\bend\b", part, re.DOTALL)
    return block[0] if block else part.split("\n", 1)[0]


def _indented(part: str, indent: int) -> str:
    """The lines that are indented deeper."""
    lines = takewhile(lambda line: len(line) - len(line.lstrip()) > indent, filter(str.strip, part.split("\n")))
    return "\n".join(lines)


def _in_braces(part: str, start: int) -> str:
    depth = 1
    for found in re.compile(r"[{}]").finditer(part, start):
        depth += 1 if found[0] == "{" else -1
        if depth == 0:
            return part[start : found.start()]
    return part[start:]
