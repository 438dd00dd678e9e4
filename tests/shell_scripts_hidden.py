"""Scripts that hide what they do in the order, the files or the wrappers of a shell. None is ever run."""

from __future__ import annotations

from typing import Final

HIDDEN: Final[dict[str, str]] = {
    # the order in which things happen
    "d=/dev/sda && echo 0 > $d": "device-write",
    "cd /dev && echo 0 > sda": "device-write",
    "true && echo 'rm -rf /' | cat > x; sh x": "delete-root-or-home",
    "r``m -rf /": "delete-root-or-home",
    "r`:`m -rf /": "delete-root-or-home",
    "r`echo`m -rf /": "delete-root-or-home",
    "time ( rm -rf / )": "delete-root-or-home",
    # texts that are evaluated where nobody expects it
    "x='$(rm -rf /)'; echo ${x@P}": "delete-root-or-home",
    "x='a[$(rm -rf /)]'; ((x))": "delete-root-or-home",
    "x='a[$(rm -rf /)]'; [[ $x -eq 1 ]]": "delete-root-or-home",
    "test -v 'a[$(rm -rf /)]'": "delete-root-or-home",
    "printf -v 'a[$(rm -rf /)]' x": "delete-root-or-home",
    "read 'a[$(rm -rf /)]' <<< x": "delete-root-or-home",
    "unset 'a[$(rm -rf /)]'": "delete-root-or-home",
    "declare 'a[$(rm -rf /)]=1'": "delete-root-or-home",
    "let 'a[$(rm -rf /)]=1'": "delete-root-or-home",
    "declare -n y=x; x=/; rm -rf $y": "delete-root-or-home",
    "declare -n y=x; y=/; rm -rf $x": "delete-root-or-home",
    "IFS=: read -r a b <<< 'x:/'; rm -rf $b": "delete-root-or-home",
    "while IFS=: read -r a b; do rm -rf \"$b\"; done <<< 'x:/'": "delete-root-or-home",
    "while read -r a; do rm -rf \"$a\"; done <<< $'x\\n/'": "delete-root-or-home",
    "rm -rf $(cd / && pwd)": "delete-root-or-home",
    'rm -rf "$(cd ~ && pwd)"': "delete-root-or-home",
    "rm -rf $(pwd|cut -c1)": "delete-root-or-home",
    "cd /; rm -rf $PWD": "delete-root-or-home",
    # files that the script wrote
    "echo 'rm -rf /'>f; mv f g; sh g": "delete-root-or-home",
    "echo 'rm -rf /'>f; cp f g; sh g": "delete-root-or-home",
    "echo 'rm -rf /'>f; ln -s f g; sh g": "delete-root-or-home",
    "ln -s f g; echo 'rm -rf /'>f; sh g": "delete-root-or-home",
    "mkdir d; cd d; echo 'rm -rf /'>x; cd ..; sh d/x": "delete-root-or-home",
    "echo 'rm -rf /' >/tmp/x; cd /tmp; sh x": "delete-root-or-home",
    "echo 'rm -rf /' >x; sh $PWD/x": "delete-root-or-home",
    "echo 'rm -rf /' >x; sh \"$(pwd)/x\"": "delete-root-or-home",
    "echo 'rm -rf /' >././x; sh x": "delete-root-or-home",
    "echo 'rm -rf /' >d/../x; sh x": "delete-root-or-home",
    "echo 'rm -rf /' >x.sh; sh *.sh": "delete-root-or-home",
    "if a; then echo 'rm -rf /'; else echo ls; fi > x; sh x": "delete-root-or-home",
    "if a; then echo 'rm -rf /' > x; else echo ls > x; fi; sh x": "delete-root-or-home",
    "install /dev/stdin b <<< 'rm -rf /'; sh b": "delete-root-or-home",
    "cp /dev/stdin b <<< 'rm -rf /'; sh b": "delete-root-or-home",
    # forks in other languages
    "python3 -c 'import os\nfor i in range(100): os.fork()'": "fork-bomb",
    "python3 -c 'import os\nwhile 1: os.fork() # wait'": "fork-bomb",
    "perl -e 'fork while 1'": "fork-bomb",
    "ruby -e 'loop { fork }'": "fork-bomb",
    # links
    "ln -s / x; rm -rf x/*": "delete-root-or-home",
    "ln -s / x; cd x; rm -rf *": "delete-root-or-home",
    "ln -s /dev/sda d; cat y > d": "device-write",
}
"""A script → the rule that must be found."""

HIDDEN_NEEDS: Final[dict[str, set[str]]] = {
    "cd ~ && : > .bashrc": {"write"},
}
"""A script → all that it needs."""

HIDDEN_ALLOWED: Final = (
    'DIR="$(cd "$(dirname "$0")" && pwd)"; cd "$DIR" && rm -rf build && mkdir build',
    "make && ./run > out.txt 2>&1",
    "test -f a && grep x a > b || echo none > c",
    'IFS=, read -r a b c <<< "$line"; echo "$a" > out',
    'while IFS= read -r line; do echo "$line"; done < file',
    "grep '[$(]' x",
    "ln -sfn releases/2 current; rm -f current",
    'declare -n list=names; names=(a b); echo "${list[@]}"',
    "perl -e 'for (1..3){my $p=fork; exit if !$p}'",
    "python3 -c 'import os\npid = os.fork()\nfor i in range(3): print(i)'",
    "cp -r src build && mv build/a build/b",
)
"""Ordinary scripts that look like one of them."""
