"""The `edit` tool: replace pieces of a file's text."""

import asyncio
import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from typing_extensions import TypedDict  # pydantic's, before Python 3.12

from zot_core.display import DiffDisplay, DisplayBlock, diff_details, recalled_diff
from zot_core.errors import ToolError
from zot_core.machine.process_groups import computed
from zot_core.result import ToolResult
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.edit_text import EditResult, TextReplacement
from zot_core.tools.text.encoding import UTF_8, TextEncoding, shown
from zot_core.tools.text.file_encoding import LARGEST, file_encoding
from zot_core.tools.text.paths import as_tool_error, file_error, resolve, writes_path
from zot_core.tools.text.truncate import cut_diff
from zot_provider.messages import TextBlock
from zot_provider.record import Record

_PROGRAM = """
import os, sys, types
for name in ("zot_core", "zot_core.tools", "zot_core.tools.text"):
    sys.modules[name] = types.ModuleType(name)
sys.modules[name].__path__ = [os.path.dirname(sys.argv[1])]
from zot_core.tools.text.edit_text import main
sys.exit(main())
"""
"""Runs `edit_text` with the modules beside it and nothing else: the packages around them import others, which takes
long."""

_PLACES = 20
"""Changed places of a file that the model reads."""


class EditLimits(Record):
    """The longest duration of a large edit in seconds."""

    seconds: float = 60.0


PREVIEW_LIMITS = EditLimits(2.0)
"""A person waits for the preview."""


class _Change(Record):
    """The content of the file `target` before and after, the difference, and the notes of `EditResult`."""

    target: str
    before: bytes
    content: bytes
    shown: DiffDisplay
    notes: Sequence[str]


class FileEdit(TypedDict):
    __pydantic_config__ = {"use_attribute_docstrings": True, "coerce_numbers_to_str": True}  # type: ignore[misc]  # noqa: RUF012

    oldText: str
    newText: str


_PLACE = re.compile(r"@@ -(\d{1,9}),\+(\d{1,9}) @@")


def _told(path: str, change: _Change) -> str:
    """Return what the model reads of a change: for each place a row `@@ -a,+b @@` with the numbers of the first line
    that differs, before and after. It has just written the lines, and reads them only if others were meant by it."""
    hunks = list(zip(change.shown.diff.split("\n...\n"), change.shown.starts, strict=True))
    if change.notes:
        return "\n".join(f"@@ -{old},+{new} @@\n{hunk}" for hunk, (old, new) in hunks)
    places = [place for hunk, start in hunks for place in _places(hunk, *start)]
    rows = [f"changed {path}", *(f"@@ -{old},+{new} @@" for old, new in places[:_PLACES])]
    return "\n".join([*rows, *[f"and {len(places) - _PLACES:,} more"] * (len(places) > _PLACES)])


def _places(hunk: str, old: int, new: int) -> Iterator[tuple[int, int]]:
    """Yield the numbers of the first line of each change in a part of a diff, which begins at these lines."""
    before = " "
    for row in hunk.split("\n"):
        sign = row[:1]
        if before == " " and sign in ("-", "+"):
            yield old, new
        old += sign != "+"
        new += sign != "-"
        before = sign


def _recall(arguments: dict[str, Any], text: str, details: dict[str, Any]) -> list[DisplayBlock]:
    path = str(arguments["path"])
    if stored := recalled_diff(path, details):
        return stored
    rows: list[str] = []
    starts: list[tuple[int, int]] = []
    for row in text.split("\n"):
        if found := _PLACE.fullmatch(row):
            rows += ["..."] * bool(starts)
            starts.append((int(found[1]), int(found[2])))
        else:
            rows.append(row)
    return [DiffDisplay(path, "\n".join(rows), starts)]


async def _preview(path: str, edits: list[FileEdit], context: ToolContext) -> list[DisplayBlock]:
    change = await _change(path, edits, context, PREVIEW_LIMITS)
    return [change.shown]


