"""A filter over system calls: what no script needs, and what has been the way out of
many a container.

The namespaces deny nearly all of it already; this is the second wall. It also closes
the ways to memory that belongs to no process, which a limit on each process does not
count: `memfd_create` and the queues and segments of System V. Sockets are of the
families that a script needs; some others, such as vsock, know no namespaces and lead to
the host.
"""

from __future__ import annotations

import errno
import os
import struct
from typing import Final, NamedTuple


class _Machine(NamedTuple):
    audit: int  # how the kernel's audit calls this architecture
    sockets: tuple[int, int]  # the numbers of `socket` and `socketpair`
    numbers: tuple[int, ...]  # of the calls below, in their order


CALLS: Final = (
    *("ptrace", "process_vm_readv", "process_vm_writev", "pidfd_getfd"),
    *("add_key", "request_key", "keyctl"),
    *("mount", "umount2", "pivot_root", "chroot", "unshare", "setns"),
    *(
        "open_tree",
        "move_mount",
        "fsopen",
        "fsconfig",
        "fsmount",
        "fspick",
        "mount_setattr",
    ),
    *("name_to_handle_at", "open_by_handle_at"),
    *(
        "bpf",
        "perf_event_open",
        "userfaultfd",
        "io_uring_setup",
        "io_uring_enter",
        "io_uring_register",
    ),
    *("kexec_load", "kexec_file_load", "init_module", "finit_module", "delete_module"),
    *("reboot", "swapon", "swapoff", "quotactl", "acct", "syslog"),
    *("memfd_create", "memfd_secret", "shmget", "msgget", "mq_open"),
)
_NEW_MOUNTS: Final = (428, 429, 430, 431, 432, 433, 442)
_RINGS: Final = (425, 426, 427)
_MACHINES: Final = {
    "x86_64": _Machine(
        0xC000003E,
        (41, 53),
        (
            *(
                101,
                310,
                311,
                438,
                248,
                249,
                250,
                165,
                166,
                155,
                161,
                272,
                308,
                *_NEW_MOUNTS,
                303,
                304,
            ),
            *(
                321,
                298,
                323,
                *_RINGS,
                246,
                320,
                175,
                313,
                176,
                169,
                167,
                168,
                179,
                163,
                103,
                319,
                447,
                29,
                68,
                240,
            ),
        ),
    ),
    "aarch64": _Machine(
        0xC00000B7,
        (198, 199),
        (
            *(
                117,
                270,
                271,
                438,
                217,
                218,
                219,
                40,
                39,
                41,
                51,
                97,
                268,
                *_NEW_MOUNTS,
                264,
                265,
            ),
            *(
                280,
                241,
                282,
                *_RINGS,
                104,
                294,
                105,
                273,
                106,
                142,
                224,
                225,
                60,
                89,
                116,
                279,
                447,
                194,
                186,
                180,
            ),
        ),
    ),
}
_LOAD, _EQUAL, _AT_LEAST, _RETURN = (
    0x20,
    0x15,
    0x35,
    0x06,
)  # instructions of the kernel's packet filter
_NUMBER_AT, _MACHINE_AT, _FAMILY_AT = 0, 4, 16  # in what the filter is shown of a call
_INSIDE: Final = (1,)  # unix
_OUTSIDE: Final = (
    1,
    2,
    10,
    16,
)  # and the two of the internet, and netlink, which resolving a name asks
_ALLOW, _KILL, _ERROR = 0x7FFF0000, 0x80000000, 0x00050000
_X32: Final = 0x40000000  # call numbers from here on belong to the x32 ABI


def numbers(machine: str) -> dict[str, int]:
    """The calls that are denied on a machine, with their numbers; none on one that is
    not known here.
    """
    known = _MACHINES.get(machine)
    return dict(zip(CALLS, known.numbers, strict=True)) if known else {}


def program(machine: str | None = None, *, network: bool = False) -> bytes:
    """The filter for a machine (this one, if none is named); empty on one that is not
    known here.
    """
    machine = machine or os.uname().machine
    denied = tuple(numbers(machine).values())
    if not denied:
        return b""
    known, families = _MACHINES[machine], _OUTSIDE if network else _INSIDE
    return b"".join((
        _instruction(_LOAD, _MACHINE_AT),
        _instruction(_EQUAL, known.audit, yes=1),
        _instruction(_RETURN, _KILL),
        _instruction(_LOAD, _NUMBER_AT),
        _instruction(_AT_LEAST, _X32, yes=len(denied) + 3),
        *(_instruction(_EQUAL, number, yes=len(denied) + 2 - place) for place, number in enumerate(denied)),
        *(_instruction(_EQUAL, number, yes=3 - place) for place, number in enumerate(known.sockets)),
        _instruction(_RETURN, _ALLOW),
        _instruction(_RETURN, _ERROR | errno.EPERM),
        _instruction(_LOAD, _FAMILY_AT),
        *(_instruction(_EQUAL, family, yes=len(families) - place) for place, family in enumerate(families)),
        _instruction(_RETURN, _ERROR | errno.EAFNOSUPPORT),
        _instruction(_RETURN, _ALLOW),
    ))  # fmt: skip


def _instruction(code: int, value: int, *, yes: int = 0) -> bytes:
    return struct.pack("=HBBI", code, yes, 0, value)
