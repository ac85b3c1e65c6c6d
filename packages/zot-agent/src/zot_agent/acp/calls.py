"""Tool calls in the form of the protocol: title, kind, files, changes, result.

The kind of a call follows from its display blocks, or from its arguments if it has none yet; no tool is known by name.
"""

import os
import re
from collections.abc import Sequence
from typing import Any, TypeAlias

from zot_core.display import (
    CodeDisplay,
    DiffDisplay,
    DisplayBlock,
    FilesDisplay,
    ImageDisplay,
    MarkdownDisplay,
    Recaller,
    TerminalDisplay,
    TextDisplay,
    TodoDisplay,
    main_argument,
)
from zot_provider.messages import ImageBlock, TextBlock
from zot_tui.text.ansi import strip_ansi
from zot_tui.text.sanitize import reveal

Json: TypeAlias = dict[str, Any]

_HINTS = {"command": "execute", "url": "fetch", "pattern": "search", "glob": "search", "query": "search"}
"""The kind of a call by the name of an argument, used until there are display blocks."""
_PATHS = ("path", "file_path")
_REPLACEMENTS = (("oldText", "newText"), ("old_text", "new_text"), ("old_string", "new_string"))
_TITLE = 200
"""Characters of a title."""


def title(name: str, arguments: str) -> str:
    """Return a line with the tool and its main argument, in which nothing is hidden: a person may have to judge it."""
    text = " ".join(reveal(f"{name} {main_argument(arguments)}").replace("\n", " ↵ ").split())
    return text if len(text) <= _TITLE else f"{text[: _TITLE - 1]}…"


def preview(tool: Recaller | None, arguments: Json) -> list[DisplayBlock]:
    """Return the display blocks that the tool can make from the arguments alone."""
    try:
        return [] if tool is None else tool.recall(arguments, "")
    except (KeyError, TypeError, ValueError):  # the tool will reject these arguments
        return []


def kind(display: Sequence[DisplayBlock], arguments: Json) -> str:
    """Return the protocol's `ToolKind`. Source text is an edit if the model wrote it, otherwise it was read."""
    for block in display:
        if isinstance(block, DiffDisplay) or (isinstance(block, CodeDisplay) and is_written(block, arguments)):
            return "edit"
        if isinstance(block, TerminalDisplay):
            return "execute"
        if isinstance(block, CodeDisplay | ImageDisplay):
            return "read"
        if isinstance(block, FilesDisplay):
            return "search"
    return next((hint for name, hint in _HINTS.items() if isinstance(arguments.get(name), str)), "other")


def is_written(block: CodeDisplay, arguments: Json) -> bool:
    """Whether the text of the block is one of the arguments."""
    return block.text in [value for value in arguments.values() if isinstance(value, str)]


def locations(display: Sequence[DisplayBlock], arguments: Json, cwd: str) -> list[Json]:
    """List the files of a call as absolute paths, with line numbers from 1 where known."""
    found: dict[str, Json] = {}

    def add(path: str, line: int | None = None) -> None:
        path = os.path.join(cwd, os.path.expanduser(path))
        found.setdefault(path, {"path": path} if line is None else {"path": path, "line": line})

    for block in display:
        if isinstance(block, CodeDisplay):
            add(block.path, block.start_line)
        elif isinstance(block, DiffDisplay):
            add(block.path, block.starts[0][1] if block.starts else None)
    if not found:
        for name in _PATHS:
            if isinstance(arguments.get(name), str) and arguments[name].strip():
                add(arguments[name])
    return list(found.values())


def requested_changes(arguments: Json, cwd: str) -> list[Json]:
    """Return the diffs that the arguments describe: a path, and pairs of an old and a new text."""
    path = next((arguments[name] for name in _PATHS if isinstance(arguments.get(name), str)), "")
    places = [arguments, *(each for value in arguments.values() if isinstance(value, list) for each in value)]
    return [
        diff(path, place[old], place[new], cwd)
        for place in places
        if path and isinstance(place, dict)
        for old, new in _REPLACEMENTS
        if isinstance(place.get(old), str) and isinstance(place.get(new), str)
    ]


def diff(path: str, old: str | None, new: str, cwd: str) -> Json:
    """Return a change of a file; `old` is None for a new file."""
    changed = {"type": "diff", "path": os.path.join(cwd, os.path.expanduser(path)), "newText": new}
    return changed if old is None else changed | {"oldText": old}


def hunks(block: DiffDisplay, cwd: str) -> list[Json]:
    """Return a diff for each changed place; empty if the rows are not a context diff."""
    found: list[Json] = []
    old: list[str] = []
    new: list[str] = []
    changed = False
    for row in [*block.diff.split("\n"), "..."]:
        if row == "...":
            if changed:
                found.append(diff(block.path, _lines(old) if old else None, _lines(new), cwd))
            old, new, changed = [], [], False
        elif row[:1] not in (" ", "-", "+") or not row:
            return []
        else:
            changed = changed or row[0] != " "
            old += [row[1:]] if row[0] != "+" else []
            new += [row[1:]] if row[0] != "-" else []
    return found


def _lines(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def content_of(display: Sequence[DisplayBlock], cwd: str) -> list[Json]:
    return [content for block in display for content in _block_content(block, cwd)]


def _block_content(block: DisplayBlock, cwd: str) -> list[Json]:
    if isinstance(block, DiffDisplay):
        return hunks(block, cwd) or [text(fenced(block.diff, "diff"))]
    if isinstance(block, ImageDisplay):
        return [_content({"type": "image", "mimeType": block.mime_type, "data": block.data})]
    if isinstance(block, TerminalDisplay):
        end = {None: "stopped", 0: ""}.get(block.exit_code, f"exit code {block.exit_code}")
        printed = fenced(f"$ {block.command}\n{block.output}", "console")
        return [text("\n".join(filter(None, [printed, end])))]
    if isinstance(block, CodeDisplay):
        return [text(fenced(block.text))]
    if isinstance(block, FilesDisplay):
        return [text(fenced("\n".join(block.paths)))]
    if isinstance(block, TodoDisplay):
        return [text("\n".join(f"- {each.status.replace('_', ' ')}: {plain(each.content)}" for each in block.items))]
    if isinstance(block, MarkdownDisplay):
        return [text(block.text)] if block.text else []
    return [text(fenced(block.text) if "\n" in block.text.strip() else plain(block.text))] if block.text else []


def default_display(content: Sequence[TextBlock | ImageBlock]) -> list[DisplayBlock]:
    """Return display blocks for a result that has none: the content that the model reads."""
    return [
        ImageDisplay(block.mime_type, block.data) if isinstance(block, ImageBlock) else TextDisplay(block.text)
        for block in content
    ]


def text(words: str) -> Json:
    """Return Markdown text as content of a tool call."""
    return _content({"type": "text", "text": words})


def _content(block: Json) -> Json:
    return {"type": "content", "content": block}


def fenced(words: str, language: str = "") -> str:
    """Return a Markdown code block; its fence is longer than any run of backticks in the text."""
    longest = max((len(run) for run in re.findall("`+", words)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{language}\n{plain(words).strip(_BREAKS)}\n{fence}"


_BREAKS = "\r\n"


def plain(words: str) -> str:
    """Remove control sequences such as colours, which editors do not show."""
    return strip_ansi(words)
