"""`mcp`, `mcp install`, `mcp uninstall`: the memory for agents that use MCP."""

import os
import shutil
import sys
from pathlib import Path
from shlex import quote
from typing import TYPE_CHECKING, Annotated

import typer

from hexad.cli.commands import Commands, Common
from hexad.cli.opening import announce, opened, opened_beside_own
from hexad.cli.options import AsJson, Database, Namespace, Yes
from hexad.cli.places import DEFAULT
from hexad.cli.terminal import screen
from hexad.edges.address import Address, host_of
from hexad.errors import InvalidInput
from hexad.facade import Hexad
from hexad.mcp import require_sdk
from hexad.mcp.install import changes, clients
from hexad.mcp.install.clients import Client, Scope
from hexad.settings import namespace_from_environment

if TYPE_CHECKING:
    from hexad.mcp.server import HexadServer

app = Commands()

Http = Annotated[
    str | None, typer.Option("--http", metavar="HOST:PORT", help="Serve over HTTP; default: stdin and stdout.")
]
Token = Annotated[
    str | None,
    typer.Option("--token", metavar="TEXT", help="Bearer token of HTTP clients; better set HEXAD_MCP_TOKEN."),
]
Hosts = Annotated[
    list[str] | None, typer.Option("--allow-host", metavar="NAME", help="A host name of this server; repeatable.")
]
Origins = Annotated[
    list[str] | None, typer.Option("--allow-origin", metavar="URL", help="A web origin that may call it; repeatable.")
]
ClientName = Annotated[str, typer.Option("--client", metavar="NAME", help=f"{', '.join(Client)}.")]
ScopeName = Annotated[
    str,
    typer.Option("--scope", metavar="WORD", help="user (all your projects) or project (everybody in this one)."),
]
File = Annotated[str | None, typer.Option("--path", metavar="FILE", help="Another configuration file.")]
Entry = Annotated[str, typer.Option("--name", metavar="NAME", help="The server's name there.")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show the change and write nothing.")]


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
    hooks: Annotated[bool, typer.Option("--hooks", help="Answer the hooks of a coding agent too.")] = False,
    db: Database = None,
    namespace: Namespace = None,
) -> None:
    """Serve the memory to an agent over MCP. `hexad mcp install` configures a client to start this itself."""
    if context.invoked_subcommand is not None:
        return
    if http is None and (token or allow_host or allow_origin):
        raise InvalidInput("--http", "is missing: tokens, hosts and origins apply to HTTP only")
    from hexad.mcp import server  # noqa: PLC0415 - loads the MCP SDK: 400 ms; raises if it is missing

    announce(db)
    if http is None:
        with opened_beside_own(db, namespace, patient=False) as hx:
            _over_stdio(hx, server.server_of(hx, hooks=hooks))
    with opened(db, namespace, create=True, mcp_token=token, patient=False) as hx:  # its clients may be others
        _over_http(hx, server.server_of(hx, hooks=hooks), str(http), allow_host or [], allow_origin or [])


@app.command(epilog="Example: hexad mcp install --client claude-code --db ~/agent.db")
def install(
    *,
    client: ClientName,
    scope: ScopeName = "user",
    path: File = None,
    name: Entry = "hexad",
    dry_run: DryRun = False,
    yes: Yes = False,
    common: Common,
) -> None:
    """Add this server to a client's configuration. Shows the change, keeps other entries and a backup."""
    require_sdk()
    known, where = Client.parse(client, "--client"), Scope.parse(scope, "--scope")
    file = Path(path) if path else clients.file_of(known, where)
    namespace, memory = common.namespace, common.path
    if where is Scope.PROJECT:
        shared = DEFAULT if common.db is None else str(memory)  # not HEXAD_DB, which belongs to this machine
        entry = clients.shared_entry_of(known, shared, namespace, project=Path.cwd())
    else:
        namespace = namespace or namespace_from_environment()
        entry = clients.entry_of(known, memory, namespace)
    change = changes.installed(file, entry, name, clients.group_of(known))
    if not common.as_json:
        _describe_memory(memory, namespace, shared=where is Scope.PROJECT)
    _apply(change, "installed", f"{file} is up to date already", dry_run=dry_run, yes=yes, as_json=common.as_json)


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
    """Remove this server from a client's configuration."""
    known = Client.parse(client, "--client")
    file = Path(path) if path else clients.file_of(known, Scope.parse(scope, "--scope"))
    change = changes.uninstalled(file, name, clients.group_of(known))
    missing = f"has no server {name!r}" if change.before is not None else "does not exist"
    _apply(change, "removed", f"nothing to remove: {file} {missing}", dry_run=dry_run, yes=yes, as_json=as_json)


