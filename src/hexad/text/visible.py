"""Text without characters that show nothing or reorder what is shown: a reader and a
model see the same.
"""

from __future__ import annotations

import re
from functools import cache
from typing import Final

_EMOJI: Final = (
    "\u00a9\u00ae\u203c\u2049\u2122\u2139\u2194-\u21aa\u231a-\u23ff\u24c2\u25aa-\u25fe\u2600-\u27bf\u2934\u2935\u2b05-\u2b55"
    "\u3030\u303d\u3297\u3299\U0001f000-\U0001faff"
)
_IDEOGRAPHS: Final = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_JOINED: Final = "\u0600-\u07ff\u0840-\u086f\u08a0-\u109f\u1780-\u17b3\u17b6-\u180a\u1820-\u18af\ufb50-\ufdff\ufe70-\ufefe"
"""Letters of scripts in which a joiner changes a letter's form: Arabic, the scripts of India, Khmer, Mongolian …"""

_INVISIBLE: Final = (
    # Control and formatting characters, fillers, tags and code points that are reserved
    # for such.
    "[\x00-\x08\x0e-\x1b\x1f\x7f-\x84\x86-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b\u200e\u200f"
    "\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff"
    "\U00013430-\U0001343f\U0001bca0-\U0001bcaf\U0001d173-\U0001d17a\U000e0000-\U000e00ff\U000e01f0-\U000e0fff]"
    # Variation selectors, except one after an ideograph or an emoji, or in a keycap.
    f"|(?<![{_IDEOGRAPHS}])[\ufe00-\ufe0d\U000e0100-\U000e01ef]"
    f"|(?<![{_EMOJI}{_IDEOGRAPHS}])(?!(?<=[0-9#*])\ufe0f\u20e3)[\ufe0e\ufe0f]"
    # Joiners, except in scripts that need them and between two emoji.
    f"|(?<![{_JOINED}])\u200c"
    f"|(?<![{_JOINED}])(?!(?:(?<=[{_EMOJI}])|(?<=[{_EMOJI}]\ufe0f))\u200d[{_EMOJI}])\u200d"
)
_SPACES: Final = re.compile("[\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800]")


@cache
def _invisible() -> re.Pattern[str]:
    """Compiled when the first text needs it: that takes 4 ms, and plain ASCII needs
    none.
    """
    return re.compile(_INVISIBLE)


def visible(text: str) -> str:
    r"""The text without what nobody sees; line breaks and tabs stay, every space but
    the ideographic is a plain one.

    >>> visible("a\u200bb\U000e0041 \u2764\ufe0f \u202etxt.exe")
    'ab ❤️ txt.exe'
    """
    return (
        text
        if text.isascii() and text.isprintable()
        else _SPACES.sub(" ", _invisible().sub("", text))
    )
