"""The detectors of secrets behind `redaction`, whose docstring states the rule."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from hexad.memory.redaction import LONG_WORD, PASSWORDS, UNSPACED, shapes

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from hexad.memory.redaction.shapes import SecretShape


class Span(NamedTuple):
    """Where a secret stands, and what kind it is."""

    start: int
    end: int
    kind: str


def spans_of(text: str, *, accounts: bool) -> list[Span]:
    """All secrets of a text in order, overlapping ones joined under the name of the
    more specific detector.
    """
    lowered = text.replace(
        "İ", "i"
    ).lower()  # each character at its place: this one alone would grow
    detectors = (
        _pem_blocks(text),
        _shaped(text, lowered, _rows(keys=True) if LONG_WORD.search(text) else {}),
        _authorizations(text, lowered),
        _shaped(text, lowered, _rows(keys=False, accounts=accounts)),
        (Span(*span, "seed-phrase") for span in shapes.seed_phrases(text)),
        _assignments(text, lowered),
    )
    found = [(span, rank) for rank, spans in enumerate(detectors) for span in spans]
    found.sort(key=lambda item: item[0].start)
    joined: list[tuple[Span, int]] = []
    for span, rank in found:
        if joined and span.start < joined[-1][0].end:
            before, best = joined[-1]
            kind = before.kind if best <= rank else span.kind
            joined[-1] = (
                Span(before.start, max(before.end, span.end), kind),
                min(best, rank),
            )
        else:
            joined.append((span, rank))
    return [span for span, _ in joined]


def replace(text: str, spans: list[Span]) -> str:
    """The text with a placeholder for each secret."""
    pieces: list[str] = []
    end = 0
    for span in spans:
        pieces += text[end : span.start], f"[redacted:{span.kind}]"
        end = span.end
    pieces.append(text[end:])
    return "".join(pieces)


# --- shapes that speak for themselves -------------------------------------------------------------------------------

_TAIL = re.compile(r"[A-Za-z0-9]*")
_STAND_IN = re.compile(
    r"(?i)[-_]your[-_]|[-_]here$|placeholder|change[-_]?me|x{8}"
)  # as in: xoxb-your-token-here


@cache
def _rows(*, keys: bool, accounts: bool = True) -> Mapping[str, Sequence[SecretShape]]:
    """Shapes by each of their hints."""
    left_out = {"words", "harmless", "" if accounts else "account"}
    rows = [
        each
        for each in shapes.shapes()
        if each.is_key == keys and each.check not in left_out
    ]
    by_hint: dict[str, list[SecretShape]] = {}
    for each in rows:
        for hint in each.hints:
            by_hint.setdefault(hint, []).append(each)
    return by_hint


def _shaped(
    text: str, lowered: str, rows: Mapping[str, Sequence[SecretShape]]
) -> Iterator[Span]:
    hinted = {shape: None for hint in rows if hint in lowered for shape in rows[hint]}
    for shape in hinted:
        for match in shapes.compiled(shape).finditer(text):
            if shape.is_secret(match[1]) and not (
                shape.is_key and _STAND_IN.search(match[1])
            ):
                # Text glued to a key goes with it: left behind it could begin a key,
                # and many would take many rounds.
                glued = _TAIL.match(text, match.end(1)) if shape.is_key else None
                yield Span(
                    match.start(1), glued.end() if glued else match.end(1), shape.kind
                )


_PEM_BEGIN = re.compile(r"-----BEGIN (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_END = re.compile(r"-----END (?:[A-Z0-9]+ ){0,4}PRIVATE KEY(?: BLOCK)?-----")
_PEM_LINES = re.compile(
    r"""(?:\s|\\[nr]|["'>|+,]|(?:Proc-Type|DEK-Info|Version|Comment):[^\n\\]*|[A-Za-z0-9+/=]{16,})*+"""
    r"(?:[A-Za-z0-9+/]{1,15}={1,2})?"
)
_PEM_AROUND = " \t\r\n\"'>|,"
_PEM_LINE = re.compile(r"[A-Za-z0-9+/=]{16}")


def _pem_blocks(text: str) -> Iterator[Span]:
    for begin in _PEM_BEGIN.finditer(text):
        # The next dashes are the block's end or the block has none: looking no further
        # keeps many starts linear.
        dashes = text.find("-----", begin.end())
        if dashes >= 0 and (end := _PEM_END.match(text, dashes)):
            if _PEM_LINE.search(text, begin.end(), dashes):
                yield Span(begin.start(), end.end(), "private-key")
        elif (lines := _PEM_LINES.match(text, begin.end())) and _PEM_LINE.search(
            lines[0]
        ):
            yield Span(
                begin.start(),
                begin.end() + len(lines[0].rstrip(_PEM_AROUND)),
                "private-key",
            )


_HEADER = re.compile(
    r"""authorization["'\\]{0,2}[ \t]*[:=]?[ \t]*\\?["']?(?P<scheme>bearer|basic|token)[ \t]+"""
    r"""|bearer(?:[ \t]+|["']?[ \t]*[:=][ \t]*["']?)"""
)
_CREDENTIAL = re.compile(r"[A-Za-z0-9._~+/=%-]{6,}")


def _authorizations(text: str, lowered: str) -> Iterator[Span]:
    """Credentials of an authorization header, and bearer tokens without the header's
    name if they look random.
    """
    for header in _HEADER.finditer(lowered):
        credential = _CREDENTIAL.match(text, header.end())
        if credential is None:
            continue
        value = credential[0].rstrip(".")
        if _is_credential(value[:_HEAD], in_header=header["scheme"] is not None):
            kind = "basic-auth" if header["scheme"] == "basic" else "bearer-token"
            yield Span(credential.start(), credential.start() + len(value), kind)


def _is_credential(value: str, *, in_header: bool) -> bool:
    """In a header almost everything is a credential, only words, names and placeholders
    are not.
    """
    if _is_exempt(value):
        return False
    if not in_header:
        return len(value) >= 16 and _is_strong(value)
    return (
        _is_strong(value)
        or len(value) >= _NO_WORD
        or re.search("[a-z][A-Z]", value) is not None
    )


# --- values that stand where a secret stands ------------------------------------------------------------------------

_OWNERS = (
    "api|app|admin|client|account|auth|deploy|encryption|signing|master|personal|shared|storage|sdk|service|hmac|jwt"
    "|fernet|global|subscription|security"
)
# Where a naming word or a placeholder can begin: literals only, which the regex engine
# finds fast.
_KEY_START = re.compile(
    rf"\[redacted:|aws|{PASSWORDS}|{UNSPACED}|clave|mdp|pass|pw|psk|masterauth|wi-?fi|wlan|pat|_auth|private|access"
    rf"|identified|{_OWNERS}|secret|securestring|geheimnis|segret|segredo|секрет|token|токен|jeton|key|login|zugang|cred"
    "|cl[ée]|schlüssel|chiave|chave|llave|ключ"
)
_KEY = re.compile(
    r"\[redacted:[a-z-]*\]"  # consumed, so that the name of a kind is never read as a naming word
    r"|(?:(?P<aws_secret_key>aws[_-]?secret(?:[_-]?access)?(?:[_-]?key)?|secret[ _-]?access[ _-]?key)"
    rf"|(?P<password>(?<!etc/)(?:{PASSWORDS})(?:e[tn])?|{UNSPACED}|identified (?:with \w+ )?by(?= [\x22\x27])"
    r"|(?<![a-z])(?:(?<!palabra )clave(?: de acceso)?|mdp|psk)|pwd?|masterauth"
    r"|(?:wi-?fi|wlan)[ -](?:key|schlüssel)|(?:(?<=[_-])|(?<=store)|(?<=require))pass"
    r"|(?<![a-z])pass(?=[\x22\x27]?[ ]?[:=]|[ ]is[ ]))"
    r"|(?P<private_key>private[ _.-]?key)"
    r"|(?P<access_key>access[ _.-]?key)"
    rf"|(?P<api_key>(?:{_OWNERS}|secret)[ _.-]?key(?:_base|[_-]data)?)"
    r"|(?P<secret>secret|securestring)"
    r"|(?P<token>token|токен|(?<=_)pat(?==)|_auth(?=[ ]?=))"
    r"|(?P<key>key|jeton|cl[ée]|schlüssel|chiave|chave|llave|ключ"
    r"|(?<![a-z])pat|geheimnis|segreto|segredo|секрет)"
    r"|(?P<login>login|zugang|wi-?fi|wlan|secrets|tokens|passwords|credentials|creds))[0-9]{0,2}(?![a-z0-9])"
)
_PROSE = (
    r"""(?:[ \t]+|(?=['’]s[ \t]))(?P<prose>(?:(?i:['’]s|is|was|ist|lautet|es|est|è|é|er|to|je|jest|är|"""
    r"""este|adalah|là|c'est)|[-–—])(?:[ \t]+(?i:now|set[ \t]+to|still|currently))?)[ \t]*:?[ \t]+[«„“‚‘‹]?\s?"""
)
_LINK = re.compile(
    _PROSE
    + r"""|(?:_(?:PRIVATE|PROD|STAGING|DEV|TEST|LIVE|VALUE))?["'`*\\\])]{0,4}(?:"""
    r"""[ \t]*(?::[ \t]*[A-Za-z][\w.\[\]| ]{0,30}?(?=[ \t]+=[ \t]|=["'\w])[ \t]*)?"""
    r"""(?P<assign>=>|->|→|:=|=(?!=)|(?<=[\w"'])>(?=[^<\n]{1,200}</))[ \t]*"""
    r"""|[ \t]*(?P<colon>:(?!\?)|={2,3})[*_]{0,2}[ \t]*(?:[>|][+-]?\n[ ]{1,16})?[«„“‚‘‹]?[ \t\xa0]?)"""
    r"""|(?P<named>["']?[,\s{]{1,20}(?:\w{1,20}[ ]*=[^\n=]{1,80}\n\s{1,20}){0,3}"""
    r"""["']?\w{0,12}(?i:value|default)["']?[ \t]{0,4}[:=][ \t]{0,4})"""
    r"""|(?P<pair>(?:["'][ \t]{0,4},[ \t]{0,4}|\()(?=["']))"""
    r"""|(?P<adjacent>[ \t]+(?=["'`]))"""
    r"""|(?P<flag>[ \t]+(?=[^\s-]))"""
)
# As in: the password for the database is ..., or: the token (staging) followed by a
# colon.
_FAR_LINK = re.compile(
    r"""[ \t]+(?:(?:(?:(?:is|was)[ ]generated[ ])?"""
    r"""(?:for|of|to|on|in|at|fürs?|vom?|von|des|der|del|della|de|dla|do|da|pour|du|от|для)[ \t]|d')"""
    r"""(?:[^\n=:"'`]|(?<=[ ][ld])['’]){1,60}?|\([^()\n]{1,40}\)"""
    r"""|(?i:wi-?fi|wlan|vpn|nas|router|admin|root|ssh|sudo|db))"""
    r"""(?:""" + _PROSE + r"""|[ \t]*(?P<colon>[:=])[ \t]+)"""
)
_CALL = re.compile(
    r"""[ \t]*[:=]+[ \t]*[\w.]{1,40}\((?=["'])"""
)  # as in: token = bytes.fromhex("...")
_TOKEN = re.compile(
    r"""(?<!\$[{(])(?<=[\s"'`<>«»“”„‹›|\[\]{}(),;:=→：「『（])[^\s"'`<>«»“”„‹›|\[\]{}(),;，。、」』]{8,}"""
)
# As in: ... is my token, or: ... # the token.
_EXPLAINED = re.compile(
    r"""(?<!\$[{(])(?<![^\s"'`<>|\[\](){}])[^\s"'`<>|\[\](){}]{8,}+(?=["'`);\]]{0,3}[ \t]+"""
    r"""(?:(?i:is|was|ist|war|es|est|è|é|as|als|como|comme|after|at|for)[ \t]|#|//|<-|\(|)"""
    r"""[ \t]*(?:[^\s.,:;-][^\s.,:;]{0,19}[ \t]+){0,3}(?!-)[\w-]{0,30}$)"""
)
_WINDOW = 90  # characters
# Whose keys and tokens are no secrets.
_PUBLIC = re.compile(
    "(?:public|publickey|publishable|site|host|idempotency|partition|routing|websocket|next|page|continuation)[ _-]?$"
)
# As in the name of a variable or header, or beside a user: whose key may be a hash.
_OWNED = re.compile(
    r"""(?<!CACHE)_KEY$|-Key$|user(?:name)?["']\s?:[^\n]{1,40}["']key$"""
)
_FLAG = re.compile(r"(?:^|\s)(?:--?(?:[A-Za-z0-9]+[_-])*(?:store)?|require)$")
_QUOTED = re.compile(
    r"""(?:[rbfnuRBFNU@]{0,2}(?:"(?P<double>(?:[^"\\\n\[]|\\.|\[(?!redacted:))*+)"""
    r"""|'(?P<single>(?:[^'\\\n\[]|\\.|\[(?!redacted:))*+)"""
    r"""|`(?P<tick>(?:[^`\n\[]|\[(?!redacted:))*+)"""
    r"""|\\["'](?P<escaped>(?:[^"'\\\n\[]|\[(?!redacted:))*+)))"""
)
_RUN = re.compile(r"""(?:[^\s"'`<>«»“”„‹›\[]|\[(?!redacted:))*+""")
# Where the next setting of a list, query or connection string begins, or the text
# around the value.
_CUT = re.compile(
    r"""[;,&][ ]?["']?[\w.-]{1,40}["']?[=:]|\\[nrt]"""
    r"""|&(?:quot|apos|[lg]t|[lr][sd]quo|#\w{2,4});|(?<=[!-~])[\u3000-\u9fff가-힣\uff00-\uff60]"""
)
_HEAD = 128  # so much of a value is enough to judge it
_NO_WORD = 20  # letters in one run


class _Value(NamedTuple):
    start: int
    end: int
    quoted: bool


def _assignments(text: str, lowered: str) -> Iterator[Span]:
    """Values that a naming word is linked to and that the rule of this module calls
    secrets.
    """
    ends = _RunEnds(text)
    secret_end = 0
    for key in _keys(lowered):
        if key.start() < secret_end:
            continue
        family = (key.lastgroup or "").replace("_", "-")
        if family in {"key", "token"} and _PUBLIC.search(
            lowered, max(0, key.start() - 16), key.start()
        ):
            continue
        if family == "key" and _OWNED.search(text, max(0, key.start() - 50), key.end()):
            family = "owned-key"
        cache = (
            family == "key"
            and "cache" in lowered[max(0, key.start() - 30) : key.start()]
        )  # its keys are name-HASH
        for link, start in _links(text, key):
            quoted = _QUOTED.match(text, start)
            if quoted is None:
                value = _bare_value(text, start, ends.after(start))
            else:
                value = _Value(*quoted.span(quoted.lastgroup or 0), quoted=True)
            head = text[value.start : min(value.end, value.start + _HEAD)]
            hashed = cache and _HASH.fullmatch(head.rpartition("-")[2])
            if not hashed and _is_secret(head, family, link, quoted=value.quoted):
                break
        else:
            found = _before(text, key) or _after(text, key, ends)
            if found is None:
                continue
            value = found
        secret_end = value.end
        yield Span(value.start, value.end, family.removeprefix("owned-"))


def _after(text: str, key: re.Match[str], ends: _RunEnds) -> _Value | None:
    """The first value in the next words that nobody would take for a word."""
    for token in _TOKEN.finditer(text, key.end(), key.end() + _WINDOW):
        value = _CUT.split(
            token[0].rstrip(".:!?" if text[token.start() - 1].isspace() else ""), 1
        )[0]
        if _stands_out(value, key):
            return _bare_value(text, token.start(), ends.after(token.start()))
    return None


def _before(text: str, key: re.Match[str]) -> _Value | None:
    """A value that the naming word explains."""
    for found in _EXPLAINED.finditer(text, max(0, key.start() - _WINDOW), key.start()):
        hashed = (
            key.lastgroup != "password"
            and _HASH.fullmatch(found[0])
            and not _is_exempt(found[0])
        )
        if hashed or _stands_out(found[0].strip("*"), key):
            return _Value(*found.span(), quoted=False)
    return None


def _stands_out(value: str, key: re.Match[str]) -> bool:
    """Whether a value looks so random that it needs no link."""
    if _HASH.fullmatch(value) or "/" in value or "=" in value.rstrip("="):
        return False
    short = key.lastgroup in {"password", "login"} and shapes.is_mixed(value)
    return (short or shapes.has_shuffled_run(value)) and not _is_exempt(value)


def _links(text: str, key: re.Match[str]) -> Iterator[tuple[str, int]]:
    """The ways that tie a value to the naming word, and where it begins: next to it
    first, then a few words apart.
    """
    if near := _LINK.match(text, key.end()):
        flag = near.lastgroup != "flag" or _FLAG.search(
            text[max(0, key.start() - 40) : key.start()]
        )
        yield (near.lastgroup or "") if flag else "loose", near.end()
    if far := _FAR_LINK.match(text, key.end()):
        yield far.lastgroup or "", far.end()
    if call := _CALL.match(text, key.end()):
        yield "loose", call.end()


class _RunEnds:
    """Where the unquoted run at a position ends; keys inside one long run share it,
    which keeps them linear.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._start = self._end = 0

    def after(self, start: int) -> int:
        if not self._start <= start < self._end:
            run = _RUN.match(self._text, start)
            self._start, self._end = start, run.end() if run else start
        return self._end


def _keys(lowered: str) -> Iterator[re.Match[str]]:
    end = 0
    for start in _KEY_START.finditer(lowered):
        if start.start() >= end and (key := _KEY.match(lowered, start.start())):
            end = key.end()
            if key.lastgroup:
                yield key


def _bare_value(text: str, start: int, end: int) -> _Value:
    if cut := _CUT.search(text, start, min(end, start + _HEAD)):
        end = cut.start()
    while end > start and text[end - 1] in ".,;:)]}":
        end -= 1
    return _Value(start, end, quoted=False)


# --- the rule for values --------------------------------------------------------------------------------------------

_HASH = re.compile(
    r"(?i)[0-9a-f]{16,}|[0-9a-f]{8}(?:-[0-9a-f]{4,12}){4}"
)  # caches and tables have such keys too
_AWS_SECRET = re.compile(r"[A-Za-z0-9/+]{40}")  # its slashes make it look like a path
_WORD_AND_NUMBER = re.compile(r"[A-Za-z]+(?:[-_.][A-Za-z]+)*[-_.]?v?\d{1,3}(?:\.\d+)*")
_NAMING = re.compile(
    rf"pass(?:w|phrase|$)|pwd|secret|token|key|credential|{PASSWORDS}", re.IGNORECASE
)
_ONE_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_ONE_NAME = re.compile(r"[^\W\d_]+(?:[-_.][^\W\d_]+)*")


def _is_secret(value: str, family: str, link: str, *, quoted: bool) -> bool:
    if _AWS_SECRET.fullmatch(value) and (
        family == "aws-secret-key" or (family != "key" and shapes.is_shuffled(value))
    ):
        return True
    if len(value) < 6:
        return False
    if link in {"loose", "pair"} or family in {
        "key",
        "owned-key",
        "login",
    }:  # a pair: two texts in a list
        short = family in {"password", "login"} or link == "pair"
        random = shapes.looks_random(value) or (short and shapes.is_mixed(value))
        other = ("/" in value and not value.endswith("=")) or (
            family == "key" and _HASH.fullmatch(value)
        )
        return random and not other and not _is_exempt(value)
    if quoted and re.search(r"\s", value):
        words = [word.strip("\"'(),.") for word in value.split()]
        return len(words) <= 6 and any(
            len(word) >= 6 and _is_strong(word) and not _is_exempt(word)
            for word in words
        )
    # The exemptions cost the most, so they come last.
    return _is_candidate(
        value, link, password=family == "password", quoted=quoted
    ) and not _is_exempt(value)


def _is_candidate(value: str, link: str, *, password: bool, quoted: bool) -> bool:
    """Rules 3 to 5."""
    deliberate = (quoted and (password or link != "adjacent")) or link in {
        "assign",
        "named",
    }
    if value.replace("-", "").isdigit():
        return password
    if _is_strong(value):
        return (
            password
            or deliberate
            or link == "flag"
            or not _WORD_AND_NUMBER.fullmatch(value)
        )
    if _NAMING.search(value):
        return False
    if password and shapes.is_scrambled(value):
        return True
    if len(value) >= _NO_WORD and value.isalpha():
        return (deliberate or link == "colon") and (
            password or shapes.CONSONANTS.search(value) is not None
        )
    # With an underscore and without quotes it is a variable's name.
    return (
        password
        and deliberate
        and (_ONE_NAME if quoted else _ONE_WORD).fullmatch(value) is not None
    )


def _is_strong(value: str) -> bool:
    """Two kinds of characters out of letters, digits and symbols; a mark at the end may
    be the sentence's.
    """
    core = value.rstrip("!?.*").lstrip("*")
    return sum(1 for kind in shapes.KINDS if kind.search(core)) >= 2


_DOTTED = re.compile(
    r"(?!.*[A-Z].*\d\d$|[A-Z][a-z]*\d[a-z])[A-Za-z_][\w$]*(?:\??\.[A-Za-z_][\w$]*)+"
)
_PATH = re.compile(r"(?:~|\.{1,2})?/[\w.@/-]*|[A-Za-z]:\\.*|[\w.-]+/[\w.-]+/[\w./-]*")


def _is_exempt(value: str) -> bool:
    """Rule 2: the value stands for a secret, points to one, or is a thing of another
    kind.
    """
    if shapes.is_harmless(value):
        return True
    # A path or an attribute is none, unless a piece is long and mixed.
    pieces = re.split(r"[./_]", _NAMING.sub("", value))
    is_path = _DOTTED.fullmatch(value) or _PATH.fullmatch(value)
    return is_path is not None and not any(
        len(piece) >= 16 and _is_strong(piece) for piece in pieces
    )
