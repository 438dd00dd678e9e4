"""`audit verify|log`: check the log of changes, and read it."""

from typing import Annotated, Final

import typer

from hexad.cli.commands import Common, group
from hexad.cli.options import flag, option
from hexad.cli.terminal import screen
from hexad.errors import InvalidInput
from hexad.facade import Hexad
from hexad.json_form import to_json, verdict
from hexad.memory.index.indexing import all_namespaces
from hexad.model import AuditRecord, Verdict

_RECORDS: Final = (
    "n",
    "when (UTC)",
    "actor",
    "action",
    screen.Wide("target"),
    "outcome",
    screen.Wide("session", 12),
)

app = group(
    "Verify and read the log of every change. It holds no text of entries, only short arguments of watched tools.",
    epilog="Example: hexad audit log --limit 5",
)


@app.command(epilog="Example: hexad audit verify --all")
def verify(
    *,
    expect: Annotated[
        str | None,
        option("HASH", "A head printed earlier; detects removed records at the end."),
    ] = None,
    everywhere: Annotated[bool, flag("--all", "Check every namespace.")] = False,
    common: Common,
) -> None:
    """Check that no record was altered, moved or removed; exit 1 otherwise."""
    if everywhere and expect is not None:
        raise InvalidInput("--expect", "is the head of one namespace; leave out --all")
    with common.opened() as hx:
        verdicts = (
            verify_all(hx)
            if everywhere
            else (hx.audit.verify(expect=expect and expect.strip().casefold()),)
        )
    whole = all(found.ok for found in verdicts)
    if common.as_json:
        chains = [verdict(found) for found in verdicts]
        screen.emit({"ok": whole, "chains": chains} if everywhere else chains[0])
    else:
        for found in verdicts:
            fine = f"whole, {screen.counted(found.records, 'record')}"
            state = (
                fine
                if found.ok
                else f"BROKEN at record {found.broken_at}: {found.problem}"
            )
            screen.say(f"{found.namespace}: {state}\nhead {found.head}")
    if not whole:
        raise typer.Exit(1)


@app.command(epilog="Example: hexad audit log --limit 5")
def log(
    *,
    limit: Annotated[int, option("N", "Maximum number of records.", min=1)] = 20,
    common: Common,
) -> None:
    """Show the latest changes, newest first."""
    with common.opened() as hx:
        records = hx.audit.latest(limit)
    rows = [
        (r.sequence, r.at, r.actor, r.action, r.target, _outcome(r), r.session)
        for r in records
    ]
    document = {"records": [to_json(record) for record in records]}
    common.listing(document, _RECORDS, rows, empty="the log is empty")


def _outcome(record: AuditRecord) -> str:
    """How a run or a call ended; empty for other records."""
    ok = record.details.get("ok")
    return (
        str(record.details.get("outcome", ""))
        if ok is None
        else "ok"
        if ok
        else "failed"
    )


def verify_all(hx: Hexad) -> tuple[Verdict, ...]:
    """Verify the chain of every namespace."""
    return tuple(
        hx.scoped(namespace=name).audit.verify() for name in all_namespaces(hx.store)
    )
