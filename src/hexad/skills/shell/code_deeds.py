"""What code in another language does, and to what: it deletes, walks, writes, forks or connects.

What is done and what it is done to are found apart, by the names of calls and by the places that are named: code that
walks, deletes what it finds and names the root folder is judged as if it said so in one call.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.code_parts import T
from hexad.skills.shell.destructive import told
from hexad.skills.shell.paths import place
from hexad.skills.shell.values import HOME, UNKNOWN, WORK

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hexad.skills.shell.code_parts import Code
    from hexad.skills.shell.machine import Shell
    from hexad.skills.shell.paths import Place

_MOST: Final = 200  # calls of one kind that are looked at
_DELETES_ALL: Final = re.compile(
    r"(?<![\w-])(?:rmtree|remove_tree|rm_rf!?|rm_r|rm_rf|remove_entry(?:_secure)?|secure_rmtree|rmSync|"
    r"rimraf(?:\.sync)?|"
    r"removeSync|emptyDirSync|remove_dir_all|RemoveAll|rmdir_all|delete-directory(?:/files|-tree)?|delete_tree|"
    r"deleteRecursively|deleteDirectory|delete-tree|delTree|remove_all|removeTree|del_dir_r|Remove-Item|"
    r"file delete -force(?: --)?|(?:fs\.|fsp?\.promises\.|promises\.)rm(?:dir)?(?= ?\()|rm(?= ?\(|"
    r" \x0e))(?![\w-])!? ?\(? ?"
)
_DELETES: Final = re.compile(
    r"(?<![\w-])(?:unlink(?:Sync|_file|at)?|os\.remove|os\.Remove|os\.removedirs|rmdir(?:Sync)?|os\.rename|remove_file|"
    r"removeFile|remove_dir|removeDirectory|delete-file|File\.(?:delete|unlink|rm!?)|Dir\.(?:delete|rmdir|unlink)|"
    r"Files\.delete(?:IfExists)?|file:delete|deleteFile|remove(?= ?\()|file delete|del(?= ?\())(?![\w-]) ?\(? ?"
)
_SUBJECT_DELETED: Final = re.compile(
    rf"{T}\.(?:unlink|rmdir|rmtree|delete|remove|deleteRecursively|rmtree_p|remove_p)\b"
)
_CLEANS: Final = re.compile(
    r"\b(?:unlink\w*|remove\w*|rmtree|rmdir\w*|rm(?:_\w+|Sync)?|delete\w*|Remove\w*|del|truncate)\b|-delete\b"
)
_WALKS: Final = re.compile(
    r"(?<![\w-])(?:os\.f?walk|walk|i?glob(?:Sync)?|Glob|scandir|listdir|rglob|iterdir|finddepth|readdir(?:Sync)?|"
    r"opendir|nftw|ftw|"
    r"Find\.find|Dir\.(?:glob|foreach|each_child|entries|children|\[\])|Dir|find(?= ?\( ?(?:sub|\\|\{|&))|dir_list|"
    r"RecursiveDirectoryIterator|DirectoryIterator|FilesystemIterator|scandir|walkdir|WalkDir|filepath\.Walk(?:Dir)?|"
    r"os\.ReadDir|"
    r"Files\.walk|list_dir|read_dir|directory-files(?:-recursively)?|directory-list|file-seq|listFiles|"
    r"Get-ChildItem|gci|lfs\.dir|ls!?|find|list_files|list\.files)(?![\w-]) ?[(\[]? ?"
)
_SUBJECT_WALKED: Final = re.compile(
    rf"(?:{T}|([\w)\]]))\.(?:rglob|glob|iterdir|walk|walkFileTree|listFiles|children|each_child|find)\b"
)
_LISTED: Final = re.compile(r"\s*(?:sudo )?(?:find|ls|fd|du|tree)\s+(?:-\S+\s+)*([/~]\S*|\.\S*)")
_GOES: Final = re.compile(rf"\b(?:os\.chdir|process\.chdir|Dir\.chdir|chdir|setwd|cd|Set-Location)\b ?\(? ?{T}")
_OPENED: Final = re.compile(
    rf"\b(?:open\w*|fopen|File\.(?:open|new)|io\.open|FileWriter|FileOutputStream|"
    rf"sysopen) ?\(? ?(?:[\w:$ ]{{1,20}}, ?)?{T} ?, ?"
    rf"(?:mode ?= ?)?(?:{T}|([\w.|:]*(?:O_WRONLY|O_RDWR|O_CREAT|O_TRUNC)|[1-9]))"
)
_WRITING_MODE: Final = re.compile(r"[rbt]*[wax+>][\w+]*").fullmatch
_OPENED_BY_SIGN: Final = re.compile(rf"\bopen\b ?\(? ?(?:my )?[$\w]+ ?, ?{T}(?: ?, ?{T})?")
_WRITES_FIRST: Final = re.compile(
    r"\b(?:(?:write|append)File(?:Sync)?|write_file|createWriteStream|outputFile(?:Sync)?|file_put_contents|"
    r"File\.write!?|IO\.write|"
    r"IO\.binwrite|File\.binwrite|os\.(?:Create|WriteFile|OpenFile|Mkdir(?:All)?)|ioutil\.WriteFile|fs::write|"
    r"File::create|"
    r"Files\.write(?:String)?|writeLines|os\.makedirs|os\.mkdir|mkdir(?:Sync|_p)?|touch|truncate|os\.chmod|os\.chown|"
    r"chmod(?:Sync)?|chown(?:Sync)?|os\.utime|spit|write-region|Set-Content|Add-Content|Out-File|New-Item|"
    r"make-directory|"
    r"file:write_file|FileWriter|FileOutputStream|writefile|creat|open-output-file|with-output-to-file) ?\(? ?"
)
_WRITES_LAST: Final = re.compile(
    r"\b(?:shutil\.(?:copy2?|copyfile|copytree|move|make_archive|unpack_archive)|os\.(?:rename|replace|symlink|link|"
    r"Rename|Symlink)|"
    r"copyFile(?:Sync)?|renameSync|symlinkSync|linkSync|cpSync|FileUtils\.(?:cp|mv|cp_r|ln_s|install|copy|move)|"
    r"File\.(?:rename|symlink|cp!?|cp_r!?)|"
    r"rename|copy|symlink|link|move|extractall|Copy-Item|Move-Item|Files\.(?:copy|move)|writeLines|write\.csv|saveRDS|"
    r"to_csv|"
    r"to_json|to_excel|to_parquet|savefig|write-region) ?\(? ?"
)
_SUBJECT_WRITTEN: Final = re.compile(
    rf"{T}\.(?:write_text|write_bytes|touch|mkdir|symlink_to|hardlink_to|chmod|rename|replace|open\( ?\x0e|writeText|"
    rf"appendText|write|createNewFile)\b"
)
_BARE: Final = frozenset({"pwsh", "tclsh"})
_BARE_WORD: Final = re.compile(r"\w[\w./-]*(?=[\s;]|$)")
_FOLDERS: Final = re.compile(rf"[,}}] ?((?:{T} ?,? ?)+)$")
_ENDS_A_CALL: Final = re.compile(r"[()\[\]{};\n]")
_NO_PLACE: Final = re.compile(
    r"(?:split|rsplit|join|replace|replaceAll|strip|lstrip|rstrip|startswith|endswith|startsWith|endsWith|index|"
    r"rindex|indexOf|lastIndexOf|"
    r"partition|rpartition|count|tr|gsub!?|sub|explode|implode|trim|rtrim|ltrim|print|printf|println|puts|echo|say|"
    r"log|write|includes|contains|"
    r"error|warn|match|test|exists|isdir|isfile|statvfs|disk_usage|stat|relpath|commonpath|is_mount|ismount|format|"
    r"sep|strpos|str_replace|"
    r"preg_\w+|raise|die|Exception|append|writerow) ?\(? ?$"
)
_VALUE_FOLLOWS: Final = re.compile(r"(?:^|[(,\[={;\n:]|\b(?:in|return|of|do|for|from)|[)\w] ) ?$")
_VALUE_ENDS: Final = re.compile(r" ?(?:$|[),\]};\n:|]|as\b|do\b|-|\{)")


def scan_deeds(shell: Shell, argv: list[str], code: Code) -> None:
    """Note what a piece of code does to places that matter."""
    folder = _folder(shell, code)
    _look_at_texts(shell, argv, code, folder)
    if _CLEANS.search(code.skeleton):
        _look_at_deletions(shell, argv, code, folder)
    for path in _written(code):
        _judge(shell, argv, where(path, folder), deletes=False)


def where(path: str, folder: str = WORK) -> Place:
    """The place of a path as code writes it."""
    return place(HOME + path[1:] if path.startswith("~") else path or ".", folder)


def _folder(shell: Shell, code: Code) -> str:
    """Where the code works: where it goes to, or where the script is."""
    gone = _GOES.search(code.skeleton)
    path = code.get(gone[1]) if gone else ""
    return (HOME + path[1:] if path.startswith("~") else path) if path[:1] in {"/", "~", HOME} else shell.folder


def _judge(shell: Shell, argv: list[str], target: Place, *, deletes: bool) -> None:
    if target.is_vital and deletes:
        shell.find("delete-root-or-home", told(argv))
    elif target.is_disk:
        shell.find("device-write", told(argv))
    elif target.is_outside:
        shell.find("write-outside", told(argv))


def _look_at_texts(shell: Shell, argv: list[str], code: Code, folder: str) -> None:
    for text in set(code.all(code.skeleton)):
        if (text.startswith("/") or folder != WORK) and "\n" not in text and where(text, folder).is_disk:
            shell.find("device-write", told(argv))


def _calls(pattern: re.Pattern[str], skeleton: str) -> Iterable[re.Match[str]]:
    return islice(pattern.finditer(skeleton), _MOST)


def _argument(code: Code, start: int) -> str:
    """The first thing that a call is given: a text, its known beginning and a mark, or nothing that is known."""
    part = code.skeleton[start : start + 400]
    if code.language == "tclsh" and part.startswith("["):
        return UNKNOWN
    while option := re.match(r"(?:-\w+ |[\w]+ ?= ?(?=\x0e)|\[ ?|new |\w+(?:::|\.)(?=\x0e)|\w+ ?\( ?(?=\x0e))", part):
        part = part[option.end() :]
    found = re.match(rf"{T}( ?(?:[),;\]}}\n|:&#]|$|\w|-|\{{|=>))?", part)
    if found is None:
        bare = _BARE_WORD.match(part) if code.language in _BARE else None
        return bare[0] if bare else UNKNOWN
    return code.get(found[1]) if found[2] is not None else code.get(found[1]) + UNKNOWN


def _rest(skeleton: str, start: int) -> str:
    """What a call is given, up to the bracket that closes it or the end of the statement."""
    depth = 0
    for found in _ENDS_A_CALL.finditer(skeleton, start, start + 2000):
        sign = found[0]
        depth += (sign in "([{") - (sign in ")]}")
        if depth < 0 or (depth == 0 and sign in ";\n"):
            return skeleton[start : found.start()]
    return skeleton[start : start + 2000]


def _look_at_deletions(shell: Shell, argv: list[str], code: Code, folder: str) -> None:
    unknown = False
    for call in _calls(_DELETES_ALL, code.skeleton):
        if code.language == "pwsh" and code.skeleton[: call.start()].endswith(("|", "| ")):
            continue  # what is walked is deleted
        path = _argument(code, call.end())
        unknown = unknown or path == UNKNOWN
        _judge(shell, argv, where(path, folder), deletes=True)
    for call in _calls(_DELETES, code.skeleton):
        path = _argument(code, call.end())
        if path != UNKNOWN:
            _judge(shell, argv, where(path, folder), deletes=True)
    for found in _calls(_SUBJECT_DELETED, code.skeleton):
        _judge(shell, argv, where(code.get(found[1]), folder), deletes=True)
    walked = _walked(code)
    for path in walked:
        if path == UNKNOWN:
            unknown = True
        else:
            _judge(shell, argv, where(path, folder), deletes=True)
    if unknown or UNKNOWN in walked or (walked and folder != WORK):
        _judge_unknown(shell, argv, code, folder)


def _judge_unknown(shell: Shell, argv: list[str], code: Code, folder: str) -> None:
    """What is deleted is not known: the worst place that the code names may be meant."""
    if any(where(path, folder).is_vital for path in (*_named(code), folder)):
        shell.find("delete-root-or-home", told(argv))
    else:
        shell.find("delete-unknown", told(argv))


def _walked(code: Code) -> list[str]:
    """The places that the code looks through."""
    found: list[str] = []
    for call in _calls(_WALKS, code.skeleton):
        if _is_walk(code, call):
            folders = _FOLDERS.search(_rest(code.skeleton, call.end())) if code.language == "perl" else None
            found += code.all(folders[1]) if folders else [_argument(code, call.end())]
    found += [code.get(call[1]) for call in _calls(_SUBJECT_WALKED, code.skeleton) if call[1] is not None]
    for text in code.all(code.skeleton):
        listed = _LISTED.match(text)
        if listed:
            found.append(listed[1])
    return found


def _is_walk(code: Code, call: re.Match[str]) -> bool:
    """Whether a name is used as a call that looks through a folder, and not as the method of a text."""
    before, name = code.skeleton[max(0, call.start() - 3) : call.start()], call[0].rstrip(" ([")
    if not call[0].endswith(("(", "[", "( ", "[ ")) and not re.match(r"\x0e|[$@]\w", code.skeleton[call.end() :]):
        return False
    if name in {"find", "ls", "Dir", "dir_list"}:
        return name != "find" or code.language == "perl"
    is_method = name in {"glob", "rglob", "iterdir", "walk"} and before.endswith(".")
    return not is_method or before.endswith(("os.", "ob."))


def _named(code: Code) -> list[str]:
    """The texts that stand where a value does, and not as a sign to part or to join others."""
    found = islice(re.finditer(T, code.skeleton), 10 * _MOST)
    return [code.get(match[1]) for match in found if _is_value(code.skeleton, match.start(), match.end())]


def _is_value(skeleton: str, start: int, end: int) -> bool:
    before = skeleton[max(0, start - 40) : start]
    if not _VALUE_FOLLOWS.search(before) or _NO_PLACE.search(before):
        return False
    return _VALUE_ENDS.match(skeleton[end : end + 8]) is not None


def _written(code: Code) -> list[str]:
    """The paths that the code writes to."""
    skeleton = code.skeleton
    found: list[str] = []
    found += [
        code.get(call[1]) for call in _calls(_OPENED, skeleton) if call[2] is None or _WRITING_MODE(code.get(call[2]))
    ]
    for call in _calls(_OPENED_BY_SIGN, skeleton):
        found += _opened_by_sign(code.get(call[1]), code.get(call[2]) if call[2] else "")
    found += [_argument(code, call.end()) for call in _calls(_WRITES_FIRST, skeleton)]
    for call in _calls(_WRITES_LAST, skeleton):
        last = re.search(rf"(?:^|, ?|\( ?|=){T} ?(?:, ?[\w.]+ ?= ?[^,]*)?$", _rest(skeleton, call.end()))
        if last:
            found.append(code.get(last[1]))
    found += [code.get(match[1]) for match in _calls(_SUBJECT_WRITTEN, skeleton)]
    if code.language in {"awk", "pwsh"}:
        found += [code.get(match[1]) for match in re.finditer(rf">>? ?{T}", skeleton)]
    return [path for path in found if path and path[0] != UNKNOWN and "\n" not in path]


def _opened_by_sign(sign: str, path: str) -> list[str]:
    """`open F, ">", "path"` and `open F, ">path"`."""
    writes = sign.lstrip().startswith((">", "+<", "+>"))
    return [path or sign.lstrip("+<> ")] if writes else []
