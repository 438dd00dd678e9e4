"""Scripts from end to end: what a skill's script never reaches, and what is left of one
that was stopped.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
import tempfile
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from hexad.errors import InvalidInput
from hexad.skills.sandbox import SandboxLimits, find_sandbox
from hexad.skills.waiting import Halt
from tests.scripts.sandboxed import gone
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Awaitable, Iterator

    from hexad import Hexad

pytestmark = pytest.mark.skipif(
    sys.platform != "linux", reason="the sandbox needs Linux"
)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that also the superuser's scripts may write, with another in it."""
    made = Path(tempfile.mkdtemp(prefix="hexad-scripts-"))
    (made / "below").mkdir()
    for each in (made, made / "below"):
        each.chmod(0o777)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def pipe(folder: Path) -> Path:
    """Where a script says that it has begun: who reads waits for that."""
    made = folder / "below" / "pipe"
    os.mkfifo(made)
    made.chmod(0o666)
    return made


@pytest.fixture
def nap() -> str:
    """How long a script sleeps, if it is left alone: ten minutes, in a way by which its
    process can be found.
    """
    return f"600.{uuid.uuid4().int}"


def script(hx: Hexad, text: str, writable: Path) -> None:
    definition = {"script": text, "needs": ["write"], "writable": [str(writable)]}
    hx.skills.create(
        "job", kind="script", description="Do a job", definition=definition
    )
    hx.skills.activate("job", by="ada")


# --- Hexad's own database -----------------------------------------------------------------------------------------


@requirement("SKILL-06")
@pytest.mark.parametrize("where", ["agent.db", "below/agent.db", "[a]*.db"])
@pytest.mark.parametrize(
    "way",
    [
        "absolute",
        "relative",
        "relative, then elsewhere",
        "by a link",
        "by a linked folder",
    ],
)
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
        with pytest.raises(
            InvalidInput,
            match=r"writable: .* holds more than a script may change: .* what is hidden",
        ):
            hx.skills.run("job")
        assert hx.skills.get("job").run_count == 0
    assert not (folder / "made").exists()


@requirement("SKILL-06")
def test_a_folder_that_is_linked_to_the_database_is_not_given_either(
    folder: Path, tmp_path: Path
) -> None:
    (tmp_path / "linked").symlink_to(folder)
    with opened(folder / "agent.db") as hx:
        script(hx, f"touch {tmp_path}/linked/made", tmp_path / "linked")
        with pytest.raises(InvalidInput, match="holds more than a script may change"):
            hx.skills.run("job")
    assert not (folder / "made").exists()


@requirement("SKILL-06")
def test_a_script_writes_its_own_folder_and_does_not_see_the_database_beside_it(
    folder: Path,
) -> None:
    with opened(folder / "agent.db") as hx:
        script(
            hx,
            f"echo kept > {folder}/below/made; test -e {folder}/agent.db || echo hidden",
            folder / "below",
        )
        assert hx.skills.run("job").output == "hidden\n"
    assert (folder / "below" / "made").read_text(encoding="utf-8") == "kept\n"


@requirement("SKILL-06")
def test_a_script_that_misses_a_file_of_the_user_is_told_what_the_sandbox_shows(
    hx: Hexad, folder: Path
) -> None:
    (folder / "data.csv").write_text("a,b\n", encoding="utf-8")
    script = f"cat {folder}/data.csv"
    hx.skills.create(
        "count", kind="script", description="Count", definition={"script": script}
    )
    hx.skills.activate("count")
    failed = hx.skills.run("count")
    assert (
        "data.csv: No such file or directory (the sandbox hides your folders"
        in failed.error
    )
    assert "pass its text as a parameter" in failed.error


# --- one that is stopped ------------------------------------------------------------------------------------------


