"""The registry of `zot mcp`: `zot mcp VERB ...` calls a function of a module, which returns the exit code."""

import sys
from collections.abc import Callable, Sequence
from importlib import import_module

from zot_agent.cli.parser import Parser, subcommand
from zot_provider.errors import UnknownName

VERBS = {
    "list": ("zot_agent.cli.mcp.listing", "[--json]", "list the servers, without starting them"),
    "add": ("zot_agent.cli.mcp.add", "NAME URL|-- COMMAND", "add a server, and what zot needs to use it"),
    "remove": ("zot_agent.cli.mcp.remove", "NAME", "remove a server (also: rm)"),
    "login": ("zot_agent.cli.mcp.login", "NAME", "sign in to a server behind a URL"),
    "doctor": ("zot_agent.cli.mcp.doctor", "[NAME]", "connect to the servers and show what they offer"),
    "serve": ("zot_agent.cli.mcp.serve", "", "offer zot to MCP clients, over stdin and stdout"),
}
"""The module, the arguments and the help of each verb."""
ALIASES = {"rm": "remove", "ls": "list"}


@subcommand()
def run(arguments: Sequence[str]) -> int:
    """Run `zot mcp` with `arguments` (those after `mcp`); return 0, 1 for a finding, 2 for a mistake."""
    word = arguments[0] if arguments else "--help"
    if word in ("--help", "-h", "help"):
        sys.stdout.write(usage())
        return 0
    name = ALIASES.get(word, word)
    if name not in VERBS:
        raise UnknownName.among("command", f"zot mcp {word}", [f"zot mcp {each}" for each in VERBS])
    function: Callable[[Sequence[str]], int] = import_module(VERBS[name][0]).run
    return function(arguments[1:])


def build_parser() -> Parser:
    """Build a parser with the names of the verbs; each verb parses its own arguments."""
    parser = Parser(prog="zot mcp")
    verbs = parser.add_subparsers()
    for name, (_, _, text) in VERBS.items():
        verbs.add_parser(name, help=text).add_argument("name", nargs="*", metavar="NAME")
    return parser


def usage() -> str:
    """Return the help of `zot mcp`, made from the registry."""
    lines = [(f"  {name} {arguments}".rstrip(), text) for name, (_, arguments, text) in VERBS.items()]
    width = max(len(left) for left, _ in lines) + 2
    return (
        "usage: zot mcp COMMAND ...\n\n"
        "Use the tools, prompts and resources of MCP servers.\n\n"
        "commands:\n" + "".join(f"{left.ljust(width)}{right}\n" for left, right in lines) + "\n"
        "See zot mcp COMMAND --help for the options of a command.\n"
    )
