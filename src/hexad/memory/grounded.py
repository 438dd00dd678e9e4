"""The answer of `ground`: what of the user's words a note rests on, or why it is none
of theirs.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple


class Refused(StrEnum):
    """Why something is not the user's word."""

    UNHEARD = "nothing that the user said in this conversation is known here"
    UNCLEAR = "it is too long, or says nothing"
    SYSTEM = "it speaks to the system"
    WORDS = "the user did not say just this"
    KEPT = "it keeps a part of an earlier note"
    OTHER = "the entry that it would replace is about something else"


class Grounded(NamedTuple):
    """The user's sentences behind a note, and why these do not say it, if they do not."""

    sentence: str = ""
    refused: Refused | None = None
