"""`Tab` and `browser`: a real browser that a test drives over the DevTools protocol. Needs Chromium."""

import asyncio
import atexit
import itertools
import json
import os
import shutil
import signal
import subprocess
import tempfile
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import websockets
from waiting import PATIENCE, wait_until
from websockets.asyncio.client import ClientConnection

SWITCHES = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --remote-debugging-port=0 "
    "--window-size=1200,800 --disable-features=BackForwardCache,SpareRendererForSitePerProcess"
)


class Tab:
    """A tab of a browser, over the DevTools protocol. `complaints`: what it had to say on its console."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection
        self._numbers = itertools.count(1)
        self._navigated = ""  # the loader of the document that is there
        self._loaded = ""  # that of the last document of which everything is there
        self.complaints: list[Any] = []

    async def call(self, method: str, **params: Any) -> dict[str, Any]:
        number = next(self._numbers)
        await self._connection.send(json.dumps({"id": number, "method": method, "params": params}))
        message: dict[str, Any] = {}
        while message.get("id") != number:
            message = await self._next()
        assert "error" not in message, message
        result: dict[str, Any] = message["result"]
        return result

    async def _next(self) -> dict[str, Any]:
        async with asyncio.timeout(PATIENCE):
            message: dict[str, Any] = json.loads(await self._connection.recv())
        if message.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown"):
            self.complaints.append(message["params"])
        if message.get("method") == "Page.javascriptDialogOpening":  # the page asks whether it is sure
            said = {"id": next(self._numbers), "method": "Page.handleJavaScriptDialog", "params": {"accept": True}}
            await self._connection.send(json.dumps(said))
        frame = message["params"]["frame"] if message.get("method") == "Page.frameNavigated" else {"parentId": ""}
        if "parentId" not in frame:
            self._navigated = frame["loaderId"]
        if message.get("method") == "Page.loadEventFired":
            self._loaded = self._navigated
        return message

    async def load(self, method: str, **params: Any) -> None:
        """Navigate, or reload, and wait until everything is there."""
        before = self._navigated
        loader = (await self.call(method, **params)).get("loaderId")  # a reload does not name it
        # The load of a document before this one may be reported only now.
        while self._loaded != loader if loader else self._loaded in ("", before):
            await self._next()

    async def value(self, script: str) -> Any:
        """What a script gives, or the promise that it gives."""
        found = await self.call("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in found, found
        return found["result"].get("value")

    async def until(self, script: str) -> Any:
        """What a script gives once that is true; it is asked whenever the page has changed, and every now and then,
        because the focus, the contents of a field and the like are no change of the page."""
        return await self.value(
            f"new Promise((done) => {{ let seen, timer; const look = () => {{ const found = ({script});"
            " if (found) { seen?.disconnect(); clearInterval(timer); done(found); } return found; };"
            " if (look()) return; timer = setInterval(look, 100); seen = new MutationObserver(look);"
            " seen.observe(document, { subtree: true, childList: true, attributes: true, characterData: true }); })"
        )

    async def go(self, url: str) -> None:
        await self.load("Page.navigate", url=url)

    async def type(self, text: str) -> None:
        await self.call("Input.insertText", text=text)

    async def press(self, key: str, **more: Any) -> None:
        codes = {"Enter": 13, "Escape": 27, "Tab": 9}
        text = {"text": "\r"} if key == "Enter" else {}
        code = codes.get(key, ord(key[0].upper()))
        for kind in ("keyDown", "keyUp"):
            await self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                code=key,
                windowsVirtualKeyCode=code,
                **text,
                **more,
            )

    async def complained(self) -> list[Any]:
        """What it has to say on its console, once that has come; then it is forgotten."""
        while not self.complaints:
            await self._next()
        found = self.complaints[:]
        self.complaints.clear()
        return found

    async def forget(self) -> None:
        """Leave the page, and what it has stored: the tab is as a new one."""
        await self.value(
            "location.protocol == 'about:' || [localStorage, sessionStorage].forEach((each) => each.clear())"
        )
        await self.load("Runtime.evaluate", expression="location.replace('about:blank')")
        for method in ("Network.clearBrowserCookies", "Network.clearBrowserCache", "Page.resetNavigationHistory"):
            await self.call(method)
        await self.call("Log.clear")  # a tab tells whoever comes next what it has had to say

    async def screenshot(self, path: Path) -> None:
        """Save a picture of what is seen."""
        path.write_bytes(b64decode((await self.call("Page.captureScreenshot", format="png"))["data"]))


class _Chromium:
    """A running browser, which ends with this process. `place`: host and port of its DevTools."""

    def __init__(self, program: str) -> None:
        self._folder = tempfile.mkdtemp(prefix="zot-chromium-")
        self._process = subprocess.Popen(
            [program, *SWITCHES.split(), f"--user-data-dir={self._folder}", "about:blank"],
            env={"PATH": os.environ["PATH"], "HOME": self._folder}, cwd=self._folder, start_new_session=True,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        atexit.register(self._end)
        port = Path(self._folder, "DevToolsActivePort")
        wait_until(lambda: self._process.poll() is not None or (port.exists() and port.read_text().count("\n")))
        assert self._process.poll() is None, "chromium did not start"
        number, path = port.read_text().split("\n")
        self.place = f"ws://127.0.0.1:{number}"
        self.url = self.place + path
        self.idle: list[str] = []
        """Tabs that nobody uses: a new one takes most of a second of the processor."""

    def _end(self) -> None:
        with suppress(ProcessLookupError):
            os.killpg(self._process.pid, signal.SIGKILL)
        self._process.wait()
        shutil.rmtree(self._folder, ignore_errors=True)


@cache
def _chromium(program: str) -> _Chromium:
    """Start the browser of this process: starting one takes seconds."""
    return _Chromium(program)


@asynccontextmanager
async def browser() -> AsyncIterator[Tab]:
    """A tab with cookies and stores that no other one shares."""
    program = shutil.which("chromium")
    assert program is not None, "no chromium is on the PATH"
    chromium = _chromium(program)
    id = chromium.idle.pop() if chromium.idle else await _new_tab(chromium)
    async with websockets.connect(f"{chromium.place}/devtools/page/{id}", max_size=None) as connection:
        tab = Tab(connection)
        for domain in ("Page", "Runtime", "Log"):
            await tab.call(f"{domain}.enable")
        yield tab
        await tab.forget()
    chromium.idle.append(id)


async def _new_tab(chromium: _Chromium) -> str:
    async with websockets.connect(chromium.url, max_size=None) as control:
        whole = Tab(control)
        context = (await whole.call("Target.createBrowserContext", disposeOnDetach=False))["browserContextId"]
        target = await whole.call("Target.createTarget", url="about:blank", browserContextId=context)
        return str(target["targetId"])
