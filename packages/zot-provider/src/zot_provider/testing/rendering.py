"""Parts that the renderers of several wires share."""

import json
from typing import Any

from zot_provider.errors import ModelError, StatusError


def sse_data(value: dict[str, Any]) -> bytes:
    """Return a server-sent event without a name."""
    return b"data: " + json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode() + b"\n\n"


def failure(error: Exception, usual: str) -> dict[str, Any]:
    """Return the type and the message of a failure; the type is `usual` if it has none."""
    code = error.code if isinstance(error, ModelError) else ""
    message = error.message if isinstance(error, (ModelError, StatusError)) else ""
    return {"type": code or usual, "message": message or str(error)}
