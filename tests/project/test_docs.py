"""The examples in docstrings are executed; test_manual.py does it with those in the
README and under docs/.
"""

from __future__ import annotations

import doctest
import importlib
import pkgutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import hexad
from hexad import Hexad
from hexad.errors import MissingExtra
from tests.support import requirement

if TYPE_CHECKING:
    from types import ModuleType

ROOT = Path(__file__).parents[2]
MODULES = sorted(
    module.name
    for module in pkgutil.walk_packages(hexad.__path__, "hexad.")
    if module.name
    not in {
        "hexad.__main__",
        "hexad_testing.store_suite",
        "hexad_testing.adapter_suite",
    }
)


@requirement("CTX-07")
@pytest.mark.parametrize("name", ["hexad", *MODULES])
def test_the_examples_of_a_module_say_what_happens(name: str) -> None:
    try:
        module: ModuleType = importlib.import_module(name)
    except MissingExtra as error:
        pytest.skip(str(error))
    result = doctest.testmod(
        module, extraglobs={"Hexad": Hexad}, optionflags=doctest.NORMALIZE_WHITESPACE
    )
    assert result.failed == 0


@requirement("CONF-01")
def test_the_examples_of_modules_leave_no_files_behind(tmp_path: Path) -> None:
    assert not list(ROOT.glob("never-created.db*"))
