"""An `RpcClient` of a scripted model, and what its events say."""

import asyncio
import os
import sys
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from python_forks import zot_python
from waiting import PATIENCE

from zot_agent.client import Event, Operation, RpcClient
from zot_provider.testing import ScriptedServer


@asynccontextmanager
async def connect(server: ScriptedServer, *args: str, new: bool = False, **options: Any) -> AsyncGenerator[RpcClient]:
    """Connect to a `zot rpc`, in a `new` Python where the process itself is looked at."""
    env = os.environ | {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": server.base_url("openai-chat")}
    command = (sys.executable if new else zot_python(), "-m", "zot_agent", "rpc")
    options = {"env": env, "provider": "openai", "model": "scripted", "args": args, "command": command} | options
    async with asyncio.timeout(PATIENCE), RpcClient.start(**options) as client:
        yield client


async def events_of(operation: Operation) -> list[Event]:
    return [event async for event in operation]


def types(events: list[Event]) -> list[str]:
    return [event["type"] for event in events]


def text(events: list[Event]) -> str:
    return "".join(event["delta"] for event in events if event["type"] == "text_delta")
