"""The manual under docs/: every command and example is run, links lead somewhere, the reference is the code's."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import documenting
from tests.manual import install, settled, steps
from tests.support import requirement

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
TOLD = sorted(
    [DOCS / "README.md", DOCS / "tutorial.md", *(DOCS / "how-to").glob("*.md"), *(DOCS / "explanation").glob("*.md")]
)
LINKING = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
_LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(#[^)\s]*)?\)")


@requirement("KNOW-01", "PROMPT-02")
@pytest.mark.parametrize("page", [page for page in TOLD if list(steps(page))], ids=lambda page: page.name)
def test_what_a_page_tells_happens_in_its_order(page: Path, tmp_path: Path) -> None:
    install(tmp_path)
    for step in steps(page):
        shown = step.done_in(tmp_path)
        assert not step.output.strip() or settled(shown) == settled(step.output), step.told


@requirement("CONF-03")
@pytest.mark.parametrize("name", documenting.PAGES)
def test_the_reference_is_what_the_code_says(name: str) -> None:
    """`make docs` writes it."""
    assert (documenting.HOME / name).read_text(encoding="utf-8") == documenting.PAGES[name]()


@requirement("CONF-01")
@pytest.mark.parametrize("page", LINKING, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    links = [link for link, _ in _LINK.findall(page.read_text(encoding="utf-8")) if "://" not in link]
    lost = {link for link in links if not (page.parent / link).exists()}
    assert lost == set()


@requirement("CONF-01")
def test_every_page_can_be_reached_from_the_index() -> None:
    reached, waiting = set(), [DOCS / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page not in reached and page.suffix == ".md" and page.exists():
            reached.add(page)
            waiting += [page.parent / link for link, _ in _LINK.findall(page.read_text(encoding="utf-8"))]
    pages = {page.resolve() for page in DOCS.rglob("*.md") if page.parent.name != "decisions"}
    assert pages - reached == set()
