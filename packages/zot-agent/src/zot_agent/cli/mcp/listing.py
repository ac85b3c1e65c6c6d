"""`zot mcp list`: lists the servers that are named for the working directory; it starts none."""

import json
import sys
from collections.abc import Sequence

from zot_agent.cli.ext.terminal import print_line, print_table
from zot_agent.cli.mcp.servers import named_servers
from zot_agent.cli.parser import Parser
from zot_agent.standard_error import print_error


def run(arguments: Sequence[str]) -> int:
    """Print the servers; return 0, or 1 if a file cannot be read."""
    parser = Parser(
        prog="zot mcp list",
        description="List the MCP servers that the files name: the project's, then yours.",
        epilog="state: on, off (disabled), hidden (another one of its name takes precedence), untrusted (of a project "
        "that you have not allowed)",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    as_json = parser.parse_args(list(arguments)).json
    found, problems = named_servers()
    if as_json:
        servers = [{"name": each.name, "state": each.state, "what": each.what, "file": each.path} for each in found]
        sys.stdout.write(json.dumps({"servers": servers, "problems": problems}) + "\n")
    elif found:
        print_table(
            [("name", "state", "what", "file"), *((each.name, each.state, each.what, each.path) for each in found)]
        )
    elif not problems:
        print_line("no MCP server is configured; add one with zot mcp add NAME URL, or zot mcp add NAME -- COMMAND ...")
    for problem in problems if not as_json else ():
        print_error(problem)
    return int(bool(problems))
