"""`Access`: checks the headers of a request, and refuses foreign hosts, foreign origins and wrong tokens."""

import base64
import binascii
import hmac
import re
from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from zot_agent.serve.http_error import HttpError

PROTOCOL = "zot.rpc"
"""The WebSocket subprotocol: each frame is a line of `zot rpc`."""

BEARER = "zot.bearer."
"""Prefix of the subprotocol with which a page, which cannot set headers, sends the token. The token follows as UTF-8 in
base64url without padding."""

Headers = Iterable[tuple[bytes, bytes]]
"""Pairs of a name, in lower case, and a value."""


class Access:
    """Checks the host, the origin and the token of a request.

    The host must be an IP address, `localhost`, or one of `names`: a foreign host name is the mark of DNS rebinding. A
    request from a web page must come from the page that this server serves.
    """

    def __init__(self, token: str, names: Sequence[str] = ()) -> None:
        self._token = token.encode()
        self._names = {"localhost", *(name.lower().rstrip(".") for name in names)}

    def check_host_and_origin(self, headers: Headers) -> None:
        """Raises `HttpError` for a foreign host or origin."""
        hosts = _values(headers, b"host")
        if len(hosts) != 1:
            raise HttpError(400, "there must be one Host header")
        if not self._is_served(hosts[0]):
            raise HttpError(421, "this host is not served here; name it with --host")
        for origin in _values(headers, b"origin"):
            scheme, _, host = origin.partition("://")
            if scheme not in ("http", "https") or host.lower() != hosts[0].lower():
                raise HttpError(403, "requests of other origins are not served")

    def _is_served(self, host: str) -> bool:
        if not re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?", host, re.ASCII):
            return False
        name = urlsplit(f"//{host}").hostname or ""
        try:
            ip_address(name)
        except ValueError:
            return name.rstrip(".") in self._names
        return True

    def check_token(self, headers: Headers, subprotocols: Iterable[str] = ()) -> None:
        """Raises `HttpError` for a request without the token, which one of the `subprotocols` of a WebSocket may
        carry."""
        given = _values(headers, b"authorization")
        tokens = [text[7:].strip().encode() for text in given if text[:7].lower() == "bearer "]
        if not tokens:
            tokens = [_decoded(word.removeprefix(BEARER)) for word in subprotocols if word.startswith(BEARER)]
        if len(tokens) != 1:
            raise HttpError(401, "the token is missing: send Authorization: Bearer TOKEN")
        if not hmac.compare_digest(tokens[0], self._token):
            raise HttpError(401, "the token is wrong")


def _values(headers: Headers, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key == name]


def _decoded(text: str) -> bytes:
    """Decode base64url; empty if the text is not valid."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
