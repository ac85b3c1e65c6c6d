"""`zot sessions list|show|search|export|import|prune`: the stored sessions, without a screen."""

from typing import Annotated, TypeAlias

from zot_agent.cli.verb import VerbTable

SessionName: TypeAlias = Annotated[str, "ID: the beginning of a session's id or file name, or a path"]

run = VerbTable(
    "zot sessions",
    "List, show, search, export, import and delete stored sessions.",
    {
        "list": "zot_agent.cli.sessions.listing:print_list",
        "search": "zot_agent.cli.sessions.listing:print_found",
        "show": "zot_agent.cli.sessions.listing:print_session",
        "export": "zot_agent.cli.sessions.exchange:print_export",
        "import": "zot_agent.cli.sessions.exchange:print_import",
        "prune": "zot_agent.cli.sessions.prune:print_prune",
    },
    "exit codes: 0 done, 1 nothing found, declined, or failed, 2 usage or no such session.",
)
