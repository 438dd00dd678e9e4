"""Learnings and skills: what went wrong and what fixed it, and what to do."""

from __future__ import annotations

from dataclasses import asdict
from datetime import timedelta
from typing import TYPE_CHECKING, Any, Final

from hexad import wire
from hexad.errors import InvalidInput
from hexad.model import SkillKind, SkillStatus
from hexad.server.api.calls import Call, Reply, listing, saved, shown, unchanged
from hexad.server.api.records import fields, redaction
from hexad.server.tokens import Right
from hexad.skills.run import result_json

if TYPE_CHECKING:
    from hexad.model import Skill
    from hexad.skills.review import Review

_DAY: Final = 1


def list_learnings(call: Call) -> dict[str, Any]:
    """List learnings, the latest change first; with `query` the best matches, best first."""
    query, limit = call.query.get("query"), call.query.get("limit", 50)
    if query:
        found = call.hx.learnings.search(query, category=call.query.get("category"), limit=limit)
        return listing(wire.to_json(call.hx.learnings.get(item.id)) for item in found)
    wanted = {
        name: call.query[name] for name in ("category", "trigger", "trust_above", "trust_below") if name in call.query
    }
    every = sorted(call.hx.learnings.list(**wanted), key=lambda each: each.updated, reverse=True)
    return listing(map(wire.to_json, every[:limit]))


def get_learning(call: Call) -> Reply:
    """Read a learning."""
    return shown(call.hx.learnings.get(call.named))


def add_learning(call: Call) -> Reply:
    """Save a learning about an error of a tool."""
    values = fields(call, "error_pattern", "diagnosis", "fix", "category", "tags")
    by = call.caller.origin
    return shown(call.hx.learnings.save(trigger=call.body["trigger"], **values, **redaction(call), origin=by), 201)


def correct_learning(call: Call) -> Reply:
    """Save a person's correction, which is trusted at once."""
    if not {"learning", "trigger"} & set(call.body):
        raise InvalidInput("trigger", "give a trigger, or the id of a learning")
    values = fields(call, "learning", "trigger", "error_pattern", "diagnosis")
    return shown(call.hx.learnings.correct(fix=call.body["fix"], **values, **redaction(call)))


def delete_learning(call: Call) -> Reply:
    """Delete a learning."""
    unchanged(call, call.hx.learnings, lambda here: here.delete(call.named))
    return Reply(status=204)


def known_fix(call: Call) -> dict[str, Any]:
    """The fix that is known for an error of a tool; it counts as offered."""
    ask = call.hx.learnings.known_fix if call.body.get("untrusted") else call.hx.learnings.fix_for
    fix = ask(call.body["tool"], call.body["error"])
    return {"fix": fix and str(fix), "trust": fix and fix.trust, "learning": fix and wire.to_json(fix.learning)}


def learning_statistics(call: Call) -> dict[str, Any]:
    """Counts of learnings by category, tool and trust."""
    return asdict(call.hx.learnings.stats())


def clean_learnings(call: Call) -> dict[str, Any]:
    """Merge duplicates and remove old learnings that nothing confirmed; without `apply` only the plan."""
    days = call.body.get("unseen_for_days")
    span = None if days is None else timedelta(days=days)
    return asdict(call.hx.learnings.clean(dry_run=not call.body.get("apply", False), unseen_for=span))


def observe(call: Call) -> dict[str, Any]:
    """Learn from a tool call that was made elsewhere; the learning of its error, if it failed."""
    given = fields(call, "args", "result", "error")
    learned = call.hx.observe(tool=call.body["tool"], **given, strict=True)
    return {"learning": learned and wire.to_json(learned)}


def list_skills(call: Call) -> dict[str, Any]:
    """List skills by name; with `query` the active ones that match best."""
    query, limit = call.query.get("query"), call.query.get("limit", 1000)
    if query:
        found = call.hx.skills.search(query, limit=limit)
        return listing(wire.to_json(call.hx.skills.get(item.id)) for item in found)
    wanted = call.query.get("status")
    every = [each for each in call.hx.skills.list() if wanted in {None, each.status}]
    return listing(map(wire.to_json, sorted(every, key=lambda each: each.name)[:limit]))


def get_skill(call: Call) -> Reply:
    """Read a skill."""
    return shown(call.hx.skills.get(call.named))


def put_skill(call: Call) -> Reply:
    """Save a procedure as a draft; another definition makes an active skill a draft again."""

    def save(skills: Any) -> Skill:
        values = fields(call, "parameters", "when", "tags", "author")
        made: Skill = skills.create(
            call.named,
            kind=call.body["kind"],
            description=call.body["description"],
            definition=call.body["definition"],
            **values,
            **redaction(call),
            origin=call.caller.origin,
        )
        return made

    return saved(call, call.hx.skills, call.named, save)


def delete_skill(call: Call) -> Reply:
    """Delete a skill with its versions."""
    unchanged(call, call.hx.skills, lambda here: here.delete(call.named))
    return Reply(status=204)


def skill_history(call: Call) -> dict[str, Any]:
    """All versions of a skill, newest first."""
    return listing(map(wire.to_json, call.hx.skills.history(call.named)))


def review_skill(call: Call) -> dict[str, Any]:
    """The facts for a person who activates a skill: findings of the check, what it would be granted."""
    return review_json(call.hx.skills.review(call.named))


def review_json(seen: Review) -> dict[str, Any]:
    """A review as JSON."""
    return {
        "skill": wire.to_json(seen.skill),
        "fingerprint": seen.fingerprint,
        "findings": [asdict(finding) for finding in seen.findings],
        "grants": [grant.value for grant in seen.grants],
        "obstacle": seen.obstacle,
    }


def activate_skill(call: Call) -> Reply:
    """Approve a skill as it is now; `seen` is the fingerprint that the review showed."""
    by = call.body.get("by") or call.caller.name
    return shown(call.hx.skills.activate(call.named, by=by, seen=call.body.get("seen")))


def deprecate_skill(call: Call) -> Reply:
    """Hide a skill and stop it from running."""
    return shown(call.hx.skills.deprecate(call.named))


def run_skill(call: Call) -> dict[str, Any]:
    """Run an active skill, or show what a run would do (`dry_run`)."""
    dry = call.body.get("dry_run", False)
    if not dry and call.hx.skills.get(call.named).kind is SkillKind.SCRIPT:
        call.caller.require(Right.APPROVE)
    by = call.caller.origin
    return result_json(call.hx.skills.run(call.named, call.body.get("parameters"), dry_run=dry, origin=by))


def discover_skills(call: Call) -> dict[str, Any]:
    """Offer what was done in several sessions as drafts of skills; those that are new."""
    return listing(map(wire.to_json, call.hx.skills.discover()))


def drafts(call: Call) -> list[Skill]:
    """Skills that wait for approval, newest first."""
    found = [skill for skill in call.hx.skills.list() if skill.status is SkillStatus.DRAFT]
    return sorted(found, key=lambda skill: skill.updated, reverse=True)
