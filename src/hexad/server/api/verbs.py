"""The verbs of the interface that are more than one call of the engine. A route has a
verb's name and first line.
"""

from __future__ import annotations

import tempfile
from dataclasses import asdict
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hexad import json_form
from hexad._version import __version__
from hexad.clock import utc_now
from hexad.errors import AccessRefused, EvalError, HexadError, InvalidInput, NotFound
from hexad.learning.housekeeping import is_doubtful
from hexad.memory.index.indexing import all_namespaces
from hexad.memory.usage.timeline import shown_prompts
from hexad.model import (
    DEFAULT_LAYERS,
    AuditRecord,
    Knowledge,
    Layer,
    Origin,
    SkillKind,
    SkillStatus,
)
from hexad.server.api.calls import (
    ApiCall,
    Reply,
    listing,
    number_in,
    page,
    part,
    saved,
    shown,
    unchanged,
)
from hexad.server.tokens import Right
from hexad.settings import NO_EMBEDDER
from hexad.skills.review import drafts, waiting
from hexad.skills.run import result_json
from hexad.skills.validation import check
from hexad.store import Question
from hexad_evals.data import CORPUS, QUERIES, live_sets, read_set
from hexad_evals.report import as_json
from hexad_evals.run import Plan, evaluate

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from hexad.facade import Hexad
    from hexad.memory.checking import Damage

MOST_QUESTIONS: Final = 500  # of a set that are asked, drawn at random
_SPANS: Final = {"seen_within_days": "seen_after", "unseen_for_days": "seen_before"}
_EVENTS_AT_ONCE: Final = 100
_MOST_PINNED: Final = 1000  # that are counted
_SEARCHED: Final = 500  # best matches of which those are shown that pass the filters


def fields(call: ApiCall) -> dict[str, Any]:
    """The body as arguments of a save; whether secrets are kept, or an entry pinned, is
    a person's decision.
    """
    given = {name: value for name, value in call.body.items() if name != "keep_secrets"}
    if call.body.get("keep_secrets"):
        given["redact"] = False
    if "redact" in given or "pinned" in given:
        call.caller.require(Right.APPROVE)
    if given.get("expires") is not None:
        given["expires"] = json_form.time("expires", given["expires"])
    return given


# records


def matching(call: ApiCall, collection: Any) -> tuple[Sequence[Any], str | None]:
    """A page of records that pass the filters, newest first, and its cursor; with
    `query` the best matches.
    """
    query, limit, keep = (
        call.query.get("query", "").strip(),
        call.query.get("limit", 50),
        wanted(call.query),
    )
    if call.query.get("deleted"):
        call.caller.require(Right.APPROVE)
    elif query:
        plain = call.query.keys() <= {"query", "limit", "cursor", "sort", "session"}
        most = (
            (number_in(call.query.get("cursor", "")) or 0) + limit + 1
            if plain
            else _SEARCHED
        )
        found = collection.search(query, limit=most)
        return part(
            [each for item in found if keep(each := collection.get(item.id))],
            call.query,
        )
    return page(
        call.hx,
        collection.layer,
        cursor=call.query.get("cursor", ""),
        limit=limit,
        keep=keep,
    )


def found(call: ApiCall, collection: Any) -> dict[str, Any]:
    """The same as JSON."""
    records, after = matching(call, collection)
    return listing(map(json_form.to_json, records), after)


def wanted(query: Mapping[str, Any]) -> Callable[[Any], bool]:
    """Whether a record passes the filters of a listing."""
    others = {"query", "limit", "cursor", "sort", "tag", "deleted"}
    exact = {name: value for name, value in query.items() if name not in others}
    hidden, words = query.get("deleted", False), query.get("query", "").casefold()

    def passes(record: Any) -> bool:
        if (getattr(record, "deleted", None) is not None) is not hidden:
            return False
        if (
            hidden and words not in f"{record.key} {record.content}".casefold()
        ):  # no index has them
            return False
        same = all(getattr(record, name) == value for name, value in exact.items())
        return same and ("tag" not in query or query["tag"] in record.tags)

    return passes


def add_knowledge(call: ApiCall) -> Reply:
    """Save an entry under a key that is made from its text."""
    return shown(_save_entry(call, call.hx.knowledge))


def put_knowledge(call: ApiCall) -> Reply:
    """Save an entry; other content makes a new version, fields that are not given stay
    as they are.
    """
    return saved(
        call, call.hx.knowledge, lambda here: _save_entry(call, here, call.named)
    )


def _save_entry(call: ApiCall, knowledge: Any, *key: str) -> Knowledge:
    values, by = fields(call), call.caller.origin
    save = knowledge.correct if values.pop("rename", False) and key else knowledge.save
    entry: Knowledge = save(
        *key, values.pop("content"), **values, origin=by, own_only=by is not Origin.USER
    )
    return entry


