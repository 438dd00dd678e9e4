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
from hexad.server.dashboard.pages import stored_sets
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


@dataclass(frozen=True, slots=True)
class Step:
    """A form that is one call of the interface: the fields with its name in the path and with its body."""

    route: str
    sentence: str
    path: str = ""
    body: tuple[str, ...] = ()
    query: tuple[str, ...] = ()  # fields that the next page is about

    def __call__(self, view: View, form: Form) -> Done:
        """Make the call."""
        call(view, self.route, form.one(self.path), **form.given(*self.body))
        return done(self.sentence, **form.given(*self.query))


def accept_proposal(view: View, form: Form) -> Done:
    """Accept a proposal, as it is or as it was edited."""
    if form.one("content"):
        call(view, "edit_proposal", form.one("id"), **form.given("content", "key"))
    return done(f"Accepted: {call(view, 'accept_proposal', form.one('id'))['key']}.")


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
    """Ask this memory questions with known answers: those of the form, or a stored set."""
    shown: dict[str, Any] = {"lines": form.one("lines"), "chosen": form.one("set")}
    with tempfile.TemporaryDirectory(prefix="hexad-") as folder:
        written = Path(folder, "queries.jsonl")
        written.write_text(form.one("lines"), encoding="utf-8")
        try:
            sets = live_sets(stored_sets(view.evals).get(form.one("set"), written))
        except EvalError as error:
            where = "" if error.line is None else f"line {error.line}: "
            return Done(Notice(f"{where}{error.reason}", bad=True), {}, shown)
    results = list(evaluate(sets, Plan(queries=500, live=view.hx), progress=lambda *_: None))
    asked = sum(result.questions for result in results)
    return Done(Notice(f"{asked} questions asked."), {}, {**shown, "results": results})


def verify_log(view: View, _form: Form) -> Done:
    """Check the chain of the log."""
    found = call(view, "verify")
    words = f"whole: {found['records']} records, head {found['head'][:16]}…" if found["ok"] else found["problem"]
    return Done(Notice(f"The log is {words}", bad=not found["ok"]))


def make_token(view: View, form: Form) -> Done:
    """Make a token; the page shows it once."""
    spaces = form.one("namespaces").split()
    made = call(view, "make_token", **form.given("name"), namespaces=spaces, rights=form.many("rights"))
    return Done(Notice("Copy the token now: it is not shown again."), {}, {"secret": made["secret"]})


_KEEP: Final = Step("put_reference", "Saved.", "name", ("location", "kind", "summary"), ("layer",))
_ACTIVATE: Final = Step("activate_skill", "It is active.", "name", ("by", "seen"), ("name",))
_DEPRECATE: Final = Step("deprecate_skill", "It is deprecated.", "name", query=("name",))
_CORRECT: Final = Step("correct_learning", "Saved as your correction: it is trusted.", body=("learning", "fix"))
_DROP: Final = Step("delete_learning", "Deleted.", "learning")
ACTIONS: Final[Mapping[tuple[str, str], Callable[[View, Form], Done]]] = {
    ("knowledge", "save"): save_entry,
    ("knowledge", "delete"): delete_entries,
    ("knowledge", "undelete"): undelete_entries,
    ("knowledge", "pin"): Step("pin", "Pinned: it is in every prompt.", "key", query=("key",)),
    ("knowledge", "unpin"): Step("unpin", "No longer pinned.", "key", query=("key",)),
    ("knowledge", "forget"): Step("forget", "Forgotten: no bytes of it are left.", body=("knowledge",)),
    ("knowledge", "save_reference"): _KEEP,
    ("knowledge", "delete_reference"): Step("delete_reference", "Deleted.", "name", query=("layer",)),
    ("review", "accept_proposal"): accept_proposal,
    ("review", "reject_proposal"): Step("reject_proposal", "Rejected.", "id"),
    ("review", "activate"): _ACTIVATE,
    ("review", "deprecate"): _DEPRECATE,
    ("review", "correct"): _CORRECT,
    ("review", "drop"): _DROP,
    ("learnings", "correct"): _CORRECT,
    ("learnings", "drop"): _DROP,
    ("skills", "activate"): _ACTIVATE,
    ("skills", "deprecate"): _DEPRECATE,
    ("skills", "run"): run_skill,
    ("evaluation", "measure"): measure,
    ("log", "verify"): verify_log,
    ("settings", "make_token"): make_token,
    ("settings", "revoke_token"): Step("revoke_token", "Revoked.", "id"),
}
