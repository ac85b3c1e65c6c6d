"""`Tab` and `browser`: a real browser that a test drives over the DevTools protocol. Needs Chromium."""

import asyncio
import itertools
import json
from base64 import b64decode
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import websockets
from websockets.asyncio.client import ClientConnection

PATIENCE = 90
SWITCHES = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --disable-dev-shm-usage --remote-debugging-port=0 --window-size=1200,800"
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
        """What a script gives once that is true; it is asked whenever the page has changed."""
        return await self.value(
            f"new Promise((done) => {{ let seen; const look = () => {{ const found = ({script});"
            " if (found) { seen?.disconnect(); done(found); } };"
            " seen = new MutationObserver(look); seen.observe(document,"
            " { subtree: true, childList: true, attributes: true, characterData: true }); look(); })"
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

    async def screenshot(self, path: Path) -> None:
        """Save a picture of what is seen."""
        path.write_bytes(b64decode((await self.call("Page.captureScreenshot", format="png"))["data"]))


@asynccontextmanager
async def browser(profile: Path) -> AsyncIterator[Tab]:
    process = await asyncio.create_subprocess_exec(
        "chromium", *SWITCHES.split(), f"--user-data-dir={profile}", "about:blank",
        stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
    )  # fmt: skip
    assert process.stderr is not None
    try:
        async with asyncio.timeout(PATIENCE):
            while b"DevTools listening on" not in (line := await process.stderr.readline()):
                assert line, "chromium did not start"
        place = line.decode().split("ws://")[1].split("/")[0]
        async with httpx.AsyncClient(trust_env=False, timeout=PATIENCE) as http:
            targets = (await http.get(f"http://{place}/json/list")).json()
        (url,) = [each["webSocketDebuggerUrl"] for each in targets if each["type"] == "page"]
        async with websockets.connect(url, max_size=None) as connection:
            tab = Tab(connection)
            for domain in ("Page", "Runtime", "Log"):
                await tab.call(f"{domain}.enable")
            yield tab
            await tab.call("Browser.close")
        async with asyncio.timeout(PATIENCE):
            await process.stderr.read()
            await process.wait()
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
