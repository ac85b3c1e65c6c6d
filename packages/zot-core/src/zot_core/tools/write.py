"""The `write` tool: create or overwrite a file."""

from typing import Annotated, Any

from zot_core.display import CodeDisplay, DiffDisplay, DisplayBlock
from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.definition.seen_files import fingerprint
from zot_core.tools.text.paths import as_tool_error, resolve, writes_path
from zot_core.tools.text.truncate import count_lines
from zot_provider.messages import TextBlock

PREVIEW_BYTES = 128 * 1024
"""Bytes of a file from which a preview is the new content, and not a diff."""


def _recall(arguments: dict[str, Any], text: str) -> list[DisplayBlock]:
    return [CodeDisplay(str(arguments["path"]), str(arguments["content"]))]


async def _preview(path: str, content: str, context: ToolContext) -> list[DisplayBlock]:
    from zot_core.tools.text import edit_text  # noqa: PLC0415  1 ms, only a question before a call needs it

    target = await resolve(path, context)
    try:
        old = (await context.files.read(target, PREVIEW_BYTES + 1)).decode("utf-8", "replace")
    except FileNotFoundError:
        old = ""
    except OSError as error:
        raise as_tool_error(error, path) from error
    whole = [edit_text.TextReplacement(old, content)]
    if not old or old == content or not edit_text.is_quick(old.encode(), whole):
        return [CodeDisplay(path, content)]
    changed = edit_text.edit_text(old, whole)
    return [DiffDisplay(path, changed.diff, changed.starts)]


@builtin(parallel=True, file_access=writes_path, recall=_recall, preview=_preview)
async def write(
    path: Annotated[str, "File"],
    content: Annotated[str, "All of the new content"],
    context: ToolContext,
) -> ToolResult:
    """Replace the content of a file and create missing parent directories; returns the new content."""
    target = await resolve(path, context)
    real = await context.files.real(target)
    if await context.seen_files.differs(real, context.files):
        raise ToolError(f"{path} has changed since it was last read; read it first, so that nothing is lost")
    data = content.encode("utf-8", "replace")  # a model may write half of a surrogate pair
    try:
        await context.files.write(target, data)
    except OSError as error:
        raise as_tool_error(error, path) from error
    context.seen_files.note(real, fingerprint(data))
    written = data.decode()
    return ToolResult(
        [TextBlock(written)],
        details={"path": target, "bytes": len(data), "total_lines": count_lines(data), "start_line": 1},
        display=[CodeDisplay(path, written)],
    )
