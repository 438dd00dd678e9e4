"""`make site`: every page is built, every link leads somewhere, and nothing comes from
elsewhere.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import requirement

ROOT = Path(__file__).parents[2]
_LOADED = re.compile(r"<(?:script|link|img|iframe|source)\b[^>]*\bhttps?://[^>]*>")
_IMPORTED = re.compile(r"(?:@import|url\()\s*[\"']?https?:")


@requirement("CONF-01")
def test_the_site_has_every_page_and_loads_nothing_from_elsewhere(
    tmp_path: Path,
) -> None:
    pytest.importorskip("zensical")
    told = (ROOT / "zensical.toml").read_text(encoding="utf-8")
    site = tmp_path / "site"
    shutil.copytree(ROOT / "docs", tmp_path / "docs")
    config = re.sub(r'(?m)^site_dir = ".*"$', 'site_dir = "site"', told)
    assert config != told
    (tmp_path / "zensical.toml").write_text(config, encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--clean", "--strict"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert done.returncode == 0, done.stderr + done.stdout
    pages = {
        page.relative_to(ROOT / "docs").with_suffix(".html")
        for page in (ROOT / "docs").rglob("*.md")
    }
    names = {Path(str(page).replace("README.html", "index.html")) for page in pages}
    assert {name for name in names if not (site / name).is_file()} == set()
    for file in [*site.rglob("*.html"), *site.rglob("*.css")]:
        text = file.read_text(encoding="utf-8")
        found = _LOADED.search(text) or _IMPORTED.search(text)
        assert found is None, (file.name, found)


@requirement("CONF-01")
def test_every_page_but_single_decisions_is_in_the_navigation() -> None:
    listed = re.findall(r'= "([\w/-]+\.md)"', (ROOT / "zensical.toml").read_text())
    pages = {
        page.relative_to(ROOT / "docs").as_posix()
        for page in (ROOT / "docs").rglob("*.md")
    }
    single = {page for page in pages if page.startswith("decisions/0")}
    assert sorted(listed) == sorted(pages - single)
