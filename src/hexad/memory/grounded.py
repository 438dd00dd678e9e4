"""The answer of `ground`: what of the user's words a note rests on, or why it is none of theirs."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Refused(StrEnum):
    """Why something is not the user's word."""

    UNHEARD = "nothing that the user said in this conversation is known here"
    UNCLEAR = "it is too long, or says nothing"
    SYSTEM = "it speaks to the system"
    WORDS = "the user did not say this"
    NUMBER = "the user did not say this number of it"
    NAME = "the user did not say this name of it"
    NEGATION = "the user said the opposite"
    ORDER = "the user said these words in another order"
    SOMEBODY = "the user said it of somebody else"
    ONCE = "the user said it of one time only"
    APART = "it joins what the user said apart"


class Grounded(NamedTuple):
    """The user's sentences that say a note, or why none say all of it, which word shows it, and what is behind it."""

    sentence: str = ""
    refused: Refused | None = None
    word: str = ""
