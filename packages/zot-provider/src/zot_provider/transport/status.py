"""The error for an HTTP status, in one line."""

import json
import re
import time
from collections.abc import Mapping
from typing import Any

from zot_provider.errors import ModelError, StatusError, asked_wait
from zot_provider.json_text import without_surrogates

_MAX_MESSAGE = 400
"""Most characters of a server's message that are shown."""

_LASTING = r"PerDay|Daily|\blimit: 0\b"
"""Quotas whose end is too far for a wait, and models that an account may not use."""


def status_error(status: int, body: bytes, headers: Mapping[str, str]) -> StatusError:
    """Return the error for an answer with `status`. `body` is the part of it that was read, in any format."""
    from http import HTTPStatus  # noqa: PLC0415  only after a failure

    value, message = _value(body), server_message(body)
    delay, spent = _quota(value)
    try:
        phrase = f" {HTTPStatus(status).phrase}"
    except ValueError:
        phrase = ""
    text = f"the server answered {status}{phrase}"
    if message and f" {message}" != phrase:
        text += f": {message}"
    if 300 <= status < 400 and headers.get("location"):
        text += f" (it points to {headers['location'].split('?')[0]})"
    error = StatusError(
        text,
        status=status,
        message=message,
        code=_code(value) or headers.get("x-amzn-errortype", "").split(":")[0],
        retry_after=retry_after(headers) or delay,
        should_retry={"true": True, "false": False}.get(headers.get("x-should-retry", "")),  # as the vendors' SDKs do
        spent=spent,
    )
    error.untrusted_parts = (message, headers.get("location", "").split("?")[0])
    return error


def stated_failure(body: bytes, headers: Mapping[str, str]) -> ModelError | None:
    """Return the failure that the body of an answer of status 200 states, such as a rate limit that a gateway passes on
    without its status; None if it states none of a known kind."""
    value = _value(body)
    first = value[0] if isinstance(value, list) and value else value
    if not isinstance(first, dict) or not first.get("error"):
        return None
    message = server_message(body)
    failure = ModelError(
        f"the model failed: {message}", code=_code(value), message=message, retry_after=retry_after(headers)
    )
    failure.untrusted_parts = (message,)
    known = failure.retryable or failure.spent or failure.auth or failure.context_overflow or failure.images_refused
    return failure if known else None


def server_message(body: bytes) -> str:
    """Return the message in an error body: of the usual JSON shapes, else the first line; empty for a web page."""
    found = " ".join(without_surrogates(_message(_value(body))).split())
    return found if len(found) <= _MAX_MESSAGE else found[: _MAX_MESSAGE - 1] + "…"


def _value(body: bytes) -> Any:
    """Return the JSON value of an error body, which may also be the first event of a stream. Of other text, return the
    first line; of a web page and of binary data, nothing."""
    text = body.decode("utf-8", "replace").strip()
    event = re.search(r"^data:(.*)$", text, re.MULTILINE)
    for part in (text, event[1] if event else ""):
        try:
            return json.loads(part)
        except (ValueError, RecursionError):
            pass
    line = text.split("\n")[0]
    binary = any(char < " " and not char.isspace() for char in line[:_MAX_MESSAGE])
    return "" if binary or line.startswith("<") else line


def _code(value: Any) -> str:
    """Return the codes and types of an error in JSON, separated by spaces; empty without any."""
    if isinstance(value, list) and value:
        return _code(value[0])
    if not isinstance(value, dict):
        return ""
    if isinstance(value.get("error"), dict | list):
        return _code(value["error"])
    codes = [value.get(key) for key in ("code", "type", "status")]
    details = value.get("details")
    if isinstance(details, dict):  # Anthropic
        codes.append(details.get("error_code"))
    return " ".join(str(code) for code in codes if code)


def _quota(value: Any) -> tuple[float | None, bool | None]:
    """Return the seconds to wait that the body of an error names, and whether waiting does not help; None if unknown.

    Google sends no `retry-after`, and the same message for each kind of limit. The details of an error tell them apart:
    `RetryInfo` and `QuotaFailure` (https://cloud.google.com/apis/design/errors#error_details).
    """
    message = _message(value)
    wait = asked_wait(message)
    if isinstance(value, list) and value:
        value = value[0]
    error = value.get("error") if isinstance(value, dict) else None
    details = error.get("details") if isinstance(error, dict) else None
    if not isinstance(details, list):
        return wait, None
    kinds = {str(each.get("@type")).rpartition(".")[2]: each for each in details if isinstance(each, dict)}
    if "RetryInfo" in kinds:
        found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)s", str(kinds["RetryInfo"].get("retryDelay")))
        wait = float(found[1]) if found else wait
    elif "QuotaFailure" not in kinds:
        return wait, None
    return wait, re.search(_LASTING, json.dumps(kinds.get("QuotaFailure")) + message, re.IGNORECASE) is not None


def _message(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, list) and value:
        return _message(value[0])
    if isinstance(value, dict):
        for key in ("error", "message", "Message", "detail", "msg"):
            if value.get(key):
                return _message(value[key])
    return ""


def retry_after(headers: Mapping[str, str]) -> float | None:
    """Return the seconds until the time of a `retry-after` header (RFC 9110, 10.2.3), or of `retry-after-ms`, which
    OpenAI and Anthropic send beside it; None without a valid one."""
    try:
        if "retry-after-ms" in headers:
            seconds = float(headers["retry-after-ms"]) / 1000
        elif "," in headers.get("retry-after", ""):
            from email.utils import parsedate_to_datetime  # noqa: PLC0415  after a failure, if the header is a date

            seconds = parsedate_to_datetime(headers["retry-after"]).timestamp() - time.time()
        else:
            seconds = float(headers.get("retry-after", ""))
    except (ValueError, OverflowError):
        return None
    return seconds if 0 <= seconds < float("inf") else None
