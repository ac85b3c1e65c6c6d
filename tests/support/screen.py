"""`Chats` opens chat screens without a terminal; `Talk` types on a screen and reads it."""

import asyncio
import contextlib
import re
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Iterable, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from textwrap import dedent
from typing import Any

from extension_folder import write_extension
from waiting import PATIENCE

from zot_agent.host.build import build_host
from zot_agent.host.host import Host
from zot_agent.host.options import HostOptions
from zot_agent.ui.chat import ChatScreen
from zot_agent.ui.commands.base import Chat as Commanded
from zot_agent.ui.start import StartScreen
from zot_core.conversation.dialogs import DialogAnswer, ExtensionDialog
from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import ConversationEvent
from zot_core.conversation.extensions import ScreenAccess
from zot_core.hooks import Hooks
from zot_core.permissions.shell_line import read_line
from zot_core.runtime.runtime import Runtime
from zot_provider.events import ReasoningDelta, StreamEnd, StreamEvent, TextDelta
from zot_provider.messages import Block, Message, ReasoningBlock, TextBlock
from zot_provider.model import Model
from zot_provider.providers.spec import Provider
from zot_provider.request import Request
from zot_provider.testing import Call, ScriptedClient, ScriptedServer, Turn
from zot_provider.testing.turn import Answer
from zot_tui.testing import Driver, MemoryScreen
from zot_tui.text.runs import Row, plain
from zot_tui.widgets.dialogs.panel import PanelWidget
from zot_tui.widgets.transcript.cell import Cell
from zot_tui.widgets.transcript.cells import Level as NoteLevel

_FRAMES = re.compile(r"^( *)[⠀-⣿](?= )", re.MULTILINE)
_TOOK = re.compile(r"(?:  | · )\d+(?:\.\d)?s$", re.MULTILINE)
_DATE = re.compile(r"\b\d{4}-\d\d-\d\d\b")
_VERSION = re.compile(r"\bzot \d+\.\d+\.\d+\S*")
_COUNT = re.compile(r"(?<=–\d|\d\d) of \d\d")
_SECONDS = re.compile(r"\b\d+(\.\d)?s\b")


def bash(command: str) -> Call:
    """A call of the tool `bash`."""
    return Call("bash", {"command": command})


def _text(rows: Iterable[Row[Any]]) -> str:
    return "\n".join(plain(row).rstrip() for row in rows)


