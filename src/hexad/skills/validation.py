"""Is a shell script harmless, does it need something that a person must grant, or is it
refused?

The check reads the syntax tree: what would run, and with which words. It is a gate that
informs the person who approves a skill and stops what is plainly destructive. The
boundary is the sandbox.
"""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from functools import cache, lru_cache
from importlib.util import find_spec
from itertools import starmap
from typing import TYPE_CHECKING, Any, Final

from hexad.choices import Capability, Decision
from hexad.extras import missing_extra
from hexad.skills.shell.rules import RULES

if TYPE_CHECKING:
    from collections.abc import Mapping

EXTRA: Final = "scripts"
MOST_FINDINGS: Final = 200
_RUN_BY_TOOLS: Final = re.compile(
    r".*[Mm]akefile|.*\.mk|(?:.*/)?(?:package\.json|[Jj]ustfile|Rakefile)|.*hooks/.*"
)


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that a script would do, and the decision that follows from it."""

    rule: str
    line: int
    says: str
    decision: Decision
    capability: Capability | None = None
    file: str = ""  # of the skill, if it is not in the script itself


@dataclass(frozen=True, slots=True)
class ScriptVerdict:
    """The result of a check. Without findings a script is allowed."""

    decision: Decision
    findings: tuple[Finding, ...] = ()

    @property
    def needs(self) -> frozenset[Capability]:
        """The capabilities that a person would have to grant."""
        return frozenset(
            found.capability for found in self.findings if found.capability is not None
        )

    def as_json(self) -> dict[str, Any]:
        """The verdict as JSON."""
        return {
            "decision": self.decision,
            "needs": sorted(self.needs),
            "findings": list(map(asdict, self.findings)),
        }


@cache
def available() -> bool:
    """Whether scripts can be checked here: whether the extra `scripts` is installed."""
    return (
        find_spec("tree_sitter") is not None
        and find_spec("tree_sitter_bash") is not None
    )


def check(
    script: str, *, files: Mapping[str, tuple[bytes, bool]] | None = None
) -> ScriptVerdict:
    """Judge a script without running any of it.

    ``files`` lie in its working directory: content, and whether it is executable. Files
    that the script runs are judged with it, and files that a shell would run are judged
    by themselves too. Never raises for the content of a script: what cannot be judged
    needs `Capability.COMMAND`.

    >>> check("echo hello").decision.value
    'allow'
    >>> [found.says for found in check("curl -sS https://example.org/x | sh").findings if found.capability is None]
    ['`sh` runs text that is downloaded, decoded or made while the script runs.']
    """
    if not available():
        raise missing_extra("checking scripts", EXTRA)
    return _judged(script, tuple(sorted((files or {}).items())))


@lru_cache(maxsize=64)
def _judged(
    script: str, files: tuple[tuple[str, tuple[bytes, bool]], ...]
) -> ScriptVerdict:
    """The verdict, cached: a skill's script is checked again before each run."""
    from hexad.skills.shell.gate import judged  # noqa: PLC0415 - loads tree_sitter: 41 ms

    texts = {
        path: content.decode(errors="replace")
        for path, (content, _) in files
        if b"\0" not in content
    }
    programs = {path for path, (_, is_executable) in files if is_executable}
    shells = {
        "",
        *(
            path
            for path, text in texts.items()
            if _is_shell(path, text, is_executable=path in programs)
        ),
    }
    scripts = {
        path: text
        for path, text in texts.items()
        if path in shells or _RUN_BY_TOOLS.fullmatch(path)
    }
    found = [
        _finding("unknown-command", 1, path, path)
        for path in programs
        if path not in texts
    ]
    judgements = starmap(_finding, judged({"": script, **scripts}, texts))
    found += [
        each
        for each in judgements
        if each.file in shells or each.decision is Decision.REJECT
    ]
    found.sort(
        key=lambda each: (
            each.decision is not Decision.REJECT,
            each.file,
            each.line,
            each.rule,
        )
    )
    return (
        ScriptVerdict(found[0].decision, tuple(found[:MOST_FINDINGS]))
        if found
        else ScriptVerdict(Decision.ALLOW)
    )


def _is_shell(path: str, text: str, *, is_executable: bool) -> bool:
    """Whether a shell would run a file: by its first line, else by its name or because
    it is executable.
    """
    named = is_executable or path.endswith((".sh", ".bash"))
    return (
        bool(re.match(r"#!.*\b(?:ba|da|z|k|a)?sh\b", text))
        if text.startswith("#!")
        else named
    )


def _finding(rule_id: str, line: int, what: str, path: str) -> Finding:
    rule = RULES[rule_id]
    says = (f"In {path}: " if path else "") + rule.says.format(what=what)
    return Finding(rule.id, line, says, rule.decision, rule.capability, path)
