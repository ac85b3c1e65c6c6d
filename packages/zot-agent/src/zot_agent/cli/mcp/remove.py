"""`zot mcp remove NAME`: removes a server from the file that names it."""

from collections.abc import Sequence

from zot_agent.cli.ext.terminal import inline, print_line
from zot_agent.cli.mcp.servers import change, chosen_file, named_servers
from zot_agent.cli.parser import Parser
from zot_provider.errors import ConfigError, UnknownName


def run(arguments: Sequence[str]) -> int:
    """Remove one server; return 0."""
    parser = Parser(
        prog="zot mcp remove", description="Remove an MCP server: yours, or with --project that of .mcp.json."
    )
    parser.add_argument("name", metavar="NAME", help="its name")
    parser.add_argument("--project", action="store_true", help="change .mcp.json in this directory")
    asked = parser.parse_args(list(arguments))
    path = chosen_file(project=asked.project)
    found, _ = named_servers()
    there = [each.path for each in found if each.name == asked.name]
    if path not in there:
        if there:
            flag = "without --project" if asked.project else "with --project"
            own = chosen_file(project=not asked.project) in there
            advice = f"repeat this {flag}" if own else "edit that file"
            raise ConfigError(f"{inline(asked.name)} is in {there[0]}; {advice}")
        names = dict.fromkeys(each.name for each in found)
        raise UnknownName.among("MCP server", asked.name, names, "" if names else "(none is configured)")
    change(path, asked.name, None)
    print_line(f"removed {inline(asked.name)} from {path}")
    return 0
