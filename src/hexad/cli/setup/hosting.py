"""`serve`: interface, pages, gateway and MCP over HTTP, in one process."""

import logging
import webbrowser
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path
from typing import Annotated

from hexad.agents.address import Address
from hexad.cli.commands import Commands, Common
from hexad.cli.opening import announce, opened, place, server
from hexad.cli.options import flag, option
from hexad.cli.setup.serving import Hosts, Origins, leave
from hexad.cli.terminal import screen
from hexad.errors import InvalidInput
from hexad.extras import is_importable
from hexad.otel import instrumented
from hexad.server import require_server
from hexad.server.tokens import FILE_NAME, Tokens
from hexad.settings import data_folder, file_place

app = Commands()


def tokens_of(db: str | None) -> Tokens:
    """The tokens beside the settings: those of a database's file, or the user's for a
    database on a server.
    """
    beside = data_folder() if server(db) is not None else place(db).absolute().parent
    if beside == data_folder():
        beside.mkdir(mode=0o700, parents=True, exist_ok=True)
    return Tokens(file_place(beside).absolute().with_name(FILE_NAME))


@app.command(
    epilog="Example: hexad serve --open; as a gateway: hexad serve --upstream https://models.example/v1"
)
def serve(
    *,
    http: Annotated[str, option("HOST:PORT", "Where to listen.")] = "127.0.0.1:8765",
    port: Annotated[
        int | None,
        option(
            "PORT",
            "The port alone, on this machine; 0 is a free one.",
            min=0,
            max=65535,
        ),
    ] = None,
    upstream: Annotated[
        str | None, option("URL", "The provider behind the gateway, up to its /v1.")
    ] = None,
    allow_host: Hosts = None,
    allow_origin: Origins = None,
    behind_proxy: Annotated[
        bool,
        flag(
            "--behind-proxy",
            "A proxy with TLS stands before it: trust its X-Forwarded-For.",
        ),
    ] = False,
    open_browser: Annotated[
        bool, flag("--open", "Open the pages in a browser.")
    ] = False,
    log_requests: Annotated[
        bool, flag("--log-requests", "Write a line of JSON for each request.")
    ] = False,
    evals: Annotated[
        Path | None,
        option(
            "DIR", "Questions for the page Evaluation.", file_okay=False, exists=True
        ),
    ] = None,
    common: Common,
) -> None:
    """Serve pages, an HTTP interface, a gateway to models, and MCP. See `hexad tokens`
    for who may call.
    """
    require_server()
    from hexad.mcp.http import Access, serve_http  # noqa: PLC0415 - loads the MCP SDK, uvicorn and starlette: 500 ms
    from hexad.server.app import AsJson, Hosting, app_of  # noqa: PLC0415 - the same

    if upstream is not None and not upstream.startswith(("http://", "https://")):
        raise InvalidInput(
            "--upstream",
            f"{upstream!r} is not a URL; give one such as https://models.example/v1",
        )
    address, provider = Address.parse(http), (upstream or "").rstrip("/")
    address = address if port is None else replace(address, port=port)
    access = Access.of(address, allow_host, allow_origin)
    hosting = Hosting(
        access=access,
        upstream=provider,
        behind_proxy=behind_proxy,
        log_requests=log_requests,
        evals=evals,
    )
    announce(common.db)
    logging.basicConfig(
        level=logging.WARNING, format="%(levelname)s: %(message)s"
    )  # to standard error
    if log_requests:
        logging.root.handlers[0].setFormatter(AsJson())
    with opened(common.db, common.namespace, create=True, patient=False) as hx:
        whole = app_of(hx, tokens_of(common.db), hosting)

        def ready(port: int) -> None:
            url = address.url(port, "/")
            sentence = f"serving at {url}; interface at {url}api/v1, MCP at {url}mcp; stop with Ctrl-C"
            screen.emit({"url": url}) if common.as_json else screen.remark(sentence)
            if open_browser:
                webbrowser.open(url)

        with instrumented() if is_importable("opentelemetry") else nullcontext():
            serve_http(whole, address, ready=ready)
        leave(hx)
