"""URLs of model servers: validation, parsing, and a form without secrets."""

import re
from base64 import b64encode
from urllib.parse import SplitResult, quote, unquote, urlsplit

from zot_provider.errors import ConfigError
from zot_provider.json_text import without_surrogates
from zot_provider.record import Record, record

_PORTS = {"http": 80, "https": 443}
_HOST = re.compile(r"[A-Za-z0-9._-]+|[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*")
_PATH, _QUERY = "/%:@!$&'()*+,;=~", "/%:@!$&'()*+,;=~?[]"
"""Characters that stay as they are in a path and in a query (RFC 3986, 3.3 and 3.4); others are percent-encoded."""


@record
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
        """Whether the scheme is https."""
        return self.scheme == "https"

    @property
    def local(self) -> bool:
        """Whether the host is this machine, whose servers no proxy can reach."""
        return self.host == "localhost" or self.host == "::1" or self.host.startswith("127.")


def parse_url(url: str) -> ServerUrl:
    """Parse an http or https URL. Raises ConfigError, without a password in its text, if it is not valid."""
    shown = _shown(url)
    if url != without_surrogates(url):
        raise ConfigError(f"the base URL {shown!r} is not valid: it contains half a character")
    try:
        parts = _split(url)
        port, host = parts.port, _ascii_host(parts)
    except UnicodeError as error:
        raise ConfigError(f"the base URL {shown!r} is not valid: its host is not a possible name") from error
    except ValueError as error:
        reason = str(error).replace(url, shown)
        if reason.startswith("Port "):  # as urllib words it
            raise ConfigError(f"the base URL {shown!r} has no valid port") from error
        raise ConfigError(f"the base URL {shown!r} is not valid: {reason}") from error
    if parts.scheme not in _PORTS:
        raise ConfigError(f"the base URL must begin with http:// or https://, got {shown!r}")
    if not host or port == 0:
        raise ConfigError(f"the base URL {shown!r} has no valid {'port' if host else 'host'}")
    target = (quote(parts.path, safe=_PATH) or "/") + (f"?{quote(parts.query, safe=_QUERY)}" if parts.query else "")
    authorization = ""
    if parts.username is not None or parts.password is not None:
        user = f"{unquote(parts.username or '')}:{unquote(parts.password or '')}"
        authorization = f"Basic {b64encode(user.encode()).decode()}"
    return ServerUrl(
        parts.scheme, host, port or _PORTS[parts.scheme], _authority(parts, host, port), target, authorization
    )


def location(url: str) -> str:
    """Return the URL without user, password, query and fragment, as it may be shown."""
    try:
        parts = _split(url)
        host = _ascii_host(parts)
        authority = _authority(parts, host, parts.port)
    except ValueError:
        return _shown(url).partition("?")[0].partition("#")[0]
    return (f"{parts.scheme}://" if parts.scheme else "") + authority + quote(parts.path, safe=_PATH)


def _shown(url: str) -> str:
    scheme, separator, rest = url.rpartition("://")
    return (f"{scheme}://" if separator and scheme.isalnum() else "") + rest.rpartition("@")[2]


def _split(url: str) -> SplitResult:
    if any(ord(character) < 32 or ord(character) == 127 for character in url):
        raise ValueError("it has a control character")  # `urlsplit` would remove some
    return urlsplit(url)


def _ascii_host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if host and ":" not in host:
        if not host.isascii():
            host = host.encode("idna").decode()  # imports tables, which the first screen does not wait for
        if not all(0 < len(label) < 64 for label in host.removesuffix(".").split(".")):
            raise UnicodeError("a label is empty or too long")
    if host and not _HOST.fullmatch(host):
        raise UnicodeError("not a host name")
    return host


def _authority(parts: SplitResult, host: str, port: int | None) -> str:
    name = f"[{host}]" if ":" in host else host
    return name if port is None or port == _PORTS.get(parts.scheme) else f"{name}:{port}"
