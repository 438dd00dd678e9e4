"""Where scripts run: locked away from the network, the home, the database and
everything that others own.

`find_sandbox` gives the sandbox of this machine, or says what to install; `Sandbox.run`
runs one script in it. What it promises, and what not, is in docs/sandbox.md.
"""

from __future__ import annotations

from hexad.skills.sandbox.bubblewrap import Sandbox
from hexad.skills.sandbox.finding import find_sandbox, this_sandbox
from hexad.skills.sandbox.running import SandboxLimits, ScriptResult

__all__ = ["Sandbox", "SandboxLimits", "ScriptResult", "find_sandbox", "this_sandbox"]
