"""`HttpError`: a request that is refused, with its HTTP status; and the JSON of requests and responses."""

import json
from typing import Any, Final

from starlette.responses import Response

from zot_agent.operations.fields import FailureCode
from zot_provider.errors import ZotError
from zot_provider.json_text import dump, line_text

_CODES: Final[dict[int, FailureCode]] = {
    **{401: "denied", 403: "denied", 404: "not_found", 405: "unsupported", 408: "timeout", 409: "session_locked"},
    **{413: "too_large", 421: "denied", 426: "unsupported", 429: "busy", 503: "unavailable", 504: "timeout"},
    505: "unsupported",
}


class HttpError(ZotError):
    """A refused request. The text says why, and names the field if one is at fault; `code` says it in one word, as for
    the commands of a client."""

    def __init__(self, status: int, text: str, code: FailureCode | None = None) -> None:
        super().__init__(text)
        self.status, self.code = status, code or _CODES.get(status, "invalid")


class JsonResponse(Response):
    """A JSON value, whose texts a client may have sent."""

    media_type = "application/json"

    def render(self, content: object) -> bytes:
        return line_text(dump(content)).encode()


def json_object(body: bytes) -> dict[str, Any]:
    """Return the JSON object in the body of a request. Raises `HttpError`, which does not quote it: it may be a key."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise HttpError(400, "the body is not JSON") from None
    if not isinstance(value, dict):
        raise HttpError(400, "the body must be a JSON object")
    return value
