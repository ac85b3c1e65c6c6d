"""`read_messages`: a line of a server as messages. The package `mcp` drops what has a small flaw, and the call that
waits for it would wait until its time is up."""

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

from mcp_types import (
    INTERNAL_ERROR,
    ErrorData,
    JSONRPCError,
    JSONRPCMessage,
    JSONRPCNotification,
    JSONRPCRequest,
    JSONRPCResponse,
)
from pydantic import ValidationError

_ID = re.compile(r'"id"\s*:\s*(?:(-?\d{1,18})(?![\d.eE])|"([^"\\]{1,200})")')
_ANSWER = re.compile(r'"(?:result|error)"\s*:')
_JSON = json.JSONDecoder(strict=False)
_SURROGATE = re.compile(r"\\u[dD][89a-fA-F]")
DEPTH = 100
"""The deepest nesting of a message; the package fails at some 250 levels."""
_ENDS = 1000
"""The characters at both ends of a line in which its id is looked for."""


class NotAMessage(ValueError):
    """A line is not a message, and belongs to no request."""


def read_messages(line: bytes) -> list[JSONRPCMessage]:
    """Return the messages of a line (JSON-RPC 2.0, a batch too). An answer that cannot be read is an error that says
    so, if its id can be found. Raises `NotAMessage`."""
    text = line.decode("utf-8-sig", "replace")
    try:
        value = _taken(json.loads(text, strict=False), text)
    except (ValueError, RecursionError) as error:
        if among := list(_answers_among(text)):
            return among
        return [_unread(text, f"it is not JSON: {error}" if isinstance(error, ValueError) else "it is nested too deep")]
    if not isinstance(value, list):
        return [_message(value, text)]
    found: list[JSONRPCMessage] = []
    for each in value:
        with suppress(NotAMessage):
            found.append(_message(each, text))
    if not found:
        raise NotAMessage("it is a list without a message")
    return found


def _answers_among(text: str) -> Iterator[JSONRPCMessage]:
    """Yield the answers in a line that has other things too: a prompt, colours, a second message. A request there may
    be one of ours that the server repeats."""
    at = text.find("{")
    while at >= 0:
        try:
            value, end = _JSON.raw_decode(text, at)
            message = _message(_taken(value, text), text)
        except NotAMessage:
            pass
        except (ValueError, RecursionError):
            return
        else:
            if isinstance(message, JSONRPCResponse | JSONRPCError):
                yield message
        at = text.find("{", end)


def _taken(value: Any, text: str) -> Any:
    """Return the value of a text as the package takes it: without halves of surrogate pairs, and not too deep."""
    if text.count("{") + text.count("[") > DEPTH:
        value = _cut(value, DEPTH)
    return json.loads(_whole(json.dumps(value, ensure_ascii=False))) if _SURROGATE.search(text) else value


def _cut(value: Any, depth: int) -> Any:
    """Return a copy in which objects and lists below `depth` levels are empty."""
    if isinstance(value, dict):
        return {key: _cut(each, depth - 1) for key, each in value.items()} if depth else {}
    if isinstance(value, list):
        return [_cut(each, depth - 1) for each in value] if depth else []
    return value


def _whole(text: str) -> str:
    """Replace halves of surrogate pairs, which are no characters."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _unread(text: str, why: str) -> JSONRPCError:
    """Return the error for the request that an unreadable line answers. Raises `NotAMessage`."""
    found = None
    if _ANSWER.search(text):
        heads = [text[:_ENDS], text[-_ENDS:]] if len(text) > 2 * _ENDS else [text]
        found = next(filter(None, map(_ID.search, heads)), None)
    if found is None:
        raise NotAMessage(why)
    number, word = found.groups()
    return _failure(int(number) if number else word, f"its answer cannot be read: {why}")


def _failure(id: object, message: str, code: int = INTERNAL_ERROR, data: object = None) -> JSONRPCError:
    known = id if isinstance(id, int | str) and not isinstance(id, bool) else None
    return JSONRPCError(jsonrpc="2.0", id=known, error=ErrorData(code=code, message=message, data=data))


def _message(value: Any, text: str) -> JSONRPCMessage:
    if not isinstance(value, dict):
        raise NotAMessage("it is not an object")
    id = value.get("id")
    if isinstance(id, float) and id.is_integer():
        id = int(id)
    if not isinstance(value.get("method"), str):
        return _answer(value, id, text)
    fields = {"jsonrpc": "2.0", "method": value["method"]}
    if value.get("params") is not None:
        fields["params"] = value["params"]
    try:
        return JSONRPCNotification(**fields) if id is None else JSONRPCRequest(id=id, **fields)
    except ValidationError:
        raise NotAMessage(f"its id or its parameters are odd: {value['method'][:100]}") from None


def _answer(value: dict[str, Any], id: Any, text: str) -> JSONRPCMessage:
    """Return an answer; without a result it is an error that says so."""
    error, result = value.get("error"), value.get("result")
    if error is not None:
        return _error(error, id)
    if "result" not in value:
        raise NotAMessage(f"it has no method and no result: {text[:100]!r}")
    if isinstance(id, bool) or not isinstance(id, int | str):
        raise NotAMessage("it answers no request: its id is neither a number nor a text")
    if isinstance(result, dict):
        return JSONRPCResponse(jsonrpc="2.0", id=id, result=result)
    what = {type(None): "null", list: "a list", str: "a text"}.get(type(result), "a value")
    return _failure(id, f"its answer is {what}, not an object")


def _error(error: Any, id: Any) -> JSONRPCError:
    """Return the error of a server, whatever type it has."""
    fields = error if isinstance(error, dict) else {"message": error}
    code, message = fields.get("code"), fields.get("message")
    if isinstance(code, str) and re.fullmatch(r"-?\d{1,9}", code):
        code = int(code)
    if isinstance(code, bool) or not isinstance(code, int):
        code = INTERNAL_ERROR
    if not isinstance(message, str) or not message.strip():
        said = fields.get("data") if isinstance(message, str) or message is None else message
        message = json.dumps(said if said is not None else error, ensure_ascii=False)
    return _failure(id, message, code, fields.get("data"))
