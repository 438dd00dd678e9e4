"""Scripts that try to get out of the sandbox. Each attempt is also made where it
succeeds, so that it can fail.
"""

from __future__ import annotations

import itertools
import os
import platform
import pty
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hexad.skills.sandbox import SandboxLimits, find_sandbox
from hexad.skills.sandbox.seccomp import numbers, program
from tests.scripts.sandboxed import OTHER, Box, gone, open_box, running
from tests.support import opened, requirement

if TYPE_CHECKING:
    from collections.abc import Iterator

pytestmark = [
    requirement("SKILL-06"),
    pytest.mark.skipif(sys.platform != "linux", reason="the sandbox needs Linux"),
]
MB = 2**20
_COUNT = itertools.count()


@pytest.fixture
def mark() -> str:
    """Seconds to sleep that nobody else sleeps, by which a process is found again."""
    return f"{os.getpid()}{next(_COUNT):03}"


@pytest.fixture(
    scope="module", params=["as the user who runs the tests", "as another user"]
)
def box(request: pytest.FixtureRequest) -> Iterator[Box]:
    other = request.param == "as another user"
    if other and os.geteuid() != 0:
        pytest.skip("only the superuser can become another user")
    folder = Path(tempfile.mkdtemp(prefix="hexad-box-"))
    folder.chmod(0o777)
    os.environ["SECRET_OF_THE_PARENT"] = "do-not-tell"
    box = open_box(find_sandbox(), OTHER if other else None, folder)
    yield box
    del os.environ["SECRET_OF_THE_PARENT"]
    box.connection.close()
    box.process.join(500)
    shutil.rmtree(folder)


# Reading


def test_the_database_of_hexad_cannot_be_read(box: Box) -> None:
    path = box.folder / "agent.db"
    with opened(path) as hx:
        hx.knowledge.save("vault", "the word is xyzzy")
    for file in box.folder.glob("agent.db*"):
        file.chmod(0o644)
    attempt = f"cat {path}* | tr -c '[:alnum:]' ' '"
    assert "xyzzy" in box.bare(attempt)
    assert "xyzzy" not in box.run(attempt, hidden=[path]).stdout
    assert "xyzzy" not in box.run(f"cat /proc/[0-9]*/root{path}", hidden=[path]).stdout


def test_the_home_is_empty_and_nobody_elses_can_be_seen(box: Box) -> None:
    home = box.folder / "home"
    home.mkdir(exist_ok=True)
    (home / "diary").write_text("dear diary", encoding="utf-8")
    attempt = f"cat {home}/diary; ls -A {Path.home()} /home /root; ls -A ~; cat ~/diary"
    assert "dear diary" in box.bare(attempt)
    assert box.run(attempt).stdout.replace("/home:", "").strip() == ""
    assert box.run("cd && touch it && ls && pwd").stdout == "it\n/tmp/home\n"


def test_the_password_file_is_not_the_machines(box: Box) -> None:
    users = [
        line
        for line in Path("/etc/passwd").read_text(encoding="utf-8").splitlines()
        if "/home/" in line or ":/root:" in line
    ]
    assert users
    assert users[0] in box.bare("cat /etc/passwd")
    inside = box.run(
        "cat /etc/passwd /etc/shadow /etc/group /proc/1/root/etc/passwd; getent passwd"
    ).stdout
    assert not [user for user in users if user in inside]
    assert box.run("id -un").stdout == "skill\n"


def test_nothing_of_the_parent_is_inherited_but_what_was_given(box: Box) -> None:
    assert "do-not-tell" in box.bare("env")
    printed = box.run(
        "env; cat /proc/[0-9]*/environ | tr '\\0' '\\n'", environment={"given": "yes"}
    ).stdout
    assert "given=yes" in printed
    assert "do-not-tell" not in printed
    commands = box.run("cat /proc/[0-9]*/cmdline | tr '\\0' '\\n'").stdout
    assert "bwrap" in commands
    assert (
        str(find_sandbox().program) not in commands
    )  # where it is installed is nobody's business inside


def test_no_open_file_of_the_parent_is_inherited(tmp_path: Path) -> None:
    with (tmp_path / "open").open("w") as file:
        os.set_inheritable(file.fileno(), True)
        bare = subprocess.run(
            ["/bin/ls", "-l", "/proc/self/fd"],
            close_fds=False,
            capture_output=True,
            check=True,
        )
        listed = find_sandbox().run("ls -l /proc/self/fd").stdout.splitlines()
    assert str(tmp_path).encode() in bare.stdout
    assert [line.split()[-3] for line in listed if "->" in line] == [
        "0",
        "1",
        "2",
        "3",
    ]  # 3 is the listing itself


