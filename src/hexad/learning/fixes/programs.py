"""Knowledge of single programs, one row for each kind of it. What the rows do not hold is judged by form alone."""

from __future__ import annotations

import re
from typing import Final


def _row(words: str) -> frozenset[str]:
    return frozenset(words.split())


WITH_SUBCOMMANDS: Final = _row(
    """alembic apt apt-get aws az brew bundle cargo conda docker dotnet gcloud gh git go helm kubectl npm pip pip3 pnpm
    podman poetry systemctl terraform uv yarn"""
)
KNOWN: Final = WITH_SUBCOMMANDS | _row("cd chmod cp curl echo kill ln mv rm sleep su")
DESTROYS: Final = _row("chgrp chmod chown dd kill killall ln mv pkill rm rmdir shred truncate")
ERASES: Final = _row("dd kill killall pkill rm rmdir shred truncate")
LOOKS: Final = _row(  # no other way to do something
    "cat echo file gdb head ls mkdir nohup printf stat strace tail test time touch true type wc which"
)
SHOWS: Final = _row(  # programs and subcommands that change nothing
    """branch cat date describe df diff du env file find get grep head help images info list log logs ls ps pwd remote
    rg show stat status tail tree type view wc which whoami --version"""
)
GLUED: Final = _row("7z curl ldapsearch mariadb mysql mysqladmin mysqldump psql redis-cli smbclient sshpass wget zip")
IDLE: Final = _row("cat cd echo sed sleep")  # the place of work, time, an edit of a file
INSTALLS: Final = _row("add i install")  # a package follows
PREPARES: Final = _row(  # verbs of commands whose result other commands need
    """add auth bootstrap build ci commit compile configure connect create deps download enable fetch generate i init
    install join link login make migrate mkdir plan prepare pull reload restart restore seed serve setup start submodule
    sync tidy unmask up update use venv"""
)
STARTS: Final = _row("daemon dev enable restart serve server start up")
ADMITS: Final = _row("add auth configure connect join login update use")
FETCHES: Final = _row("add ci download get i install restore sync tidy update")
UNCHECKED: Final = _row(  # a program, and a word that turns a check of it off
    """git:-f git:-D npm:-f commit:-n rm:-f rmi:-f ln:-f mv:-f cp:-f kill:-9 curl:-k chmod:777 chmod:0777 chmod:666
    chmod:a+rwx chmod:a+rw chmod:a+w chmod:o+w su:su"""
)
UNGUARDED: Final = r"""GONOSUM\w* | \b(?:skip|husky)=\S | \b(?:sudo|doas|runas|setenforce)\b | safe\.directory
    | ufw\ (?:\w+\ )?disable | ssh-keygen\ -r"""  # what turns a check off in any place of a command
CHECKS: Final = (
    r"\bELIFECYCLE\b | \bpre-commit\b"  # programs that report what they found, and not a mistake of the call
)
BEFORE_A_LINE: Final = r"(?:npm|yarn|pnpm) (?:error|ERR!|warn)"  # what programs write before each line of a message
TAKES_BACK: Final = re.compile(r"down .*-v|git checkout (?:--|\.)|git restore \.")
PIP: Final = re.compile(r"\S*python[\d.]* -m pip\b")  # the same program
TAKES_AWAY: Final = re.compile(
    "(?i)delete|remove|drop|wipe|purge|prune|destroy|kill|reset|clear|cancel|uninstall|flush|clean"
)