def delete_many(call: ApiCall) -> dict[str, Any]:
    """Delete or bring back several entries; says which were not changed and why."""
    done, refused = list[str](), dict[str, str]()
    change: Callable[[str], object] = partial(
        call.hx.knowledge.delete, origin=call.caller.origin
    )
    if call.body.get("undelete"):
        call.caller.require(Right.APPROVE)
        change = call.hx.knowledge.undelete
    for key in call.body["keys"]:
        try:
            change(key)
            done.append(key)
        except HexadError as error:
            refused[key] = str(error)
    return {"changed": done, "refused": refused}


def delete(call: ApiCall, collection: Any, **given: Any) -> None:
    """Delete a record."""
    with unchanged(call, collection) as (here, _):
        here.delete(call.named, **given)


def put(call: ApiCall, collection: Any, save: Callable[..., Any]) -> Reply:
    """Save a record under the name in the path; fields that are not given stay as they
    are.
    """
    values = fields(call)
    return saved(
        call,
        collection,
        lambda here: save(here, call.named, **values, origin=call.caller.origin),
    )


def used(call: ApiCall) -> dict[str, Any]:
    """Record that an item was useful for a message: its words help to find the item
    next time.
    """
    message, wanted = call.body["message"], call.body["id"]
    candidates = call.hx.explain(message, layers=[call.body["layer"]]).candidates
    item = next(
        (
            each.item
            for judged in candidates.values()
            for each in judged
            if each.item.id == wanted
        ),
        None,
    )
    if item is None:
        raise NotFound("candidate", wanted, call.hx.namespace)
    return listing(map(json_form.to_json, call.hx.used(item, message)))


# learnings, skills and proposals


def list_learnings(call: ApiCall) -> dict[str, Any]:
    """List learnings, the latest change first; with `query` the best matches."""
    query, limit = call.query.get("query"), call.query.get("limit", 50)
    others = {"query", "limit", "cursor", "session", *_SPANS}
    asked = {name: value for name, value in call.query.items() if name not in others}
    for name in _SPANS.keys() & call.query.keys():
        asked[_SPANS[name]] = utc_now() - timedelta(days=call.query[name])
    every = call.hx.learnings.list(**asked)
    if query:
        known = {each.id: each for each in every}
        found = call.hx.learnings.search(query, limit=limit)
        return listing(
            json_form.to_json(known[item.id]) for item in found if item.id in known
        )
    latest, after = part(
        sorted(every, key=lambda each: each.updated, reverse=True), call.query
    )
    return listing(map(json_form.to_json, latest), after)


def correct_learning(call: ApiCall) -> Reply:
    """Save a person's correction, which is trusted at once."""
    if not {"learning", "trigger"} & set(call.body):
        raise InvalidInput("trigger", "give a trigger, or the id of a learning")
    return shown(call.hx.learnings.correct(**fields(call)))


def known_fix(call: ApiCall) -> dict[str, Any]:
    """Find what is known about an error of a tool, a lesson or an example; it counts as
    shown.
    """
    ask = (
        call.hx.learnings.known_fix
        if call.body.get("untrusted")
        else call.hx.learnings.fix_for
    )
    fix = ask(call.body["tool"], call.body["error"], args=call.body.get("args"))
    return {
        "fix": fix and str(fix),
        "trust": fix and fix.trust,
        "learning": fix and json_form.to_json(fix.learning),
    }


def clean_learnings(call: ApiCall) -> dict[str, Any]:
    """Remove old learnings that nothing confirmed; without `apply` only the plan."""
    days = call.body.get("unseen_for_days")
    span = None if days is None else timedelta(days=days)
    return asdict(
        call.hx.learnings.clean(
            dry_run=not call.body.get("apply", False), unseen_for=span
        )
    )


def observe(call: ApiCall) -> dict[str, Any]:
    """Learn from a tool call that was made elsewhere; the learning of its error, if it
    failed.
    """
    learned = call.hx.observe(**fields(call), strict=True)
    return {"learning": learned and json_form.to_json(learned)}


def check_script(call: ApiCall) -> dict[str, Any]:
    """Check a shell script without running it: allowed, needs a capability, or
    rejected, and why.
    """
    return check(call.body["script"]).as_json()


def run_skill(call: ApiCall) -> dict[str, Any]:
    """Run an active skill, or show what a run would do (`dry_run`); a script needs the
    right to approve.
    """
    dry = call.body.get("dry_run", False)
    if not dry and call.hx.skills.get(call.named).kind is SkillKind.SCRIPT:
        call.caller.require(Right.APPROVE)
    by = call.caller.origin
    return result_json(
        call.hx.skills.run(
            call.named, call.body.get("parameters"), dry_run=dry, origin=by
        )
    )


