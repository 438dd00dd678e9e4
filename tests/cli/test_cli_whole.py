"""The command line as a whole: what holds for every command, now and later."""

from __future__ import annotations

import io
import re
import shlex
import shutil
import sys
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import pytest
from rich.cells import cell_len

from hexad import Hexad
from hexad.cli import app, main
from hexad.cli.tree import COMMANDS, whole
from tests.processes import Terminal
from tests.stocked import NAMED_IN_HELP, stock
from tests.support import requirement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

ASKS = {
    "hexad review --by ada",
    "hexad skills edit greet",
}  # a person: they have tests of their own
EDITS_NOTHING_HERE = {
    "hexad reindex --db agent.db"
}  # needs an embedder, which these tests turn off
LISTINGS = [
    [],
    ["status"],
    ["list"],
    ["recall", "deploy 화요일"],
    ["history", "deploy-window"],
    ["explain", "deploy"],
    ["reference", "list"],
    ["audit", "log"],
    ["audit", "verify"],
    ["habits", "list"],
    ["learnings", "list"],
    ["learnings", "show", NAMED_IN_HELP],
    ["learnings", "stats"],
    ["learnings", "clean"],
    ["skills", "list"],
    ["skills", "show", "greet"],
    ["skills", "history", "greet"],
    ["skills", "import", "skills"],
    ["skills", "check", "deploy.sh"],
    ["skills", "run", "greet", "--set", "name=Ada", "--dry-run"],
    ["skills", "discover"],
    ["config", "show"],
    ["doctor"],
    ["eval", "my-data"],
]


