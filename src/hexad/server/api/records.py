"""Saving, finding and deleting records: the verbs of the interface that are more than one call of the engine."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING, Any

from hexad import wire
from hexad.errors import HexadError, InvalidInput, NotFound
from hexad.model import Origin
from hexad.server.api.calls import Call, Reply, listing, page, saved, shown, unchanged
from hexad.server.tokens import Right

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hexad.model import Knowledge


def moment(name: str, text: str | None) -> datetime | None:
    """A time of ISO 8601."""
    try:
        return None if text is None else datetime.fromisoformat(text)
    except ValueError:
        raise InvalidInput(name, "is not a time in ISO 8601") from None


def fields(call: Call, names: str) -> dict[str, Any]:
    """Those fields of the body that were given, and whether secrets are kept, which is a person's decision."""
    kept = {"redact": False} if call.body.get("keep_secrets") else {}
    if kept or "pinned" in call.body:
        call.caller.require(Right.APPROVE)
    given = {name: call.body[name] for name in names.split() if name in call.body}
    if "expires" in given:
        given["expires"] = moment("expires", given["expires"])
    return {**given, **kept}


def found(call: Call, collection: Any, *, newest_first: bool = True, **facets: Any) -> dict[str, Any]:
    """A page of records that pass the filters, newest first; with `query` the best matches, best first."""
    query, limit = call.query.get("query"), call.query.get("limit", 50)
    if query:
        items = collection.search(query, limit=limit, **facets)
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
    values = fields(call, "category tags source subject thread position pinned expires relevance")
    by = call.caller.origin
    entry: Knowledge = knowledge.save(*key, call.body["content"], **values, origin=by, own_only=by is not Origin.USER)
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


def put(call: Call, collection: Any, save: Callable[..., Any], names: str) -> Reply:
    """Save a record under the name in the path with those fields of the body; others stay as they are."""
    values = fields(call, names)
    return saved(call, collection, call.named, lambda here: save(here, call.named, **values, origin=call.caller.origin))


def used(call: Call) -> dict[str, Any]:
    """Record that an item was useful for a message: its words help to find the item next time."""
    message, wanted = call.body["message"], call.body["id"]
    candidates = call.hx.explain(message, layers=[call.body["layer"]]).candidates
    item = next((each.item for judged in candidates.values() for each in judged if each.item.id == wanted), None)
    if item is None:
        raise NotFound("candidate", wanted, call.hx.namespace)
    return listing(map(wire.to_json, call.hx.used(item, message)))