def queue(call: ApiCall) -> dict[str, Any]:
    """Everything that awaits review: proposals, then drafts, then doubtful learnings."""
    hx = call.hx
    drafted = map(waiting, drafts(hx.skills.list()))
    return {
        "queue": [
            *map(waiting, hx.proposals.list()),
            *drafted,
            *map(waiting, hx.learnings.doubtful()),
        ]
    }


# the memory as a whole


def counts(hx: Hexad) -> dict[str, Any]:
    """Count the contents of a namespace, and the things that await review."""
    with hx.store.reading(hx.namespace) as view:
        found = view.evidence(
            Question(layers=DEFAULT_LAYERS, now=utc_now(), standing=_MOST_PINNED)
        )
        proposals = len(view.proposals())
    stored = {
        layer.value: evidence.statistics.rows for layer, evidence in found.items()
    }
    learnings, skills = hx.learnings.list(), hx.skills.list()
    drafted = sum(each.status is SkillStatus.DRAFT for each in skills)
    return {
        "version": __version__,
        "namespace": hx.namespace,
        "stored": {
            **stored,
            Layer.AGENT_LEARNINGS: len(learnings),
            Layer.SKILL_PATTERNS: len(skills),
        },
        "pinned": len(found[Layer.USER_KNOWLEDGE].standing),
        "awaiting": {
            "proposals": proposals,
            "skills": drafted,
            "learnings": sum(map(is_doubtful, learnings)),
        },
        "semantic": hx.ready(0),
    }


def status(call: ApiCall) -> dict[str, Any]:
    """Count the contents of a namespace and the things that await review, and say which
    rules fit no prompt.
    """
    return {**counts(call.hx), "unfit": call.hx.explain("").unfit}


def timeline(call: ApiCall) -> dict[str, Any]:
    """Which items the latest prompts had, newest first."""
    call.hx.scoped().close()  # writes what waits
    return listing(
        each.as_json() for each in shown_prompts(call.hx.store, call.hx.namespace)
    )


def namespaces(call: ApiCall) -> dict[str, Any]:
    """The namespaces of the database that the caller may use."""
    after, limit = call.query.get("cursor", ""), call.query.get("limit", 1000)
    found = call.hx.store.namespaces(after=after, limit=limit)
    return listing(
        [each for each in found if call.caller.reaches(each)],
        found[-1] if len(found) == limit else None,
    )


def audit_log(call: ApiCall) -> dict[str, Any]:
    """The log of changes, newest first."""
    records = call.hx.audit.latest(
        call.query.get("limit", 50), before=number_in(call.query.get("cursor", ""))
    )
    more = records[-1].sequence > 1 if records else False
    return listing(
        map(json_form.to_json, records), str(records[-1].sequence) if more else None
    )


def verify_all(call: ApiCall) -> dict[str, Any]:
    """Check the log of every namespace that the caller may use."""
    reached = filter(call.caller.reaches, all_namespaces(call.hx.store))
    chains = [
        json_form.verdict(call.hx.scoped(namespace=name).audit.verify())
        for name in reached
    ]
    return {"ok": all(each["ok"] for each in chains), "chains": chains}


def newer(hx: Hexad, last: int | None) -> tuple[Sequence[AuditRecord], int]:
    """The records of the log after a number, oldest first, and the number to go on
    from; without one, the end.
    """
    with hx.store.reading(hx.namespace) as view:
        end = view.chain_end()
        if last is None:
            return (), end[0] if end else 0
        found = (
            view.audit(after=last, limit=_EVENTS_AT_ONCE)
            if end and end[0] > last
            else ()
        )
    return found, found[-1].sequence if found else last


def forget(call: ApiCall) -> dict[str, Any]:
    """Erase for good: one record, all about a subject, all of a session, or everything
    in the namespace.
    """
    hx, body = call.hx, call.body
    known = (*hx.collections, "subject", "session", "everything", "traces")
    named = [name for name in known if body.get(name)]
    if len(named) != 1:
        raise InvalidInput("forget", f"give exactly one of {', '.join(known)}")
    [name] = named
    if name in hx.collections:
        return json_form.forgotten(hx.collections[name].forget(body[name]))
    return json_form.forgotten(hx.forget(**{name: body[name]}))


def doctor(call: ApiCall) -> dict[str, Any]:
    """Check the database and, in the namespaces that the caller may use, the log, rows,
    versions and vectors.
    """
    return _checks(call, call.hx.check())


