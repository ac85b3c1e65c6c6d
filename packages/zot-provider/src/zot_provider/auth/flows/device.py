"""`DeviceSignIn`: the flow in which the person types a code on a page of the provider (RFC 8628)."""

import asyncio

from zot_provider.auth.entry import AccountToken
from zot_provider.auth.oauth import OAuthLimits, SignInFailed, TokenEndpoint, positive_number
from zot_provider.errors import ConfigError, ProviderError
from zot_provider.providers.sign_in import SignIn
from zot_provider.record import Record
from zot_provider.transport.url import parse_url

_GRANT = "urn:ietf:params:oauth:grant-type:device_code"
CODE_LENGTH = 64


class DeviceCode(Record):
    """A message to the person: a code to type on the page `url` within `seconds`."""

    code: str
    url: str
    seconds: float


class DeviceSignIn:
    """One sign-in with a code. Methods raise `SignInFailed`, and `ProviderError` without a connection."""

    def __init__(self, sign_in: SignIn, endpoint: TokenEndpoint, limits: OAuthLimits | None = None) -> None:
        self._sign_in = sign_in
        self._endpoint = endpoint
        self._limits = limits or OAuthLimits()
        self._secret = ""
        self._pause = self._limits.pause
        self._seconds = self._limits.device

    async def open(self) -> DeviceCode:
        """Ask the provider for a code."""
        fields = {"client_id": self._sign_in.client_id, **self._sign_in.parameters}
        if self._sign_in.scope:
            fields["scope"] = self._sign_in.scope
        answer = await self._endpoint.post(self._sign_in.device_url, fields)
        secret, code = answer.get("device_code"), answer.get("user_code")
        # The complete one holds the code, but a page may ask the person to compare it.
        url = answer.get("verification_uri") or answer.get("verification_url")
        if not (isinstance(secret, str) and isinstance(code, str) and isinstance(url, str) and secret and code):
            raise SignInFailed("the provider sent no code")
        if len(code) > CODE_LENGTH or not code.isprintable() or not is_safe(url):
            raise SignInFailed("the provider sent a code or an address that zot does not show")
        self._secret = secret
        self._seconds = min(positive_number(answer.get("expires_in")) or self._limits.device, self._limits.device)
        self._pause = max(positive_number(answer.get("interval")) or self._limits.pause, self._limits.least_pause)
        return DeviceCode(code, url, self._seconds)

    async def token(self) -> AccountToken:
        """Ask the provider until the person has typed the code; return the token."""
        fields = {"grant_type": _GRANT, "device_code": self._secret}
        try:
            async with asyncio.timeout(self._seconds):
                while True:
                    await asyncio.sleep(self._pause)
                    try:
                        return await self._endpoint.token(fields)
                    except SignInFailed as error:
                        self._consider(error)
                    except ProviderError as error:
                        if not error.retryable:
                            raise
        except TimeoutError:
            raise SignInFailed("the code has expired; start again", code="expired_token") from None

    def _consider(self, error: SignInFailed) -> None:
        """Raise an error that ends the flow; return after an answer that says to wait."""
        if error.code == "slow_down":
            self._pause = max(self._pause + self._limits.slow_down, error.interval)
        elif error.code == "access_denied":
            raise SignInFailed("the sign-in was declined", code=error.code) from None
        elif error.code == "expired_token":
            raise SignInFailed("the code has expired; start again", code=error.code) from None
        elif error.code != "authorization_pending" and not error.retryable:
            raise error


def is_safe(url: str) -> bool:
    """Whether a page may be shown to a person as the place for the code."""
    try:
        parsed = parse_url(url)
    except ConfigError:
        return False
    return url.isprintable() and (parsed.secure or parsed.local)
