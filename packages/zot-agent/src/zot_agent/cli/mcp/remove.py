"""`zot mcp remove NAME`: removes a server from the file that names it."""

from zot_agent.cli.ext.terminal import inline, print_line
from zot_agent.cli.mcp.servers import change, chosen_file, named_servers
from zot_provider.errors import ConfigError, UnknownName


def remove(name: str, *, project: bool = False) -> int:
    """Remove an MCP server (also: rm). It is yours, or with --project that of .mcp.json.

    NAME: its name
    --project: change .mcp.json in this directory
    """
    path = chosen_file(project=project)
    found, _ = named_servers()
    there = [each.path for each in found if each.name == name]
    if path not in there:
        if there:
            flag = "without --project" if project else "with --project"
            own = chosen_file(project=not project) in there
            advice = f"repeat this {flag}" if own else "edit that file"
            raise ConfigError(f"{inline(name)} is in {there[0]}; {advice}")
        names = dict.fromkeys(each.name for each in found)
        raise UnknownName.among("MCP server", name, names, "" if names else "(none is configured)")
    change(path, name, None)
    print_line(f"removed {inline(name)} from {path}")
    return 0
