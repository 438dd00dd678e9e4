"""The command as a user runs it: a real process, in a pipe or on a terminal of 80
columns.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import stat
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest
from rich.cells import cell_len

from tests.processes import HEXAD, Terminal, hexad, on_terminal
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A database with things that are hard to show."""
    with opened(tmp_path / "hexad.db") as hx:
        hx.knowledge.save(
            "deploy-window",
            "Deploy on Tuesdays " + "and never on any other day " * 9,
            tags=("ops",),
        )
        hx.knowledge.save(
            "a key so long that nobody would type it twice " * 4,
            "배포는 화요일에만 " * 20,
        )
        hx.knowledge.save("evil", "deploy \x1b[31mred\nsecond [bold]line[/bold]")
        hx.references.save(
            "Runbook", location="https://wiki/" + "deploy/" * 20, summary="x " * 99
        )
    return tmp_path


@requirement("KNOW-01", "STORE-02")
def test_one_process_remembers_and_another_recalls(tmp_path: Path) -> None:
    assert (
        hexad(tmp_path, "remember", "k", "-", given="from a pipe: größer").returncode
        == 0
    )
    ran = hexad(tmp_path, "recall", "größer", "--json")
    assert ran.returncode == 0
    assert (
        json.loads(ran.stdout)["items"]["user_knowledge"][0]["content"]
        == "from a pipe: größer"
    )
    assert ran.stderr == ""


@requirement("STORE-07")
def test_a_new_database_and_a_backup_are_readable_by_their_owner_alone(
    tmp_path: Path,
) -> None:
    hexad(tmp_path, "remember", "k", "v")
    hexad(tmp_path, "backup", "all.jsonl")
    for name in ("hexad.db", "all.jsonl"):
        assert stat.S_IMODE((tmp_path / name).stat().st_mode) == 0o600


@requirement("CONF-01")
def test_help_loads_neither_the_database_nor_anything_optional(tmp_path: Path) -> None:
    program = (
        "import sys; from hexad.cli import main; code = main([sys.argv[1]]); "
        "heavy = {'sqlite3', '_sqlite3', 'numpy', 'wordllama', 'tokenizers', 'google', 'mcp', 'tree_sitter', "
        "'tree_sitter_bash', 'jinja2', 'yaml', 'Stemmer', 'pydantic'}; "
        "sys.exit(code or ','.join(sorted(heavy & set(sys.modules))) or 0)"
    )
    ran = subprocess.run(
        [sys.executable, "-c", program, "--help"],
        cwd=tmp_path,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "hexad" in ran.stdout
    assert list(tmp_path.iterdir()) == []


@requirement("KNOW-01")
def test_a_reader_that_leaves_early_is_no_error(folder: Path) -> None:
    reading, writing = os.pipe()
    os.close(reading)
    for arguments in (["list"], ["list", "--json"], ["audit", "verify"]):
        ran = subprocess.run(
            [*HEXAD, *arguments],
            cwd=folder,
            stdout=writing,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
        assert (ran.returncode, ran.stderr) == (0, "")
    os.close(writing)


@requirement("KNOW-01")
@pytest.mark.parametrize(
    "arguments", [["list"], ["recall", "deploy"], ["audit", "log"]]
)
def test_in_a_pipe_each_row_is_one_whole_line_without_colour(
    folder: Path, arguments: Sequence[str]
) -> None:
    ran = hexad(folder, *arguments)
    assert ran.returncode == 0
    assert "\x1b" not in ran.stdout
    assert "…" not in ran.stdout
    assert len({line.count("\t") for line in ran.stdout.splitlines()}) == 1


@requirement("KNOW-01")
@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["list"],
        ["recall", "deploy 화요일"],
        ["history", "deploy-window"],
        ["reference", "list"],
        ["audit", "log"],
        ["doctor"],
    ],
    ids=" ".join,
)
def test_nothing_is_wider_than_a_terminal_of_80_columns(
    folder: Path, arguments: Sequence[str]
) -> None:
    shown = on_terminal(folder, *arguments).read_until()
    assert max(cell_len(line) for line in shown.splitlines()) <= 80
    assert len(shown.splitlines()) > 3


@requirement("PROMPT-04", "PROMPT-06")
def test_on_a_terminal_the_text_is_shown_as_text_and_the_prompt_is_not_wrapped(
    folder: Path,
) -> None:
    terminal = on_terminal(
        folder,
        "explain",
        "deploy",
        "--base",
        "You are \x1b[2Jterse. " + "Very terse. " * 10,
    )
    assert "\x1b[2J" not in terminal.raw
    assert "\x1b[31m" not in on_terminal(folder, "history", "evil").raw
    assert "[bold]line[/bold]" in on_terminal(folder, "history", "evil").read_until()
    assert "You are \\x1b[2Jterse. " + "Very terse. " * 10 in terminal.read_until()
    assert "User Knowledge (" in terminal.read_until()


