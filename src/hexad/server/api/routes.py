"""The table of the interface: method, path, right, name, sentence, work, and the schemas of what goes in and out."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hexad import wire
from hexad.context.explanation import explained
from hexad.interchange.formats import FORMATS
from hexad.memory.references import ReferenceCollection
from hexad.model import (
    Category,
    ErrorCategory,
    Knowledge,
    Layer,
    Learning,
    Origin,
    Proposal,
    Reference,
    Skill,
    SkillStatus,
)
from hexad.server.api import keeping, moving, verbs
from hexad.server.api.calls import listing, shown
from hexad.server.api.schemas import COUNT, FLAG, KEY, KEYS, LAYERS, NOTHING, OBJECT, TEXT, body, given, listed, ref
from hexad.server.api.verbs import delete, fields, found, put
from hexad.server.tokens import Right
from hexad.skills.library import SkillLibrary

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hexad.server.api.calls import Call
    from hexad.server.api.schemas import Schema

EVENTS: Final = "text/event-stream"
READ, WRITE, APPROVE = Right.READ, Right.WRITE, Right.APPROVE
EVERY_CALL: Final[Mapping[str, Schema]] = {"namespace": KEY, "session": KEY}  # query parameters of every route


@dataclass(frozen=True, slots=True)
class Route:
    """One thing that can be done. One that deletes answers with nothing; one that puts or deletes heeds If-Match."""

    method: str
    path: str
    right: Right
    name: str  # for generated clients
    summary: str
    work: Callable[[Call], Any]
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
        return self.method in {"PUT", "DELETE"} and self.path.count("/") == 2 and not self.path.startswith("/tokens")


def _all(nouns: Iterable[Any]) -> dict[str, Any]:
    return listing(map(wire.to_json, nouns))


def _choice(kind: Any) -> Schema:
    return {"type": "string", "enum": [member.value for member in kind]}


_LIMIT: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": 1000}
_SHARE: Final[Schema] = {"type": "number", "minimum": 0, "maximum": 1}
_LAYER: Final[Schema] = {"enum": [layer.value for layer in Layer]}
_QUERY: Final = {"query": TEXT, "limit": _LIMIT}
_PAGE: Final = {**_QUERY, "cursor": TEXT}
_WISH: Final = {"overwrite": FLAG, "preview": FLAG}
_LOG: Final = {"cursor": TEXT, "limit": _LIMIT}
_FILTERS: Final = {"category": _choice(Category), "origin": _choice(Origin), "subject": KEY, "tag": KEY, "pinned": FLAG}
_TRUST: Final = {"category": _choice(ErrorCategory), "trigger": KEY, "trust_above": _SHARE, "trust_below": _SHARE}
_ENTRY: Final = given(
    Knowledge,
    "content category tags source subject thread position pinned expires relevance",
    required="content",
    keep_secrets=FLAG,
)
_REFERENCE: Final = given(Reference, "location summary kind metadata tags", keep_secrets=FLAG)
_LESSON: Final = "trigger error_pattern diagnosis fix"
_LEARNING: Final = given(Learning, f"{_LESSON} category tags", required="trigger", keep_secrets=FLAG)
_CORRECTION: Final = given(Learning, _LESSON, required="fix", learning=KEY, keep_secrets=FLAG)
_CALL: Final = body(required="tool", tool=KEY, args=OBJECT, result=NOTHING, error=TEXT)
_ERROR: Final = body(required="tool error", tool=KEY, error=TEXT, args=OBJECT, untrusted=FLAG)
_WRITTEN: Final = "kind description definition"
_SKILL: Final = given(Skill, f"{_WRITTEN} parameters when tags author", required=_WRITTEN, keep_secrets=FLAG)
_PROPOSAL: Final = given(Proposal, "key change content category subject tags sentence against")
_EDITED: Final = given(Proposal, "key content")
_ASKED: Final = body(required="message", message=TEXT, layers=LAYERS, base=TEXT, budget=COUNT)
_FOUND: Final = body(required="message", message=TEXT, layers=LAYERS, max_per_layer=_LIMIT)
_USED: Final = body(required="layer id message", layer=_LAYER, id=KEY, message=TEXT)
_GONE: Final = body(knowledge=KEY, reference=KEY, learning=KEY, skill=KEY, subject=KEY, session=KEY, everything=FLAG)
_RIGHTS: Final[Schema] = {"type": "array", "items": _choice(Right), "minItems": 1}
_TOKEN: Final = body(required="namespaces rights", name=KEY, namespaces={**KEYS, "maxItems": 100}, rights=_RIGHTS)
_ENTRIES, _LESSONS, _SKILLS = listed("Knowledge"), listed("Learning"), listed("Skill")


def _learnings(call: Call) -> dict[str, Any]:
    query, limit = call.query.get("query"), call.query.get("limit", 50)
    every = call.hx.learnings.list(**{name: value for name, value in call.query.items() if name in _TRUST})
    if query:
        known = {each.id: each for each in every}
        return _all(known[item.id] for item in call.hx.learnings.search(query, limit=limit) if item.id in known)
    return _all(sorted(every, key=lambda each: each.updated, reverse=True)[:limit])


# fmt: off
ROUTES: Final[tuple[Route, ...]] = (
    Route("GET", "/knowledge", READ, "list_knowledge", "List entries, newest first; with `query` the best matches",
          lambda c: found(c, c.hx.knowledge), _ENTRIES, query={**_PAGE, **_FILTERS}),
    Route("POST", "/knowledge", WRITE, "add_knowledge", "Save an entry under a key that is made from its text",
          verbs.add_knowledge, ref("Knowledge"), _ENTRY, status=201),
    Route("POST", "/knowledge/delete", WRITE, "delete_many", "Delete or bring back several entries",
          verbs.delete_many, OBJECT, body(required="keys", keys=KEYS, undelete=FLAG)),
    Route("GET", "/knowledge/{key}", READ, "get_knowledge", "Read an entry",
          lambda c: shown(c.hx.knowledge.get(c.named)), ref("Knowledge")),
    Route("PUT", "/knowledge/{key}", WRITE, "put_knowledge", "Save an entry; other content makes a new version",
          verbs.put_knowledge, ref("Knowledge"), _ENTRY),
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
          lambda c: listing(map(wire.item, c.hx.knowledge.similar(c.hx.knowledge.get(c.named)))), listed("Item")),

    Route("GET", "/references", READ, "list_references", "List references, newest first",
          lambda c: found(c, c.hx.references), listed("Reference"), query=_PAGE),
    Route("GET", "/references/{name}", READ, "get_reference", "Read a reference",
          lambda c: shown(c.hx.references.get(c.named)), ref("Reference")),
    Route("PUT", "/references/{name}", WRITE, "put_reference", "Save a reference",
          lambda c: put(c, c.hx.references, ReferenceCollection.save), ref("Reference"), _REFERENCE),
    Route("DELETE", "/references/{name}", WRITE, "delete_reference", "Delete a reference",
          lambda c: delete(c, c.hx.references), NOTHING, status=204),

    Route("GET", "/learnings", READ, "list_learnings", "List learnings, the latest change first",
          _learnings, _LESSONS, query={**_QUERY, **_TRUST}),
    Route("POST", "/learnings", WRITE, "add_learning", "Save a learning about an error of a tool",
          lambda c: shown(c.hx.learnings.save(**fields(c), origin=c.caller.origin), 201), ref("Learning"), _LEARNING,
          status=201),
    Route("GET", "/learnings/statistics", READ, "learning_statistics", "Counts by category, tool and trust",
          lambda c: asdict(c.hx.learnings.stats()), OBJECT),
    Route("POST", "/learnings/correct", APPROVE, "correct_learning", "Save a person's correction, trusted at once",
          verbs.correct_learning, ref("Learning"), _CORRECTION),
    Route("POST", "/learnings/fix", READ, "known_fix", "The fix that is known for an error; it counts as offered",
          verbs.known_fix, OBJECT, _ERROR),
    Route("POST", "/learnings/clean", APPROVE, "clean_learnings", "Merge duplicates, remove what nothing confirmed",
          verbs.clean_learnings, OBJECT, body(apply=FLAG, unseen_for_days=COUNT)),
    Route("GET", "/learnings/{id}", READ, "get_learning", "Read a learning",
          lambda c: shown(c.hx.learnings.get(c.named)), ref("Learning")),
    Route("DELETE", "/learnings/{id}", APPROVE, "delete_learning", "Delete a learning",
          lambda c: delete(c, c.hx.learnings), NOTHING, status=204),
    Route("POST", "/observe", WRITE, "observe", "Learn from a tool call that was made elsewhere",
          verbs.observe, OBJECT, _CALL),

    Route("GET", "/skills", READ, "list_skills", "List skills; with `query` the active ones that match best",
          lambda c: found(c, c.hx.skills, newest_first=False), _SKILLS,
          query={**_QUERY, "status": _choice(SkillStatus)}),
    Route("POST", "/skills/discover", WRITE, "discover_skills", "Offer what several sessions did as drafts of skills",
          lambda c: _all(c.hx.skills.discover()), _SKILLS),
    Route("POST", "/skills/import", WRITE, "import_skills", "Keep the SKILL.md folders of a ZIP file as drafts",
          moving.import_skills, OBJECT, query={"overwrite": FLAG}, runs=True, takes=moving.ZIP),
    Route("GET", "/skills/{name}/folder", READ, "export_skill", "A skill as a SKILL.md folder in a ZIP file",
          moving.export_skill, NOTHING, query={"lenient": FLAG}, runs=True, media_type=moving.ZIP),
    Route("GET", "/skills/{name}", READ, "get_skill", "Read a skill",
          lambda c: shown(c.hx.skills.get(c.named)), ref("Skill")),
    Route("PUT", "/skills/{name}", WRITE, "put_skill", "Save a procedure as a draft",
          lambda c: put(c, c.hx.skills, SkillLibrary.create), ref("Skill"), _SKILL),
    Route("DELETE", "/skills/{name}", APPROVE, "delete_skill", "Delete a skill with its versions",
          lambda c: delete(c, c.hx.skills), NOTHING, status=204),
    Route("GET", "/skills/{name}/history", READ, "skill_history", "All versions of a skill, newest first",
          lambda c: _all(c.hx.skills.history(c.named)), listed("SkillVersion")),
    Route("GET", "/skills/{name}/review", READ, "review_skill", "Findings of the check, and what it would be granted",
          lambda c: verbs.review_json(c.hx.skills.review(c.named)), OBJECT),
    Route("POST", "/skills/{name}/activate", APPROVE, "activate_skill", "Approve a skill as the review showed it",
          lambda c: shown(c.hx.skills.activate(c.named, by=c.body.get("by") or c.caller.name, seen=c.body.get("seen"))),
          ref("Skill"), body(by=KEY, seen=TEXT)),
    Route("POST", "/skills/{name}/deprecate", APPROVE, "deprecate_skill", "Hide a skill and stop it from running",
          lambda c: shown(c.hx.skills.deprecate(c.named)), ref("Skill")),
    Route("POST", "/skills/{name}/run", WRITE, "run_skill", "Run an active skill, or show what a run would do",
          verbs.run_skill, OBJECT, body(parameters=OBJECT, dry_run=FLAG), runs=True),

    Route("GET", "/review", READ, "queue", "Everything that awaits review", verbs.queue, OBJECT),
    Route("GET", "/proposals", READ, "list_proposals", "Every open proposal, oldest first",
          lambda c: _all(c.hx.proposals.list()), listed("Proposal")),
    Route("POST", "/proposals", WRITE, "propose", "Propose a change to an entry, for a person to decide",
          verbs.propose, ref("Proposal"), _PROPOSAL, status=201),
    Route("GET", "/proposals/{id}", READ, "get_proposal", "Read a proposal",
          lambda c: wire.to_json(c.hx.proposals.get(c.named)), ref("Proposal")),
    Route("PATCH", "/proposals/{id}", APPROVE, "edit_proposal", "Change a proposal before deciding about it",
          lambda c: wire.to_json(c.hx.proposals.edit(c.named, **c.body)), ref("Proposal"), _EDITED),
    Route("POST", "/proposals/{id}/accept", APPROVE, "accept_proposal", "Carry a proposal out as the user's own word",
          lambda c: shown(c.hx.proposals.accept(c.named)), ref("Knowledge")),
    Route("POST", "/proposals/{id}/reject", APPROVE, "reject_proposal", "Remove a proposal; the entry stays as it is",
          verbs.reject_proposal, NOTHING, status=204),

    Route("POST", "/retrieve", READ, "retrieve", "Find what matters for a message, best first in each layer",
          lambda c: wire.retrieval(c.hx.retrieve(c.body["message"], c.body.get("layers"), c.body.get("max_per_layer"))),
          OBJECT, _FOUND),
    Route("POST", "/prompt", READ, "prompt", "The prompt for a message, counted as shown to a model",
          lambda c: wire.prompt(c.hx.prompt(**{"base": "", **c.body})), OBJECT, _ASKED),
    Route("POST", "/explain", READ, "explain", "Every candidate for a prompt, with its score and what became of it",
          lambda c: explained(c.hx.explain(**c.body)), OBJECT, _ASKED),
    Route("GET", "/standing", READ, "standing", "The items that are in every prompt",
          lambda c: listing(map(wire.item, c.hx.standing())), listed("Item")),
    Route("POST", "/used", WRITE, "used", "Record that an item was useful for a message",
          verbs.used, listed("Association"), _USED),
    Route("GET", "/habits", READ, "list_habits", "The words of earlier questions that help to find items",
          lambda c: _all(c.hx.habits.list()), listed("Association")),
    Route("DELETE", "/habits", APPROVE, "reset_habits", "Remove the words that lead to an item, or to all",
          lambda c: {"removed": c.hx.habits.reset(c.query.get("layer"), c.query.get("id"))}, OBJECT,
          query={"layer": _LAYER, "id": KEY}),

    Route("GET", "/status", READ, "status", "Count the contents of a namespace", keeping.status, OBJECT),
    Route("GET", "/timeline", READ, "timeline", "Which items the latest prompts had", keeping.timeline, OBJECT),
    Route("GET", "/namespaces", READ, "namespaces", "The namespaces that the caller may use",
          keeping.namespaces, OBJECT, query=_LOG),
    Route("GET", "/audit", READ, "audit_log", "The log of changes, newest first",
          keeping.audit_log, listed("AuditRecord"), query=_LOG),
    Route("GET", "/audit/events", READ, "audit_events", "The log as events, as changes happen; `Last-Event-ID` goes on",
          lambda c: keeping.newer(c.hx, c.query.get("after")), OBJECT,
          query={"after": {"type": "integer", "minimum": 0, "maximum": 2**53}}, media_type=EVENTS),
    Route("GET", "/audit/verify", READ, "verify", "Check that no record of the log was altered, moved or removed",
          lambda c: wire.verdict(c.hx.audit.verify(expect=c.query.get("expect"))), OBJECT, query={"expect": TEXT}),
    Route("POST", "/forget", APPROVE, "forget", "Erase for good: a record, a subject, a session, or everything",
          keeping.forget, OBJECT, _GONE),
    Route("GET", "/export", READ, "export", "The namespace as JSON Lines, as `hexad backup` writes them",
          moving.export, NOTHING, runs=True, media_type=moving.LINES),
    Route("GET", "/export/pages", READ, "export_pages", "Each record as a page of Markdown, in a ZIP file",
          moving.export_pages, NOTHING, query={"subject": KEY}, runs=True, media_type=moving.ZIP),
    Route("POST", "/import", WRITE, "import_file", "Add a file, or a ZIP file of a folder, as `hexad import` does",
          moving.import_file, OBJECT, query={"name": KEY, "format": {"enum": list(FORMATS)}, **_WISH}, runs=True,
          takes=moving.BYTES),
    Route("POST", "/capture", WRITE, "capture", "Propose what the user of a conversation said that lasts",
          moving.capture, OBJECT, body(required="messages", messages={"type": "array", "items": OBJECT})),
    Route("POST", "/restore", APPROVE, "restore", "Restore a whole backup into this database, which must be empty",
          moving.restore, OBJECT, runs=True, takes=moving.LINES),
    Route("GET", "/doctor", READ, "doctor", "Check the database and its contents",
          keeping.doctor, OBJECT, runs=True),
    Route("POST", "/reindex", APPROVE, "reindex", "Compute the missing embeddings in every namespace",
          lambda c: {"rows": c.hx.reindex()}, OBJECT, runs=True),
    Route("GET", "/tokens", APPROVE, "list_tokens", "The tokens that give nothing that yours does not",
          keeping.list_tokens, OBJECT),
    Route("POST", "/tokens", APPROVE, "make_token", "Make a token; its secret is in this answer alone",
          keeping.make_token, OBJECT, _TOKEN, status=201),
    Route("DELETE", "/tokens/{id}", APPROVE, "revoke_token", "Revoke a token: the next request with it is refused",
          keeping.revoke_token, NOTHING, status=204),
)
# fmt: on
