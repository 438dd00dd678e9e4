"""`habits list|reset`: the words that led to an item before."""

from typing import Annotated, Final

import typer

from hexad import wire
from hexad.cli.completing import one_of
from hexad.cli.opening import opened
from hexad.cli.options import AsJson, Database, Namespace, Yes, group
from hexad.cli.terminal import screen
from hexad.cli.terminal.screen import Column
from hexad.model import Layer

app = group("Show or reset the words that led to an item before.", epilog="Example: hexad habits list")
_COLUMNS: Final = (
    Column("layer"),
    Column("item", "fold"),
    Column("word", "fold", 24),
    Column("weight"),
    Column("last taught"),
)
LayerName = Annotated[
    str | None, typer.Option("--layer", metavar="LAYER", help="Only this layer.", autocompletion=one_of(Layer))
]
ItemName = Annotated[str | None, typer.Option("--item", metavar="ID", help="Only this item; needs --layer.")]


@app.command("list", epilog="Example: hexad habits list --layer tool_registry")
def list_(
    *,
    layer: LayerName = None,
    item: ItemName = None,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """List the learned words, for each item the strongest first."""
    wanted = None if layer is None else Layer.parse(layer)
    with opened(db, namespace) as hx:
        learned = [each for each in hx.habits.list() if wanted in {None, each.layer} and item in {None, each.id}]
    learned.sort(key=lambda each: (each.layer, each.id, -each.weight, each.term))
    rows = [(each.layer.value, each.id, each.term, each.weight, each.used) for each in learned]
    screen.listing(
        {"habits": [wire.to_json(each) for each in learned]},
        _COLUMNS,
        rows,
        empty="no words are learned yet; `hx.used(item, query)` teaches them",
        as_json=as_json,
    )


@app.command(epilog="Example: hexad habits reset --layer tool_registry --item book_hotel --yes")
def reset(
    *,
    layer: LayerName = None,
    item: ItemName = None,
    yes: Yes = False,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Reset the learned words of all items, of a layer, or of one item. The items stay."""
    with opened(db, namespace) as hx:
        if not yes and not screen.agreed("habits reset", f"Reset the learned words in namespace {hx.namespace!r}?"):
            screen.remark("nothing was reset")
            raise typer.Exit(1)
        gone = hx.habits.reset(layer, item)
    screen.answer({"words": gone}, f"{screen.counted(gone, 'word')} reset", as_json=as_json)
