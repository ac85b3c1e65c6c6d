"""`find_paths`: the search for paths by pattern that the tools `find` and `glob` share."""

from zot_core.errors import ToolError
from zot_core.tools.definition.context import ToolContext
from zot_core.tools.search.globs import Glob
from zot_core.tools.search.walk import WalkLimits, WalkResult, walked
from zot_core.tools.text.paths import display_path, file_error, replace_undecodable, resolve


async def find_paths(
    pattern: str,
    path: str,
    context: ToolContext,
    *,
    count: int,
    limits: WalkLimits,
    folders: bool = True,
    anywhere: bool = True,
    hidden: bool = True,
) -> WalkResult:
    """Find the first `count` paths below `path` that match `pattern`, written as the model reads them.

    `folders` includes directories, `hidden` names that begin with a dot (which a pattern may also name); `anywhere` as
    in `Glob`. ToolError for an invalid pattern, or if `path` cannot be listed.
    """
    target = await resolve(path, context)
    try:
        glob = Glob(pattern, target, anywhere=anywhere)
        found = await walked(
            target,
            context.cwd,
            context.files,
            lambda entry: (
                (folders or not entry.folder) and glob.matches(replace_undecodable(entry.path.removesuffix("/")))
            ),
            count=count,
            limits=limits,
            hidden=hidden or glob.names_hidden,
        )
    except ValueError as error:
        raise ToolError(str(error)) from error
    except NotADirectoryError as error:
        raise ToolError(f"{path} is not a directory; name one to look in") from error
    except OSError as error:
        raise await file_error(error, path, context) from error
    start = display_path(target, context)
    found.paths = [replace_undecodable(f"{start}/{each}" if start else each) for each in found.paths]
    return found
