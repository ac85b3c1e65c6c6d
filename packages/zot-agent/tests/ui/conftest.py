"""The chat screen without a terminal: its host is real, its model says what a test wrote."""

import asyncio
import contextlib
import json
import re
import sys
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Sequence
from itertools import groupby
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

from zot_agent.host import Host
from zot_agent.host.build import build_host
from zot_agent.host.options import HostOptions
from zot_agent.modes.interactive import ChatScreen
from zot_core.conversation import Conversation
from zot_core.runtime.runtime import Runtime
from zot_provider.events import ReasoningDelta, StreamEnd, StreamEvent, TextDelta
from zot_provider.messages import Block, ReasoningBlock, TextBlock
from zot_provider.model import Model
from zot_provider.request import Request
from zot_provider.testing import ScriptedClient, ScriptedServer
from zot_tui.testing import Driver, MemoryScreen
from zot_tui.widgets.dialogs.panel import PanelWidget

_FRAMES = re.compile(r"^( *)[⠀-⣿](?= )", re.MULTILINE)
_TOOK = re.compile(r"(?:  | · )\d+(?:\.\d)?s$", re.MULTILINE)
_SECONDS = re.compile(r"\b\d+(\.\d)?s\b")


class Talk:
    """A screen that is open, and hands to type on it."""

    def __init__(self, chat: ChatScreen, driver: Driver, host: Host) -> None:
        self.chat, self.driver, self.host, self.conversation = chat, driver, host, host.conversation
        self.type, self.paste, self.shown = driver.type, driver.paste, driver.wait_for
        self.agent = host.runtime.agent
        self.spinner, self.stack, self.presenter = chat.view.spinner, chat.view.stack, chat.presenter

    @property
    def editor(self) -> str:
        """What stands in the editor."""
        return self.chat.controller.prompt_input.text

    @property
    def waiting(self) -> list[str]:
        """The prompts that wait."""
        return [each.typed for each in self.conversation.waiting]

    @property
    def busy(self) -> bool:
        """Whether something runs or waits."""
        return self.conversation.busy

    @property
    def session_path(self) -> str:
        """The session file that is written now."""
        session = self.host.runtime.session
        assert session is not None
        return session.path

    @property
    def asks(self) -> bool:
        """Whether calls are asked about."""
        return self.chat.controller.permission.asks

    @asks.setter
    def asks(self, asks: bool) -> None:
        self.chat.controller.permission.asks = asks

    @property
    def said(self) -> list[tuple[str, str]]:
        """Role and text of the conversation so far."""
        return [(message.role, message.text) for message in self.host.runtime.messages]

    @property
    def over(self) -> bool:
        """Whether the screen was closed."""
        return self.chat.app.over

    @property
    def theme(self) -> str:
        """The name of the theme in use."""
        return self.chat.app.theme.name

    def tail(self) -> str:
        """The text that is left on the main screen."""
        return self.chat.tail()

    async def close(self) -> None:
        """Close the chat as leaving it does."""
        await self.chat.controller.close()

    async def show_panel(self, panel: PanelWidget | None) -> None:
        """Open a panel, or close it."""
        self.chat.view.panel = panel
        self.chat.view.changed()
        self.chat.app.redraw()
        await self.driver.settle()

    async def send(self, text: str) -> None:
        """Type a line, send it, and wait until nothing goes on."""
        self.driver.type(text.replace("<", "<lt>") + "<enter>")
        await self.quiet()

    async def quiet(self) -> None:
        """Until zot has done all it was asked for."""
        await self.driver.settle()
        await self.conversation.idle()
        await self.driver.settle()

    async def until(self, holds: Callable[[], object]) -> None:
        """Until `holds()`, asked whenever something is drawn."""
        try:
            async with asyncio.timeout(30):
                while not holds():
                    await asyncio.sleep(0.005)
                    await self.driver.settle()
        except TimeoutError:
            raise TimeoutError(f"it did not come; the screen:\n{self.driver.screen()}") from None

    def screen(self) -> str:
        """The screen with a star for the spinner, and without what depends on how fast a machine is."""
        return _SECONDS.sub("0s", _TOOK.sub("", _FRAMES.sub(r"\1*", self.driver.screen())))

    def shows(self, image: str) -> bool:
        """Whether the screen is this image; fails with the screen. A row of an image begins with `|`; a row
        `|(3 blank)` stands for so many without anything."""
        rows = [line.strip().removeprefix("|") for line in image.splitlines() if line.strip()]
        assert self.rows() == rows, "the screen:\n" + "\n".join(f"|{row}" for row in self.rows())
        return True

    def rows(self) -> list[str]:
        """The rows of the screen as images have them."""
        shown: list[str] = []
        for blank, group in groupby(self.screen().split("\n"), key=lambda row: not row):
            found = [*group]
            shown += [f"({len(found)} blank)"] if blank and len(found) > 2 else found
        return shown


