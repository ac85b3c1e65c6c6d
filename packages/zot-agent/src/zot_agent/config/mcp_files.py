"""Where MCP servers are named: the files of a project and of the person."""

import os

MCP_FILE = "mcp.json"
PROJECT_FILES = (os.path.join(".zot", MCP_FILE), ".mcp.json")
"""In a project, the first before the second, which other agents share."""


def personal_file(home: str) -> str:
    """Return the path of the person's own file, in zot's own folder `home`."""
    return os.path.join(home, MCP_FILE)


def project_files(cwd: str, home: str) -> list[str]:
    """List those files of the project in `cwd` that are there; in the parent of `home` they are the person's own."""
    own = os.path.realpath(personal_file(home))
    paths = [os.path.join(cwd, name) for name in PROJECT_FILES]
    return [path for path in paths if os.path.lexists(path) and os.path.realpath(path) != own]


def mcp_files(cwd: str, home: str, *, project: bool) -> list[str]:
    """List the files that are there, of which the first ones take precedence; with `project` also the files of the
    project in `cwd`."""
    own = personal_file(home)
    return [*(project_files(cwd, home) if project else []), *([own] if os.path.exists(own) else [])]
