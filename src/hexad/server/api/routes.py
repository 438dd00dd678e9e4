"""The table of the interface: method, path, right, name, sentence, work, and the
schemas of what goes in and out.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hexad import json_form
from hexad.context.explanation import explained
from hexad.interchange.formats import FORMATS
from hexad.memory.references import ReferenceCollection
from hexad.model import Knowledge, Layer, Learning, Proposal, Reference, Skill
from hexad.schemas import (
    COUNT,
    FLAG,
    KEY,
    KEYS,
    NOTHING,
    OBJECT,
    TEXT,
    answer,
    body,
    fields_of,
    given,
    listed,
    ref,
)
from hexad.server.api import moving, verbs
from hexad.server.api.calls import ApiCall, listing, shown
from hexad.server.api.verbs import delete, fields, found, put
from hexad.server.tokens import Right
from hexad.skills.library import SkillLibrary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hexad.schemas import Schema

EVENTS: Final = "text/event-stream"
READ, WRITE, APPROVE = Right.READ, Right.WRITE, Right.APPROVE
EVERY_CALL: Final[Mapping[str, Schema]] = {
    "namespace": KEY,
    "session": KEY,
}  # query parameters of every route


@dataclass(frozen=True, slots=True)
class Route:
    """One thing that can be done. One that deletes answers with nothing; one that puts
    or deletes heeds If-Match.
    """

    method: str
    path: str
    right: Right
    name: str  # for generated clients
    summary: str
    work: Callable[[ApiCall], Any]
    answer: Schema
    body: Schema | None = None
    query: Mapping[str, Schema] = field(default_factory=dict)
    status: int = 200
    runs: bool = False  # whether it may take long
    media_type: str = "application/json"  # of the answer
    takes: str = ""  # the media type of a body that is a file

    @property
    def conditional(self) -> bool:
        """Whether it heeds If-Match."""
        return (
            self.method in {"PUT", "DELETE"}
            and self.path.count("/") == 2
            and not self.path.startswith("/tokens")
        )


def _verb(
    method: str,
    path: str,
    right: Right,
    work: Callable[[ApiCall], Any],
    *rest: Any,
    **more: Any,
) -> Route:
    """A route that is named and described as its function is."""
    summary = (work.__doc__ or "").partition("\n")[0].rstrip(".")
    return Route(method, path, right, work.__name__, summary, work, *rest, **more)


def _all(nouns: Iterable[Any]) -> dict[str, Any]:
    return listing(map(json_form.to_json, nouns))


_LIMIT: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": 1000}
_SHARE: Final[Schema] = {"type": "number", "minimum": 0, "maximum": 1}
_LAYER: Final[Schema] = {"enum": [layer.value for layer in Layer]}
_LAYERS: Final[Schema] = {"type": "array", "items": _LAYER, "maxItems": len(Layer)}
_QUERY: Final = {"query": TEXT, "limit": _LIMIT}
_PAGE: Final = {**_QUERY, "cursor": TEXT}
_LOG: Final = {"cursor": TEXT, "limit": _LIMIT}
_FILTERS: Final = {
    **fields_of(Knowledge, "category origin pinned"),
    "subject": KEY,
    "tag": KEY,
    "deleted": FLAG,
}
_TRUST: Final = {
    **fields_of(Learning, "category"),
    "trigger": KEY,
    "trust_above": _SHARE,
    "trust_below": _SHARE,
}
_DAYS: Final[Schema] = {"type": "integer", "minimum": 0, "maximum": 36_500}
_TIMES: Final = {"seen_within_days": _DAYS, "unseen_for_days": _DAYS, "noticed": FLAG}
_SAID: Final = (
    "content category tags source subject thread position pinned expires relevance"
)
_ENTRY: Final = given(
    Knowledge, _SAID, required="content", keep_secrets=FLAG, rename=FLAG
)
_REFERENCE: Final = given(
    Reference, "location summary kind metadata tags", keep_secrets=FLAG
)
_LESSON: Final = "trigger error_pattern diagnosis fix"
_LEARNING: Final = given(
    Learning, f"{_LESSON} category tags", required="trigger", keep_secrets=FLAG
)
_CORRECTION: Final = given(
    Learning, _LESSON, required="fix", learning=KEY, keep_secrets=FLAG
)
_CALL: Final = body(
    required="tool", tool=KEY, args=OBJECT, result=NOTHING, error=TEXT, session=KEY
)
_ERROR: Final = body(
    required="tool error", tool=KEY, error=TEXT, args=OBJECT, untrusted=FLAG
)
_WRITTEN: Final = "kind description definition"
_SKILL: Final = given(
    Skill,
    f"{_WRITTEN} parameters when tags author",
    required=_WRITTEN,
    keep_secrets=FLAG,
)
_PROPOSAL: Final = given(
    Proposal, "key change content category subject tags sentence against"
)
_EDITED: Final = given(Proposal, "key content")
_AS_OF: Final = {"as_of": fields_of(Knowledge, "expires")["expires"]}
_ASKED: Final = body(
    required="message",
    message=TEXT,
    layers=_LAYERS,
    base=TEXT,
    budget=COUNT,
    session=KEY,
)
_FOUND: Final = body(
    required="message", message=TEXT, layers=_LAYERS, max_per_layer=_LIMIT, **_AS_OF
)
_USED: Final = body(required="layer id message", layer=_LAYER, id=KEY, message=TEXT)
_WHOSE: Final = body(
    knowledge=KEY, reference=KEY, learning=KEY, skill=KEY, subject=KEY, session=KEY
)
_GONE: Final = {
    **_WHOSE,
    "properties": {**_WHOSE["properties"], "everything": FLAG, "traces": FLAG},
}
_HABITS: Final = {"layer": _LAYER, "id": KEY}
_MOST: Final[Schema] = {
    "type": "integer",
    "minimum": 1,
    "maximum": verbs.MOST_QUESTIONS,
}
_QUESTIONS: Final = body(lines=TEXT, set=KEY, queries=_MOST, seed=COUNT, misses=COUNT)
_RIGHTS: Final[Schema] = {
    "type": "array",
    "items": {"enum": list(Right)},
    "minItems": 1,
}
_TOKEN: Final = body(
    required="namespaces rights",
    name=KEY,
    namespaces={**KEYS, "maxItems": 100},
    rights=_RIGHTS,
)
_ENTRIES, _LESSONS, _SKILLS = listed("Knowledge"), listed("Learning"), listed("Skill")


# fmt: off
ROUTES: Final[tuple[Route, ...]] = (
    Route("GET", "/knowledge", READ, "list_knowledge", "List entries, newest first; with `query` the best matches",
          lambda c: found(c, c.hx.knowledge), _ENTRIES, query={**_PAGE, **_FILTERS}),
    _verb("POST", "/knowledge", WRITE, verbs.add_knowledge, ref("Knowledge"), _ENTRY, status=201),
    _verb("POST", "/knowledge/delete", WRITE, verbs.delete_many, ref("Changed"),
          body(required="keys", keys=KEYS, undelete=FLAG)),
    Route("GET", "/knowledge/{key}", READ, "get_knowledge", "Read an entry",
          lambda c: shown(c.hx.knowledge.get(c.named)), ref("Knowledge")),
    _verb("PUT", "/knowledge/{key}", WRITE, verbs.put_knowledge, ref("Knowledge"), _ENTRY),
    Route("DELETE", "/knowledge/{key}", WRITE, "delete_knowledge", "Hide an entry; it can be brought back",
          lambda c: delete(c, c.hx.knowledge, origin=c.caller.origin), NOTHING, status=204),
    Route("POST", "/knowledge/{key}/undelete", APPROVE, "undelete_knowledge", "Bring back a deleted entry",
          lambda c: shown(c.hx.knowledge.undelete(c.named)), ref("Knowledge")),
    Route("PUT", "/knowledge/{key}/pin", APPROVE, "pin", "Put an entry into every prompt",
          lambda c: shown(c.hx.knowledge.pin(c.named)), ref("Knowledge")),
    Route("DELETE", "/knowledge/{key}/pin", APPROVE, "unpin", "Take an entry out of every prompt",
          lambda c: shown(c.hx.knowledge.pin(c.named, pinned=False)), ref("Knowledge")),
    Route("GET", "/knowledge/{key}/history", READ, "knowledge_history", "All versions of an entry, newest first",
          lambda c: _all(c.hx.knowledge.history(c.named)), listed("Version")),
    Route("GET", "/knowledge/{key}/similar", READ, "similar_knowledge", "Entries that say nearly the same",
          lambda c: listing(map(json_form.item, c.hx.knowledge.similar(c.hx.knowledge.get(c.named)))), listed("Item")),

    Route("GET", "/references", READ, "list_references", "List references, newest first",
          lambda c: found(c, c.hx.references), listed("Reference"), query=_PAGE),
    Route("GET", "/references/{name}", READ, "get_reference", "Read a reference",
          lambda c: shown(c.hx.references.get(c.named)), ref("Reference")),
    Route("PUT", "/references/{name}", WRITE, "put_reference", "Save a reference",
          lambda c: put(c, c.hx.references, ReferenceCollection.save), ref("Reference"), _REFERENCE),
    Route("DELETE", "/references/{name}", WRITE, "delete_reference", "Delete a reference",
          lambda c: delete(c, c.hx.references), NOTHING, status=204),

    _verb("GET", "/learnings", READ, verbs.list_learnings, _LESSONS, query={**_PAGE, **_TRUST, **_TIMES}),
    Route("POST", "/learnings", WRITE, "add_learning", "Save a learning about an error of a tool",
          lambda c: shown(c.hx.learnings.save(**fields(c), origin=c.caller.origin)), ref("Learning"), _LEARNING,
          status=201),
    Route("GET", "/learnings/statistics", READ, "learning_statistics", "Counts by category, tool and trust",
          lambda c: asdict(c.hx.learnings.stats()), ref("Statistics")),
    _verb("POST", "/learnings/correct", APPROVE, verbs.correct_learning, ref("Learning"), _CORRECTION),
    _verb("POST", "/learnings/fix", READ, verbs.known_fix, ref("Fix"), _ERROR),
    _verb("POST", "/learnings/clean", APPROVE, verbs.clean_learnings, ref("Cleaned"),
          body(apply=FLAG, unseen_for_days=_DAYS)),
    Route("GET", "/learnings/{id}", READ, "get_learning", "Read a learning",
          lambda c: shown(c.hx.learnings.get(c.named)), ref("Learning")),
    Route("POST", "/learnings/{id}/reject", APPROVE, "reject_learning",
          "Never show its lesson again, or its examples if it has none",
          lambda c: shown(c.hx.learnings.reject(c.named)), ref("Learning")),
    Route("DELETE", "/learnings/{id}", APPROVE, "delete_learning", "Delete a learning",
          lambda c: delete(c, c.hx.learnings), NOTHING, status=204),
    _verb("POST", "/observe", WRITE, verbs.observe, ref("Observed"), _CALL),

    Route("GET", "/skills", READ, "list_skills", "List skills, newest first; with `query` the active ones, best first",
          lambda c: found(c, c.hx.skills), _SKILLS, query={**_PAGE, **fields_of(Skill, "status kind")}),
    _verb("POST", "/skills/check", READ, verbs.check_script, answer("decision needs:list findings:[Finding]"),
          body(required="script", script=TEXT)),
    Route("POST", "/skills/discover", WRITE, "discover_skills", "Offer what several sessions did as drafts of skills",
          lambda c: _all(c.hx.skills.discover()), _SKILLS),
    _verb("POST", "/skills/import", WRITE, moving.import_skills, answer("folders:[Folder]"),
          query={"overwrite": FLAG, "keep_secrets": FLAG}, runs=True, takes=moving.ZIP),
    _verb("GET", "/skills/{name}/folder", READ, moving.export_skill, NOTHING, query={"lenient": FLAG}, runs=True,
          media_type=moving.ZIP),
    Route("GET", "/skills/{name}", READ, "get_skill", "Read a skill",
          lambda c: shown(c.hx.skills.get(c.named)), ref("Skill")),
    Route("PUT", "/skills/{name}", WRITE, "put_skill", "Save a procedure as a draft",
          lambda c: put(c, c.hx.skills, SkillLibrary.create), ref("Skill"), _SKILL),
    Route("DELETE", "/skills/{name}", APPROVE, "delete_skill", "Delete a skill with its versions",
          lambda c: delete(c, c.hx.skills), NOTHING, status=204),
    Route("GET", "/skills/{name}/history", READ, "skill_history", "All versions of a skill, newest first",
          lambda c: _all(c.hx.skills.history(c.named)), listed("SkillVersion")),
    Route("GET", "/skills/{name}/review", READ, "review_skill", "Findings of the check, and what it would be granted",
          lambda c: c.hx.skills.review(c.named).as_json(), ref("Review")),
    Route("POST", "/skills/{name}/activate", APPROVE, "activate_skill", "Approve a skill as the review showed it",
          lambda c: shown(c.hx.skills.activate(c.named, by=c.body.get("by") or c.caller.name, seen=c.body.get("seen"))),
          ref("Skill"), body(by=KEY, seen=TEXT)),
    Route("POST", "/skills/{name}/deprecate", APPROVE, "deprecate_skill", "Hide a skill and stop it from running",
          lambda c: shown(c.hx.skills.deprecate(c.named)), ref("Skill")),
    _verb("POST", "/skills/{name}/run", WRITE, verbs.run_skill, ref("Run"), body(parameters=OBJECT, dry_run=FLAG),
          runs=True),

    _verb("GET", "/review", READ, verbs.queue, answer("queue:[Waiting]")),
    Route("GET", "/proposals", READ, "list_proposals", "Every open proposal, oldest first",
          lambda c: _all(c.hx.proposals.list()), listed("Proposal")),
    Route("POST", "/proposals", WRITE, "propose", "Propose a change to an entry, for a person to decide",
          lambda c: json_form.to_json(c.hx.proposals.propose(**fields(c), origin=c.caller.origin)), ref("Proposal"),
          _PROPOSAL, status=201),
    Route("GET", "/proposals/{id}", READ, "get_proposal", "Read a proposal",
          lambda c: json_form.to_json(c.hx.proposals.get(c.named)), ref("Proposal")),
    Route("PATCH", "/proposals/{id}", APPROVE, "edit_proposal", "Change a proposal before deciding about it",
          lambda c: json_form.to_json(c.hx.proposals.edit(c.named, **c.body)), ref("Proposal"), _EDITED),
    Route("POST", "/proposals/{id}/accept", APPROVE, "accept_proposal", "Carry a proposal out as the user's own word",
          lambda c: shown(c.hx.proposals.accept(c.named)), ref("Knowledge")),
    Route("POST", "/proposals/{id}/reject", APPROVE, "reject_proposal", "Remove a proposal; the entry stays as it is",
          lambda c: c.hx.proposals.reject(c.named), NOTHING, status=204),

    Route("POST", "/retrieve", READ, "retrieve", "Find what matters for a message, best first in each layer",
          verbs.retrieve,
          ref("Retrieval"), _FOUND),
    Route("POST", "/prompt", READ, "prompt", "The prompt for a message, counted as shown to a model",
          lambda c: json_form.prompt(c.hx.prompt(**{"base": "", **c.body})), ref("Prompt"), _ASKED),
    Route("POST", "/explain", READ, "explain", "Every candidate for a prompt, with its score and what became of it",
          lambda c: explained(c.hx.explain(**c.body)), ref("Explanation"), _ASKED),
    Route("GET", "/standing", READ, "standing", "The items that are in every prompt",
          lambda c: listing(map(json_form.item, c.hx.standing())), listed("Item")),
    _verb("POST", "/used", WRITE, verbs.used, listed("Association"), _USED),
    Route("GET", "/habits", READ, "list_habits", "The words of earlier questions that help to find items",
          lambda c: _all(filter(verbs.wanted(c.query), c.hx.habits.list())), listed("Association"), query=_HABITS),
    Route("DELETE", "/habits", APPROVE, "reset_habits", "Remove the words that lead to an item, or to all",
          lambda c: {"removed": c.hx.habits.reset(c.query.get("layer"), c.query.get("id"))}, answer("removed:whole"),
          query=_HABITS),

    _verb("GET", "/status", READ, verbs.status, ref("Status")),
    _verb("GET", "/timeline", READ, verbs.timeline, listed("Shown")),
    _verb("GET", "/namespaces", READ, verbs.namespaces, answer("items:list next:text?"), query=_LOG),
    _verb("GET", "/audit", READ, verbs.audit_log, listed("AuditRecord"), query=_LOG),
    Route("GET", "/audit/events", READ, "audit_events", "The log as events, as changes happen; `Last-Event-ID` goes on",
          lambda c: verbs.newer(c.hx, c.query.get("after")), OBJECT,
          query={"after": {"type": "integer", "minimum": 0, "maximum": 2**53}}, media_type=EVENTS),
    Route("GET", "/audit/verify", READ, "verify", "Check that no record of the log was altered, moved or removed",
          lambda c: json_form.verdict(c.hx.audit.verify(expect=c.query.get("expect"))), ref("Verdict"),
          query={"expect": TEXT}),
    _verb("GET", "/audit/verify/all", READ, verbs.verify_all, answer("ok:flag chains:[Verdict]"), runs=True),
    _verb("POST", "/forget", APPROVE, verbs.forget, ref("Forgotten"), _GONE),
    _verb("GET", "/export", READ, moving.export, NOTHING, query={"all": FLAG}, runs=True,
          media_type=moving.LINES),
    _verb("GET", "/export/pages", READ, moving.export_pages, NOTHING, query={"subject": KEY}, runs=True,
          media_type=moving.ZIP),
    _verb("POST", "/import", WRITE, moving.import_file, ref("Imported"), runs=True, takes=moving.BYTES,
          query={"name": KEY, "format": {"enum": list(FORMATS)}, "overwrite": FLAG, "preview": FLAG, "mine": FLAG}),
    _verb("POST", "/capture", WRITE, moving.capture, answer("proposed:[Statement] left_out:whole"),
          body(required="messages", messages={"type": "array", "items": OBJECT})),
    _verb("POST", "/restore", APPROVE, moving.restore, answer("lines:whole"), runs=True, takes=moving.LINES),
    _verb("GET", "/doctor", READ, verbs.doctor, answer("ok:flag checks:[Check]"), runs=True),
    _verb("POST", "/doctor", APPROVE, verbs.repair, answer("ok:flag checks:[Check]"), runs=True),
    _verb("POST", "/evaluate", READ, verbs.measure, ref("Evaluation"), _QUESTIONS, runs=True),
    Route("POST", "/reindex", APPROVE, "reindex", "Compute the missing embeddings in every namespace",
          lambda c: {"rows": c.hx.reindex()}, answer("rows:whole"), runs=True),
    _verb("GET", "/tokens", APPROVE, verbs.list_tokens, listed("Token")),
    _verb("POST", "/tokens", APPROVE, verbs.make_token, ref("Made"), _TOKEN, status=201),
    _verb("DELETE", "/tokens/{id}", APPROVE, verbs.revoke_token, NOTHING, status=204),
)
# fmt: on
