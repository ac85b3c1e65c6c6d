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


async def test_a_server_at_an_address_is_asked_for_its_models(monkeypatch: pytest.MonkeyPatch) -> None:
    async with held_list("one", "two") as (url, answered), Driver(StartScreen(MemoryScreen(100, 30)).app) as driver:
        answered.set()
        chosen = asyncio.create_task(welcome(HostOptions(), driver.app))
        await driver.wait_for("How do you want to start?")
        driver.type("at an address<enter>")
        await driver.wait_for("Address of the server")
        driver.type("http://127.0.0.1:9/v1<enter>")
        await driver.wait_for("no server that lists models answers at http://127.0.0.1:9/v1")
        driver.type("at an address<enter>")
        await driver.wait_for("Address of the server")
        driver.type(f"{url}<enter>")
        await driver.wait_for("Which model?")
        driver.type("two<enter>")
        started = await chosen
    assert started == Welcomed(HostOptions(provider="local", model="two", base_url=url))
