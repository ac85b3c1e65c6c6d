"""URLs of model servers: validation, parsing, and a form without secrets.

They are split here because `urllib.parse` takes 2 ms to import, before the first request. A test compares the two.
"""

import socket
from functools import lru_cache

from zot_provider.errors import ConfigError
from zot_provider.record import Record

_PORTS = {"http": 80, "https": 443}
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ._-")
"""The characters of names of hosts."""
_TARGET = _LETTERS | frozenset("~/%:@!$&'()*+,;=?")
"""The characters of a path and a query; others are percent-encoded (RFC 3986, 3.3 and 3.4)."""


class ServerUrl(Record):
    """A parsed URL.

    `host`: in ASCII, an IPv6 address without its brackets. `authority`: the value of the `host` header. `target`: path
    and query. `authorization`: the value of that header for a user and password in the URL, else empty.
    """

    scheme: str
    host: str
    port: int
    authority: str
    target: str
    authorization: str

    @property
    def secure(self) -> bool:
        return self.scheme == "https"

    @property
    def local(self) -> bool:
        """Whether the host is this machine, whose servers no proxy can reach."""
        return self.host == "localhost" or self.host == "::1" or self.host.startswith("127.")


class _Parts(Record):
    """A URL, split. `port` is None if the URL has none, `user` is empty or ends in `@`."""

    scheme: str
    user: str
    host: str
    port: int | None
    path: str
    query: str

    @property
    def authority(self) -> str:
        name = f"[{self.host}]" if ":" in self.host else self.host
        return name if self.port is None or self.port == _PORTS.get(self.scheme) else f"{name}:{self.port}"


@lru_cache(64)
def parse_url(url: str) -> ServerUrl:
    """Parse an http or https URL. Raises ConfigError, without a password in its text, if it is not valid."""
    if not url.lstrip(" ").lower().startswith(tuple(f"{scheme}://" for scheme in _PORTS)):
        raise ConfigError(f"the base URL must begin with http:// or https://, got {_shown(url)!r}")
    try:
        parts = _split(url)
    except ValueError as error:
        reason = "its host is not a possible name" if isinstance(error, UnicodeError) else str(error)
        raise ConfigError(f"the base URL {_shown(url)!r} is not valid: {reason}") from error
    if not parts.host or parts.port == 0:
        raise ConfigError(f"the base URL {_shown(url)!r} has no valid {'port' if parts.host else 'host'}")
    target = (_encoded(parts.path) or "/") + (f"?{_encoded(parts.query)}" if parts.query else "")
    return ServerUrl(
        parts.scheme, parts.host, parts.port or _PORTS[parts.scheme], parts.authority, target, _basic(parts.user)
    )


def location(url: str) -> str:
    """Return the URL without user, password, query and fragment, as it may be shown."""
    try:
        parts = _split(url)
    except ValueError:
        return _shown(url).partition("?")[0].partition("#")[0]
    return f"{parts.scheme}://{parts.authority}{_encoded(parts.path)}"


def _shown(url: str) -> str:
    scheme, separator, rest = url.rpartition("://")
    return (f"{scheme}://" if separator and scheme.isalnum() else "") + rest.rpartition("@")[2]


def _split(url: str) -> _Parts:
    """Split a URL. Raises ValueError if it is not valid, UnicodeError if its host is not."""
    if any(character < " " or character == "\x7f" for character in url):
        raise ValueError("it has a control character")
    scheme, separator, rest = url.lstrip(" ").partition("#")[0].partition("://")
    if not separator or not scheme.isalnum():
        raise ValueError("it does not begin with a scheme")
    rest, _, query = rest.partition("?")
    authority, slash, path = rest.partition("/")
    user, at, place = authority.rpartition("@")
    if place.startswith("["):
        address, bracket, place = place[1:].partition("]")
        junk, _, digits = place.partition(":")
        if junk or not bracket:
            raise ValueError("an IPv6 address is written as in http://[::1]:8080")
        host = _ipv6(address)
    else:
        name, _, digits = place.partition(":")
        host = _ascii_name(name)
    if digits and not (digits.isascii() and digits.isdecimal() and int(digits) <= 65_535):
        raise ValueError("its port is not a number up to 65535")
    return _Parts(scheme.lower(), user + at, host, int(digits) if digits else None, slash + path, query)


def _ipv6(address: str) -> str:
    try:
        socket.inet_pton(socket.AF_INET6, address)
    except (OSError, UnicodeError):
        raise ValueError("its host is not an IPv6 address") from None
    return address.lower()


def _ascii_name(name: str) -> str:
    if not name.isascii():
        name = name.encode("idna").decode()  # imports tables, which the first screen does not wait for
    if name and not all(0 < len(label) < 64 for label in name.removesuffix(".").split(".")):
        raise UnicodeError("a label is empty or too long")
    if not _LETTERS.issuperset(name):
        raise UnicodeError("not the name of a host")
    return name.lower()


def _encoded(part: str) -> str:
    """Percent-encode what a path and a query cannot have; a lone surrogate becomes the bytes that it would have."""
    return "".join(
        character
        if character in _TARGET
        else "".join(f"%{byte:02X}" for byte in character.encode("utf-8", "surrogatepass"))
        for character in part
    )


def _basic(user: str) -> str:
    """Return the value of `authorization` (RFC 7617) for the user and password of a URL; empty for none."""
    if not user:
        return ""
    from base64 import b64encode  # noqa: PLC0415  few URLs have a user
    from urllib.parse import unquote  # noqa: PLC0415  see the module's docstring

    name, _, password = user.removesuffix("@").partition(":")
    text = f"{unquote(name)}:{unquote(password)}"
    return f"Basic {b64encode(text.encode('utf-8', 'surrogatepass')).decode()}"
