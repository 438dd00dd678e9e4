"""The sandbox as its callers see it: what goes in, what comes out, what is refused, and
machines without one.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from dataclasses import fields
from pathlib import Path
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hexad.errors import InvalidInput, NoSandbox, UnknownChoice
from hexad.skills.sandbox import Sandbox, SandboxLimits, find_sandbox
from hexad.skills.sandbox.finding import known_places
from tests.support import requirement

pytestmark = [
    requirement("SKILL-06"),
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"),
]
_STORABLE = st.characters(exclude_characters="\0", exclude_categories=["Cs"])
PAGE = Path(__file__).parents[2] / "docs" / "sandbox.md"


@pytest.fixture(scope="module")
def sandbox() -> Sandbox:
    return find_sandbox()


def test_a_result_says_what_happened_and_where(sandbox: Sandbox) -> None:
    result = sandbox.run("echo out; echo err >&2; exit 7")
    assert (result.exit_code, result.stdout, result.stderr) == (7, "out\n", "err\n")
    assert (result.ok, result.timed_out, result.cut) == (False, False, ())
    assert result.sandbox == f"bubblewrap {sandbox.version}"
    assert result.seconds > 0
    assert sandbox.run("kill -9 $$").exit_code == 128 + 9


@pytest.mark.parametrize("shell", ["sh", "bash"])
def test_a_script_runs_in_its_shell_with_a_name_and_no_arguments(
    sandbox: Sandbox, shell: str
) -> None:
    result = sandbox.run(
        'echo "$0" $#; [ -n "$BASH_VERSION" ] && echo bash; cat', shell=shell
    )
    assert result.stdout == (
        "/skill/script 0\n" if shell == "sh" else "/skill/script 0\nbash\n"
    )


def test_a_script_finds_its_files_in_its_working_directory(sandbox: Sandbox) -> None:
    files = {
        "words.txt": b"one\ntwo\n",
        "bin/greet": (b"#!/bin/sh\necho hello $1\n", True),
        "bin/plain": (b"", False),
    }
    result = sandbox.run("wc -l < words.txt; bin/greet you; bin/plain", files=files)
    assert result.stdout.split() == ["2", "hello", "you"]
    assert result.exit_code == 126


@given(values=st.dictionaries(st.sampled_from(["a", "B_2", "_c"]), st.text(_STORABLE)))
@settings(max_examples=25)
def test_a_variable_arrives_as_it_was_given(values: dict[str, str]) -> None:
    script = "".join(f"printf %s \"${name}\"; printf '\\0'; " for name in values)
    printed = find_sandbox().run(script, environment=values).stdout
    assert printed.split("\0")[:-1] == list(values.values())


def test_a_large_script_is_no_trouble_and_a_variable_that_is_too_large_is_refused(
    sandbox: Sandbox,
) -> None:
    assert sandbox.run("# a comment\n" * 200_000 + "echo end").stdout == "end\n"
    for variables in (
        {"large": "x" * 150_000},
        {f"v{number}": "x" * 50_000 for number in range(60)},
    ):
        with pytest.raises(
            InvalidInput, match="more than programs can get; use a file"
        ):
            sandbox.run("true", environment=variables)


def test_output_that_is_no_text_is_shown_as_far_as_it_is(sandbox: Sandbox) -> None:
    assert sandbox.run("printf 'a\\377b'").stdout == "a\ufffdb"


@pytest.mark.parametrize(
    ("options", "about"),
    [
        ({"environment": {"PATH": "/tmp"}}, "'PATH': is a variable that changes how programs run"),
        ({"environment": {"LD_PRELOAD": "x"}}, "'LD_PRELOAD': is a variable that changes"),
        ({"environment": {"BASH_ENV": "x"}}, "'BASH_ENV': is a variable that changes"),
        ({"environment": {"IFS": "x"}}, "'IFS': is a variable that changes"),
        ({"environment": {"GIT_DIR": "x"}}, "'GIT_DIR': is a variable that changes"),
        ({"files": {"ä" * 128: b""}}, "a part with more than 255 bytes"),
        ({"files": {"a/" + "b" * 256 + "/c": b""}}, "a part with more than 255 bytes"),
        ({"environment": {"a b": "x"}}, "'a b': is no name for a variable"),
        ({"environment": {"a": "x\0y"}}, "holds NUL"),
        ({"environment": {"a": "\ud800"}}, "lone surrogate"),
        ({"files": {"../x": b""}}, "no plain path"),
        ({"files": {"/etc/x": b""}}, "no plain path"),
        ({"files": {"a//b": b""}}, "no plain path"),
        ({"files": {"": b""}}, "no plain path"),
        ({"files": {"a": b"", "a/b": b""}}, "is a file and the folder of another"),
        ({"files": {"a": b"x" * 2000}, "limits": SandboxLimits(disk=1000)}, "larger than the 1,000 bytes"),
        ({"files": {str(number): b"" for number in range(300)}}, "at most 256"),
        ({"hidden": [Path("/usr/bin/agent.db")]}, "which scripts read; move it"),
        ({"writable": [Path("/srv/a\0b")]}, "holds NUL"),
        ({"writable": [Path("relative")]}, "not the absolute path"),
        ({"writable": [Path("/no/such/folder")]}, "not the absolute path"),
        ({"writable": [Path("/")]}, "holds more than a script may change"),
        ({"writable": [Path("/usr/share")]}, "belongs to the system"),
        ({"writable": [Path("/etc")]}, "belongs to the system"),
        ({"writable": [Path("/proc/self")]}, "belongs to the system"),
        ({"writable": [Path("/tmp")]}, "holds more than a script may change"),
    ],
)  # fmt: skip
def test_what_cannot_be_had_in_a_sandbox_is_refused_with_its_reason(
    sandbox: Sandbox, options: dict[str, object], about: str
) -> None:
    with pytest.raises(InvalidInput, match=re.escape(about)):
        sandbox.run("true", **options)  # type: ignore[arg-type]


def test_a_folder_that_holds_what_is_hidden_or_the_home_cannot_be_granted(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    (tmp_path / "link").symlink_to("/usr/share")
    home = Path("~").expanduser()
    for folder, hidden in (
        (tmp_path, [tmp_path / "deep" / "agent.db"]),
        (tmp_path, [tmp_path]),
        (tmp_path / "link", []),
        (home, []),
    ):
        with pytest.raises(InvalidInput, match="writable"):
            sandbox.run("true", writable=[folder], hidden=hidden)


@pytest.mark.skipif(
    os.geteuid() != 0, reason="only the superuser's scripts become somebody else"
)
def test_the_superuser_learns_which_folders_a_script_could_not_write(
    sandbox: Sandbox, tmp_path: Path
) -> None:
    with pytest.raises(InvalidInput, match=r"chown 65534"):
        sandbox.run("true", writable=[tmp_path])


def test_a_shell_that_is_not_known_and_limits_that_are_none_are_refused(
    sandbox: Sandbox,
) -> None:
    with pytest.raises(UnknownChoice, match="sh, bash"):
        sandbox.run("true", shell="zsh")
    for name in ("seconds", "memory", "processes", "output", "disk", "open_files"):
        for value in (0, -1, True, "1"):
            with pytest.raises(InvalidInput, match=f"limits.{name}"):
                SandboxLimits(**{name: value})  # type: ignore[arg-type]


def test_a_sandbox_that_does_not_come_about_runs_nothing(sandbox: Sandbox) -> None:
    with pytest.raises(NoSandbox, match="made none"):
        sandbox.run(
            "echo never", limits=SandboxLimits(open_files=2**50)
        )  # more than anybody has


# Machines without a sandbox


_TO_INSTALL = r"on Linux, install the system's package bubblewrap, or pip install '\S*\[scripts\]'"
_BROKEN = """#!/bin/sh
[ $1 = --version ] && echo bubblewrap 0.4.0 && exit
echo bwrap: No permissions to create new namespace >&2
exit 1
"""


def test_without_a_sandbox_scripts_are_refused_with_what_to_install() -> None:
    with pytest.raises(NoSandbox, match=f"bubblewrap is not installed; {_TO_INSTALL}"):
        find_sandbox(candidates=())


def test_another_system_or_an_old_kernel_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(
            os,
            "uname",
            lambda: SimpleNamespace(release="5.10.0-28-amd64", machine="x86_64"),
        )
        with pytest.raises(NoSandbox, match=r"this kernel is 5\.10\.0-28-amd64"):
            find_sandbox()
    monkeypatch.setattr(sys, "platform", "darwin")
    with pytest.raises(NoSandbox, match="needs Linux, and this is darwin"):
        find_sandbox()


def test_a_program_that_makes_no_namespaces_is_passed_over_with_its_reason() -> None:
    folder = Path(tempfile.mkdtemp(prefix="hexad-bwrap-"))
    folder.chmod(0o755)
    broken = folder / "bwrap"
    broken.write_text(_BROKEN, encoding="utf-8")
    broken.chmod(0o755)
    why = r"bubblewrap 0\.4\.0 made none: bwrap: No permissions to create new namespace"
    with pytest.raises(NoSandbox, match=f"absent: .*{why}; {_TO_INSTALL}"):
        find_sandbox(candidates=(folder / "absent", broken))
    assert find_sandbox(candidates=(broken, *known_places())).program != broken
    shutil.rmtree(folder)


@pytest.mark.skipif(
    os.geteuid() != 0, reason="only the superuser's scripts become somebody else"
)
def test_a_program_in_the_superusers_home_is_still_found(tmp_path: Path) -> None:
    packaged = [path for path in known_places() if path.parent.name == "_bin"]
    if not packaged:
        pytest.skip("the package from PyPI is not installed")
    package = packaged[0].parents[1]
    shutil.copytree(package, tmp_path / package.name)
    shutil.copytree(f"{package}.libs", tmp_path / f"{package.name}.libs")
    tmp_path.chmod(0o700)
    found = find_sandbox(candidates=[tmp_path / package.name / "_bin" / "bwrap"])
    assert not str(found.program).startswith(str(tmp_path))
    assert found.run("echo here").stdout == "here\n"


def test_the_limits_are_those_of_the_page() -> None:
    table = (
        PAGE.read_text(encoding="utf-8").split("`SandboxLimits` |")[1].split("\n\n")[0]
    )
    rows = re.findall(r"^\| `(\w+)` \| ([\d,.]+) \|", table, flags=re.MULTILINE)
    shown = {name: float(value.replace(",", "")) for name, value in rows}
    assert shown == {
        field.name: getattr(SandboxLimits(), field.name)
        for field in fields(SandboxLimits)
    }
