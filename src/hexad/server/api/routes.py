"""The table of the interface: method, path, right, work, and the schemas of what goes in and out."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from hexad.model import Category, Knowledge, Layer, Learning, Origin, Proposal, Reference, Skill, SkillStatus
from hexad.server.api import asking, keeping, procedures, records, reviewing
from hexad.server.api.schemas import (
    COUNT,
    FLAG,
    KEY,
    KEYS,
    LAYERS,
    NOTHING,
    OBJECT,
    TEXT,
    Schema,
    body,
    given,
    listed,
    ref,
)
from hexad.server.tokens import Right

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hexad.server.api.calls import Call

READ, WRITE, APPROVE = Right.READ, Right.WRITE, Right.APPROVE
EVERY_CALL: Final[Mapping[str, Schema]] = {"namespace": KEY, "session": KEY}  # query parameters of every route


@dataclass(frozen=True, slots=True)
class Route:
    """One thing that can be done; its summary is the docstring of its work."""

    method: str
    path: str
    right: Right
    work: Callable[[Call], Any]
    answer: Schema
    body: Schema | None = None
    query: Mapping[str, Schema] = field(default_factory=dict)
    status: int = 200
    conditional: bool = False  # whether it heeds If-Match
    runs: bool = False  # whether it may take long

    @property
    def name(self) -> str:
        """Its name for generated clients."""
        return self.work.__name__

    @property
    def summary(self) -> str:
        """One sentence about it."""
        return (self.work.__doc__ or "").split("\n")[0].removesuffix(".")


_LIMIT: Final[Schema] = {"type": "integer", "minimum": 1, "maximum": 1000}
_QUERY: Final = {"query": TEXT, "limit": _LIMIT}
_PAGE: Final = {**_QUERY, "cursor": TEXT}
_ENTRY: Final = "content category tags source subject thread position pinned expires relevance"
_MESSAGE: Final = {"message": TEXT, "layers": LAYERS}
_ONE_LAYER: Final[Schema] = {"enum": [layer.value for layer in Layer]}
_SHARE: Final[Schema] = {"type": "number", "minimum": 0, "maximum": 1}
_GONE: Final[Schema] = NOTHING


def _choice(kind: Any) -> Schema:
    return {"type": "string", "enum": [member.value for member in kind]}


_FILTERS: Final = {
    "category": _choice(Category),
    "origin": _choice(Origin),
    "subject": KEY,
    "session": KEY,
    "tag": KEY,
    "pinned": FLAG,
}

ROUTES: Final[tuple[Route, ...]] = (
    # knowledge
    Route("GET", "/knowledge", READ, records.list_knowledge, listed("Knowledge"), query={**_PAGE, **_FILTERS}),
    Route(
        "POST",
        "/knowledge",
        WRITE,
        records.add_knowledge,
        ref("Knowledge"),
        given(Knowledge, _ENTRY, required="content", keep_secrets=FLAG),
        status=201,
    ),
    Route(
        "POST", "/knowledge/delete", WRITE, records.delete_many, OBJECT, body(required="keys", keys=KEYS, undelete=FLAG)
    ),
    Route("GET", "/knowledge/{key}", READ, records.get_knowledge, ref("Knowledge")),
    Route(
        "PUT",
        "/knowledge/{key}",
        WRITE,
        records.put_knowledge,
        ref("Knowledge"),
        given(Knowledge, _ENTRY, required="content", keep_secrets=FLAG),
        conditional=True,
    ),
    Route("DELETE", "/knowledge/{key}", WRITE, records.delete_knowledge, _GONE, status=204, conditional=True),
    Route("POST", "/knowledge/{key}/undelete", APPROVE, records.undelete_knowledge, ref("Knowledge")),
    Route("PUT", "/knowledge/{key}/pin", APPROVE, records.pin, ref("Knowledge")),
    Route("DELETE", "/knowledge/{key}/pin", APPROVE, records.unpin, ref("Knowledge")),
    Route("GET", "/knowledge/{key}/history", READ, records.knowledge_history, listed("Version")),
    Route("GET", "/knowledge/{key}/similar", READ, records.similar_knowledge, listed("Item"), query={"limit": _LIMIT}),
    # references
    Route("GET", "/references", READ, records.list_references, listed("Reference"), query=_PAGE),
    Route("GET", "/references/{name}", READ, records.get_reference, ref("Reference")),
    Route(
        "PUT",
        "/references/{name}",
        WRITE,
        records.put_reference,
        ref("Reference"),
        given(Reference, "location summary kind metadata tags", keep_secrets=FLAG),
        conditional=True,
    ),
    Route("DELETE", "/references/{name}", WRITE, records.delete_reference, _GONE, status=204, conditional=True),
    # learnings
    Route(
        "GET",
        "/learnings",
        READ,
        procedures.list_learnings,
        listed("Learning"),
        query={
            **_QUERY,
            "category": given(Learning, "category")["properties"]["category"],
            "trigger": KEY,
            "trust_above": _SHARE,
            "trust_below": _SHARE,
        },
    ),
    Route(
        "POST",
        "/learnings",
        WRITE,
        procedures.add_learning,
        ref("Learning"),
        given(Learning, "trigger error_pattern diagnosis fix category tags", required="trigger", keep_secrets=FLAG),
        status=201,
    ),
    Route("GET", "/learnings/statistics", READ, procedures.learning_statistics, OBJECT),
    Route(
        "POST",
        "/learnings/correct",
        APPROVE,
        procedures.correct_learning,
        ref("Learning"),
        given(Learning, "trigger error_pattern diagnosis fix", required="fix", learning=KEY, keep_secrets=FLAG),
    ),
    Route(
        "POST",
        "/learnings/fix",
        READ,
        procedures.known_fix,
        OBJECT,
        body(required="tool error", tool=KEY, error=TEXT, untrusted=FLAG),
    ),
    Route(
        "POST", "/learnings/clean", APPROVE, procedures.clean_learnings, OBJECT, body(apply=FLAG, unseen_for_days=COUNT)
    ),
    Route("GET", "/learnings/{id}", READ, procedures.get_learning, ref("Learning")),
    Route("DELETE", "/learnings/{id}", APPROVE, procedures.delete_learning, _GONE, status=204, conditional=True),
    Route(
        "POST",
        "/observe",
        WRITE,
        procedures.observe,
        OBJECT,
        body(required="tool", tool=KEY, args=OBJECT, result=NOTHING, error=TEXT),
    ),
    # skills
    Route(
        "GET",
        "/skills",
        READ,
        procedures.list_skills,
        listed("Skill"),
        query={**_QUERY, "status": _choice(SkillStatus)},
    ),
    Route("POST", "/skills/discover", WRITE, procedures.discover_skills, listed("Skill")),
    Route("GET", "/skills/{name}", READ, procedures.get_skill, ref("Skill")),
    Route(
        "PUT",
        "/skills/{name}",
        WRITE,
        procedures.put_skill,
        ref("Skill"),
        given(
            Skill,
            "kind description definition parameters when tags author",
            required="kind description definition",
            keep_secrets=FLAG,
        ),
        conditional=True,
    ),
    Route("DELETE", "/skills/{name}", APPROVE, procedures.delete_skill, _GONE, status=204, conditional=True),
    Route("GET", "/skills/{name}/history", READ, procedures.skill_history, listed("SkillVersion")),
    Route("GET", "/skills/{name}/review", READ, procedures.review_skill, OBJECT),
    Route("POST", "/skills/{name}/activate", APPROVE, procedures.activate_skill, ref("Skill"), body(by=KEY, seen=TEXT)),
    Route("POST", "/skills/{name}/deprecate", APPROVE, procedures.deprecate_skill, ref("Skill")),
    Route(
        "POST",
        "/skills/{name}/run",
        WRITE,
        procedures.run_skill,
        OBJECT,
        body(parameters=OBJECT, dry_run=FLAG),
        runs=True,
    ),
    # what awaits a person
    Route("GET", "/review", READ, reviewing.queue, OBJECT),
    Route("GET", "/proposals", READ, reviewing.list_proposals, listed("Proposal")),
    Route(
        "POST",
        "/proposals",
        WRITE,
        reviewing.propose,
        ref("Proposal"),
        given(Proposal, "key change content category subject tags sentence against"),
        status=201,
    ),
    Route("GET", "/proposals/{id}", READ, reviewing.get_proposal, ref("Proposal")),
    Route(
        "PATCH", "/proposals/{id}", APPROVE, reviewing.edit_proposal, ref("Proposal"), given(Proposal, "key content")
    ),
    Route("POST", "/proposals/{id}/accept", APPROVE, reviewing.accept_proposal, ref("Knowledge")),
    Route("POST", "/proposals/{id}/reject", APPROVE, reviewing.reject_proposal, _GONE, status=204),
    # prompts
    Route(
        "POST", "/retrieve", READ, asking.retrieve, OBJECT, body(required="message", **_MESSAGE, max_per_layer=_LIMIT)
    ),
    Route(
        "POST", "/prompt", READ, asking.prompt, OBJECT, body(required="message", **_MESSAGE, base=TEXT, budget=COUNT)
    ),
    Route(
        "POST", "/explain", READ, asking.explain, OBJECT, body(required="message", **_MESSAGE, base=TEXT, budget=COUNT)
    ),
    Route("GET", "/standing", READ, asking.standing, listed("Item")),
    Route(
        "POST",
        "/used",
        WRITE,
        asking.used,
        listed("Association"),
        body(required="layer id message", layer=_ONE_LAYER, id=KEY, message=TEXT),
    ),
    Route("GET", "/habits", READ, asking.list_habits, listed("Association")),
    Route("DELETE", "/habits", APPROVE, asking.reset_habits, OBJECT, query={"layer": _ONE_LAYER, "id": KEY}),
    # the memory as a whole
    Route("GET", "/status", READ, keeping.status, OBJECT),
    Route("GET", "/namespaces", READ, keeping.namespaces, OBJECT, query={"cursor": TEXT, "limit": _LIMIT}),
    Route("GET", "/audit", READ, keeping.audit_log, listed("AuditRecord"), query={"cursor": TEXT, "limit": _LIMIT}),
    Route("GET", "/audit/verify", READ, keeping.verify, OBJECT, query={"expect": TEXT}),
    Route(
        "POST",
        "/forget",
        APPROVE,
        keeping.forget,
        OBJECT,
        body(knowledge=KEY, reference=KEY, learning=KEY, skill=KEY, subject=KEY, session=KEY, everything=FLAG),
    ),
    Route("GET", "/export", READ, keeping.export, NOTHING, runs=True),
    Route("POST", "/import", WRITE, keeping.import_lines, OBJECT, query={"overwrite": FLAG}, runs=True),
    Route("GET", "/tokens", APPROVE, keeping.list_tokens, OBJECT),
    Route(
        "POST",
        "/tokens",
        APPROVE,
        keeping.make_token,
        OBJECT,
        body(
            required="namespaces rights",
            name=KEY,
            namespaces={**KEYS, "maxItems": 100},
            rights={"type": "array", "items": _choice(Right), "minItems": 1},
        ),
        status=201,
    ),
    Route("DELETE", "/tokens/{id}", APPROVE, keeping.revoke_token, _GONE, status=204),
)
