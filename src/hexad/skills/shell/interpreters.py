"""Code in other languages that a script carries: what it starts, deletes, opens or connects to.

It is searched twice: as it stands, and with the texts put together that it builds (`code_texts.py`), so that neither an
odd quote nor a sum of texts hides a call. `code_deeds.py` says what is done to which places, `code_forks.py` what never
ends.
"""

from __future__ import annotations

import re
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.code_deeds import scan_deeds
from hexad.skills.shell.code_forks import is_fork_bomb
from hexad.skills.shell.code_texts import taken_apart
from hexad.skills.shell.destructive import check_writes, told
from hexad.skills.shell.held_files import held, hold
from hexad.skills.shell.paths import place
from hexad.skills.shell.rules import RULES
from hexad.skills.shell.values import ANYTHING, FOREIGN, HOME, LONGEST, TooComplex, decoded, known

if TYPE_CHECKING:
    from hexad.skills.shell.machine import Shell

_TEXT: Final = r"""(?:[rbfu]{0,2}"((?:[^"\\]|\\.){0,500})"|[rbfu]{0,2}'((?:[^'\\]|\\.){0,500})')"""
_ALONE: Final = r"(?!\s*(?:[+%/]|\.\.?\s*['\"$]))"  # a text that is no part of another
_STARTS: Final = re.compile(
    r"\b(?:system|popen\d?|Popen|exec[lv]?[pe]{0,2}|execSync|execFile(?:Sync)?|spawn(?:Sync|[lv]p?e?)?|shell_exec|"
    r"passthru|"
    r"proc_open|getoutput|getstatusoutput|check_output|check_call|subprocess\.(?:run|call)|posix_spawnp?|pcntl_exec|"
    r"IO\.popen|os\.execute|io\.popen|capture2e?|capture3|shellout|run_command|do shell script|eval|System\.(?:cmd|"
    r"shell)|"
    r"os:cmd|ProcessBuilder|shell/sh|run-program|Command::new|exec\.Command|call-process(?:-shell-command)?|"
    r"shell-command|"
    r"start-process|Deno\.(?:Command|run)|Bun\.spawn|Start-Process|Invoke-Expression|create_subprocess_(?:shell|exec)|"
    r"pty\.spawn|rawSystem|callCommand|readProcess|callProcess|shell_output|subprocess\.\w+)\b\*?\s*\(?\s*"
)
_OPTION: Final = re.compile(r"\b\w+\s*(?:=|:)\s*(?:True|False|None|\d+|true|false|\w+\.(?:PIPE|DEVNULL))")
_LEFT_OVER: Final = re.compile(r"[A-Za-z$@_]\w*")
_ONE: Final = re.compile(_TEXT)
_ALONE_TEXT: Final = re.compile(_TEXT + _ALONE)
_BACKTICKS: Final = re.compile(r"`([^`]*)`|%x\{([^}]{0,500})\}|\bqx\s*[({/|!]([^)}/|!]{0,500})[)}/|!]")
_DELETES: Final = re.compile(
    r"\b(?:rmtree|remove_tree|rm_rf|rm_r|remove_entry(?:_secure)?|rmSync|rmdirSync|rimraf|removeSync|remove_dir_all|"
    r"rm(?=\s*\(|\s+['\"/]))\b\s*\(?\s*([^)]{0,200})"
)
_REMOVES: Final = re.compile(
    rf"\b(?:unlink|os\.remove|os\.rmdir|os\.rename|unlinkSync|rmdir)\b\s*\(?\s*(?:glob\b\s*\(?\s*)?{_TEXT}{_ALONE}"
)
_WALKS: Final = re.compile(
    rf"(?:\b(?:walk|Path|glob|iglob|scandir|listdir|rglob|nftw|find)\s*\(\s*|delete-directory\s+){_TEXT}{_ALONE}|"
    r"\bfile\s+delete\s+(?:-force\s+)?(?:--\s+)?([/~][^\s;]*)"
)
_UNLINKS: Final = re.compile(r"\b(?:unlink\w*|remove\w*|rmtree|rmdir|rm|delete)\b")
_CAN_START: Final = re.compile(
    r"\.(?:call|run)\b|subprocess|getattr|__import__|Command|qx|%x|shell|spawn|system|exec|popen", re.IGNORECASE
)
_FIRST_WORD: Final = re.compile(r"[\w./-]+")
_A_HOME: Final = re.compile(r"expanduser|homedir|Path\.home|\bHOME\b|Dir\.home")
_OPENS: Final = re.compile(rf"\bopen\w*\s*\(?\s*{_TEXT}\s*,\s*['\"][rbt]*[wax+>]|>\s*['\"]?(/[\w./-]+)")
_CONNECTS: Final = re.compile(
    r"\burllib|\burlopen\b|\brequests\.|\bhttp\.client|\bhttpx\b|\bsocket\b|\bLWP\b|\bHTTP::|IO::Socket|net/http|"
    r"Net::\w+|"
    r"\bfetch\s*\(|https?://|open-uri|\bTCPSocket\b|fsockopen|http\.server|/inet/tcp/|"
    r"require\(['\"](?:node:)?(?:net|https?|http2|dns|tls|dgram|axios|ws|socket)\b|from ['\"](?:node:)?(?:net|https?|"
    r"dns|tls|dgram)['\"]|"
    r"\b(?:import|from) [\w, ]*\b(?:ftplib|smtplib|telnetlib|imaplib|poplib|nntplib|xmlrpc|paramiko|aiohttp|asyncssh|"
    r"pycurl|fabric|"
    r"websockets?|boto3|smtpd|socketserver|ssl)\b|open_connection\(|stream_socket_client|curl_(?:init|exec)|\b(?:tcp|"
    r"udp|ftp|wss?)://|"
    r"gethostbyname|getaddrinfo|dns_get_record|\bnet\.Dial|\bhttp\.(?:Get|Post|get|request)\b|\bhttps\.(?:get|"
    r"request)\b|TcpStream|"
    r"\breqwest\b|Invoke-(?:WebRequest|RestMethod)|\biwr\b|url-retrieve|download\.file|Downloads\.download|HTTPoison|"
    r"httpc:request|"
    r"gen_tcp|java\.net\.|\bnew (?:Socket|URL)\(|DatagramSocket|UNIXSocket|\bmail\("
)
_GAP: Final = re.compile(r"\s{50,}")  # longer than anybody writes: it would be looked at again from each of its places
_MOST_CALLS: Final = 100  # of other programs, in one piece of code
_HIDES: Final = re.compile(
    r"b64decode|base64|decode64|unhexlify|fromhex|atob|unpack|decompress|\bchr\b|fromCharCode|codecs|rot13|urlopen|"
    r"pack\("
)
_MOST_NESTED: Final = 12  # pieces of code within code
_SHEBANG: Final = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*)?([\w+.-]+)")
_FAMILIES: Final = {
    "python": "python pypy ipython xonsh py",
    "ruby": "ruby irb pry jruby rb",
    "node": "node nodejs bun deno ts-node tsx gjs qjs js mjs cjs ts",
    "perl": "perl raku pl",
    "lua": "lua luajit",
    "php": "php",
    "pwsh": "pwsh powershell ps1",
    "tclsh": "tclsh wish expect tcl",
    "elixir": "elixir iex exs",
    "erl": "erl escript",
    "octave": "octave octave-cli",
    "awk": "awk gawk mawk nawk original-awk",
    "gcc": "gcc cc c99 c89 clang tcc g++ c++ clang++ zig",
    "go": "go tinygo",
    "rustc": "rustc rust-script",
    "java": "java javac jshell kotlinc kotlin scalac scala groovy swift swiftc",
}
_LANGUAGES: Final = {name: language for language, names in _FAMILIES.items() for name in names.split()}
_ONLY_COUNTS: Final = re.compile(
    r"(?:[\s\d{}()\[\]$+*=;,<!&.?:^-]|\b(?:BEGIN|END|FS|OFS|NF|NR|FNR|print|if|else|for|while|in|next|exit|length|int|"
    r"substr|split|tolower|toupper|sum|count|total|max|min|seen|[a-z])\b)*+"
).fullmatch
"""An awk program without a text, a pipe, a file or a call that matters; most are such."""
_AWK_WRITES: Final = re.compile(r'print\w*\s*(?:"([^"]{0,500})"|[^>;}]{0,200})\s*>+\s*"([^"]{1,500})"')
_AWK_PIPES: Final = re.compile(rf"\|&?\s*{_TEXT}|{_TEXT}\s*\|&?\s*getline")


