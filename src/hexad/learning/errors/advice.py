"""Reads from an error's text what it asks for: a wait, a hint, the form that it expects.

By form, not by program: JSON bodies are read by the names that APIs use, other text sentence by sentence. Sentences
that say what to do are kept and quoted; those that advise to take rights or to turn a check off are left out.
"""

from __future__ import annotations

import re
from enum import StrEnum
from typing import TYPE_CHECKING, Final, NamedTuple

from hexad.learning.errors.body import messages
from hexad.learning.errors.masking import mask_run

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LONGEST: Final = 240  # characters of an error that a fix quotes
_MOST_SENTENCES: Final = 2
_LONG: Final = 100  # characters of an argument that an error may repeat in part
_WORD: Final = re.compile(r"\w+")


class About(StrEnum):
    """What an error is about, as far as it decides whether other arguments can be its fix."""

    MISSING = "something does not exist"
    REFUSED = "rights, credentials, certificates, payments"
    OUTAGE = "the service did not answer"
    EXISTS = "something exists already"
    FORM = "the call itself"


_ABOUT: Final = (
    (
        About.OUTAGE,
        (
            r"timed? ?-?out\b|\btimeout|connection (?:refused|reset|aborted|error)|unavailable|overloaded"
            r"|could ?n[o']t connect|failed to connect|max retries|\b5\d\d (?:server|internal|bad|service)|HTTP 5\d\d"
            r"|internal server error|network is unreachable|temporary failure|broken pipe|deadlock"
        ),
    ),
    (
        About.REFUSED,
        (
            r"permission|\b40[13]\b|unauthori[sz]ed|forbidden|authenticat|credentials|access (?:is )?denied"
            r"|api[ _-]?key|\btoken (?:has )?expired|certificate|host key|declined|are you root|not allowed to"
            r"|must be owner|\block\b|superuser|privilege|quota|insufficient|billing|password|passphrase|coupon|voucher"
            r"|\bcard (?:was|has|number)|payment|fraud|blocked|suspended|rejected by"
        ),
    ),
    (About.EXISTS, r"already|file exists|\bduplicate|(?<!dependency )conflict|unique constraint|in use\b|\btaken\b"),
    (
        About.MISSING,
        (
            r"not[ _]?found|no[ _]such|do(?:es)? ?n[o']t (?:exist|match any)|not exist|can(?:no|')t find|cannot find"
            r"|could ?n[o']t find|unable to (?:access|locate|find|parse range)|\bunknown\b|zero_results|no results"
            r"|not present|invalid reference|index out of range|\b404\b|\b410\b|no \w+ (?:found|matched|named)"
            r"|not a git repository|cannot open|can't open|cannot access|ambiguous argument|unknown revision|nothing to"
            r"|no longer|expired|cancell?ed|closed\b|sold out|out of stock|fully booked|not available"
            r"|empty result|could not resolve host"
            r"|no rule to make|no matching|\bgone\b|invalid (?:object|revision|refspec)|has no \w+ (?:named|called)"
        ),
    ),
)
_ABOUT_THE_CALL: Final = re.compile(  # the error says what the call should look like: it is not about a missing thing
    r"(?i)\bmust (?:be|have|not|contain|match|start|end)\b|\bshould (?:be|have|match)\b|\bone of\b"
    r"|choose from|\bexpected\b|\brequired\b"
    r"|\b(?:allowed|valid|supported|possible|accepted) (?:values|choices|options|types|formats)"
    r"|unexpected (?:keyword|arg|field|prop|key)"
    r"|unknown (?:field|param\w*|arg\w*|option|flag|key(?:word)?|propert\w+|attribute|type|format|unit)\b"
    r"|not a valid|is not of type"
)
_ABOUT_WORDS: Final = tuple((about, re.compile(words, re.IGNORECASE)) for about, words in _ABOUT)
_DANGER: Final = re.compile(
    r"""(?ix) \bsudo\b | (?<![\w-])(?:
        --?(?:no-verify|force(?:-\w+)*|insecure|unsafe\S*|break-system-packages|skip-\w*(?:verif|check|valid)\S*
        |no-check-\S+|disable-\S*(?:check|verif|ssl|tls|lock|sandbox)\S*|allow-unauthenticated
        |allow-unrelated-histories
        |trusted-host|privileged|no-sandbox|ignore-\S*(?:ssl|cert|check)\S*|dangerously\S*|no-preserve-root|cascade
        |legacy-peer-deps|strict-ssl|skip-ssl|proxy-insecure|disable-web-security|allow-root|force-unlock
        |no-strict-ssl|yolo|reset-hard|hard|allow-empty-password|no-gpg-check|nogpgcheck|no-same-owner|no-lock
        |overwrite)
        (?![\w-]) | -\w*k\w*(?=\ https?:) ) | -?lock=false | StrictHostKeyChecking | UserKnownHostsFile
    | \bchmod\s+(?:-\w+\s+)?(?:0?777|a\+r?wx?|o\+r?wx?|666|\+w) | \b(?:SKIP|HUSKY)=\S | \bforce-unlock\b
    | \binsecure\b\s*[=:]
    | \bstrict-ssl\b | skip\w*tests | \b(?:setenforce|doas|runas)\b | \bufw\ disable | ssl-?mode=disabled
    | \s-u\ (?:root|0)\b
    | \bbranch\ -D\b | if\ you\ are\ sure | \bDROP\ .*CASCADE | --no-?verify | \bcascade\b | GIT_SSL_NO_VERIFY
    | NODE_TLS_REJECT | http\.sslVerify
    | PYTHONHTTPSVERIFY | verify\s*[=:]\s*false | sslmode\s*=\s*(?:disable|allow|prefer) | \brm\s+-\w*f
    | --accept-host-key
    | set\s+foreign_key_checks | disable\s+(?:trigger|row) | \bas\ root\b | \bdisable\ (?:\w+\ )?lock | \bsuperuser\b
    | \boverride\ this\b | not\ recommended | at\ (?:the|your\ own)\ risk | \bkill\s+-9
    """
)
_TIME: Final = (
    r"((?:(?:\d+(?:\.\d+)?|an?|one)\s?(?:milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h)(?![a-z])"
    r"\s?(?:and )?)+)"
)
_LATER: Final = (
    r"\b(?:re)?(?:try|tried|wait|again|later|available|resets?|resumes?|refreshes|cool\w*|slow|throttled|locked"
    r"|limit\w*)\b"
)
_WAITS: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_LATER}[^.\n]{{0,48}}?\b(?:in|after|for|at least|within)\b:?\s*(?:about |approximately |another )?{_TIME}",
        rf"\b(?:wait(?:ing)?|retry(?:ing)?)\b[^.\n]{{0,48}}?(?<!\w){_TIME}",
        rf"(?<!\w){_TIME}(?:before|until|between)\b",
        rf"retry[-_ ]?(?:after|delay|in)[-_a-z]*['\"]?\s*(?:[:=]|is|of)?\s*['\"]?{_TIME}",
        r"retry[-_ ]?(?:after|delay|in)[-_a-z]*['\"]?\s*(?:[:=]|is|of)?\s*['\"]?(\d+(?:\.\d+)?)\b(?![-/:])",
    )
)
_PART: Final = re.compile(r"(\d+(?:\.\d+)?|an?|one)\s?([a-z]*)", re.IGNORECASE)
_UNITS: Final = {"ms": 0.001, "mi": 60, "m": 60, "h": 3600, "ho": 3600, "hr": 3600}  # by two letters; else seconds
_HINT: Final = re.compile(
    r"""(?ix) did\ you\ mean | most\ similar | perhaps\ you | similar\ \w+\ exists | \bsimilar\ (?:name|to)\b
    | ^(?:hint|help|tip)\b
    | ^try\ (?!again|the\ request) | \btry\ (?:adding|using|running|passing|`|') | \buse\ (?!of\b) | \busing\ [`'-]
    | \bplease\ (?!try\ again|contact|visit|wait|check\ your|see)
    | \byou\ (?:have\ to|need|must|may\ want|might|can|should)\b
    | \binstead\b | \bmake\ sure\b | \bspecify\b | \bby\ (?:running|passing|setting|adding) | ^run\b | \breview\b
    | \bcommit\ your\ changes | \bpass\ [`'-] | ^(?:fix|consider|remove|add|set|give|provide|choose|rename)\b
    | \bto\ fix\b | \brequires\b
    """
)
_FORM: Final = re.compile(
    r"""(?ix) \bmust\b | \bshould\b | \bexpect | \brequire | \bmissing\b | \binvalid\b | \bvalid\b
    | choose\ from | \bone\ of\b
    | \bonly\b | \bat\ (?:least|most)\b | \brange\b | \bformat\b | \barray\b | \blist\b | \bstring\b
    | \binteger\b | \bnumber\b
    | \bsupport | \ballowed\b | \baccepts?\b | \bavailable\b | \bpossible\b | \bpermitted\b | \bambiguous\b
    | \bcannot\b | \bcan't\b | \bcan\ not | \bunexpected\b | \bnot\ (?:a|an|in|of|be|permitted|defined)\b
    | \bunable\b | \brefus | \btoo\ (?:long|many|large|big|short) | \blimit\b | \blarger\b | \bexceed
    | \bargument | \boption
    | \bno\ \W?-\w | \bdoes\ ?n[o']t\b | \bnot\ \w+ed\b | \bcolumn | \bstatement | \bdecode\b | \bconvert\b
    | \bremains\b | \bsyntax\b
    | \bfield\b | \bparse\b | \bgreater\b | \bless\b | \bbetween\b | \bmultiple\b | \bundefined\b | \bno_\w+
    | \bused\b | \bis\ a\ | \bdifferent\b
    """
)
_IDLE: Final = re.compile(
    r"""(?ix) ^usage\b | --?help\b | \bhelp\ for\b | for\ more\ (?:information|details|info) | \blearn\ more\b
    | ^see\b | \bvisit\b
    | documentation | more\ details | \bhelp\ \w+\s*$ | issue\ above | view\ all\ installed | a\ complete\ log
    | ^\s*at\ \S+\ ?\(
    | find\ a\ package | ^note:\ AWS | list\ of\ supported | believe\ this\ is | --explain
    | further\ information | ^line\ \d+:
    | \btry\ (?:with\ )?(?:an?\ )?(?:different|another|other)\b
    | access\ rights | note\ that\ you\ can | you\ can\ find\ your | make\ sure\ [^.]*(?:exist|correct|spell)
    | \bspelling\b | (?:different|another)\ card | your\ (?:bank|billing|administrator)
    | billing\ details | obtain\b | misspelled
    | ^\^+$ | ^Traceback | ^File\ " | contact\b | ^this\ is\ usually | ^\s*\[--
    """
)
_PREFIX: Final = re.compile(
    r"^\s*(?:[│╰─>×|=*!]+\s*)*(?:(?:npm|yarn|pnpm) (?:error|ERR!|warn)\s*)?(?:(?:ERROR|error|fatal|Error"
    r"|E)(?:\[\w+\])?:\s+)?(?:= )?"
)
_SENTENCE: Final = re.compile(r"(?<=[.!?;])\s+(?=[A-Z`'\"(])")
_UNTITLED: Final = frozenset(
    {"validation failed", "bad request", "invalid request", "unprocessable entity", "invalid_request_error"}
)


