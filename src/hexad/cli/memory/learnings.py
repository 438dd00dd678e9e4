"""`learnings list|show|correct|reject|stats|clean|delete`: errors, and what is known of
them.
"""

from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from difflib import get_close_matches
from typing import Annotated, Any, Final

from hexad.cli.commands import Common, group
from hexad.cli.options import Session, argument, flag, option
from hexad.cli.terminal import screen
from hexad.errors import InvalidInput, NotFound
from hexad.examples import Example, Lesson
from hexad.facade import Hexad
from hexad.json_form import to_json
from hexad.model import ErrorCategory, Learning, shown_trust

_LISTED: Final = (
    "id",
    screen.Wide("tool", 18),
    "category",
    "seen",
    "trust",
    screen.Wide("pattern and what worked"),
)
_SOME: Final = 5  # ids in a message
_NOTHING: Final = (
    "no learnings are stored here; they come from watched tools (hx.watch) and "
    "from `hexad learnings correct`"
)

Id = Annotated[str, argument("ID", "The learning's id, or its first letters.")]
UnseenFor = Annotated[
    int | None, option("DAYS", "Not seen for this many days.", "--unseen-for", min=0)
]

app = group(
    "Show and correct what is known about errors: patterns, fixes and trust.",
    epilog="Example: hexad learnings list --trust-above 0.7",
)


@app.command(
    "list", epilog="Example: hexad learnings list --tool deploy --trust-above 0.7"
)
def list_(
    *,
    category: Annotated[
        ErrorCategory | None, option("WORD", f"{', '.join(ErrorCategory)}.")
    ] = None,
    tool: Annotated[str | None, option("NAME", "Only errors of this tool.")] = None,
    trust_above: Annotated[
        float | None, option("N", "Trusted more than this, 0 to 1.")
    ] = None,
    trust_below: Annotated[
        float | None, option("N", "Trusted less than this, 0 to 1.")
    ] = None,
    seen_within: Annotated[
        int | None, option("DAYS", "Seen in the last DAYS days.", min=0)
    ] = None,
    unseen_for: UnseenFor = None,
    noticed: Annotated[
        bool, flag("--noticed", "Also failures that one session met: they fade.")
    ] = False,
    common: Common,
) -> None:
    """List the learnings, oldest first."""
    now = datetime.now(UTC)
    with common.opened() as hx:
        found = hx.learnings.list(
            category=category,
            trigger=tool,
            trust_above=trust_above,
            trust_below=trust_below,
            seen_after=None
            if seen_within is None
            else now - timedelta(days=seen_within),
            seen_before=None
            if unseen_for is None
            else now - timedelta(days=unseen_for),
            noticed=noticed,
        )
        waiting = 0 if noticed or found else hx.learnings.stats().noticed
    asked = (category, tool, trust_above, trust_below, seen_within, unseen_for)
    empty = _NOTHING if asked.count(None) == len(asked) else "no learning fits"
    if waiting:
        empty = f"no learnings yet; {screen.counted(waiting, 'failure')} noticed once: --noticed lists them"
    document = {"learnings": [to_json(learning) for learning in found]}
    common.listing(
        document, _LISTED, [listed(learning) for learning in found], empty=empty
    )


@app.command(epilog="Example: hexad learnings show 3f9a1c2b7d")
def show(id: Id, common: Common) -> None:
    """Show all that is known of one error: what failed, what worked next, and what is
    said.
    """
    with common.opened() as hx:
        learning = hx.learnings.get(whole_id(hx, id))
    common.listing({"learning": to_json(learning)}, screen.FACTS, facts(learning))


@app.command(
    epilog='Example: hexad learnings correct "ask ops for more quota" --tool deploy --error "quota exceeded"'
)
def correct(
    fix: Annotated[str, argument("FIX", "What to do about the error.")],
    *,
    id: Annotated[
        str | None, option("ID", "The learning to correct, or its first letters.")
    ] = None,
    tool: Annotated[str | None, option("NAME", "The tool that fails.")] = None,
    error: Annotated[
        str, option("TEXT", "The error; default: any error of the tool.")
    ] = "",
    session: Session = None,
    common: Common,
) -> None:
    """Say how to fix an error. Your fix is trusted at once, until evidence or another
    correction overrules it.
    """
    if (id is None) == (tool is None):
        raise InvalidInput("correct", "give exactly one of --id or --tool")
    trigger = (
        "" if tool is None else tool if tool.startswith("tool:") else f"tool:{tool}"
    )
    with common.opened(create=True) as hx:
        whole = None if id is None else whole_id(hx, id)
        learning = hx.learnings.correct(
            trigger=trigger,
            error_pattern=error,
            learning=whole,
            fix=fix,
            session=session,
        )
        near = [] if learning.seen else _alike(hx, learning.tool)
    common.answer(
        {"learning": to_json(learning)},
        f"{learning.id}: trusted {shown_trust(learning.trust)}",
    )
    if near and not common.as_json:
        screen.warn(f"no failure of {learning.tool} was seen; did you mean {near[0]}?")
    if learning.redactions and not common.as_json:
        screen.warn(f"redacted: {', '.join(learning.redactions)}")


def _alike(hx: Hexad, tool: str) -> list[str]:
    """The tools whose failures were seen that are written nearly as this one; none if
    it is one of them.
    """
    seen = {each.tool for each in hx.learnings.list(noticed=True) if each.seen}
    return [] if tool in seen else get_close_matches(tool, sorted(seen), n=1)


