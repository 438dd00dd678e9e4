"""User message → keywords → layers → ranking → selection (token budget) → template →
prompt.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.context.selection import estimate_tokens, select
from hexad.context.standing import standing_text
from hexad.context.template import joined
from hexad.model import Prompt

if TYPE_CHECKING:
    from hexad.model import Retrieval, TokenCounter


def assemble(
    base: str,
    retrieval: Retrieval,
    *,
    budget: int | None = None,
    counter: TokenCounter = estimate_tokens,
) -> Prompt:
    """Answer: what should the model know before it sees this message?"""
    block = standing_text(retrieval.namespace, retrieval.standing, retrieval.noted)
    before = joined(base, block)
    selection = select(retrieval.all(), base=before, budget=budget, counter=counter)
    return Prompt(
        text=selection.text,
        base=base,
        block=block,
        standing=retrieval.standing,
        noted=retrieval.noted,
        kept=selection.kept,
        dropped=selection.dropped,
        failures=retrieval.failures,
        keywords=retrieval.keywords,
        tokens=counter(selection.text[len(base) :]) if block or selection.kept else 0,
        budget=budget,
        query=retrieval.query,
        namespace=retrieval.namespace,
        session=retrieval.session,
    )
