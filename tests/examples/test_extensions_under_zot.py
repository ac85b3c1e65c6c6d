"""The same examples under zot's own host: real processes, an agent, a scripted model."""

import contextlib
import re
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any, get_args

import pytest
from calling_extension import Person
from waiting import until

from zot_agent.extensions.discover import discover
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_core import Runtime, ToolResultEvent
from zot_core.conversation import events
from zot_core.conversation.commands import CommandError
from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import ExtensionEvent
from zot_ext.limits import ExtensionLimits
from zot_provider.messages import TextBlock
from zot_provider.testing import Call, ScriptedClient, Turn

EXTENSIONS = Path(__file__).parents[2] / "examples" / "extensions"
LIMITS = ExtensionLimits(ready_total_seconds=60, intercept_seconds=60, shutdown_seconds=20)


class Zot:
    """An agent with one of the examples."""

    def __init__(self, conversation: Conversation, client: ScriptedClient, extensions: Extensions) -> None:
        self._conversation, self._client, self._extensions = conversation, client, extensions
        self.client = client
        self.told: list[ExtensionEvent] = []
        conversation.events.add(self._hear)

    def _hear(self, event: object) -> None:
        if isinstance(event, get_args(ExtensionEvent)):
            self.told.append(event)

    async def command(self, name: str, args: str = "") -> ExtensionEvent:
        """What a command wants shown."""
        count = len(self.told)
        await self._conversation.run_command(name, args)
        return self.told[count]

    async def call(self, tool: str, **arguments: object) -> tuple[str, bool]:
        """What the model reads when it calls `tool`, and whether it is an error."""
        self._client.add(Turn(calls=[Call(tool, arguments)]), "done")
        results = [event async for event in self._conversation.prompt("go") if isinstance(event, ToolResultEvent)]
        return "".join(each.text for each in results[0].content if isinstance(each, TextBlock)), results[0].is_error

    def press(self, *keys: str) -> None:
        """Keys for the open panel."""
        for key in keys:
            self._extensions.panels.key("rune" if len(key) == 1 else key, key if len(key) == 1 else "")

    @property
    def panel(self) -> tuple[str, ...]:
        panel = self._extensions.panels.panel
        assert panel is not None
        return panel.lines


@contextlib.asynccontextmanager
async def running(name: str, root: Path, *answers: Any) -> AsyncIterator[Zot]:
    person = Person(*answers)
    folder, project = root / name, root / "project"
    if not folder.exists():
        shutil.copytree(EXTENSIONS / name, folder)
        project.mkdir(exist_ok=True)
        with contextlib.suppress(FileNotFoundError):
            (root / "node_modules").symlink_to((EXTENSIONS / "node_modules").resolve(strict=True))
    client = ScriptedClient()
    async with Conversation(Runtime("scripted", client=client, cwd=project)) as conversation:
        extensions = Extensions(
            lambda: discover([str(folder)], str(project), str(root / "home")),
            lambda: AgentInfo(str(project), "scripted", "scripted", ""),
            home=str(root / "home"),
            limits=LIMITS,
        )
        extensions.conversation, conversation.ask_person = conversation, person
        extensions.attach(conversation.runtime.agent)
        conversation.attach(extensions)
        assert extensions.start() == []
        try:
            await extensions.ready()
            yield Zot(conversation, client, extensions)
        finally:
            await extensions.close()


async def question(root: Path) -> None:
    async with running("question", root, "blue", "something else...", "green") as zot:
        assert await zot.call("question", question="Which?", options=["red", "blue"]) == (
            "the user answered: blue",
            False,
        )
        assert await zot.command("question") == events.Display("question", "answered: green")


async def permission_gate(root: Path) -> None:
    async with running("permission-gate", root, False, True) as zot:
        call = {"command": "rm -rf nothing && echo ran"}
        assert await zot.call("bash", **call) == ("the user refused this command", True)
        assert "ran" in (await zot.call("bash", **call))[0]
        assert await zot.command("gate") == events.Display("permission-gate", "2 questions, 1 refusals")


async def timed_confirm(root: Path) -> None:
    async with running("timed-confirm", root, True, None) as zot:
        zot.client.add("deployed")
        assert isinstance(await zot.command("deploy", "moon"), events.Submit)
        assert await zot.command("deploy", "moon") == events.Display("timed-confirm", "not deployed to moon")


async def bookmark(root: Path) -> None:
    async with running("bookmark", root) as zot:
        assert await zot.command("bookmark") == events.Display("bookmark", "there is no answer yet")
        await zot.call("bash", command="true")
        assert await zot.command("bookmarks") == events.Display("bookmark", "no bookmarks")
        # A conversation without a file has no values of its own, but entries and labels.
        with pytest.raises(CommandError, match="this session is not stored"):
            await zot.command("bookmark")
        with pytest.raises(CommandError, match="this session is not stored"):
            await zot.command("bookmark", "done")
        assert await zot.command("bookmarks") == events.Display("bookmark", "done")


