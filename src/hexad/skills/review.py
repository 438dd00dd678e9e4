"""Whether a skill may be activated: the facts for the person who approves it, and what
nobody may approve.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, Final, cast

from hexad.errors import HexadError, MissingExtra
from hexad.json_form import to_json
from hexad.model import Capability, Decision, Skill, SkillKind, SkillStatus
from hexad.skills import definition as shapes
from hexad.skills.validation import Finding, check

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexad.model import Learning, Proposal

AUTOMATIC: Final = "auto_approve_skills"  # who approved what the setting activated


@dataclass(frozen=True, slots=True, kw_only=True)
class Review:
    """The facts about a skill before its approval. ``obstacle`` says why it cannot be
    approved; else it is empty.
    """

    skill: Skill
    fingerprint: str
    findings: tuple[Finding, ...] = ()
    grants: tuple[Capability, ...] = ()  # what approving it gives to its script
    obstacle: str = ""

    def as_json(self) -> dict[str, Any]:
        """The review as JSON."""
        facts = {
            "fingerprint": self.fingerprint,
            "grants": list(self.grants),
            "obstacle": self.obstacle,
        }
        return {
            "skill": to_json(self.skill),
            **facts,
            "findings": [asdict(finding) for finding in self.findings],
        }


def drafts(skills: Iterable[Skill]) -> list[Skill]:
    """Those that wait for approval, newest first."""
    found = (each for each in skills if each.status is SkillStatus.DRAFT)
    return sorted(found, key=lambda each: each.updated, reverse=True)


def waiting(noun: Proposal | Skill | Learning) -> dict[str, Any]:
    """Something that awaits a decision as JSON, beside ``what`` it is; a skill with its
    findings.
    """
    written = to_json(noun)
    what = str(written["type"])
    return {
        "what": what,
        **(reviewed(noun).as_json() if isinstance(noun, Skill) else {what: written}),
    }


def reviewed(skill: Skill) -> Review:
    """Look at a skill; one that cannot be reviewed has an obstacle, and no fingerprint
    to approve.
    """
    try:
        return review(skill)
    except HexadError as error:
        return Review(skill=skill, fingerprint="", obstacle=str(error))


def review(skill: Skill) -> Review:
    """Look at a skill; a script is validated. A definition that does not fit its kind
    is an error.
    """
    shapes.check(skill.kind, skill.definition, skill.parameters)
    fingerprint = shapes.fingerprint(skill)
    if skill.kind is not SkillKind.SCRIPT:
        return Review(skill=skill, fingerprint=fingerprint)
    grants = tuple(sorted(shapes.needs_of(skill.definition)))
    try:
        verdict = check(
            cast("str", skill.definition["script"]),
            files=shapes.files_of(skill.definition),
        )
    except MissingExtra as error:
        return Review(
            skill=skill,
            fingerprint=fingerprint,
            grants=grants,
            obstacle=f"stays a draft: {error}",
        )
    obstacle = (
        _rejection(verdict.findings)
        if verdict.decision is Decision.REJECT
        else _undeclared(verdict.needs, grants)
    )
    return Review(
        skill=skill,
        fingerprint=fingerprint,
        findings=verdict.findings,
        grants=grants,
        obstacle=obstacle,
    )


def _rejection(findings: tuple[Finding, ...]) -> str:
    worst = [
        (each, f" of {each.file}" if each.file else "")
        for each in findings
        if each.decision is Decision.REJECT
    ]
    reasons = [
        f"line {each.line}{where}: {each.says} [{each.rule}]"
        for each, where in worst[:3]
    ]
    return f"is rejected: {'; '.join(reasons)}"


def _undeclared(needs: frozenset[Capability], grants: tuple[Capability, ...]) -> str:
    missing = sorted(needs - frozenset(grants))
    listed = ", ".join(f'"{each}"' for each in sorted({*needs, *grants}))
    reason = f'needs {", ".join(missing)}, and its definition does not say so: give it "needs": [{listed}]'
    options = " ".join(f"--needs {each}" for each in sorted({*needs, *grants}))
    return f"{reason}; on the command line: {options}" if missing else ""
