"""The error for an HTTP status, in one line."""

import json
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from zot_provider.errors import StatusError

_MAX_MESSAGE = 400
"""Most characters of a server's message that are shown."""


def status_error(status: int, body: bytes, headers: Mapping[str, str], url: str) -> StatusError:
    """Return the error for an answer with `status`. `body` is the part of it that was read, in any format."""
    message = server_message(body)
    try:
        phrase = f" {HTTPStatus(status).phrase}"
    except ValueError:
        phrase = ""
    text = f"the server answered {status}{phrase}"
    if message and f" {message}" != phrase:
        text += f": {message}"
    if 300 <= status < 400 and headers.get("location"):
        text += f" (it points to {headers['location'].split('?')[0]})"
    error = StatusError(text, status=status, message=message, retry_after=retry_after(headers))
    error.untrusted_parts = (message, headers.get("location", "").split("?")[0])
    return error


def server_message(body: bytes) -> str:
    """Return the message in an error body: of the usual JSON shapes, else the first line; empty for a web page."""
    text = body.decode("utf-8", "replace").strip()
    try:
        found = _message(json.loads(text))
    except (ValueError, RecursionError):
        found = "" if text.startswith("<") else text.split("\n")[0]
    found = " ".join(found.split())
    return found if len(found) <= _MAX_MESSAGE else found[: _MAX_MESSAGE - 1] + "…"


def _message(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        return _message(value[0])
    if isinstance(value, dict):
        for key in ("error", "message", "detail", "msg"):
            if value.get(key):
                return _message(value[key])
    return ""


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds of a `retry-after` header (RFC 9110, 10.2.3); None if it is missing or not a number."""
    try:
        seconds = float(headers.get("retry-after", ""))
    except ValueError:
        return None
    return seconds if 0 <= seconds < 86_400 else None
