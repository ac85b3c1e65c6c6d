"""The first screen while local servers are still asked."""

import asyncio
import json

import pytest

from zot_agent.host.options import HostOptions
from zot_agent.ui.first_run.welcome import welcome
from zot_agent.ui.start import StartScreen
from zot_tui.testing import Driver, MemoryScreen


async def test_a_server_that_answers_late_is_added_to_the_question(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    loaded = asyncio.Event()
    listed = json.dumps({"data": [{"id": "big-model"}]}).encode()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        await loaded.wait()
        writer.write(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n" % len(listed) + listed)
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/v1"
    monkeypatch.setenv("LLAMA_BASE_URL", url)
    async with server, Driver(StartScreen(MemoryScreen(100, 30)).app) as driver:
        chosen = asyncio.create_task(welcome(HostOptions(), driver.app))
        await driver.wait_for("How do you want to start?")
        assert "Looking for local servers..." in driver.screen()
        assert "use llama.cpp" not in driver.screen()
        loaded.set()
        await driver.wait_for("use llama.cpp")
        assert f"zot --base-url {url}" in driver.screen()
        driver.type("llama.cpp<enter>")
        options = await chosen
    assert options == HostOptions(provider="llama.cpp", model="big-model", base_url=url)
