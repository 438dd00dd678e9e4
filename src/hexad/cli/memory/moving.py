"""`backup`, `restore`, `migrate`, `import`, `export`, `capture`, `reindex`: a memory
moves in and out.
"""

from dataclasses import asdict
from pathlib import Path
from shlex import quote
from tempfile import TemporaryDirectory
from typing import Annotated, Any

import typer

from hexad.cli.commands import Commands, Common
from hexad.cli.opening import opened
from hexad.cli.options import AsJson, argument, flag, option
from hexad.cli.terminal import screen
from hexad.errors import InvalidInput
from hexad.facade import Hexad
from hexad.interchange.formats import FORMATS, messages_in
from hexad.memory.backup.copying import copy_store
from hexad.model import Origin

File = Annotated[Path, argument("FILE", "JSON Lines, as `backup` writes them.")]
app = Commands()


@app.command(epilog="Example: hexad backup agent.jsonl --db agent.db")
def backup(file: File, common: Common) -> None:
    """Write every namespace into a file, or one namespace with --namespace."""
    if str(file) == "-":
        raise InvalidInput(
            "FILE",
            "must be a file, because a backup is written completely or not at all",
        )
    with common.opened() as hx:
        lines = (hx if common.namespace is None else hx.scoped()).backup(file)
    common.answer(
        {"file": str(file), "lines": lines},
        f"{file}: {screen.counted(lines, 'line')} written",
    )


@app.command(epilog="Example: hexad restore agent.jsonl --db new.db")
def restore(file: File, common: Common) -> None:
    """Restore a backup into a new or empty database, with every namespace."""
    file.open("rb").close()  # an error now, before a database is created for it
    with common.opened(create=True) as hx, screen.progress("restoring") as show:
        lines = hx.restore(file, progress=show)
    common.answer(
        {"file": str(file), "lines": lines},
        f"{file}: {screen.counted(lines, 'line')} restored",
    )


@app.command(epilog="Example: hexad migrate agent.db copy.db")
def migrate(
    source: Annotated[
        str, argument("SOURCE", "The database to copy: a file, or postgresql://…")
    ],
    target: Annotated[str, argument("TARGET", "Where to: a new file, or a server.")],
    as_json: AsJson = False,
) -> None:
    """Copy a database to another file or server, and verify the copy. If it was
    interrupted, run it again.
    """
    with (
        opened(source, None) as old,
        opened(target, None, create=True) as new,
        screen.progress("copying") as show,
    ):
        done = copy_store(old.store, new.store, show)
        if new.without_vector():
            new.reindex()
    place, common = new.store.location, Common(as_json=as_json)
    sentence = f"{place}: {screen.counted(done.records, 'record')} of {screen.counted(done.namespaces, 'namespace')}"
    common.answer(
        {"target": place, **done._asdict()}, f"{sentence} copied and verified"
    )


@app.command(epilog="Example: hexad reindex --db agent.db")
def reindex(common: Common) -> None:
    """Compute the missing embeddings in every namespace; needs the extra semantic."""
    with common.opened() as hx, screen.progress("embedding") as show:
        rows = hx.reindex(progress=show)
    common.answer(
        {"rows": rows},
        f"{screen.counted(rows, 'row')} embedded"
        if rows
        else "every row has an embedding already",
    )


