"""Names and addresses of hosts: the form in which they are compared, patterns over them, what is public.

Resolvers take `2130706433`, `0x7f.1`, `127.1` and full-width digits for 127.0.0.1, and cut a name at a NUL. So every
host passes `canonical_host` before it is judged, and what is judged is what is connected to.
"""

import ipaddress
import re
import socket
from collections.abc import Iterable, Sequence

from zot_provider.record import Record

LENGTH = 253
"""Most characters of a name (RFC 1035, 2.3.4)."""

WEB_PORTS = (80, 443)
"""The ports that a pattern without a port stands for."""

_SCHEMES = {"http": 80, "https": 443}
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LABEL = re.compile(r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?")
_NUMBER = re.compile(r"[0-9]+|0x[0-9a-f]*")
_FORBIDDEN = re.compile(r"[\x00-\x20\x7f/\\@?#%<>^|\[\]`{}\"]")
_PRIVATE = re.compile(r"(?:.*\.)?(?:localhost|localdomain|local|internal|home\.arpa)")
"""Names that are never public (RFC 6761, 6762, 8375, and .internal of ICANN)."""
_TRANSLATED = ipaddress.IPv6Network("64:ff9b::/96")
"""Addresses behind NAT64, which end in an IPv4 address (RFC 6052, 2.1)."""
_GLOBAL_UNICAST = ipaddress.IPv6Network("2000::/3")


class AddressRefused(Exception):
    """A host may not be connected to; the text is one line that says why."""


def canonical_host(text: str) -> str:
    """Return a host in the form in which hosts are compared: a name in ASCII and lower case without a dot at its end,
    or an address in its usual notation, without brackets. ValueError for what is no host.
    """
    if text.startswith("[") and text.endswith("]"):
        return _ipv6(text[1:-1])
    if text.count(":") > 1:
        return _ipv6(text)
    if found := _FORBIDDEN.search(text):
        raise ValueError(f"the host has the character {found[0]!r}")
    name = text
    if not text.isascii():
        try:
            name = text.encode("idna").decode()
        except UnicodeError as error:
            raise ValueError("the host is not a possible name") from error
    name = name.lower().removesuffix(".")
    labels = name.split(".")
    if _NUMBER.fullmatch(labels[-1]):
        try:
            return socket.inet_ntoa(socket.inet_aton(name))
        except OSError as error:
            raise ValueError("the host is a number, not an address") from error
    if not name or len(name) > LENGTH or not all(map(_LABEL.fullmatch, labels)):
        raise ValueError("the host is not a possible name")
    return name


def _ipv6(text: str) -> str:
    try:
        if "%" in text:  # a zone of this machine
            raise ValueError
        address = ipaddress.IPv6Address(text)
    except ValueError as error:
        raise ValueError("the host is not an IPv6 address") from error
    return str(address.ipv4_mapped or address)


class WebAddress(Record):
    """An http or https URL whose host is in its canonical form. `url` has no user and no fragment."""

    url: str
    scheme: str
    host: str
    port: int

    @property
    def shown(self) -> str:
        """The host, with its port unless that is the usual one."""
        return _shown(self.host, self.port)


def read_web_address(text: str) -> WebAddress:
    """Read a URL as a model writes it. ValueError for what is no http or https URL, or has a user or password."""
    text = text.strip(" ")
    if found := _CONTROL.search(text):
        raise ValueError(f"it contains the character {found[0]!r}")
    scheme, separator, rest = text.partition("#")[0].partition("://")
    scheme = scheme.lower()
    if not separator or scheme not in _SCHEMES:
        raise ValueError("it must begin with https:// or http://")
    end = min((at for each in "/?\\" if (at := rest.find(each)) >= 0), default=len(rest))
    authority, path = rest[:end], rest[end:]
    if "@" in authority:
        raise ValueError("it names a user; leave out what is before the @")
    if path.startswith("\\"):
        raise ValueError("it has a backslash behind its host")
    host, port = split_port(authority, _SCHEMES[scheme])
    host = canonical_host(host)
    name = f"[{host}]" if ":" in host else host
    place = name if port == _SCHEMES[scheme] else f"{name}:{port}"
    path = path if path.startswith("/") else f"/{path}"
    return WebAddress(f"{scheme}://{place}{path}", scheme, host, port)


class HostPattern:
    """A host of rules: `example.com`, `*.example.com` for all names below it, `*` for every host.

    Each may end in `:PORT`. Without a port it means the ports 80 and 443, in a pattern that is `careful` (of an ask or
    a deny) every port.
    ValueError if it is not one of these.
    """

    def __init__(self, text: str, *, careful: bool = False) -> None:
        self.text = text.strip()
        host, port = split_port(self.text)
        self._ports = (port,) if port else () if careful else WEB_PORTS
        self._any = host == "*"
        self._below = host.startswith("*.")
        self._host = "" if self._any else canonical_host(host.removeprefix("*."))

    def matches(self, host: str, port: int) -> bool:
        """Whether a host in its canonical form matches."""
        if self._ports and port not in self._ports:
            return False
        return self._any or (host.endswith(f".{self._host}") if self._below else host == self._host)


def split_port(text: str, default: int = 0) -> tuple[str, int]:
    """Split `HOST:PORT`, of which the port may be missing. ValueError for a wrong port."""
    if text.startswith("["):
        host, _, rest = text.partition("]")
        host, digits = f"{host}]", rest.removeprefix(":")
        if rest and not rest.startswith(":"):
            raise ValueError("there is something behind the IPv6 address")
    elif text.count(":") > 1:
        return text, default
    else:
        host, _, digits = text.partition(":")
    if not digits:
        return host, default
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 6 and 0 < int(digits) < 65_536):
        raise ValueError("the port is not a number from 1 to 65535")
    return host, int(digits)


