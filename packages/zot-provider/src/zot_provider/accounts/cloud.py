"""`CloudAccounts`: the credentials of providers that accept a key or the account of a cloud."""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Protocol

from zot_provider.credentials import Authorization, Credentials, environment_value
from zot_provider.errors import MissingKey
from zot_provider.providers.spec import Provider
from zot_provider.record import Record


class CloudAccount(Protocol):
    """An account of a cloud, found in the environment and in the files of the cloud's own programs."""

    async def authorize(self, refused: str = "") -> Authorization:
        """Return what the next request needs. `refused` is a token that the server has just refused.

        Raises `ConfigError` if the account cannot be used or a library is missing, `ConnectError` if the cloud cannot
        be reached, `ResponseTimeout` if that takes too long.
        """


class Cloud(Record):
    """A cloud: the module whose `open_account` makes an account of an environment, the environment variables of which,
    in each group, one is set where an account is meant to be used, and what to do after the cloud refused it."""

    module: str
    variables: tuple[tuple[str, ...], ...]
    advice: str


_CLOUDS = {
    "aws": Cloud(
        "zot_provider.accounts.aws",
        (
            (
                "AWS_PROFILE",
                "AWS_ACCESS_KEY_ID",
                "AWS_WEB_IDENTITY_TOKEN_FILE",
                "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
                "AWS_CONTAINER_CREDENTIALS_FULL_URI",
            ),
        ),
        "check the credentials of AWS, and that the account may use the model in this region",
    ),
    "google-cloud": Cloud(
        "zot_provider.accounts.google_cloud",
        (("GOOGLE_CLOUD_PROJECT", "GCLOUD_PROJECT"), ("GOOGLE_CLOUD_LOCATION",)),
        "run `gcloud auth application-default login`, and check that the project may use Vertex AI",
    ),
}
"""By `Provider.account`."""


class CloudAccounts:
    """The accounts that the environment names, one for each cloud. An account is opened for its first request."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ
        self._opened: dict[str, CloudAccount] = {}

    def add_to(self, keys: Credentials, provider: Provider) -> Credentials:
        """Return `keys` and, if the provider accepts it, the account of its cloud."""
        cloud = _CLOUDS.get(provider.account)
        return keys if cloud is None else _CloudKeys(keys, cloud, self)

    def check(self, cloud: Cloud, provider: Provider) -> None:
        """Raise `MissingKey`, with the variables to set, if the environment does not name an account."""
        if not all(environment_value(names, self._environ) for names in cloud.variables):
            names = " and ".join(group[0] for group in cloud.variables)
            raise MissingKey(
                f"no account for {provider.id}: set {' or '.join(provider.key_env)}, or {names}", provider.id
            )

    def open(self, cloud: Cloud) -> CloudAccount:
        if cloud.module not in self._opened:
            make: Callable[[Mapping[str, str]], CloudAccount] = import_module(cloud.module).open_account
            self._opened[cloud.module] = make(self._environ)
        return self._opened[cloud.module]


class _CloudKeys:
    """A key of other credentials, else the account of a cloud; see `Credentials`."""

    def __init__(self, keys: Credentials, cloud: Cloud, accounts: CloudAccounts) -> None:
        self._keys = keys
        self._cloud = cloud
        self._accounts = accounts

    def check(self, provider: Provider) -> None:
        if not self._has_key(provider):
            self._accounts.check(self._cloud, provider)

    async def authorize(self, provider: Provider, refused: str = "") -> Authorization:
        if self._has_key(provider):
            return await self._keys.authorize(provider, refused)
        self._accounts.check(self._cloud, provider)
        return await self._accounts.open(self._cloud).authorize(refused)

    def advice(self, provider: Provider, key: str) -> str:
        return self._keys.advice(provider, key) if self._has_key(provider) else self._cloud.advice

    def _has_key(self, provider: Provider) -> bool:
        try:
            self._keys.check(provider)
        except MissingKey:
            return False
        return True
