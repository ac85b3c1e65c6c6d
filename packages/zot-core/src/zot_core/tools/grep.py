"""The `grep` tool: lines of files that match a pattern, or names of files."""

from collections.abc import AsyncGenerator
from contextlib import aclosing
from typing import TYPE_CHECKING, Annotated

from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.tools.definition.bounds import AtLeast
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.paths import display_path, file_error, reads_any_file, replace_undecodable, resolve
from zot_core.tools.text.truncate import TextLimits, head_lines
from zot_provider.messages import TextBlock

if TYPE_CHECKING:
    from zot_core.tools.search.search import SearchLimits, SearchQuery, SearchResult

MATCHES = 100
NAMES = 1000
LINE_CHARACTERS = 500


@builtin(
    other_names="search grep_search search_file_content search_text rg ripgrep codebase_search",
    parallel=True,
    repeatable=True,
    file_access=reads_any_file,
)
async def grep(
    world: ToolContext,
    pattern: str | None = None,
    path: str | None = None,
    glob: Annotated[str | None, "*.ts, src/**/*.py, !*.min.js"] = None,
    *,
    ignoreCase: bool | None = None,
    literal: bool | None = None,
    context: Annotated[int | None, AtLeast(0)] = None,
    limit: Annotated[int | None, AtLeast(1)] = None,
) -> ToolResult:
    """Returns matching lines with path and number, in the order of the paths; without `pattern` the paths that match
    `glob`; hidden files too."""
    if not pattern:
        return await _names(glob, path or ".", world, limit, ignore_case=bool(ignoreCase))
    from zot_core.tools.search.search import SearchLimits, SearchQuery  # noqa: PLC0415  only a search needs it

    most = MATCHES if limit is None else limit
    query = SearchQuery(pattern, bool(literal), bool(ignoreCase), context or 0, most, LINE_CHARACTERS)
    return await run_search(query, world, path or ".", glob, SearchLimits())


async def _names(
    glob: str | None, path: str, world: ToolContext, limit: int | None, *, ignore_case: bool
) -> ToolResult:
    from zot_core.tools.search.paths import names  # noqa: PLC0415  only a search for names needs it

    if not glob:
        raise ToolError("the pattern is empty; give `pattern` to look for in files, `glob` for their names, or both")
    most = NAMES if limit is None else limit
    return await names(glob, path, world, most, anywhere=False, ignore_case=ignore_case)


async def run_search(
    query: "SearchQuery", world: ToolContext, path: str, glob: str | None, limits: "SearchLimits"
) -> ToolResult:
    """Search `path` for `query` within `limits`. ToolError for an invalid pattern or path."""
    from zot_core.tools.search.search import search  # noqa: PLC0415  only a search needs it

    if "\n" in query.pattern:
        raise ToolError("the pattern contains a line break; lines are searched one by one")
    target = await resolve(path, world)
    try:
        info = await world.files.stat(target)
        if info.kind == "other":
            raise ToolError(f"{path} is not a regular file; it cannot be searched")
        if info.kind == "directory":
            base, start = target, display_path(target, world)
            paths = _files(base, world, glob)
        else:
            base, _, name = target.rpartition("/")
            base, start = base or "/", display_path(base or "/", world)
            paths = _one(name)
        async with aclosing(paths):
            found = await search(paths, base, query, world.files, limits)
    except ValueError as error:
        raise ToolError(f"the pattern {query.pattern!r} is invalid: {error}; correct it, or set literal") from error
    except OSError as error:
        raise await file_error(error, path, world) from error
    return _result(found, start, query, limits)


async def _files(base: str, world: ToolContext, glob: str | None) -> "AsyncGenerator[str, None]":
    from zot_core.tools.search.globs import Glob  # noqa: PLC0415  only a search needs it
    from zot_core.tools.search.walk import walk  # noqa: PLC0415  as above

    try:
        wanted = None if glob is None else Glob(glob, base)
    except ValueError as error:
        raise ToolError(f"glob: {error}") from error
    async with aclosing(walk(base, world.cwd, world.files)) as entries:
        async for entry in entries:
            # The target of a link is searched at its own path, if it is in the tree.
            if (
                not entry.folder
                and not entry.link
                and (wanted is None or wanted.matches(replace_undecodable(entry.path)))
            ):
                yield entry.path


async def _one(name: str) -> "AsyncGenerator[str, None]":
    yield name


def _result(found: "SearchResult", start: str, query: "SearchQuery", limits: "SearchLimits") -> ToolResult:
    rows: list[str] = []
    last = ("", 0)
    for line in found.lines:
        if query.context and rows and last != (line.path, line.number - 1):
            rows.append("--")
        last = (line.path, line.number)
        path = replace_undecodable(f"{start}/{line.path}" if start else line.path)
        mark = ":" if line.matches else "-"
        rows.append(f"{path}{mark}{line.number}{mark} {line.text}")
    bounds = TextLimits(lines=len(rows) + 1)
    head = head_lines("\n".join(rows).encode("utf-8", "replace"), bounds)
    matches = sum(line.matches for line in found.lines)
    text = head.data.decode().removesuffix("\n") or "No matches found"
    limit = query.limit
    notices = [f"{limit} matches limit reached. Use limit={limit * 2} for more, or refine pattern"] * found.more
    notices += [f"{bounds.bytes / 1024:.1f}KB limit reached"] * head.bytes_truncated
    notices += [f"Some lines truncated to {query.width} chars. Use read tool to see full lines"] * found.cut
    notices += [f"Stopped after {limits.seconds:g} s: name a smaller directory or a simpler pattern"] * found.timed_out
    if notices:
        text += f"\n\n[{'. '.join(notices)}]"
    escaped = not matches and "\\|" in query.pattern and not query.literal
    result = ToolResult(
        [TextBlock(text)],
        details={
            "pattern": query.pattern,
            "matches": matches,
            "files": len({line.path for line in found.lines}),
            "truncated": found.more or found.timed_out or head.bytes_truncated,
            "lines_truncated": found.cut,
        },
    )
    return result.noted(["`\\|` looks for a bar; `|` separates two patterns"] if escaped else [])
