"""The forms of the pages: each is a call of the interface, with the rights that it
needs there.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from hexad.errors import InvalidInput
from hexad.model import SkillKind
from hexad.server.api.calls import ApiCall, Reply
from hexad.server.api.routes import ROUTES
from hexad.server.dashboard.sessions import Notice
from hexad.skills.definition import BODIES

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


_MISSES: Final = 50  # of each set that a page lists
_BY_NAME: Final = {route.name: route for route in ROUTES}
_SAID: Final = {  # by routes that are one form each, whose fields have the names of the body's: the sentence about it
    "pin": "Pinned: it is in every prompt.",
    "unpin": "No longer pinned.",
    "forget": "Forgotten: no bytes of it are left.",
    "put_reference": "Saved.",
    "delete_reference": "Deleted.",
    "reject_proposal": "Rejected.",
    "activate_skill": "It is active.",
    "deprecate_skill": "It is deprecated.",
    "correct_learning": "Saved as your correction: it is trusted.",
    "delete_learning": "Deleted.",
    "reject_learning": "Rejected: it is not shown again.",
    "revoke_token": "Revoked.",
}


@dataclass(frozen=True, slots=True)
class Form:
    """The fields of a form that was sent."""

    fields: Mapping[str, list[str]]

    def one(self, name: str) -> str:
        """A field's value, empty if it was not sent."""
        return next(iter(self.many(name)), "").replace("\r\n", "\n")

    def many(self, name: str) -> list[str]:
        """All values of a field."""
        return self.fields.get(name, [])

    def given(self, *names: str) -> dict[str, Any]:
        """Those fields that were filled in."""
        return {name: self.one(name) for name in names if self.one(name)}

    @property
    def record(self) -> dict[str, str]:
        """The field that names the record that the form is about, if it is about one."""
        return next(
            (
                {name: self.one(name)}
                for name in ("id", "key", "name")
                if len(self.many(name)) == 1
            ),
            {},
        )


class Done(NamedTuple):
    """A sentence, and the page to go to: its query, or values to show on the page at
    once.
    """

    notice: Notice
    query: Mapping[str, str] = {}
    shown: Mapping[str, Any] | None = None


def act(call: ApiCall, form: Form) -> Done:
    """Do what a form asks for."""
    name = form.one("do")
    if name in _FORMS:
        return _FORMS[name](call, form)
    if name not in _SAID:
        raise InvalidInput("do", "is nothing that this page can do")
    route = _BY_NAME[name]
    came = ask(
        call, name, form, **form.given(*(route.body or {}).get("properties", ()))
    )
    left = came["detail"] if name == "forget" else ""
    notice = (
        Notice(f"Forgotten, but not every byte is gone: {left}", bad=True)
        if left
        else Notice(_SAID[name])
    )
    return Done(
        notice, {**form.given("layer"), **(form.record if route.status != 204 else {})}
    )


def ask(call: ApiCall, name: str, form: Form, /, **body: Any) -> Any:
    """Call the interface as the one who looks at the page."""
    route = _BY_NAME[name]
    call.caller.require(route.right)
    conditions = {name: body.pop(name, "") for name in ("if_match", "if_none_match")}
    came = route.work(
        replace(call, path=form.record, body=body, query={}, **conditions)
    )
    return came.document if isinstance(came, Reply) else came


def save(call: ApiCall, form: Form) -> Done:
    """Save an entry from its form; somebody's change in between is not overwritten."""
    tags = [tag.strip() for tag in form.one("tags").split(",") if tag.strip()]
    body = {name: form.one(name) for name in ("content", "category", "subject")}
    known, read = (
        bool(form.one("key")),
        form.given("if_match") or {"if_none_match": "*"},
    )
    made = ask(
        call,
        "put_knowledge" if known else "add_knowledge",
        form,
        **body,
        tags=tags,
        rename=known,
        **read,
    )
    redacted = ", ".join(made.get("redactions", ()))
    taken_out = f" Taken out before it was stored: {redacted}." if redacted else ""
    return Done(Notice(f"Saved as {made['key']}.{taken_out}"), {"key": made["key"]})


