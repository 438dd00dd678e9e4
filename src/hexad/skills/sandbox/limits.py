"""How much a script may use. The table in docs/sandbox.md is compared with these."""

from __future__ import annotations

from dataclasses import dataclass, fields

from hexad.errors import InvalidInput

MB = 2**20


@dataclass(frozen=True, slots=True)
class SandboxLimits:
    """Limits of one run; each is a whole number above 0, `seconds` may be a fraction."""

    seconds: float = 30  # from start to end, not of the processor
    memory: int = 512 * MB  # bytes of address space, of each process
    processes: int = 64  # at the same time, the sandbox's own first one among them
    output: int = MB  # bytes of standard output, and as many of standard error; what is beyond is dropped
    disk: int = 64 * MB  # bytes in the working directory, home and temporary directory together; also of one file
    open_files: int = 256  # of each process

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            allowed = (int, float) if field.name == "seconds" else (int,)
            if isinstance(value, bool) or not isinstance(value, allowed) or not 0 < value < 2**53:
                raise InvalidInput(f"limits.{field.name}", f"must be a number above 0, not {value!r}")
