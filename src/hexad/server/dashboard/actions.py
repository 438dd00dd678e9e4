"""The forms of the pages: each is a call of the interface, with the rights that it needs there."""

from __future__ import annotations

import json
import tempfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hexad.errors import EvalError, InvalidInput
from hexad.evals.data import live_sets
from hexad.evals.run import Plan, evaluate
from hexad.server.api.calls import Reply
from hexad.server.api.routes import ROUTES
from hexad.server.dashboard.sessions import Notice

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hexad.server.dashboard.pages import View

_BY_NAME: Final = {route.name: route for route in ROUTES}


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form that was sent."""

    fields: Mapping[str, tuple[str, ...]]

    def one(self, name: str) -> str:
        """A field's value, empty if it was not sent."""
        return next(iter(self.fields.get(name, ())), "").replace("\r\n", "\n")

    def many(self, name: str) -> list[str]:
        """All values of a field."""
        return list(self.fields.get(name, ()))

    def given(self, *names: str) -> dict[str, Any]:
        """Those fields that were filled in."""
        return {name: self.one(name) for name in names if self.one(name)}


class Done(NamedTuple):
    """A sentence, and the page to go to: its query, or values to show on the page at once."""

    notice: Notice
    query: Mapping[str, str] = {}
    shown: Mapping[str, Any] | None = None


def done(sentence: str, **query: str) -> Done:
    """A sentence for the page that comes next."""
    return Done(Notice(sentence), query)


def call(view: View, name: str, path: str = "", /, **body: Any) -> Any:
    """Call the interface as the one who looks at the page."""
    route = _BY_NAME[name]
    view.call.caller.require(route.right)
    came = route.work(replace(view.call, path={"name": path}, body=body, query={}, if_match=body.pop("if_match", "")))
    return came.document if isinstance(came, Reply) else came


def save_entry(view: View, form: Form) -> Done:
    """Save an entry from its form; somebody's change in between is not overwritten."""
    tags = [tag.strip() for tag in form.one("tags").split(",") if tag.strip()]
    body = {
        "content": form.one("content"),
        "category": form.one("category"),
        "tags": tags,
        "subject": form.one("subject"),
    }
    if form.one("key"):
        call(view, "put_knowledge", form.one("key"), **body, **form.given("if_match"))
        return done("Saved.", key=form.one("key"))
    made = call(view, "add_knowledge", **body)
    return done(f"Saved as {made['key']}.", key=made["key"])


def delete_entries(view: View, form: Form) -> Done:
    """Hide entries; the next page can undo it."""
    came = call(view, "delete_many", keys=_chosen(form))
    return Done(Notice(_counted(came, "deleted"), bool(came["refused"]), tuple(came["changed"])))


def undelete_entries(view: View, form: Form) -> Done:
    """Bring entries back."""
    return done(_counted(call(view, "delete_many", keys=_chosen(form), undelete=True), "brought back"))


def _chosen(form: Form) -> list[str]:
    keys = form.many("key")
    if not keys:
        raise InvalidInput("entries", "tick at least one")
    return keys


def _counted(came: Mapping[str, Any], word: str) -> str:
    count = len(came["changed"])
    refused = "".join(f" {reason}" for reason in list(came["refused"].values())[:3])
    return f"{count} {'entry' if count == 1 else 'entries'} {word}.{refused}"


def pin_entry(view: View, form: Form) -> Done:
    """Pin or unpin an entry."""
    call(view, "pin" if form.one("pinned") else "unpin", form.one("key"))
    return done("Pinned: it is in every prompt." if form.one("pinned") else "No longer pinned.", key=form.one("key"))


def forget_entry(view: View, form: Form) -> Done:
    """Erase an entry for good."""
    call(view, "forget", knowledge=form.one("key"))
    return done("Forgotten: no bytes of it are left.")


