"""`reference add|list|remove`: references to documents, APIs, wikis, repositories and
tools.
"""

from typing import Annotated, Any, Final

from hexad.cli.commands import Common, group
from hexad.cli.options import KeepSecrets, Name, Session, Tags, option
from hexad.cli.terminal import screen
from hexad.errors import InvalidInput
from hexad.json_form import to_json
from hexad.model import ReferenceKind

_LISTED: Final = (screen.Wide("name", 20), "kind", "location", screen.Wide("summary"))

app = group(
    "Keep references to documents, APIs, wikis, repositories and tools.",
    epilog="Example: hexad reference add Runbook --location https://wiki/runbook",
)


@app.command(
    epilog="Example: hexad reference add Runbook --location https://wiki/runbook --kind wiki"
)
def add(
    name: Name,
    *,
    location: Annotated[
        str | None, option("WHERE", "A URL or a path; required for a new one.")
    ] = None,
    summary: Annotated[str | None, option("TEXT", "What it contains.")] = None,
    kind: Annotated[
        ReferenceKind | None,
        option("WORD", f"{', '.join(ReferenceKind)} (documentation if new)."),
    ] = None,
    tag: Tags = None,
    session: Session = None,
    keep_secrets: KeepSecrets = False,
    common: Common,
) -> None:
    """Save a reference. For a known name, fields that are not given stay as they are."""
    with common.opened(create=True) as hx:
        old = hx.references.lookup(name)
        if old is None and location is None:
            raise InvalidInput("--location", "must be given for a new reference")
        given: dict[str, Any] = {
            "location": location,
            "summary": summary,
            "kind": kind,
            "tags": tag,
        }
        fields = {field: value for field, value in given.items() if value is not None}
        reference = hx.references.save(
            name, session=session, redact=not keep_secrets, **fields
        )
    status = "saved" if old is None else "unchanged" if reference == old else "updated"
    common.answer(
        {"status": status, "reference": to_json(reference)},
        f"{reference.name}: {status}",
    )
    if reference.redactions and not common.as_json:
        screen.warn(
            f"redacted: {', '.join(reference.redactions)}; --keep-secrets stores them as they are"
        )


@app.command("list", epilog="Example: hexad reference list --json")
def list_(common: Common) -> None:
    """List the references, oldest first."""
    with common.opened() as hx:
        found = hx.references.list()
    rows = [(each.name, each.kind, each.location, each.summary) for each in found]
    document = {"references": [to_json(reference) for reference in found]}
    common.listing(document, _LISTED, rows, empty="no references are stored here")


@app.command(epilog="Example: hexad reference remove Runbook")
def remove(name: Name, common: Common) -> None:
    """Remove a reference."""
    with common.opened() as hx:
        hx.references.delete(name)
    common.answer({"name": name, "removed": True}, f"{name} is removed")
