"""The ways in which code puts texts together: sums, joins, formats, numbers of characters, texts that are encoded."""

from __future__ import annotations

import base64
import binascii
import codecs
import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.code_parts import TS, T
from hexad.skills.shell.values import HOME

if TYPE_CHECKING:
    from collections.abc import Callable

    from hexad.skills.shell.code_parts import Code

LONGEST_TEXT: Final = 4_096  # of one that is put together
_NUMBERS: Final = r"((?:0x)?[0-9A-Fa-f]{1,4}(?: ?, ?(?:0x)?[0-9A-Fa-f]{1,4}){0,500})"
_ADJACENT: Final = frozenset({"python", "ruby", "gcc", "awk"})
"""Where texts that stand side by side are one."""


def _joined(found: Code, match: re.Match[str]) -> str:
    return _put(found, match, "".join(found.all(match[0])))


def _side_by_side(found: Code, match: re.Match[str]) -> str:
    return _joined(found, match) if found.language in _ADJACENT else match[0]


def _put(found: Code, match: re.Match[str], text: str) -> str:
    return found.put(text) if len(text) <= LONGEST_TEXT else match[0]


def _path(found: Code, match: re.Match[str]) -> str:
    first, *rest = found.all(match[0])
    path = first
    for part in rest:
        path = part if part.startswith("/") else f"{path.rstrip('/') if path != '/' else ''}/{part}"
    return _put(found, match, path)


def _of_numbers(found: Code, match: re.Match[str]) -> str:
    given = [number.strip() for number in match[1].split(",")]
    codes = [int(number, 16 if number.lower().startswith("0x") else 10) for number in given if _is_number(number)]
    return found.put("".join(map(chr, codes))) if len(codes) == len(given) else match[0]


def _is_number(text: str) -> bool:
    return bool(re.fullmatch(r"0x[0-9A-Fa-f]{1,4}|\d{1,5}", text))


def _backwards(found: Code, match: re.Match[str]) -> str:
    return found.put(found.all(match[0])[0][::-1])


def _between(found: Code, match: re.Match[str]) -> str:
    """`"".join(["a", "b"])`."""
    between, *parts = found.all(match[0])
    return _put(found, match, between.join(parts))


def _between_last(found: Code, match: re.Match[str]) -> str:
    """`["a", "b"].join("")`."""
    *parts, between = [*found.all(match[1]), "".join(found.all(match[2] or ""))]
    return _put(found, match, between.join(parts))


def _filled(found: Code, match: re.Match[str]) -> str:
    form, *parts = found.all(match[0])
    rest = iter(parts)
    text = re.sub(r"%[-\d.]*[scdvq]|\{\d*\}|~[sap]", lambda hole: next(rest, hole[0]), form)
    return _put(found, match, text)


def _decoded(found: Code, match: re.Match[str]) -> str:
    text, kind = found.all(match[0])[0], f"{match[0]}{' '.join(found.all(match[0])[1:])}".lower()
    try:
        if "rot" in kind:
            return found.put(codecs.encode(text, "rot13"))
        if "hex" in kind:
            return found.put(bytes.fromhex(text).decode("utf-8", "replace"))
        return found.put(base64.b64decode(text, validate=False).decode("utf-8", "replace"))
    except (ValueError, binascii.Error):
        return match[0]


def _replaced(found: Code, match: re.Match[str]) -> str:
    text, old, new = found.all(match[0])
    return _put(found, match, text.replace(old, new)) if old else match[0]


def _cased(found: Code, match: re.Match[str]) -> str:
    text = found.all(match[0])[0]
    return found.put(text.lower() if re.search(r"(?i)lower|down", match[0]) else text.upper())


def _same(_found: Code, match: re.Match[str]) -> str:
    """What stands in the first group that is there."""
    return next((group for group in match.groups() if group is not None), "")


def _is(text: str) -> Callable[[Code, re.Match[str]], str]:
    return lambda found, _match: found.put(text)


