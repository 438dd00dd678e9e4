"""A script cut into its commands by one regular expression, if there is no doubt about where to cut.

Only what is listed here can be read: every character of an ordinary script fits one of these forms. A quote ends in its
line, a line goes on only behind a blank and a backslash, a command whose output is used stands alone as a value.
"""

from __future__ import annotations

import re
from typing import Final

GAP: Final = r"[ \t]++(?:\\\n[ \t]*+)*+"
_GAP_OR_NONE: Final = f"(?:{GAP})?+"
_END_OF_WORD: Final = r"(?![^\s;|&])"
NAME: Final = r"[a-z]\w*+"
"""A variable that a script may set: the shell and other programs listen to those in capitals."""
_READ: Final = r"(?:[A-Za-z]\w*+|[1-9])"
_PART: Final = r"\w[\w.,@%+-]*+"  # of a path
PATH: Final = rf"{_PART}(?:/{_PART})*+"
"""A path that begins here, goes down only, and can be taken for no option."""
_PARAMETER: Final = rf"\$(?:[A-Za-z]\w*+|[1-9](?!\d)|[@*#?]|\{{(?:{_READ}|#[A-Za-z]\w*+|{_READ}:-{PATH})\}})"
_TEXT: Final = rf"\"(?:[^\"`\\$\n]++|\\[nt\"\\]|{_PARAMETER})*+\""
RAW: Final = r"'(?:[^'\n`$]++|\$(?![('\"]))*+'"
_WORD: Final = rf"(?:[\w./:=@%+,*?^\[\]-]++|{_TEXT}|{RAW}|{_PARAMETER})++"
_WORDS: Final = rf"(?:{GAP}(?!\d[<>])(?:{_WORD}|!=?))*+"
_SET: Final = rf"\$(?:{NAME}|\{{{NAME}\}})"
FILLED: Final = rf"\"(?:{_SET}|(?:\./)?\w)(?:[\w,@%+-]|\.(?=\w)|/(?=[\w$])|{_SET})*+\""
PLACE: Final = rf"(?:(?:\./)?{PATH}/?+|\.|{FILLED}){_END_OF_WORD}"
"""A place in the working directory, if the variables in it hold such places."""
AMONG: Final = rf"(?:\./[*?]|\w)(?:[*?\w.,@%+-]|/(?=[\w*?]))*+{_END_OF_WORD}"
"""Names of files, perhaps by a pattern, that can be taken for no option."""
_REDIRECT: Final = rf"{GAP}\d?(?:>&[12]{_END_OF_WORD}|(?:>>?|<){_GAP_OR_NONE}(?:/dev/null{_END_OF_WORD}|{PLACE}))"
_HERE: Final = (
    rf"{GAP}<<(?P<quote>['\"]?+)(?P<mark>[A-Za-z]\w*+)(?P=quote)(?P<target>(?:{_REDIRECT})?+)\n"
    r"(?P<text>(?:(?!(?P=mark)(?:\n|\Z))[^\n]*+\n)*+)(?P=mark)(?=\n|\Z)"
)
_KEYWORD: Final = "(?:if|then|elif|else|while|until|for|do|done|case|esac|in|select|function|time|coproc|fi)"
_COUNTED: Final = rf"\$\(\((?:[\d \t*/%]++|[+-](?![+-])|\$?{NAME})*+\)\)"
_VALUE: Final = (
    rf"(?:(?P<open>\"?+)\$\((?!{_KEYWORD}\b)([a-z][\w-]*+)({_WORDS}){_GAP_OR_NONE}\)(?P=open)|({_COUNTED}|{_WORD}|))"
)
COMMANDS: Final = re.compile(
    "".join(
        [
            r"(?:[ \t\n]++|(?:(?<=[ \t\n;])|\A)#[^\n]*+(?:\n|\Z))*+(?:(?:",
            rf"(?:(local|readonly|export){GAP})?+({NAME})={_VALUE}",
            rf"|(?!{_KEYWORD}\b)(?:IFS=(?:''|\"\"|[,:=])?+{GAP}(?=read{GAP}))?+",
            rf"([a-z][\w-]*+|\[\[?|:)(?![=(])({_WORDS})((?:{_REDIRECT})*+)(?:{_HERE})?+",
            rf"|(fi\b|done\b|esac\b|\}})((?:{_REDIRECT})*+))",
            rf"{_GAP_OR_NONE}(?:(?<=[ \t])#[^\n]*+)?+(;(?!;)|\n|&&|\|\|?(?!&)|(?=;;)|\Z)",
            r"|((?:if|then|elif|else|while|do|!)(?=[ \t\n])|;;)",
            rf"|for{GAP}({NAME}){GAP}in((?:{GAP}{_WORD})++){_GAP_OR_NONE}[;\n]",
            rf"|case{GAP}({_WORD}){GAP}in(?=[ \t\n])",
            rf"|(?!{_KEYWORD}\b)({NAME})[ \t]*+\(\)[ \t\n]*+\{{(?=[ \t\n])",
            rf"|({_WORD}(?:{_GAP_OR_NONE}\|{_GAP_OR_NONE}{_WORD})*+{_GAP_OR_NONE}\))",
            r"|(.+)|\Z)",
        ]
    ),
    re.ASCII | re.DOTALL,
).findall
"""For each part of a script, most of them empty: the word before a variable, the variable, the quote, the command and
the words of an output that it is set to, or its value; a command's name, words and redirections, and the quote, mark,
target and text of its here-document; what closes, and its redirections; the sign at the end; what opens; a loop's
variable and values; what a `case` asks; a function's name; a pattern; and all that cannot be read.
"""
PARAMETERS: Final = re.compile(r"\$\{?([A-Za-z]\w*|[\d@*#?])", re.ASCII).findall
"""The variables in words."""
FIRST: Final = re.compile(r"\"\$\{?([a-z]\w*)", re.ASCII).findall
"""The variables that texts in words begin with."""
COUNTED: Final = re.compile(_COUNTED, re.ASCII).fullmatch
NAMES: Final = re.compile(NAME, re.ASCII).findall
