"""`zot serve` in the test's own process, on a real socket, and a model server that says what was written for it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from chromium import Tab, browser
from served import TOKEN, Served, Serving
from visited_page import Visiting
from waiting import PATIENCE

from zot_agent.host.options import HostOptions
from zot_agent.serve.address import Address
from zot_agent.serve.limits import ServeLimits
from zot_agent.serve.server import ServeConfig, running
from zot_provider.testing import ScriptedServer


@pytest.fixture
def serving(server: ScriptedServer, alone: Path) -> Serving:
    @asynccontextmanager
    async def begin(**given: Any) -> AsyncIterator[Served]:
        mine = {
            name: given.pop(name) for name in ("roots", "names", "address", "defaults", "registry") if name in given
        }
        defaults = HostOptions(
            provider="openai", model="scripted", base_url=server.base_url("openai-chat"), api_key="sk-test",
            cwd=str(alone), no_session=True,
        ).replace(**mine.pop("defaults", {}))  # fmt: skip
        service = ServeConfig(
            mine.pop("address", Address(host="127.0.0.1")), TOKEN, defaults,
            limits=ServeLimits().replace(**given), **mine,
        )  # fmt: skip
        async with running(service) as address:
            headers = {"authorization": f"Bearer {TOKEN}"}
            transport = httpx.AsyncHTTPTransport(uds=address.path) if address.path else None
            base = "http://localhost" if address.path else str(address)
            async with httpx.AsyncClient(
                base_url=base, headers=headers, timeout=PATIENCE, transport=transport, trust_env=False
            ) as http:
                yield Served(address, http)

    return begin


@pytest.fixture
def visiting(serving: Serving, tmp_path: Path) -> Visiting:
    """A server, and a tab that has come in."""

    @asynccontextmanager
    async def begin(**given: Any) -> AsyncIterator[tuple[Served, Tab]]:
        async with serving(**given) as served, browser() as tab:
            await tab.go(f"{served.address}/#token={TOKEN.replace(' ', '%20')}")
            await tab.until("!document.getElementById('workplace').hidden")
            yield served, tab
            assert tab.complaints == []

    return begin
