r"""Values that differ between occurrences of an error are replaced by placeholders that
name their kind.

The rules know shapes that every program writes (an address, a path, a time) and no
program's own words. They run in this order, each on the result of the ones before:

| placeholder | stands for |
|---|---|
| `<url>` `<email>` `<uuid>` | as named |
| `<time>` | dates, times of day, time stamps |
| `<ip>` `<host>` | IPv4 and IPv6 addresses, hardware addresses, `name.domain:port` |
| `<path>` | Unix and Windows paths, file names with a usual ending |
| `<value>` | text in quotes; text after `name=` |
| `<num>` | numbers, with their unit where they have one |
| `<id>` | any other word with a digit in it, and long runs of hexadecimal digits |
| `<*>` | several of these at one place |

Words that identify the error stay: an HTTP status such as 404, an exit status, a
compiler's or database's code after "error" or at the beginning (`E0382`, `ORA-00942:`),
a quoted name after a word such as "argument" or "field", and a protocol's name that
ends in a digit (`SHA1`).
"""

from __future__ import annotations

import re
from typing import Final

from hexad.store.learning import VALUES

WILD: Final = "<*>"
PLACEHOLDERS: Final = frozenset({WILD, *(f"<{kind}>" for kind in VALUES)})

_UNITS: Final = (
    "bytes?|[kmgt]i?b|b|%|percent|ns|us|ms|s|m|h|d|"
    "microsec(?:ond)?s?|millisec(?:ond)?s?|msecs?|sec(?:ond)?s?|min(?:ute)?s?|hours?|hrs?|days?"
)
_ENDINGS: Final = (
    "txt|csv|tsv|jsonl?|ya?ml|xml|html?|pdf|docx?|xlsx?|pptx?|md|rst|log|py|js|ts|go|rs|rb|java|c|cc|cpp|h|hpp|sh|sql|"
    "db|sqlite3?|png|jpe?g|gif|svg|mp[34]|zip|tar|gz|tgz|toml|ini|cfg|conf|lock|parquet|exe|dll|so|jar|whl|bak|tmp"
)
_NOT_IN_A_WORD: Final = r"(?<![\w.])"
_QUOTED: Final = (
    r"""(?<!\w)(?:'[^'\n]{0,400}'|"[^"\n]{0,400}"|`[^`'\n]{0,400}['`]|‘[^’\n]{0,400}’"""
    r"""|“[^”\n]{0,400}”|«[^»\n]{0,400}»)(?!\w)"""
)
_NAMED: Final = re.compile(r"[A-Z]{2,}\d")  # a protocol
_ANNOUNCING: Final = "(?:argument|parameter|param|field|attribute|column|property|option|flag|variable)s?"
ANNOUNCES: Final = re.compile(
    _ANNOUNCING, re.IGNORECASE
)  # the word after it identifies the error
_PARAMETER: Final = re.compile(
    rf"\b(?=[acfopv])({_ANNOUNCING}:? )[\"'`]([A-Za-z_]\w{{0,60}})[\"'`]", re.IGNORECASE
)
_REASONS: Final = (
    "(?:client|server) error|bad (?:request|gateway)|un(?:authori|processa|supported)|forbidden|not found|conflict|"
    "too many|internal server|service una|gateway time|method not|payment req"
)
_CODES: Final = tuple(
    re.compile(pattern)
    for pattern in (
        r"(\b(?i:error|warning)[ :\[(]{1,2})([A-Z]{1,4}\d{3,5})(?![\w-])",
        r"((?:\A|: ))([A-Z]{2,4}-\d{5})(?=:)",
        rf"(\b)([45]\d\d)(?= (?i:{_REASONS}))",
        r"((?i:(?:\bhttp\w*|\bhttp/[\d.]+|\bstatus(?:[ _-]?code)?)(?: error| status)?\W{1,3}))([45]\d\d)\b",
        r"((?:ResponseError: |Response \[|returned (?:error: )?))([45]\d\d)\b",
        r"(\bcode )(E[45]\d\d)\b",
        r"((?i:\bsqlstate)[ :=\[(]{1,3})([0-9A-Z]{5})\b",
        r"((?i:\b(?:exit(?:ed with)?(?: status| code)?|errno|(?:error|return) ?code))[ :=]{1,3})(-?\d{1,5})(?!\w)",
        r"(\bWinError )(\d{1,5})(?=\])",
    )
)
_REASON: Final = re.compile(
    r"'([45]\d\d) ([A-Z][A-Za-z -]{2,40})'"
)  # as httpx quotes it
_MODULE: Final = re.compile(
    r"\b[A-Za-z_]+\d\w*(?:\.\w+)*\.(?=[A-Z][a-z]+[A-Za-z]*\b)"
)  # before an exception's name
_KEY: Final = re.compile(r"\b(KeyError: )['\"]([A-Za-z_]\w{0,60})['\"]")
_HIDDEN: Final = {
    ord(str(digit)): 0xE000 + digit for digit in range(10)
}  # digits of codes, hidden from the rules
_SHOWN: Final = {hidden: digit for digit, hidden in _HIDDEN.items()}
_REQUEST: Final = re.compile(
    r"""["'](GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS) (\S+)(?: HTTP/[\d.]+)?["']"""
)
_MONTH: Final = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*"
_DATE: Final = rf"(?:{_MONTH} \d\d?|\d\d? {_MONTH})"
_BEGUN: Final = (
    r"\b(?=\d\d? [jfmasond]|[jfmasondtw][a-z]{2})"  # most places need no further look
)
_DAY: Final = "(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*"
_ZONE: Final = "(?: [A-Z]{3,4} \\d{4})?"  # as `date` writes it
_CLOCK: Final = r"\d\d?[:,]\d\d(?:[:,]\d\d)?(?:[.,]\d+)?(?:\s?[ap]m\b)?"
_DIGIT, _TIED, _DOTTED = map(
    re.compile, (r"\d", r"[-:,(/][\da-fA-F]", r"\.[A-Za-z]")
)  # quick tests
_CODED: Final = re.compile(
    r"[45]\d\d\b|[A-Z-]\d{3}|(?i:sqlstate|exit|errno|winerror|code)"
)  # only such a text holds a code
_RULES: Final[tuple[tuple[re.Pattern[str], str, re.Pattern[str] | str], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), placeholder, held)
    for pattern, placeholder, held in (  # only a text that holds this can match
        (
            r"\b[a-z][\w.+-]{1,60}://[^\s'\"<>|\\^`{}]*[^\s'\"<>|\\^`{}.,;:!?)\]]",
            "<url>",
            "://",
        ),
        (
            r"(?<![\w.+-])[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,8}",
            "<email>",
            "@",
        ),
        (r"\b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b", "<uuid>", "-"),
        (
            rf"\b\d{{4}}[-/]\d\d?[-/]\d\d?(?:[T_ ]{_CLOCK})?(?:Z\b|\s?[+-]\d\d:?\d\d)?",
            "<time>",
            _TIED,
        ),
        (
            rf"{_BEGUN}(?:{_DAY},? )?{_DATE}(?:,? \d{{4}})?(?:,? {_CLOCK})?{_ZONE}\b",
            "<time>",
            _DIGIT,
        ),
        (r"\b\d\d?/\d\d?/\d{2,4}\b", "<time>", _TIED),
        (r"(?<![\w:])(?:[0-9a-f]{2}[:-]){5,}[0-9a-f]{2}(?![\w:])", "<ip>", _TIED),
        (r"(?<![\w:])(?:[0-9a-f]{1,4}:){5,7}[0-9a-f]{1,4}(?![\w:])", "<ip>", _TIED),
        (
            r"(?<![\w:.])(?:[0-9a-f]{1,4}:){1,6}(?::[0-9a-f]{1,4}){1,6}(?![\w:])|(?<![\w:])::1(?![\w:])",
            "<ip>",
            "::",
        ),
        (
            rf"{_NOT_IN_A_WORD}/?\d{{1,3}}(?:\.\d{{1,3}}){{3}}(?:[:/]\d+)?(?![\w.-]*\w)",
            "<ip>",
            ".",
        ),
        (
            rf"{_NOT_IN_A_WORD}[\w+/-]{{1,160}}\.(?:{_ENDINGS})(?:(?::\d+){{1,2}}(?!\w|:\d)|\(\d+,\d+\))",
            "<path>",
            ".",
        ),
        (rf"\b{_CLOCK}\b(?!:?\d)", "<time>", _TIED),
        (
            r"\b(?:[a-z0-9][a-z0-9-]{0,62}\.){1,8}[a-z]{2,24}:\d{1,5}\b|\blocalhost:\d+\b",
            "<host>",
            _TIED,
        ),
        (rf"{_NOT_IN_A_WORD}(?:[a-z]:\\|\\\\)[^\s:*?\"'<>|,;()]+", "<path>", "\\"),
        (
            r"(?<![\w.<>])(?:~|\.{1,2})?(?:/[\w.+@%~#=-]{1,160}){2,40}/?(?:\?[^\s\"']*)?",
            "<path>",
            "/",
        ),
        (
            r"(?<![^\s'\"(\[=:])(?:~|\.{1,2})?/[\w.+@%-]{0,160}\w/?(?![\w/])",
            "<path>",
            "/",
        ),
        (
            rf"{_NOT_IN_A_WORD}(?:[\w+-]{{1,80}}/){{0,16}}[\w+-]{{1,80}}\.(?:{_ENDINGS})\b(?![.(/\w])",
            "<path>",
            _DOTTED,
        ),
        (_QUOTED, "<value>", ""),
        (
            r"(?<=\w=)(?:\[[^\]\n]{0,400}\]|\{[^}\n]{0,400}\}|\([^)\n]{0,400}\)|[^\s,;()\[\]{}]+)",
            "<value>",
            "=",
        ),
        (
            rf"{_NOT_IN_A_WORD}[<>~≈]?=?[+-]?\d[\d,._]{{0,40}}\s?(?=[%a-z])(?:{_UNITS})(?!\w)",
            "<num>",
            _DIGIT,
        ),
        (r"<num>\s?\(\s?<num>\s?\)", "<num>", "<num>"),
    )
)
_OF_ONE_RUN: Final = re.compile(
    r"""(?ix) (?<![\w/])([a-z][\w.+-]{1,60}://)(?=[\w.-])[^\s'"<>|\\^`{}]*[^\s'"<>|\\^`{}.,;:!?)\]]
    | (?<![\w.+-])[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+
    | \b[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}\b | (?<![\w.])(?:~|\.{1,2})?(?:/[\w.+@%~\#=-]+){2,}/?
    | \b0x[0-9a-f]{4,}\b | \b[a-z]:\\[^\s'"]+ | \breq(?:uest)?_(?=\w*\d)\w+
    | \b(?=[a-z]*\d)(?=\d*[a-z])[0-9a-f]{7,}\b | \b[a-z]+[_-](?=\w*\d)(?=\w*[A-Z])\w{4,}\b
    | \b(?=\w*\d)(?=\w*[a-z])\w{14,}\b | \b\d{7,}\b
    | \b(?:\d{1,3}\.){3}\d{1,3}\b(?::\d+)?
    """
)
_NUMBER: Final = re.compile(
    r"(?<![\w.<-])[+-]?\d+(?:[.,_]\d+){0,40}(?:e[+-]?\d+)?(?!\w)", re.IGNORECASE
)


