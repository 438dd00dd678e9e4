"""`tokens make|list|revoke`: who may call `hexad serve`, in which namespaces, with
which rights.
"""

from typing import Annotated, Final

from hexad.cli.commands import Common, group
from hexad.cli.options import argument, option
from hexad.cli.setup.hosting import tokens_of
from hexad.cli.terminal import screen
from hexad.model import DEFAULT_NAMESPACE
from hexad.server.tokens import Right
from hexad.settings import variable

_COLUMNS: Final = (
    "id",
    screen.Wide("name"),
    screen.Wide("namespaces"),
    "rights",
    "made (UTC)",
)

app = group(
    "Make, list and revoke tokens for `hexad serve`. From the first one on, every request needs a token.",
    epilog="Example: hexad tokens make laptop --right read --right write",
)


@app.command(
    epilog="Example: hexad tokens make laptop --for 'default/*' --right read --right write --right approve"
)
def make(
    name: Annotated[str, argument("NAME", "What it is for.")],
    *,
    right: Annotated[
        list[str] | None,
        option("WORD", f"Repeatable: {', '.join(Right)}; default: read, write."),
    ] = None,
    spaces: Annotated[
        list[str] | None,
        option(
            "NAMESPACE",
            "Repeatable: NAME, NAME/* (all below it) or *; default: --namespace.",
            "--for",
        ),
    ] = None,
    common: Common,
) -> None:
    """Make a token and print it: it is shown only this once."""
    own = common.namespace or variable("HEXAD_NAMESPACE") or DEFAULT_NAMESPACE
    token, secret = tokens_of(common.db).make(
        name, spaces or [own], right or [Right.READ, Right.WRITE]
    )
    common.answer({"token": {**token.as_json(), "secret": secret}}, secret)
    if not common.as_json:
        rights, where = ", ".join(token.rights), ", ".join(token.namespaces)
        screen.remark(
            f"{token.id}: {rights} in {where}; keep it, since it is not shown again"
        )


@app.command("list", epilog="Example: hexad tokens list")
def list_(common: Common) -> None:
    """List the tokens; their secrets are not stored."""
    tokens = tokens_of(common.db)
    known, refused = (
        tokens.list(),
        "; every call is refused until you make one: `hexad tokens make`"
        * tokens.needed,
    )
    rows = [
        (
            each.id,
            each.name,
            ", ".join(each.namespaces),
            ", ".join(each.rights),
            each.made,
        )
        for each in known
    ]
    common.listing(
        {"tokens": [each.as_json() for each in known]},
        _COLUMNS,
        rows,
        empty=f"there are no tokens{refused}",
    )


@app.command(epilog="Example: hexad tokens revoke laptop")
def revoke(
    id: Annotated[str, argument("ID", "Its id or its name, see `hexad tokens list`.")],
    *,
    common: Common,
) -> None:
    """Revoke a token: the next request with it is refused."""
    token = tokens_of(common.db).revoke(id)
    common.answer({"revoked": token.as_json()}, f"{token.id}: revoked")
