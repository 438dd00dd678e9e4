"""`remember`, `edit`, `pin`, `delete`, `undelete`, `forget`: change the knowledge
entries.
"""

import re
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from shlex import quote
from typing import Annotated, Any, Final

import typer

from hexad.cli.commands import Commands, Common
from hexad.cli.options import (
    InCategory,
    KeepSecrets,
    Key,
    Session,
    Tags,
    Yes,
    argument,
    flag,
    option,
)
from hexad.cli.skills.input import read
from hexad.cli.terminal import editing, screen
from hexad.cli.terminal.suggesting import command, completed
from hexad.errors import InvalidInput
from hexad.facade import Hexad
from hexad.json_form import forgotten, to_json
from hexad.memory.keys import key_from
from hexad.model import KEEP, Category, Erasure, Forgotten, Knowledge

_EVERYTHING: Final = "everything"
_TRACES: Final = "traces"
_DURATION: Final = re.compile(r"(\d{1,9})([smhdw])")
_UNITS: Final = {
    "s": "seconds",
    "m": "minutes",
    "h": "hours",
    "d": "days",
    "w": "weeks",
}

app = Commands()


@app.command(
    epilog='Example: hexad remember deploy-window "Deploy on Tuesdays only"; or: hexad remember "I like tea"'
)
def remember(
    key: Annotated[
        str | None, argument("[KEY]", "A name for it; made from the text if left out.")
    ] = None,
    content: Annotated[
        str | None, argument("TEXT", "What to save; - reads stdin.")
    ] = None,
    *,
    category: InCategory = None,
    tag: Tags = None,
    source: Annotated[str | None, option("TEXT", "Where it comes from.")] = None,
    subject: Annotated[
        str | None, option("NAME", "The person or thing it is about.")
    ] = None,
    thread: Annotated[str | None, option("NAME", "The series it belongs to.")] = None,
    position: Annotated[int | None, option("N", "Its place in the thread.")] = None,
    pin: Annotated[bool, flag("--pin", "Put it into every prompt.")] = False,
    expires: Annotated[
        str | None, option("WHEN", "30d, 12h, 2030-01-31, or never.")
    ] = None,
    session: Session = None,
    keep_secrets: KeepSecrets = False,
    common: Common,
) -> None:
    """Save a rule, preference, definition or fact. New content under a known key is a
    new version.
    """
    given = {
        "category": category,
        "tags": tuple(tag) if tag else None,
        "source": source,
        "subject": subject,
        "thread": thread,
        "position": position,
        "pinned": True if pin else None,
    }
    fields: dict[str, Any] = {
        name: value for name, value in given.items() if value is not None
    }
    fields["expires"] = (
        KEEP if expires is None else parse_expiry(expires, datetime.now(UTC))
    )
    name, words = (None, _only_text(key or "")) if content is None else (key, content)
    words = read("-", "content") if words == "-" else words
    with common.opened(create=True) as hx:
        said = hx.capture.understood(words)
        other = (
            hx.knowledge.get(said.against)
            if said and said.against and name is None
            else None
        )
        corrects = said is not None and other is not None and said.replaces
        if said and said.replaces and said.sentence.strip(" .") == words.strip(" ."):
            words = said.content  # without "no,"
        if said and said.expires and expires is None:
            fields["expires"] = said.expires  # "until Friday"
        name = other.key if other and corrects else name
        old = hx.knowledge.lookup(key_from(words) if name is None else name)
        chosen = (
            said.category
            if said and category is None and (old is None or old == other)
            else None
        )
        fields |= {"category": chosen} if chosen else {}
        save: Any = hx.knowledge.correct if corrects else hx.knowledge.save
        entry = save(name, words, session=session, redact=not keep_secrets, **fields)
        other = replace(other, key=entry.key) if other and corrects else other
        _report_saved(
            hx,
            old if old and old.key == entry.key else None,
            entry,
            common,
            other=other,
            chosen=chosen,
        )


