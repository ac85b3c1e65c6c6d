"""Return values of handlers: `Response` from commands, `Result` from tools, and their conversion into frames."""

from __future__ import annotations

from zot_ext.limits import DEFAULT_LIMITS
from zot_ext.protocol.from_extension import CommandResponse, ToolResult
from zot_ext.protocol.raw import RawObject, dump
from zot_ext.protocol.values import ImageBlock, TextBlock, UnknownBlock
from zot_ext.record import Record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from zot_ext.protocol.values import Block, PanelSpec


class Response(Record):
    """The answer of a command; made by `prompt`, `insert`, `display`, `noop`, `error` and `Panel.open`."""

    action: str
    """One of `zot_ext.protocol.from_extension.ACTIONS`, or `error`."""
    text: str = ""
    panel: PanelSpec | None = None


class Result(Record):
    """The answer of a tool; made by `text_result` and `image_result`, or from blocks by hand."""

    content: tuple[Block, ...]
    is_error: bool = False
    """The call failed; the model reads why in `content`."""
    details: Mapping[str, object] | None = None
    """Kept with the result in the session, at most 64 KiB; the model does not read it. In the group `tools2`."""
    structured: Mapping[str, object] | None = None
    """The result for programs; without `content` the model reads it too."""
    terminate: bool = False
    """The model need not answer, if all results of its batch say so."""
    activate_tools: tuple[str, ...] = ()
    """Deferred tools that the model gets with its next request."""


def prompt(text: str) -> Response:
    """Submit `text` as a message of the user."""
    return Response("prompt", text)


def insert(text: str) -> Response:
    """Put `text` into the editor at the cursor, without submitting it."""
    return Response("insert", text)


def display(text: str) -> Response:
    """Show `text` as a note. The model never sees it."""
    return Response("display", text)


def noop() -> Response:
    """Change nothing on the screen: the command did its work itself."""
    return Response("noop")


def error(text: str) -> Response:
    """Fail: the user sees `text` as an error; from a tool, the model sees it."""
    return Response("error", text)


def text_result(
    text: str,
    *,
    is_error: bool = False,
    markdown: bool = False,
    details: Mapping[str, object] | None = None,
    structured: Mapping[str, object] | None = None,
    terminate: bool = False,
) -> Result:
    """Return text to the model; the screen formats it if it is `markdown`. See `Result` for the others."""
    block = TextBlock(text, "markdown") if markdown else TextBlock(text)
    return Result((block,), is_error, details, structured, terminate)


def image_result(data: bytes | str, mime_type: str = "image/png", *, text: str = "") -> Result:
    """Return an image to the model, as bytes or as base64 text, after an optional line of text."""
    if isinstance(data, bytes):
        from binascii import b2a_base64  # noqa: PLC0415 - few extensions send images

        data = b2a_base64(data, newline=False).decode()
    before = (TextBlock(text),) if text else ()
    return Result((*before, ImageBlock(mime_type, data)))


def command_frame(id: str, answer: object) -> CommandResponse:
    """Make the reply to a command. Text is displayed, `None` does nothing. Raises `TypeError` for anything else."""
    if answer is None:
        return CommandResponse(id, "noop")
    if isinstance(answer, str):
        return CommandResponse(id, "display", display=answer)
    if not isinstance(answer, Response):
        raise TypeError(f"a command answers with a Response, text or None, not {type(answer).__name__}")
    if answer.action == "error":
        return CommandResponse(id, error=answer.text or "failed")
    if answer.action == "open_panel":
        return CommandResponse(id, "open_panel", open_panel=answer.panel)
    texts = {answer.action: answer.text}
    return CommandResponse(
        id,
        answer.action,
        prompt=texts.get("prompt", ""),
        insert=texts.get("insert", ""),
        display=texts.get("display", ""),
    )


def _result_frame(id: str, answer: Result) -> ToolResult:
    if answer.details is None and answer.structured is None and not (answer.terminate or answer.activate_tools):
        return ToolResult(id, tuple(answer.content), answer.is_error)
    details = None if answer.details is None else RawObject.from_value(answer.details)
    largest = DEFAULT_LIMITS.details_bytes
    if details is not None and len(details.text.encode("utf-8", "replace")) > largest:
        raise ValueError(f"the details of a result are at most {largest} bytes as JSON")
    structured = None if answer.structured is None else RawObject.from_value(answer.structured)
    return ToolResult(
        id, tuple(answer.content), answer.is_error, details, structured, answer.terminate, tuple(answer.activate_tools)
    )


def tool_frame(id: str, answer: object) -> ToolResult:
    """Make the reply to a tool call: a `Result`, `error(...)`, a block, text, `None`, or any value, sent as JSON."""
    if isinstance(answer, Result):
        return _result_frame(id, answer)
    if isinstance(answer, Response):
        if answer.action != "error":
            raise TypeError(f"{answer.action!r} answers a command, not a tool")
        return ToolResult(id, (TextBlock(answer.text or "failed"),), is_error=True)
    if isinstance(answer, (TextBlock, ImageBlock, UnknownBlock)):
        return ToolResult(id, (answer,))
    if answer is None:
        return ToolResult(id, (TextBlock("done"),))
    return ToolResult(id, (TextBlock(answer if isinstance(answer, str) else dump(answer)),))
