"""An `RpcClient` of a scripted model, and what its events say."""

import asyncio
import os
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from typing import Any

from waiting import PATIENCE

from zot_agent.client import Event, Operation, RpcClient
from zot_provider.testing import ScriptedServer


@asynccontextmanager
async def connect(server: ScriptedServer, *args: str, **options: Any) -> AsyncGenerator[RpcClient]:
    env = os.environ | {"OPENAI_API_KEY": "key", "OPENAI_BASE_URL": server.base_url("openai-chat")}
    options = {"env": env, "provider": "openai", "model": "scripted", "args": args} | options
    async with asyncio.timeout(PATIENCE), RpcClient.start(**options) as client:
        yield client


async def events_of(operation: Operation) -> list[Event]:
    return [event async for event in operation]


def types(events: list[Event]) -> list[str]:
    return [event["type"] for event in events]


def text(events: list[Event]) -> str:
    return "".join(event["delta"] for event in events if event["type"] == "text_delta")


def runs(pid: int) -> bool:
    """Whether there is a process of this id."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
