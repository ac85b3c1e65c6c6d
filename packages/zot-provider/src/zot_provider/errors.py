"""Everything that can go wrong and that a person must hear of.

```text
ZotError                    one line for a person, `exit_code` for a script
├── ConfigError             the request cannot be made as asked (exit 2)
│   ├── MissingKey          no credential for the provider
│   └── UnknownName         no such provider or model; names the nearest
└── ProviderError           the provider or the way to it failed (exit 1)
    ├── ConnectError        no connection: refused, unknown host, TLS
    ├── ResponseTimeout     connected, but nothing came within the limit
    ├── StatusError         an HTTP status of 400 or more
    ├── ProtocolError       an answer that is not what the wire promises (HTML, no event stream)
    ├── StreamCut           the answer broke off before its end
    └── ModelError          the provider reported a failure inside the stream
```

`ProviderError` can be asked: `retryable`, `auth`, `context_overflow`.
"""

from collections.abc import Iterable

from zot_provider.json_text import without_surrogates


class ZotError(Exception):
    """Base of all errors meant for a person. `str(error)` is one line: what happened, what to do next."""

    exit_code = 1


class ConfigError(ZotError):
    """What was asked for cannot be done with these settings."""

    exit_code = 2


class MissingKey(ConfigError):
    """No credential for the provider; the text names the environment variables that would hold one."""


MAX_LISTED_NAMES = 10
"""Names that are all told where none is near."""


class UnknownName(ConfigError):
    """A provider or model that nobody knows; the text names the nearest ones."""

    @classmethod
    def among(cls, kind: str, name: str, known: Iterable[str], hint: str = "") -> "UnknownName":
        """An error for `name`, with up to three near names of `known`, or all of them if they are few."""
        import difflib  # noqa: PLC0415  only a mistake pays for it

        names = list(known)
        near = difflib.get_close_matches(name, names, n=3, cutoff=0.4) or (
            names if len(names) <= MAX_LISTED_NAMES else []
        )
        text = f"unknown {kind} {without_surrogates(name)!r}"
        if near:
            text += f"; did you mean {' or '.join(near)}?" if len(near) < 4 else f"; known: {', '.join(near)}"
        return cls(f"{text} {hint}".rstrip())


class ProviderError(ZotError):
    """A model call failed."""

    retryable = False
    """Whether the same request may well work a moment later."""
    auth = False
    """Whether the credential is missing, wrong or not allowed."""
    context_overflow = False
    """Whether the conversation is too long for the model."""
    untrusted_parts: tuple[str, ...] | None = None
    """The parts of the text that are not zot's own words, and may repeat the key; None if any part may be."""


class ConnectError(ProviderError):
    """No connection could be made, or it broke before an answer began.

    `retryable` for one that broke; what refuses or cannot be found now will do so a moment later too.
    """

    def __init__(self, text: str, *, retryable: bool = False) -> None:
        super().__init__(text)
        self.retryable = retryable


class ResponseTimeout(ProviderError):
    """The server took the request and then said nothing for too long."""

    retryable = True


_OVERFLOW = (
    "context_length_exceeded",
    "context length",
    "context window",
    "prompt is too long",
    "too many tokens",
    "maximum context",
    "context size",  # llama.cpp
    "exceed_context_size",
    "exceeds the maximum number of tokens",  # Gemini
    "input is too long",  # Bedrock
    "maximum prompt length",  # xAI
    "reduce the length of the messages",  # Groq
)


def overflows(message: str) -> bool:
    """Whether a provider's words say that the conversation is too long for the model."""
    lowered = message.lower()
    return any(phrase in lowered for phrase in _OVERFLOW)


_TRANSIENT = ("overloaded", "rate_limit", "server_error", "api_error", "unavailable", "timeout")


class StatusError(ProviderError):
    """The server answered with an HTTP status of 400 or more. `retry_after` is in seconds, None if not said."""

    def __init__(self, text: str, *, status: int, message: str = "", retry_after: float | None = None) -> None:
        super().__init__(text)
        self.status = status
        self.message = message
        self.retry_after = retry_after
        self.retryable = status in (408, 409, 425, 429, 500, 502, 503, 504, 529)
        self.auth = status in (401, 403)
        self.context_overflow = status in (400, 413, 422) and overflows(message)


class ProtocolError(ProviderError):
    """The server answered with something else than the wire promises."""


class StreamCut(ProviderError):
    """The answer broke off before its end."""

    retryable = True


class ModelError(ProviderError):
    """The provider reported a failure inside the stream. `code` is the provider's word for it."""

    def __init__(self, text: str, *, code: str = "", message: str = "") -> None:
        super().__init__(text)
        self.code = code
        self.message = message
        self.retryable = any(word in code for word in _TRANSIENT) or code in ("429", "500", "502", "503", "504", "529")
        self.auth = "authentication" in code or "permission" in code
        self.context_overflow = overflows(code + " " + message)
