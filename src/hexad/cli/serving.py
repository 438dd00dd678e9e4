"""`mcp`, `mcp install`, `mcp uninstall`: the memory for agents that speak MCP."""

import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from hexad.cli import screen
from hexad.cli.completing import one_of
from hexad.cli.opening import DEFAULT, opened, place
from hexad.cli.options import AsJson, Database, Namespace
from hexad.errors import ConfigError, InvalidInput
from hexad.mcp.install.clients import Client, Scope

if TYPE_CHECKING:
    from hexad.facade import Hexad
    from hexad.mcp.install.changes import Change
    from hexad.mcp.server import HexadServer

app = typer.Typer()

Http = Annotated[
    str | None, typer.Option("--http", metavar="HOST:PORT", help="Serve over HTTP; without it, over stdin and stdout.")
]
Token = Annotated[
    str | None,
    typer.Option("--token", metavar="TEXT", help="What clients over HTTP must present; better set HEXAD_MCP_TOKEN."),
]
Hosts = Annotated[
    list[str] | None, typer.Option("--allow-host", metavar="NAME", help="A name this server is reached by; repeatable.")
]
Origins = Annotated[
    list[str] | None, typer.Option("--allow-origin", metavar="URL", help="A web page that may call it; repeatable.")
]
ClientName = Annotated[
    str, typer.Option("--client", metavar="NAME", help=f"{', '.join(Client)}.", autocompletion=one_of(Client))
]
ScopeName = Annotated[
    str,
    typer.Option(
        "--scope",
        metavar="WORD",
        help="user (all your projects) or project (all who work here).",
        autocompletion=one_of(Scope),
    ),
]
File = Annotated[str | None, typer.Option("--path", metavar="FILE", help="Another configuration file.")]
Entry = Annotated[str, typer.Option("--name", metavar="NAME", help="What the server is called there.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the change, and write nothing.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@app.callback(
    invoke_without_command=True,
    epilog="Example: hexad mcp --db agent.db · hexad mcp --http 127.0.0.1:8765 · hexad mcp install --client cursor",
)
def serve(
    context: typer.Context,
    *,
    http: Http = None,
    token: Token = None,
    allow_host: Hosts = None,
    allow_origin: Origins = None,
    db: Database = None,
    namespace: Namespace = None,
) -> None:
    """Serve the memory to an agent over MCP. Clients start this by themselves: `hexad mcp install` tells them how."""
    if context.invoked_subcommand is not None:
        return
    if http is None and (token or allow_host or allow_origin):
        raise InvalidInput("--http", "is missing: a token, hosts and origins are for serving over HTTP")
    from hexad.mcp import server  # what is missing is told before a database is made

    with opened(db, namespace, create=True, mcp_token=token) as hx:
        if http is None:
            _over_stdio(hx, server.server_of(hx))
        else:
            _over_http(hx, server.server_of(hx), http, allow_host or [], allow_origin or [])


@app.command(epilog="Example: hexad mcp install --client claude-code --db ~/agent.db")
def install(
    *,
    client: ClientName,
    scope: ScopeName = "user",
    path: File = None,
    name: Entry = "hexad",
    dry_run: DryRun = False,
    yes: Yes = False,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Let a client start this server: shows the change to its configuration, keeps the rest and a copy of what was."""
    from hexad.extras import require_extra
    from hexad.mcp.install import changes, clients
    from hexad.settings import namespace_from_environment

    require_extra("mcp", what="the MCP server", package="mcp", module="mcp", needed="2")
    known, where = clients.Client.parse(client, "--client"), clients.Scope.parse(scope, "--scope")
    file = Path(path) if path else clients.file_of(known, where)
    if where is clients.Scope.PROJECT:
        entry = clients.shared_entry_of(known, _shared_place(db), namespace, project=Path.cwd())
    else:
        namespace = namespace or namespace_from_environment()
        entry = clients.entry_of(known, place(db), namespace)
    change = changes.installed(file, entry, name, clients.group_of(known))
    if not as_json:
        _tell_memory(place(db), namespace, shared=where is clients.Scope.PROJECT)
    _warn_of_settings(place(db))
    _carry_out(change, "installed", f"{file} is as it should be already", dry_run=dry_run, yes=yes, as_json=as_json)


@app.command(epilog="Example: hexad mcp uninstall --client cursor")
def uninstall(
    *,
    client: ClientName,
    scope: ScopeName = "user",
    path: File = None,
    name: Entry = "hexad",
    dry_run: DryRun = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Take the server out of a client's configuration again, and nothing else."""
    from hexad.mcp.install import changes, clients

    known = clients.Client.parse(client, "--client")
    file = Path(path) if path else clients.file_of(known, clients.Scope.parse(scope, "--scope"))
    change = changes.uninstalled(file, name, clients.group_of(known))
    missing = f"has no server {name!r}" if change.before is not None else "is not there"
    _carry_out(change, "removed", f"nothing to remove: {file} {missing}", dry_run=dry_run, yes=yes, as_json=as_json)


def _shared_place(db: str | None) -> str:
    """The file that was named; HEXAD_DB names one of this machine, so it does not count."""
    return DEFAULT if db is None else str(place(db))


def _tell_memory(memory: Path, namespace: str | None, *, shared: bool) -> None:
    if not shared:
        whole = memory.absolute()
        see = f"hexad --db {quote(str(whole))}" + (f" --namespace {quote(namespace)}" if namespace else "")
        screen.remark(f"its memory will be {whole}; see it with `{see}`, choose another with --db")
        return
    import shutil

    screen.remark(
        "nothing of this machine is written into it, so it can be committed; the memory is each one's own: "
        "add *.db* to .gitignore"
    )
    if shutil.which("hexad") is None:
        screen.warn("a client will look for `hexad` on its PATH, where it is not yet; everybody here needs it there")


def _warn_of_settings(memory: Path) -> None:
    """Say what would keep the server from starting; a client shows at most that it did not."""
    from hexad.settings import load

    try:
        load({}, beside=memory.parent, environ={})  # a client has none of this shell's variables
    except ConfigError as error:
        screen.warn(f"the server cannot start yet: {error}")


def _carry_out(change: "Change", done: str, no_need: str, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    from hexad.mcp.install.changes import write

    if change.needed and not as_json:
        screen.show(change.diff)
    wanted = change.needed and not dry_run and (yes or _agreed(change.file))
    backup = write(change) if wanted else None
    if as_json:
        told = {"file": str(change.file), "needed": change.needed, "written": wanted, "diff": change.diff}
        screen.emit({**told, "kept": list(change.kept), "backup": None if backup is None else str(backup)})
    elif not change.needed:
        screen.remark(no_need)
    elif wanted:
        if change.kept:
            screen.remark(f"what the entry had besides is still there: {', '.join(change.kept)}")
        saved = "" if backup is None else f"; what was there is kept in {backup}"
        screen.remark(f"{done}: {change.file}{saved}; restart the client to see it")
    else:
        screen.remark("nothing was written")


def _agreed(file: Path) -> bool:
    if not sys.stdin.isatty():
        raise InvalidInput("--yes", f"is needed to change {file} where nobody can be asked; --dry-run shows the change")
    return screen.confirmed(f"Change {file}?")


def _over_stdio(hx: "Hexad", server: "HexadServer") -> None:
    from hexad.mcp.stdio import serve_stdio

    if sys.stdin.isatty():
        screen.remark("serving MCP on standard input; a client should start this: see `hexad mcp install --help`")
    serve_stdio(server, end=lambda: _leave(hx))
    _leave(hx)


def _over_http(hx: "Hexad", server: "HexadServer", where: str, hosts: list[str], origins: list[str]) -> None:
    from hexad.edges.address import Address, host_of
    from hexad.mcp.http import Access, app_of, serve_http

    address = Address.parse(where)
    access = Access(
        address=address,
        hosts=frozenset(map(host_of, hosts)),
        origins=frozenset(origin.rstrip("/").casefold() for origin in origins),
    )
    app = app_of(server, hx.settings, access)
    serve_http(app, address, ready=lambda port: screen.remark(f"serving MCP at {address.url(port)}"))
    _leave(hx)


def _leave(hx: "Hexad") -> None:
    """End the process once what waits is written: a thread may still be in a read or in a script, and it would wait."""
    import os

    hx.close()
    sys.stderr.flush()
    os._exit(0)