class Paused(ScriptedClient):
    """A scripted client that stops before a piece of text with a `¶` in it, until `go` is set."""

    def __init__(self, answers: Iterable[Any]) -> None:
        super().__init__(answers)
        self.go = asyncio.Event()

    async def stream(self, request: Request) -> AsyncGenerator[Sequence[StreamEvent], None]:
        """See `ScriptedClient`."""
        async for batch in super().stream(request):
            for event in batch:
                if isinstance(event, TextDelta | ReasoningDelta) and "¶" in event.delta:
                    before, _, after = event.delta.partition("¶")
                    yield [event.replace(delta=before)]
                    await self.go.wait()
                    yield [event.replace(delta=after)]
                elif isinstance(event, StreamEnd):
                    yield [event.replace(content=[_resumed(block) for block in event.content])]
                else:
                    yield [event]


def _resumed(block: Block) -> Block:
    if isinstance(block, TextBlock):
        return block.replace(text=block.text.replace("¶", ""))
    return block.replace(summary=block.summary.replace("¶", "")) if isinstance(block, ReasoningBlock) else block


class Chats:
    """Opens screens in the directory of the test."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextlib.asynccontextmanager
    async def open(
        self, answers: Iterable[Any] | ScriptedClient = (), columns: int = 80, rows: int = 24, **named: Any
    ) -> AsyncIterator[Talk]:
        """A screen whose host has a scripted client and nothing of the machine's."""
        client = answers if isinstance(answers, ScriptedClient) else ScriptedClient(answers)
        named = {"model": Model("m1", "scripted", context_window=100_000), "system_prompt": "Be brief.", **named}
        host = Host(Conversation(Runtime(client=client, **named)))
        async with self.around(host, columns, rows) as talk:
            yield talk

    @contextlib.asynccontextmanager
    async def built(
        self, server: ScriptedServer, columns: int = 80, rows: int = 24, **options: Any
    ) -> AsyncIterator[Talk]:
        """A screen whose host was built as the command builds it."""
        named = {
            "provider": "openai", "model": "scripted", "api_key": "k", "base_url": server.base_url("openai-chat"),
            "no_context_files": True, **options,
        }  # fmt: skip
        host = build_host(HostOptions(**named), once=False, can_ask=True)
        async with self.around(host, columns, rows) as talk:
            yield talk

    @contextlib.asynccontextmanager
    async def around(self, host: Host, columns: int = 80, rows: int = 24) -> AsyncIterator[Talk]:
        """A screen of this host, which is closed with it."""
        try:
            chat = ChatScreen(host, MemoryScreen(columns, rows))
            try:
                async with Driver(chat.app) as driver:
                    await driver.settle()
                    yield Talk(chat, driver, host)
            finally:
                await chat.controller.close()
        finally:
            await host.close()

    def extension(self, name: str, body: str) -> str:
        """The folder of an extension whose program is `body`, on the SDK, between the imports and `ext.run()`."""
        folder = self.root / name
        folder.mkdir()
        program = folder / "main.py"
        head = [f"#!{sys.executable}", "from zot_ext import *", "import os, time"]
        head.append(f"ext = Extension({name!r}, '1', capabilities=('submit',))")
        program.write_text("\n".join([*head, dedent(body), "ext.run()\n"]))
        program.chmod(0o755)
        (folder / "extension.json").write_text(json.dumps({"name": name, "exec": "./main.py"}))
        return str(folder)


@pytest.fixture
def paused() -> type[Paused]:
    return Paused


@pytest.fixture
def chats(tmp_path: Path) -> Chats:
    return Chats(tmp_path)
