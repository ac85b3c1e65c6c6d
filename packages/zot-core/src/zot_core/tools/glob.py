"""The `glob` tool: files whose paths fit a pattern."""

from typing import Annotated

from zot_core.display import FilesDisplay
from zot_core.errors import ToolError
from zot_core.result import ToolResult
from zot_core.tools.definition.builtin import builtin
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.text.paths import explained, printable, reads_tree, resolve, told
from zot_provider.messages import TextBlock

MATCHES = 500
DEPTH = 24


@builtin(parallel=True, reach=reads_tree)
async def glob(
    pattern: Annotated[str, "Such as *.py (at any depth), src/**/*.ts, *.{js,jsx}"],
    context: ToolContext,
    path: Annotated[str, "The directory to look in; the working directory if left out"] = ".",
    *,
    hidden: Annotated[bool, "Also what begins with a dot"] = False,
) -> ToolResult:
    """At most 500 paths of files, sorted, up to 24 directories deep."""
    from zot_core.tools.search.globs import Glob  # noqa: PLC0415  only a search needs it
    from zot_core.tools.search.walk import WalkLimits, walked  # noqa: PLC0415  as above

    target = await resolve(path, context)
    limits = WalkLimits(depth=DEPTH)
    try:
        wanted = Glob(pattern, target)
        found = await walked(
            target,
            context.cwd,
            context.files,
            lambda entry: not entry.folder and wanted.matches(entry.path),
            count=MATCHES,
            limits=limits,
            hidden=hidden or wanted.names_hidden,
        )
    except ValueError as error:
        raise ToolError(str(error)) from error
    except NotADirectoryError as error:
        raise ToolError(f"{path} is not a directory; name one to look in") from error
    except OSError as error:
        raise explained(error, path) from error
    start = told(target, context)
    paths = [printable(f"{start}/{each}" if start else each) for each in found.paths]
    text = "\n".join(paths) or "No files matched the pattern."
    if found.more:
        text += f"\n\n(Truncated: showing first {MATCHES} matches)"
    if found.timed_out:
        text += f"\n\n(Stopped after {limits.seconds:g} s: name a smaller directory)"
    return ToolResult(
        [TextBlock(text)],
        details={"pattern": pattern, "matches": len(paths), "truncated": found.more or found.timed_out},
        display=[FilesDisplay(paths)],
    )
