"""`ServerFiles`: the MCP servers that an editor names, as files for the extension that uses them."""

import json
import os
import tempfile
from collections.abc import Sequence
from typing import Any

from zot_agent.acp.calls import Json


class ServerFiles:
    """A file for each session with servers; only the person can read it, because it may have tokens in it."""

    def __init__(self) -> None:
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._count = 0

    def write(self, servers: Sequence[Any]) -> list[str]:
        """Write the servers, models of the protocol, and return the files to use; none without servers."""
        if not servers:
            return []
        if self._folder is None:
            self._folder = tempfile.TemporaryDirectory(prefix="zot-acp-")
        self._count += 1
        path = os.path.join(self._folder.name, f"{self._count}.json")
        named = {each.name: _server(each.model_dump(mode="json", by_alias=True, exclude_none=True)) for each in servers}
        with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            json.dump({"mcpServers": named}, file)
        return [path]

    def close(self) -> None:
        if self._folder is not None:
            self._folder.cleanup()


def _server(given: Json) -> Json:
    """Return a server in the form of `mcp.json`: pairs are an object there."""
    pairs = {
        name: {each["name"]: each["value"] for each in given[name]} for name in ("env", "headers") if given.get(name)
    }
    return {name: given[name] for name in ("type", "command", "args", "url") if name in given} | pairs