@builtin(
    other_names="edit_file str_replace str_replace_editor search_replace replace replace_in_file multi_edit "
    "apply_patch",
    parallel=True,
    file_access=writes_path,
    recall=_recall,
    preview=_preview,
)
async def edit(path: str, edits: list[FileEdit], context: ToolContext) -> ToolResult:
    """Apply all replacements or none; returns the numbers of the lines that have changed."""
    change = await _change(path, edits, context, EditLimits())
    try:
        await context.files.write(change.target, change.content)
    except OSError as error:
        raise as_tool_error(error, path) from error
    seen = context.seen_files.changed(await context.files.real(change.target), change.content, change.before)
    result = ToolResult(
        [TextBlock(_told(path, change))],
        details={"path": change.target, "edits": len(edits), **diff_details(change.shown)},
        kept=True,
        display=[change.shown],
        seen=seen,
    )
    return result.noted(change.notes)


async def _change(path: str, edits: list[FileEdit], context: ToolContext, limits: EditLimits) -> _Change:
    """Work out what the edits change. Raises ToolError if they cannot be applied."""
    from zot_core.tools.text import edit_text  # noqa: PLC0415  1 ms, only an edit needs it

    target = await resolve(path, context)
    replacements = [edit_text.TextReplacement(_clean(one["oldText"]), _clean(one["newText"])) for one in edits]
    try:
        before = await context.files.read(target, LARGEST + 1)
        if len(before) > LARGEST:
            raise ToolError(f"{path} has more than {LARGEST:,} bytes; change it with a command, such as sed")
        added = "".join(new for _, new in replacements)
        encoding = await file_encoding(before, path, target, context.files, added)
        content, edited = await edit_content(before, replacements, path, limits, encoding)
    except edit_text.EditError as error:
        raise ToolError(f"{path} was not changed: {error}") from error
    except OSError as error:
        raise await file_error(error, path, context) from error
    notes = [*edited.notes, encoding.note] if encoding.note else edited.notes
    return _Change(target, before, content, cut_diff(path, shown(edited.diff), edited.starts), notes)


async def edit_content(
    content: bytes,
    replacements: Sequence[TextReplacement],
    path: str,
    limits: EditLimits,
    encoding: TextEncoding = UTF_8,
) -> tuple[bytes, EditResult]:
    """Edit the content of the file `path`, a large one in a process; return the new content, and what was done (without
    the text of a large one). Raises `EditError` and `ToolError`."""
    from zot_core.tools.text import edit_text  # noqa: PLC0415  1 ms, only an edit needs it

    if not edit_text.is_quick(content, replacements):
        return await _edit_in_process(content, replacements, path, limits, encoding)
    return edit_text.edit_bytes(content, replacements, encoding.codec)


async def _edit_in_process(
    content: bytes, replacements: Sequence[TextReplacement], path: str, limits: EditLimits, encoding: TextEncoding
) -> tuple[bytes, EditResult]:
    """Apply `edit_bytes` in a process, which, unlike a thread, can be ended. Raises `EditError`, and `ToolError` after
    `limits.seconds`."""
    from zot_core.tools.text import edit_text  # noqa: PLC0415  as above

    order = json.dumps([encoding.codec, replacements]).encode()
    try:
        async with asyncio.timeout(limits.seconds):
            printed, code = await computed(("-c", _PROGRAM, edit_text.__file__), order + b"\n" + content)
    except TimeoutError:
        raise ToolError(f"{path} was not changed: it took more than {limits.seconds:g} s; make smaller edits") from None
    if code:
        raise ToolError(f"{path} was not changed: the process of the edit failed with exit code {code}")
    head, _, content = printed.partition(b"\n")
    answer = json.loads(head)
    if isinstance(answer, str):
        raise edit_text.EditError(answer)
    diff, starts, notes = answer
    return content, edit_text.EditResult("", diff, [(old, new) for old, new in starts], notes)


def _clean(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot encode."""
    return text.encode("utf-8", "replace").decode()