def settle_proposal(view: View, form: Form) -> Done:
    """Accept a proposal, as it is or as it was edited, or reject it."""
    name = form.one("id")
    if form.one("decision") == "reject":
        call(view, "reject_proposal", name)
        return done("Rejected.")
    if form.one("content"):
        call(view, "edit_proposal", name, **form.given("content", "key"))
    entry = call(view, "accept_proposal", name)
    return done(f"Accepted: {entry['key']}.")


def settle_skill(view: View, form: Form) -> Done:
    """Approve a skill as it was shown, or deprecate it."""
    name = form.one("name")
    if form.one("decision") == "reject":
        call(view, "deprecate_skill", name)
        return done(f"{name} is deprecated.")
    by = form.given("by", "seen")
    call(view, "activate_skill", name, **by)
    return done(f"{name} is active.")


def settle_learning(view: View, form: Form) -> Done:
    """Confirm or correct a fix, or delete the learning."""
    if form.one("decision") == "reject":
        call(view, "delete_learning", form.one("id"))
        return done("Deleted.")
    kept = call(view, "correct_learning", learning=form.one("id"), fix=form.one("fix"))
    return done(f"Trusted {kept['trust']:.2f}.")


def run_skill(view: View, form: Form) -> Done:
    """Show what a run of a skill would do, or run it."""
    try:
        given = json.loads(form.one("parameters") or "{}")
    except ValueError:
        raise InvalidInput("parameters", 'must be a JSON object such as {"name": "Ada"}') from None
    dry = form.one("run") != "real"
    result = call(view, "run_skill", form.one("name"), parameters=given, dry_run=dry)
    sentence = "This is what a run would do." if dry else "It ran." if result["ok"] else "It failed."
    return Done(Notice(sentence, bad=not result["ok"]), {"name": form.one("name")}, {"result": result})


def measure(view: View, form: Form) -> Done:
    """Ask this memory questions with known answers."""
    shown: dict[str, Any] = {"lines": form.one("lines"), "results": ()}
    with tempfile.TemporaryDirectory(prefix="hexad-") as folder:
        file = Path(folder, "queries.jsonl")
        file.write_text(form.one("lines"), encoding="utf-8")
        try:
            sets = live_sets(file)
        except EvalError as error:
            where = "" if error.line is None else f"line {error.line}: "
            return Done(Notice(f"{where}{error.reason}", bad=True), {}, shown)
    results = list(evaluate(sets, Plan(queries=500, live=view.hx), progress=lambda *_: None))
    asked = sum(result.questions for result in results)
    return Done(Notice(f"{asked} questions asked."), {}, {**shown, "results": results})


def verify_log(view: View, _form: Form) -> Done:
    """Check the chain of the log."""
    found = call(view, "verify")
    whole = f"The log is whole: {found['records']} records, head {found['head'][:16]}…"
    return Done(Notice(whole if found["ok"] else f"The log is broken: {found['problem']}.", bad=not found["ok"]))


def make_token(view: View, form: Form) -> Done:
    """Make a token; the page shows it once."""
    spaces = form.one("namespaces").split()
    made = call(view, "make_token", **form.given("name"), namespaces=spaces, rights=form.many("rights"))
    return Done(Notice("Copy the token now: it is not shown again."), {}, {"secret": made["secret"]})


def revoke_token(view: View, form: Form) -> Done:
    """Revoke a token."""
    call(view, "revoke_token", form.one("id"))
    return done("Revoked.")


ACTIONS: Final[Mapping[tuple[str, str], Callable[[View, Form], Done]]] = {
    ("knowledge", "save"): save_entry,
    ("knowledge", "delete"): delete_entries,
    ("knowledge", "undelete"): undelete_entries,
    ("knowledge", "pin"): pin_entry,
    ("knowledge", "forget"): forget_entry,
    ("review", "proposal"): settle_proposal,
    ("review", "skill"): settle_skill,
    ("review", "learning"): settle_learning,
    ("learnings", "learning"): settle_learning,
    ("skills", "skill"): settle_skill,
    ("skills", "run"): run_skill,
    ("evaluation", "measure"): measure,
    ("log", "verify"): verify_log,
    ("settings", "make_token"): make_token,
    ("settings", "revoke_token"): revoke_token,
}
