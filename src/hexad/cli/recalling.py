"""`recall`, `list`, `history`, `explain`: what is remembered, and why it is found."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer

from hexad.cli import screen
from hexad.cli.opening import opened
from hexad.cli.options import AsJson, Database, InCategory, Key, Layers, Namespace
from hexad.cli.screen import Column
from hexad.cli.status import elsewhere, elsewhere_told
from hexad.errors import InvalidInput
from hexad.model import Category, Item, Knowledge, Layer, Origin, Retrieval
from hexad.wire import retrieval, to_json

if TYPE_CHECKING:
    from hexad.context.explanation import Explanation
    from hexad.context.layers import Judged
    from hexad.facade import Hexad

_FOUND: Final = (Column("score"), screen.KEY, Column("category"), Column("content", "fold"))
_LISTED: Final = (screen.KEY, Column("category"), Column("v"), Column("marks", "fold", 14), Column("content", "fold"))
_VERSIONS: Final = (Column("v"), Column("when (UTC)"), Column("category"), Column("origin"), Column("content", "fold"))
_JUDGED: Final = (Column("score"), screen.KEY, Column("verdict", "fold", 15), Column("reasons", "fold"))

Limit = Annotated[
    int | None, typer.Option("--limit", min=1, metavar="N", help="At most so many, of each layer or of the category.")
]


def register(app: typer.Typer) -> None:
    """Add these commands."""
    app.command(epilog='Example: hexad recall "when may I deploy?" --layer user_knowledge')(recall)
    app.command("list", epilog="Example: hexad list --category rule")(list_)
    app.command(epilog="Example: hexad history deploy-window")(history)
    app.command(epilog='Example: hexad explain "when may I deploy?" --base "You are terse." --budget 400')(explain)


def recall(
    query: Annotated[str, typer.Argument(metavar="QUERY", help="A question, or words.")],
    *,
    layer: Layers = None,
    category: InCategory = None,
    limit: Limit = None,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Find what matters for a question, best first: knowledge, learnings, skills and references."""
    if category and layer and set(layer) != {Layer.USER_KNOWLEDGE}:
        raise InvalidInput("--category", "is of user_knowledge only; leave out --layer")
    with opened(db, namespace) as hx:
        found = _in_category(hx, query, category, limit) if category else hx.retrieve(query, layer, limit)
    if as_json:
        screen.emit(retrieval(found))
    else:
        _show_found(found, category)
    if found.failures:
        raise typer.Exit(1)


def list_(
    *,
    category: InCategory = None,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Show what is known, in the order of first saving; skills and learnings have lists of their own."""
    with opened(db, namespace) as hx:
        entries = [entry for entry in hx.knowledge.list() if category in {None, entry.category}]
        others = () if entries or category or as_json else elsewhere(hx)
    if as_json:
        screen.emit({"entries": [to_json(entry) for entry in entries]})
    elif entries:
        now = datetime.now(UTC)
        screen.table(_LISTED, [(e.key, e.category, e.version, _marks(e, now), e.content) for e in entries])
    else:
        screen.remark("nothing is stored here" + (f"; {elsewhere_told(others)}" if others else ""))


def history(key: Key, *, db: Database = None, namespace: Namespace = None, as_json: AsJson = False) -> None:
    """Show all versions of an entry, newest first."""
    with opened(db, namespace) as hx:
        versions = hx.knowledge.history(key)
    if as_json:
        screen.emit({"key": key, "versions": [to_json(version) for version in versions]})
    else:
        screen.table(_VERSIONS, [(v.version, v.created, v.category, v.origin, v.content) for v in versions])


def explain(
    message: Annotated[str, typer.Argument(metavar="MESSAGE", help="What a user would write to the agent.")],
    *,
    base: Annotated[str, typer.Option(metavar="TEXT", help="The prompt to add to.")] = "",
    budget: Annotated[int | None, typer.Option(metavar="TOKENS", help="What may be added at most.")] = None,
    layer: Layers = None,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Show why the prompt for a message is what it is: candidates, scores, reasons, what was kept or dropped."""
    from hexad.context.explanation import explained

    with opened(db, namespace) as hx:
        told = hx.explain(message, base=base, layers=layer, budget=budget)
    if as_json:
        screen.emit(explained(told))
    else:
        _show_explanation(told)


def _in_category(hx: "Hexad", query: str, category: Category, limit: int | None) -> Retrieval:
    from hexad.context.keywords import extract

    items = hx.knowledge.search(query, category=category, limit=10 if limit is None else limit)
    return Retrieval(
        query=query,
        items={Layer.USER_KNOWLEDGE: items} if items else {},
        keywords=extract(query).keywords,
        namespace=hx.namespace,
    )


def _show_found(found: Retrieval, category: Category | None) -> None:
    for layer in Layer:
        if layer in found.items:
            rows = [_found_row(each) for each in found.items[layer]]
            screen.table(_FOUND, rows, title=layer.heading, mark=layer.value)
    for failed in found.failures:
        screen.warn(f"{failed.layer} gave no answer: {failed.reason}")
    if not found and not found.failures:
        why = "" if found.keywords else ": the query holds no word to search for"
        screen.remark(f"nothing found{why}; try other words, or see what there is: `hexad list{_of(category)}`")


def _of(category: Category | None) -> str:
    return f" --category {category}" if category else ""


def _found_row(each: Item) -> Sequence[object]:
    return each.score, f"{each.key} (pinned)" if each.pinned else each.key, each.category, each.content


def _marks(entry: Knowledge, now: datetime) -> str:
    """What sets an entry apart, in words."""
    marks = ["pinned"] if entry.pinned else []
    if entry.origin is not Origin.USER:
        marks.append(f"from {entry.origin}")
    if entry.expires:
        marks.append("expired" if entry.expires <= now else "expires")
    return ", ".join([*marks, *(f"#{tag}" for tag in entry.tags)])


def _show_explanation(told: "Explanation") -> None:
    screen.say(f"message: {screen.one_line(told.message)}")
    screen.say(f"keywords: {', '.join(told.keywords) or 'none'}")
    for layer, judged in told.candidates.items():
        title = f"{layer.heading} ({_milliseconds(told.layer_seconds.get(layer, 0.0))})"
        screen.table(_JUDGED, [_judged_row(each) for each in judged], title=title, mark=layer.value)
    for failed in told.failures:
        screen.say(f"failed: {failed.layer}: {failed.reason}")
    budget = "" if told.prompt.budget is None else f" of {told.prompt.budget}"
    screen.say(f"added: {told.prompt.tokens}{budget} tokens in {_milliseconds(told.seconds)}")
    screen.heading("prompt")
    screen.show(told.prompt.text)


def _judged_row(judged: "Judged") -> Sequence[object]:
    each = judged.item
    return each.score, each.key, judged.verdict, "; ".join(map(str, each.reasons))


def _milliseconds(seconds: float) -> str:
    return f"{seconds * 1000:.2f} ms"
