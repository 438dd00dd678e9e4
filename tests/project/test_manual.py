"""The manual under docs/: every command and example is run, links lead somewhere, the
reference is the code's.
"""

from __future__ import annotations

import re
import tomllib
from itertools import product
from pathlib import Path

import pytest

import documenting
from hexad.cli import app
from hexad.cli.tree import whole
from hexad.semantic import PACKAGES
from tests.project.manual import FENCE, INSTEAD, RUN, SHOWN, install, settled, steps
from tests.project.manual_shell import NOT_RUN, Line, lines
from tests.support import requirement

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
EXAMPLES = [
    page
    for page in (ROOT / "examples").rglob("*.md")
    if "node_modules" not in page.parts
]
LINKING = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md"), *EXAMPLES])
TOLD = [page for page in LINKING if page.parent.name != "reference"]
MAP, DIAGRAM = ROOT / "ARCHITECTURE.md", ""
_TREE = whole(app)
_INLINE = re.compile(r"`hexad ([^`\n]+)`")
_LINK = re.compile(r"\[[^\]]*\]\(([^)#\s]+)(#[^)\s]*)?\)")


@requirement("KNOW-01", "PROMPT-02")
@pytest.mark.parametrize(
    "page",
    [page for page in TOLD if list(steps(page))],
    ids=lambda page: str(page.relative_to(ROOT)),
)
def test_the_steps_of_a_page_work_in_their_order(page: Path, tmp_path: Path) -> None:
    install(tmp_path)
    for step in steps(page):
        shown = step.done_in(tmp_path)
        assert not step.output.strip() or settled(shown, step.kind) == settled(
            step.output, step.kind
        ), step.source


@requirement("EDGE-01")
@pytest.mark.parametrize("name", sorted(INSTEAD))
def test_a_learning_agent_of_each_framework_takes_fifteen_lines(name: str) -> None:
    (page,) = DOCS.rglob(name)
    program = (
        page.read_text(encoding="utf-8").partition("```py\n")[2].partition("```")[0]
    )
    assert 0 < len([line for line in program.splitlines() if line.strip()]) <= 15