def _name(found: Code, match: re.Match[str]) -> str:
    """A name that is given as a text: `getattr(os, "remove")`."""
    text = found.get(match[2])
    return f"{match[1]}{text}{match[3]}" if re.fullmatch(r"[\w.:/]{1,60}", text) else match[0]


def _of_environment(found: Code, match: re.Match[str]) -> str:
    return found.put(HOME) if found.get(match[1]) in {"HOME", "USERPROFILE", "user.home"} else match[0]


_ONE: Final = "(\x0e\\d+\x0f)"
_PATH_MAKERS: Final = (
    r"(?:(?:pathlib\.)?(?:Pure)?(?:Posix)?Path|new File|File|Paths\.get|Path\.of|Path\.new|Path::new|"
    r"Pathname(?:\.new)?|os\.fspath|"
    r"(?:os\.)?(?:path\.)?(?:abspath|realpath|normpath|expanduser|expandvars|normalize|resolve)|File\.(?:expand_path|"
    r"realpath)|str|"
    r"String(?:::from|\.new)?|bytes|Buffer\.from|encodeURI|decodeURIComponent|decodeURI|escapeshellarg|shlex\.quote|"
    r"untaint|new String|"
    r"Path\.expand|uiop:ensure-directory-pathname)"
)


def _rule(
    sign: str, pattern: str, change: Callable[[Code, re.Match[str]], str]
) -> tuple[str, re.Pattern[str], Callable[[Code, re.Match[str]], str]]:
    return sign, re.compile(pattern), change


