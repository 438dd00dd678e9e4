"""Reads from an error's text what it asks for: a wait, or sentences that say what to do or what it expects.

By form, not by program: JSON bodies are read by the names that APIs use, other text sentence by sentence. Sentences
that advise to take rights or to turn a check off are left out.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.learning.errors.body import messages
from hexad.learning.errors.masking import mask_run
from hexad.learning.errors.pattern import essence
from hexad.learning.fixes.programs import BEFORE_A_LINE, CHECKS, UNGUARDED

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LONGEST: Final = 240  # characters of an error that a fix quotes
_MOST_SENTENCES: Final = 2
_START: Final = r"(?-i:(?<![A-Za-z])|(?=[A-Z]))"  # of a word, also inside a name such as `ReadTimeout`
_RESULT: Final = re.compile(  # no message at all, or a check that found something: the call itself was right
    rf"""(?imx) {CHECKS} | \A\s*(?:(?:exit\ (?:code|status):?|make(?:\[\d+\])?:\ \*\*\*.*\ Error)\ -?\d+\s*)*\Z
    | \b(?:Assertion|Recursion|Memory)Error\b(?!:[^\n]*\bmust\b) | \b\d+\ fail(?:ed|ing|ures?)\b(?!:)
    | \btests?\ failed | (?-i:^(?:---\ )?FAIL(?:ED)?\b(?!:)) | \b\d+\ problems?\b | \bfound\ \d+\ errors?\b
    | ^"?[\w./-]+\.\w+"?:\d+(?::\d+)?:\ | ^\ *-->\ [\w./-]+:\d+ | \bhook\b[^\n]*\bfailed"""
)
_PASSING: Final = re.compile(  # errors that time may heal
    rf"""(?ix) {_START}(?: (?<!--)time[sd]?[ -]?out\b(?!\]|\ (?:value|must|should))
    | connection\b[^.\n]{{0,60}}\b(?:refused|reset|aborted|error|closed|fail(?!.*not\ exist))
    | incomplete\ ?read | disconnected
    | unavailable | overloaded | (?:could\ ?n[o']t|failed\ to|unable\ to|cannot)\ (?:connect|establish|resolve\ host)
    | max\ retries | too\ many\ requests | \b50[234]\b | \b5\d\d\ (?:server|internal) | HTTP\ 5\d\d
    | internal\ server\ error
    | unreachable | \bECONN | ENOTFOUND | ETIMEDOUT | service\ not\ known | network\ error | maintenance | slow\ ?down
    | broken\ pipe | deadlock | temporar | (?<!-)\block(?:ed)?\b | rate\ limit | quota(?!t) | \bbusy\b )"""
)
_REFUSED: Final = re.compile(  # errors about rights, money and room
    rf"""(?ix) {_START}(?: \b40[13]\b | unauthori[sz]ed | not\ authori[sz]ed | forbidden | authenticat | credentials
    | captcha | access\ ?(?:is\ )?denied | permission[ _](?:'[^']*'\ )?denied | operation\ not\ permitted | api[ _-]?key
    | certificate | invalid\ token | host\ key | declined | must\ be\ owner | dubious | username
    | (?<!workspace\ )(?<!project\ )\broot\b(?!\ (?:module|folder|dir|of))
    | privilege | insufficient | balance | (?<!["'])(?:billing | payment\b(?!-)) | password | fraud | suspended
    | no\ space\ left | disk\ (?:is\ )?full | out\ of\ memory | read-only\ file | rejected\ by | blocked | subscription
    | \btrial\b | premium )"""
)
_ABSENT: Final = re.compile(  # errors about one value: it does not exist, or exists already
    rf"""(?ix) {_START}(?: not[ _]?found | no[ _]such | (?:do(?:es)?|did)\ ?n[o']t\ (?:exist|match\ any)
    | can(?:no|')t\ find | \blisted\b
    | (?:could\ ?n[o']t|unable\ to)\ (?:be\ )?(?:find|found|access|locate|open|parse\ range|resolve\ to) | \bunknown\b
    | zero_results | no\ (?:results|data|record|rule|match) | not\ (?:present|registered|available)
    | nothing\ (?:found|to) | (?:invalid|bad)\ (?:reference|object|revision) | index\ out\ of\ range | \b404\b
    | no\ (?:\w+\ ){{1,2}}(?:found|matched|named|left|available|for|exists) | not\ a\ git
    | cannot\ (?:open|access|stat)
    | no\ longer | expired | cancell?ed | deleted | already | (?:file|entry)\ exists | \bduplicate
    | (?<!dependency\ )conflict | unique\ constraint | in\ use\b | \btaken\b )"""
)
_LANGUAGE: Final = (  # what a language or a library cannot do with what was given
    r"no\ such\ function | resource\ type | (?:exclusion|check)\ constraint | serializable | host\ bits | deprecated"
    r"| padding | offset-naive | misuse | cannot\ (?:run|be\ matched)\b | more\ than\ one\ row | well-formed"
    r"| case-sensitive | no\ closing | near\ [\"']\w+[\"']:\ syntax"
)
_OF_THE_CALL: Final = re.compile(  # unless the error says what the call should be
    rf"""(?ix) \b(?:must|should)\ (?:be|have|not|contain|match|start|end)\b | \bone\ of\b(?!\ your) | choose\ from
    | \bexpected\b | \brequired\b
    | (?:allowed|valid|supported|possible|accepted)\ (?:values|choices|options|types|formats)
    | (?:allowed|valid|supported|available|known)(?:\ \w+)?:\ ['"]?[\w-]+['"]?,
    | find\ (?:the\ )?(?:field|param|propert)\w*\ | cannot\ be\ set
    | is\ not\ of\ type | (?:media|content)[ -]type | unexpected\ (?:keyword|arg|field|prop|key) | additional\ prop
    | unknown\ (?:shorthand\ )?(?:field|param|arg|option|flag|switch|predicate|key|propert|attribute|type|format
        |encoding) | {_LANGUAGE}"""
)
_FORM: Final = re.compile(  # of credentials, for instance
    r"(?i)\bheaders? must (?:be|have|start|contain|use)\b|\bmust be one of\b"
)
_CHECK: Final = "(?:verif|check|ssl|tls|cert|sign|gpg|lock|hook|auth|valid|secur|safe|sandbox|protect|strict|root|test)"
_DANGER: Final = re.compile(  # rights that are taken, checks that are turned off
    rf"""(?ix) (?<![\w-])--?(?:[\w-]*(?:force|insecure|unsafe|dangerous|privileged|admin|bypass|dirty|yolo|trusted-host
        |break-system|data-loss|ignore-platform|fake) | hard | cascade | overwrite | delete\b | replace\b(?!-all)
        | (?:no|allow|without|legacy|\w*skip|ignore|disable)-?[\w-]*{_CHECK})[\w-]*
    | (?<![\w.-])(?:[\w.-]*[._-])?{_CHECK}[\w.-]*
        (?:\s?[=:]\s?["']?(?:no|0|none|never|allow|prefer)|["']?[=:\ ]["'\ ]?(?:false|off|disable))
    | {UNGUARDED} | {_CHECK}ing?=no | \b(?:confirm(?:ed)?|overwrite)["']?\s?[=:]\s?["']?(?:true|yes|1)\b
    | reject_?unauthorized | no_verify
    | \b(?:as|be)\ root\b | superuser | administrator | (?:-u\ |\buser=|\brole=|\bas_)(?:root|admin)\b | \b0?777\b
    | \bforce-unlock | (?<!\S)--(?:as|become|impersonate)\b
    | \bdisable\ (?:\w+\ )?(?:disable|lock|trigger|check) | \bcascade\b | \binsecure\b
    | \bhost\ key\b | not\ recommended
    | skip_\w+\s?= | override_\w | trust_remote | \bto\ (?:skip|bypass)\b | pass-?with-?no | failure\.ignore
    | at\ (?:the|your\ own)\ risk | override\ this | \bforce\b | \buse\ -f\b | really\ want
    | (?<![\w-])rm\ (?:['"…/]|-\w*f) | if\ you\ are\ sure"""
)
_TIME: Final = (
    r"((?:(?:\d+(?:\.\d+)?|an?|one)\s?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h)(?![a-z])"
    r"\s?(?:and )?)+)"
)
_LATER: Final = (
    r"\b(?:re)?(?:try|tried|wait|again|later|available|resets?|resumes?|cool\w*|slow|throttled|locked|limit\w*)\b"
)
_WAITS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_LATER}[^.\n]{{0,48}}?\b(?:in|after|for|at least|within)\b:?\s*(?:about |approximately |another )?{_TIME}",
        rf"\b(?:wait(?:ing)?|retry(?:ing)?)\b[^.\n]{{0,48}}?(?<!\w){_TIME}",
        rf"(?<!\w){_TIME}(?:before|until|between)\b",
        rf"retry[-_ ]?(?:after|delay|in)[-_a-z]*['\"]?\s*(?:[:=]|is|of)?\s*['\"]?(?:{_TIME}|([\d.]+)\b(?![-/:]))",
    )
)
_PART: Final = re.compile(r"(\d+(?:\.\d+)?|an?|one)\s?([a-z]*)", re.IGNORECASE)
_UNITS: Final = {"ms": 0.001, "mi": 60, "m": 60, "h": 3600, "ho": 3600, "hr": 3600}  # by two letters; else seconds
_HINT: Final = re.compile(  # sentences that say what to do
    r"""(?ix) did\ you\ mean | \bshould\ this\ be\b | most\ similar | (?:perhaps|maybe)\ you | \bbefore\ \w+ing\b
    | similar\ (?:\w+\ exists|name|to)\b
    | \bto\ fix\b | \btry\ (?!again|the\ request) | \b(?<!in\ )(?<!re-)use\ (?!of\b)
    | \bplease\ (?!try\ again|contact|visit|check\ your|see)
    | \byou\ (?:have\ to|need|must|may|might|can|should)\b | ^(?!got\b).*\binstead\b | \bspecify\b
    | \b(?:make\ sure|ensure)\b
    | ^[A-Z][a-z]+\ (?:your|the)\ \w+\ (?:either\ )?(?:by|using)\b
    | \bit\ first\b
    | [,;]\ (?:set|pass|add|run|create)\b | \bby\ (?:passing|setting|adding|running\ [`'"]) | \bpass\ [`'-]
    | (?:^|:\ )possibl[ey]\b(?!\ delisted)
    | ^(?:run|review|fix|poll|enable|consider|remove|add|set|give|provide|choose|enter|include|send)\b"""
)
_EXPECTS: Final = re.compile(  # sentences that say what is expected
    rf"""(?ix) \bmust\b | \bshould\b | \bexpect(?!ed\)) | \brequire | \bmissing(?:\b|_) | \bone\ of\b(?!\ your)
    | never\ closed | ^example:\ | ^allow:\ | {_LANGUAGE}
    | \b(?:can|may|must|is|are|be)\ only\b | \bonly\ (?:one|supports?|accepts?|allow) | \bambiguous\b | \bexceed
    | \bin\ the\ (?:past|future)\b | ^\W*(?:\d+\ )?cannot\b.*\bwithout\b
    | \bat\ (?:least|most)\b | \bdivisible | \bm(?:ax|in)(?:imum)?\b | \brange\b | \bsupports?\b | \baccept
    | (?<!not\ )\bempty\b(?!\ re) | strict\ mode\ violation
    | \bcan(?:\ ?no|')t\ (?:be\ (?:blank|null|neg|used|mixed|combined)|contain|have|accept|exceed)
    | \bnot\ an?\ (?:number|int|list|array|string|text|bool|date|object|dict|e-?mail|url|iso\b)
    | (?:allowed|valid|supported|possible|available|known)(?:\ [\w'…]+){{0,2}}: | \b(?:larg|great|small|high|low)er\b
    | \b(?:not|be)\ specified | not\ find\ (?:the\ )?(?:field|param|propert) | neither\ grouped
    | \btoo\ (?:long|many|large|big|short|few|small) | \bnumber\ of\b | \buses\ \d | \bneeds\b
    | \btakes\b | (?:arguments|inputs\ are\ not)\ permitted | not\ supported\ between | not\ up\ to\ date
    | not-null | cannot\ be\ called"""
)
_MALFORMED: Final = re.compile(  # sentences that say that something has a wrong form
    r"""(?ix) valid(?!ation\ failed|\ \w+\ byte) | \bformat | incorrect\ \w+\ value | convert | \bcast\b | between\ -?\d
    | mismatch | \b(?:method|values|functions|arguments)\b.{0,16}\ not\ allowed | limit
    | unterminated | unmatched | unclosed | unexpected\ (?!mime) | syntax | malformed | \bbad(?:ly)?\b(?!\ request)
    | \bcan(?:no|')t\ (?:start|index|iterate|parse)\b | unknown | unrecogni[sz]ed | columns | undeclared
    | not\ (?:appear|look)"""
)
_IDLE: Final = re.compile(  # sentences that lead elsewhere
    r"""(?ix) ^usage\b | --?help\b | \bfor\ help\b | \bhelp\ (?:for\b|\w+\s*$) | for\ more\ (?:information|details|info)
    | further\ information | \blearn\ more\b | ^see\b | \bvisit\b | documentation | more\ details
    | view\ all\ installed | you\ can\ also\ install
    | complete\ log | ^\s*at\ \S+\ ?\( | find\ a\ package | --explain | another\ card
    | \b(?:try|select|choose|use|pick)\ (?:with\ )?(?:an?\ )?(?:different|another|other)\b
    | access\ rights | billing | your\ (?:bank|administrator)
    | (?:make\ sure|ensure)\ [^.]*(?:exist|correct|spell) | spelling | ^Traceback
    | \bhere:?\ https?:// | ^File\ "
    | \blike\ this\b | you\ can\ find | \bcontact\b | ^this\ is\ usually | ^line\ \d+: | \baborting\b
    | issue\ above | \bignored\ by\b | \bhelp\ text\b | right\ host | with\ caution"""
)
_USAGE: Final = re.compile(  # how a program is called: its synopsis and its list of options
    r"(?im)^[ \t]*(?:usage:.*(?:\n[ \t]+.*)*|or: .*|options:.*|--?[\w\[][^:\n]*(?:\n[ \t]{8,}.*)*)$"
)
_DECORATION: Final = re.compile(
    r"(?m)^[ \t]*(?:[│╷╵╭╰─║╔╚═╗╝>×|=*!^~]+[ \t]*)+|[ \t]*[│╮╯║]$|</?tool_use_error>"
    rf"|^{BEFORE_A_LINE}[ \t]*|^[ \t]*hint:[ \t]+"
    r"|\[type=.*\]$"
)
_LABEL: Final = re.compile(
    r"^(?:(?:ERROR|[Ee]rror|fatal|E|[\w. /-]{2,30}: error|(?:[\w./-]+:\d+(?::\d+)?: )?(?:note|help))(?:\[\w+\])?: +)+"
)
_GOES_ON: Final = re.compile(r"(?<=[\w,:?`'\"])\n+(?:[ \t]+(?=\S)|(?=[a-z(\"'`][^:\n]*(?:\n|\Z)))")
_SENTENCE: Final = re.compile(r"(?<=[^.][.!?;])\s+(?=[A-Z`'\"(])|\n+")


class Cause(Enum):
    """The matter of an error, which decides what a difference between two calls can mean."""

    CALL = "the form of the call"
    ABSENT = "something that does not exist, or exists already"
    OTHER = "nobody can tell"
    REFUSED = "rights, money or room"
    PASSING = "time may heal it"
    RESULT = "a result, not a mistake of the call"


_NOT_INSTALLED: Final = re.compile(r"(?m)^\S*sh: .*not found$|\bto (?:add|get|install) it\b")  # found by a check
_SIGNS: Final = (  # the first that shows decides
    (Cause.ABSENT, _NOT_INSTALLED),
    (Cause.RESULT, _RESULT),
    (Cause.PASSING, _PASSING),
    (Cause.CALL, _FORM),
    (Cause.REFUSED, _REFUSED),
    (Cause.CALL, _OF_THE_CALL),
    (Cause.ABSENT, _ABSENT),
    *((Cause.CALL, sign) for sign in (_HINT, _EXPECTS, _MALFORMED)),
)


class Failure(NamedTuple):
    """An error's text, and what it is about."""

    text: str
    cause: Cause

    @classmethod
    def of(cls, error: str) -> Failure:
        """By the words of the error: about the form of the call only if it has words for that."""
        own = mask_run(error)  # a folder `billing` is not about money
        return cls(error, next((cause for cause, sign in _SIGNS if sign.search(own)), Cause.OTHER))

    @property
    def of_the_call(self) -> bool:
        """Whether another form of the call could prevent it."""
        return self.cause is Cause.CALL


class Said(NamedTuple):
    """Sentences of an error to quote: they say what to do, what is expected, or that something has a wrong form."""

    text: str = ""
    hint: bool = False
    expects: bool = False
    malformed: bool = False


def is_dangerous(text: str) -> bool:
    """Whether words take rights or turn a check off.

    >>> [is_dangerous(each) for each in ("git push --force", "verify=False", "git push -u origin main")]
    [True, True, False]
    """
    return _DANGER.search(text) is not None


class Wait(NamedTuple):
    """A time to wait, in seconds and as the error writes it."""

    seconds: float = 0.0
    text: str = ""


def wait_of(error: str) -> Wait:
    """The time that an error asks to wait; no time if it does not.

    >>> wait_of("Rate limit reached. Please try again in 1m20s.").seconds, wait_of("429 {'Retry-After': '12'}").text
    (80.0, '12')
    """
    found = next(filter(None, (pattern.search(error) for pattern in _WAITS)), None)
    if found is None:
        return Wait()
    text = next(filter(None, found.groups())).strip()
    parts = [(float(number) if number[0].isdigit() else 1.0, unit.lower()) for number, unit in _PART.findall(text)]
    return Wait(sum(number * _UNITS.get(unit.replace("milli", "ms")[:2], 1) for number, unit in parts), text)


def said(error: str, values: Iterable[str] = ()) -> Said:
    r"""The sentences of an error that help most, without the ``values`` of the call and others of one run.

    >>> said("git: 'psuh' is not a git command. See 'git --help'.\n\nThe most similar command is\n\tpush").text
    'The most similar command is push'
    """
    sentences = [each for each in _sentences(_without(values, error)) if not _IDLE.search(each)]
    hints = _harmless(each for each in sentences if _HINT.search(each))
    expected = [] if hints else _harmless(each for each in sentences if _EXPECTS.search(each))
    wrong = [] if hints or expected else _harmless(each for each in sentences if _MALFORMED.search(each))
    text = mask_run("; ".join(dict.fromkeys(each.rstrip(" .:;") for each in hints or expected or wrong)))
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} …"
    return Said(short.replace('"', "'"), bool(hints), bool(expected), bool(wrong))


def _without(values: Iterable[str], error: str) -> str:
    """An error without the texts that the call gave: of one run, and perhaps somebody else's instructions."""
    for value in sorted(values, key=len, reverse=True):
        error = re.sub(rf"(?<![\w.,/-]){re.escape(value)}(?![\w-])", "…", error)
    return error


def _harmless(sentences: Iterable[str]) -> list[str]:
    """The first sentences, without clauses that advise something dangerous."""
    found = []
    for each in sentences:
        first = re.split(r",? or |; |, but |, you can ", each, maxsplit=1)[0] if is_dangerous(each) else each
        whole = first == each or (" " in first and (_HINT.search(first) or _EXPECTS.search(first)))
        if whole and not is_dangerous(first):
            found.append(first)
        if len(found) == _MOST_SENTENCES:
            break
    return found


def _sentences(error: str) -> Iterator[str]:
    """The sentences of an error: of its JSON body if it has one, else of its lines."""
    body = [each.replace("\n", " ") for each in messages(error)]
    text = "\n".join(body) or _GOES_ON.sub(" ", _DECORATION.sub("", _USAGE.sub("", essence(error))))
    return filter(None, (_LABEL.sub("", each).strip() for each in _SENTENCE.split(text)))
