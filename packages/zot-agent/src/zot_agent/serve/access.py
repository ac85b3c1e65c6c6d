"""`Access`: whether a request may come in at all, told by its head."""

import base64
import binascii
import hmac
import re
from collections.abc import Iterable, Sequence
from ipaddress import ip_address
from urllib.parse import urlsplit

from zot_agent.serve.http_error import HttpError

PROTOCOL = "zot.rpc"
"""The subprotocol of a WebSocket whose frames are lines of `zot rpc`."""

BEARER = "zot.bearer."
"""Begins the subprotocol by which a page, which cannot send headers, brings the token: its UTF-8 in base64url without
padding follows."""

Headers = Iterable[tuple[bytes, bytes]]
"""Names, in lower case, and values."""


class Access:
    """Checks the host, the origin and the token of a request.

    The host must be an address, `localhost`, or one of `names`: a page whose own name has been made to lead to this
    machine (DNS rebinding) is told by that name. A request that a page sends must come from our own.
    """

    def __init__(self, token: str, names: Sequence[str] = ()) -> None:
        self._token = token.encode()
        self._names = {"localhost", *(name.lower().rstrip(".") for name in names)}

    def check_place(self, headers: Headers) -> None:
        """Raises `HttpError` for a host or an origin that is not ours."""
        hosts = _all(headers, b"host")
        if len(hosts) != 1:
            raise HttpError(400, "there must be one Host header")
        if not self._ours(hosts[0]):
            raise HttpError(421, "this host is not served here; name it with --host")
        for origin in _all(headers, b"origin"):
            scheme, _, place = origin.partition("://")
            if scheme not in ("http", "https") or place.lower() != hosts[0].lower():
                raise HttpError(403, "requests of other origins are not served")

    def _ours(self, host: str) -> bool:
        if not re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[\w.-]+)(:\d{1,5})?", host, re.ASCII):
            return False
        name = urlsplit(f"//{host}").hostname or ""
        try:
            ip_address(name)
        except ValueError:
            return name.rstrip(".") in self._names
        return True

    def check_token(self, headers: Headers, *, upgrade: bool = False) -> None:
        """Raises `HttpError` for a request without the token; `upgrade`: it may stand among the subprotocols."""
        brought = [text[7:].strip().encode() for text in _all(headers, b"authorization") if _is_bearer(text)]
        if upgrade and not brought:
            words = [word.strip() for text in _all(headers, b"sec-websocket-protocol") for word in text.split(",")]
            brought = [_decoded(word.removeprefix(BEARER)) for word in words if word.startswith(BEARER)]
        if len(brought) != 1:
            raise HttpError(401, "the token is missing: send Authorization: Bearer TOKEN")
        if not hmac.compare_digest(brought[0], self._token):
            raise HttpError(401, "the token is wrong")


def _is_bearer(text: str) -> bool:
    return text[:7].lower() == "bearer "


def _all(headers: Headers, name: bytes) -> list[str]:
    return [value.decode("latin-1") for key, value in headers if key == name]


def _decoded(text: str) -> bytes:
    """What base64url stands for; nothing if it is none."""
    try:
        return base64.b64decode(text + "=" * (-len(text) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError):
        return b""