def mask_run(text: str) -> str:
    """The text without what belongs to one run: addresses, paths, times of day and
    identifiers. Names and numbers stay.

    >>> mask_run("pass --out to /home/ann/run/4: file 'a1b2c3d4e5f6' has 3 of 5 columns")
    "pass --out to …: file '…' has 3 of 5 columns"
    """
    return _OF_ONE_RUN.sub(lambda found: f"{found[1] or ''}…", text)


def holds_code(text: str) -> bool:
    """Whether a text may hold a code, whose digits matter.

    >>> holds_code("HTTP 404"), holds_code("no row 17")
    (True, False)
    """
    return _CODED.search(text) is not None


def masked(text: str) -> str:
    """The text with every value replaced, and the digits of codes hidden; `word` shows
    them again.

    >>> masked("GET https://api.example.com/v2/users/17 timed out after 30 s (request 4f1c-9a)")
    'GET <url> timed out after <num> (request 4f1c-9a)'
    """
    holds: dict[object, bool] = {
        each: each.search(text) is not None for each in (_DIGIT, _TIED, _DOTTED)
    }
    if holds[_DIGIT] and holds[_DOTTED]:
        text = _MODULE.sub("", text)
    if "'4" in text or "'5" in text:
        text = _REASON.sub(
            lambda found: f"{found[1].translate(_HIDDEN)} {found[2]}", text
        )
    if "KeyError" in text:
        text = _KEY.sub(r"\1\2", text)
    for pattern in _CODES if holds[_DIGIT] and holds_code(text) else ():
        text = pattern.sub(lambda found: found[1] + found[2].translate(_HIDDEN), text)
    text = _PARAMETER.sub(r"\1\2", _REQUEST.sub(r"\1 \2", text))
    for pattern, placeholder, held in _RULES:
        if held in text if isinstance(held, str) else holds[held]:
            text = pattern.sub(placeholder, text)
    return _NUMBER.sub("<num>", text) if holds[_DIGIT] else text


def word(token: str) -> str:
    """A word of masked text as a pattern has it: the word itself, or a placeholder if a
    part of it may differ.

    >>> word("core.2275"), word("timeout"), word("SHA1")
    ('<id>', 'timeout', 'SHA1')
    """
    if token.isalpha() or token in PLACEHOLDERS:
        return token
    if "<" in token and any(each in token for each in PLACEHOLDERS):
        return "<id>"
    if _NAMED.fullmatch(token):
        return token
    return "<id>" if any(map(str.isdigit, token)) else token.translate(_SHOWN)
