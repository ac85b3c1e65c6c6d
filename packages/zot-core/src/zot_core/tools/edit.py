"""The `edit` tool: replace exact pieces of a file's text."""

import asyncio
from typing import Annotated, Any

from typing_extensions import TypedDict  # pydantic's, before Python 3.12

from zot_core.display import DiffDisplay, DisplayBlock
from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.paths import as_tool_error, resolve, writes_path
from zot_provider.messages import TextBlock

LARGEST = 8 * 1024 * 1024
"""Most bytes of a file; an edit needs several times as much memory."""
_THREAD_BYTES = 64 * 1024
_BINARY_PROBE = 8192


class FileEdit(TypedDict):
    """One replacement."""

    __pydantic_config__ = {"use_attribute_docstrings": True, "coerce_numbers_to_str": True}  # type: ignore[misc]  # noqa: RUF012

    oldText: str
    """Text that occurs exactly once in the file, white space included"""
    newText: str
    """The text to put in its place"""


def _recall(arguments: dict[str, Any], text: str) -> list[DisplayBlock]:
    return [DiffDisplay(str(arguments["path"]), text)]


@builtin(parallel=True, file_access=writes_path, recall=_recall)
async def edit(
    path: Annotated[str, "The file, relative to the working directory or absolute"],
    edits: Annotated[list[FileEdit], "Replacements, all looked up in the file as it is now; they must not overlap"],
    context: ToolContext,
) -> ToolResult:
    """Apply all replacements or none; returns the change as a diff."""
    from zot_core.tools.text.edit_text import EditError, TextReplacement, edit_text  # noqa: PLC0415  1 ms, only an edit needs it

    target = await resolve(path, context)
    replacements = [TextReplacement(_clean(one["oldText"]), _clean(one["newText"])) for one in edits]
    try:
        content = await context.files.read(target, LARGEST + 1)
        if len(content) > LARGEST:
            raise ToolError(f"{path} has more than {LARGEST:,} bytes; change it with a command, such as sed")
        if b"\0" in content[:_BINARY_PROBE]:
            raise ToolError(f"{path} looks binary; it cannot be edited as text")
        # Bytes that are not UTF-8 are written back unchanged.
        text = content.decode("utf-8", "surrogateescape")
        size = len(text) + sum(len(old) + len(new) for old, new in replacements)
        in_thread = size > _THREAD_BYTES
        edited = await asyncio.to_thread(edit_text, text, replacements) if in_thread else edit_text(text, replacements)
        await context.files.write(target, edited.text.encode("utf-8", "surrogateescape"))
    except EditError as error:
        raise ToolError(f"{path} was not changed: {error}") from error
    except OSError as error:
        raise as_tool_error(error, path) from error
    diff = _clean(edited.diff)
    return ToolResult(
        [TextBlock(diff)],
        details={"path": target, "edits": len(edits), "diff": diff},
        display=[DiffDisplay(path, diff, edited.starts)],
    )


def _clean(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()
