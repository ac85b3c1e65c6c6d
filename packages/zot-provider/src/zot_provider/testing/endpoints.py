"""`ENDPOINTS`: what the endpoints of the real APIs require of a request, and the form of their errors."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from zot_provider.record import Record

_ERROR_TYPES = {
    400: "invalid_request_error",
    401: "authentication_error",
    402: "billing_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    504: "timeout_error",
    529: "overloaded_error",
}
"""Errors of the Messages API, see https://platform.claude.com/docs/en/api/errors; other statuses are `api_error`."""


class ScriptedEndpoint(Record):
    """A scripted endpoint: its wire, required fields and headers, and functions for its key and its error bodies.

    `stream`: whether the body must ask for a stream; else the path does. `content_type` is that of an answer.
    """

    wire: str
    fields: tuple[str, ...]
    headers: tuple[str, ...]
    key: Callable[[Mapping[str, str]], str]
    error: Callable[[int, str], dict[str, Any]]
    stream: bool = True
    content_type: str = "text/event-stream"


def _messages_error(status: int, message: str) -> dict[str, Any]:
    return {"type": "error", "error": {"type": _ERROR_TYPES.get(status, "api_error"), "message": message}}


def _openai_error(status: int, message: str) -> dict[str, Any]:
    """See https://platform.openai.com/docs/guides/error-codes."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    code = "invalid_api_key" if status == 401 else None
    return {"error": {"message": message, "type": kind, "param": None, "code": code}}


_STATUSES = {
    400: "INVALID_ARGUMENT",
    401: "UNAUTHENTICATED",
    403: "PERMISSION_DENIED",
    404: "NOT_FOUND",
    429: "RESOURCE_EXHAUSTED",
    503: "UNAVAILABLE",
}
"""Errors of the Gemini API, see https://ai.google.dev/gemini-api/docs/troubleshooting; others are `INTERNAL`."""


def _gemini_error(status: int, message: str) -> dict[str, Any]:
    return {"error": {"code": status, "message": message, "status": _STATUSES.get(status, "INTERNAL")}}


def _bedrock_error(status: int, message: str) -> dict[str, Any]:
    """See https://docs.aws.amazon.com/bedrock/latest/APIReference/CommonErrors.html; a header names the kind."""
    return {"message": message}


def _bearer_key(headers: Mapping[str, str]) -> str:
    return headers.get("authorization", "").removeprefix("Bearer ")


def _any_key(headers: Mapping[str, str]) -> str:
    return headers.get("x-api-key") or _goog_key(headers)


def _goog_key(headers: Mapping[str, str]) -> str:
    return headers.get("x-goog-api-key") or _bearer_key(headers)


_VERSION = "anthropic-version"

ENDPOINTS = {
    "POST /v1/messages": ScriptedEndpoint(
        "anthropic-messages", ("model", "max_tokens", "messages"), (_VERSION,), _any_key, _messages_error
    ),
    "POST /v1/chat/completions": ScriptedEndpoint("openai-chat", ("model", "messages"), (), _bearer_key, _openai_error),
    "POST /v1/responses": ScriptedEndpoint("openai-responses", ("model", "input"), (), _bearer_key, _openai_error),
    "POST /v1beta/models/{model}:streamGenerateContent": ScriptedEndpoint(
        "gemini", ("contents",), (), _goog_key, _gemini_error, stream=False
    ),
    "POST /model/{model}/converse-stream": ScriptedEndpoint(
        "bedrock-converse",
        ("messages",),
        (),
        _bearer_key,
        _bedrock_error,
        stream=False,
        content_type="application/vnd.amazon.eventstream",
    ),
    "GET /v1/models": ScriptedEndpoint("", (), (), _any_key, _openai_error),
    "GET /v1beta/models": ScriptedEndpoint("", (), (), _goog_key, _gemini_error),
}
"""By method and path; `{model}` is the id of a model."""

UNKNOWN_ENDPOINT = ScriptedEndpoint("", (), (), _any_key, _openai_error)
"""The endpoint of every other path."""


def find_endpoint(route: str) -> ScriptedEndpoint:
    """Return the endpoint of a method and a path without its query."""
    for place, endpoint in ENDPOINTS.items():
        start, _, end = place.partition("{model}")
        if route == place or (end and route.startswith(start) and route.endswith(end)):
            return endpoint
    return UNKNOWN_ENDPOINT


def model_list(ids: Iterable[str]) -> dict[str, Any]:
    """Return the list of these models, with the fields that the clients of all wires expect."""
    of_openai = {"object": "model", "created": 0, "owned_by": "scripted"}
    of_anthropic = {"type": "model", "created_at": "1970-01-01T00:00:00Z", "lifecycle": "active"}
    entries = [{"id": id, "display_name": id} | of_openai | of_anthropic for id in ids]
    of_google = [{"name": f"models/{entry['id']}"} for entry in entries]
    return {"object": "list", "data": entries, "has_more": False, "models": of_google}


def missing_part(endpoint: ScriptedEndpoint, headers: Mapping[str, str], body: Any) -> str:
    """Return what a model call lacks according to the real API, or an empty string."""
    for header in endpoint.headers:
        if header not in headers:
            return f"the header {header}"
    if not isinstance(body, dict):
        return "a JSON object as its body"
    for name in endpoint.fields:
        if not body.get(name):
            return f"the field {name!r}"
    if endpoint.stream and body.get("stream") is not True:
        return "stream: true; only streams are scripted"
    return ""
