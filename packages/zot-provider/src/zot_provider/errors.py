"""All errors that are shown to a person.

```text
ZotError                    one line for a person, `exit_code` for a script
├── ConfigError             the request cannot be made as asked (exit 2)
│   ├── MissingKey          no credential for the provider
│   └── UnknownName         no such provider or model; names similar ones
└── ProviderError           the provider or the connection to it failed (exit 1)
    ├── ConnectError        no connection: refused, unknown host, TLS
    ├── ResponseTimeout     connected, but nothing came within the limit
    ├── StatusError         an HTTP status of 400 or more
    ├── ProtocolError       an answer that does not follow the wire (HTML, no event stream)
    ├── StreamCut           the answer broke off before its end
    ├── EmptyAnswer         the answer has neither text nor a call
    └── ModelError          the provider reported a failure inside the stream
```

The attributes `retryable`, `auth`, `spent`, `context_overflow`, `images_refused` and `rescuable` classify a
`ProviderError`.
"""

import re
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from zot_provider.json_text import without_surrogates


class ZotError(Exception):
    """Base of all errors meant for a person. `str(error)` is one line: what happened, what to do next."""

    exit_code = 1
    parameter = ""
    """The parameter to correct, if the error is about one: "api_key", "provider", "model" or "fork"; else empty."""

    @classmethod
    @contextmanager
    def of_system(cls, words: str) -> Iterator[None]:
        """Raise this error in place of an `OSError`: `words` say what is not possible, the system says why."""
        try:
            yield
        except OSError as error:
            raise cls(f"{words}: {error.strerror or error}") from error


class ConfigError(ZotError):
    """The request is impossible with these settings."""

    exit_code = 2


class MissingKey(ConfigError):
    """No credential for the provider; the text names the environment variables for it. `provider` is its id, empty if
    no provider was named."""

    parameter = "api_key"
    auth = True
    """See `ProviderError`."""

    def __init__(self, text: str, provider: str = "") -> None:
        super().__init__(text)
        self.provider = provider


_MAX_LISTED_NAMES = 15
"""Up to this many known names are all listed if none is similar."""


class UnknownName(ConfigError):
    """An unknown provider, model or other name; the text lists similar names."""

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str], hint: str = "") -> "UnknownName":
        """Return an error for `name` with up to three similar names of `known`, or all of them if they are few."""
        import difflib  # noqa: PLC0415  needed only after a mistake

        names = list(known)
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.4)
        if not near and len(names) <= _MAX_LISTED_NAMES:
            near = names
        text = f"unknown {kind} {without_surrogates(name)!r}"
        if near:
            text += f"; did you mean {' or '.join(near)}?" if len(near) < 4 else f"; known: {', '.join(near)}"
        return cls(f"{text} {hint}".rstrip())


class ProviderError(ZotError):
    """A model call failed."""

    retryable = False
    """Whether the same request may succeed a moment later."""
    auth = False
    """Whether the credential is missing, wrong or not allowed."""
    context_overflow = False
    """Whether the conversation is too long for the model."""
    images_refused = False
    """Whether the model cannot see images, or an image of the conversation is not accepted."""
    spent = False
    """Whether the account has no money or quota left."""
    retry_after: float | None = None
    """Seconds that the server asks to wait before the same request is sent again; None if it says nothing."""
    repeats: int | None = None
    """How often a `retryable` call is repeated at most; None for as often as the `RetryPolicy` says."""
    untrusted_parts: tuple[str, ...] | None = None
    """The parts of the text that are quoted from elsewhere and may repeat the key; None if the whole text may."""

    @property
    def rescuable(self) -> bool:
        """Whether another model may answer the same request: the account, the server or the network is at fault."""
        return (self.retryable or self.auth or self.spent) and not (self.context_overflow or self.images_refused)


class ConnectError(ProviderError):
    """No connection could be made, or it broke before an answer began.

    It is `retryable` if the connection broke; a refused connection or an unknown host would fail again.
    """

    def __init__(self, text: str, *, retryable: bool = False) -> None:
        super().__init__(text)
        self.retryable = retryable

    @property
    def rescuable(self) -> bool:
        return True


class ResponseTimeout(ProviderError):
    """The server accepted the request and then sent nothing for too long."""

    retryable = True


