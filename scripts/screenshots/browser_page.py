"""Takes the pictures of the page of `zot serve`, docs/images/NAME.png, in Chromium.

The server and its tools are real; only the model's words are written down beforehand. The fonts are those of the
machine, so the pictures are not compared.
"""

import asyncio
import os
import shutil
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from pathlib import Path

import project
from chromium import Tab, browser
from page_fleet import fleet, show_runs
from play import EXTENSIONS

from zot_provider.testing import ScriptedServer

SEARCHES = {"serve-search-dark": (1200, 900, "dark"), "serve-search-light": (1200, 900, "light")}
SHOTS = {
    **SEARCHES,
    "serve-dark": (1200, 900, "dark"),
    "serve-light": (1200, 900, "light"),
    "serve-narrow": (390, 844, "light"),
    "fleet-dark": (1200, 900, "dark"),
    "fleet-light": (1200, 900, "light"),
}
"""Width and height in pixels, and the colours that the person likes, by the name of the picture. In those of `SEARCHES`
the conversation is searched."""

NAMES = frozenset(SHOTS)

_TOKEN = "the token of a screenshot"
_DONE = "document.getElementById('status').innerText === 'The answer is complete'"


async def take(folder: Path, names: frozenset[str]) -> None:
    """Write these pictures into `folder`. Raises TimeoutError if the page does not get that far."""
    of_fleet = frozenset(name for name in names if name.startswith("fleet"))
    if plain := names - of_fleet:
        with ScriptedServer() as model, _home() as home:
            model.add(*project.TASK)
            async with _visited(home, _environment(home, model)) as tab:
                await _shoot(tab, folder, plain - SEARCHES.keys())
                if searched := plain & SEARCHES.keys():
                    await _search(tab)
                    await _shoot(tab, folder, searched)
    if of_fleet:
        with ScriptedServer() as model, _home() as home:
            model.add(*project.TASK)
            environment = _environment(home, model)
            with fleet(home, environment) as places:
                async with _visited(home, environment | places, "--fleet") as tab:
                    await show_runs(tab, model, home / "shop", environment | places)
                    await _shoot(tab, folder, of_fleet)


async def _shoot(tab: Tab, folder: Path, names: frozenset[str]) -> None:
    for name in sorted(names):
        width, height, likes = SHOTS[name]
        size = {"width": width, "height": height, "deviceScaleFactor": 1}
        await tab.call("Emulation.setDeviceMetricsOverride", **size, mobile=width < 600)
        colors = [{"name": "prefers-color-scheme", "value": likes}]
        await tab.call("Emulation.setEmulatedMedia", features=colors)
        await tab.value("document.getElementById('log').scrollTop = 0")
        await tab.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        await tab.screenshot(folder / f"{name}.png")


async def _converse(tab: Tab) -> None:
    """Open a session, ask, and wait until all of the answer has its colours."""
    await tab.until("document.activeElement.id === 'task'")
    await tab.press("Enter")
    await tab.until("document.getElementById('conversation').dataset.ready && document.activeElement.id === 'message'")
    await tab.type(project.PROMPT)
    await tab.press("Enter")
    await tab.until(_DONE)
    await tab.until("document.querySelector('#log .diff .added') && document.querySelector('#log .hl-keyword')")


async def _search(tab: Tab) -> None:
    """Search for a word, and go to a hit in a folded result."""
    await tab.type("/search delivery")
    await tab.press("Enter")
    await tab.until("document.activeElement.id === 'find-text'")
    for number in range(1, 4):
        await tab.until(f"document.getElementById('find-count').textContent.startsWith('{number} of')")
        await tab.press("Enter")


@contextmanager
def _home() -> Iterator[Path]:
    """A folder that is at the same place each time."""
    home = Path(tempfile.gettempdir(), "zot-page")
    home.mkdir()
    try:
        project.write(home / "shop")
        yield home
    finally:
        shutil.rmtree(home, ignore_errors=True)


def _environment(home: Path, model: ScriptedServer) -> dict[str, str]:
    return {
        "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]),
        "HOME": str(home),
        "ZOT_HOME": str(home / ".zot"),
        "LANG": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
        "ZOT_SERVE_TOKEN": _TOKEN,
        "ANTHROPIC_API_KEY": "sk-ant-not-a-key-of-anybody",
        "ANTHROPIC_BASE_URL": model.base_url("anthropic-messages"),
    }


@asynccontextmanager
async def _visited(home: Path, environment: Mapping[str, str], *more: str) -> AsyncIterator[Tab]:
    """Run `zot serve` in the project; a tab with a conversation."""
    flags = ("--listen", "127.0.0.1:0", "--provider", "anthropic", "--ext", str(EXTENSIONS / "status-line"), *more)
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "zot_agent", "serve", *flags,
        cwd=home / "shop", env=environment, stdout=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert server.stdout is not None
    try:
        async with asyncio.timeout(30):
            line = await server.stdout.readline()
        async with browser() as tab:
            await tab.go(f"{line.decode().split()[-1]}/#token={_TOKEN.replace(' ', '%20')}")
            await _converse(tab)
            yield tab
    finally:
        server.terminate()
        await server.wait()
