"""Requests to the token endpoint of a provider (RFC 6749), and the tokens in the answers."""

import json
import math
import time
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from zot_provider.auth.entry import AccountToken
from zot_provider.auth.secrets import remember_secret
from zot_provider.errors import ProviderError
from zot_provider.json_text import read_strict
from zot_provider.providers.sign_in import KeyExchange, SignIn
from zot_provider.record import Record
from zot_provider.transport.status import server_message
from zot_provider.transport.url import location

if TYPE_CHECKING:
    from zot_provider.transport.http import HttpTransport

_LONGEST_LIFE = 10 * 365 * 86_400.0
"""Seconds. A server that says more means "for ever"."""


class SignInFailed(ProviderError):
    """The provider did not grant a token. `code` is its name for the reason (RFC 6749, 5.2), empty for a broken answer.

    `ended`: the sign-in is over, and the person must sign in again. `interval`: the seconds between two questions that
    the server now asks for, 0 without a word. The text holds no token and no code.
    """

    def __init__(
        self, text: str, *, code: str = "", ended: bool = False, retryable: bool = False, interval: float = 0.0
    ) -> None:
        super().__init__(text)
        self.interval = interval
        self.code, self.ended, self.auth, self.retryable = code, ended, ended, retryable
        self.untrusted_parts = ()


class OAuthLimits(Record):
    """`request`: seconds for each request. `person`: seconds for the person in the browser. `device`: the most seconds
    for the person to type a code, if the server allows more. `pause` and `least_pause`: seconds between two questions
    whether the code was typed, without a word of the server, and at least; `slow_down` is added at its request."""

    request: float = 20.0
    person: float = 600.0
    device: float = 900.0
    pause: float = 5.0
    least_pause: float = 1.0
    slow_down: float = 5.0