@app.command(epilog="Example: hexad learnings reject 3f9a1c2b7d")
def reject(id: Id, common: Common) -> None:
    """Never show the lesson of a learning again, or its examples if it has none."""
    with common.opened() as hx:
        left = hx.learnings.reject(whole_id(hx, id))
    text = known_in_words(left) or "nothing is left to show"
    common.answer({"learning": to_json(left)}, f"{left.id}: {text}")


@app.command(epilog="Example: hexad learnings stats --json")
def stats(common: Common) -> None:
    """Count the learnings by kind and by tool."""
    with common.opened() as hx:
        known = asdict(hx.learnings.stats())
    rows = [(name, _counts(value)) for name, value in known.items()]
    common.listing(known, screen.FACTS, rows)


@app.command(epilog="Example: hexad learnings clean; then: hexad learnings clean --yes")
def clean(
    *,
    unseen_for: UnseenFor = None,
    yes: Annotated[bool, flag("--yes", "Do it; otherwise only show.")] = False,
    common: Common,
) -> None:
    """Remove old learnings that were never confirmed; a dry run unless --yes."""
    span = None if unseen_for is None else timedelta(days=unseen_for)
    with common.opened() as hx:
        done = hx.learnings.clean(dry_run=not yes, unseen_for=span)
    if common.as_json:
        screen.emit({"removed": list(done.removed), "dry_run": done.dry_run})
        return
    would = "would be " if done.dry_run else ""
    screen.say(f"{len(done.removed)} {would}removed")
    for each in done.removed:
        screen.say(f"removed\t{each}")
    if done.dry_run and done.removed:
        screen.remark("this was a dry run; --yes does it")


@app.command(epilog="Example: hexad learnings delete 3f9a1c2b7d")
def delete(id: Id, common: Common) -> None:
    """Delete a learning."""
    with common.opened() as hx:
        whole = whole_id(hx, id)
        hx.learnings.delete(whole)
    common.answer({"id": whole, "deleted": True}, f"{whole} is deleted")


def whole_id(hx: Hexad, begun: str) -> str:
    """The full id for an id or for the beginning of one."""
    try:
        return hx.learnings.get(begun).id
    except NotFound:
        known = hx.learnings.list(noticed=True)
        meant = [each.id for each in known if begun and each.id.startswith(begun)]
        if not meant:
            raise
    if len(meant) > 1:
        some = ", ".join(meant[:_SOME]) + (", …" if len(meant) > _SOME else "")
        raise InvalidInput(
            "ID", f"{begun!r} begins {len(meant)} ids: {some}; give more letters"
        )
    return meant[0]


def listed(learning: Learning) -> tuple[Any, ...]:
    """A learning as one row of a list."""
    text, shown = learning.error_pattern or "(any error)", known_in_words(learning)
    if shown:
        text = f"{text}\n→ {shown}"
    trust = shown_trust(learning.trust)
    return learning.id, learning.tool, learning.category, learning.seen, trust, text


def known_in_words(learning: Learning) -> str:
    """Its lesson, else its best example without the error; empty if nothing is known."""
    examples = learning.known.shown
    if learning.fix or not examples:
        return learning.fix
    return examples[0].text(learning.tool, sessions=learning.sessions, brief=True)


def facts(learning: Learning) -> list[tuple[str, str]]:
    """A learning as rows."""
    evidence = learning.known
    examples = [_whole_example(learning, each) for each in evidence.examples]
    lessons = [
        _whole_lesson(each) for each in evidence.lessons if each.text != learning.fix
    ]
    same = screen.counted(evidence.same, "session") if evidence.same else ""
    facts = {
        "trigger": learning.trigger,
        "pattern": learning.error_pattern,
        "category": learning.category.value,
        "diagnosis": learning.diagnosis,
        "lesson": learning.fix,
        "trust": shown_trust(learning.trust),
        "shown and tried": f"worked {learning.worked}, failed {learning.failed}",
        "shown nothing": f"went on {learning.unaided}, met it again {learning.stuck}",
        "seen": f"{screen.counted(learning.seen, 'time')}, last {screen.moment(learning.updated)}",
        "met in": screen.counted(learning.sessions, "session")
        if learning.sessions
        else "",
        "same call worked": same and f"later in {same}",
        "examples": "\n".join(examples),
        "other lessons": "\n".join(lessons),
        "origin": learning.origin.value,
    }
    return [(name, value) for name, value in facts.items() if value]


def _whole_example(learning: Learning, example: Example) -> str:
    """An example with what only people read: the calls in between, and the agent's own
    sentence.
    """
    lines = [example.text(learning.tool, sessions=learning.sessions)]
    if example.steps:
        lines.append(f"  in between: {', '.join(example.steps)}")
    if example.said:
        lines.append(f"  the agent said: {example.said}")
    if example.rejected:
        lines.append("  rejected, so it is not shown")
    return "\n".join(lines)


def _whole_lesson(lesson: Lesson) -> str:
    rejected = ", rejected" if lesson.rejected else ""
    return f"{lesson.text} (from {lesson.origin}{rejected})"


def _counts(value: object) -> str:
    return (
        ", ".join(f"{name} {count}" for name, count in value.items())
        if isinstance(value, dict)
        else str(value)
    )
