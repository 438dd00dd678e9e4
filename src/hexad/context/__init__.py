"""User message → keywords → layers → ranking → selection (token budget) → template → prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.context.selection import estimate_tokens, select
from hexad.context.template import write
from hexad.model import Prompt

if TYPE_CHECKING:
    from hexad.model import Retrieval, TokenCounter


def assemble(
    base: str, retrieval: Retrieval, *, budget: int | None = None, counter: TokenCounter = estimate_tokens
) -> Prompt:
    """Answer: what should the model know before it sees this message?"""
    selection = select(retrieval.all(), base=base, budget=budget, counter=counter)
    text = write(base, selection.kept)
    return Prompt(
        text=text,
        base=base,
        kept=selection.kept,
        dropped=selection.dropped,
        failures=retrieval.failures,
        keywords=retrieval.keywords,
        tokens=counter(text[len(base) :]) if selection.kept else 0,
        budget=budget,
        query=retrieval.query,
        namespace=retrieval.namespace,
        session=retrieval.session,
    )