@requirement("CONF-01")
def test_no_color_is_respected_and_otherwise_errors_are_red(folder: Path) -> None:
    plain, red = (
        Terminal(folder, "history", "x", NO_COLOR="1"),
        Terminal(folder, "history", "x"),
    )
    for terminal in (plain, red):
        assert terminal.read_until().startswith("error: no knowledge 'x'")
        assert terminal.end() == 1
    assert "\x1b[1;31m" in red.raw
    assert "31m" not in plain.raw


@requirement("KNOW-04")
@pytest.mark.parametrize(("answer", "code", "left"), [("y\n", 0, 1), ("\n", 1, 0)])
def test_on_a_terminal_forget_asks_first(
    folder: Path, answer: str, code: int, left: int
) -> None:
    terminal = Terminal(folder, "forget", "evil")
    terminal.read_until("[y/N]")
    terminal.type(answer)
    shown = terminal.read_until()
    assert terminal.end() == code
    assert (
        "Erase 'evil' with all its versions in namespace 'default' of hexad.db for good?"
        in shown
    )
    assert hexad(folder, "history", "evil").returncode == left


@requirement("KNOW-04")
def test_an_interrupt_ends_quietly_and_changes_nothing(folder: Path) -> None:
    terminal = Terminal(folder, "forget", "evil")
    terminal.read_until("[y/N]")
    while (
        terminal.process.poll() is None
    ):  # a signal that comes just before it waits does not wake it
        terminal.process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            terminal.process.wait(
                timeout=30
            )  # a second one while it ends would be another error
    shown = terminal.read_until()
    assert terminal.end() == 130
    assert "Traceback" not in shown
    assert hexad(folder, "history", "evil").returncode == 0


@requirement("STORE-04")
def test_a_progress_bar_is_shown_on_a_terminal_and_only_there(folder: Path) -> None:
    hexad(folder, "backup", "all.jsonl")
    terminal = on_terminal(folder, "import", "all.jsonl", "--db", "one.db")
    assert "importing" in terminal.read_until()
    assert re.search(r"importing, bytes .* ([\d,]+) of \1 ", terminal.read_until())
    ran = hexad(folder, "restore", "all.jsonl", "--db", "two.db", "--json")
    assert ran.stderr == ""
    assert json.loads(ran.stdout)["lines"] > 0


@requirement("CONF-01")
def test_a_full_disk_under_the_output_is_one_sentence(folder: Path) -> None:
    with open("/dev/full", "w", encoding="utf-8") as full:  # noqa: PTH123
        ran = subprocess.run(
            [*HEXAD, "list"],
            cwd=folder,
            stdout=full,
            stderr=subprocess.PIPE,
            encoding="utf-8",
            check=False,
        )
    assert (ran.returncode, ran.stderr) == (1, "error: No space left on device\n")


@requirement("CONF-01")
@pytest.mark.parametrize("encoding", ["ascii", "utf-8"])
def test_text_that_an_encoding_lacks_is_escaped_not_an_error(
    folder: Path, encoding: str
) -> None:
    ran = subprocess.run(
        [*HEXAD, "list"],
        cwd=folder,
        env=os.environ | {"PYTHONIOENCODING": encoding},
        capture_output=True,
        check=False,
    )
    assert ran.returncode == 0
    assert ("배포" if encoding == "utf-8" else "\\ubc30\\ud3ec") in ran.stdout.decode(
        encoding
    )


@requirement("CONF-01")
def test_help_in_a_pipe_has_colour_where_it_is_asked_for(tmp_path: Path) -> None:
    assert "\x1b[" in hexad(tmp_path, "--help", FORCE_COLOR="1").stdout
    assert "\x1b[" in on_terminal(tmp_path, "--help").raw


@requirement("REF-01")
def test_a_location_is_not_torn_on_a_terminal(tmp_path: Path) -> None:
    url = "https://wiki.example.com/engineering/deploy-guide"
    with opened(tmp_path / "hexad.db") as hx:
        hx.references.save(
            "Runbook", location=url, summary="How to deploy and how to roll back " * 3
        )
    assert url in on_terminal(tmp_path, "reference", "list").read_until()
    assert f"\t{url}\t" in hexad(tmp_path, "reference", "list").stdout


@requirement("STORE-07")
def test_a_database_that_nobody_may_read_is_not_reported_as_a_missing_folder(
    folder: Path,
) -> None:
    (folder / "hexad.db").chmod(0)
    as_others = []
    if (
        os.geteuid() == 0
    ):  # the superuser may read everything, unless this is taken away
        if shutil.which("setpriv") is None:
            pytest.skip("the superuser reads every file")
        as_others = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    ran = subprocess.run(
        [*as_others, *HEXAD, "list"],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (
        1,
        "error: hexad.db: permission denied; check its owner and permissions\n",
    )


@requirement("SKILL-03")
def test_without_a_database_a_review_says_that_first(tmp_path: Path) -> None:
    ran = hexad(tmp_path, "review")
    assert ran.returncode == 1
    assert ran.stderr.startswith("error: hexad.db: there is no database; ")
