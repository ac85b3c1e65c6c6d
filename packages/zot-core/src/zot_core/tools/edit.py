"""The `edit` tool: replace exact pieces of a file's text."""

from typing import Annotated, Any

from zot_core.display import DiffDisplay, DisplayBlock
from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.paths import explained, resolve, writes_file
from zot_provider.messages import TextBlock
from zot_provider.record import Record, field, record

_BINARY_PROBE = 8192


@record
class Edit(Record):
    """One replacement."""

    oldText: str = field(metadata={"description": "Text that stands exactly once in the file, white space included"})
    newText: str = field(metadata={"description": "The text to put there"})


def _recall(arguments: dict[str, Any], text: str) -> list[DisplayBlock]:
    return [DiffDisplay(str(arguments["path"]), text)]


@builtin(parallel=True, reach=writes_file, recall=_recall)
async def edit(
    path: Annotated[str, "The file, relative to the working directory or absolute"],
    edits: Annotated[list[Edit], "Replacements, all looked up in the file as it is now; they must not overlap"],
    context: ToolContext,
) -> ToolResult:
    """Do all replacements or none; the change as diff rows."""
    from zot_core.tools.text.edit_text import EditError, Replacement, edit_text  # noqa: PLC0415  1 ms, only an edit needs it

    target = await resolve(path, context)
    replacements = [Replacement(_clean(one.oldText), _clean(one.newText)) for one in edits]
    try:
        content = await context.files.read(target)
        if b"\0" in content[:_BINARY_PROBE]:
            raise ToolError(f"{path} looks binary; it cannot be edited as text")
        # Bytes that are no UTF-8 come back as they were.
        edited = edit_text(content.decode("utf-8", "surrogateescape"), replacements)
        await context.files.write(target, edited.text.encode("utf-8", "surrogateescape"))
    except EditError as error:
        raise ToolError(f"{path} was not changed: {error}") from error
    except OSError as error:
        raise explained(error, path) from error
    diff = _clean(edited.diff)
    return ToolResult(
        [TextBlock(diff)],
        details={"path": target, "edits": len(edits), "diff": diff},
        display=[DiffDisplay(path, diff, edited.starts)],
    )


def _clean(text: str) -> str:
    """Without lone surrogates, which no UTF-8 has."""
    return text.encode("utf-8", "replace").decode()
