"""Calls for skills, prompt templates and themes that an extension brings while it runs."""

import os

from zot_agent.extensions.calls.call import ExtensionCall
from zot_agent.extensions.discover import ResourcePaths
from zot_agent.operations.fields import OperationFailed
from zot_core.skills.discover import is_within


async def set(call: ExtensionCall) -> None:
    """Bring these resources in place of the ones of an earlier call, and return when they can be used."""
    paths = ResourcePaths(*(_paths(call, kind) for kind in ("skills", "prompts", "themes")))
    await call.services.set_resources(call.connection, paths)


def _paths(call: ExtensionCall, kind: str) -> tuple[str, ...]:
    given = call.params.get(kind) or []
    folder = os.path.realpath(call.connection.terms.launch.cwd)
    folders = [folder, *map(os.path.realpath, call.services.resource_folders(call.connection))]
    for at, path in enumerate(given):
        if not path or "\0" in path:
            raise OperationFailed("invalid", f"{kind}[{at}] is no path")
        target = os.path.realpath(os.path.join(folder, path))
        if not any(is_within(target, each) for each in folders):
            raise OperationFailed("invalid", f"{kind}: {path!r} is not in the folder of the extension")
        if not os.path.exists(target):
            raise OperationFailed("not_found", f"{kind}: {path!r} does not exist")
    return tuple(given)