def language_of(argv: list[str], code: str = "") -> str:
    """The language of a piece of code: its first line says so, or what it is given to."""
    first = _SHEBANG.match(code)
    name = first[1] if first else argv[0].rpartition("/")[2]
    name = name.rstrip("0123456789.-") or name
    return _LANGUAGES.get(name, name if first or "." not in name else _LANGUAGES.get(name.rpartition(".")[2], name))


def scan(shell: Shell, argv: list[str], code: str) -> None:
    """Look at what a piece of code does."""
    if len(code) > LONGEST:
        shell.find("too-complex", "")
        code = code[:LONGEST]
    code = _GAP.sub("\n", code)
    if FOREIGN in code:
        shell.find("pipe-to-shell", told(argv))
    elif not known(code) and not re.search(r"\w{3}", code):
        shell.find("unknown-command", told(argv))
    shell.nested += 1
    if shell.nested > _MOST_NESTED or shell.is_late():
        raise TooComplex
    parts = taken_apart(code, language_of(argv, code))
    written = parts.written()
    if is_fork_bomb(parts):
        shell.find("fork-bomb", told(argv))
    if _CONNECTS.search(code) or _CONNECTS.search(written):
        shell.find("network", told(argv))
    _scan_paths(shell, argv, code)
    scan_deeds(shell, argv, parts)
    swallowed = len(_STARTS.findall(code)) > len(_STARTS.findall(written))
    _scan_starts(shell, argv, code, judges=swallowed)
    _scan_starts(shell, argv, written, judges=True)
    for text in dict.fromkeys((code, written)):
        _scan_texts(shell, text)
    _scan_lines(shell, argv, code, parts.language)
    shell.nested -= 1


