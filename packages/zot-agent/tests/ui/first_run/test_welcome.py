"""The first screen while local servers are still asked."""

import asyncio

import pytest
from held_list import held_list

from zot_agent.host.options import HostOptions
from zot_agent.ui.first_run.welcome import Welcomed, welcome
from zot_agent.ui.start import StartScreen
from zot_tui.testing import Driver, MemoryScreen


async def test_a_server_that_answers_late_is_added_to_the_question(monkeypatch: pytest.MonkeyPatch) -> None:
    async with held_list("big-model") as (url, answered), Driver(StartScreen(MemoryScreen(100, 30)).app) as driver:
        monkeypatch.setenv("LLAMA_BASE_URL", url)
        chosen = asyncio.create_task(welcome(HostOptions(), driver.app))
        await driver.wait_for("How do you want to start?")
        assert "Looking for local servers..." in driver.screen()
        assert "use llama.cpp" not in driver.screen()
        answered.set()
        await driver.wait_for("use llama.cpp")
        assert f"zot --base-url {url}" in driver.screen()
        driver.type("llama.cpp<enter>")
        started = await chosen
    assert started == Welcomed(HostOptions(provider="llama.cpp", model="big-model", base_url=url))
