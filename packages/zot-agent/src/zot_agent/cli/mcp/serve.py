"""`zot mcp serve`: offers zot to MCP clients over standard input and output."""

import json
import os
import sys
from typing import NoReturn

from zot_agent.cli.mcp.servers import extension, python
from zot_agent.extensions.launch import environment


def serve(*options: str) -> int:
    """Offer zot to MCP clients as a tool `ask`, over standard input and output. It takes the options of zot rpc:
    --provider, --model, --permission-mode and so on.
    """
    program, found = python(), extension()
    zot = json.dumps([sys.executable, "-m", "zot_agent", "rpc", *options])
    script = os.path.join(found.directory, found.manifest.args[0])
    sys.stdout.flush()
    return _become([program, script, "serve", zot])


def _become(command: list[str]) -> NoReturn:
    os.execve(command[0], command, environment())
