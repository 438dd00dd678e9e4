"""Standing context and single records as resources, records in the one JSON shape."""

from __future__ import annotations

import heapq
import json
import re
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote

from mcp.server.mcpserver import Context, MCPServer  # noqa: TC002 - the SDK reads annotations
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError
from mcp.server.mcpserver.resources import ResourceSecurity
from mcp_types import Resource

from hexad import json_form
from hexad.context.standing import TITLE, standing_block
from hexad.errors import HexadError, InvalidInput, NotFound
from hexad.mcp.answers import sentence
from hexad.mcp.backend import READING, Backend
from hexad.mcp.context_tools import approved_skill
from hexad.memory.redaction import redact
from hexad.model import Knowledge, Record, Skill
from hexad.skills.run import may_run
from hexad.text.visible import visible

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from hexad.facade import Hexad

R = TypeVar("R", Knowledge, Skill)
MOST_LISTED: Final = (
    200  # of each kind, the newest; any other can be read by its address
)
STANDING: Final = "hexad://standing"
KINDS: Final = (
    "hexad://knowledge/{key}",
    "hexad://skill/{name}",
    "hexad://learning/{id}",
)
_MIME: Final = "application/json"
_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*+"')
_KEYS: Final = ResourceSecurity(
    exempt_params={"key", "name", "id"}
)  # they name rows, never files


def add_resources(server: MCPServer[Any], backend: Backend) -> None:
    """Let clients read standing context, knowledge entries, active skills and
    learnings.
    """

    @server.resource(STANDING, title=TITLE, mime_type="text/markdown")
    async def standing() -> str:
        """The user's rules, preferences and pinned entries, which hold for every
        message.
        """
        return await READING.run(lambda: standing_block(backend.hx.standing()))

    @server.resource(KINDS[0], title="Knowledge", mime_type=_MIME, security=_KEYS)
    async def knowledge(key: str, context: Context[Any, Any]) -> str:
        """An entry of User Knowledge, newest version."""
        return await _read(backend, context, lambda own: own.knowledge.get(key))

    @server.resource(KINDS[1], title="Skill", mime_type=_MIME, security=_KEYS)
    async def skill(name: str, context: Context[Any, Any]) -> str:
        """A skill that a person has approved: what it does and takes."""
        return await _read(backend, context, lambda own: approved_skill(own, name))

    @server.resource(KINDS[2], title="Learning", mime_type=_MIME, security=_KEYS)
    async def learning(id: str, context: Context[Any, Any]) -> str:
        """An error pattern with its fix, and the trust in that."""
        return await _read(backend, context, lambda own: own.learnings.get(id))


def listed(hx: Hexad) -> list[Resource]:
    """The newest entries and skills."""
    entries = [
        ("knowledge", each.key, each.content) for each in _newest(hx.knowledge.list())
    ]
    active = _newest(each for each in hx.skills.list() if may_run(each))
    skills = [("skill", each.name, each.description) for each in active]
    standing = Resource(
        uri=STANDING,
        name=TITLE,
        description="What holds for every message.",
        mime_type="text/markdown",
    )
    return [standing, *(_resource(*each) for each in (*entries, *skills))]


def _newest(records: Iterable[R]) -> list[R]:
    """The latest changes first."""
    return heapq.nlargest(MOST_LISTED, records, key=lambda each: each.updated)


def _resource(kind: str, name: str, about: str) -> Resource:
    summary = " ".join(redact(visible(about)).text.split())[:120]
    address = f"hexad://{kind}/{quote(name, safe='')}"
    return Resource(
        uri=address, name=visible(name), description=summary, mime_type=_MIME
    )


async def _read(
    backend: Backend, context: Context[Any, Any], find: Callable[[Hexad], Record]
) -> str:
    own = backend.engine(context)
    try:
        record = await READING.run(lambda: find(own))
    except (NotFound, InvalidInput) as error:
        raise ResourceNotFoundError(sentence(error)) from error
    except HexadError as error:
        raise ResourceError(sentence(error)) from error
    written = visible(
        json.dumps(json_form.to_json(record), ensure_ascii=False, indent=2)
    )
    return written if record.verbatim else _STRING.sub(_without_secrets, written)


def _without_secrets(text: re.Match[str]) -> str:
    """A text of JSON redacted again: an older Hexad may have stored it."""
    return json.dumps(redact(json.loads(text[0])).text, ensure_ascii=False)
