"""Which names a script's variables may have: one rule for what is stored and for what is run."""

from __future__ import annotations

import re
from typing import Final

_NAME: Final = re.compile("[A-Za-z_][A-Za-z0-9_]*")
_STEERING: Final = re.compile(  # these change what runs, not what it works on
    "PATH|HOME|TMPDIR|LANG|LANGUAGE|LC_.*|IFS|ENV|CDPATH|GLOBIGNORE|SHELLOPTS|PS[0-9]|PWD|OLDPWD|SHELL|USER|LOGNAME|"
    "PROMPT_COMMAND|BASH.*|LD_.*|GCONV_PATH|PYTHON.*|PERL.*|RUBY.*|NODE_.*|JAVA_.*|GIT_.*|HEXAD_.*"
)


def fault(name: str) -> str:
    """Why a variable of a script cannot be called so; empty if it can.

    >>> fault("city"), fault("GIT_BRANCH")
    ('', 'is a variable that changes how programs run; choose another name')
    """
    if not _NAME.fullmatch(name):
        return "is no name for a variable: letters, digits and _ only, and no digit first"
    return "is a variable that changes how programs run; choose another name" if _STEERING.fullmatch(name) else ""
