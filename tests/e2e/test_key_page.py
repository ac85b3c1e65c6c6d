"""The form for a key in a real browser, by the keyboard alone."""

import asyncio
import json
import sys
from asyncio.subprocess import Process
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from chromium import Tab, browser
from command import Zot
from waiting import PATIENCE

from zot_provider.testing import ScriptedServer

pytestmark = pytest.mark.needs("chromium")

STORED = "sk-typed-0123456789-secret"


@asynccontextmanager
async def form(
    zot: Zot, server: ScriptedServer, *provider: str
) -> AsyncIterator[tuple[str, asyncio.subprocess.Process]]:
    """Begin `zot auth login --page`, and give the address of the form."""
    del zot.env["OPENAI_API_KEY"]
    zot.env |= {"PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring"}
    zot.env["OPENAI_BASE_URL"] = server.base_url("openai-chat")
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "zot_agent", "auth", "login", "--page", *provider,
        cwd=zot.cwd, env=zot.env, stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    try:
        async with asyncio.timeout(PATIENCE):
            while not (line := (await process.stderr.readline()).decode()).startswith("http"):
                assert line
        yield line.strip(), process
    finally:
        if process.returncode is None:
            process.kill()
        await process.communicate()


async def end(process: Process) -> tuple[int | None, str]:
    async with asyncio.timeout(PATIENCE):
        out, _ = await process.communicate()
    return process.returncode, out.decode()


async def focused(tab: Tab, name: str) -> None:
    """Wait until the field with this id, or an element with this tag, has the focus: a page gets it after its load."""
    await tab.value(
        f"new Promise((done) => {{ const look = () => {{ const at = document.activeElement;"
        f" if ((at.id || at.tagName) === {name!r}) done(true); }};"
        " document.addEventListener('focusin', look); look(); })"
    )


async def submit(tab: Tab) -> None:
    """Press Enter, and wait for the next page."""
    before = await tab.value("performance.timeOrigin")
    await tab.press("Enter")
    async with asyncio.timeout(PATIENCE):
        while await tab.value("document.readyState === 'complete' ? performance.timeOrigin : null") in (before, None):
            pass


async def test_a_person_gives_a_key_by_the_keyboard_alone(zot: Zot, tmp_path: Path) -> None:
    with ScriptedServer(key=STORED) as server:
        async with form(zot, server, "openai") as (url, process), browser() as tab:
            await tab.go(url)
            await focused(tab, "key")
            assert await tab.value("document.getElementById('provider').value") == "openai"
            assert url.rpartition("/")[2] not in str(await tab.value("location.href"))
            await tab.type("sk-wrong-secret")
            await submit(tab)
            assert "refuses this key" in await tab.value("document.querySelector('[role=alert]').innerText")
            await focused(tab, "key")
            assert await tab.value("document.getElementById('key').value") == ""
            await tab.type(STORED)
            await tab.press("Tab")
            await focused(tab, "BUTTON")
            await submit(tab)
            assert "The key is stored" in await tab.value("document.body.innerText")
            assert await tab.value("document.querySelectorAll('script').length") == 0
            code, out = await end(process)
            assert code == 0
            assert out.startswith("OpenAI: stored in")
            # The browser reports the status 422 of a refused form.
            assert [each for each in tab.complaints if "422" not in str(each)] == []
    assert json.loads((zot.home / "auth.json").read_text()) == {"openai": {"api_key": STORED}}


async def test_the_provider_is_chosen_on_the_page(zot: Zot, tmp_path: Path) -> None:
    with ScriptedServer(key=STORED) as server:
        async with form(zot, server) as (url, process), browser() as tab:
            await tab.go(url)
            await focused(tab, "provider")
            await tab.press("O", text="O")
            await tab.press("p", text="p")
            chosen = await tab.value("document.getElementById('provider').value")
            assert chosen.startswith("op")
            await tab.value("document.getElementById('provider').value = 'openai'")
            await tab.press("Tab")
            await tab.type(STORED)
            await submit(tab)
            assert (await end(process))[0] == 0


async def test_the_page_is_closed_to_whoever_comes_second(zot: Zot, tmp_path: Path) -> None:
    with ScriptedServer(key=STORED) as server:
        async with form(zot, server, "openai") as (url, _process):
            async with browser() as tab:
                await tab.go(url)
                await focused(tab, "key")
            async with browser() as tab:
                await tab.go(url)
                assert "This address was used before" in await tab.value("document.body.innerText")