class TokenEndpoint:
    """The token endpoint of one sign-in. Methods raise `SignInFailed`, and `ProviderError` without a connection."""

    def __init__(self, sign_in: SignIn, transport: "HttpTransport", limits: OAuthLimits | None = None) -> None:
        self.sign_in = sign_in
        self._transport = transport
        self._limits = limits or OAuthLimits()

    async def post(self, url: str, fields: Mapping[str, str], *, as_json: bool = False) -> dict[str, Any]:
        """Post fields, as a form or as JSON, and return the object in the answer. Raises `SignInFailed` for an error
        in it, whatever the status."""
        if as_json:
            body, kind = json.dumps(dict(fields)), "application/json"
        else:
            from authlib.common.urls import url_encode  # noqa: PLC0415  only at a sign-in or a refresh

            body, kind = url_encode(list(fields.items())), "application/x-www-form-urlencoded"
        headers = {"content-type": kind, "accept": "application/json"}
        return await self._send("POST", url, headers, body.encode(), tuple(fields.values()))

    async def token(self, fields: Mapping[str, str], client_id: str = "") -> AccountToken:
        """Ask for a token with a code (`grant_type` and what belongs to it); then for a key, if there is an exchange.

        `client_id` is the id that the server issued, if it did.
        """
        sign_in = self.sign_in
        id = client_id or sign_in.client_id
        sent = dict(fields) | ({"client_id": id} if id else {}) | self._resource
        answer = await self.post(sign_in.token_url, sent, as_json=sign_in.yields_key)
        if sign_in.yields_key:
            return AccountToken(_secret(answer, "key", sign_in.token_url))
        token = self._parse(answer, AccountToken("", client_id=client_id))
        granted = token.scope.split()
        if sign_in.required_scope and granted and sign_in.required_scope not in granted:
            raise SignInFailed("the account does not allow its use by this program (a permission was not granted)")
        if sign_in.exchange is None:
            return token
        return await self._exchange(sign_in.exchange, token.refresh or token.access, token)

    async def refresh(self, token: AccountToken) -> AccountToken:
        """Return a new token for an old one. `SignInFailed.ended` says that the person must sign in again."""
        if self.sign_in.exchange is not None:
            return await self._exchange(self.sign_in.exchange, token.refresh, token)
        if not token.refresh:
            raise SignInFailed("the sign-in has ended", ended=True)
        id = token.client_id or self.sign_in.client_id
        fields = {"grant_type": "refresh_token", "refresh_token": token.refresh} | ({"client_id": id} if id else {})
        return self._parse(await self.post(self.sign_in.token_url, fields | self._resource), token)

    # Internal.

    @property
    def _resource(self) -> dict[str, str]:
        return {"resource": self.sign_in.resource} if self.sign_in.resource else {}

    async def _exchange(self, exchange: KeyExchange, secret: str, token: AccountToken) -> AccountToken:
        if not secret:
            raise SignInFailed("the sign-in has ended", ended=True)
        headers = {"accept": "application/json", "authorization": f"Bearer {secret}", **exchange.headers}
        body = b"{}" if exchange.method == "POST" else b""
        answer = await self._send(exchange.method, exchange.url, headers, body, (secret,))
        expires = positive_number(answer.get(exchange.expires_field)) or time.time() + exchange.lifetime
        return token.replace(access=_secret(answer, exchange.key_field, exchange.url), refresh=secret, expires=expires)

    def _parse(self, answer: Mapping[str, Any], before: AccountToken) -> AccountToken:
        """Return the token in an answer. What the answer leaves out stays as it was."""
        life = positive_number(answer.get("expires_in"))
        remember_secret(refresh := _text(answer.get("refresh_token")))
        return before.replace(
            access=_secret(answer, "access_token", self.sign_in.token_url),
            refresh=refresh or before.refresh,
            expires=time.time() + min(life, _LONGEST_LIFE) if life else 0.0,
            scope=_text(answer.get("scope")) or before.scope,
        )

    async def _send(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes, secrets: tuple[str, ...]
    ) -> dict[str, Any]:
        reply = await self._transport.send(method, url, headers, body, limit=self._limits.request)
        try:
            answer = read_strict(reply.body)
        except ValueError:
            answer = None
        error = answer.get("error") if isinstance(answer, dict) else None
        if reply.status < 300 and isinstance(answer, dict) and not error:
            return answer
        code = error if isinstance(error, str) else _text(error.get("code")) if isinstance(error, dict) else ""
        description = _text(answer.get("error_description")) if isinstance(answer, dict) else ""
        reason = " ".join((description or server_message(reply.body) or code or f"status {reply.status}").split())[:300]
        for secret in sorted(secrets, key=len, reverse=True):
            reason = reason.replace(secret, "***") if len(secret) > 3 else reason
        failed = f"{location(url)} refused ({reason})" if reply.status >= 300 or error else _no_token(url)
        ended = code == "invalid_grant" or reply.status in (401, 403)
        interval = positive_number(answer.get("interval")) if isinstance(answer, dict) else 0.0
        retryable = reply.status == 429 or reply.status >= 500
        raise SignInFailed(failed, code=code, ended=ended, retryable=retryable, interval=interval)


def account_address(sign_in: SignIn, token: AccountToken) -> str:
    """Return the base URL that came with the token, or that the key names; empty without one."""
    if sign_in.program is not None:
        return _text(token.rest.get("base_url"))
    part = sign_in.exchange.address_part if sign_in.exchange else ""
    fields = dict(each.partition("=")[::2] for each in token.access.split(";")) if part else {}
    host = fields.get(part, "").strip()
    if not host or not all(each.isalnum() or each in "-." for each in host):
        return ""
    return f"https://api.{host.removeprefix('proxy.')}"


def _secret(answer: Mapping[str, Any], name: str, url: str) -> str:
    value = _text(answer.get(name)).strip()
    if not value:
        raise SignInFailed(_no_token(url))
    remember_secret(value)
    return value


def _no_token(url: str) -> str:
    return f"{location(url)} sent no token"


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""


def positive_number(value: object) -> float:
    """Return a number above 0 of JSON, also as text; else 0."""
    try:
        number = float(value) if isinstance(value, int | float | str) and not isinstance(value, bool) else 0.0
    except (ValueError, OverflowError):
        return 0.0
    return number if math.isfinite(number) and number > 0 else 0.0
