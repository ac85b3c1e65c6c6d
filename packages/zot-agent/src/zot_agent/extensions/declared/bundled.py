"""`bundled_mcp`: the extension for MCP servers, which is part of zot and runs where a file names servers."""

import os
from collections.abc import Sequence

import zot_agent
from zot_agent.extensions.discover import DiscoveredExtension, read_extension

MCP_FOLDER = os.path.join(os.path.dirname(zot_agent.__file__), "mcp")


def bundled_mcp(files: Sequence[str]) -> DiscoveredExtension:
    """Return the extension for the servers that `files` name, of which the first ones take precedence."""
    from zot_ext.manifest import Manifest  # noqa: PLC0415  only where there is an extension

    found = read_extension(MCP_FOLDER, "bundled")
    assert isinstance(found, DiscoveredExtension)  # it is part of zot
    words = [word for path in files for word in ("--file", os.path.abspath(path))]
    fields = {name: getattr(found.manifest, name) for name in Manifest.__fields__}
    found.manifest = Manifest(**fields | {"args": (*found.manifest.args, *words)})
    found.reads = [os.path.realpath(path) for path in files]
    return found
