"""The `read` tool: lines of a text file, names in a directory, or an image."""

import os
import re
from typing import Annotated, Any

from zot_core.display import CodeDisplay, DisplayBlock, ImageDisplay
from zot_core.errors import ToolError
from zot_core.images import LARGEST as LARGEST_IMAGE
from zot_core.images import SUFFIXES, foreign_type, image_block, image_type
from zot_core.machine.interface import FileInfo
from zot_core.result import ToolResult
from zot_core.tools.definition.bounds import AtLeast
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.seen_files import Fingerprint
from zot_core.tools.text.encoding import BROKEN_UTF_8, MARKED_UTF_8, PROBE, UTF_8, decode, shown, utf_16
from zot_core.tools.text.file_encoding import LARGEST, Utf8Check, file_encoding
from zot_core.tools.text.listing import ENTRIES, listing
from zot_core.tools.text.paths import file_error, reads_path, resolve
from zot_core.tools.text.truncate import Head, LineWindow, TextLimits, count_lines
from zot_provider.messages import TextBlock

LIMITS = TextLimits()


_PART = re.compile(r"\[(?:lines? \d+(?: to \d+)? of|characters \d+ to \d+ of) \d+[^\]\n]*\]\n?\Z")
"""The last line of a part, as `_part` writes it."""


def _recall(arguments: dict[str, Any], text: str, _: dict[str, Any]) -> list[DisplayBlock]:
    return [CodeDisplay(str(arguments["path"]), _PART.sub("", text), int(arguments.get("offset") or 1))]


@builtin(
    other_names="read_file view view_file open_file cat read_many_files",
    parallel=True,
    repeatable=True,
    file_access=reads_path,
    recall=_recall,
)
async def read(
    path: str,
    context: ToolContext,
    offset: Annotated[int | None, "First line", AtLeast(1)] = None,
    limit: Annotated[int | None, AtLeast(1)] = None,
    from_character: Annotated[int | None, AtLeast(1)] = None,
) -> ToolResult:
    """Returns lines of a file without line numbers, at most 2000 lines and 50 KiB, and which lines of how many these
    are if it is not all of them; the names in a directory; an image as an image block."""
    target = await resolve(path, context)
    try:
        info = await context.files.stat(target)
        if info.kind == "directory":
            return await listing(path, target, limit or ENTRIES, context)
        if info.kind == "other":
            raise ToolError(f"{path} is not a regular file; it cannot be read")
        if os.path.splitext(path)[1].lower() in SUFFIXES:
            image = await _image(path, target, info, context)
            if image is not None:
                return image
        return await _text(path, target, (offset or 1, from_character or 1), limit, context)
    except OSError as error:
        raise await file_error(error, path, context) from error


async def _text(path: str, target: str, start: tuple[int, int], count: int | None, context: ToolContext) -> ToolResult:
    """Return lines from `start` on: a line and a character in it."""
    first, character = start
    window = LineWindow(first, count, LIMITS, character)
    whole = Fingerprint()
    is_utf_8 = Utf8Check()
    size = 0
    async for piece in context.files.chunks(target):
        if size < PROBE and b"\0" in piece[: PROBE - size] and not utf_16(piece):
            kind = foreign_type(piece)
            raise ToolError(f"{path} {f'is {kind}' if kind else 'looks binary'}; it cannot be read as text")
        size += len(piece)
        window.feed(piece)
        whole.feed(piece)
        is_utf_8.feed(piece)
    encoding = UTF_8 if is_utf_8.value else BROKEN_UTF_8
    if not is_utf_8.value and size <= LARGEST:
        content = await context.files.read(target, LARGEST)
        encoding = await file_encoding(content, path, target, context.files)
        window = LineWindow(first, count, LIMITS, character)
        window.feed(shown(decode(content, encoding.codec)).removeprefix("\ufeff").encode("utf-8", "replace"))
    seen = context.seen_files.shown(await context.files.real(target), whole.value)
    if first > max(window.total, 1):
        raise ToolError(f"offset {first} is past the end: {path} has {window.total} lines")
    if character > max(window.characters, 1):
        raise ToolError(
            f"from_character {character} is past the end: line {first} of {path} has {window.characters} characters"
        )
    head = window.head()
    text = shown(head.data.decode("utf-8", "surrogateescape"))
    if text.startswith("\ufeff") and first == 1:
        text, encoding = text[1:], MARKED_UTF_8
    details = {
        "path": target,
        "start_line": first,
        "lines_truncated": head.lines_truncated,
        "bytes_truncated": head.bytes_truncated,
        "total_lines": window.total,
    }
    said = text + _part(head, window, first, character) or "... [the file is empty]\n"
    result = ToolResult([TextBlock(said)], details=details, display=[CodeDisplay(path, text, first)], seen=seen)
    return result.noted([encoding.note] if encoding.note else [])


def _part(head: Head, window: LineWindow, first: int, character: int) -> str:
    """Return the line that says which part of the file has been returned, and how to continue; empty for all of it."""
    last = first + count_lines(head.data) - 1
    cut = f"truncated at {LIMITS.lines} lines" * head.lines_truncated
    cut += f"truncated at {LIMITS.bytes} bytes" * head.bytes_truncated
    end = character + len(head.data.decode("utf-8", "surrogateescape")) - 2  # without the line break
    if head.bytes_truncated and last == first and end < window.characters:
        where = f"characters {character} to {end} of {window.characters} in line {first} of {window.total}"
        return f"[{where}, {cut}; continue with offset {first} and from_character {end + 1}]\n"
    if last < first or (first, last, character) == (1, window.total, 1):
        return ""
    where = f"lines {first} to {last} of {window.total}" if last > first else f"line {first} of {window.total}"
    where += f" from character {character}" * (character > 1)
    return f"[{where}, {cut}; continue with offset {last + 1}]\n" if cut else f"[{where}]\n"


async def _image(path: str, target: str, info: FileInfo, context: ToolContext) -> ToolResult | None:
    """Return the image, or None if the content is not an image, whatever the name says: a provider would refuse it and
    with it every later request of the conversation."""
    if info.size > LARGEST_IMAGE:
        raise ToolError(
            f"{path} has {info.size} bytes; images may have at most {LARGEST_IMAGE}: make a smaller copy first"
        )
    content = await context.files.read(target, LARGEST_IMAGE)
    mime_type = image_type(content)
    if not mime_type:
        return None
    image = image_block(mime_type, content)
    return ToolResult(
        [image],
        details={"path": target, "mime_type": mime_type, "bytes": len(content)},
        display=[ImageDisplay(mime_type, image.data, path)],
    )
