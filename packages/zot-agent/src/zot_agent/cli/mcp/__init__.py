"""The registry of `zot mcp`: `zot mcp VERB ...` calls a function of a module, which returns the exit code."""

from zot_agent.cli.parser import RowTable, VerbRow, subcommand

VERBS = {
    "list": VerbRow("zot_agent.cli.mcp.listing", "[--json]", "list the servers, without starting them"),
    "add": VerbRow("zot_agent.cli.mcp.add", "NAME URL|-- COMMAND", "add a server, and what zot needs to use it"),
    "remove": VerbRow("zot_agent.cli.mcp.remove", "NAME", "remove a server (also: rm)"),
    "login": VerbRow("zot_agent.cli.mcp.login", "NAME", "sign in to a server behind a URL"),
    "doctor": VerbRow("zot_agent.cli.mcp.doctor", "[NAME]", "connect to the servers and show what they offer"),
    "serve": VerbRow("zot_agent.cli.mcp.serve", "", "offer zot to MCP clients, over stdin and stdout"),
}
_TABLE = RowTable("zot mcp", "Use the tools, prompts and resources of MCP servers.", VERBS, "", "NAME")

run = subcommand()(_TABLE.run)
"""Runs `zot mcp` with the arguments behind `mcp`; returns 0, 1 for a finding, 2 for a mistake."""

build_parser = _TABLE.build_parser
