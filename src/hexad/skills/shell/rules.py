"""Every finding that a check can report: its rule id, its sentence and the capability
that permits it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from hexad.choices import Capability, Decision


@dataclass(frozen=True, slots=True)
class Rule:
    """One kind of finding. ``says`` may hold ``{what}``: the command or the place that
    it is about.
    """

    id: str
    says: str
    capability: Capability | None = None

    @property
    def decision(self) -> Decision:
        """A person can grant a capability; without one the script is rejected."""
        return Decision.REJECT if self.capability is None else Decision.NEEDS


RULES: Final = {
    rule.id: rule
    for rule in (
        Rule(
            "fork-bomb",
            "`{what}` starts itself again and again, until no process can be started.",
        ),
        Rule(
            "delete-root-or-home",
            "`{what}` deletes the root folder, the system or a home folder.",
        ),
        Rule(
            "change-root",
            "`{what}` moves away or changes the rights of the root folder or the system.",
        ),
        Rule(
            "pipe-to-shell",
            "`{what}` runs text that is downloaded, decoded or made while the script runs.",
        ),
        Rule("device-write", "`{what}` writes to a raw device."),
        Rule("format", "`{what}` formats a disk, or changes its partitions."),
        Rule("disk-copy", "`{what}` reads a raw disk or the memory."),
        Rule("kill-all", "`{what}` ends every process."),
        Rule("network", "`{what}` uses the network.", Capability.NETWORK),
        Rule(
            "privilege",
            "`{what}` needs more rights than a user has.",
            Capability.PRIVILEGE,
        ),
        Rule(
            "credentials",
            "`{what}` uses keys, passwords or other secrets.",
            Capability.PRIVILEGE,
        ),
        Rule(
            "kill-other",
            "`{what}` may end processes that the script did not start.",
            Capability.PRIVILEGE,
        ),
        Rule(
            "write-outside",
            "`{what}` writes outside the working directory.",
            Capability.WRITE,
        ),
        Rule(
            "delete-unknown",
            "`{what}` deletes a folder that cannot be known before it runs.",
            Capability.WRITE,
        ),
        Rule(
            "unknown-command",
            "`{what}` cannot be known before the script runs.",
            Capability.COMMAND,
        ),
        Rule(
            "unparsable",
            "From here on this cannot be read; is a quote or a `fi` missing?",
            Capability.COMMAND,
        ),
        Rule(
            "too-complex",
            "The script is too long or too entangled to be judged.",
            Capability.COMMAND,
        ),
    )
}
"""In the order of the page that explains them."""
