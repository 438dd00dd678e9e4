"""What is known of the files that a script may run: those that it was given, and those that it wrote.

A file is known by the place that its path leads to, however the path is written. A link leads where it points.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from hexad.skills.shell.lasting import lasting
from hexad.skills.shell.paths import place
from hexad.skills.shell.values import (
    ANYTHING,
    HOME,
    SELF,
    UNKNOWN,
    WORK,
    Values,
    bounded,
    is_glob,
    joined,
    known,
    pattern,
)

if TYPE_CHECKING:
    from hexad.skills.shell.machine import Shell
    from hexad.skills.shell.paths import Place

INPUT: Final = frozenset({"-", "/dev/stdin", "/dev/fd/0", "/proc/self/fd/0"})
"""Names of what a command reads if it is given no file."""
_STARTS: Final = {"/": "/", "~": f"{HOME}/", ".": ""}
_MARKED: Final = {"/": "/", "~": f"{HOME}/", ".": f"{WORK}/"}
_ABSOLUTE: Final = ("/", HOME, WORK, UNKNOWN)
_SHEBANG: Final = re.compile(r"#!\s*(?:\S*/)?(?:env\s+(?:-\S+\s+)*(?:\S*/)?)?(?:ba|da|k|z|a|mk)?sh\b")
_SETTLED: Final = re.compile(r"/?(?:[\w\x00][\w.\x00-]*/)*[\w\x00][\w.\x00-]*").fullmatch  # without `.` and `..`
_DESCRIPTOR: Final = re.compile(r"^/proc/[^/]+/fd/")
_MOST_LINKS: Final = 8  # that lead to one another


def held(shell: Shell, path: str) -> Values | None:
    """What a file holds, or what each file of a pattern may; None if the script has not written it."""
    if not shell.files:
        return None
    where = key_of(shell, path)
    found = shell.files.get(where)
    if found is not None or not is_glob(path):
        return found
    matches = pattern(where).match
    texts = [text for name, values in shell.files.items() if matches(name) for text in values]
    return bounded(texts) if texts else None


def is_shell(text: str) -> bool:
    """Whether a file says in its first line that a shell runs it."""
    return _SHEBANG.match(text) is not None


def read(shell: Shell, path: str) -> Values | None:
    """What a command reads from a file, or from its input if the file is that."""
    return (shell.stdin or ANYTHING) if path in INPUT else held(shell, path)


def hold(shell: Shell, path: str, values: Values, *, appends: bool = False) -> None:
    """Remember what a file holds now; what may not happen is one more possibility."""
    where = key_of(shell, path)
    old = shell.files.get(where)
    if old and appends:
        values = joined([old, values])
    elif old and shell.conditional:
        values = (*old, *values)
    elif old:
        values = lasting(old, values)
    shell.files[where] = bounded(values)
    shell.wrote.add(where)


def perhaps(shell: Shell, path: str) -> Values:
    """What a file may hold that was written by a path of which only a part is known."""
    name = path.rstrip("/").rpartition("/")[2]
    found = (texts for where, texts in shell.files.items() if UNKNOWN in where and _may_be(where, name))
    return tuple(text for texts in found for text in texts)


def _may_be(where: str, name: str) -> bool:
    first, _, rest = where.rpartition("/")[2].partition(UNKNOWN)
    return name.startswith(first) and name.endswith(rest.rpartition(UNKNOWN)[2])


def copied(shell: Shell, sources: list[str], target: str) -> None:
    """What was copied, moved or linked is what it was; the target may be the file, or the folder it comes into."""
    for source in sources:
        name = source.rstrip("/").rpartition("/")[2]
        _note_program(shell, source, target)
        values = (SELF,) if SELF in source else None if is_glob(source) else read(shell, source)
        if values is not None:
            hold(shell, target, values)
            hold(shell, f"{target}/{name}", values)
        elif shell.files:
            _copy_folder(shell, source, target, name)


def _copy_folder(shell: Shell, source: str, target: str, name: str) -> None:
    """Every file in a folder, or those that a pattern stands for."""
    where = key_of(shell, source.rstrip("/"))
    if is_glob(source):
        matches = pattern(where).match
        for path in [path for path in shell.files if matches(path)]:
            hold(shell, f"{target}/{path.rpartition('/')[2]}", shell.files[path])
        return
    for path in [path for path in shell.files if path.startswith(f"{where}/")]:
        hold(shell, target + path[len(where) :], shell.files[path])
        hold(shell, f"{target}/{name}{path[len(where) :]}", shell.files[path])


def _note_program(shell: Shell, source: str, target: str) -> None:
    """A copy of a program is that program, whatever it is called."""
    folder, _, name = source.rpartition("/")
    program = shell.programs.get(key_of(shell, source)) if shell.programs else None
    if program is None and ((folder.startswith("/") and folder.endswith("bin")) or source == name):
        program = name  # without a folder it is what `which` says, or `command -v`
    if program is not None:
        shell.programs[key_of(shell, target)] = shell.programs[key_of(shell, f"{target}/{name}")] = program


def program_of(shell: Shell, path: str) -> str | None:
    """The name of the program that a path leads to, if the script copied it there or made a link to it."""
    copy = shell.programs.get(key_of(shell, path))
    if copy is not None:
        return copy
    target = followed(shell, path)
    return None if target == path else target.rpartition("/")[2]


def on_path(shell: Shell, name: str) -> list[str]:
    """The files of this name in the folders of a `PATH` that the script set."""
    folders = {folder for value in shell.variables.get("PATH", ()) for folder in value.split(":")}
    paths = [f"{folder or '.'}/{name}" for folder in sorted(folders) if known(folder[:1])]
    ends = tuple(f"{folder[1:]}/{name}" for folder in folders if folder[:1] == UNKNOWN)
    return [*paths, *(path for path in shell.files if ends and f"/{path}".endswith(ends) and path not in paths)]


def link(shell: Shell, path: str, target: str) -> None:
    """From here on a path leads elsewhere; the target of a link is seen from the folder that the link is in."""
    where = key_of(shell, path)
    beside, slash, _ = path.rpartition("/")
    there = place(f"{beside}/{target}" if slash and target[:1] not in _ABSOLUTE else target, shell.folder)
    if where and not there.is_unknown and there != place(path, shell.folder):
        shell.links[where] = _MARKED[there.start] + "/".join(there.parts)


def followed(shell: Shell, path: str, *, itself: bool = True) -> str:
    """A path whose folders may be links, as it would be written without them; ``itself`` if it may be one too."""
    if not shell.links:
        return path
    for _ in range(_MOST_LINKS):
        where = _written(place(path, shell.folder), path)
        name = next((name for name in shell.links if (itself and where == name) or where.startswith(f"{name}/")), None)
        if name is None:
            break
        path = shell.links[name].rstrip("/") + where[len(name) :] or "/"
    return path


def key_of(shell: Shell, path: str) -> str:
    """The place that a path leads to, as one text."""
    if shell.folder == WORK and not shell.links and _SETTLED(path) and path[:6] != "/proc/":  # nearly always
        return path
    path = _DESCRIPTOR.sub("/dev/fd/", followed(shell, path))
    return _written(place(path, shell.folder), path)


def _written(target: Place, path: str) -> str:
    """A place as one text; of what is not known the path itself."""
    return path if target.is_unknown else _STARTS[target.start] + "/".join(target.parts)
