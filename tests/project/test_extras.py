"""The extra `all`: everything that it names can be installed together, at the versions
of constraints.txt.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.metadata import requires
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from packaging.requirements import Requirement

from tests.support import requirement

if TYPE_CHECKING:
    from collections.abc import Iterable

CONSTRAINTS = Path(__file__).parents[2] / "constraints.txt"


def named_by(extra: str) -> set[str]:
    """The packages of an extra, with those of the extras that it names."""
    known = [Requirement(each) for each in requires("hexad") or ()]
    wanted = [
        each
        for each in known
        if each.marker is not None and each.marker.evaluate({"extra": extra})
    ]
    inner = [name for each in wanted if each.name == "hexad" for name in each.extras]
    own = {
        str(each).partition(";")[0].strip() for each in wanted if each.name != "hexad"
    }
    return own.union(*map(named_by, inner)) if inner else own


def resolved(
    packages: Iterable[str], *options: str
) -> subprocess.CompletedProcess[str]:
    words = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--dry-run",
        "--quiet",
        "--disable-pip-version-check",
        *options,
    ]
    return subprocess.run(
        [*words, "-c", str(CONSTRAINTS), *sorted(packages)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


@requirement("EDGE-01")
def test_everything_in_the_extra_all_fits_together_here() -> None:
    done = resolved(named_by("all"), "--no-index")
    assert done.returncode == 0, done.stderr


@requirement("EDGE-01")
def test_everything_in_the_extra_all_resolves_from_a_registry() -> None:
    """It takes about twenty seconds of processor time: pip reads the list of versions
    of some hundred packages.
    """
    anew = ("--ignore-installed", "--retries", "0", "--timeout", "15")
    try:
        if resolved(["packaging"], *anew).returncode != 0:
            pytest.skip("no registry can be reached")
        done = resolved(named_by("all"), *anew)
    except subprocess.TimeoutExpired:
        pytest.skip("the registry did not answer within five minutes")
    assert done.returncode == 0, done.stderr


EXTRAS = (
    "adk",
    "anthropic",
    "langchain",
    "openai-agents",
    "pydantic-ai",
    "semantic",
    "server",
    "all",
)


@pytest.fixture(scope="module")
def old_pip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The pip that many machines come with, in an environment of its own."""
    if not os.environ.get("HEXAD_TEST_REGISTRY"):
        pytest.skip(
            "HEXAD_TEST_REGISTRY=1 says that a package registry may be asked: it takes minutes"
        )
    home = tmp_path_factory.mktemp("old-pip")
    subprocess.run([sys.executable, "-m", "venv", home], check=True)
    python = home / "bin" / "python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", "pip==23.2"], check=True)
    return python


@requirement("EDGE-01")
@pytest.mark.parametrize("extra", EXTRAS)
def test_an_old_pip_finds_versions_that_fit_without_the_constraints(
    old_pip: Path, extra: str
) -> None:
    source = f"{CONSTRAINTS.parent}[{extra}]"
    words = [
        old_pip,
        "-m",
        "pip",
        "install",
        "--dry-run",
        "--quiet",
        "--disable-pip-version-check",
        source,
    ]
    done = subprocess.run(
        words, capture_output=True, text=True, timeout=300, check=False
    )
    assert done.returncode == 0, done.stderr[-2000:]
