"""The `write` tool: create or overwrite a file."""

from typing import Any

from zot_core.display import CodeDisplay, DiffDisplay, DisplayBlock, diff_details, recalled_diff
from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.encoding import (
    MARKED_UTF_8,
    PROBE,
    UTF_8,
    TextEncoding,
    decode,
    encode,
    missing,
    shown,
    utf_16,
)
from zot_core.tools.text.file_encoding import LARGEST, file_encoding
from zot_core.tools.text.paths import as_tool_error, resolve, writes_path
from zot_core.tools.text.truncate import TextLimits, count_lines, cut_diff, head, truncation_note
from zot_provider.messages import TextBlock

LIMITS = TextLimits()

FIRST = TextLimits(lines=8, bytes=600)
"""The display of a file that was never read."""

PREVIEW_BYTES = 128 * 1024
"""Bytes of a file from which a preview is the new content, and not a diff."""


def _recall(arguments: dict[str, Any], _: str, details: dict[str, Any]) -> list[DisplayBlock]:
    path = str(arguments["path"])
    return recalled_diff(path, details) if "diff" in details else [CodeDisplay(path, str(arguments["content"]))]


async def _preview(path: str, content: str, context: ToolContext) -> list[DisplayBlock]:
    target = await resolve(path, context)
    try:
        old = (await context.files.read(target, PREVIEW_BYTES + 1)).decode("utf-8", "replace")
    except FileNotFoundError:
        old = ""
    except OSError as error:
        raise as_tool_error(error, path) from error
    return [_changed(path, old, content) or CodeDisplay(path, content)]


def _changed(path: str, old: str, new: str) -> CodeDisplay | DiffDisplay | None:
    """Return what the new content of a file changes, or all of it if the file was empty or a comparison takes long;
    None if nothing changes."""
    from zot_core.tools.text import edit_text  # noqa: PLC0415  1 ms, only a question or a file that was there needs it

    if old == new:
        return None
    before, after = (each.replace("\r\n", "\n") for each in (old, new))
    whole = [edit_text.TextReplacement(before, after)]
    if not before or before == after or not edit_text.is_quick(before.encode(), whole):
        return CodeDisplay(path, new)
    edited = edit_text.edit_text(before, whole)
    return cut_diff(path, edited.diff, edited.starts)


@builtin(
    other_names="write_file write_to_file create_file save_file create",
    parallel=True,
    file_access=writes_path,
    recall=_recall,
    preview=_preview,
)
async def write(path: str, content: str, context: ToolContext) -> ToolResult:
    """Replace the content of a file and create missing parent directories; returns one line about it."""
    target = await resolve(path, context)
    real = await context.files.real(target)
    if await context.seen_files.differs(real, context.files):
        raise ToolError(f"{path} has changed since it was last read; read it first, so that nothing is lost")
    if context.overwrite_check and (seen := await context.seen_files.unknown(real, context.files)):
        return ToolResult.error(await _first_look(path, target, context)).replace(seen=seen)
    try:
        data, encoding, before = await _encoded(content, path, target, context)
        await context.files.write(target, data)
    except OSError as error:
        raise as_tool_error(error, path) from error
    written, old = (shown(each).removeprefix("\ufeff") for each in (decode(data, encoding.codec), before))
    display = _changed(path, old, written) if old else CodeDisplay(path, written)
    lines, size = count_lines(data), len(data)
    details = {"path": target, "bytes": size, "total_lines": lines, "start_line": 1}
    if isinstance(display, CodeDisplay):
        kept = head(written.encode(), LIMITS)
        details["content"] = kept.data.decode() + truncation_note(kept, LIMITS)
    else:  # the arguments of the stored call do not tell it
        details |= diff_details(display)
    result = ToolResult(
        # The model has just written the content: it would read it twice in each later request.
        [TextBlock(f"wrote {lines:,} line{'s' * (lines != 1)} ({size:,} byte{'s' * (size != 1)}) to {path}")],
        details=details,
        display=[] if display is None else [display],
        kept="diff" in details,
        seen=context.seen_files.changed(real, data),
    )
    notes = [encoding.note] if encoding.note else []
    if context.walls is not None and context.walls.keeps(real):
        notes.append("only this sandbox has that folder: nobody else sees the file, and it is deleted when zot ends")
    return result.noted(notes)


async def _first_look(path: str, target: str, context: ToolContext) -> str:
    """Return what the model must know of a file that it was about to replace unseen."""
    try:
        size = (await context.files.stat(target)).size
        start = await context.files.read(target, FIRST.bytes + 1)
    except OSError as error:
        raise as_tool_error(error, path) from error
    lines = shown(decode(head(start, FIRST).data, "utf-8")).rstrip()
    begin = ". " if b"\0" in start else f", and begins:\n{lines}\n"
    return (
        f"{path} was not written: no `read` of it is in this conversation. It has {size:,} bytes{begin}"
        "Read it, change it with `edit`, or call again to replace all of it."
    )


async def _encoded(content: str, path: str, target: str, context: ToolContext) -> tuple[bytes, TextEncoding, str]:
    """Return the bytes of the new content in the encoding that the file has, this, and its old content, empty if it has
    no text. ToolError if the encoding lacks a character, or if U+FFFD stands for bytes that nobody knows."""
    text = content.encode("utf-8", "replace").decode()  # a model may write half of a surrogate pair
    try:
        old = await context.files.read(target, LARGEST + 1)
    except OSError:  # no such file, or the write says what is wrong
        old = b""
    if len(old) > LARGEST or (b"\0" in old[:PROBE] and not utf_16(old[:PROBE])):
        return text.encode(), UTF_8, ""
    encoding = await file_encoding(old, path, target, context.files, text)
    before = decode(old, encoding.codec)
    if not old and encoding.codec.startswith("utf-16"):  # nobody could tell without a mark
        before = "\ufeff"
    if before.startswith("\ufeff") and not text.startswith("\ufeff"):
        text = f"\ufeff{text}"
    lost = [each for each in before if shown(each) != each] if "\ufffd" in text else []
    if lost:
        parts = text.split("\ufffd")
        if len(lost) != len(parts) - 1:
            raise ToolError(
                f"{path} has {len(lost)} bytes that are no text, shown as U+FFFD, and the new content has U+FFFD "
                f"{len(parts) - 1} times: use `edit`, which keeps such bytes"
            )
        text = "".join(part + byte for part, byte in zip(parts, [*lost, ""], strict=True))
    try:
        data = encode(text, encoding.codec)
        return data, MARKED_UTF_8 if encoding == UTF_8 and text.startswith("\ufeff") else encoding, before
    except UnicodeEncodeError as error:
        raise ToolError(f"{path} was not written: {missing(error, encoding.codec)}") from error
