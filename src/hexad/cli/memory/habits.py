"""`habits list|reset`: the words that led to an item before."""

from typing import Annotated, Final

from hexad import json_form
from hexad.cli.commands import Common, group
from hexad.cli.options import Yes, option
from hexad.cli.terminal import screen
from hexad.model import Layer

app = group(
    "Show or reset the words that led to an item before.",
    epilog="Example: hexad habits list",
)
_COLUMNS: Final = (
    "layer",
    screen.Wide("item"),
    screen.Wide("word", 24),
    "weight",
    "last taught",
)
LayerName = Annotated[str | None, option("LAYER", "Only this layer.", "--layer")]
ItemName = Annotated[
    str | None, option("ID", "Only this item; needs --layer.", "--item")
]


@app.command("list", epilog="Example: hexad habits list --layer tool_registry")
def list_(*, layer: LayerName = None, item: ItemName = None, common: Common) -> None:
    """List the learned words, for each item the strongest first."""
    wanted = None if layer is None else Layer.parse(layer)
    with common.opened() as hx:
        learned = [
            each
            for each in hx.habits.list()
            if wanted in {None, each.layer} and item in {None, each.id}
        ]
    learned.sort(key=lambda each: (each.layer, each.id, -each.weight, each.term))
    rows = [
        (each.layer.value, each.id, each.term, each.weight, each.used)
        for each in learned
    ]
    empty = "no words are learned yet; `hx.used(item, query)` teaches them"
    common.listing(
        {"habits": [json_form.to_json(each) for each in learned]},
        _COLUMNS,
        rows,
        empty=empty,
    )


@app.command(
    epilog="Example: hexad habits reset --layer tool_registry --item book_hotel --yes"
)
def reset(
    *, layer: LayerName = None, item: ItemName = None, yes: Yes = False, common: Common
) -> None:
    """Reset the learned words of all items, of a layer, or of one item. The items stay."""
    with common.opened() as hx:
        if not yes:
            question = f"Reset the learned words in namespace {hx.namespace!r}?"
            screen.exit_unless_agreed(
                "habits reset", question, otherwise="nothing was reset"
            )
        gone = hx.habits.reset(layer, item)
    common.answer({"words": gone}, f"{screen.counted(gone, 'word')} reset")