class Talk:
    """An open chat screen: types on it, reads it, and waits for it. Tests use its parts through this class only."""

    def __init__(self, chat: ChatScreen, driver: Driver, host: Host) -> None:
        self._chat, self._driver, self._host = chat, driver, host
        self._view, self._controller = chat.view, chat.controller
        self._agent = host.runtime.agent
        self.type, self.paste, self.click, self.resize = driver.type, driver.paste, driver.click, driver.resize
        self.look = driver.look
        self.shown, self.settle = driver.wait_for, driver.settle
        self.screen, self.style_at = driver.screen, driver.style_at
        self.hear, self.lines = driver.memory.hear, driver.rows

    async def press(self, keys: str) -> None:
        """Type `keys`, and wait until their effect is drawn."""
        self.type(keys)
        await self.settle()

    async def send(self, *texts: str) -> None:
        """Type and send each text, and wait until all work for it has ended. `<` is typed as it is."""
        for text in texts:
            self.type(text.replace("<", "<lt>") + "<enter>")
            await self.quiet()

    async def quiet(self) -> None:
        """Wait until nothing runs or waits, and all of it is drawn."""
        await self.settle()
        await self._host.conversation.idle()
        await self.settle()

    async def until(self, holds: Callable[[], object]) -> None:
        """Wait until `holds()` is true. TimeoutError, with the screen, after `PATIENCE` seconds."""
        try:
            async with asyncio.timeout(PATIENCE):
                while not holds():
                    await asyncio.sleep(0.005)
                    await self.settle()
        except TimeoutError:
            raise TimeoutError(f"the condition did not become true; the screen:\n{self.screen()}") from None

    async def until_hidden(self, text: str) -> None:
        """Wait until `text` is not on the screen."""
        await self.until(lambda: text not in self.screen())

    async def until_extensions_are_ready(self) -> None:
        """Wait until the extensions have registered, or failed to start: longer than zot does for one that takes its
        time on a busy machine."""
        assert self._host.extensions is not None
        await self._host.extensions.ready()
        async with asyncio.timeout(PATIENCE):
            for member in self._host.extensions.members:
                if member.connection is not None:
                    await member.connection.handshake.ready.wait()

    async def ask_person(self, dialog: ExtensionDialog) -> DialogAnswer:
        """Ask what an extension asks."""
        ask = self._host.conversation.actions.ask_person
        assert ask is not None
        return await ask(dialog)

    async def close(self) -> None:
        """Close the chat as the program does on exit."""
        await self._controller.close()

    def shows(self, image: str) -> bool:
        """Whether the screen looks like `image`; fails with the screen. A row of an image begins with `|`; a row
        `|(3 blank)` stands for three empty rows. Spinners, durations, dates and the version are masked, see `rows`."""
        rows = [line.strip().removeprefix("|") for line in image.splitlines() if line.strip()]
        assert self.rows() == rows, "the screen:\n" + "\n".join(f"|{row}" for row in self.rows())
        return True

    def rows(self) -> list[str]:
        """The rows of the screen as images have them: a star for the spinner, and nothing that depends on the speed of
        the machine, or on how many commands there are."""
        masked = _SECONDS.sub("0s", _TOOK.sub("", _FRAMES.sub(r"\1*", self.screen())))
        masked = _VERSION.sub("zot X.Y.Z", _DATE.sub("YYYY-MM-DD", masked))
        masked = _COUNT.sub(" of all", masked)
        shown: list[str] = []
        for blank, group in groupby(masked.split("\n"), key=lambda row: not row):
            found = [*group]
            shown += [f"({len(found)} blank)"] if blank and len(found) > 2 else found
        return shown

    def row(self, number: int) -> str:
        """The text of one row of the screen; negative numbers count from the bottom."""
        return self._driver.rows()[number].rstrip()

    @property
    def status(self) -> str:
        """The status row."""
        return self.row(-1)

    @property
    def cursor(self) -> tuple[int, int] | None:
        """Column and row of the cursor, None if it is hidden."""
        return self._driver.cursor

    @property
    def cursor_shape(self) -> str:
        """The shape of the cursor; an empty string for the terminal's own."""
        return self._driver.memory.shape

    @property
    def title(self) -> str:
        """The title of the window."""
        title = self._driver.memory.title
        assert title is not None
        return title

    @property
    def mouse(self) -> bool:
        """Whether mouse events are requested from the terminal."""
        return self._driver.memory.mouse

    @property
    def wants_key_kinds(self) -> bool:
        """Whether the terminal is asked for keys that are held down and let go."""
        return self._driver.memory.key_kinds

    @property
    def sequences(self) -> list[str]:
        """The control sequences written to the terminal outside of drawing."""
        return self._driver.memory.sent

    @property
    def theme(self) -> str:
        """The name of the theme in use."""
        return self._chat.app.theme.name

    @property
    def over(self) -> bool:
        """Whether the screen was closed."""
        return self._chat.app.end.reached

    @property
    def dialog_open(self) -> bool:
        """Whether a dialog has the keys."""
        return self._view.stack.top is not None

    @property
    def spinning(self) -> bool:
        """Whether the working row is shown."""
        return self._view.spinner.spinning

    @property
    def activity(self) -> str:
        """The label of the working row."""
        return self._view.spinner.label

    @property
    def cells(self) -> Sequence[Cell]:
        """The cells of the transcript."""
        return self._chat.presenter.transcript.cells

    def transcript(self) -> str:
        """The text of the whole transcript, 80 columns wide."""
        return _text(self._chat.presenter.transcript.last_rows(80, 100_000))

    def tail(self) -> str:
        """The text that is printed to the main screen on exit."""
        return _text(self._chat.tail())

    def note(self, text: str, level: NoteLevel = "info", name: str = "") -> None:
        """Show a note; `name` is the extension it comes from."""
        self._chat.presenter.note(text, level, name)

    @property
    def access(self) -> ScreenAccess:
        """What extensions can do with the screen."""
        screen = self._host.conversation.actions.screen
        assert screen is not None
        return screen()

    def store(self, extension: str, custom_type: str, data: Any) -> None:
        """Store data of an extension in the session."""
        self._host.runtime.branches.add(extension, custom_type, data)

    async def emit(self, *events: ConversationEvent) -> None:
        """Let the conversation report events, and wait until they are drawn."""
        for event in events:
            self._host.conversation.events.notify(event)
        await self.settle()

    def spin(self) -> None:
        """Turn the spinners of the transcript by one frame."""
        self._chat.presenter.spin(1)

    @property
    def panel_has_keys(self) -> bool:
        """Whether a panel that an extension draws itself has the keys."""
        return self._view.layer is not None and self._view.layer.has_keys

    async def show_panel(self, panel: PanelWidget | None) -> None:
        """Open a panel, or close it."""
        self._view.panel = panel
        self._chat.app.redraw()
        await self.settle()

    @property
    def editor(self) -> str:
        """The text in the editor."""
        return self._controller.prompt_input.text

    @property
    def waiting(self) -> list[str]:
        """The queued prompts."""
        return [each.typed for each in self._host.conversation.waiting]

    @property
    def busy(self) -> bool:
        """Whether something runs or waits."""
        return self._host.conversation.busy

    @property
    def messages(self) -> Sequence[Message]:
        """The messages of the conversation."""
        return self._host.runtime.messages

    @property
    def said(self) -> list[tuple[str, str]]:
        """Role and text of the messages."""
        return [(message.role, message.text) for message in self.messages]

    @property
    def asked(self) -> list[str]:
        """The texts of the user's messages, as the model reads them."""
        return [text for role, text in self.said if role == "user"]

    @property
    def session_path(self) -> str:
        """The path of the current session file."""
        session = self._host.runtime.session
        assert session is not None
        return session.path

    @property
    def model(self) -> str:
        """The name of the model."""
        return self._agent.model.id

    @property
    def reasoning(self) -> str:
        """The reasoning effort."""
        return self._agent.reasoning

    @property
    def hooks(self) -> Hooks:
        """The hooks of the agent."""
        return self._agent.hooks

    def set_tools(self, *names: str) -> None:
        """Enable these tools only."""
        self._host.conversation.set_tools(names)

    def add_provider(self, provider: Provider) -> None:
        """Add a provider to those of the host."""
        self._host.models.add(provider)

    @property
    def chat(self) -> Commanded:
        """The screen as slash commands see it."""
        return self._controller

    @property
    def asks(self) -> bool:
        """Whether the user is asked before each tool call."""
        return self._controller.host.conversation.permissions.mode == "ask"

    @asks.setter
    def asks(self, asks: bool) -> None:
        self._controller.host.conversation.permissions.mode = "ask" if asks else "yolo"
        read_line("")  # loading the parser later would be a pause in what a test types


