"""What skills cost: checking a script, against starting a shell."""

from __future__ import annotations

import shutil
import subprocess
from functools import partial
from typing import TYPE_CHECKING

from benchmarks.figures import Figure, Pair, in_turns
from hexad.skills.validation import check

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LINES, WARM, ROUNDS = 100, 20, 200
SCRIPT = """#!/bin/bash
set -euo pipefail
out="${1:-report-%(n)d}"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
mkdir -p "$out/parts"
log() { echo "[%(n)d] $*" >&2; }
for file in data/*.csv; do
  name=$(basename "$file" .csv)
  if [ -s "$file" ]; then
    cut -d, -f1,%(n)d "$file" | sort -u > "$tmp/$name.txt"
    grep -c 'row %(n)d' "$file" || true
  else
    log "nothing in $file"
  fi
done
while IFS= read -r line; do
  case "$line" in
    '#'*) continue ;;
    *) printf '%%s\\n' "$line" >> "$out/lines.txt" ;;
  esac
done < settings-%(n)d.ini
awk -F, '{ sum += $3 } END { print sum }' data/all.csv
tar czf "$out/parts-%(n)d.tgz" -C "$tmp" .
log "done with step %(n)d"
"""


def measure(folder: Path) -> Iterator[Figure]:
    """Every figure about skills."""
    yield from _checking(folder)


def _checking(folder: Path) -> Iterator[Figure]:
    """Scripts of 100 lines against `sh -c true`: each another one, and each again, as before every run of a skill."""
    shell = shutil.which("sh")
    if shell is None:
        return
    scripts = [_script(number) for number in range(WARM + ROUNDS)]
    theirs = [partial(subprocess.run, [shell, "-c", "true"], check=True, cwd=folder) for _ in scripts]
    again = in_turns([partial(_allowed, scripts[-1])] * ROUNDS, theirs[WARM:])
    name = "checking a script of 100 lines, against starting `sh -c true`, median"
    for said, limit, each in (
        ("new, of plain commands", 1.0, scripts),
        ("new, with one line for which all of it is followed", None, [_unusual(text) for text in scripts]),
    ):
        ours = [partial(_allowed, script) for script in each]
        in_turns(ours[:WARM], theirs[:WARM])
        first = in_turns(ours[WARM:], theirs[WARM:])
        new = Pair(
            first.ours, again.theirs
        )  # a shell waits its turn behind our work on a busy machine; there it does not
        yield Figure(f"{name}: {said}", new.ratio(0.5), limit, detail=new.told(0.5))
    yield Figure(f"{name}: again, before a run", again.ratio(0.5), None, detail=again.told(0.5))


def _script(number: int) -> str:
    text = "".join(SCRIPT % {"n": number * 4 + part} for part in range(4))
    lines = text.splitlines()[:LINES]
    assert len(lines) == LINES, "a script of another length"
    return "\n".join(lines)


def _unusual(script: str) -> str:
    """The same with a last line of which nothing is said before its words have been worked out."""
    return f'{script.rpartition(chr(10))[0]}\necho "${{out^^}}"'


def _allowed(script: str) -> None:
    assert check(script, shell="bash").decision == "allow", "the script is meant to be harmless"