class Said(NamedTuple):
    """What an error asks for: words to quote, and whether they say what to do or only what was wrong."""

    text: str = ""
    hint: bool = False


def about(error: str) -> About:
    """What an error is about; errors about the form of the call are what is left."""
    found = next((each for each, words in _ABOUT_WORDS if words.search(error)), About.FORM)
    of_the_call = found in {About.MISSING, About.EXISTS} and _ABOUT_THE_CALL.search(error)
    return About.FORM if of_the_call else found


def is_dangerous(text: str) -> bool:
    """Whether words take rights or turn a check off.

    >>> [is_dangerous(each) for each in ("git push --force", "curl -k https://a.example", "git push -u origin main")]
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
    parts = [(float(number) if number[0].isdigit() else 1.0, unit.lower()) for number, unit in _PART.findall(found[1])]
    return Wait(sum(number * _UNITS.get(_unit(unit), 1) for number, unit in parts), found[1].strip())


def _unit(name: str) -> str:
    return "ms" if name.startswith(("ms", "milli")) else name[:2]


def said(error: str, values: Iterable[str] = ()) -> Said:
    r"""The sentences of an error that help, without the ``values`` of the call and others of one run; hints first.

    >>> said("git: 'psuh' is not a git command. See 'git --help'.\n\nThe most similar command is\n\tpush").text
    'The most similar command is push'
    """
    given = [value for value in values if value]
    own = [each for each in _sentences(_without(given, error)) if not _IDLE.search(each) and not _repeats(each, given)]
    sentences = [safe for each in own if (safe := _harmless(each))]
    hints = [each for each in sentences if _HINT.search(each)]
    chosen = hints or [each for each in sentences if _FORM.search(each)]
    text = mask_run("; ".join(dict.fromkeys(each.rstrip(" .:;") for each in chosen[:_MOST_SENTENCES])))
    return Said(text if len(text) <= _LONGEST else f"{text[:_LONGEST].rsplit(' ', 1)[0]} …", bool(hints))


def _without(values: Iterable[str], error: str) -> str:
    """An error without the texts that the call gave: of one run, and perhaps somebody else's instructions."""
    for value in sorted(values, key=len, reverse=True):
        error = re.sub(rf"(?<![\w.,-]){re.escape(value)}(?![\w-])", "…", error)
    return error


