"""`zot mcp serve`: offers zot to MCP clients over standard input and output."""

import json
import os
import sys
from collections.abc import Sequence
from typing import NoReturn

from zot_agent.cli.mcp.servers import extension, python
from zot_agent.cli.parser import Parser
from zot_agent.extensions.launch import environment


def run(arguments: Sequence[str]) -> int:
    """Become the server, whose process ends with its standard input; return 0 after `--help`."""
    own = list(arguments)
    if {"-h", "--help"} & set(own[:1]):
        Parser(
            prog="zot mcp serve",
            usage="zot mcp serve [FLAG ...]",
            description="Offer zot to MCP clients as a tool `ask`, over standard input and output.",
            epilog="FLAGs are the flags of zot rpc: --provider, --model, --permission-mode and so on.",
        ).print_help()
        return 0
    program, found = python(), extension()
    zot = json.dumps([sys.executable, "-m", "zot_agent", "rpc", *own])
    script = os.path.join(found.directory, found.manifest.args[0])
    sys.stdout.flush()
    return _become([program, script, "serve", zot])


def _become(command: list[str]) -> NoReturn:
    os.execve(command[0], command, environment())