def _checks(call: ApiCall, damage: Sequence[Damage]) -> dict[str, Any]:
    whole = call.hx.store.inspect().get("integrity", "ok")
    chains, missing = verify_all(call)["chains"], call.hx.without_vector()
    parts = [
        ("audit log", each["ok"], each["namespace"], each["problem"] or "whole")
        for each in chains
    ]
    parts += [
        (each.part, False, each.namespace, f"{each.detail}; {each.advice}")
        for each in damage
    ]
    found = [("database", whole == "ok", whole)]
    found += [
        (part, ok, f"namespace {name!r}: {text}")
        for part, ok, name, text in parts
        if call.caller.reaches(name)
    ]
    checks = [
        {"name": name, "verdict": "ok" if ok else "problem", "detail": detail}
        for name, ok, detail in found
    ]
    if missing:
        checks.append(
            {
                "name": "embeddings",
                "verdict": "warning",
                "detail": f"{missing} rows are found by words only",
            }
        )
    return {"ok": all(ok for _, ok, _ in found), "checks": checks}


def repair(call: ApiCall) -> dict[str, Any]:
    """Rebuild index, vectors and versions in every namespace, then check; needs a token
    for `*`.
    """
    call.caller.require_everywhere()
    return _checks(call, call.hx.check(repair=True))


# questions with known answers: of the request or the operator's folder, asked of this
# memory or of a set's items


def stored_sets(folder: Path | None) -> dict[str, Path]:
    """The files of questions and the folders of sets in the operator's folder, by name."""
    if folder is None:
        return {}
    sets = (
        file.parent
        for way in (f"*/{QUERIES}", f"*/*/{QUERIES}")
        for file in folder.glob(way)
    )
    return {
        place.relative_to(folder).as_posix(): place
        for place in sorted((*folder.glob("*.jsonl"), *sets))
    }


def retrieve(call: ApiCall) -> dict[str, Any]:
    """What matters for a message, now or at an earlier time."""
    asked = call.body
    when = (
        None if asked.get("as_of") is None else json_form.time("as_of", asked["as_of"])
    )
    return json_form.retrieval(
        call.hx.retrieve(
            asked["message"],
            asked.get("layers"),
            asked.get("max_per_layer"),
            as_of=when,
        )
    )


def measure(call: ApiCall) -> dict[str, Any]:
    """Ask questions with known answers: of this memory, or of a stored set that has
    items of its own.
    """
    asked, name, stored = call.body, call.body.get("set", ""), stored_sets(call.evals)
    if name and name not in stored:
        raise NotFound(
            "set",
            name,
            call.hx.namespace,
            next_step="`hexad serve --evals DIR` offers those of a folder",
        )
    with tempfile.TemporaryDirectory(prefix="hexad-") as folder:
        place = stored.get(name) or Path(folder, QUERIES)
        if not name:
            place.write_text(asked.get("lines", ""), encoding="utf-8")
        own = (place / CORPUS).is_file()
        try:
            sets = (read_set(place),) if own else live_sets(place)
        except EvalError as error:
            raise InvalidInput("set" if name else "lines", error.reason) from None
        lines = (
            (place if place.is_file() else place / QUERIES)
            .read_text(encoding="utf-8-sig")
            .split("\n")
        )
    if not own and not all(
        call.caller.reaches(question.group)
        for each in sets
        for question in each.questions
    ):
        raise AccessRefused(
            403,
            "a question's group is a namespace, and this token is not for all of these",
        )
    embedder = call.hx.settings.embedder if call.hx.settings.semantic else NO_EMBEDDER
    seed, live = asked.get("seed", 0), None if own else call.hx
    plan = Plan(
        queries=asked.get("queries", MOST_QUESTIONS),
        embedder=embedder,
        seed=seed,
        live=live,
    )
    results = list(evaluate(sets, plan, progress=lambda *_: None))
    left_out = sum(map(bool, map(str.strip, lines))) - sum(
        len(each.questions) for each in sets
    )
    return {**as_json(results, asked.get("misses", 0)), "left_out": left_out}


# tokens


def list_tokens(call: ApiCall) -> dict[str, Any]:
    """The tokens that give nothing that yours does not."""
    return listing(
        each.as_json()
        for each in call.tokens.list()
        if call.caller.may_grant(each.namespaces, each.rights)
    )


def make_token(call: ApiCall) -> dict[str, Any]:
    """Make a token; its secret is in this answer alone."""
    wanted, rights = call.body["namespaces"], call.body["rights"]
    if not call.caller.may_grant(wanted, rights):
        raise AccessRefused(
            403,
            "a token may give no namespace and no right that your own does not have",
        )
    token, secret = call.tokens.make(call.body.get("name", ""), wanted, rights)
    return {**token.as_json(), "secret": secret}


def revoke_token(call: ApiCall) -> None:
    """Revoke a token: the next request with it is refused."""
    token = call.tokens.get(call.named)
    if not call.caller.may_grant(token.namespaces, token.rights):
        raise AccessRefused(403, "that token gives more than your own")
    call.tokens.revoke(token.id)
