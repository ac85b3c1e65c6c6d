"""`zot mcp VERB ...`: the MCP servers that files name."""

from zot_agent.cli.verb import VerbTable

run = VerbTable(
    "zot mcp",
    "Use the tools, prompts and resources of MCP servers.",
    {
        "list": "zot_agent.cli.mcp.listing:print_servers",
        "add": "zot_agent.cli.mcp.add:add",
        "remove": "zot_agent.cli.mcp.remove:remove",
        "login": "zot_agent.cli.mcp.login:log_in",
        "doctor": "zot_agent.cli.mcp.doctor:doctor",
        "serve": "zot_agent.cli.mcp.serve:serve",
    },
)
"""Returns 0, 1 for a finding, 2 for a mistake."""