@app.command(epilog='Example: hexad edit deploy-window "Deploy on Thursdays only"')
def edit(
    key: Key,
    content: Annotated[
        str | None, argument("TEXT", "The new text; - reads stdin.")
    ] = None,
    *,
    category: InCategory = None,
    common: Common,
) -> None:
    """Change an entry's text or category, in your EDITOR if no text is given; what an
    agent saved becomes yours.
    """
    with common.opened() as hx:
        old = hx.knowledge.get(key)
        fields: dict[str, Any] = {
            "content": old.content,
            "category": category or old.category,
        }
        if content is None and category is None:
            head = [
                f"The entry {old.key}, version {old.version}.",
                f"Categories: {', '.join(Category)}.",
            ]
            fields = editing.read(
                editing.in_editor(editing.form(head, fields)), list(fields)
            )
        elif content is not None:
            fields["content"] = read("-", "content") if content == "-" else content
        entry = hx.knowledge.correct(old.key, redact=not old.verbatim, **fields)
        renamed = replace(old, key=entry.key) if entry.key != old.key else None
        _report_saved(hx, old, entry, common, other=renamed, chosen=None)


@app.command(epilog="Example: hexad pin units; later: hexad pin units --off")
def pin(
    key: Key,
    *,
    off: Annotated[bool, flag("--off", "Unpin it.")] = False,
    common: Common,
) -> None:
    """Put an entry first in every prompt, within standing_budget. `recall` lists at
    most max_pinned (3).
    """
    with common.opened() as hx:
        entry = hx.knowledge.pin(key, pinned=not off)
    common.answer(
        {"entry": to_json(entry)},
        f"{entry.key} is {'no longer pinned' if off else 'pinned'}",
    )


@app.command(epilog="Example: hexad delete deploy-window")
def delete(key: Key, common: Common) -> None:
    """Hide an entry with all its versions. `forget` erases it."""
    with common.opened() as hx:
        hx.knowledge.delete(key)
    back, erased = command(f"undelete {quote(key)}"), command(f"forget {quote(key)}")
    common.answer(
        {"key": key, "deleted": True},
        f"{key} is hidden; `{back}` brings it back, `{erased}` erases it",
    )


@app.command(epilog="Example: hexad undelete deploy-window")
def undelete(key: Key, common: Common) -> None:
    """Bring back a deleted entry with all its versions."""
    with common.opened() as hx:
        hx.knowledge.undelete(key)
    common.answer({"key": key, "deleted": False}, f"{key} is back")


@app.command(epilog="Example: hexad forget --subject alice --yes")
def forget(
    key: Annotated[str | None, argument("KEY", "The entry to erase.")] = None,
    *,
    subject: Annotated[str | None, option("NAME", "Erase everything about it.")] = None,
    session: Annotated[
        str | None, option("NAME", "Erase everything saved in it.")
    ] = None,
    everything: Annotated[
        bool, flag("--everything", "Erase the whole namespace.")
    ] = False,
    traces: Annotated[
        bool, flag("--traces", "Erase the bytes that an earlier forget could not.")
    ] = False,
    yes: Yes = False,
    common: Common,
) -> None:
    """Erase for good and leave no bytes: an entry with its versions, or everything
    about a subject or of a session.
    """
    what = _named(key, subject, session, everything=everything, traces=traces)
    with common.opened() as hx:
        if not traces and not yes:
            question = f"Erase {what} in namespace {hx.namespace!r} of {hx.store.location} for good?"
            screen.exit_unless_agreed(
                "forget", question, otherwise="nothing was forgotten"
            )
        wanted: Any = {
            "subject": subject,
            "session": session,
            "everything": everything,
            "traces": traces,
        }
        done = hx.forget(**wanted) if key is None else hx.knowledge.forget(key)
    _report_forgotten(done, what, common)


def _only_text(given: str) -> str:
    """The text of a call without a key. A single plain word is a key whose text was
    forgotten.
    """
    if not given.strip():
        raise InvalidInput(
            "TEXT", 'is missing; for example: `hexad remember "I like green tea"`'
        )
    if given != "-" and given.isascii() and len(given.split()) == 1:
        text = f'`hexad remember {given} "TEXT"`'
        raise InvalidInput(
            "TEXT",
            f"is missing: {text} saves a text under this key, or give a whole sentence",
        )
    return given


