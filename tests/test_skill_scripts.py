"""Scripts from end to end: what a skill's script never reaches, and what is left of one that was stopped."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hexad.errors import InvalidInput
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator

    from hexad import Hexad

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux")


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that also the superuser's scripts may write, with another in it."""
    made = Path(tempfile.mkdtemp(prefix="hexad-scripts-"))
    (made / "below").mkdir()
    for each in (made, made / "below"):
        each.chmod(0o777)
    yield made
    shutil.rmtree(made)


def script(hx: Hexad, text: str, writable: Path) -> None:
    definition = {"script": text, "needs": ["write"], "writable": [str(writable)]}
    hx.skills.create("job", kind="script", description="Do a job", definition=definition)
    hx.skills.activate("job", by="ada")


# --- Hexad's own database -----------------------------------------------------------------------------------------


@requirement("SKILL-06")
@pytest.mark.parametrize("where", ["agent.db", "below/agent.db", "[a]*.db"])
@pytest.mark.parametrize("way", ["absolute", "relative", "relative, then elsewhere", "by a link", "by a linked folder"])
def test_no_script_gets_a_folder_that_holds_the_database_however_it_was_opened(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, where: str, way: str
) -> None:
    (tmp_path / "link.db").symlink_to(folder / where)
    (tmp_path / "linked").symlink_to(folder)
    opened(folder / where).close()  # a link must lead somewhere
    monkeypatch.chdir(folder)
    places = {
        "absolute": folder / where,
        "by a link": tmp_path / "link.db",
        "by a linked folder": tmp_path / "linked" / where,
    }
    with opened(places.get(way, where)) as hx:
        script(hx, f"touch {folder}/made; cat {folder}/{where}", folder)
        if way == "relative, then elsewhere":
            monkeypatch.chdir("/")
        with pytest.raises(InvalidInput, match=r"writable: .* holds more than a script may change: .* what is hidden"):
            hx.skills.run("job")
        assert hx.skills.get("job").run_count == 0
    assert not (folder / "made").exists()


@requirement("SKILL-06")
def test_a_folder_that_is_linked_to_the_database_is_not_given_either(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "linked").symlink_to(folder)
    with opened(folder / "agent.db") as hx:
        script(hx, f"touch {tmp_path}/linked/made", tmp_path / "linked")
        with pytest.raises(InvalidInput, match="holds more than a script may change"):
            hx.skills.run("job")
    assert not (folder / "made").exists()


@requirement("SKILL-06")
def test_a_script_writes_its_own_folder_and_does_not_see_the_database_beside_it(folder: Path) -> None:
    with opened(folder / "agent.db") as hx:
        script(hx, f"echo kept > {folder}/below/made; test -e {folder}/agent.db || echo hidden", folder / "below")
        assert hx.skills.run("job").output == "hidden\n"
    assert (folder / "below" / "made").read_text(encoding="utf-8") == "kept\n"