def _scan_lines(shell: Shell, argv: list[str], code: str, language: str) -> None:
    """What stands on lines of their own: commands of a shell, and other files that are read in."""
    if argv[0] == "expect":
        for spawned in re.findall(r"\bspawn\s+([^;\n]+)", code):
            shell.run_text(spawned)
    if "!" in code:
        for line in re.findall(r"^\s*:?!\s*(.+)", code, re.MULTILINE):
            shell.run_text(line)
    for name in re.findall(r"\b(?:import|from)\s+(\w+)", code) if language == "python" and shell.files else ():
        for text in held(shell, f"{name}.py") or ():
            scan(shell, argv, text)


def scan_awk(shell: Shell, argv: list[str], code: str) -> None:
    """The same for awk, whose pipes start commands too."""
    if "inplace" in argv:
        check_writes(shell, argv, argv[argv.index(code) + 1 :] if code in argv else [])
    if _ONLY_COUNTS(code):
        return
    given = [word for option, word in pairwise(argv) if option == "-v" and "=" in word]
    given += [word[2:] for word in argv if re.match(r"-v\w+=", word)]
    scan(shell, argv, "".join(_assignment(word) for word in given) + code)
    for text, path in _AWK_WRITES.findall(code):
        hold(shell, path, (f"{decoded(text)}\n",) if text else ANYTHING)
    for found in _AWK_PIPES.finditer(code):
        text = next((group for group in found.groups() if group), "")
        shell.stdin = None if text.rpartition("/")[2] not in {"sh", "bash"} else (FOREIGN,)
        shell.run_text(_unquoted(text))


def _assignment(word: str) -> str:
    name, _, value = word.partition("=")
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'{name}="{quoted}";'