_OVERFLOW = (
    "context_length_exceeded",
    "context length",  # most servers, also LM Studio, Mistral, Ollama and Together
    "context window",  # OpenAI, LiteLLM and MiniMax
    "prompt is too long",  # Anthropic
    "prompt too long",  # Z.ai and Ollama
    "prompt exceeds max length",
    "request_too_large",
    "too many tokens",
    "token limit exceeded",
    "maximum context",
    "context size",  # llama.cpp
    "exceed_context_size",
    "input token count",  # Gemini
    "input is too long",  # Bedrock
    "too many input tokens",
    "maximum prompt length",  # xAI
    "maximum allowed input length",  # OpenRouter
    "reduce the length of the messages",  # Groq
    "prompt token count of",  # Copilot
    "exceeded model token limit",  # Kimi
    "range of input length should be",  # Qwen
    "`inputs` tokens + `max_new_tokens` must be",  # Hugging Face
)

_LIMITED = ("rate limit", "rate_limit", "too many requests", "throttling", "please wait before")
"""Phrases for a limit of tokens a minute, which resembles the limit of a conversation."""


def overflows(message: str) -> bool:
    """Whether a provider's message says that the conversation is too long for the model."""
    lowered = message.lower()
    return any(phrase in lowered for phrase in _OVERFLOW) and not any(phrase in lowered for phrase in _LIMITED)


_SPENT = (
    "insufficient_quota",
    "quota exceeded",
    "exceeded your current quota",
    "exceeded_current_quota",
    "usage_limit_reached",  # ChatGPT plans, with the next three
    "usage_limit_exceeded",
    "individual_usage_limit",
    "usage_not_included",
    "usage limit reached",
    "usagelimiterror",  # OpenCode
    "available balance",
    "spend_limit_reached",  # Anthropic, with the next two
    "linked_organization",
    "organization_on_hold",
    "credit balance",
    "insufficient balance",
    "no resource package",  # Z.ai
    "out of budget",
    "billing",
)
_SPENT_CODES = ("1308", "1113")
"""Codes of Z.ai: the limit of the plan is reached, and no balance. The status is 429."""


def is_spent(code: str, message: str) -> bool:
    """Whether a provider's error says that the account has no money or quota left, which waiting does not change."""
    lowered = f"{code} {message}".lower()
    return any(phrase in lowered for phrase in _SPENT) or any(each in _SPENT_CODES for each in code.split())


_IMAGES = r"\bimages?\b|image_|_image|\bvision\b|\bmultimodal\b|\bmmproj\b"
"""A regular expression, which `re` compiles when it is first used: after a failure."""


def concerns_images(message: str) -> bool:
    """Whether a provider's message is about images; the request is at fault then, whatever the status says."""
    return re.search(_IMAGES, message, re.IGNORECASE) is not None


_WAIT = r"try (?:again )?in (?:(\d{1,4})h)?(?:(\d{1,3})m)?(?:(\d{1,5}(?:\.\d{1,9})?)s)?\b"
"""A wait in a message: "Please retry in 34.07s" (Gemini), "try again in 9m38.016s" (Groq)."""


def asked_wait(message: str) -> float | None:
    """Return the seconds to wait that a provider's message names, None without any."""
    found = re.search(_WAIT, message, re.IGNORECASE)
    if found is None or not any(found.groups()):
        return None
    hours, minutes, seconds = (float(each or 0) for each in found.groups())
    return 3600 * hours + 60 * minutes + seconds


_TRANSIENT = (
    "overloaded",
    "rate_limit",
    "server_error",
    "api_error",
    "unavailable",
    "timeout",
    "resource_exhausted",  # this and the next: Gemini
    "internal",
    "deadline_exceeded",
    "throttling",  # this and the next: Bedrock
    "modelstreamerror",
    "modeltimeout",
    "modelnotready",
)
_TRANSIENT_WORDS = (
    "overloaded",
    "server_busy",
    "servers are currently busy",
    "high demand",  # Azure, with the next
    "at capacity",
    "rate limit",
    "too many requests",
    "temporarily unavailable",
    "service unavailable",
    "provider returned",  # OpenRouter
    "unable to forward upstream",
    "upstream request failed",
    "stream was interrupted",
    "stream disconnected",
    "socket hang up",
    "network error",
    "connection error",
    "timed out",
    "timeout",
    "internal error",
    "internal server error",
    "server had an error",  # OpenAI, with the next three
    "retry your request",
    "try your request again",
    "usage_unavailable",
    "resourceexhausted",  # NVIDIA
)
"""Phrases in the messages of failures within a stream after which the same request may succeed."""

