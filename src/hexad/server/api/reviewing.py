"""The queue of a person's decisions: proposals, draft skills, doubtful fixes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexad.errors import HexadError
from hexad.server.api.calls import Call, Reply, listing, shown
from hexad.server.api.procedures import drafts, review_json
from hexad.server.api.records import fields
from hexad.wire import to_json

if TYPE_CHECKING:
    from hexad.model import Skill


def queue(call: Call) -> dict[str, Any]:
    """Everything that awaits review: proposals, then drafts, then doubtful fixes."""
    return {
        "queue": [
            *({"what": "proposal", "proposal": to_json(each)} for each in call.hx.proposals.list()),
            *(draft(call, each) for each in drafts(call)),
            *({"what": "learning", "learning": to_json(each)} for each in call.hx.learnings.doubtful()),
        ]
    }


def draft(call: Call, skill: Skill) -> dict[str, Any]:
    """A draft with the findings of its check, or with the reason why it cannot be reviewed."""
    try:
        return {"what": "skill", **review_json(call.hx.skills.review(skill.name))}
    except HexadError as error:
        return {"what": "skill", "skill": to_json(skill), "findings": [], "grants": [], "obstacle": str(error)}


def list_proposals(call: Call) -> dict[str, Any]:
    """Every open proposal, oldest first."""
    return listing(map(to_json, call.hx.proposals.list()))


def get_proposal(call: Call) -> dict[str, Any]:
    """Read a proposal."""
    return to_json(call.hx.proposals.get(call.named))


def propose(call: Call) -> Reply:
    """Propose a change to an entry, for a person to decide."""
    given = fields(call, "content", "change", "category", "subject", "tags", "sentence", "against")
    made = call.hx.proposals.propose(call.body.get("key"), given.pop("content", ""), **given, origin=call.caller.origin)
    return Reply(to_json(made), 201)


def edit_proposal(call: Call) -> dict[str, Any]:
    """Change a proposal's text or key before deciding about it."""
    return to_json(call.hx.proposals.edit(call.named, **fields(call, "content", "key")))


def accept_proposal(call: Call) -> Reply:
    """Carry a proposal out as the user's own word; the entry that came of it."""
    return shown(call.hx.proposals.accept(call.named))


def reject_proposal(call: Call) -> Reply:
    """Remove a proposal; the entry stays as it is."""
    call.hx.proposals.reject(call.named)
    return Reply(status=204)
