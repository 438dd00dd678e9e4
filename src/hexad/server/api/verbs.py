"""The verbs of the interface that are more than one call of the engine."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from hexad import wire
from hexad.errors import HexadError, InvalidInput, NotFound
from hexad.model import Origin, SkillKind, SkillStatus
from hexad.server.api.calls import Call, Reply, listing, page, saved, shown, unchanged
from hexad.server.tokens import Right
from hexad.skills.run import result_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hexad.facade import Hexad
    from hexad.model import Knowledge, Skill
    from hexad.skills.review import Review


def moment(name: str, text: str | None) -> datetime | None:
    """A time of ISO 8601."""
    try:
        return None if text is None else datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(name, "is not a time in ISO 8601") from None


def fields(call: Call) -> dict[str, Any]:
    """The body as arguments of a save; whether secrets are kept, or an entry pinned, is a person's decision."""
    given = {name: value for name, value in call.body.items() if name != "keep_secrets"}
    if call.body.get("keep_secrets"):
        given["redact"] = False
    if "redact" in given or "pinned" in given:
        call.caller.require(Right.APPROVE)
    if "expires" in given:
        given["expires"] = moment("expires", given["expires"])
    return given


def found(call: Call, collection: Any, *, newest_first: bool = True) -> dict[str, Any]:
    """A page of records that pass the filters, newest first; with `query` the best matches, best first."""
    query, limit = call.query.get("query"), call.query.get("limit", 50)
    if query:
        items = collection.search(query, limit=limit)
        every = filter(wanted(call.query), (collection.get(item.id) for item in items))
        return listing(map(wire.to_json, every))
    if not newest_first:
        return listing([wire.to_json(each) for each in collection.list() if wanted(call.query)(each)][:limit])
    cursor, keep = call.query.get("cursor", ""), wanted(call.query)
    rows, after = page(call.hx, collection.layer, cursor=cursor, limit=limit, keep=keep)
    return listing((wire.to_json(row.record) for row in rows), after)


def wanted(query: Mapping[str, Any]) -> Callable[[Any], bool]:
    """Whether a record passes the filters of a listing."""
    exact = {name: value for name, value in query.items() if name not in {"query", "limit", "cursor", "tag"}}

    def passes(record: Any) -> bool:
        same = all(getattr(record, name) == value for name, value in exact.items())
        return same and ("tag" not in query or query["tag"] in record.tags)

    return passes


def add_knowledge(call: Call) -> Reply:
    """Save an entry under a key that is made from its text."""
    return shown(_save_entry(call, call.hx.knowledge), 201)


def put_knowledge(call: Call) -> Reply:
    """Save an entry: other content makes a new version, fields that are not given stay as they are."""
    return saved(call, call.hx.knowledge, call.named, lambda here: _save_entry(call, here, call.named))


def _save_entry(call: Call, knowledge: Any, *key: str) -> Knowledge:
    values, by = fields(call), call.caller.origin
    entry: Knowledge = knowledge.save(*key, values.pop("content"), **values, origin=by, own_only=by is not Origin.USER)
    return entry


def delete_many(call: Call) -> dict[str, Any]:
    """Delete or bring back several entries; says which were not changed and why."""
    done, refused = list[str](), dict[str, str]()
    if call.body.get("undelete"):
        call.caller.require(Right.APPROVE)
    for key in call.body["keys"]:
        try:
            if call.body.get("undelete"):
                call.hx.knowledge.undelete(key)
            else:
                call.hx.knowledge.delete(key, origin=call.caller.origin)
            done.append(key)
        except HexadError as error:
            refused[key] = str(error)
    return {"changed": done, "refused": refused}


def delete(call: Call, collection: Any, **given: Any) -> Reply:
    """Delete a record."""
    unchanged(call, collection, lambda here: here.delete(call.named, **given))
    return Reply(status=204)


def put(call: Call, collection: Any, save: Callable[..., Any]) -> Reply:
    """Save a record under the name in the path; fields that are not given stay as they are."""
    values = fields(call)
    return saved(call, collection, call.named, lambda here: save(here, call.named, **values, origin=call.caller.origin))


def used(call: Call) -> dict[str, Any]:
    """Record that an item was useful for a message: its words help to find the item next time."""
    message, wanted = call.body["message"], call.body["id"]
    candidates = call.hx.explain(message, layers=[call.body["layer"]]).candidates
    item = next((each.item for judged in candidates.values() for each in judged if each.item.id == wanted), None)
    if item is None:
        raise NotFound("candidate", wanted, call.hx.namespace)
    return listing(map(wire.to_json, call.hx.used(item, message)))


def correct_learning(call: Call) -> Reply:
    """Save a person's correction, which is trusted at once."""
    if not {"learning", "trigger"} & set(call.body):
        raise InvalidInput("trigger", "give a trigger, or the id of a learning")
    return shown(call.hx.learnings.correct(**fields(call)))


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
    learned = call.hx.observe(**fields(call), strict=True)
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


def reviewed(hx: Hexad, name: str) -> tuple[Review | None, str]:
    """The review of a skill, if it can be reviewed, and the reason why it cannot be activated, if there is one."""
    try:
        seen = hx.skills.review(name)
    except HexadError as error:
        return None, str(error)
    return seen, seen.obstacle


def _draft(hx: Hexad, skill: Skill) -> dict[str, Any]:
    seen, obstacle = reviewed(hx, skill.name)
    if seen is None:
        return {"what": "skill", "skill": wire.to_json(skill), "findings": [], "grants": [], "obstacle": obstacle}
    return {"what": "skill", **review_json(seen)}


def propose(call: Call) -> Reply:
    """Propose a change to an entry, for a person to decide."""
    return Reply(wire.to_json(call.hx.proposals.propose(**fields(call), origin=call.caller.origin)), 201)


def reject_proposal(call: Call) -> Reply:
    """Remove a proposal; the entry stays as it is."""
    call.hx.proposals.reject(call.named)
    return Reply(status=204)
