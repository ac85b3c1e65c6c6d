"""A client of `zot mcp serve`, with the package `mcp`: asks, reads progress, cancels, and asks again."""

import json
import sys

import anyio
from mcp import Client
from mcp.client.stdio import StdioServerParameters


async def main() -> None:
    command, *args = sys.argv[2:]
    steps: list[str] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        steps.append(message or "")

    server = StdioServerParameters(command=command, args=args, env=json.loads(sys.argv[1]))
    async with Client(server) as client:
        names = [tool.name for tool in (await client.list_tools()).tools]
        first = await client.call_tool("ask", {"prompt": "look"}, progress_callback=progress)
        with anyio.CancelScope() as limit:

            async def stop(done: float, total: float | None, message: str | None) -> None:
                limit.cancel()

            await client.call_tool("ask", {"prompt": "stall"}, progress_callback=stop)
        second = await client.call_tool("ask", {"prompt": "again"})
        third = await client.call_tool("ask", {"prompt": "afresh", "new_conversation": True})
        failed = await client.call_tool("ask", {"prompt": "fail"})
        texts = [each.content[0].text for each in (first, second, third, failed)]
        print(json.dumps([names, steps, limit.cancelled_caught, texts, failed.is_error]))


anyio.run(main)
