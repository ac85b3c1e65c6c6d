"""`GoogleCloudAccount`: tokens of Google Cloud, from the application default credentials, which google-auth finds."""

from collections.abc import Mapping
from typing import Any

from zot_provider.accounts.blocking import in_thread, one_line
from zot_provider.credentials import Authorization, environment_value
from zot_provider.errors import ConfigError, ConnectError

_PROJECT = ("GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT")
_LOCATION = ("GOOGLE_CLOUD_LOCATION",)

_SCOPE = "https://www.googleapis.com/auth/cloud-platform"


def open_account(environ: Mapping[str, str]) -> "GoogleCloudAccount":
    return GoogleCloudAccount(environ)


class GoogleCloudAccount:
    """The account of a person, a service or a machine, for a project and a location."""

    def __init__(self, environ: Mapping[str, str], *, limit: float = 30.0) -> None:
        """`limit`: seconds to wait for a token, which comes from a server."""
        self._environ = environ
        self._limit = limit
        self._credentials: Any = None

    async def authorize(self, refused: str = "") -> Authorization:
        """See `CloudAccount`. A token is kept until shortly before it expires."""
        token, headers = await in_thread(lambda: self._token(refused), self._limit, "the sign-in to Google Cloud")
        return Authorization(token, scheme="bearer", headers=headers, base_url=self._base_url())

    def _base_url(self) -> str:
        """Return the address of the location: a region, a multi-region (us, eu) or "global"."""
        project, place = (environment_value(names, self._environ) for names in (_PROJECT, _LOCATION))
        host = "aiplatform.googleapis.com" if place == "global" else f"{place}-aiplatform.googleapis.com"
        if place in ("us", "eu"):
            host = f"aiplatform.{place}.rep.googleapis.com"
        return f"https://{host}/v1/projects/{project}/locations/{place}/publishers/google"

    def _token(self, refused: str) -> tuple[str, dict[str, str]]:
        """Return a valid token, and the header of the project that pays, if another does. Blocks."""
        try:
            import google.auth  # noqa: PLC0415  an extra, and slow to import
            from google.auth.exceptions import GoogleAuthError, TransportError  # noqa: PLC0415  an extra
            from google.auth.transport.requests import Request  # noqa: PLC0415  an extra
        except ImportError:
            raise ConfigError(
                "an account of Google Cloud needs google-auth: install zot-agent[vertex], or set GOOGLE_CLOUD_API_KEY"
            ) from None
        try:
            if self._credentials is None:
                self._credentials, _ = google.auth.default(scopes=[_SCOPE])
            found = self._credentials
            if not found.valid or (refused and found.token == refused):
                found.refresh(Request())
        except TransportError as error:
            raise ConnectError(f"Google Cloud cannot be reached: {one_line(error)}", retryable=True) from error
        except (GoogleAuthError, OSError, ValueError) as error:
            raise ConfigError(f"the account of Google Cloud cannot be used: {one_line(error)}") from error
        payer = getattr(found, "quota_project_id", None)
        return str(found.token), {"x-goog-user-project": payer} if payer else {}
