"""`SignIn`: how a person signs in to a provider with an account instead of a key. Addresses and ids, no code."""

from collections.abc import AsyncGenerator
from typing import Any, Literal, Protocol, TypeAlias

from zot_provider.record import Record, field

Flow: TypeAlias = Literal["browser", "device", "program"]
"""`browser`: a page of the provider returns a code to this machine (RFC 8252, RFC 7636). `device`: the person types a
code on a page of the provider, on any machine (RFC 8628). `program`: a program signs in, and refreshes the tokens."""


class Callback(Record):
    """Where the provider's page returns to after a sign-in in the browser: `http://HOST:PORT/PATH`.

    `ports` are accepted by the provider, in order of preference; 0 is any free port. `host` is the name in the URL;
    the server always listens on 127.0.0.1. With an empty `path`, it is random: for a provider that returns no `state`.
    """

    host: str = "127.0.0.1"
    ports: tuple[int, ...] = (0,)
    path: str = "/callback"


class KeyExchange(Record):
    """A second request, in which a token of the sign-in yields a key of the API, which ends sooner.

    `key_field` and `expires_field` name fields of the answer; the latter is in seconds since 1970. Without it, the key
    lives for `lifetime` seconds. `address_part` names a part of the key that holds the base URL's host, as in
    `tid=1;proxy-ep=proxy.example.com;...`, in which `proxy.` becomes `api.`; empty without such a part. `of_variables`:
    the provider's environment variables hold a token for the exchange, and no key.
    """

    url: str
    method: Literal["GET", "POST"] = "GET"
    headers: dict[str, str] = field(default_factory=dict)
    key_field: str = "token"
    expires_field: str = "expires_at"
    lifetime: float = 1500.0
    address_part: str = ""
    of_variables: bool = False


class SignInProgram(Protocol):
    """A program that signs in to a provider, such as an extension. It keeps no token: `zot_provider.auth` does."""

    def login(self, answers: Any) -> AsyncGenerator[Any, None]:
        """Yield what to show to the person (`zot_provider.auth.steps`), and in the end the `AccountToken`. `answers`
        has the coroutine `get`, which returns the next text that the person types. Raises `SignInFailed`."""

    async def refresh(self, token: Any) -> Any:
        """Return a new `AccountToken` for an old one. Raises `SignInFailed`; its `ended` says that the person must sign
        in again."""


class SignIn(Record):
    """How a person signs in.

    `title` is what the person signs in with ("a ChatGPT plan"). `terms` is shown before anything is sent; it says where
    the provider's terms do not allow or do not document programs of others. `client_id` identifies zot to the provider;
    with `issues_client_id` the callback has another one, which is stored and used from then on.

    `authorize_url` is the page of the flow `browser`, `device_url` where the flow `device` begins, `token_url` where
    codes become tokens. `parameters` are added to the first request of either; `resource` to every request for a token,
    which is then for that server alone (RFC 8707). `scope` is asked for, and `required_scope` must have been granted.
    `yields_key`: the token is a key of the API that never ends, in the field `key`; the request has JSON. `exchange` is
    a second request after that. `margin` is how many seconds before its end a token is refreshed. `program` is what
    signs in with the flow `program`.
    """

    title: str
    flow: Flow
    token_url: str = ""
    client_id: str = ""
    authorize_url: str = ""
    device_url: str = ""
    scope: str = ""
    required_scope: str = ""
    parameters: dict[str, str] = field(default_factory=dict)
    resource: str = ""
    callback: Callback = field(default_factory=Callback)
    issues_client_id: bool = False
    nonce: bool = False
    yields_key: bool = False
    exchange: KeyExchange | None = None
    margin: float = 60.0
    terms: str = ""
    program: SignInProgram | None = None
