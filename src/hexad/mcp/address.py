"""Where the server listens over HTTP, and which names it answers to."""

from __future__ import annotations

import ipaddress
from dataclasses import dataclass
from typing import Final

from hexad.errors import ConfigError, InvalidInput

LOOPBACK: Final = "127.0.0.1"
_LOCAL_NAME: Final = "localhost"
_HIGHEST_PORT: Final = 65_535
_PREFIX: Final = 64  # bits of an address of IPv6 that name a network


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port; port 0 is any that is free."""

    host: str
    port: int

    @classmethod
    def parse(cls, text: str) -> Address:
        """From HOST:PORT, [IPv6]:PORT, :PORT or PORT; without a host it is this machine alone.

        >>> Address.parse("8000"), Address.parse("[::1]:8000").host, Address.parse("localhost:1").host
        (Address(host='127.0.0.1', port=8000), '::1', '127.0.0.1')
        """
        host, _, port = text.strip().rpartition(":")
        host = host.removeprefix("[").removesuffix("]") if host.startswith("[") else host
        if not (port.isascii() and port.isdecimal()) or int(port) > _HIGHEST_PORT or (":" in host and "[" not in text):
            raise InvalidInput("--http", f"{text!r} is no address; give HOST:PORT, such as 127.0.0.1:8765")
        return cls(LOOPBACK if host.casefold() in {"", _LOCAL_NAME} else host, int(port))

    @property
    def local(self) -> bool:
        """Whether only this machine reaches it."""
        return is_loopback(self.host)

    @property
    def ipv6(self) -> bool:
        """Whether it is an address of IPv6."""
        return ":" in self.host

    def refuse_open(self, token: str) -> None:
        """Raise where everybody could reach the server, and nobody would have to show a token."""
        if not self.local and not token:
            raise ConfigError(
                "mcp_token",
                f"is needed to listen on {self.host}, which others can reach; set HEXAD_MCP_TOKEN to a secret of 16 "
                "characters or more, or listen on 127.0.0.1",
            )

    def url(self, port: int) -> str:
        """Where a client on this machine finds it."""
        return f"http://{f'[{self.host}]' if self.ipv6 else self.host}:{port}/mcp"


def is_loopback(host: str) -> bool:
    """Whether a host is this machine, by its address or by the one name that always is."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host.casefold() == _LOCAL_NAME


def peer_of(host: str) -> str:
    """Who connects, as far as limits go: of IPv6, where anybody has a network full of addresses, that network.

    >>> peer_of("192.0.2.7"), peer_of("2001:db8:1:2:3:4:5:6"), peer_of("::ffff:192.0.2.7"), peer_of("")
    ('192.0.2.7', '2001:db8:1:2::/64', '192.0.2.7', '')
    """
    try:
        address = ipaddress.ip_address(host)
    except ValueError:
        return host
    if isinstance(address, ipaddress.IPv4Address):
        return host
    if address.ipv4_mapped is not None:
        return str(address.ipv4_mapped)
    return str(ipaddress.IPv6Network((address.packed, _PREFIX), strict=False))


def host_of(authority: str) -> str:
    """The host of a Host header, folded, without its port.

    >>> host_of("Example.com:80"), host_of("[::1]:80"), host_of("::1")
    ('example.com', '::1', '::1')
    """
    text = authority.strip().casefold()
    if text.startswith("["):
        return text[1:].partition("]")[0]
    return text if text.count(":") > 1 else text.partition(":")[0]


@dataclass(frozen=True, slots=True)
class Names:
    """Which hosts a request may name. A browser that was led here by a foreign name (DNS rebinding) names that one.

    On loopback: loopback addresses and localhost. Elsewhere also the address it listens on, and addresses in general,
    which no foreign name can be. Others only if they were allowed.
    """

    address: Address
    allowed: frozenset[str] = frozenset()

    def admit(self, authority: str) -> bool:
        """Whether a Host header is one of ours."""
        host = host_of(authority)
        if not host:
            return False
        if is_loopback(host) or host in self.allowed or host == self.address.host.casefold():
            return True
        return not self.address.local and _is_address(host)


def _is_address(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True
