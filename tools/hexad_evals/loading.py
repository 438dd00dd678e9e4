"""Store a set through the public interface: each item in its layer, each group in its
own namespace.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Final

from hexad.errors import HexadError, StoreError
from hexad.model import Layer, Tool

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from hexad.facade import Hexad
    from hexad_evals.data import EvalItem, EvalSet

_log: Final = logging.getLogger("hexad")


def load(
    hx: Hexad, data: EvalSet, progress: Callable[[int], None]
) -> Mapping[str, Hexad]:
    """An engine for each group of the set, with its items stored."""
    done, engines = 0, views(hx, data)
    for group, documents in data.groups().items():
        if data.layer is not Layer.TOOL_REGISTRY:
            for position, document in enumerate(documents):
                _save(engines[group], data, document, position)
                progress(done + position + 1)
        done += len(documents)
        progress(done)
    return engines


def _save(hx: Hexad, data: EvalSet, document: EvalItem, position: int) -> None:
    """Store an item. One that the store refuses, as too long for instance, is reported
    and left out.
    """
    try:
        SAVERS[data.layer](hx, document, position)
    except StoreError:
        raise
    except HexadError as error:
        _log.warning(
            "left out: %s/corpus.jsonl: %r cannot be stored: %s",
            data.path,
            document.id[:80],
            error,
        )


def views(hx: Hexad, data: EvalSet) -> Mapping[str, Hexad]:
    """An engine for each group of the set, with its own namespace and tools."""
    engines = {group: hx.scoped(namespace=group) for group in data.groups()}
    if data.layer is not Layer.TOOL_REGISTRY:
        return engines
    return {
        group: engines[group].with_tool_registry(
            [Tool(name=each.id, description=each.text) for each in documents]
        )
        for group, documents in data.groups().items()
    }


def _knowledge(hx: Hexad, document: EvalItem, position: int) -> None:
    subject, thread = (
        str(document.meta.get(name, "")) for name in ("speaker", "session")
    )
    hx.knowledge.save(
        document.id, document.text, subject=subject, thread=thread, position=position
    )


def _skill(hx: Hexad, document: EvalItem, position: int) -> None:  # noqa: ARG001
    hx.skills.create(
        document.id,
        kind="instruction",
        description=document.text,
        definition={"text": document.text},
    )
    hx.skills.activate(document.id)


SAVERS: Mapping[Layer, Callable[[Hexad, EvalItem, int], object]] = {
    Layer.USER_KNOWLEDGE: _knowledge,
    Layer.SKILL_PATTERNS: _skill,
    Layer.EXTERNAL_KNOWLEDGE: lambda hx, each, _: hx.references.save(
        each.id, location=each.id, summary=each.text
    ),
    Layer.AGENT_LEARNINGS: lambda hx, each, _: hx.learnings.save(
        trigger=each.id, diagnosis=each.text, fix=each.text
    ),
}