def delete(call: ApiCall, form: Form) -> Done:
    """Hide entries, which the next page can undo, or bring them back."""
    if not form.many("key"):
        raise InvalidInput("entries", "tick at least one")
    back = form.one("do") == "undelete"
    came = ask(call, "delete_many", form, keys=form.many("key"), undelete=back)
    count, refused = (
        len(came["changed"]),
        "".join(f" {reason}" for reason in list(came["refused"].values())[:3]),
    )
    words = f"{count} {'entry' if count == 1 else 'entries'} {'brought back' if back else 'deleted'}.{refused}"
    return Done(Notice(words, bool(refused), () if back else tuple(came["changed"])))


def accept_proposal(call: ApiCall, form: Form) -> Done:
    """Accept a proposal, as it is or as it was edited."""
    if form.one("content"):
        ask(call, "edit_proposal", form, **form.given("content", "key"))
    return Done(Notice(f"Accepted: {ask(call, 'accept_proposal', form)['key']}."))


def edit_skill(call: ApiCall, form: Form) -> Done:
    """Save a draft as it was edited; it stays a draft, and it is checked again."""
    skill, body = call.hx.skills.get(form.one("name")), form.one("body")
    given = {
        name: getattr(skill, name) for name in ("kind", "parameters", "tags", "author")
    }
    given |= {name: form.one(name) for name in ("description", "when", "if_match")}
    written = (
        _parsed("steps", body, '[{"tool": "deploy"}]')
        if skill.kind is SkillKind.COMPOSITE
        else body
    )
    needs = (
        {"needs": form.many("needs")}
        if form.many("needs") or "needs" in skill.definition
        else {}
    )
    given["definition"] = {**skill.definition, BODIES[skill.kind]: written, **needs}
    ask(call, "put_skill", form, **given, keep_secrets=skill.verbatim)
    return Done(
        Notice(f"{skill.name} is saved; look at it again before you activate it."),
        form.record,
    )


def _parsed(name: str, text: str, example: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise InvalidInput(name, f"must be JSON such as {example}") from None


def run(call: ApiCall, form: Form) -> Done:
    """Show what a run of a skill would do, or run it."""
    given = _parsed("parameters", form.one("parameters") or "{}", '{"name": "Ada"}')
    dry = form.one("run") != "real"
    result = ask(call, "run_skill", form, parameters=given, dry_run=dry)
    sentence = (
        "This is what a run would do."
        if dry
        else "It ran."
        if result["ok"]
        else "It failed."
    )
    return Done(
        Notice(sentence, bad=not result["ok"]),
        form.record,
        {"result": result, "typed": form},
    )


def measure(call: ApiCall, form: Form) -> Done:
    """Ask this memory questions with known answers: those of the form, or a stored set."""
    found = ask(call, "measure", form, **form.given("lines", "set"), misses=_MISSES)
    asked, left = (
        sum(each["queries"] for each in found["sets"].values()),
        found["left_out"],
    )
    skipped = (
        f" {left} line{'s' if left != 1 else ''} could not be read." if left else ""
    )
    words = f"{asked} question{'s' if asked != 1 else ''} asked.{skipped}"
    return Done(Notice(words, bad=bool(left)), {}, {"typed": form, "results": found})


def verify(call: ApiCall, form: Form) -> Done:
    """Check the chain of the log."""
    found = ask(call, "verify", form)
    words = (
        f"whole: {found['records']} records, head {found['head'][:16]}…"
        if found["ok"]
        else found["problem"]
    )
    return Done(Notice(f"The log is {words}", bad=not found["ok"]))


def make_token(call: ApiCall, form: Form) -> Done:
    """Make a token; the page shows it once."""
    spaces = form.one("namespaces").split()
    made = ask(
        call,
        "make_token",
        form,
        **form.given("name"),
        namespaces=spaces,
        rights=form.many("rights"),
    )
    return Done(
        Notice("Copy the token now: it is not shown again."),
        {},
        {"secret": made["secret"]},
    )


_OTHERS: Final = (
    save,
    delete,
    accept_proposal,
    edit_skill,
    run,
    measure,
    verify,
    make_token,
)
_FORMS: Final[Mapping[str, Callable[[ApiCall, Form], Done]]] = {
    "undelete": delete,
    **{f.__name__: f for f in _OTHERS},
}
