"""The contents of a prompt, and the reasons for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hexad import wire
from hexad.context.explanation import explained
from hexad.errors import NotFound
from hexad.server.api.calls import listing

if TYPE_CHECKING:
    from hexad.server.api.calls import Call


def retrieve(call: Call) -> dict[str, Any]:
    """Find what matters for a message, best first in each layer."""
    body = call.body
    return wire.retrieval(call.hx.retrieve(body["message"], body.get("layers"), body.get("max_per_layer")))


def prompt(call: Call) -> dict[str, Any]:
    """The prompt for a message, counted as shown to a model."""
    body = call.body
    made = call.hx.prompt(body.get("base", ""), body["message"], layers=body.get("layers"), budget=body.get("budget"))
    return wire.prompt(made)


def explain(call: Call) -> dict[str, Any]:
    """Every candidate for a message's prompt, with its score and what became of it; nothing is counted."""
    body = call.body
    wanted = {name: body[name] for name in ("base", "layers", "budget") if name in body}
    return explained(call.hx.explain(body["message"], **wanted))


def standing(call: Call) -> dict[str, Any]:
    """The items that are in every prompt."""
    return listing(map(wire.item, call.hx.standing()))


def used(call: Call) -> dict[str, Any]:
    """Record that an item was useful for a message: its words help to find the item next time."""
    message, wanted = call.body["message"], call.body["id"]
    found = call.hx.explain(message, layers=[call.body["layer"]]).candidates
    item = next((each.item for judged in found.values() for each in judged if each.item.id == wanted), None)
    if item is None:
        raise NotFound("candidate", wanted, call.hx.namespace)
    return listing(map(wire.to_json, call.hx.used(item, message)))


def list_habits(call: Call) -> dict[str, Any]:
    """The words of earlier questions that help to find items."""
    return listing(map(wire.to_json, call.hx.habits.list()))


def reset_habits(call: Call) -> dict[str, Any]:
    """Remove the words that lead to one item, or to all of a layer, or to all."""
    return {"removed": call.hx.habits.reset(call.query.get("layer"), call.query.get("id"))}
