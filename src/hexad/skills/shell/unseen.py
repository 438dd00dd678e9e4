"""Files whose content nobody knows before the script runs: who writes them, and what running one of them means."""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.destructive import operands, told
from hexad.skills.shell.held_files import held, hold, key_of, perhaps
from hexad.skills.shell.lasting import rejected
from hexad.skills.shell.paths import place
from hexad.skills.shell.values import ANYTHING, DOWNLOADED, UNKNOWN, known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hexad.skills.shell.machine import Shell

_MAY_DESTROY: Final = re.compile(r"\b(?:rm|shred|dd|mkfs|wipefs|chmod|mv|find)\b").search
_DECODES: Final = re.compile(r"-[a-zA-Z]*[dDr]|--de\w+|-decrypt|--reverse|-verify").fullmatch
_OPENED: Final = re.compile(
    r"\bopen\w*+\s*+\(?\s*+['\"]([^'\"\n]{1,200})['\"]\s*,\s*['\"][rbt]*[wax+][bt+]*['\"]"
).findall
_MODES: Final = re.compile(r"['\"][rbt]*[wax+][bt+]*['\"]").findall
_WRITES: Final = re.compile(
    r"['\"]\s*\+?>|\bwrite_\w+|\bwrite(?:File|Text|Sync)\w*|\b(?:File|IO)\.write|\bfopen|put_contents|extractall|urlretrieve|"
    r"copyfile|shutil\.(?:copy|move)|\brename\w*|\bos\.open\b"
).search
_SUFFIX: Final = re.compile(r"\.(?:gz|z|Z|bz2|xz|lzma|zst|lz4|br|gpg|pgp|asc|age|enc|b64)$")
_EXTRACTS: Final = re.compile(r"-?[a-zA-Z]*x").match
_TO_OUTPUT: Final = re.compile(r"-[a-zA-Z]*[ctl]|--(?:stdout|to-stdout|test|list)").fullmatch
_INTO: Final = re.compile(r"(?:--directory=|-o|-C)(.+)").fullmatch
_OUTPUT: Final = re.compile(r"(?:--out\w*|-o)=(.+)").fullmatch


def run_unseen(shell: Shell, argv: list[str], path: str) -> None:
    """A file is run that the script did not write, as far as is known: perhaps it did all the same."""
    if shell.unseen and known(path) and not place(path, shell.folder).is_outside:
        where = key_of(shell, path)
        if any(not folder or where.startswith(f"{folder}/") for folder in shell.unseen):
            shell.find("unknown-command", told(argv))
    for text in perhaps(shell, path) if shell.files else ():
        judge_file(shell, text)


def judge_file(shell: Shell, text: str) -> None:
    """What a file would destroy that is perhaps run by a shell; once, since it may name itself."""
    if _MAY_DESTROY(text) and ("", text) not in shell.searched:
        shell.searched.add(("", text))
        rejected(shell, partial(shell.run_text, text), spared="pipe-to-shell")


def unpacked(shell: Shell, folder: str = "") -> None:
    """From here on a file in a folder may be anything, also one that the script wrote."""
    where = key_of(shell, folder) if folder and known(folder) else ""
    shell.unseen.add(where)
    doubt(shell, [path for path in shell.wrote if not where or path.startswith(f"{where}/")])


def doubt(shell: Shell, paths: Iterable[str]) -> None:
    """What these files hold may have been changed."""
    for path in list(paths):
        old = held(shell, path)
        if old is not None and UNKNOWN not in old:
            hold(shell, path, (*old, UNKNOWN))


def writes_files(shell: Shell, code: str) -> None:
    """Code in another language: what it writes is not known, and often not where either."""
    named = _OPENED(code)
    for path in named:
        hold(shell, path, (*(held(shell, path) or ()), UNKNOWN))
    if len(_MODES(code)) > len(named) or _WRITES(code):
        shell.unseen.add("")
        doubt(shell, [path for path in shell.wrote if path.rpartition("/")[2] in code])


def _unpacks(shell: Shell, argv: list[str]) -> None:
    """What an archive holds, and under which names, is in nobody's sight."""
    folders = [path for option, path in pairwise(argv) if option in {"-d", "-C", "--directory", "-D"}]
    folders += [found[1] for word in argv[1:] if (found := _INTO(word))]
    unpacked(shell, folders[-1] if folders else "")


def _tar(shell: Shell, argv: list[str]) -> None:
    if _EXTRACTS("".join(argv[1:2])) or not {"-x", "--extract", "--get"}.isdisjoint(argv):
        _unpacks(shell, argv)


def _cpio(shell: Shell, argv: list[str]) -> None:
    if any(re.match(r"-[a-zA-Z]*[ipr]|--extract|--pass", word) for word in argv[1:]):
        unpacked(shell)


def _decodes(shell: Shell, argv: list[str]) -> None:
    """A decoder: into the file that an option names, or the one that it was given, without its suffix."""
    unpacks = argv[0].rpartition("/")[2] in _ALWAYS_DECODING
    if not unpacks and not any(_DECODES(word) for word in argv[1:]):
        return
    named = [path for option, path in pairwise(argv) if option in {"-o", "-out", "--output", "-O"}]
    named += [found[1] for word in argv[1:] if (found := _OUTPUT(word))]
    if not named and not any(_TO_OUTPUT(word) for word in argv[1:]):
        named = [_SUFFIX.sub("", path) for path in operands(argv[1:]) if _SUFFIX.search(path)]
        if argv[0].endswith("uudecode"):
            unpacked(shell)
    for path in named:
        hold(shell, path, DOWNLOADED)


def _second(shell: Shell, argv: list[str]) -> None:
    """`xxd -r in out`: the last of two files."""
    paths = [word for word in argv[1:] if word[:1] != "-" or word == "-"]
    if len(paths) > 1 and any(_DECODES(word) for word in argv[1:]):
        hold(shell, paths[-1], DOWNLOADED)


def _pieces(shell: Shell, argv: list[str]) -> None:
    """`split`: files whose names begin with a word; the first of them with what the whole begins with."""
    words = [word for word in argv[1:] if word[:1] != "-" or word == "-"]
    hold(shell, f"{words[-1] if len(words) > 1 else 'x'}{UNKNOWN}", shell.stdin or ANYTHING)
    shell.unseen.add("")


_ALWAYS_DECODING: Final = frozenset(
    """gunzip bunzip2 unxz unlzma unzstd uncompress unlz4 unbrotli uudecode""".split()  # noqa: SIM905
)
UNPACKING: Final[dict[str, Callable[[Shell, list[str]], None]]] = {
    **dict.fromkeys(
        ("unzip", "unrar", "unar", "cabextract", "patch", "dpkg-deb", "rpm2cpio", "unshar", "rename", "prename", "mmv"),
        _unpacks,
    ),
    **dict.fromkeys(("7z", "7za", "7zr", "ar", "jar"), _tar),
    **dict.fromkeys(("tar", "bsdtar", "gtar"), _tar),
    **dict.fromkeys(("cpio", "pax"), _cpio),
    **dict.fromkeys(_ALWAYS_DECODING, _decodes),
    **dict.fromkeys(
        ("openssl", "gpg", "gpg2", "age", "gzip", "bzip2", "xz", "lzma", "zstd", "lz4", "brotli", "base64", "ccrypt"),
        _decodes,
    ),
    "xxd": _second,
    "split": _pieces,
    "csplit": _pieces,
}
"""Programs that write files whose content is not known, by their names."""