def commands(
    command: Any, path: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command and every group, with the words that call it."""
    yield path, command
    for name, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, (*path, name))


ALL = dict(commands(whole(app)))
SINGLE = {
    path: command for path, command in ALL.items() if not hasattr(command, "commands")
}


def examples(command: Any) -> list[str]:
    """The commands behind "Example:"; more than one are parted by a semicolon and a
    word or two.
    """
    _, _, shown = (command.epilog or "").partition("Example: ")
    return [each for each in re.split(r"; [a-z ]+: ", shown.partition("\n")[0]) if each]


SERVERS = {
    ("mcp",),
    ("serve",),
}  # they serve until somebody ends them: they have tests of their own
EXAMPLES = [
    example
    for path, command in ALL.items()
    if path[:1] not in SERVERS
    for example in examples(command)
]


@pytest.fixture(scope="module")
def pattern(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("stocked")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HEXAD_SEMANTIC", "false")
        stock(folder)
    return folder


@pytest.fixture
def folder(pattern: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "home"
    shutil.copytree(pattern, home)
    monkeypatch.chdir(home)
    monkeypatch.setattr(
        sys, "stdin", io.TextIOWrapper(io.BytesIO(b""), encoding="utf-8")
    )
    return home


def learning_id(folder: Path, name: str = "hexad.db") -> str:
    with Hexad.open(folder / name, enabled=True) as hx:
        return hx.learnings.list()[0].id


@requirement("CONF-01")
@pytest.mark.parametrize("path", ALL, ids=lambda path: " ".join(path) or "hexad")
def test_every_command_says_what_it_does_and_shows_how(path: tuple[str, ...]) -> None:
    command = ALL[path]
    assert (command.help or "").strip()
    assert examples(command)
    assert all(
        example.startswith(" ".join(("hexad", *path))) for example in examples(command)
    )
    if path in SINGLE:
        assert all(param.help for param in command.params)


@requirement("CONF-01")
@pytest.mark.parametrize("name", COMMANDS)
def test_a_commands_line_in_the_overview_is_how_its_help_begins(name: str) -> None:
    assert ALL[(name,)].help.startswith(COMMANDS[name][1])


@requirement("CONF-01")
@pytest.mark.parametrize("path", SINGLE, ids=" ".join)
def test_every_command_can_answer_with_json(path: tuple[str, ...]) -> None:
    assert "as_json" in {param.name for param in SINGLE[path].params}


@requirement("CONF-01")
@pytest.mark.parametrize("example", sorted({*EXAMPLES} - ASKS - EDITS_NOTHING_HERE))
def test_the_example_of_a_command_works_as_it_stands(
    folder: Path, capsys: pytest.CaptureFixture[str], example: str
) -> None:
    if example == "hexad undelete deploy-window":
        main(["delete", "deploy-window"])
    words = shlex.split(example.replace(NAMED_IN_HELP, learning_id(folder)))
    assert (main(words[1:]), capsys.readouterr().err.partition("error")[1]) == (0, "")


def damage_text(database: Path) -> None:
    database.write_text("this is no database at all " * 99)


def damage_folder(database: Path) -> None:
    database.unlink()
    database.mkdir()


def damage_middle(database: Path) -> None:
    shown = bytearray(database.read_bytes())
    shown[3000:] = b"\xff" * (len(shown) - 3000)
    database.write_bytes(shown)


@requirement("CONF-01")
@pytest.mark.parametrize("damage", [damage_text, damage_folder, damage_middle])
def test_no_command_shows_a_traceback_for_any_database(
    folder: Path, capsys: pytest.CaptureFixture[str], damage: Callable[[Path], None]
) -> None:
    for name in ("hexad.db", "agent.db"):
        damage(folder / name)
    for example in EXAMPLES:
        code = main(shlex.split(example)[1:])
        out, err = capsys.readouterr()
        assert "Traceback" not in err
        assert "unexpected" not in err, example
        assert code in {0, 1, 2}
        assert code == 0 or err or "problem" in out, example


@requirement("CONF-01")
@pytest.mark.parametrize("path", SINGLE, ids=" ".join)
def test_nonsense_is_answered_with_one_sentence_that_names_the_help(
    folder: Path, capsys: pytest.CaptureFixture[str], path: tuple[str, ...]
) -> None:
    assert main([*path, "--no-such-option"]) == 2
    printed = capsys.readouterr().err
    assert printed.startswith("error: ")
    assert f"try 'hexad {' '.join(path)} --help'" in printed
    assert len(printed.splitlines()) == 1


@requirement("CONF-01")
@pytest.mark.parametrize("path", ALL, ids=lambda path: " ".join(path) or "hexad")
def test_help_fits_80_columns_and_has_no_colour_in_a_pipe(
    path: tuple[str, ...],
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    for name in ("GITHUB_ACTIONS", "FORCE_COLOR", "PY_COLORS"):
        monkeypatch.delenv(name, raising=False)
    assert main([*path, "--help"]) == 0
    shown = capsys.readouterr().out
    assert max(map(cell_len, shown.splitlines())) <= 80
    assert "\x1b" not in shown
    said = [line.strip() for line in shown.partition("╭")[0].splitlines()[2:]]
    for line, after in pairwise(
        said
    ):  # the line ends of the source are not those of the page
        assert not line or not after or len(line) + len(after.split()[0]) >= 78


@requirement("CONF-01")
@pytest.mark.parametrize("path", ALL, ids=lambda path: " ".join(path) or "hexad")
def test_help_shows_no_type_beside_what_takes_no_value_or_has_a_name(
    path: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*path, "--help"]) == 0
    assert not re.findall(r"<\w+>", capsys.readouterr().out)


@requirement("KNOW-01")
@pytest.mark.parametrize("colour", [True, False])
def test_every_listing_fits_a_terminal_of_80_columns_and_no_color_is_respected(
    folder: Path, colour: bool
) -> None:
    """All of them in one process, since starting one takes longer than what it does."""
    program = "import sys; from hexad.cli import main; [main(eval(each)) for each in sys.argv[1:]]"
    asked = [
        [learning_id(folder) if word == NAMED_IN_HELP else word for word in each]
        for each in LISTINGS
    ]
    environment = {} if colour else {"NO_COLOR": "1"}
    terminal = Terminal(
        folder,
        *map(repr, asked),
        program=[sys.executable, "-c", program],
        **environment,
    )
    shown = terminal.read_until()
    assert terminal.end() == 0
    assert "error" not in shown.replace("tool_error", "").replace("provider_error", "")
    drawn_over = "━"  # a bar of progress is many lines in one place
    wide = [
        line
        for line in shown.splitlines()
        if cell_len(line) > 80 and drawn_over not in line
    ]
    assert not [
        line for line in wide if not line.startswith("- ")
    ]  # a prompt is shown as it is sent
    assert ("\x1b[3" in terminal.raw) is colour
