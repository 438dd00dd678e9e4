"""Knowledge and references: list, read, save, pin, delete."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from hexad import wire
from hexad.errors import HexadError, InvalidInput
from hexad.model import Layer, Origin
from hexad.server.api.calls import Call, Reply, listing, page, saved, shown, unchanged
from hexad.server.tokens import Right

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hexad.model import Knowledge, Reference


def moment(name: str, text: str | None) -> datetime | None:
    """A time of ISO 8601."""
    if text is None:
        return None
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(name, f"{text[:40]!r} is not a time in ISO 8601") from None


def redaction(call: Call) -> dict[str, Any]:
    """Whether secrets are taken out; to keep them is a person's decision."""
    if not call.body.get("keep_secrets"):
        return {}
    call.caller.require(Right.APPROVE)
    return {"redact": False}


def fields(call: Call, *names: str) -> dict[str, Any]:
    """Those fields of the body that were given."""
    return {name: call.body[name] for name in names if name in call.body}


def list_knowledge(call: Call) -> dict[str, Any]:
    """List entries, newest first; with `query` the best matches, best first."""
    query, limit = call.query.get("query"), call.query.get("limit", 50)
    if query:
        found = call.hx.knowledge.search(query, category=call.query.get("category"), limit=limit)
        entries = [call.hx.knowledge.get(item.id) for item in found]
        return listing(map(wire.to_json, filter(_wanted(call.query), entries)))
    rows, after = page(
        call.hx,
        Layer.USER_KNOWLEDGE,
        cursor=call.query.get("cursor", ""),
        limit=limit,
        keep=_wanted(call.query),
    )
    return listing((wire.to_json(row.record) for row in rows), after)


def _wanted(query: Mapping[str, Any]) -> Callable[[Any], bool]:
    """Whether an entry passes the filters of a listing."""
    exact = {name: query[name] for name in ("category", "origin", "subject", "pinned", "session") if name in query}

    def wanted(entry: Knowledge) -> bool:
        same = all(getattr(entry, name) == value for name, value in exact.items())
        return same and ("tag" not in query or query["tag"] in entry.tags)

    return wanted


def get_knowledge(call: Call) -> Reply:
    """Read an entry."""
    return shown(call.hx.knowledge.get(call.named))


def add_knowledge(call: Call) -> Reply:
    """Save an entry under a key that is made from its text."""
    entry = _save(call, call.hx.knowledge, None)
    return shown(entry, 201)


def put_knowledge(call: Call) -> Reply:
    """Save an entry: other content makes a new version, fields that are not given stay as they are."""
    return saved(call, call.hx.knowledge, call.named, lambda knowledge: _save(call, knowledge, call.named))


def _save(call: Call, knowledge: Any, key: str | None) -> Knowledge:
    values = fields(call, "category", "tags", "source", "subject", "thread", "position", "relevance")
    if "expires" in call.body:
        values["expires"] = moment("expires", call.body["expires"])
    if "pinned" in call.body:
        call.caller.require(Right.APPROVE)
        values["pinned"] = call.body["pinned"]
    content = call.body["content"]
    named = (content,) if key is None else (key, content)
    by = call.caller.origin
    entry: Knowledge = knowledge.save(*named, **values, **redaction(call), origin=by, own_only=by is not Origin.USER)
    return entry


def delete_knowledge(call: Call) -> Reply:
    """Hide an entry with all its versions; it can be brought back."""
    unchanged(call, call.hx.knowledge, lambda here: here.delete(call.named, origin=call.caller.origin))
    return Reply(status=204)


def undelete_knowledge(call: Call) -> Reply:
    """Bring back a deleted entry."""
    return shown(call.hx.knowledge.undelete(call.named))


def delete_many(call: Call) -> dict[str, Any]:
    """Delete or bring back several entries; says which were not changed and why."""
    done, refused = list[str](), dict[str, str]()
    for key in call.body["keys"]:
        try:
            if call.body.get("undelete"):
                call.caller.require(Right.APPROVE)
                call.hx.knowledge.undelete(key)
            else:
                call.hx.knowledge.delete(key, origin=call.caller.origin)
            done.append(key)
        except HexadError as error:
            refused[key] = str(error)
    return {"changed": done, "refused": refused}


def pin(call: Call) -> Reply:
    """Put an entry into every prompt."""
    return shown(call.hx.knowledge.pin(call.named))


def unpin(call: Call) -> Reply:
    """Take an entry out of every prompt."""
    return shown(call.hx.knowledge.pin(call.named, pinned=False))


def knowledge_history(call: Call) -> dict[str, Any]:
    """All versions of an entry, newest first."""
    return listing(map(wire.to_json, call.hx.knowledge.history(call.named)))


def similar_knowledge(call: Call) -> dict[str, Any]:
    """Entries that say nearly the same, or contradict it."""
    entry = call.hx.knowledge.get(call.named)
    return listing(map(wire.item, call.hx.knowledge.similar(entry, limit=call.query.get("limit", 5))))


def list_references(call: Call) -> dict[str, Any]:
    """List references, newest first; with `query` the best matches, best first."""
    query, limit = call.query.get("query"), call.query.get("limit", 50)
    if query:
        found = call.hx.references.search(query, limit=limit)
        return listing(wire.to_json(call.hx.references.get(item.id)) for item in found)
    rows, after = page(call.hx, Layer.EXTERNAL_KNOWLEDGE, cursor=call.query.get("cursor", ""), limit=limit)
    return listing((wire.to_json(row.record) for row in rows), after)


def get_reference(call: Call) -> Reply:
    """Read a reference."""
    return shown(call.hx.references.get(call.named))


def put_reference(call: Call) -> Reply:
    """Save a reference; fields that are not given stay as they are."""

    def save(references: Any) -> Reference:
        values = fields(call, "location", "summary", "kind", "metadata", "tags")
        kept: Reference = references.save(call.named, **values, **redaction(call), origin=call.caller.origin)
        return kept

    return saved(call, call.hx.references, call.named, save)


def delete_reference(call: Call) -> Reply:
    """Delete a reference."""
    unchanged(call, call.hx.references, lambda here: here.delete(call.named))
    return Reply(status=204)