_TRANSIENT_STATUSES = (408, 409, 424, 425, 429, 498)
"""424: the model of Bedrock failed. 498: Groq has no capacity."""


class StatusError(ProviderError):
    """The server answered with an HTTP status of 400 or more. `code` is the provider's name for the error.

    `retry_after` is in seconds, None if not given. `should_retry` is the server's own word on whether the same request
    may succeed later, None without one. `spent` says whether the account has no money or quota left; None to judge by
    the message.
    """

    def __init__(
        self,
        text: str,
        *,
        status: int,
        message: str = "",
        code: str = "",
        retry_after: float | None = None,
        should_retry: bool | None = None,
        spent: bool | None = None,
    ) -> None:
        super().__init__(text)
        self.status = status
        self.message = message
        self.code = code
        self.retry_after = retry_after
        self.spent = status == 402 or (is_spent(code, message) if spent is None else spent)
        # llama.cpp answers 500 to an image for a model without vision.
        self.images_refused = status in (400, 404, 413, 415, 422, 500, 501) and concerns_images(f"{code} {message}")
        self.context_overflow = not self.images_refused and (
            status == 413 or (status in (400, 403, 422, 500) and overflows(f"{code} {message}"))
        )
        sampled = "tool_use_failed" in code  # Groq: the call of the model was not valid
        transient = status in _TRANSIENT_STATUSES or status >= 500 or sampled
        fixed = self.spent or self.images_refused or self.context_overflow
        self.retryable = (transient if should_retry is None else should_retry) and not fixed
        refused = status in (401, 403) or "api key not valid" in message.lower()  # Gemini answers 400
        self.auth = refused and not self.context_overflow and not self.spent
        self._transient = transient

    @property
    def rescuable(self) -> bool:
        """See `ProviderError`. A server that wants no repetition does not speak for others."""
        fixed = self.context_overflow or self.images_refused
        return super().rescuable or (self._transient and not fixed)


class ProtocolError(ProviderError):
    """The server's answer does not follow the wire. `again`: a part of it does not, as when a proxy loses bytes, so the
    same request may succeed."""

    repeats = 1

    def __init__(self, text: str, *, again: bool = False) -> None:
        super().__init__(text)
        self.retryable = again


class StreamCut(ProviderError):
    """The answer broke off before its end, or before its beginning."""

    retryable = True


class EmptyAnswer(ProviderError):
    """The model's answer has neither text nor a call of a tool. `used_up`: it reached its length limit while it was
    thinking, so the same request would end in the same way."""

    repeats = 1

    def __init__(self, *, used_up: bool = False) -> None:
        why = "it reached the model's output limit in its thinking" if used_up else "neither text nor a call of a tool"
        super().__init__(f"the model gave an empty answer ({why})")
        self.retryable = not used_up


class ModelError(ProviderError):
    """The provider reported a failure inside the stream. `code` is the provider's name for it."""

    def __init__(self, text: str, *, code: str = "", message: str = "", retry_after: float | None = None) -> None:
        super().__init__(text)
        self.retry_after = asked_wait(message) if retry_after is None else retry_after
        self.code = code
        self.message = message
        lowered = f"{code} {message}".lower()
        self.images_refused = concerns_images(lowered)
        self.context_overflow = overflows(lowered)
        named = code.lower()
        self.auth = any(word in named for word in ("authentication", "unauthenticated", "permission"))
        transient = (
            any(word in named for word in _TRANSIENT)
            or code in ("429", "500", "502", "503", "504", "520", "524", "529")
            or any(phrase in lowered for phrase in _TRANSIENT_WORDS)
        )
        self.spent = is_spent(code, message)
        self.retryable = transient and not (self.spent or self.images_refused or self.context_overflow or self.auth)
