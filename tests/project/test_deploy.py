"""The Dockerfile and the systemd unit, checked as far as it goes without a Docker
engine: their commands are run.
"""

from __future__ import annotations

import json
import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import httpx2
import pytest

from tests.support import requirement

ROOT = Path(__file__).parents[2]
SYSTEMD = shutil.which("systemd-analyze")
HEXAD = str(Path(sys.executable).with_name("hexad"))


def instructions() -> dict[str, str]:
    """The Dockerfile: the text behind each word; of several the last."""
    text = (ROOT / "deploy" / "Dockerfile").read_text().replace("\\\n", " ")
    lines = [
        line for line in text.splitlines() if line.strip() and not line.startswith("#")
    ]
    return {word: rest for word, _, rest in (line.partition(" ") for line in lines)}


@requirement("API-01")
def test_the_image_installs_extras_that_exist_as_a_user_without_rights() -> None:
    found, project = (
        instructions(),
        tomllib.loads((ROOT / "pyproject.toml").read_text())["project"],
    )
    assert {*found} >= {
        "FROM",
        "COPY",
        "RUN",
        "USER",
        "VOLUME",
        "EXPOSE",
        "HEALTHCHECK",
        "ENTRYPOINT",
        "CMD",
    }
    extras = re.search(r"/source\[([\w,]+)\]", found["RUN"])
    assert extras
    assert set(extras[1].split(",")) <= set(project["optional-dependencies"])
    for file in re.findall(r"/source/([\w.]+)", found["RUN"]):
        assert (ROOT / file).exists(), file
    assert found["USER"] in found["RUN"]
    assert found["USER"] != "root"


@requirement("API-01")
def test_the_commands_of_the_image_serve_others_once_a_token_was_made(
    tmp_path: Path,
) -> None:
    found = instructions()
    name = found["ENV"].partition("=")[0]
    command = [*json.loads(found["ENTRYPOINT"]), *json.loads(found["CMD"])]
    port = found["EXPOSE"]
    assert f"0.0.0.0:{port}" in command
    environment = {
        name: str(tmp_path / "hexad.db"),
        "PATH": str(Path(HEXAD).parent),
        "HEXAD_SEMANTIC": "false",
    }
    anywhere = [each.replace(port, "0") for each in command]
    refused = subprocess.run(
        anywhere, env=environment, capture_output=True, text=True, check=False
    )
    assert refused.returncode == 2
    assert "hexad tokens make" in refused.stderr
    comment = re.search(
        r"hexad (tokens make .*)", (ROOT / "deploy" / "Dockerfile").read_text()
    )
    assert comment
    subprocess.run(
        [HEXAD, *shlex.split(comment[1])],
        env=environment,
        capture_output=True,
        check=True,
    )
    with subprocess.Popen(
        anywhere, env=environment, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        line = next(each for each in server.stderr if "serving at" in each)
        given = re.search(r":(\d+)/;", line)
        assert given, line
        check = [
            each.replace(port, given[1])
            for each in json.loads(found["HEALTHCHECK"].removeprefix("CMD "))
        ]
        assert subprocess.run([sys.executable, *check[1:]], check=False).returncode == 0
        server.terminate()
        assert server.wait(500) == 0


@pytest.mark.skipif(SYSTEMD is None, reason="no systemd-analyze")
@requirement("API-01")
def test_the_unit_is_one_that_systemd_accepts_and_its_command_exists(
    tmp_path: Path,
) -> None:
    text = (ROOT / "deploy" / "hexad.service").read_text()
    start = re.search(r"^ExecStart=(.*)$", text, re.MULTILINE)
    assert start
    program, *options = shlex.split(start[1])
    assert (
        subprocess.run(
            [HEXAD, *options, "--help"], capture_output=True, check=False
        ).returncode
        == 0
    )
    unit = tmp_path / "hexad.service"
    unit.write_text(text.replace(program, HEXAD))
    done = subprocess.run(
        [str(SYSTEMD), "verify", str(unit)], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")


@requirement("API-01")
def test_a_wheel_installed_without_a_checkout_serves_pages_and_their_files(
    tmp_path: Path,
) -> None:
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    wheel = [
        *pip,
        "wheel",
        "--no-deps",
        "--no-build-isolation",
        "--no-index",
        "-w",
        str(tmp_path),
        str(ROOT),
    ]
    subprocess.run(wheel, check=True, capture_output=True)
    [built] = tmp_path.glob("hexad-*.whl")
    there = tmp_path / "there"
    install = [
        *pip,
        "install",
        "--no-deps",
        "--no-index",
        "--target",
        str(there),
        str(built),
    ]
    subprocess.run(install, check=True, capture_output=True)
    environment = {"PATH": "", "PYTHONPATH": str(there), "HEXAD_SEMANTIC": "false"}
    command = [
        sys.executable,
        "-m",
        "hexad",
        "serve",
        "--http",
        "127.0.0.1:0",
        "--db",
        str(tmp_path / "a.db"),
    ]
    where = [sys.executable, "-c", "import hexad; print(hexad.__file__)"]
    found = subprocess.run(
        where, env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    ).stdout
    assert found.startswith(str(there)), "it is not the checkout's"
    with subprocess.Popen(
        command, env=environment, cwd=tmp_path, stderr=subprocess.PIPE, text=True
    ) as server:
        assert server.stderr is not None
        base = (
            next(each for each in server.stderr if "serving at" in each)
            .split("serving at ")[1]
            .split("/;")[0]
        )
        for path, words in (
            ("playground", "What would my agent read"),
            ("static/hexad.css", ":root"),
        ):
            answer = httpx2.get(f"{base}/{path}")
            assert (answer.status_code, words in answer.text) == (200, True), path
        server.terminate()
        assert server.wait(500) == 0
