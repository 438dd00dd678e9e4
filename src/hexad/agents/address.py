"""Where a server listens over HTTP, and which names it answers to."""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass
from typing import Final

from hexad.errors import ConfigError, InvalidInput

LOOPBACK: Final = "127.0.0.1"
_LOCAL_NAME: Final = "localhost"
_HIGHEST_PORT: Final = 65_535
_AUTHORITY: Final = re.compile(
    r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[^\s:/@\[\]]*))(?::[0-9]{1,5})?",
    re.ASCII,
)


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port; port 0 is any free one."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """From HOST:PORT, [IPv6]:PORT, :PORT or PORT; without a host, loopback.

        >>> Address.parse("8000"), Address.parse("[::1]:8000").host, Address.parse("localhost:1").host
        (Address(host='127.0.0.1', port=8000), '::1', '127.0.0.1')
        """
        host, _, port = text.strip().rpartition(":")
        host = (
            host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
        )
        if (
            not (port.isascii() and port.isdecimal())
            or int(port) > _HIGHEST_PORT
            or (":" in host and "[" not in text)
        ):
            raise InvalidInput(
                "--http",
                f"{text!r} is not an address; give HOST:PORT, such as 127.0.0.1:8765",
            )
        return cls(
            LOOPBACK if host.casefold() in {"", _LOCAL_NAME} else host, int(port)
        )

    @property
    def local(self) -> bool:
        """Whether only this machine reaches it."""
        return _is_loopback(self.host)

    @property
    def ipv6(self) -> bool:
        """Whether it is an IPv6 address."""
        return ":" in self.host

    def refuse_open(self, token: str) -> None:
        """Raise if others can reach the server and no token keeps them out."""
        if not self.local and not token:
            raise ConfigError(
                "mcp_token",
                f"is needed to listen on {self.host}, which others can reach; set HEXAD_MCP_TOKEN to a secret of 16 "
                "characters or more, or listen on 127.0.0.1",
            )

    def url(self, port: int, path: str) -> str:
        """The URL for clients on this machine."""
        return f"http://{f'[{self.host}]' if self.ipv6 else self.host}:{port}{path}"

    def answers_to(self, authority: str, allowed: frozenset[str]) -> bool:
        """Whether a Host header names this server; a browser that DNS rebinding led
        here sends another name.

        Loopback names are always ours, and so are those in ``allowed``. A server that
        others can reach also answers to any address, since no name of another site is
        one.
        """
        host = host_of(authority)
        if (
            _is_loopback(host)
            or host in allowed
            or (host and host == self.host.casefold())
        ):
            return True
        return not self.local and _parsed(host) is not None


def host_of(authority: str) -> str:
    """The host of a Host header in lower case, without its port; empty if the header is
    not a host and a port.

    >>> host_of("Example.com:80"), host_of("[::1]:80"), host_of("::1"), host_of("127.0.0.1:evil")
    ('example.com', '::1', '::1', '')
    """
    text = authority.strip().casefold()
    found = _AUTHORITY.fullmatch(text)
    if found:
        return found["address"] or found["name"] or ""
    return text if _parsed(text) is not None else ""


def _is_loopback(host: str) -> bool:
    address = _parsed(host)
    return (
        address.is_loopback if address is not None else host.casefold() == _LOCAL_NAME
    )


def _parsed(host: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        return ipaddress.ip_address(host)
    except ValueError:
        return None
