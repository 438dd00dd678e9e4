"""`mcp`, `mcp install`, `mcp uninstall`: the memory for agents that speak MCP."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from hexad.cli import screen
from hexad.cli.opening import opened, place
from hexad.cli.options import AsJson, Database, Namespace
from hexad.errors import InvalidInput

if TYPE_CHECKING:
    from hexad.bootstrap import Hexad
    from hexad.mcp.installing import Change
    from hexad.mcp.server import HexadServer

_CLIENTS: Final = "claude-code, cursor"

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
ClientName = Annotated[str, typer.Option("--client", metavar="NAME", help=f"{_CLIENTS}.")]
ScopeName = Annotated[
    str, typer.Option("--scope", metavar="WORD", help="user (all your projects) or project (this folder).")
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
    """Let a client start this server: shows the change to its configuration, keeps the rest, makes a backup."""
    from hexad.mcp import installing
    from hexad.mcp.installed import check

    check()
    known = installing.Client.parse(client, "--client")
    file = Path(path) if path else installing.file_of(known, installing.Scope.parse(scope, "--scope"))
    change = installing.installed(file, installing.entry_of(known, place(db), namespace), name)
    _carry_out(change, "installed", dry_run=dry_run, yes=yes, as_json=as_json)


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
    from hexad.mcp import installing

    known = installing.Client.parse(client, "--client")
    file = Path(path) if path else installing.file_of(known, installing.Scope.parse(scope, "--scope"))
    _carry_out(installing.uninstalled(file, name), "removed", dry_run=dry_run, yes=yes, as_json=as_json)


def _carry_out(change: "Change", done: str, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    from hexad.mcp.installing import write

    if change.needed and not as_json:
        screen.say(change.diff)
    wanted = change.needed and not dry_run and (yes or _agreed(change.file))
    backup = write(change) if wanted else None
    if as_json:
        told = {"file": str(change.file), "needed": change.needed, "written": wanted, "diff": change.diff}
        screen.emit({**told, "backup": None if backup is None else str(backup)})
    elif not change.needed:
        screen.remark(f"{change.file} is as it should be already")
    elif wanted:
        kept = "" if backup is None else f"; what was there is in {backup}"
        screen.remark(f"{done}: {change.file}{kept}; restart the client to see it")
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
    from hexad.mcp.address import Address, host_of
    from hexad.mcp.http import Door, app_of, serve_http

    address = Address.parse(where)
    door = Door(
        address=address,
        hosts=frozenset(map(host_of, hosts)),
        origins=frozenset(origin.rstrip("/").casefold() for origin in origins),
    )
    app = app_of(server, hx.settings, door)
    serve_http(app, address, ready=lambda port: screen.remark(f"serving MCP at {address.url(port)}"))
    _leave(hx)


def _leave(hx: "Hexad") -> None:
    """End the process once what waits is written: a thread may still be in a read or in a script, and it would wait."""
    import os

    hx.close()
    sys.stderr.flush()
    os._exit(0)