def parse_expiry(text: str, now: datetime) -> datetime | None:
    """The time that ``--expires`` means; None for never. A time without a zone is
    local.

    >>> parse_expiry("30d", datetime(2026, 1, 1, tzinfo=UTC)).isoformat()
    '2026-01-31T00:00:00+00:00'
    """
    word = text.strip().casefold()
    if word == "never":
        return None
    duration = _DURATION.fullmatch(word)
    try:
        if duration:
            return now + timedelta(**{_UNITS[duration[2]]: int(duration[1])})
        return datetime.fromisoformat(text.strip()).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        reason = "is neither a duration such as 30d or 12h, nor a time in ISO 8601, nor 'never'"
        raise InvalidInput("--expires", f"{text!r} {reason}") from None


def _report_saved(
    hx: Hexad,
    old: Knowledge | None,
    entry: Knowledge,
    common: Common,
    *,
    other: Knowledge | None,
    chosen: str | None,
) -> None:
    """Print what was saved; ``other`` is the entry that it changes or contradicts,
    ``chosen`` the category shown.
    """
    status = (
        "saved"
        if old is None or entry.version != old.version
        else "unchanged"
        if entry == old
        else "updated"
    )
    similar = (
        {each.key: each.content for each in hx.knowledge.similar(entry)}
        if status == "saved"
        else {}
    )
    if other is not None and other.key != entry.key:
        similar = {other.key: other.content, **similar}
    if common.as_json:
        named = [{"key": key, "content": content} for key, content in similar.items()]
        screen.emit({"status": status, "entry": to_json(entry), "similar": named})
        return
    if entry.expires is not None and entry.expires <= datetime.now(UTC):
        screen.warn(f"{entry.key} has expired already, so no question will find it")
    elif entry.expires is not None and status == "saved":
        screen.remark(f"it expires {entry.expires.astimezone(UTC):%Y-%m-%d %H:%M} UTC")
    kind = (
        f", {chosen}"
        if chosen not in {None, Category.FACT} and status == "saved"
        else ""
    )
    screen.say(
        f"{entry.key}: {f'version {entry.version}' if status == 'saved' else status}{kind}"
    )
    if entry.redactions:
        screen.warn(
            f"redacted: {', '.join(entry.redactions)}; --keep-secrets stores them as they are"
        )
    if other is not None and other.key == entry.key and status == "saved":
        screen.remark(
            f"this replaces: {screen.one_line(other.content)}; `hexad history {quote(entry.key)}` shows both"
        )
    for key, content in similar.items():
        screen.remark(f"similar: {key}: {screen.one_line(content)}")
    if similar:
        first = quote(next(iter(similar)))
        screen.remark(f"if one of them is outdated, `hexad delete {first}` hides it")


def _named(
    key: str | None,
    subject: str | None,
    session: str | None,
    *,
    everything: bool,
    traces: bool,
) -> str:
    """Describe what to erase; raise unless exactly one thing was named."""
    ways = {
        f"{key!r} with all its versions": key is not None,
        f"everything about {subject!r}": subject is not None,
        f"everything of session {session!r}": session is not None,
        _EVERYTHING: everything,
        _TRACES: traces,
    }
    named = [way for way, given in ways.items() if given]
    if len(named) != 1:
        raise InvalidInput(
            "forget",
            "give exactly one of KEY, --subject, --session, --everything or --traces",
        )
    return named[0]


def _report_forgotten(done: Forgotten, what: str, common: Common) -> None:
    if common.as_json:
        screen.emit({**forgotten(done), "detail": completed(done.detail)})
    elif what == _TRACES:
        screen.say("no traces are left" if done.erased else "traces are left")
    else:
        screen.say(f"{screen.counted(done.entries, 'entry', 'entries')} forgotten")
    if not done.entries and what not in {_TRACES, _EVERYTHING}:
        screen.warn(
            f"nothing is stored under that name ({what}); names must match exactly"
        )
        raise typer.Exit(1)
    if done.state is Erasure.SCHEDULED:
        screen.remark(done.detail)
    elif not done.erased:
        screen.warn(done.detail)
        raise typer.Exit(1)
