"""Which addresses an outside service may have, and what they are when a connection is made.

A host is *listed* where an operator wrote it down, in the endpoint itself or in a list of hosts.
Whatever is listed, addresses of the link and those that clouds serve credentials at are refused.
"""

import ipaddress
import socket
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from typing import Final, TypeAlias

import httpx

from muniment.domain.errors import Invalid

Address: TypeAlias = ipaddress.IPv4Address | ipaddress.IPv6Address
Resolve: TypeAlias = Callable[[str, int], Sequence[str]]
"""Host and port → IP addresses, none where the host is unknown."""

_METADATA: Final = frozenset(
    ipaddress.ip_address(text)
    for text in (
        "169.254.169.254",  # AWS, Azure, Google and others
        "fd00:ec2::254",  # AWS
        "fd20:ce::254",  # Google
        "100.100.100.200",  # Alibaba
        "192.0.0.192",  # Oracle
        "168.63.129.16",  # Azure
    )
)
_NAT64: Final = (
    ipaddress.IPv6Network("64:ff9b::/96"),
    ipaddress.IPv6Network("64:ff9b:1::/48"),
)
_LOOPBACK4: Final = ipaddress.IPv4Network("127.0.0.0/8")
_LOOPBACK6: Final = ipaddress.IPv6Address("::1")
_COMPATIBLE: Final = ipaddress.IPv6Network("::/96")
_DEFAULT_PORTS: Final = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True)
class Endpoint:
    """Where a service is asked: ``base`` is its address without a trailing slash or ``/v1``.

    ``is_listed``: an operator wrote the host down.
    """

    base: str
    scheme: str
    host: str
    port: int
    is_listed: bool

    @property
    def is_plain(self) -> bool:
        """Whether what is sent can be read on the way: http beyond this machine."""
        return self.scheme == "http" and not _is_loopback_name(self.host)

    def admits(self, address: str) -> bool:
        """Whether a connection to an address that the host resolved to may be made."""
        if "%" in address:
            return False  # a zone: an address of the link
        outer = ipaddress.ip_address(address)
        inner = _embedded(outer)
        if any(_is_never(each) for each in (outer, *inner)):
            return False
        if self.is_listed:
            return True
        if _is_loopback_name(self.host):
            return _is_loopback(outer)
        return not inner and outer.is_global and not _is_site_local(outer)


def endpoint(
    url: str, *, field: str, written_by_operator: bool, listed: Collection[str] = ()
) -> Endpoint:
    """The endpoint that a URL means.

    Args:
        url: ``https://…``, or ``http://…`` to this machine or a listed host; with or without
            ``/v1``; without credentials, query and fragment.
        field: The setting or input that it comes from, for errors.
        written_by_operator: Whether its own host counts as listed.
        listed: Other hosts that are, as written in URLs.

    Raises:
        Invalid: ``endpoint_invalid`` where it is no such URL, ``endpoint_refused`` where its host
            may not be asked. Neither repeats the URL: it might hold a password.
    """
    try:
        parsed = httpx.URL(url)
        host, port = parsed.raw_host.decode("ascii"), parsed.port
    except (httpx.InvalidURL, ValueError):
        raise _invalid(field, "cannot be read as a URL") from None
    scheme = parsed.scheme
    if scheme not in _DEFAULT_PORTS:
        raise _invalid(field, "does not begin with https:// or http://")
    if not host or "%" in host or host.strip(".") != host or port == 0 or (port or 1) > 65_535:
        raise _invalid(field, "has no proper host or port")
    if parsed.userinfo:
        raise _invalid(field, "holds a user name or password: give a key by its own setting")
    if parsed.query or parsed.fragment or "?" in url or "#" in url:
        raise _invalid(field, "has a query or fragment")
    hosts = {each.casefold() for each in listed}
    is_listed = written_by_operator or host.casefold() in hosts
    if scheme == "http" and not (is_listed or _is_loopback_name(host)):
        raise _refused(field, "plain http goes to this machine or a listed host only: use https")
    path = parsed.raw_path.rstrip(b"/").removesuffix(b"/v1").rstrip(b"/")
    base = str(parsed.copy_with(raw_path=path or b"/")).rstrip("/")
    found = Endpoint(base, scheme, host, port or _DEFAULT_PORTS[scheme], is_listed)
    if _is_literal(host) and not found.admits(host):
        raise _refused(field, "this address is not one that may be asked")
    return found


def resolved(host: str, port: int) -> list[str]:
    """The IP addresses of a host, in the order in which they are to be tried; none: unknown.

    Blocks for as long as the machine's resolver does.
    """
    if _is_literal(host):
        return [host]
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    return [str(address[0]) for *_, address in found]


def _is_literal(host: str) -> bool:
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _is_loopback_name(host: str) -> bool:
    return host.casefold() == "localhost" or (
        _is_literal(host) and _is_loopback(ipaddress.ip_address(host))
    )


def _is_loopback(address: Address) -> bool:
    # not is_loopback: newer Pythons say it of mapped addresses too
    return address in _LOOPBACK4 or address == _LOOPBACK6


def _is_site_local(address: Address) -> bool:
    return isinstance(address, ipaddress.IPv6Address) and address.is_site_local


def _embedded(address: Address) -> list[Address]:
    """The IPv4 addresses that an IPv6 address stands for or is delivered through."""
    if isinstance(address, ipaddress.IPv4Address):
        return []
    forms = (address.ipv4_mapped, address.sixtofour, *(address.teredo or ()))
    found: list[Address] = [each for each in forms if each is not None]
    low = int(address) & 0xFFFF_FFFF
    if any(address in network for network in _NAT64):
        found.append(ipaddress.IPv4Address(low))
    if address in _COMPATIBLE and low > 1:
        found.append(ipaddress.IPv4Address(low))
    return found


def _is_never(address: Address) -> bool:
    return (
        address in _METADATA
        or address.is_link_local
        or address.is_multicast
        or address.is_unspecified
        or (isinstance(address, ipaddress.IPv4Address) and address.is_reserved)
    )


def _invalid(field: str, fault: str) -> Invalid:
    return Invalid(f"{field} {fault}.", code="endpoint_invalid", field=field)


def _refused(field: str, fault: str) -> Invalid:
    return Invalid(f"{field}: {fault}.", code="endpoint_refused", field=field)
