"""`reference add|list|remove`: references to documents, APIs, wikis, repositories and tools."""

import sys
from collections.abc import Sequence
from typing import Annotated, Final

import typer

from hexad.cli.opening import now_under, opened
from hexad.cli.options import AsJson, Database, KeepSecrets, Name, Namespace, Session, Tags, group
from hexad.cli.terminal import screen
from hexad.cli.terminal.screen import Column
from hexad.model import KEEP, Reference, ReferenceKind
from hexad.wire import to_json

_LISTED: Final = (Column("name"), Column("kind"), Column("location"), Column("summary", "fold"))
_SHOWN: Final = (Column("name", "fold", 20), Column("kind"), Column("location and summary", "fold"))

app = group(
    "Keep references to documents, APIs, wikis, repositories and tools.",
    epilog="Example: hexad reference add Runbook --location https://wiki/runbook",
)


@app.command(epilog="Example: hexad reference add Runbook --location https://wiki/runbook --kind wiki")
def add(
    name: Name,
    *,
    location: Annotated[
        str | None, typer.Option(metavar="WHERE", help="A URL or a path; required for a new one.")
    ] = None,
    summary: Annotated[str | None, typer.Option(metavar="TEXT", help="What it contains.")] = None,
    kind: Annotated[
        ReferenceKind | None, typer.Option(metavar="WORD", help=f"{', '.join(ReferenceKind)} (documentation if new).")
    ] = None,
    tag: Tags = None,
    session: Session = None,
    keep_secrets: KeepSecrets = False,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Save a reference. For a known name, fields that are not given stay as they are."""
    with opened(db, namespace, create=True) as hx:
        old = now_under(hx.references, name)
        reference = hx.references.save(
            name,
            location=KEEP if location is None else location,
            summary=KEEP if summary is None else summary,
            kind=KEEP if kind is None else kind,
            tags=KEEP if tag is None else tuple(tag),
            session=session,
            redact=not keep_secrets,
        )
    _tell_saved(old, reference, as_json=as_json)


@app.command("list", epilog="Example: hexad reference list --json")
def list_(*, db: Database = None, namespace: Namespace = None, as_json: AsJson = False) -> None:
    """List the references, oldest first."""
    with opened(db, namespace) as hx:
        found = hx.references.list()
    if as_json:
        screen.emit({"references": [to_json(reference) for reference in found]})
    elif found:
        _show(found)
    else:
        screen.remark("no references are stored here")


@app.command(epilog="Example: hexad reference remove Runbook")
def remove(name: Name, *, db: Database = None, namespace: Namespace = None, as_json: AsJson = False) -> None:
    """Remove a reference."""
    with opened(db, namespace) as hx:
        hx.references.delete(name)
    screen.answer({"name": name, "removed": True}, f"{name} is removed", as_json=as_json)


def _show(found: Sequence[Reference]) -> None:
    """On a terminal a location has its own line, so that a URL stays whole."""
    if sys.stdout.isatty():
        screen.table(_SHOWN, [(r.name, r.kind, f"{r.location}\n{r.summary}".strip()) for r in found])
    else:
        screen.table(_LISTED, [(r.name, r.kind, r.location, r.summary) for r in found])


def _tell_saved(old: Reference | None, reference: Reference, *, as_json: bool) -> None:
    status = "saved" if old is None else "unchanged" if reference == old else "updated"
    if as_json:
        screen.emit({"status": status, "reference": to_json(reference)})
        return
    screen.say(f"{reference.name}: {status}")
    if reference.redactions:
        screen.warn(f"redacted: {', '.join(reference.redactions)}; --keep-secrets stores them as they are")
