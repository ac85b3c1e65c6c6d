"""Frames of the group `providers`: an extension serves models, and signs in to their provider.

A provider is described by an object as in `models.json` (docs/providers.md), in the manifest or in `register_provider`.
"""

from __future__ import annotations

from zot_ext.protocol.frame import Frame

TYPE_CHECKING = False
if TYPE_CHECKING:
    from zot_ext.protocol.raw import RawObject

PROVIDER_EVENTS = ("text", "thinking", "signature", "tool_start", "tool_args", "usage", "done", "error")
"""Values of `provider_event.event`. Any other value says that more will come."""

STOPS = ("end_turn", "tool_use", "length")
"""Values of `provider_event.stop`."""

OPERATIONS = ("models", "login", "refresh")
"""Values of `provider_request.op`."""


class RegisterProvider(Frame, type="register_provider"):
    """Describes a provider that the manifest names, in place of what the manifest says of it. Possible at any time."""

    name: str
    """Its id; the manifest names it in `providers`."""
    config: RawObject
    """An object as in `models.json`: `name`, `baseUrl`, `api`, `apiKey`, `auth`, `headers`, `models`, ... With
    `"stream": true` the extension answers requests itself and there is no address. `listsModels`: it can be asked for
    its models. `signIn`: an object with `title` and `terms`, if a person signs in with an account."""


class UnregisterProvider(Frame, type="unregister_provider"):
    """Takes `register_provider` back. A provider of zot itself is then as before."""

    name: str


class ProviderEvent(Frame, type="provider_event"):
    """A part of the answer to `provider_stream`. The last one is `done` or `error`."""

    id: str
    """The id of the `provider_stream`."""
    event: str
    """See `PROVIDER_EVENTS`."""
    delta: str = ""
    """`text`, `thinking` and `tool_args`: the next piece. A piece of another kind begins another block."""
    call_id: str = ""
    """`tool_start` and `tool_args`: which call; calls may interleave."""
    name: str = ""
    """`tool_start`: the tool."""
    signature: str = ""
    """`signature`: what the provider wants back with the thinking before it."""
    encrypted: str = ""
    """`signature`: the same for thinking that nobody may read."""
    usage: RawObject | None = None
    """`usage` and `done`: the tokens of the answer so far: `input`, `output`, `cache_read`, `cache_write`, `reasoning`,
    each counted once."""
    stop: str = ""
    """`done`: why the model stopped. See `STOPS`."""
    message: str = ""
    """`error`: what happened, one line for a person."""
    status: int = 0
    """`error`: the status of HTTP, if there was one. With 401 a token is refreshed and the request sent again."""
    code: str = ""
    """`error`: the provider's word for it."""
    retry_after_ms: int = 0
    """`error`: how long to wait before the request is sent again."""


class ProviderStep(Frame, type="provider_step"):
    """The messages that a `provider_request` that signs in shows to the person."""

    id: str
    """The id of the `provider_request`."""
    url: str = ""
    """A page to open."""
    user_code: str = ""
    """The code that the person types on the page."""
    ask: bool = False
    """Whether the person may type or paste something; it comes as `provider_input`."""
    message: str = ""
    """A description of the step."""


class ProviderResult(Frame, type="provider_result"):
    """Answers `provider_request`."""

    id: str
    """The id of the `provider_request`."""
    result: RawObject | None = None
    """`models`: `models`, a list as in `models.json`. `login` and `refresh`: `access`, and if there are any `refresh`,
    `expires` (seconds since 1970) and `base_url`; other fields are kept and come back."""
    error: str = ""
    """Why it failed, one line for a person; empty if it did not."""
    ended: bool = False
    """Whether the sign-in is over, so that the person must sign in again."""


class ProviderStream(Frame, type="provider_stream"):
    """A model call; answer with `provider_event`. A `cancel` with its id ends it."""

    id: str
    provider: str
    model: str
    """The id of the model."""
    context: RawObject
    """`system`, a text; `messages`; `tools`, each with `name`, `description` and `schema`. A message has a `role`
    (`user`, `assistant`, `tool`) and `content`, a list of blocks: `text` (`text`), `image` (`mime_type`, `data` in
    base64), `tool_call` (`id`, `name`, `arguments`, the text of a JSON object), `tool_result` (`call_id`, `is_error`,
    `content`), `thinking` (`text`, `signature`, `encrypted`). Each call has its result in the next message."""
    options: RawObject
    """`max_tokens` and `temperature` if they are limited, `reasoning` (`off` to `max`), `session_id`, stable for a
    conversation, `response_schema`, and `api_key`: the key or the token for this request."""


class ProviderQuestion(Frame, type="provider_request"):
    """Asks for models, for a sign-in, or for another token; answer with `provider_result`."""

    id: str
    provider: str
    op: str
    """See `OPERATIONS`."""
    api_key: str = ""
    """`models`: the key or the token, if there is one."""
    credentials: RawObject | None = None
    """`refresh`: what the last `login` or `refresh` returned."""


class ProviderInput(Frame, type="provider_input"):
    """The text that the person typed or pasted while `provider_request` signs in."""

    id: str
    """The id of the `provider_request`."""
    text: str