# Writing


@pytest.mark.parametrize(
    "place",
    [
        "/x",
        "/usr/x",
        "/etc/x",
        "/etc/passwd",
        "/dev/x",
        "/dev/null/x",
        "/proc/x",
        "/skill/x",
        "/skill/script",
        "/home/x",
        "/var/x",
    ],
)
def test_nothing_outside_its_own_directories_can_be_written(
    box: Box, place: str
) -> None:
    attempt = f"mkdir -p $(dirname {place}); (echo was-here >> {place}) && echo done"
    assert box.run(attempt).stdout == ""
    assert box.run(attempt.replace(place, "$HOME/x/y")).stdout == "done\n"


def test_a_folder_is_written_only_if_it_was_granted(box: Box) -> None:
    attempt = f"echo was-here > {box.folder}/written"
    box.run(attempt)
    box.run(
        f"mkdir -p {box.folder} && {attempt}"
    )  # within the sandbox's own temporary directory
    assert not (box.folder / "written").exists()
    assert box.run(attempt, writable=[box.folder]).ok
    assert (box.folder / "written").read_text(encoding="utf-8") == "was-here\n"
    (box.folder / "written").unlink()


# Reaching out


def _welcome(server: socket.socket) -> None:
    guest, _ = server.accept()
    with guest:
        guest.sendall(b"welcome\n")


def test_the_network_cannot_be_reached_not_even_this_machine(box: Box) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        served = threading.Thread(target=_welcome, args=(server,))
        served.start()
        attempt = f"exec 3<>/dev/tcp/127.0.0.1/{server.getsockname()[1]} && head -1 <&3"
        denied = box.run(attempt, shell="bash")
        assert (denied.ok, denied.stdout) == (False, "")
        assert box.run(attempt, shell="bash", network=True).stdout == "welcome\n"
        served.join()


def test_sockets_without_a_file_are_out_of_reach(box: Box) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"\0hexad-{os.getpid()}")
        server.listen()
        attempt = f"grep -c hexad-{os.getpid()} /proc/net/unix"
        assert box.bare(attempt).strip() == "1"
        assert box.run(attempt).stdout.strip() == "0"


def test_other_processes_can_be_neither_seen_nor_signalled(box: Box) -> None:
    with subprocess.Popen(
        ["/bin/sleep", "1001"], **({"user": box.user} if box.user else {})
    ) as victim:
        attempt = f"kill -0 {victim.pid} && echo reached; ls -d /proc/{victim.pid}"
        assert "reached" in box.bare(attempt)
        assert box.run(f"{attempt}; kill -9 -1; kill -9 {victim.pid}").stdout == ""
        assert victim.poll() is None
        victim.kill()


def test_there_is_no_terminal_to_type_into(box: Box) -> None:
    attempt = "cut -d' ' -f7 /proc/self/stat"  # its controlling terminal
    ours, theirs = pty.openpty()
    shown = subprocess.run(
        ["/usr/bin/setsid", "--ctty", "sh", "-c", attempt],
        stdin=theirs,
        capture_output=True,
        check=True,
    )
    os.close(ours)
    os.close(theirs)
    assert int(shown.stdout) != 0
    assert box.run(attempt).stdout == "0\n"
    assert not box.run("echo ls > /dev/tty").ok
    assert box.run("cat").stdout == ""


# Using more than its share


def test_a_script_forks_no_more_than_its_limit(box: Box, mark: str) -> None:
    attempt = f"i=0; while [ $i -lt 120 ]; do i=$((i+1)); sleep {mark} & echo $i; done"
    assert 32 < len(box.run(attempt).stdout.splitlines()) <= 64
    assert (
        len(box.run(attempt, limits=SandboxLimits(processes=200)).stdout.splitlines())
        == 120
    )
    assert gone(mark)


def test_a_limit_on_processes_counts_the_scripts_own_only(box: Box) -> None:
    sleepers = [
        subprocess.Popen(
            ["/bin/sleep", "1003"], **({"user": box.user} if box.user else {})
        )
        for _ in range(12)
    ]
    assert (
        box.run("sleep 0 & wait; echo done", limits=SandboxLimits(processes=8)).stdout
        == "done\n"
    )
    for sleeper in sleepers:
        sleeper.kill()
        sleeper.wait()