@requirement("SKILL-06")
@pytest.mark.parametrize(
    "before", ["", "exec >&- 2>&-; ", "trap '' TERM INT HUP; ", "setsid sleep {nap} & "]
)
def test_a_script_is_stopped_from_another_thread_with_all_that_it_started(
    folder: Path, pipe: Path, nap: str, before: str
) -> None:
    stop = Halt()
    text = f"echo some; {before.format(nap=nap)}echo begun > {pipe}; sleep {nap}; touch {folder}/below/late"
    with ThreadPoolExecutor(1) as pool:
        run = pool.submit(
            find_sandbox().run,
            text,
            writable=[folder / "below"],
            halt=stop,
            limits=SandboxLimits(seconds=600),
        )
        assert pipe.read_text(encoding="utf-8") == "begun\n"
        stop()
        stop()
        result = run.result(timeout=600)
    assert (result.ok, result.exit_code, result.stopped, result.timed_out) == (
        False,
        None,
        True,
        False,
    )
    assert result.stdout == "some\n"
    assert gone(nap)
    assert not (folder / "below" / "late").exists()


@requirement("SKILL-06")
def test_what_was_stopped_before_is_never_started(folder: Path) -> None:
    stop, sandbox = Halt(), find_sandbox()
    text, allowed = f"touch {folder}/below/made", [folder / "below"]
    stop()
    for _ in range(2):
        result = sandbox.run(text, writable=allowed, halt=stop)
        assert (result.exit_code, result.stopped, result.stdout) == (None, True, "")
    assert not (folder / "below" / "made").exists()
    result = sandbox.run(text, writable=allowed, halt=Halt())
    assert (result.ok, result.stopped) == (True, False)


def outcomes(hx: Hexad) -> list[tuple[str, dict[str, Any]]]:
    return [
        (each.target, dict(each.details))
        for each in hx.audit.records()
        if each.action == "skill.run"
    ]


async def cancelled_when_begun(run: Awaitable[Any], pipe: Path) -> None:
    task = asyncio.ensure_future(run)
    assert await asyncio.to_thread(pipe.read_text, encoding="utf-8") == "begun\n"
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()  # who asks twice does not get it earlier than it is done
    with pytest.raises(asyncio.CancelledError):
        await task


@requirement("SKILL-06", "AUDIT-01")
def test_a_cancelled_run_has_ended_its_script_and_is_audited_and_does_not_count_against_it(
    folder: Path, pipe: Path, nap: str
) -> None:
    with opened(folder / "agent.db") as hx:
        script(
            hx,
            f"echo begun > {pipe}; sleep {nap}; touch {folder}/below/late",
            folder / "below",
        )
        for _ in range(3):

            async def inside() -> None:
                await cancelled_when_begun(hx.skills.arun("job"), pipe)
                assert gone(nap)

            asyncio.run(inside())
        skill = hx.skills.get("job")
        assert (skill.status, skill.run_count, skill.recent) == ("active", 0, "")
        assert (
            outcomes(hx)
            == [("job", {"kind": "script", "version": 1, "outcome": "cancelled"})] * 3
        )
    assert not (folder / "below" / "late").exists()


@requirement("SKILL-04", "SKILL-06", "AUDIT-01")
def test_cancelling_a_skill_ends_the_script_of_a_skill_that_it_called(
    folder: Path, pipe: Path, nap: str
) -> None:
    with opened(folder / "agent.db") as hx:
        script(hx, f"echo begun > {pipe}; sleep {nap}", folder / "below")
        hx.skills.create(
            "outer",
            kind="composite",
            description="Do it",
            definition={"steps": [{"tool": "skill_job"}]},
        )
        (job,) = hx.skills.as_tools(asynchronous=True)
        hx.skills.activate("outer")

        async def inside() -> None:
            await cancelled_when_begun(
                hx.skills.arun("outer", tools={"skill_job": job}), pipe
            )
            assert gone(nap)

        asyncio.run(inside())
        assert [(name, shown["outcome"]) for name, shown in outcomes(hx)] == [
            ("job", "cancelled"),
            ("outer", "cancelled"),
        ]
        assert hx.audit.verify().ok


@requirement("SKILL-06")
def test_a_loop_that_ends_while_a_script_runs_ends_the_script(
    folder: Path, pipe: Path, nap: str
) -> None:
    with opened(folder / "agent.db") as hx:
        script(hx, f"echo begun > {pipe}; sleep {nap}", folder / "below")

        async def inside() -> None:
            left = asyncio.ensure_future(hx.skills.arun("job"))
            assert (
                await asyncio.to_thread(pipe.read_text, encoding="utf-8") == "begun\n"
            )
            assert not left.done()

        asyncio.run(inside())
        assert gone(nap)
        assert [shown["outcome"] for _, shown in outcomes(hx)] == ["cancelled"]
