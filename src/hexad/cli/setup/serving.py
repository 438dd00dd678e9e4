"""`mcp`, `mcp install`, `mcp uninstall`: the memory for agents that use MCP."""

import os
import sys
from contextlib import suppress
from pathlib import Path
from typing import Annotated

import typer

from hexad.agents.address import Address
from hexad.cli.commands import Commands, Common
from hexad.cli.opening import announce, opened, opened_beside_own
from hexad.cli.options import AsJson, Database, Namespace, Yes, flag, option
from hexad.cli.setup.installing import apply, planned
from hexad.cli.terminal import screen
from hexad.errors import InvalidInput
from hexad.facade import Hexad
from hexad.mcp import require_sdk
from hexad.mcp.coding.installing import WITH_HOOKS, Installation
from hexad.mcp.install.clients import Client, Scope
from hexad.settings import variable

app = Commands()

Hosts = Annotated[
    list[str] | None,
    option("NAME", "A host name of this server; repeatable.", "--allow-host"),
]
Origins = Annotated[
    list[str] | None,
    option("URL", "A web origin that may call it; repeatable.", "--allow-origin"),
]
ClientName = Annotated[str, option("NAME", f"{', '.join(Client)}.", "--client")]
ScopeName = Annotated[
    str,
    option(
        "WORD",
        "user (all your projects) or project (everybody in this one).",
        "--scope",
    ),
]
File = Annotated[str | None, option("FILE", "Another configuration file.", "--path")]
Entry = Annotated[str, option("NAME", "The server's name there.", "--name")]
DryRun = Annotated[bool, flag("--dry-run", "Show the change and write nothing.")]


@app.callback(
    invoke_without_command=True,
    epilog="Example: hexad mcp --db agent.db · hexad mcp --http 127.0.0.1:8765 · hexad mcp install --client cursor",
)
def serve(
    context: typer.Context,
    *,
    http: Annotated[
        str | None, option("HOST:PORT", "Serve over HTTP; default: stdin and stdout.")
    ] = None,
    token: Annotated[
        str | None,
        option("TEXT", "Bearer token of HTTP clients; better set HEXAD_MCP_TOKEN."),
    ] = None,
    allow_host: Hosts = None,
    allow_origin: Origins = None,
    hooks: Annotated[
        bool, flag("--hooks", "Answer the hooks of a coding agent too.")
    ] = False,
    no_reports: Annotated[
        bool,
        flag("--no-reports", "Leave out report_tool_result: hooks report the results."),
    ] = False,
    db: Database = None,
    namespace: Namespace = None,
) -> None:
    """Serve the memory to an agent over MCP. `hexad mcp install` configures a client to
    start this itself.
    """
    if context.invoked_subcommand is not None:
        return
    if http is None and (token or allow_host or allow_origin):
        raise InvalidInput(
            "--http", "is missing: tokens, hosts and origins apply to HTTP only"
        )
    from hexad.mcp import server  # noqa: PLC0415 - loads the MCP SDK: 400 ms; raises if it is missing

    if http is None:
        from hexad.mcp.stdio import serve_stdio  # noqa: PLC0415 - the same

        with suppress(OSError):
            os.chdir(
                (variable("WORKSPACE_FOLDER_PATHS") or "").split(",")[0]
                if db is None
                else "."
            )
        announce(db)
        with opened_beside_own(db, namespace, patient=False) as hx:
            if sys.stdin.isatty():
                usual = "normally a client starts this: see `hexad mcp install --help`"
                screen.remark(f"serving MCP on standard input; {usual}")
            serve_stdio(
                server.server_of(hx, hooks=hooks, reports=not no_reports),
                end=lambda: leave(hx),
            )
            leave(hx)
    from hexad.mcp.http import PATH, Access, app_of, serve_http  # noqa: PLC0415 - loads uvicorn and starlette: 100 ms

    announce(db)
    with opened(
        db, namespace, create=True, mcp_token=token, patient=False
    ) as hx:  # its clients may be others
        address = Address.parse(str(http))
        access = Access.of(address, allow_host, allow_origin)
        whole = app_of(server.server_of(hx, hooks=hooks), hx.settings, access)
        serve_http(
            whole,
            address,
            ready=lambda port: screen.remark(
                f"serving MCP at {address.url(port, PATH)}"
            ),
        )
        leave(hx)


@app.command(epilog="Example: hexad mcp install --client claude-code --hooks --dry-run")
def install(
    *,
    client: ClientName,
    scope: ScopeName = "user",
    hooks: Annotated[
        bool,
        flag("--hooks", f"Hooks too, for a coding agent: {', '.join(WITH_HOOKS)}."),
    ] = False,
    path: File = None,
    name: Entry = "hexad",
    dry_run: DryRun = False,
    yes: Yes = False,
    common: Common,
) -> None:
    """Add this server to a client's configuration. Shows the change, keeps other
    entries and a backup.

    With --hooks each prompt gets its context and each tool call is learned from,
    without the model asking. Without --db the client uses your own memory, and in
    projects that you made or trusted the project's memory too.
    """
    require_sdk()
    known, where = Client.parse(client, "--client"), Scope.parse(scope, "--scope")
    place = Installation(known, where, name, Path(path) if path else None)
    plan = planned(
        place, common.db, common.namespace, hooks=hooks, quiet=common.as_json
    )
    no_need = f"up to date already: {' and '.join(str(each.file) for each in plan)}"
    apply(
        plan,
        f"{name} added to",
        where,
        no_need,
        dry_run=dry_run,
        yes=yes,
        as_json=common.as_json,
    )


@app.command(epilog="Example: hexad mcp uninstall --client cursor --dry-run")
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
    """Remove this server and its hooks from a client's configuration."""
    where = Scope.parse(scope, "--scope")
    plan = Installation(
        Client.parse(client, "--client"), where, name, Path(path) if path else None
    ).uninstall()
    missing = (
        f"has no server {name!r}" if plan[0].before is not None else "does not exist"
    )
    no_need = f"nothing to remove: {plan[0].file} {missing}"
    apply(
        plan,
        f"{name} removed from",
        where,
        no_need,
        dry_run=dry_run,
        yes=yes,
        as_json=as_json,
    )


def leave(hx: Hexad) -> None:
    """Close the memory and exit at once, without waiting for threads that are in a read
    or in a script.
    """
    hx.close()
    sys.stderr.flush()
    os._exit(0)