RULES: Final = (
    _rule("HOME", r"\bprocess\.env\.HOME\b|\$ENV\{HOME\}|\$(?:env:)?HOME\b|\$::env\(HOME\)|\benv\.HOME\b", _is(HOME)),
    _rule("ome", r"\b(?:Path\.home\(\)|Dir\.home\b(?:\(\))?|os\.UserHomeDir\(\)|System\.user_home!?\(?\)?)", _is(HOME)),
    _rule("homedir", r"(?:\brequire\([^()]{1,12}\)|\bos)?\.?(?:userInfo\(\)\.)?\bhomedir\b(?:\(\))?", _is(HOME)),
    _rule(
        "getpw",
        r"\b(?:pwd\.|Etc\.)?getpw\w+\([^()]{0,30}(?:\(\)[^()]{0,10})?\)(?:\.pw_dir|\.dir|\[5\]|\[7\])",
        _is(HOME),
    ),
    _rule(
        "\x0e",
        rf"(?:\b(?:os\.)?environ(?:\.get)?|\b(?:os\.|System\.)?(?:getenv|getProperty|get_env|env)|\bENV(?:IRON|"
        rf"\.fetch)?|\$ENV|\$_SERVER|\$_ENV|"
        rf"process\.env|env::var|os\.Getenv) ?[\[({{]? ?{T}(?: ?, ?\x0e\d+\x0f)? ?[\])}}]?(?:\.unwrap\(\))?",
        _of_environment,
    ),
    _rule("sep", r"\b(?:os\.(?:path\.)?sep|path\.sep|File\.separator)\b", _is("/")),
    _rule("SEPARATOR", r"\b(?:File::SEPARATOR|DIRECTORY_SEPARATOR)\b", _is("/")),
    _rule("\x0e", rf"{T}\.(?:anchor|root)\b", _is("/")),
    _rule(
        "c",
        r"\b(?:os\.getcwdb?\(\)|Path\.cwd\(\)|process\.cwd\(\)|Dir\.pwd\b|os\.curdir\b|getcwd\(\)|Dir\.getwd|"
        r"os\.Getwd\(\))",
        _is("."),
    ),
    _rule(
        "__",
        r"\b(?:__dirname|__dir__|(?:os\.path\.)?dirname\(__(?:file|FILE)__\)|"
        r"Path\(__file__\)(?:\.resolve\(\))?\.parent)",
        _is("."),
    ),
    _rule(
        "t",
        r"\b(?:tempfile\.)?(?:mkdtemp|gettempdir|mkstemp|mktemp)(?:Sync)?\([^()]{0,80}\)|\bDir\.mktmpdir\b|"
        r"\bos\.tmpdir\(\)|"
        r"\bsys_get_temp_dir\(\)|\btempdir\((?:CLEANUP ?=> ?\d)?\)|\bDir\.tmpdir\b",
        _is("/tmp/t"),  # noqa: S108 - where a script's code may write
    ),
    _rule(
        "ch", rf"\b(?:String\.)?(?:chr|char|fromCharCode|fromCodePoint|string\.char) ?\( ?{_NUMBERS} ?\)", _of_numbers
    ),
    _rule("chr", r"\bchr ([0-9]{1,3})\b", _of_numbers),
    _rule(".chr", r"\b([0-9]{1,3})\.chr\b", _of_numbers),
    _rule("chr", rf"\bmap\( ?chr ?, ?[\[(] ?{_NUMBERS} ?[\])] ?\)", _of_numbers),
    _rule("yte", rf"\b(?:bytes|bytearray|Buffer\.from)\( ?[\[(] ?{_NUMBERS} ?[\])] ?\)", _of_numbers),
    _rule("pack", rf"\[ ?{_NUMBERS} ?\]\.pack\( ?\x0e\d+\x0f ?\)", _of_numbers),
    _rule("pack", rf"\bpack ?\(? ?\x0e\d+\x0f ?, ?{_NUMBERS} ?\)?", _of_numbers),
    _rule("\x0e", rf"(?<![\w)\]]) ?\( ?{_ONE} ?\)", _same),
    _rule("\x0e", rf"{T}(?: ?(?:\+\+?|\.\.?|<>|~|\^) ?{T})+", _joined),
    _rule("\x0f", rf"{T}(?: ?{T})+", _side_by_side),
    _rule("/", rf"{T}(?: ?/ ?{T})+", _path),
    _rule(
        "oin",
        rf"\b(?:(?:os\.|posix)?path\.join|File\.join|filepath\.Join|path\.(?:posix\.)?resolve|Path\.join|catfile|"
        rf"catdir|joinpath)"
        rf" ?\( ?{TS} ?\)",
        _path,
    ),
    _rule("cat", rf"\bcat(?:file|dir)\( ?{TS} ?\)", _path),
    _rule("joinpath", rf"{T}\.joinpath\( ?{TS} ?\)", _path),
    _rule("Path", rf"\bPath\( ?{_ONE} ?, ?{TS} ?\)", _path),
    _rule("join", rf"{T}\.join\( ?[\[(]? ?{TS} ?,? ?[\])]? ?\)", _between),
    _rule("join", rf"\bjoin ?\(? ?{T} ?, ?{TS} ?\)?", _between),
    _rule("implode", rf"\bimplode\( ?{T} ?, ?(?:\[|array\() ?{TS} ?[\])] ?\)", _between),
    _rule("join", rf"\[ ?({TS}) ?\]\.join\b(?: ?\(? ?{_ONE}? ?\)?)", _between_last),
    _rule("concat", rf"{T}\.concat\( ?{TS} ?\)|\btable\.concat\( ?\{{ ?{TS} ?\}} ?\)", _joined),
    _rule("\x0e", rf"{T} ?% ?(?:\( ?{TS} ?,? ?\)|{T})", _filled),
    _rule(
        "ormat", rf"{T}\.format\( ?{TS} ?\)|\b(?:string\.|String\.)?format\( ?{TS} ?\)|{T}:format\( ?{TS} ?\)", _filled
    ),
    _rule("printf", rf"\b(?:fmt\.S|s)printf ?\(? ?{TS} ?\)?", _filled),
    _rule(
        "\x0e",
        rf"{T}\[::-1\]|{T}[.:]reverse\b(?:\(\))?|\b(?:strrev|string\.reverse|reverse|reversed)\(? ?{T} ?\)?",
        _backwards,
    ),
    _rule(
        "reverse",
        rf"(?:\[\.\.\.{T}\]|{T}\.split\( ?(?:\x0e\d+\x0f)? ?\))\.reverse\(\)\.join\( ?(?:\x0e\d+\x0f)? ?\)",
        _backwards,
    ),
    _rule(
        "64",
        rf"\b(?:base64\.)?(?:b64decode|decodebytes|decode64|strict_decode64|urlsafe_decode64|base64_decode|"
        rf"decode_base64|"
        rf"(?:MIME::)?Base64(?:::|\.)\w*decode\w*)\(? ?{T} ?\)?|\bBuffer\.from\( ?{T} ?, ?{T} ?\)|"
        rf"{T}\.unpack1?\( ?\x0e\d+\x0f ?\)(?:\[0\])?",
        _decoded,
    ),
    _rule("atob", rf"\batob\( ?{T} ?\)", _decoded),
    _rule("hex", rf"\b(?:bytes|bytearray)\.fromhex\( ?{T} ?\)|\b(?:unhexlify|a2b_hex|hex2bin)\( ?{T} ?\)", _decoded),
    _rule("Buffer", rf"\bBuffer\.from\( ?{T} ?, ?{T} ?\)", _decoded),
    _rule("rot", rf"\bstr_rot13\( ?{T} ?\)", _decoded),
    _rule("codecs", rf"\bcodecs\.(?:decode|encode)\( ?{T} ?, ?{T} ?\)", _decoded),
    _rule("replace", rf"{T}\.replace(?:All)?\( ?{T} ?, ?{T} ?\)", _replaced),
    _rule(
        "er",
        rf"{T}\.(?:lower|upper|toLowerCase|toUpperCase)\(\)|\b(?:lc|uc|strtolower|strtoupper)\(? ?{T} ?\)?",
        _cased,
    ),
    _rule("case", rf"{T}\.(?:down|up)case\b", _cased),
    _rule(
        ".",
        rf"{_ONE}(?:\.|->)(?:decode|encode|strip|trim|toString|to_s|to_path|to_str|resolve|absolute|expanduser|lstrip|"
        rf"rstrip|as_posix|chomp|"
        r"casefold|freeze|unwrap|expand_path|to_string|to_owned|clone|as_str|toFile|toPath)\b(?:\([^()]{0,40}\))?",
        _same,
    ),
    _rule("\x0e", rf"(?<![\w.]){_PATH_MAKERS}\( ?{_ONE} ?\)", _same),
    _rule("#p", rf"#[pP] ?{_ONE}", _same),
    _rule(
        "(",
        rf"\((?:expand-file-name|file-name-as-directory|uiop:parse-native-namestring|pathname|io/file|"
        rf"string->path) {_ONE} ?\)",
        _same,
    ),
    _rule("join", rf"\b(?:str|concat|string-append) {T}(?: {T})+", _joined),
    _rule("getattr", rf"\bgetattr\( ?()(?:[\w.]+|\x0e\d+\x0f) ?, ?{T}() ?(?:, ?\w+ ?)?\)", _name),
    _rule(
        "[\x0e",
        rf"(?<=[\w)])()\[ ?{T} ?\] ?(\()",
        lambda found, match: _name(found, match) if "/" in found.get(match[2]) else "." + _name(found, match),
    ),
    _rule("]", rf"\b(?:globals|locals|vars)\([\w.]{{0,20}}\)()\[ ?{T} ?\]()", _name),
    _rule("import", rf"\b()(?:__import__|import_module|importlib\.import_module)\( ?{T} ?\)()", _name),
    _rule("require", rf"\b()require\( ?{T} ?\)()", _name),
    _rule(
        "send",
        rf"(\.)(?:send|public_send|__send__|method) ?\(? ?{T}(?: ?, ?)?()",
        lambda found, match: _name(found, match) + "(",
    ),
    _rule("send", r"\.(?:send|public_send|__send__|method) ?\(? ?:(\w+) ?,? ?", lambda _found, match: f".{match[1]}("),
    _rule(
        "call_user_func",
        rf"\bcall_user_func(?:_array)?\( ?(){T} ?, ?()",
        lambda found, match: _name(found, match) + "(",
    ),
    _rule("\x0f(", rf"(?<![\w.)]) ?(){T}(\()", lambda found, match: " " + _name(found, match)),
)
"""A sign without which it need not be looked for, a pattern, and what comes of it."""