def _scan_paths(shell: Shell, argv: list[str], code: str) -> None:
    for found in _ONE.finditer(code):
        text = found[1] if found[1] is not None else found[2]
        if text.startswith("/") and place(_unquoted(text)).is_disk:
            shell.find("device-write", told(argv))
    for found in _DELETES.finditer(code):
        _deleted(shell, argv, found[1])
    for found in _WALKS.finditer(code) if _UNLINKS.search(code) else ():
        if place(next((group for group in found.groups() if group), "")).is_vital:
            shell.find("delete-root-or-home", told(argv))
    for found in _REMOVES.finditer(code):
        target = place(next((group for group in found.groups() if group), ""))
        if target.is_vital or target.is_outside:
            shell.find("delete-root-or-home" if target.is_vital else "write-outside", told(argv))
    for found in _OPENS.finditer(code):
        text = next((group for group in found.groups() if group), "")
        if place(text).is_outside:
            shell.find("write-outside", told(argv))


def _scan_texts(shell: Shell, code: str) -> None:
    """Quoted texts that would destroy something as a command, in code that can start one in some way."""
    if not _CAN_START.search(code):
        return
    texts = [_unquoted(one or other) for one, other in _ONE.findall(code)]
    before = dict(shell.found)
    for text in [*texts, " ".join(texts), code]:
        first = _FIRST_WORD.search(text)
        if first and " " in text:
            shell.run_text(text[first.start() :])
    for spot in re.finditer(r"\b(?:rm|dd|mkfs\S{0,40})\s+[^\"'`)}]+", code):
        shell.run_text(spot[0])
    for mark in [mark for mark in shell.found if mark not in before and RULES[mark[0]].capability is not None]:
        del shell.found[mark]


def _deleted(shell: Shell, argv: list[str], given: str) -> None:
    text = _ALONE_TEXT.search(given)
    path = _unquoted((text[1] if text[1] is not None else text[2]) if text else "")
    if path.startswith("~") or (_A_HOME.search(given) and not re.search(r"/\w|,\s*['\"]\w", given)):
        path = HOME + path.lstrip("~")
    target = place(path) if path else None
    if target is None:
        return
    if target.is_vital:
        shell.find("delete-root-or-home", told(argv))
    elif target.is_outside:
        shell.find("write-outside", told(argv))


def _scan_starts(shell: Shell, argv: list[str], code: str, *, judges: bool) -> None:
    """Run what the code starts; ``judges`` if it counts what is not known of that."""
    for found in _BACKTICKS.finditer(code):
        shell.run_text(next(group for group in found.groups() if group is not None))
    for number, call in enumerate(_STARTS.finditer(code)):
        if number == _MOST_CALLS:
            shell.find("too-complex", "")
            break
        behind = _call_words(code[call.end() : call.end() + 2000], chained=":new" in call[0])
        if not behind.strip() or (behind[:1] in {",", ")", "=", ";"} and "(" not in call[0]):
            continue
        words = [_unquoted(one or other) for one, other in _ONE.findall(behind)]
        _started(shell, argv, call[0], words)
        if judges and (not words or _LEFT_OVER.search(_ONE.sub("", _OPTION.sub("", behind)))):
            shell.find("pipe-to-shell" if _HIDES.search(code) else "unknown-command", told(argv))


def _call_words(behind: str, *, chained: bool = False) -> str:
    """What a call is given: up to the bracket that closes it, or the statement's end, if others are ``chained``."""
    depth = 0
    for place_, sign in enumerate(_ONE.sub(lambda text: "_" * len(text[0]), behind)):
        depth += (sign in "([{") - (sign in ")]}")
        if (depth < 0 and not chained) or (depth <= 0 and sign in ";\n"):
            return behind[:place_]
    return behind


def _started(shell: Shell, argv: list[str], call: str, words: list[str]) -> None:
    """The words of a call, in each way in which it may put them together."""
    if not words:
        return
    if call.startswith(("eval", "exec")) and len(words) == 1 and re.search(r"[=(]", words[0]):
        scan(shell, argv, words[0])
        return
    shell.run_text("".join(words))
    for some in (words, words[1:]) if len(words) > 1 else ():
        shell.run_words([word for word in some if word])


def _unquoted(text: str) -> str:
    return decoded(text)