def test_a_process_gets_no_more_memory_than_its_limit(box: Box) -> None:
    attempt = "dd if=/dev/zero of=/dev/null bs={} count=1 && echo done"
    assert box.run(attempt.format("520M")).stdout == ""
    assert box.run(attempt.format("100M")).stdout == "done\n"
    assert (
        box.run(attempt.format("100M"), limits=SandboxLimits(memory=90 * MB)).stdout
        == ""
    )


@pytest.mark.parametrize("place", ["/tmp/work", "$HOME", "$TMPDIR", "/dev/shm"])
def test_no_directory_takes_more_than_the_limit_on_disk(box: Box, place: str) -> None:
    attempt = (
        f"for i in 1 2 3 4 5 6; do head -c 1000000 /dev/zero > {place}/$i; done; cat "
        f"/tmp/*/[1-6] /tmp/[1-6] | wc -c"
    )
    assert 0 < int(box.run(attempt, limits=SandboxLimits(disk=4 * MB)).stdout) <= 4 * MB
    assert int(box.run(attempt, limits=SandboxLimits(disk=8 * MB)).stdout) == 6_000_000


def test_limits_cannot_be_raised_again(box: Box) -> None:
    for raised in (
        "ulimit -u 1000",
        "ulimit -v unlimited",
        "ulimit -n 5000",
        "ulimit -f unlimited",
    ):
        assert not box.run(raised, shell="bash").ok
    assert box.run("ulimit -u 10", shell="bash").ok


def test_output_is_cut_and_the_result_says_so(box: Box) -> None:
    result = box.run(
        "head -c 3000000 /dev/zero | tr '\\0' x; head -c 2000000 /dev/zero | tr '\\0' y >&2; exit 3"
    )
    assert (result.stdout, result.stderr) == ("x" * MB, "y" * MB)
    assert result.exit_code == 3
    assert result.cut == (
        "stdout was cut after 1,048,576 bytes; 1,951,424 more were dropped",
        "stderr was cut after 1,048,576 bytes; 951,424 more were dropped",
    )
    assert box.run("head -c 1048576 /dev/zero").cut == ()


# Living on


@pytest.mark.parametrize(
    "attempt",
    [
        "sleep MARK",
        "trap '' TERM INT HUP; sleep MARK",
        "setsid sleep MARK & wait",
        "(setsid sh -c 'trap \"\" TERM HUP; sleep MARK & wait' &) ; exec >&- 2>&-; sleep MARK",
        "while :; do :; done",
    ],
)
def test_nothing_outlives_the_timeout(box: Box, mark: str, attempt: str) -> None:
    result = box.run(
        f"echo begun; {attempt.replace('MARK', mark)}",
        limits=SandboxLimits(seconds=0.6),
    )
    assert (result.timed_out, result.exit_code, result.ok) == (True, None, False)
    assert result.stdout in {
        "begun\n",
        "",
    }  # nothing if a busy machine took all the time to start it
    assert gone(mark)


@pytest.mark.parametrize(
    "attempt",
    [
        "sleep MARK &",
        "setsid sleep MARK >/dev/null 2>&1 </dev/null &",
        "(sleep MARK &) &",
    ],
)
def test_children_that_are_left_behind_neither_keep_the_call_nor_stay(
    box: Box, mark: str, attempt: str
) -> None:
    result = box.run(
        f"{attempt.replace('MARK', mark)} echo done", limits=SandboxLimits(seconds=600)
    )
    assert (result.stdout, result.timed_out) == ("done\n", False)
    assert gone(mark)


def test_killing_the_parent_kills_the_script_and_all_it_started(
    box: Box, mark: str
) -> None:
    parent = open_box(find_sandbox(), box.user, box.folder)
    pipe = box.folder / "begun"
    os.mkfifo(pipe)
    pipe.chmod(0o666)
    script = f"setsid sh -c 'echo begun > {pipe}; sleep 600; :' {mark} & wait"
    parent.connection.send(
        (script, {"writable": [box.folder], "limits": SandboxLimits(seconds=600)})
    )
    assert pipe.read_text(encoding="utf-8") == "begun\n"
    assert running(mark)
    os.kill(parent.process.pid, signal.SIGKILL)
    parent.process.join()
    pipe.unlink()
    assert gone(mark)


