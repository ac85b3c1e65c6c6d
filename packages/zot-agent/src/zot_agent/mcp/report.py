"""`print_report`: connects to every server once and prints what became of it, a line of JSON each."""

import json
import os
import sys
from collections.abc import AsyncGenerator, Sequence
from typing import Any

import anyio
import httpx2
from mcp_types import ElicitResult, ErrorData

from zot_agent.mcp.config import PROGRESS, McpServerConfig, read_servers
from zot_agent.mcp.names import names_of
from zot_agent.mcp.person import REFUSED
from zot_agent.mcp.server import McpServer

SHOWN_SECONDS = 5.0
"""How often a line says what a server does that starts slowly."""


class _Nobody:
    """An owner of servers that makes no calls, and so answers no questions of servers."""

    def __init__(self) -> None:
        self.cwd = os.getcwd()

    def changed(self, server: McpServer) -> None:
        """Do nothing."""

    def log(self, text: str) -> None:
        """Write the line to standard error."""
        sys.stderr.write(f"{text}\n")

    def auth(self, config: McpServerConfig) -> "_NoToken":
        """Have no tokens: zot keeps them, for extensions."""
        return _NoToken()

    async def sample(self, server: McpServer, params: Any) -> Any:
        return ErrorData(code=REFUSED, message="sampling is possible during a call only")

    async def elicit(self, server: McpServer, params: Any) -> Any:
        return ElicitResult(action="cancel")


class _NoToken(httpx2.Auth):
    """Notices that a server wants a token."""

    refused = False

    async def async_auth_flow(self, request: Any) -> AsyncGenerator[Any, Any]:
        response = yield request
        self.refused = response.status_code == 401


def print_report(files: Sequence[str]) -> int:
    """Print the report; return 0, or 1 if a server cannot be used."""
    servers, problems = read_servers(files)
    reports = anyio.run(_reports, servers)
    for each in [*({"problem": text} for text in problems), *reports]:
        sys.stdout.write(json.dumps(each) + "\n")
    return int(bool(problems) or any(each["problem"] for each in reports))


async def _reports(configs: Sequence[McpServerConfig]) -> list[dict[str, Any]]:
    found: dict[str, dict[str, Any]] = {}
    async with anyio.create_task_group() as tasks:
        for config in configs:
            tasks.start_soon(_report, config, found)
    return [found[config.name] for config in configs]


async def _report(config: McpServerConfig, found: dict[str, dict[str, Any]]) -> None:
    server = McpServer(config, _Nobody())
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(server.run)
        while not server.settled.is_set():
            with anyio.move_on_after(SHOWN_SECONDS):
                await server.settled.wait()
                break
            sys.stderr.write(f"{PROGRESS}{config.name} {server.progress}\n")
            sys.stderr.flush()
        offer = server.lists.offer
        found[config.name] = {
            "server": config.name,
            "problem": f"the server {server.problem}" if server.problem else "",
            "token_key": config.token_key if server.auth is not None and server.auth.refused else "",
            "title": offer.title,
            "protocol": offer.protocol,
            "tools": list(names_of(config.name, [each.name for each in offer.tools]).values()),
            "prompts": list(names_of(config.name, [each.name for each in offer.prompts]).values()),
            "resources": [str(each.uri) for each in offer.resources],
            "left_out": server.lists.left_out,
        }
        tasks.cancel_scope.cancel()