async def summarize(root: Path) -> None:
    async with running("summarize", root, "edited notes") as zot:
        zot.client.add("a summary", "a summary", "on it")
        assert await zot.command("summarize") == events.Display("summarize", "a summary")
        assert await zot.command("handoff", "other") == events.Display("summarize", "other continues")
        await until(lambda: zot.client.requests[-1].messages[-1].text.endswith("edited notes"))
        assert zot.client.requests[-1].model.id == "other"


async def hello(root: Path) -> None:
    async with running("hello", root) as zot:
        assert await zot.command("hello", "Ada") == events.Submit("hello", "Greet Ada in one short sentence.")


async def hello_raw(root: Path) -> None:
    async with running("hello-raw", root) as zot:
        assert isinstance(await zot.command("hellopy"), events.Submit)


async def weather(root: Path) -> None:
    async with running("weather", root) as zot:
        assert await zot.call("weather", city="Berlin") == ("Berlin: 16°C, fog", False)
        text, is_error = await zot.call("weather", city="Ys")
        assert is_error
        assert "no weather for 'Ys'" in text


async def guard(root: Path) -> None:
    async with running("guard", root) as zot:
        assert await zot.call("bash", command="sudo true") == ('refused: matches danger pattern "sudo"', True)
        assert zot.told == [events.Notify("guard", "warn", "refused: sudo true")]
        text, is_error = await zot.call("bash", command="echo fine")
        assert not is_error
        assert "fine" in text
        shown = await zot.command("audit")
        assert isinstance(shown, events.Display)
        assert shown.text.startswith("2 tool calls, in ")


async def todo(root: Path) -> None:
    async with running("todo", root) as zot:
        assert isinstance(await zot.command("todos"), events.PanelOpen)
        zot.press(*"ship it", "enter")
        await until(lambda: zot.panel == ("▸ □ ship it", "> "))
        assert await zot.call("todo", action="add", text="rest") == ("1. [ ] ship it\n2. [ ] rest", False)
        await until(lambda: len(zot.panel) == 3)
        zot.press("esc")
        assert isinstance(zot.told[-1], events.PanelClose)
    async with running("todo", root) as zot:  # the list outlives its program
        assert await zot.call("todo", action="list") == ("1. [ ] ship it\n2. [ ] rest", False)


async def outline(root: Path) -> None:
    (root / "project").mkdir()
    (root / "project" / "README.md").write_text("# One\ntext\n## Two\n")
    (root / "secret.md").write_text("# Secret\n")
    async with running("outline", root) as zot:
        assert await zot.command("outline") == events.Display("outline", "# One\n## Two")
        assert await zot.call("outline", path="README.md") == ("# One\n## Two", False)
        shown = await zot.command("outline", str(root / "secret.md"))
        assert shown == events.Display("outline", f"{root / 'secret.md'}: No such file or directory")


async def clock(root: Path) -> None:
    async with running("clock", root) as zot:
        shown = await zot.command("clock")
        assert isinstance(shown, events.Display)
        assert re.fullmatch(r"\d\d:\d\d:\d\d", shown.text)
        assert isinstance(await zot.command("date"), events.Insert)
        with pytest.raises(CommandError, match="there is no time zone Mars"):
            await zot.command("clock", "Mars")


async def scratchpad(root: Path) -> None:
    async with running("scratchpad", root) as zot:
        assert await zot.command("note", "buy milk") == events.Display("scratchpad", "noted: buy milk")
        assert await zot.call("read_notes") == ("buy milk", False)


async def shell(root: Path) -> None:
    project = root / "project"
    project.mkdir()
    subprocess.run(["git", "init", "--quiet", "--initial-branch", "näher", str(project)], check=True)
    async with running("shell", root) as zot:
        assert await zot.command("branch") == events.Display("shell", "näher")
        text, is_error = await zot.call("disk_free")
        assert not is_error
        assert "%" in text


SCENES: dict[str, Callable[[Path], Coroutine[Any, Any, None]]] = {
    "bookmark": bookmark,
    "permission-gate": permission_gate,
    "question": question,
    "summarize": summarize,
    "timed-confirm": timed_confirm,
    "clock": clock,
    "guard": guard,
    "hello": hello,
    "hello-raw": hello_raw,
    "outline": outline,
    "scratchpad": scratchpad,
    "shell": shell,
    "todo": todo,
    "weather": weather,
}
NEEDS = {"clock": ("node",), "outline": ("bwrap",), "scratchpad": ("node", "tsx"), "shell": ("jq",)}


def test_every_example_has_its_scene() -> None:
    assert set(SCENES) == {path.parent.name for path in EXTENSIONS.glob("*/extension.json")}


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.needs(*NEEDS.get(name, ()))) for name in SCENES])
async def test_an_example_works_under_zot(name: str, tmp_path: Path) -> None:
    await SCENES[name](tmp_path)