# Gaining rights


def test_a_script_has_no_rights_and_can_gain_none(box: Box) -> None:
    status = dict(
        line.split(":\t")
        for line in box.run("cat /proc/self/status").stdout.splitlines()
        if ":\t" in line
    )
    assert {
        name: int(value, 16) for name, value in status.items() if name.startswith("Cap")
    } == dict.fromkeys(("CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb"), 0)
    assert status["NoNewPrivs"] == "1"
    assert status["Seccomp"] == ("2" if program() else "0")


def test_the_superusers_scripts_run_as_somebody_else(box: Box) -> None:
    box.run(f"touch {box.folder}/mine", writable=[box.folder])
    assert (box.folder / "mine").stat().st_uid == (box.user or os.geteuid() or 65534)
    (box.folder / "mine").unlink()


@pytest.mark.parametrize(
    "attempt",
    [
        "unshare --user --map-root-user true",
        "unshare --mount true",
        "mount -t tmpfs none /tmp/work",
        "mount -o remount,rw /",
        "umount -l /proc",
        "chroot / true",
        "cat /proc/sys/kernel/hostname > /proc/sys/kernel/hostname",
        "echo 0 > /proc/self/oom_score_adj && echo -1000 > /proc/self/oom_score_adj",
        "mknod /tmp/work/disk b 8 0 && head -c 1 /tmp/work/disk",
        "chmod 4755 $(which sh)",
        "nsenter --target 1 --mount --net true",
        "cp /bin/sh s && chmod 4755 s && chown 0:0 s",
        "ls /proc/1/root/root /proc/1/root/home",
        "cat /proc/1/mem",
        "cat /proc/kcore | head -c 1 | grep .",
        "dmesg | grep .",
    ],
)
def test_rights_cannot_be_gained(box: Box, attempt: str) -> None:
    result = box.run(f"{attempt} && echo gained")
    if result.exit_code == 127:
        pytest.skip(f"not installed here: {result.stderr}")
    assert (result.ok, result.stdout.endswith("gained\n")) == (False, False)


def test_namespaces_that_could_be_made_outside_cannot_be_made_inside(box: Box) -> None:
    attempt = "unshare --user --map-root-user --mount id -u"
    assert box.bare(attempt) == "0\n"
    assert box.run(attempt).stdout == ""


def test_no_mount_honours_programs_that_give_rights(box: Box) -> None:
    assert box.run("mount | grep -v nosuid").stdout == ""


@pytest.mark.skipif(
    not numbers(platform.machine()) or not Path("/usr/bin/perl").exists(),
    reason="needs perl, and a known machine",
)
def test_system_calls_that_no_script_needs_are_denied(box: Box) -> None:
    calls = numbers(platform.machine())
    tried = "for my $n (@ARGV) { $! = 0; syscall($n + 0, 0, 0, 0, 0, 0); print $! + 0, qq(\\n) }"
    printed = box.run(
        f"perl -e '{tried}' {' '.join(map(str, calls.values()))}"
    ).stdout.split()
    assert dict(zip(calls, printed, strict=True)) == dict.fromkeys(calls, "1")  # EPERM
    harmless = [
        calls["memfd_create"],
        calls["shmget"],
    ]  # they find fault with nothing but what they were given
    assert (
        "1" not in box.bare(f"perl -e '{tried}' {' '.join(map(str, harmless))}").split()
    )


@pytest.mark.skipif(
    not numbers(platform.machine()) or not Path("/usr/bin/perl").exists(),
    reason="needs perl, and a known machine",
)
def test_sockets_are_of_the_families_that_a_script_needs(box: Box) -> None:
    tried = "for (1..45) { for my $kind (1, 2, 3) { print qq($_ ) if socket(my $s, $_, $kind, 0) } }"
    families = {
        name: {int(each) for each in printed.split()}
        for name, printed in {
            "bare": box.bare(f"perl -e '{tried}'"),
            "alone": box.run(f"perl -e '{tried}'").stdout,
            "connected": box.run(f"perl -e '{tried}'", network=True).stdout,
        }.items()
    }
    assert families["alone"] == {socket.AF_UNIX}
    assert families["connected"] == families["bare"] & {
        socket.AF_UNIX,
        socket.AF_INET,
        socket.AF_INET6,
        socket.AF_NETLINK,
    }
