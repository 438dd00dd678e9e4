"""Text to index terms: the one analyser that saving and asking share.

Pure functions of their arguments. A backend stores and compares the terms as opaque
words and tokenises nothing itself, so every backend finds the same candidates, in every
language.
"""

from typing import Final

from hexad.text.words import Word, operands, terms, words

ANALYSER: Final[int] = 5
"""Changes whenever the same text could yield other terms, so that an index knows it has to be rebuilt."""

__all__ = ["ANALYSER", "Word", "operands", "terms", "words"]
