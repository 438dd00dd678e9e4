"""Files whose content nobody knows before the script runs: who writes them, and what running one of them means."""

from __future__ import annotations

import re
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.destructive import operands, told
from hexad.skills.shell.held_files import held, hold, perhaps
from hexad.skills.shell.lasting import rejected
from hexad.skills.shell.paths import place
from hexad.skills.shell.values import ANYTHING, DOWNLOADED, UNKNOWN, known

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hexad.skills.shell.machine import Shell

_MAY_DESTROY: Final = re.compile(r"\b(?:rm|shred|dd|mkfs|wipefs|chmod|mv|find)\b").search
_DECODES: Final = re.compile(r"-[a-zA-Z]*[dDr]|--de\w+|-decrypt|--reverse|-verify").fullmatch
_SUFFIX: Final = re.compile(r"\.(?:gz|z|Z|bz2|xz|lzma|zst|lz4|br|gpg|pgp|asc|age|enc|b64)$")
_EXTRACTS: Final = re.compile(r"-?[a-zA-Z]*x").match
_TO_OUTPUT: Final = re.compile(r"-[a-zA-Z]*[ctl]|--(?:stdout|to-stdout|test|list)").fullmatch
_OUTPUT: Final = re.compile(r"(?:--out\w*|-o)=(.+)").fullmatch


def run_unseen(shell: Shell, argv: list[str], path: str) -> None:
    """A file is run that the script did not write, as far as is known: perhaps it did all the same."""
    if shell.unseen and known(path) and not place(path, shell.folder).is_outside:
        shell.find("unknown-command", told(argv))
    for text in perhaps(shell, path) if shell.files else ():
        if _MAY_DESTROY(text):
            rejected(shell, partial(shell.run_text, text), spared="pipe-to-shell")


def unpacked(shell: Shell) -> None:
    """From here on a file that the script did not write may be anything, and one that it wrote may be another."""
    shell.unseen = True
    doubt(shell, shell.wrote)


def doubt(shell: Shell, paths: Iterable[str]) -> None:
    """What these files hold may have been changed."""
    for path in list(paths):
        old = held(shell, path)
        if old is not None and UNKNOWN not in old:
            hold(shell, path, (*old, UNKNOWN))


def _unpacks(shell: Shell, _argv: list[str]) -> None:
    """What an archive holds, and under which names, is in nobody's sight."""
    unpacked(shell)


def _tar(shell: Shell, argv: list[str]) -> None:
    if _EXTRACTS("".join(argv[1:2])) or not {"-x", "--extract", "--get"}.isdisjoint(argv):
        unpacked(shell)


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
        shell.unseen = shell.unseen or argv[0].endswith("uudecode")
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
    shell.unseen = True


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
