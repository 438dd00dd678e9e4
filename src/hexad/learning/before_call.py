"""What to know before a call: a warning about this very call, and notes on the
arguments of structured tools.

Both read only the learnings that a note of the namespace points to, so that most calls
cost one short read.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from hexad.calls.arguments import OWN_TOOLS
from hexad.calls.commands import runs_the_same, shell_text, words_in
from hexad.calls.outcome import trigger_of
from hexad.calls.verbatim import verbatim
from hexad.learning.confidence import UNPROVEN
from hexad.learning.difference import Difference
from hexad.learning.evidence import Shown, general_examples, shown_of
from hexad.learning.lookup import pointed_to
from hexad.learning.shapes import flat

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from hexad.examples import Example
    from hexad.memory.workspace import Workspace
    from hexad.model import Learning

_SESSIONS: Final = 2  # in which something else worked
_MOST_NOTES: Final = 6  # of one tool


def warning(
    workspace: Workspace, tool: str, args: object, *, session: str | None
) -> Shown | None:
    """What is known about a call that is about to be made, unless its session was shown
    that already.
    """
    if tool in OWN_TOOLS:
        return None
    with workspace.reading() as view:
        known = pointed_to(view, trigger_of(tool))
        if not known:
            return None
        given = verbatim(tool, args)
        found = next(
            (shown for each in known if (shown := _about(each, given)) is not None),
            None,
        )
        if found is None:
            return None
        offers = view.activity(workspace.session_of(session), "").offers
        return (
            None
            if any(each.learning == found.learning.id for each in offers)
            else found
        )


def notes(workspace: Workspace, tools: Iterable[str]) -> dict[str, str]:
    """What is known of the arguments of tools: the forms that failed and those that
    worked.
    """
    found: dict[str, str] = {}
    with workspace.reading() as view:
        for tool in tools:
            forms: dict[str, None] = {}
            for learning in reversed(pointed_to(view, trigger_of(tool))):
                for example in general_examples(learning):
                    if example.form:
                        forms[example.form] = None
            if forms:
                found[tool] = (
                    f"Known from earlier calls: give {'; '.join(sorted(forms)[:_MOST_NOTES])}."
                )
    return found


def _about(learning: Learning, given: Mapping[str, Any]) -> Shown | None:
    """What a learning says about a call, if that failed before in this very form."""
    evidence = learning.known
    repeated = [
        each
        for each in evidence.shown
        if each.times >= _SESSIONS and not each.rights and not evidence.same
    ]
    if not any(_is_the_call(each, given) for each in evidence.examples):
        return None
    known = shown_of(learning, None, "", asked=False, brief=False)
    lesson = next((each for each in known if each.example is None), None)
    example = next((each for each in repeated if _is_the_call(each, given)), None)
    if example is None or (lesson is not None and lesson.by_user):
        return lesson
    text = example.text(learning.tool, sessions=learning.sessions)
    return Shown(learning, text, max(learning.trust, UNPROVEN), example)


def _is_the_call(example: Example, given: Mapping[str, Any]) -> bool:
    """Whether a call has the form of the one that failed, and not that of the one that
    worked.
    """
    change = Difference.from_json(example.change)
    if change.is_made_in(given):
        return False
    text, failed = shell_text(given), shell_text(example.failed)
    if text is not None and failed is not None:
        words = words_in(text)
        return runs_the_same(text, failed) and all(
            word in words for word in words_in(failed)
        )
    if (text is None) != (failed is None):
        return False
    return change.is_failing_in(flat(given), flat(example.failed))