def is_public(address: str) -> bool:
    """Whether an address belongs to the internet: not to this machine, a private or local network, a reserved range."""
    found = ipaddress.ip_address(address.partition("%")[0])
    if isinstance(found, ipaddress.IPv6Address):
        inner = found.ipv4_mapped or found.sixtofour or (found.teredo or (None, None))[1]
        if found in _TRANSLATED:
            inner = ipaddress.IPv4Address(found.packed[-4:])
        if inner is not None:
            found = inner
        elif found not in _GLOBAL_UNICAST:
            return False
    return found.is_global and not found.is_multicast and not found.is_reserved


def judge_host(
    host: str, port: int, allowed: Sequence[HostPattern] | None, denied: Sequence[HostPattern], *, private: bool
) -> None:
    """Judge a canonical host by its words alone, see `NetworkAccess`. Raises `AddressRefused`."""
    if any(each.matches(host, port) for each in denied):
        raise AddressRefused(f"a rule of the permissions does not allow {_shown(host, port)}")
    if allowed is not None and not any(each.matches(host, port) for each in allowed):
        raise AddressRefused(f"{_shown(host, port)} is not among the hosts that the sandbox allows")
    if private:
        return
    if is_address(host):
        if not is_public(host):
            raise AddressRefused(f"{host} is an address of this machine or of a private network")
    elif _PRIVATE.fullmatch(host):
        raise AddressRefused(f"{host} is a name of this machine or of a private network")


def host_patterns(texts: Iterable[str]) -> list[HostPattern]:
    """Return patterns of hosts that are allowed. ValueError names the first wrong one."""
    found = []
    for text in texts:
        try:
            found.append(HostPattern(text))
        except ValueError as error:
            raise ValueError(f"{text!r}: {error}; expected HOST, *.DOMAIN or HOST:PORT") from error
    return found


def is_address(host: str) -> bool:
    """Whether a canonical host is an address and no name."""
    try:
        ipaddress.ip_address(host)
    except ValueError:
        return False
    return True


def _shown(host: str, port: int) -> str:
    name = f"[{host}]" if ":" in host else host
    return name if port in WEB_PORTS else f"{name}:{port}"