def _describe_memory(memory: Path, namespace: str | None, *, shared: bool) -> None:
    if not shared:
        whole = memory.absolute()
        see = f"hexad --db {quote(str(whole))}" + (f" --namespace {quote(namespace)}" if namespace else "")
        screen.remark(f"its memory is {whole}; see it with `{see}`, choose another with --db")
        return

    screen.remark(
        "the configuration names no paths of this machine, so it can be committed; each person has their own memory: "
        "add *.db* to .gitignore"
    )
    if shutil.which("hexad") is None:
        screen.warn(
            "`hexad` is not on the PATH, where the client will look for it; everybody in the project needs it there"
        )


def _apply(change: changes.Change, done: str, no_need: str, *, dry_run: bool, yes: bool, as_json: bool) -> None:
    if change.needed and not as_json:
        screen.show(change.diff)
    wanted = change.needed and not dry_run and (yes or _agreed(change.file))
    backup = changes.write(change) if wanted else None
    if as_json:
        document = {"file": str(change.file), "needed": change.needed, "written": wanted, "diff": change.diff}
        screen.emit({**document, "kept": list(change.kept), "backup": None if backup is None else str(backup)})
    elif not change.needed:
        screen.remark(no_need)
    elif wanted:
        if change.kept:
            screen.remark(f"kept from the old entry: {', '.join(change.kept)}")
        saved = "" if backup is None else f"; backup: {backup}"
        screen.remark(f"{done}: {change.file}{saved}; restart the client{' to use it' if done == 'installed' else ''}")
    else:
        screen.remark("nothing was written")


def _agreed(file: Path) -> bool:
    if not sys.stdin.isatty():
        raise InvalidInput(
            "--yes", f"is needed to change {file}, because there is no terminal to ask on; --dry-run shows the change"
        )
    return screen.confirmed(f"Change {file}?")


def _over_stdio(hx: Hexad, server: "HexadServer") -> None:
    from hexad.mcp.stdio import serve_stdio  # noqa: PLC0415 - loads the MCP SDK: 400 ms

    if sys.stdin.isatty():
        screen.remark("serving MCP on standard input; normally a client starts this: see `hexad mcp install --help`")
    serve_stdio(server, end=lambda: _leave(hx))
    _leave(hx)


def _over_http(hx: Hexad, server: "HexadServer", where: str, hosts: list[str], origins: list[str]) -> None:
    from hexad.mcp.http import PATH, Access, app_of, serve_http  # noqa: PLC0415 - loads uvicorn and starlette: 100 ms

    address = Address.parse(where)
    access = Access(
        address=address,
        hosts=frozenset(map(host_of, hosts)),
        origins=frozenset(origin.rstrip("/").casefold() for origin in origins),
    )
    app = app_of(server, hx.settings, access)
    serve_http(app, address, ready=lambda port: screen.remark(f"serving MCP at {address.url(port, PATH)}"))
    _leave(hx)


def _leave(hx: Hexad) -> None:
    """Close the memory and exit at once, without waiting for threads that are in a read or in a script."""
    hx.close()
    sys.stderr.flush()
    os._exit(0)
