"""`AwsAccount`: signs requests with the credentials of AWS, which botocore finds."""

import re
from collections.abc import Mapping
from typing import Any

from zot_provider.accounts.blocking import in_thread, one_line
from zot_provider.credentials import Authorization, Sign
from zot_provider.errors import ConfigError

_REGIONS = ("AWS_REGION", "AWS_DEFAULT_REGION")

_HOST = re.compile(r"^https://bedrock-runtime(?:-fips)?\.([a-z0-9-]+)\.amazonaws\.com")

_SERVICE = "bedrock"
"""The name of the service in signatures."""


def open_account(environ: Mapping[str, str]) -> "AwsAccount":
    return AwsAccount(environ)


class AwsAccount:
    """The account of a profile, of a key pair, of a container or of a web identity, in botocore's order."""

    def __init__(self, environ: Mapping[str, str], *, limit: float = 15.0) -> None:
        """`limit`: seconds to wait for credentials, which may come from a server or a program."""
        self._environ = environ
        self._limit = limit
        self._session: Any = None

    async def authorize(self, refused: str = "") -> Authorization:
        """See `CloudAccount`. The address is that of the region in the environment, else of that of the profile."""
        credentials, region = await in_thread(self._find, self._limit, "the look-up of the credentials of AWS")
        suffix = ".cn" if region.startswith("cn-") else ""
        base_url = f"https://bedrock-runtime.{region}.amazonaws.com{suffix}"
        return Authorization(base_url=base_url, sign=_signer(credentials, region))

    def _find(self) -> tuple[Any, str]:
        """Return credentials that do not change, and the region. Blocks."""
        try:
            from botocore.exceptions import BotoCoreError  # noqa: PLC0415  an extra, and slow to import
            from botocore.session import Session  # noqa: PLC0415  an extra, and slow to import
        except ImportError:
            raise ConfigError(
                "an AWS account needs botocore: install zot-agent[bedrock], or set AWS_BEARER_TOKEN_BEDROCK"
            ) from None
        try:
            if self._session is None:
                self._session = Session()
            found = self._session.get_credentials()
            if found is None:
                raise ConfigError("no credentials of AWS were found; sign in with `aws configure` or `aws sso login`")
            region = next((text for name in _REGIONS if (text := self._environ.get(name, "").strip())), "")
            return found.get_frozen_credentials(), region or self._session.get_config_variable("region") or "us-east-1"
        except (BotoCoreError, OSError, ValueError, LookupError) as error:
            raise ConfigError(f"the credentials of AWS cannot be used: {one_line(error)}") from error


def _signer(credentials: Any, region: str) -> Sign:
    """Return a function that signs with version 4; the host of a URL of AWS counts more than `region`."""

    def sign(url: str, headers: Mapping[str, str], body: bytes) -> Mapping[str, str]:
        from botocore.auth import SigV4Auth  # noqa: PLC0415  an extra, which is loaded by now
        from botocore.awsrequest import AWSRequest  # noqa: PLC0415  an extra, which is loaded by now

        host = _HOST.match(url)
        request = AWSRequest("POST", url, data=body)
        SigV4Auth(credentials, _SERVICE, host[1] if host else region).add_auth(request)
        return {name.lower(): value for name, value in request.headers.items()}

    return sign
