"""`zot mcp list`: lists the servers that are named for the working directory; it starts none."""

import sys
from json import dumps

from zot_agent.cli.ext.terminal import print_line, print_table
from zot_agent.cli.mcp.servers import named_servers
from zot_agent.cli.verb import Json
from zot_agent.standard_error import print_error


def print_servers(*, json: Json = False) -> int:
    """List the MCP servers, without starting them. The files name them: the project's, then yours.


    state: on, off (disabled), hidden (another one of its name takes precedence), untrusted (of a project that you have
    not allowed)
    """
    found, problems = named_servers()
    if json:
        servers = [{"name": each.name, "state": each.state, "what": each.what, "file": each.path} for each in found]
        sys.stdout.write(dumps({"servers": servers, "problems": problems}) + "\n")
    elif found:
        print_table(
            [("name", "state", "what", "file"), *((each.name, each.state, each.what, each.path) for each in found)]
        )
    elif not problems:
        print_line("no MCP server is configured; add one with zot mcp add NAME URL, or zot mcp add NAME -- COMMAND ...")
    for problem in problems if not json else ():
        print_error(problem)
    return int(bool(problems))
