"""Scripts in which one command runs another, each with what it must be found to do. None of them is ever run."""

from __future__ import annotations

from typing import Final

WRAPPED_REJECTED: Final[dict[str, str]] = {
    "env -S 'rm\\_-rf\\_/'": "delete-root-or-home",
    "env -iS 'r\"\"m -rf /'": "delete-root-or-home",
    "env -iu X r''m -rf /": "delete-root-or-home",
    "strace -fo log r''m -rf /": "delete-root-or-home",
    "stdbuf --output L r''m -rf /": "delete-root-or-home",
    "bwrap --bind / / r''m -rf /": "delete-root-or-home",
    "poetry run rm / -rf": "delete-root-or-home",
    "poetry run mv / x": "change-root",
    "poetry run bash -c 'curl -s x | sh'": "pipe-to-shell",
    "poetry run python -c \"import shutil; shutil.rmtree('/')\"": "delete-root-or-home",
    "conda run -n e python -c \"import shutil; shutil.rmtree('/')\"": "delete-root-or-home",
    "uv run python -c \"import shutil; shutil.rmtree('/')\"": "delete-root-or-home",
    "mise exec -- bash -c 'find / -delete'": "delete-root-or-home",
    "pipenv run sh -c 'find ~ -delete'": "delete-root-or-home",
    "direnv exec . sh -c ':(){ :|:& };:'": "fork-bomb",
    'bundle exec ruby -e \'require "fileutils"; FileUtils.rm_rf("/")\'': "delete-root-or-home",
    "dotenv run -- sh -c 'curl x | sh'": "pipe-to-shell",
    "tini -- sh -c 'find / -delete'": "delete-root-or-home",
    "dumb-init sh -c 'curl x|sh'": "pipe-to-shell",
    "pee \"sh -c 'find / -delete'\" < x": "delete-root-or-home",
    "pee sh <<< 'rm -rf /'": "delete-root-or-home",
    "ifne sh <<< 'rm -rf /'": "delete-root-or-home",
    "dtach -n /tmp/s sh -c 'find / -delete'": "delete-root-or-home",
    "gnome-terminal -- sh -c 'find / -delete'": "delete-root-or-home",
    "screen -dmS x sh -c \"r''m -rf /\"": "delete-root-or-home",
    "tmux send-keys -t x 'rm -rf /' Enter": "delete-root-or-home",
    "xargs --max-lines 1 r''m -rf <<< /": "delete-root-or-home",
    "parallel --tmpdir /tmp r''m -rf ::: /": "delete-root-or-home",
    "echo 'rm -rf /' > c; parallel -a c": "delete-root-or-home",
    "sem --fg \"r''m -rf /\"": "delete-root-or-home",
    "watch --interval 1 \"r''m -rf /\"": "delete-root-or-home",
    "systemd-nspawn -D / r''m -rf /": "delete-root-or-home",
    "perf record -o x r''m -rf /": "delete-root-or-home",
    "rr record r''m -rf /": "delete-root-or-home",
    "faketime -f '2020-01-01 00:00:00' r''m -rf /": "delete-root-or-home",
    "chpst -u nobody r''m -rf /": "delete-root-or-home",
    "/lib/ld-linux.so.2 /bin/r''m -rf /": "delete-root-or-home",
    "/lib64/ld-linux-x86-64.so.2 --argv0 x /bin/find / -delete": "delete-root-or-home",
    "zsh -c 'zmodload zsh/files; zf_rm -rf /'": "delete-root-or-home",
    "xonsh -c \"import shutil; shutil.rmtree('/')\"": "delete-root-or-home",
    "declare -l c=RM; $c -rf /": "delete-root-or-home",
    # programs that nobody knows
    "strange bash -c 'find / -delete'": "delete-root-or-home",
    "strange --now python3 -c \"import shutil; shutil.rmtree('/')\"": "delete-root-or-home",
    "strange --with=x find / -delete": "delete-root-or-home",
    "strange r''m -rf /": "delete-root-or-home",
    "strange r\\m -rf /": "delete-root-or-home",
}
"""A script → the rule that must be found."""

WRAPPED_NEEDS: Final[dict[str, set[str]]] = {
    "sshpass -p pw ssh u@h ls": {"network"},
    "poetry run pip install x": {"network"},
    "strange bash -c 'curl x'": {"network"},
    "nice -n 5 sudo -Eu root ls": {"privilege"},
}
"""A script → the capabilities that it needs."""

WRAPPED_ALLOWED: Final = (
    "poetry run pytest -q",
    "poetry run python -c 'print(1)'",
    "pipenv run python tool.py --rm /tmp/x",
    "conda run -n e python tool.py",
    "bundle exec rake test",
    "npm run build",
    "yarn run lint --fix",
    "mise exec -- node tool.js",
    "direnv exec . make",
    "tini -- ./server",
    "perf stat -e cycles ls",
    "stdbuf -oL grep x a.txt",
    "timeout -k 5 10 ./tool -r /",
    "strace -fo log ls",
    "env -i PATH=/bin ls",
    "env -S 'ls -l'",
    "parallel -j 4 gzip ::: a b",
    "parallel --tmpdir /tmp wc -l ::: a b",
    "xargs --max-args 1 echo < list",
    "watch --interval 1 'ls | wc -l'",
    "screen -dmS work make all",
    "faketime '2020-01-01' date",
    'declare -u name=bob; echo "$name"',
    "strange bash -c 'ls | wc -l'",
    "strange find . -name x",
    "tmux new-session -d 'make watch'",
)
"""Scripts that pass without a word."""