@requirement("KNOW-01", "PROMPT-02")
@pytest.mark.parametrize(
    "page", [ROOT / "README.md", DOCS / "tutorial.md"], ids=lambda page: page.name
)
def test_with_search_by_meaning_a_newcomer_sees_the_same_but_for_the_scores(
    page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for package in PACKAGES:
        pytest.importorskip(package)
    monkeypatch.setenv("HEXAD_SEMANTIC", "true")
    install(tmp_path)
    for step in (step for step in steps(page) if step.kind != "sh"):
        shown = step.done_in(tmp_path)
        assert not step.output.strip() or _unscored(shown) == _unscored(step.output), (
            step.source
        )


def _unscored(text: str) -> str:
    return re.sub(
        r"\d+\.\d{2,3}\b", "N", re.sub(r"meaning \+[\d.]+ \(.*?\); ", "", settled(text))
    )


@requirement("CONF-01")
@pytest.mark.parametrize("page", TOLD, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_of_a_page_is_one_that_is_run_or_compared(page: Path) -> None:
    """A block of another kind would be an example that nobody tries."""
    kinds = FENCE.findall(page.read_text(encoding="utf-8"))[::2]
    assert set(kinds) <= RUN | SHOWN | ({DIAGRAM} if page == MAP else set())
    compared = sum(
        bool(step.output.strip()) for step in steps(page) if step.kind == "python"
    )
    assert kinds.count("text") == compared


@requirement("CONF-01")
@pytest.mark.parametrize(
    ("page", "lines", "words"),
    [("README.md", 150, 1200), ("ARCHITECTURE.md", 120, None)],
)
def test_a_readers_way_in_stays_short(page: str, lines: int, words: int | None) -> None:
    text = (ROOT / page).read_text(encoding="utf-8")
    assert text.count("\n") <= lines
    assert words is None or len(text.split()) <= words


@requirement("CONF-01")
def test_every_file_that_the_map_names_is_there() -> None:
    there = {
        file.name
        for home in ("src", "tools", "tests")
        for file in (ROOT / home).rglob("*.py")
    }
    assert (
        set(re.findall(r"\b(\w+\.py)\b", MAP.read_text(encoding="utf-8"))) - there
        == set()
    )


@requirement("CONF-01")
@pytest.mark.parametrize("page", LINKING, ids=lambda page: str(page.relative_to(ROOT)))
def test_a_command_in_a_sentence_is_one_that_there_is(page: Path) -> None:
    text = re.sub(
        r"^```.*?^```$",
        "",
        page.read_text(encoding="utf-8"),
        flags=re.MULTILINE | re.DOTALL,
    )
    for shown in _INLINE.findall(text):
        for way in _ways(shown.split()):
            assert _unknown(way) is None, shown


def _ways(words: list[str]) -> list[list[str]]:
    """`skills new|list` is two commands."""
    return [list(way) for way in product(*(word.split("|") for word in words))]


def _unknown(words: list[str]) -> str | None:
    """The first word that no command or option is called; words in capitals stand for
    others.
    """
    command = _TREE
    for word in words:
        inner = getattr(command, "commands", {})
        if word.startswith("--"):
            known = {option for param in command.params for option in param.opts} | {
                "--help"
            }
            if word.partition("=")[0] not in known:
                return word
        elif word in inner:
            command = inner[word]
        elif inner and words[0] == word and not word.isupper() and word != "…":
            return word
    return None


@requirement("CONF-01")
def test_a_command_that_is_neither_possible_nor_listed_is_noticed(
    tmp_path: Path,
) -> None:
    for shown in (
        "no-such-program --at-all",
        "make no-such-target",
        "hexad no-such-command",
    ):
        with pytest.raises(AssertionError):
            Line(shown).done_in(tmp_path)


@requirement("CONF-01")
@pytest.mark.parametrize("page", LINKING, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_extra_that_a_page_names_is_there(page: Path) -> None:
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]["optional-dependencies"]
    named = re.findall(r"(?:hexad|\.)\[([\w,]+)\]", page.read_text(encoding="utf-8"))
    assert {extra for each in named for extra in each.split(",")} <= set(known)


@requirement("CONF-01")
def test_what_is_not_run_is_said_in_a_page_and_has_a_reason() -> None:
    shown = {
        line.source
        for page in TOLD
        for step in steps(page)
        if step.kind == "sh"
        for line in lines(step.source)
    }
    assert set(NOT_RUN) - shown == set()
    assert all(NOT_RUN.values())


@requirement("CONF-03")
@pytest.mark.parametrize("name", documenting.PAGES)
def test_the_reference_is_what_the_code_says(name: str) -> None:
    """`make docs` writes it."""
    assert (documenting.HOME / name).read_text(encoding="utf-8") == documenting.PAGES[
        name
    ]()


@requirement("CONF-01")
def test_every_name_in_the_glossary_is_one_of_the_code() -> None:
    page = (DOCS / "explanation" / "glossary.md").read_text(encoding="utf-8")
    named = set(re.findall(r"^- \*\*[^(]*\(`(\w+)`\):", page, flags=re.MULTILINE))
    code = "\n".join(
        file.read_text(encoding="utf-8") for file in (ROOT / "src").rglob("*.py")
    )
    defined = set(re.findall(r"^ *(?:class|(?:async )?def) (\w+)", code, re.MULTILINE))
    assert len(named) >= 20
    assert named - defined == set()


@requirement("CONF-01")
@pytest.mark.parametrize("page", LINKING, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_link_between_pages_leads_somewhere(page: Path) -> None:
    links = [
        link
        for link, _ in _LINK.findall(page.read_text(encoding="utf-8"))
        if "://" not in link
    ]
    lost = {link for link in links if not (page.parent / link).exists()}
    assert lost == set()


@requirement("CONF-01")
def test_every_page_can_be_reached_from_the_index() -> None:
    reached, waiting = set(), [DOCS / "README.md"]
    while waiting:
        page = waiting.pop().resolve()
        if page not in reached and page.suffix == ".md" and page.exists():
            reached.add(page)
            waiting += [
                page.parent / link
                for link, _ in _LINK.findall(page.read_text(encoding="utf-8"))
            ]
    assert {page.resolve() for page in DOCS.rglob("*.md")} - reached == set()


@requirement("CONF-01")
@pytest.mark.parametrize(
    "page", sorted(DOCS.glob("decisions/0*.md")), ids=lambda page: page.stem
)
def test_a_decision_is_one_page_with_its_reasons(page: Path) -> None:
    text = page.read_text(encoding="utf-8")
    assert text.startswith(f"# {int(page.name[:4])}. ")
    assert text.count("\n") <= 60
    parts = ["Context", "Decision", "Why not the alternatives"]
    for part in [*parts, "What would change our mind"]:
        assert f"\n## {part}\n" in text


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".")[:3] if part.isdigit()]


@requirement("CONF-01")
def test_one_extra_brings_all_that_a_user_may_want() -> None:
    known = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]["optional-dependencies"]
    every, *bounds = known["all"]
    assert (
        every
        == f"hexad[{','.join(sorted(set(known) - {'all', 'bench', 'dev', 'postgres-server'}))}]"
    )
    pinned = dict(
        line.split("==")
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if "==" in line
    )
    for (
        bound
    ) in bounds:  # close to what is tested, so that an installer has little to search
        name, _, least = bound.partition(">=")
        assert pinned[name].startswith(least.partition(",")[0].split(".")[0])
        assert _numbers(least.partition(",")[0]) <= _numbers(pinned[name])
