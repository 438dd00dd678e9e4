"""`habits`: the words that led to an item before, to look at and to unlearn."""

from typing import Annotated, Final

import typer

from hexad import wire
from hexad.cli import screen
from hexad.cli.completing import one_of
from hexad.cli.opening import opened
from hexad.cli.options import AsJson, Database, Namespace
from hexad.cli.screen import Column
from hexad.model import Layer

app = typer.Typer(help="What use taught: the words that led to an item before.", epilog="Example: hexad habits list")
_COLUMNS: Final = (
    Column("layer"),
    Column("item", "fold"),
    Column("word", "fold", 24),
    Column("weight"),
    Column("last taught"),
)
LayerName = Annotated[
    str | None, typer.Option("--layer", metavar="LAYER", help="Of one layer only.", autocompletion=one_of(Layer))
]
ItemName = Annotated[str | None, typer.Option("--item", metavar="ID", help="Of one item only; needs its layer.")]


@app.callback(invoke_without_command=True)
def _before(context: typer.Context) -> None:
    screen.help_if_alone(context)


@app.command("list", epilog="Example: hexad habits list --layer tool_registry")
def list_(
    *,
    layer: LayerName = None,
    item: ItemName = None,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Show the words that were learned, the strongest first for each item."""
    wanted = None if layer is None else Layer.parse(layer)
    with opened(db, namespace) as hx:
        learned = [each for each in hx.habits.list() if wanted in {None, each.layer} and item in {None, each.id}]
    learned.sort(key=lambda each: (each.layer, each.id, -each.weight, each.term))
    if as_json:
        screen.emit({"habits": [wire.to_json(each) for each in learned]})
    elif learned:
        screen.table(_COLUMNS, [(each.layer.value, each.id, each.term, each.weight, each.used) for each in learned])
    else:
        screen.remark("nothing was learned yet; `hx.used(item, query)` teaches")


@app.command(epilog="Example: hexad habits reset --layer tool_registry --item book_hotel --yes")
def reset(
    *,
    layer: LayerName = None,
    item: ItemName = None,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
    db: Database = None,
    namespace: Namespace = None,
    as_json: AsJson = False,
) -> None:
    """Unlearn the words of all items, of a layer's, or of one; the items stay."""
    with opened(db, namespace) as hx:
        if not yes and not screen.agreed("habits reset", f"Unlearn what use taught in namespace {hx.namespace!r}?"):
            screen.remark("nothing was unlearned")
            raise typer.Exit(1)
        gone = hx.habits.reset(layer, item)
    if as_json:
        screen.emit({"words": gone})
    else:
        screen.say(f"{screen.counted(gone, 'word')} unlearned")