class Paused(ScriptedClient):
    """A scripted client that pauses at a `¶` in a text or a thought until `go` is set. The `¶` itself is not sent."""

    def __init__(self, answers: Iterable[Answer]) -> None:
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
    """Opens chat screens in the directory of the test."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @contextlib.asynccontextmanager
    async def open(
        self, answers: Iterable[Answer] | ScriptedClient = (), columns: int = 80, rows: int = 24, **options: Any
    ) -> AsyncIterator[Talk]:
        """Open a screen whose host has a scripted client and default settings. `options` are those of `Runtime`."""
        client = answers if isinstance(answers, ScriptedClient) else ScriptedClient(answers)
        model = Model("m1", "scripted", context_window=100_000)
        runtime = Runtime(client=client, **{"model": model, "system_prompt": "Be brief.", **options})
        async with self._around(Host(Conversation(runtime)), columns, rows) as talk:
            yield talk

    @contextlib.asynccontextmanager
    async def working(self, *answers: Answer, error: Exception | None = None) -> AsyncIterator[tuple[Talk, Paused]]:
        """Open a screen in the middle of a run: the prompt is `first`, its answer `one` is shown and ends, with
        `error` if there is one, when the client's `go` is set. Then come `answers`."""
        client = Paused([Turn("one¶", chunk=100, error=error), *answers])
        async with self.open(client) as talk:
            talk.type("first<enter>")
            await talk.shown("one")
            yield talk, client

    @contextlib.asynccontextmanager
    async def built(
        self, server: ScriptedServer, columns: int = 80, rows: int = 24, *, before: str = "", **options: Any
    ) -> AsyncIterator[Talk]:
        """Open a screen whose host is built as the command builds it; `before` is typed before it is there. `options`
        are those of `HostOptions`."""
        named = {
            "provider": "openai", "model": "scripted", "api_key": "k", "base_url": server.base_url("openai-chat"),
            "no_context_files": True, **options,
        }  # fmt: skip
        host = build_host(HostOptions(**named), once=False, can_ask=True)
        async with self._around(host, columns, rows, before) as talk:
            yield talk

    @contextlib.asynccontextmanager
    async def extended(
        self, server: ScriptedServer, bodies: Mapping[str, str], rows: int = 24, **options: Any
    ) -> AsyncIterator[Talk]:
        """Open a screen as `built` does, with an extension for each name and program body; see `extension`. All of
        them have registered."""
        folders = [self.extension(name, body) for name, body in bodies.items()]
        async with self.built(server, rows=rows, extensions=folders, **options) as talk:
            await talk.until_extensions_are_ready()
            yield talk

    @contextlib.asynccontextmanager
    async def _around(self, host: Host, columns: int, rows: int, before: str = "") -> AsyncIterator[Talk]:
        """Open a screen of this host, on which `before` has been typed; both are closed in the end."""
        start, chat = StartScreen(MemoryScreen(columns, rows)), None
        try:
            async with Driver(start.app) as driver:
                driver.type(before)
                chat = ChatScreen(host, start)
                await driver.settle()
                yield Talk(chat, driver, host)
        finally:
            if chat is not None:
                await chat.controller.close()
            await host.close()

    def extension(self, name: str, body: str) -> str:
        """Write an extension on the SDK and return its folder. `body` is the program between the imports and
        `ext.run()`."""
        folder, more = self.root / name, "'1', capabilities=('submit',)"
        return str(write_extension(folder, dedent(body), imports="import os, time", more=more))