@app.command(
    "import", epilog="Example: hexad import colleague.jsonl --namespace team --preview"
)
def import_(
    file: Annotated[
        Path,
        argument("FILE", "A file or folder of Hexad, Claude, ChatGPT, mem0, notes."),
    ],
    *,
    format: Annotated[
        str | None, option("FORMAT", f"{', '.join(FORMATS)}.", "--as")
    ] = None,
    mine: Annotated[
        bool, flag("--mine", "It is your own: keep origins, pins and approvals.")
    ] = False,
    overwrite: Annotated[
        bool, flag("--overwrite", "Replace entries of the same name.")
    ] = False,
    preview: Annotated[
        bool, flag("--preview", "Show what it would do, and do nothing.")
    ] = False,
    common: Common,
) -> None:
    """Import files of Hexad or another program. Rules become proposals, skills drafts;
    nothing is pinned.
    """
    if not file.is_dir():
        file.open("rb").close()  # an error now, before a database is created for it
    absent = preview and not common.is_server and not common.path.exists()
    memory = (
        Hexad.open(":memory:", enabled=True)
        if absent
        else common.opened(create=not preview)
    )
    with memory as hx, screen.progress("importing, bytes") as show:
        done = hx.import_file(
            file,
            format=format,
            mine=mine,
            overwrite=overwrite,
            preview=preview,
            progress=show,
        )
    if common.as_json:
        screen.emit({"file": str(file), **asdict(done)})
        return
    if preview:
        screen.table(
            ["would be", "key", screen.Wide("text")],
            [(what, key, text) for what, key, text in done.shown],
        )
        if more := done.added + done.replaced + done.proposed - len(done.shown):
            screen.remark(f"and {more} more")
    proposed = f"{done.proposed} proposed, " if done.proposed else ""
    counts = f"{done.added} added, {done.replaced} replaced, {proposed}{done.kept} kept as they are here"
    screen.say(
        f"{file}: {'nothing is changed; it would be ' if preview else ''}{counts}"
    )
    if not (done.added or done.replaced or done.kept or done.left_out or done.proposed):
        screen.warn(
            f"{file.name} holds nothing that can be kept{f' as {format}; leave out --as?' if format else ''}"
        )
    for reason, times in done.reasons.items():
        screen.remark(f"not imported: {times} ({reason})")
    if done.redacted:
        screen.warn(
            f"redacted: {', '.join(f'{kind} ({times})' for kind, times in done.redacted.items())}"
        )
    if done.gone:
        hide = f"`hexad delete {quote(done.gone[0])}` hides it"
        screen.remark(
            f"no longer in {file.name}, and still here: {', '.join(done.gone[:5])}; {hide}"
        )
    if done.proposed and not preview:
        screen.remark("`hexad review` asks about the proposals")


@app.command(epilog="Example: hexad export my-memory --subject dana")
def export(
    folder: Annotated[Path, argument("DIR", "A new or empty folder.")],
    *,
    subject: Annotated[
        str | None, option("NAME", "Only entries with this subject.")
    ] = None,
    common: Common,
) -> None:
    """Write every entry, reference, learning and skill as a page of Markdown; `import`
    reads them back.
    """
    with common.opened() as hx:
        count = hx.export(folder, subject=subject)
    said = f"{screen.counted(count, 'record')} written{'' if count else '; is the subject or namespace right?'}"
    common.answer({"folder": str(folder), "records": count}, f"{folder}: {said}")


def _piped() -> list[Any]:
    """The messages of standard input."""
    with TemporaryDirectory() as folder:
        (Path(folder) / "piped").write_bytes(typer.get_binary_stream("stdin").read())
        return messages_in(Path(folder) / "piped")


@app.command(epilog="Example: hexad capture chat.json --json")
def capture(
    file: Annotated[
        Path,
        argument(
            "FILE",
            "Messages as JSON or JSON Lines, lines such as User: …, or a text; - is stdin.",
        ),
    ],
    *,
    session: Annotated[str | None, option("NAME", "The conversation's name.")] = None,
    common: Common,
) -> None:
    """Propose lasting facts and wishes from a conversation; `hexad review` asks about
    them.
    """
    messages = (
        _piped() if file == Path("-") else messages_in(file)
    )  # an error now, before a database is created for it
    with common.opened(create=True) as hx:
        done = hx.capture(messages, session=session, origin=Origin.IMPORT)
    if common.as_json:
        found = [
            {**asdict(each), "expires": each.expires and each.expires.isoformat()}
            for each in done.proposed
        ]
        screen.emit({"proposed": found, "left_out": done.left_out})
    elif done.proposed:
        screen.table(
            ["proposal", "category", screen.Wide("the user said")],
            [(each.proposal, each.category, each.sentence) for each in done.proposed],
        )
    else:
        screen.remark("nothing to keep, or all of it is known")
