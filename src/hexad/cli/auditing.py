"""`audit verify|log`: whether the log is whole, and what it tells."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Final

import typer

from hexad.cli import screen
from hexad.cli.opening import opened
from hexad.cli.options import AsJson, Database, Namespace
from hexad.cli.screen import Column
from hexad.errors import InvalidInput
from hexad.memory.indexing import all_namespaces
from hexad.model import AuditRecord, Verdict
from hexad.wire import to_json, verdict

if TYPE_CHECKING:
    from hexad.facade import Hexad

_HASH: Final = re.compile(r"[0-9a-f]{64}")
_RECORDS: Final = (
    Column("n"),
    Column("when (UTC)"),
    Column("actor"),
    Column("action"),
    Column("target", "fold"),
    Column("outcome"),
    Column("session", "fold", 12),
)

app = typer.Typer(
    help="The log of every change: tamper-evident, without content.", epilog="Example: hexad audit log --limit 5"
)


@app.callback(invoke_without_command=True)
def _before(context: typer.Context) -> None:
    screen.help_if_alone(context)


@app.command(epilog="Example: hexad audit verify --all")
def verify(
    *,
    expect: Annotated[
        str | None, typer.Option(metavar="HASH", help="A head printed earlier; finds a cut tail.")
    ] = None,
    everywhere: Annotated[bool, typer.Option("--all", help="The chains of all namespaces.")] = False,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Check that no record was altered, moved or removed; exit 1 if one was."""
    wanted = _expected(expect, everywhere=everywhere)
    with opened(db, namespace) as hx:
        verdicts = verify_all(hx) if everywhere else (hx.audit.verify(expect=wanted),)
    whole = all(found.ok for found in verdicts)
    if as_json:
        chains = [verdict(found) for found in verdicts]
        screen.emit({"ok": whole, "chains": chains} if everywhere else chains[0])
    else:
        for found in verdicts:
            screen.say(_told(found))
    if not whole:
        raise typer.Exit(1)


@app.command(epilog="Example: hexad audit log --limit 5")
def log(
    *,
    limit: Annotated[int, typer.Option(min=1, metavar="N", help="At most so many.")] = 20,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Show the latest changes, newest first."""
    with opened(db, namespace) as hx:
        records = _latest(hx, limit)
    if as_json:
        screen.emit({"records": [to_json(record) for record in records]})
    elif records:
        screen.table(
            _RECORDS, [(r.sequence, r.at, r.actor, r.action, r.target, _outcome(r), r.session) for r in records]
        )
    else:
        screen.remark("the log is empty")


def _outcome(record: AuditRecord) -> str:
    """How a run or a call ended; nothing for what can only happen."""
    ok = record.details.get("ok")
    return str(record.details.get("outcome", "")) if ok is None else "ok" if ok else "failed"


def verify_all(hx: "Hexad") -> tuple[Verdict, ...]:
    """What verifying every namespace's chain found."""
    return tuple(hx.scoped(namespace=name).audit.verify() for name in all_namespaces(hx.store))


def _expected(expect: str | None, *, everywhere: bool) -> str | None:
    if expect is None:
        return None
    if everywhere:
        raise InvalidInput("--expect", "is one chain's head; leave out --all")
    if not _HASH.fullmatch(expect.strip().casefold()):
        raise InvalidInput("--expect", "must be a head that `hexad audit verify` printed: 64 hexadecimal digits")
    return expect.strip().casefold()


def _told(found: Verdict) -> str:
    whole = f"whole, {screen.counted(found.records, 'record')}"
    state = whole if found.ok else f"BROKEN at record {found.broken_at}: {found.problem}"
    return f"{found.namespace}: {state}\nhead {found.head}"


def _latest(hx: "Hexad", limit: int) -> Sequence[AuditRecord]:
    with hx.store.reading(hx.namespace) as view:
        end = view.chain_end()
        newest = view.audit(after=max(0, end[0] - limit), limit=limit) if end else ()
    return tuple(reversed(newest))
