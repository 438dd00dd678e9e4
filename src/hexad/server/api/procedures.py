"""Learnings, skills and the review queue: the verbs that are more than one call of the engine."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any

from hexad import wire
from hexad.errors import HexadError, InvalidInput
from hexad.model import SkillKind, SkillStatus
from hexad.server.api.calls import Call, Reply, shown
from hexad.server.api.records import fields
from hexad.server.tokens import Right
from hexad.skills.run import result_json

if TYPE_CHECKING:
    from hexad.facade import Hexad
    from hexad.model import Skill
    from hexad.skills.review import Review


def correct_learning(call: Call) -> Reply:
    """Save a person's correction, which is trusted at once."""
    if not {"learning", "trigger"} & set(call.body):
        raise InvalidInput("trigger", "give a trigger, or the id of a learning")
    return shown(call.hx.learnings.correct(**fields(call, "learning trigger error_pattern diagnosis fix")))


def known_fix(call: Call) -> dict[str, Any]:
    """The fix that is known for an error of a tool; it counts as offered."""
    ask = call.hx.learnings.known_fix if call.body.get("untrusted") else call.hx.learnings.fix_for
    fix = ask(call.body["tool"], call.body["error"], args=call.body.get("args"))
    return {"fix": fix and str(fix), "trust": fix and fix.trust, "learning": fix and wire.to_json(fix.learning)}


def clean_learnings(call: Call) -> dict[str, Any]:
    """Merge duplicates and remove old learnings that nothing confirmed; without `apply` only the plan."""
    days = call.body.get("unseen_for_days")
    span = None if days is None else timedelta(days=days)
    return asdict(call.hx.learnings.clean(dry_run=not call.body.get("apply", False), unseen_for=span))


def observe(call: Call) -> dict[str, Any]:
    """Learn from a tool call that was made elsewhere; the learning of its error, if it failed."""
    learned = call.hx.observe(**fields(call, "tool args result error"), strict=True)
    return {"learning": learned and wire.to_json(learned)}


def run_skill(call: Call) -> dict[str, Any]:
    """Run an active skill, or show what a run would do (`dry_run`); a script needs the right to approve."""
    dry = call.body.get("dry_run", False)
    if not dry and call.hx.skills.get(call.named).kind is SkillKind.SCRIPT:
        call.caller.require(Right.APPROVE)
    by = call.caller.origin
    return result_json(call.hx.skills.run(call.named, call.body.get("parameters"), dry_run=dry, origin=by))


def review_json(seen: Review) -> dict[str, Any]:
    """A review as JSON."""
    facts = {"fingerprint": seen.fingerprint, "obstacle": seen.obstacle, "grants": [each.value for each in seen.grants]}
    return {"skill": wire.to_json(seen.skill), **facts, "findings": [asdict(finding) for finding in seen.findings]}


def drafts(hx: Hexad) -> list[Skill]:
    """Skills that wait for approval, newest first."""
    found = [skill for skill in hx.skills.list() if skill.status is SkillStatus.DRAFT]
    return sorted(found, key=lambda skill: skill.updated, reverse=True)


def queue(call: Call) -> dict[str, Any]:
    """Everything that awaits review: proposals, then drafts, then doubtful fixes."""
    proposals = [{"what": "proposal", "proposal": wire.to_json(each)} for each in call.hx.proposals.list()]
    doubts = [{"what": "learning", "learning": wire.to_json(each)} for each in call.hx.learnings.doubtful()]
    return {"queue": [*proposals, *(_draft(call.hx, each) for each in drafts(call.hx)), *doubts]}


def _draft(hx: Hexad, skill: Skill) -> dict[str, Any]:
    """A draft with the findings of its check, or with the reason why it cannot be reviewed."""
    try:
        return {"what": "skill", **review_json(hx.skills.review(skill.name))}
    except HexadError as error:
        return {"what": "skill", "skill": wire.to_json(skill), "findings": [], "grants": [], "obstacle": str(error)}


def propose(call: Call) -> Reply:
    """Propose a change to an entry, for a person to decide."""
    given = fields(call, "key content change category subject tags sentence against")
    made = call.hx.proposals.propose(**given, origin=call.caller.origin)
    return Reply(wire.to_json(made), 201)


def reject_proposal(call: Call) -> Reply:
    """Remove a proposal; the entry stays as it is."""
    call.hx.proposals.reject(call.named)
    return Reply(status=204)
