"""Scripts that need not be followed: that the short way never says more than the long one.

Nothing in here is ever run: every script is only read.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from random import Random
from time import thread_time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hexad.skills.shell.ordinary import is_ordinary
from hexad.skills.validation import _followed
from tests.shell_random import random_script
from tests.shell_scripts_ordinary import LONG, NOT_ORDINARY
from tests.support import requirement
from tests.test_shell_validation import EVERY_ALLOWED, EVERY_NEED, EVERY_REJECTED, SCOPED, SCOPED_ALLOWED

TLDR = Path(__file__).parent.parent.parent / "shared" / "evals" / "shell_benign" / "tldr.jsonl"
BASH = shutil.which("bash")

ORDINARY = [
    "",
    "\n# only a remark",
    "echo hello  # and a remark",
    "#!/usr/bin/env bash\nset -euo pipefail\necho 'a; b | c' \"$HOME\" >&2",
    'greet() {\n  echo "hello $1"\n}\nmain() { greet you; }\nmain',
    'for file in data/*.csv; do\n  name=$(basename "$file" .csv)\n  sort -u "$file" > "out/$name.txt"\ndone',
    'while IFS=, read -r name rest; do\n  echo "$name: $rest"\ndone < people.csv',
    'case "$1" in\n  -h|--help) echo usage; exit 0 ;;\n  *) ;;\nesac',
    'tmp=$(mktemp -d)\ntrap \'rm -rf "$tmp"\' EXIT\ncp notes.txt "$tmp/copy"\nrm -f "$tmp"',
    'if [ -f a ] && ! grep -q x a; then\n  echo none\nelif [[ -z "$x" ]]; then\n  echo empty\nelse\n  exit 1\nfi',
    "cat > notes.md <<'EOF'\n# Title $(not run) `nor this`\nrm -rf /tmp/x\nEOF\nwc -l notes.md",
    'count=0\nfor f in a b; do\n  count=$((count + 1))\ndone\necho "$count"',
    "grep --count \\\n  --ignore-case word \\\n  input.txt",
    'd=a\nif [ -e b ]; then\n  e=c\n  cp "$d/x" "$e/y"\nelse\n  mkdir -p "$d"\nfi\ntouch "$d/z"',
    'echo "größer als ${limit:-10}"',
]
FOLLOWED = {
    "a word in two lines": "ec\\\nho a",
    "a word in two lines behind a remark": "# a\\\nec\\\nho a",
    "a keyword in two lines": "if true; then\\\necho a; fi",
    "a quote in two lines": "echo 'a\nb'",
    "a program that is written elsewhere": "./tool x",
    "a program that is not known": '"$tool" x',
    "another language": "python3 -c 'print(1)'",
    "an output in an output": 'echo "$(basename "$(pwd)")"',
    "what runs beside it": "sleep 9 &",
    "a block": "{ echo a; }",
    "a shell inside": "(cd build)",
    "what never ends": "while true; do echo a; done",
    "a function that calls itself": "f() { f; }\nf",
    "functions that call each other": "f() { g; }\ng() { f; }\nf",
    "a function with a command's name": "rm() { echo a; }\nrm b",
    "a file elsewhere": "echo a > /srv/b",
    "a file above": "echo a > ../b",
    "a file that a variable puts elsewhere": 'd=/srv\necho a > "$d/b"',
    "a file that a loop puts elsewhere": 'for d in /srv; do echo a > "$d/b"; done',
    "a file that a function's word puts elsewhere": 'f() { echo a > "$1/b"; }\nf /srv',
    "a file that is read to be elsewhere": 'echo /srv | while read -r d; do echo a > "$d/b"; done',
    "a file that two dots put elsewhere": 'd=.\necho a > "$d$d/b"',
    "a file that an output puts elsewhere": 'd=$(echo vrs/ | rev)\necho a > "$d/b"',
    "a file in the home": 'echo a > "$HOME/b"',
    "deleting what is not the script's": 'rm -rf "$1"',
    "deleting what is read": 'read -r x\nrm -rf "$x"',
    "deleting above": "x=a/../..\ntrap 'rm -rf \"$x\"' EXIT",
    "deleting in another folder": "cd build\nrm -rf lib",
    "deleting everything": "rm -rf *",
    "an option in a variable": 'x="-o /srv/a"\nsort $x b',
    "an option that runs something": "sort --compress-program=./x a",
    "an option in a loop": "for x in -v; do printf $x y z; done",
    "a search that does something": "find . -delete",
    "a program of awk that does something": "awk '{ print > $1 }' a",
    "a program of sed that does something": "sed 's/a/b/e' c",
    "a command at the end": "trap 'echo a' EXIT",
    "a variable that matters": "PATH=bin\ngrep a b",
    "a variable that matters and is read": "read -r PATH",
    "a number worked out of a text": "x='a[$(date)]'\necho $((x))",
    "a number worked out of what is given": "echo $(($1 + 1))\nread -r n\necho $((n + 1))",
    "a here-document that is filled in": "cat <<EOF\n$(date)\nEOF",
    "a here-document that has no end": "cat <<EOF\na",
    "a here-document for a shell": "sh <<'EOF'\necho a\nEOF",
    "what is not closed": "if true; then echo a",
    "what is closed in a remark": "f() {\necho a\n#}",
    "what is empty": "if true; then\nfi",
    "a pipe that leads nowhere": "echo a |",
    "another first line": "#!/usr/bin/python3\nprint",
    "a sign that is not seen": "echo a\u200bb",
    "a disk": "echo /dev/sda",
}


@requirement("SKILL-05")
@pytest.mark.parametrize("script", ORDINARY)
def test_plain_commands_need_not_be_followed(script: str) -> None:
    assert is_ordinary(script)
    assert _followed(script, {}) == []


@requirement("SKILL-05")
@pytest.mark.parametrize("script", FOLLOWED.values(), ids=FOLLOWED)
def test_whatever_may_hide_something_is_followed(script: str) -> None:
    assert not is_ordinary(script)


@requirement("SKILL-05")
def test_what_only_looks_ordinary_is_followed() -> None:
    assert [script for script in NOT_ORDINARY if is_ordinary(script)] == []


@requirement("SKILL-05")
def test_nothing_takes_long_to_be_found_out_of_the_ordinary() -> None:
    before = thread_time()
    for _ in range(200):
        is_ordinary("for f in a b; do echo $f; done")
    between = thread_time()
    for script in LONG:
        is_ordinary(script)
    assert (thread_time() - between) / len(LONG) < 1000 * (between - before) / 200


@requirement("SKILL-05")
def test_nothing_that_is_stopped_is_taken_for_ordinary() -> None:
    assert [script for script in (*EVERY_REJECTED, *SCOPED, *EVERY_NEED) if is_ordinary(script)] == []


@requirement("SKILL-05")
def test_scripts_that_are_allowed_are_so_by_either_way() -> None:
    assert {script: found for script in (*EVERY_ALLOWED, *SCOPED_ALLOWED) if (found := _followed(script, {}))} == {}


@requirement("SKILL-05")
@pytest.mark.skipif(not TLDR.exists(), reason="the evaluation data is not beside this checkout")
def test_real_commands_that_are_ordinary_are_allowed_when_they_are_followed() -> None:
    scripts = [json.loads(line)["text"] for line in TLDR.read_text(encoding="utf-8").splitlines()]
    ordinary = [script for script in scripts if is_ordinary(script)]
    assert ordinary
    assert [script for script in ordinary if _followed(script, {})] == []


@requirement("SKILL-05")
@given(st.integers(0, 2**32))
@settings(max_examples=400)
def test_a_random_script_that_is_ordinary_has_nothing_to_be_found(seed: int) -> None:
    """Where the grammar cannot read such a script, bash can."""
    random = Random(seed)  # noqa: S311 - no secret
    for script in [random_script(random) for _ in range(20)]:
        found = _followed(script, {}) if is_ordinary(script) else []
        if found and BASH and "unparsable" in {each.rule for each in found}:
            assert _bash_can_read(script), script
        else:
            assert not found, script


def _bash_can_read(script: str) -> bool:
    assert BASH
    read = subprocess.run([BASH, "-n"], input=script.encode(), capture_output=True, check=False)
    return read.returncode == 0
