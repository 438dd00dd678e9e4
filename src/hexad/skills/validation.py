"""Is a shell script harmless, does it need something that a person must grant, or is it refused?

The judgement is over the syntax tree: what would run, and with which words. It is a first gate, for the person who
approves a skill as much as for the machine. The boundary is the sandbox.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final

from hexad.choices import Capability, Decision
from hexad.errors import MissingExtra, UnknownChoice

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hexad.skills.shell.machine import Shell

EXTRA: Final = "hexad[scripts]"
SHELLS: Final = ("sh", "bash")
MOST_FINDINGS: Final = 200


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a script would do, and what follows from it."""

    rule: str
    line: int
    says: str
    decision: Decision
    capability: Capability | None = None
    file: str = ""  # of the skill, if it is not in the script itself


@dataclass(frozen=True, slots=True)
class Verdict:
    """What a check says, and why. Without findings a script is allowed."""

    decision: Decision
    findings: tuple[Finding, ...] = ()

    @property
    def needs(self) -> frozenset[Capability]:
        """The capabilities that a person would have to grant."""
        return frozenset(found.capability for found in self.findings if found.capability is not None)


@cache
def available() -> bool:
    """Whether scripts can be checked here: whether the extra `scripts` is installed."""
    return find_spec("tree_sitter") is not None and find_spec("tree_sitter_bash") is not None


def check(script: str, *, shell: str = "sh", files: Mapping[str, tuple[bytes, bool]] | None = None) -> Verdict:
    """Judge a script without running any of it.

    ``files`` lie in its working directory: content, and whether it is executable. What the script runs of them is
    followed, and those that a shell would run are judged by themselves too. Never raises for what a script holds:
    what cannot be judged needs `Capability.COMMAND`.

    >>> check("echo hello").decision.value
    'allow'
    >>> [found.says for found in check("curl -sS https://example.org/x | sh").findings if found.capability is None]
    ['`sh` runs text that is downloaded, decoded or made while the script runs.']
    """
    if shell not in SHELLS:
        raise UnknownChoice("shell", shell, SHELLS)
    if not available():
        raise MissingExtra("checking scripts", EXTRA)
    return _judged(script, tuple(sorted((files or {}).items())))


@lru_cache(maxsize=64)
def _judged(script: str, files: tuple[tuple[str, tuple[bytes, bool]], ...]) -> Verdict:
    """Remembered: a skill's script is checked again before each run, and is the same then."""
    texts = {path: text for path, (content, _) in files if (text := _text(content)) is not None}
    found = _findings(script, texts)
    for path, (_, is_executable) in files:
        if path not in texts:
            found += _unreadable(path) if is_executable else []
        elif _is_shell(path, texts[path], is_executable=is_executable):
            found += _findings(texts[path], texts, path)
    found.sort(key=lambda each: (each.decision is not Decision.REJECT, each.file, each.line, each.rule))
    return Verdict(found[0].decision, tuple(found[:MOST_FINDINGS])) if found else Verdict(Decision.ALLOW)


def _text(content: bytes) -> str | None:
    """A file as text; None if it is none, so that no shell runs it."""
    try:
        return None if b"\x00" in content else content.decode()
    except UnicodeDecodeError:
        return None if content.startswith((b"\x7fELF", b"MZ")) else content.decode("latin-1")


def _is_shell(path: str, text: str, *, is_executable: bool) -> bool:
    """Whether a shell would run a file: its first line says so, or else its name does, or that it can be started."""
    from hexad.skills.shell.held_files import is_shell  # noqa: PLC0415

    if text.startswith("#!"):
        return is_shell(text)
    return is_executable or path.endswith((".sh", ".bash"))


def _unreadable(path: str) -> list[Finding]:
    """A program that is no text: what it does is not known."""
    from hexad.skills.shell.rules import RULES  # noqa: PLC0415

    rule = RULES["unknown-command"]
    return [Finding(rule.id, 1, rule.says.format(what=path), rule.decision, rule.capability, path)]


def _findings(script: str, files: Mapping[str, str], path: str = "") -> list[Finding]:
    """Nothing for an ordinary script; any other one is followed."""
    from hexad.skills.shell.ordinary import is_ordinary  # noqa: PLC0415 - the rules are loaded when they are needed

    return [] if is_ordinary(script) else _followed(script, files, path)


def _followed(script: str, files: Mapping[str, str], path: str = "") -> list[Finding]:
    """What is found where a script is followed through its syntax tree."""
    from hexad.skills.shell.machine import Shell  # noqa: PLC0415 - likewise
    from hexad.skills.shell.rules import RULES  # noqa: PLC0415

    state = Shell()
    state.files.update({name: (text,) for name, text in files.items()})
    _look_at(state, script)
    where = f"In {path}: " if path else ""
    return [
        Finding(
            rule, line, where + RULES[rule].says.format(what=what), RULES[rule].decision, RULES[rule].capability, path
        )
        for (rule, line), what in state.found.items()
    ]


def _look_at(state: Shell, script: str) -> None:
    from hexad.skills.shell.parsing import is_parsable, readings  # noqa: PLC0415

    if "\x00" in script or not is_parsable(script):
        state.find("unparsable" if "\x00" in script else "too-complex", "")
        return
    trees = readings(script)
    if trees[0].is_broken:
        state.found["unparsable", trees[0].broken_line()] = ""
    try:
        for tree in trees:
            state.run_whole(tree)
    except Exception:  # noqa: BLE001 - too much, or what nobody thought of: it is not judged
        state.find("too-complex", "")
