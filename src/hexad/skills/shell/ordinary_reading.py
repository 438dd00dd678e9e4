"""A script cut into its commands by one regular expression, if there is no doubt about where to cut.

Its words are those of `plain.py`, and a few more. No quote goes on in the next line, nothing is in brackets but one
command whose output is used, and a line goes on behind a backslash only where a blank stands.
"""

from __future__ import annotations

import re
from typing import Final

from hexad.skills.shell.plain import BARE, NAME, RAW, VARIABLE

_GAP: Final = r"[ \t]++(?:\\\n[ \t]*+)*+"
_GAP_OR_NONE: Final = f"(?:{_GAP})?+"
_SIGN: Final = rf"(?:{BARE}|[\[\]])++"
_PART: Final = r"(?:[#%]{1,2}[\w./*:=@?-]+|:\d+(?::\d+)?|/{1,2}[\w. -]+/[\w.-]*|:?[?+][\w ./:-]*)"
_VALUE: Final = rf"(?:{VARIABLE}|\$\{{(?:#{NAME}|{NAME}{_PART})\}})"
_INNER: Final = rf"(?:{_SIGN}|\"(?:[^\"`\\$\n()]++|{_VALUE})*+\"|'[^'\n()]*+'|{_VALUE})++"
_CALL: Final = r"[a-z][\w-]*+"
_TOLD: Final = (
    rf"\$\({_GAP_OR_NONE}{_CALL}(?:{_GAP}(?:{_INNER}|\|{_GAP_OR_NONE}{_CALL}|2>/dev/null|2>&1))*+{_GAP_OR_NONE}\)"
)
_COUNTED: Final = rf"\$\(\((?:[\w \t+*/%<>=!&|?:-]|\${NAME})*+\)\)"
_FILLED: Final = rf"(?:{_VALUE}|{_COUNTED}|{_TOLD})"
_WORD: Final = rf"(?:{_SIGN}|\"(?:[^\"`\\$\n]++|\\[nt\"\\$]|{_FILLED})*+\"|{RAW}|{_FILLED})++"
_WORDS: Final = rf"(?:{_GAP}(?!\d[<>])(?:{_WORD}|!=?))*+"
_REDIRECT: Final = rf"{_GAP}\d?(?:>>?|<|>&){_GAP_OR_NONE}{_WORD}"
_HERE: Final = (
    rf"{_GAP}<<-?+{_GAP_OR_NONE}(?P<quote>['\"]?+)(?P<mark>[A-Za-z_]\w*+)(?P=quote)(?P<target>(?:{_REDIRECT})?+){_GAP_OR_NONE}\n"
    r"(?P<text>(?:(?!\t*+(?P=mark)(?:\n|\Z))[^\n]*+\n)*+)\t*+(?P=mark)"
)
_KEYWORD: Final = "(?:if|then|elif|else|while|until|for|do|done|case|esac|in|select|function|time|coproc|fi)"
COMMANDS: Final = re.compile(
    "".join(
        [
            r"(?:[ \t\n]++|(?:(?<=[ \t\n;])|\A)#[^\n]*+(?:\n|\Z))*+(?:",
            rf"(?:(?!{_KEYWORD}\b)(?:IFS=(?:''|\"\"|[,:=]|' ')?+{_GAP}(?=read{_GAP}))?+",
            rf"([A-Za-z_][\w+-]*+|\[\[?|:)(?![=(])({_WORDS})((?:{_REDIRECT}(?:{_WORDS})?+)*+)(?:{_HERE})?+",
            rf"|(?:(?:local|readonly|export){_GAP})?+({NAME})=({_WORD})?+",
            rf"|(fi\b|done\b|esac\b|\}})((?:{_REDIRECT})*+))",
            rf"{_GAP_OR_NONE}(?:(?<=[ \t])#[^\n]*+)?+(;(?!;)|\n|&&|\|\|?(?!&)|(?=;;)|\Z)",
            r"|((?:if|then|elif|else|while|do|!)(?=[ \t\n])|;;)",
            rf"|for{_GAP}({NAME}){_GAP}in((?:{_GAP}{_WORD})++){_GAP_OR_NONE}[;\n]",
            rf"|case{_GAP}({_WORD}){_GAP}in(?=[ \t\n])",
            r"|([A-Za-z_]\w*+)[ \t]*+\(\)[ \t\n]*+\{(?=[ \t\n])",
            rf"|({_WORD}(?:{_GAP_OR_NONE}\|{_GAP_OR_NONE}{_WORD})*+{_GAP_OR_NONE}\))",
            r"|(.+)|\Z)",
        ]
    ),
    re.ASCII | re.DOTALL,
).findall
"""For each part of a script, most of them empty: a command's name, words and redirections, and its here-document's
quote, mark, target and text; a variable and its value; what closes, and its redirections; the sign at the end; what
opens; a loop's variable and values; what a `case` asks; a function's name; a pattern; and all that cannot be read.
"""
PIPED: Final = re.compile(
    rf"(?:\A|\|){_GAP_OR_NONE}({_CALL})((?:{_GAP}(?!\|)(?:{_INNER}|2>/dev/null|2>&1))*+)", re.ASCII
).findall
"""The names and the words of the commands in a `$(…)`."""
SUBSTITUTED: Final = re.compile(r"\$\(([^()]*)\)").findall
"""What stands in the `$(…)` of a word: nothing in brackets is in any of them."""
COUNTED: Final = re.compile(r"\$\(\(([^()]*)\)\)").findall
"""What stands in the `$((…))` of a word."""
WITHOUT: Final = re.compile(r"\$\(\([^()]*\)\)|\$\([^()]*\)").sub
VARIABLES: Final = re.compile(rf"\$\{{?({NAME}|[\d@*])", re.ASCII).findall
NAMES: Final = re.compile(NAME, re.ASCII).findall
