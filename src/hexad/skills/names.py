"""Which names a script's variables and a skill's files may have: one rule for what is
stored, exported and run.
"""

from __future__ import annotations

import re
import unicodedata
from typing import TYPE_CHECKING, Final

from hexad.model import SkillKind

if TYPE_CHECKING:
    from collections.abc import Mapping

MANIFEST: Final = "SKILL.md"
MAINS: Final[Mapping[SkillKind, str]] = {
    SkillKind.COMPOSITE: "steps.json",
    SkillKind.SCRIPT: "scripts/run.sh",
    SkillKind.TEMPLATE: "template.txt",
}
"""The file of a folder that holds what a skill does; an instruction is the text of SKILL.md."""
LEFT_OUT: Final = ".git"  # a clone's history is not part of the skill
DEEPEST: Final = 8  # folders within folders
_LONGEST_PATH, _LONGEST_PART = (
    240,
    255,
)  # characters, and bytes of a file's or a folder's own name
_UNSAFE: Final = re.compile(
    r'[\x00-\x1f\x7f-\x9f\u2028\u2029\\:*?"<>|\ud800-\udfff]'
)  # not a name on every system
_NAME: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_STEERING: Final = re.compile(  # these change what runs, not what it works on
    "PATH|HOME|TMPDIR|LANG|LANGUAGE|LC_.*|IFS|ENV|CDPATH|GLOBIGNORE|SHELLOPTS|PS[0-9]|PWD|OLDPWD|SHELL|USER|LOGNAME|"
    "PROMPT_COMMAND|BASH.*|LD_.*|GCONV_PATH|PYTHON.*|PERL.*|RUBY.*|NODE_.*|JAVA_.*|GIT_.*|HEXAD_.*"
)


def variable_fault(name: str) -> str:
    """Why a variable of a script cannot be called so; empty if it can.

    >>> variable_fault("city"), variable_fault("GIT_BRANCH")
    ('', 'is a variable that changes how programs run; choose another name')
    """
    if not _NAME.fullmatch(name):
        return (
            "is no name for a variable: letters, digits and _ only, and no digit first"
        )
    return (
        "is a variable that changes how programs run; choose another name"
        if _STEERING.fullmatch(name)
        else ""
    )


def path_fault(path: str) -> str:
    """Why a file cannot have this path below its folder, on every system; empty if it
    can.

    >>> path_fault("scripts/run.sh"), path_fault("../run.sh")
    ('', 'leaves its folder or is no plain path, such as data/words.txt')
    """
    parts = path.split("/")
    if any(part in {"", ".", ".."} for part in parts):
        return "leaves its folder or is no plain path, such as data/words.txt"
    strange = next(
        (each for each in path if _UNSAFE.match(each) or not each.isprintable()), None
    )
    if strange is not None:
        name = f"U+{ord(strange):04X} {unicodedata.name(strange, '')}".strip()
        return f"is no plain path: it holds {name}, which not every system allows or shows in a name; rename the file"
    if any(part != part.strip() for part in parts):
        return "is no plain path: a name begins or ends with a space; rename the file"
    if len(path) > _LONGEST_PATH or any(
        len(part.encode()) > _LONGEST_PART for part in parts
    ):
        return f"has more than {_LONGEST_PATH} characters, or a part with more than {_LONGEST_PART} bytes"
    if LEFT_OUT in parts:
        return f"lies in {LEFT_OUT}, which a skill does not carry"
    return f"is more than {DEEPEST} folders deep" if len(parts) - 1 > DEEPEST else ""