def _repeats(sentence: str, values: Iterable[str]) -> bool:
    """Whether a sentence is mostly made of a long text that the call gave."""
    words = set(_WORD.findall(sentence))
    given = (set(_WORD.findall(value)) for value in values if len(value) > _LONG)
    return any(len(words & each) > len(words) / 2 for each in given)


def _harmless(sentence: str) -> str:
    """A sentence without the clause that advises something dangerous; empty if that is all it says."""
    if not is_dangerous(sentence):
        return sentence
    first = re.split(r",? or |; |, but |, you can ", sentence, maxsplit=1)[0]
    return first if not is_dangerous(first) and " " in first and _HINT.search(first) else ""


def _sentences(error: str) -> Iterator[str]:
    """The sentences of an error: of its JSON body if it has one, else of its lines."""
    told = [each for each in messages(error) if each.casefold().strip(" .") not in _UNTITLED]
    if told:
        for each in told:
            yield from _SENTENCE.split(each.replace("\n", " "))
        return
    for line in _joined(error.splitlines()):
        yield from filter(None, map(str.strip, _SENTENCE.split(line)))


def _joined(lines: Iterable[str]) -> Iterator[str]:
    """Lines without decoration; a line that goes on in the next one, with it."""
    held = ""
    for raw in lines:
        line = _PREFIX.sub("", re.sub(r"^hint: ", "", raw)).strip(" │╮╯\t")
        goes_on = (
            held
            and line
            and (held.endswith((":", ",", " is", "this?", "use", "with", "or", "run")) or line[0].islower())
        )
        if not line and held.endswith((":", "use", "this?", " is", "run", "Run")):
            continue
        if goes_on and not raw.startswith("usage") and ": error: " not in line:
            held = f"{held} {line}"
            continue
        if held:
            yield held
        held = line
    if held:
        yield held
