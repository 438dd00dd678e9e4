"""The memory as a whole: status, log, health, forgetting, tokens."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hexad import wire
from hexad._version import __version__
from hexad.clock import utc_now
from hexad.errors import AccessRefused, InvalidInput
from hexad.memory.use.timeline import shown_prompts
from hexad.model import DEFAULT_LAYERS, Layer, SkillStatus
from hexad.server.api.calls import Call, Reply, listing, number_in
from hexad.store import Question

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hexad.facade import Hexad
    from hexad.model import AuditRecord
    from hexad.server.tokens import Token

_EVENTS_AT_ONCE: Final = 100
_MOST_PINNED: Final = 1000  # that are counted


def status(call: Call) -> dict[str, Any]:
    """Count the contents of a namespace, and the things that await review."""
    hx = call.hx
    with hx.store.reading(hx.namespace) as view:
        found = view.evidence(Question(layers=DEFAULT_LAYERS, now=utc_now(), standing=_MOST_PINNED))
    skills = hx.skills.list()
    stored = {layer.value: evidence.statistics.rows for layer, evidence in found.items()}
    stored |= {hx.learnings.layer.value: len(hx.learnings.list()), hx.skills.layer.value: len(skills)}
    return {
        "version": __version__,
        "namespace": hx.namespace,
        "stored": stored,
        "pinned": len(found[Layer.USER_KNOWLEDGE].standing),
        "awaiting": {
            "proposals": len(hx.proposals.list()),
            "skills": sum(skill.status is SkillStatus.DRAFT for skill in skills),
            "learnings": len(hx.learnings.doubtful()),
        },
        "semantic": hx.ready(0),
    }


def timeline(call: Call) -> dict[str, Any]:
    """Which items the latest prompts had, newest first."""
    call.hx.scoped().close()  # writes what waits
    return listing(each.as_json() for each in shown_prompts(call.hx.store, call.hx.namespace))


def namespaces(call: Call) -> dict[str, Any]:
    """The namespaces of the database that the caller may use."""
    after, limit = call.query.get("cursor", ""), call.query.get("limit", 1000)
    found = call.hx.store.namespaces(after=after, limit=limit)
    return listing([each for each in found if call.caller.reaches(each)], found[-1] if len(found) == limit else None)


def audit_log(call: Call) -> dict[str, Any]:
    """The log of changes, newest first."""
    records = latest(call, call.query.get("limit", 50), before=number_in(call.query.get("cursor", ""), 0))
    more = records[-1].sequence > 1 if records else False
    return listing(map(wire.to_json, records), str(records[-1].sequence) if more else None)


def latest(call: Call, limit: int, *, before: int | None = None) -> Sequence[AuditRecord]:
    """The newest records of the log, newest first, or those before a number."""
    with call.hx.store.reading(call.hx.namespace) as view:
        end = view.chain_end()
        last = before - 1 if before else (end[0] if end else 0)
        found = view.audit(after=max(0, last - limit), limit=limit) if last > 0 else ()
    return tuple(reversed([record for record in found if record.sequence <= last]))


def newer(hx: Hexad, last: int | None) -> tuple[Sequence[AuditRecord], int]:
    """The records of the log after a number, oldest first, and the number to go on from; without one, the end."""
    with hx.store.reading(hx.namespace) as view:
        end = view.chain_end()
        if last is None:
            return (), end[0] if end else 0
        found = view.audit(after=last, limit=_EVENTS_AT_ONCE) if end and end[0] > last else ()
    return found, found[-1].sequence if found else last


def forget(call: Call) -> dict[str, Any]:
    """Erase for good: one record, all about a subject, all of a session, or everything in the namespace."""
    hx, body = call.hx, call.body
    known = (*hx.collections, "subject", "session", "everything")
    named = [name for name in known if body.get(name)]
    if len(named) != 1:
        raise InvalidInput("forget", f"give exactly one of {', '.join(known)}")
    [name] = named
    if name in hx.collections:
        return wire.forgotten(hx.collections[name].forget(body[name]))
    return wire.forgotten(hx.forget(**{name: body[name]}))


def doctor(call: Call) -> dict[str, Any]:
    """Check the database and, in the namespaces that the caller may use, the log, rows, versions and vectors."""
    facts: Callable[[], dict[str, str]] = getattr(getattr(call.hx.store, "wrapped", call.hx.store), "inspect", dict)
    whole = facts().get("integrity", "ok")
    log, missing = call.hx.audit.verify(), call.hx.without_vector()
    found = [("database", whole == "ok", whole), ("audit log", log.ok, log.problem or f"whole: {log.records} records")]
    found += [
        (each.part, False, f"namespace {each.namespace!r}: {each.detail}; {each.advice}")
        for each in call.hx.check()
        if call.caller.reaches(each.namespace)
    ]
    checks = [{"name": name, "verdict": "ok" if ok else "problem", "detail": detail} for name, ok, detail in found]
    if missing:
        checks.append({"name": "embeddings", "verdict": "warning", "detail": f"{missing} rows are found by words only"})
    return {"ok": all(ok for _, ok, _ in found), "checks": checks}


def list_tokens(call: Call) -> dict[str, Any]:
    """The tokens that give nothing that the caller does not have."""
    return listing(each.as_json() for each in call.tokens.list() if _is_within(call, each))


def make_token(call: Call) -> Reply:
    """Make a token; its secret is in this answer alone."""
    wanted, rights = call.body["namespaces"], call.body["rights"]
    if not call.caller.may_grant(wanted, rights):
        raise AccessRefused(403, "a token may give no namespace and no right that your own does not have")
    token, secret = call.tokens.make(call.body.get("name", ""), wanted, rights)
    return Reply({**token.as_json(), "secret": secret}, 201)


def revoke_token(call: Call) -> Reply:
    """Revoke a token: the next request with it is refused."""
    if not _is_within(call, call.tokens.get(call.named)):
        raise AccessRefused(403, "that token gives more than your own")
    call.tokens.revoke(call.named)
    return Reply(status=204)


def _is_within(call: Call, token: Token) -> bool:
    return call.caller.may_grant(token.namespaces, token.rights)
