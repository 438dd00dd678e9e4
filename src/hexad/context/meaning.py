"""Asking an embedder, which may be anybody's: where it fails, rows are found by their words, and the log says why."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hexad.errors import EmbedderFailed

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.memory.meaning import Nearness


def near_or_not(ask: Callable[[], Nearness | None]) -> Nearness | None:
    """What the embedder's side says; nothing where it fails. A failure of the store is the layer's, as always."""
    try:
        return ask()
    except EmbedderFailed as error:
        import logging  # noqa: PLC0415 - most answers have nothing to warn of

        logging.getLogger("hexad").warning("asked by words alone, the embedder failed: %s", error)
        return None
