"""`ModelProvider`: a provider of models that the extension serves; the values that its handlers take and return."""

from __future__ import annotations

import queue

from zot_ext.errors import ExpectedError
from zot_ext.protocol.groups.providers import ProviderStep, RegisterProvider
from zot_ext.protocol.raw import RawObject
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Awaitable, Callable, Iterable, Mapping
    from typing import Any, TypeAlias, TypeVar

    from zot_ext.protocol.from_extension import FromExtension

    Answer: TypeAlias = "Iterable[Part] | AsyncIterable[Part]"
    Answerer = TypeVar("Answerer", bound="Callable[[ModelCall], Answer]")
    Lister = TypeVar("Lister", bound="Callable[[str], Iterable[Mapping[str, object]] | Awaitable[Any]]")
    LogIn = TypeVar("LogIn", bound="Callable[[SignInPage], SignInTokens | Awaitable[SignInTokens]]")
    Refresher = TypeVar("Refresher", bound="Callable[[SignInTokens], SignInTokens | Awaitable[SignInTokens]]")


class ModelCall(Record):
    """The question to the model. The forms of `messages` and `tools` are the same as in `ProviderStream.context`."""

    provider: str
    model: str
    """The id of the model."""
    system: str
    messages: list[dict[str, Any]]
    tools: list[dict[str, Any]]
    api_key: str = ""
    """The key or the token for this request; empty if none is needed. Do not keep it."""
    reasoning: str = "off"
    max_tokens: int | None = None
    temperature: float | None = None
    session_id: str = ""
    """Stable for one conversation."""
    response_schema: Mapping[str, Any] | None = None


class TextPart(Record):
    """The next piece of text; a plain string means the same."""

    text: str


class ThinkingPart(Record):
    """The next piece of thinking. A `signature`, or `encrypted` thinking, ends the block and comes back with it."""

    text: str = ""
    signature: str = ""
    encrypted: str = ""


class CallPart(Record):
    """A tool call: with a `name` it begins; `arguments` is the next piece of the JSON text of its arguments."""

    id: str
    name: str = ""
    arguments: str = ""


class TokenCount(Record):
    """The tokens of the answer so far, each counted once: `input` excludes the tokens of the cache."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    reasoning: int | None = None


class StopPart(Record):
    """Why the model stopped: `end_turn`, `tool_use` or `length`."""

    reason: str


Part = str | TextPart | ThinkingPart | CallPart | TokenCount | StopPart
"""The parts of an answer."""


class ModelFailure(ExpectedError):
    """The model call failed. `status` is that of HTTP, 0 without one; `code` the provider's word; `retry_after` in
    seconds. After 401 zot refreshes the token and asks again; after 429 and 5xx it asks again."""

    def __init__(self, message: str, *, status: int = 0, code: str = "", retry_after: float = 0.0) -> None:
        super().__init__(message)
        self.status, self.code, self.retry_after = status, code, retry_after


class SignInEnded(ExpectedError):
    """A token cannot be refreshed any more: the person must sign in again."""


class SignInTokens(Record):
    """The result of a sign-in, which zot keeps. `expires` is in seconds since 1970, 0 if unknown; `base_url` is the
    address that belongs to the account; `extra` comes back with the next refresh."""

    access: str
    refresh: str = ""
    expires: int = 0
    base_url: str = ""
    extra: Mapping[str, object] = {}

    def json(self) -> dict[str, object]:
        """Return the fields as they are sent."""
        own = {"access": self.access, "refresh": self.refresh, "expires": self.expires, "base_url": self.base_url}
        return dict(self.extra) | {name: value for name, value in own.items() if value}


def read_credentials(fields: Mapping[str, Any]) -> SignInTokens:
    """Return credentials from their fields."""
    own = ("access", "refresh", "expires", "base_url")
    extra = {name: value for name, value in fields.items() if name not in own}
    texts = {name: str(fields.get(name) or "") for name in ("access", "refresh", "base_url")}
    return SignInTokens(texts["access"], texts["refresh"], int(fields.get("expires") or 0), texts["base_url"], extra)


class SignInPage:
    """The messages of a sign-in to a person."""

    def __init__(self, id: str, send: Callable[[FromExtension], None]) -> None:
        self._id, self._send = id, send
        self.typed: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        """The text that the person has typed; None at the end of the sign-in."""

    def show(self, message: str = "", *, url: str = "", user_code: str = "") -> None:
        """Show a line, a page to open, and a code to type there."""
        self._send(ProviderStep(self._id, url, user_code, message=message))

    def ask(self, message: str = "") -> str:
        """Let the person type or paste something, and wait for it. Raises `SignInEnded` if the sign-in is given up; in
        an `async` handler use `await ext.soon(page.ask)`."""
        self._send(ProviderStep(self._id, ask=True, message=message))
        text = self.typed.get()
        if text is None:
            raise SignInEnded("the sign-in was given up")
        return text


class ModelProvider:
    """A provider of models; made by `Extension.provider`. Used as a decorator it takes the function that answers."""

    def __init__(self, name: str, config: Mapping[str, object] | None, send_late: Callable[[], None]) -> None:
        self.name = name
        self.config = config
        self.answerer: Callable[..., Any] | None = None
        self.lister: Callable[..., Any] | None = None
        self.log_in: Callable[..., Any] | None = None
        self.refresher: Callable[..., Any] | None = None
        self._send_late = send_late

    def frame(self) -> RegisterProvider:
        """Return the registration, which says what the handlers can do."""
        config = dict(self.config or {})
        if self.answerer is not None:
            config.setdefault("stream", True)
        if self.lister is not None:
            config.setdefault("listsModels", True)
        if self.log_in is not None:
            config.setdefault("signIn", {})
        return RegisterProvider(self.name, RawObject.from_value(config))

    def __call__(self, handler: Answerer) -> ModelProvider:
        """Register the function that answers: a generator, plain or `async`, that takes a `ModelCall` and yields
        parts. Returns the provider, for its other handlers."""
        self.answerer = handler
        self._send_late()
        return self

    def models(self, handler: Lister) -> Lister:
        """Register the function that lists the models, as in `models.json`. It takes the key, which may be empty."""
        self.lister = handler
        return handler

    def login(self, handler: LogIn) -> LogIn:
        """Register the function that signs in. It takes a `SignInPage` and returns `SignInTokens`."""
        self.log_in = handler
        return handler

    def refresh(self, handler: Refresher) -> Refresher:
        """Register the function that refreshes a token. It takes the `SignInTokens` and returns new ones."""
        self.refresher = handler
        return handler
