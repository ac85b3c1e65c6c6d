"""The same examples under zot's own host: real processes, an agent, a scripted model."""

import asyncio
import contextlib
import json
import re
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any, get_args

import pytest
from calling_extension import Person
from command import Zot as Command
from declared import declared
from ssh_server import ssh_server
from waiting import PATIENCE, until

from zot_agent.extensions.discover import discover
from zot_agent.extensions.hooks import AgentInfo
from zot_agent.extensions.host import Extensions
from zot_agent.extensions.setup import ExtensionOwner, ExtensionSetup
from zot_core import Runtime, ToolResultEvent
from zot_core.conversation import events
from zot_core.conversation.branches import NotAllowed
from zot_core.conversation.commands import CommandError
from zot_core.conversation.driver import Conversation
from zot_core.conversation.events import ExtensionEvent
from zot_core.conversation.extensions import FrontEndActions
from zot_ext import load_manifest
from zot_ext.limits import ExtensionLimits
from zot_provider.messages import TextBlock
from zot_provider.testing import Call, ScriptedClient, ScriptedServer, Turn
from zot_provider.testing.sign_in_server import SignInScript, SignInServer

EXTENSIONS = Path(__file__).parents[2] / "examples" / "extensions"
LIMITS = ExtensionLimits(
    ready_total_seconds=PATIENCE, intercept_seconds=PATIENCE, shutdown_seconds=PATIENCE,
    ready_idle_seconds=PATIENCE / 60,  # for which one waits that never says that it is ready
)  # fmt: skip


class Zot:
    """An agent with one of the examples."""

    def __init__(self, conversation: Conversation, client: ScriptedClient, extensions: Extensions) -> None:
        self._conversation, self._client, self._extensions = conversation, client, extensions
        self.client, self.conversation = client, conversation
        self.runtime = conversation.runtime
        self.told: list[ExtensionEvent] = []
        conversation.events.add(self._hear)

    def _hear(self, event: object) -> None:
        if isinstance(event, get_args(ExtensionEvent)):
            self.told.append(event)

    async def command(self, name: str, args: str = "") -> ExtensionEvent:
        """What a command wants shown."""
        count = len(self.told)
        await self.conversation.run_command(name, args)
        return self.told[count]

    async def call(self, tool: str, **arguments: object) -> tuple[str, bool]:
        """What the model reads when it calls `tool`, and whether it is an error."""
        self._client.add(Turn(calls=[Call(tool, arguments)]), "done")
        results = [event async for event in self.conversation.prompt("go") if isinstance(event, ToolResultEvent)]
        return "".join(each.text for each in results[0].content if isinstance(each, TextBlock)), results[0].is_error

    def press(self, *keys: str) -> None:
        """Keys for the open panel."""
        for key in keys:
            self._extensions.panels.press("rune" if len(key) == 1 else key, key if len(key) == 1 else "")

    def play(self, key: str) -> None:
        """A key for the panel that an extension draws itself."""
        text = key if len(key) == 1 else ""
        assert self._extensions.panels.press("rune" if text else key, text)

    @property
    def overlays(self) -> list[events.PanelShow]:
        """What was heard of panels that an extension draws itself."""
        return [event for event in self.told if isinstance(event, events.PanelShow)]

    @property
    def panel(self) -> tuple[str, ...]:
        panel = self._extensions.panels.panel
        assert panel is not None
        return panel.lines


@contextlib.asynccontextmanager
async def running(
    name: str, root: Path, *answers: Any, beside: tuple[str, ...] = (), **flags: bool | int | str
) -> AsyncIterator[Zot]:
    person = Person(*answers)
    folder, project = root / name, root / "project"
    if not folder.exists():
        shutil.copytree(EXTENSIONS / name, folder)
        project.mkdir(exist_ok=True)
        if "tsx" in NEEDS.get(name, ()):
            (root / "node_modules").symlink_to(declared("tsx").parents[1])
    client = ScriptedClient()
    async with Conversation(Runtime("scripted", client=client, cwd=project)) as conversation:
        extensions = Extensions(
            lambda: discover([str(folder), *(str(root / each) for each in beside)], str(project), str(root / "home")),
            lambda: AgentInfo(str(project), "scripted", "scripted", ""),
            ExtensionSetup(str(root / "home"), LIMITS, flags=flags or {}),
            ExtensionOwner(conversation),
        )
        conversation.front_end = "tui"
        conversation.actions = FrontEndActions(shows_widgets=True, shows_panels=True, ask_person=person)
        extensions.attach(conversation.runtime.agent)
        conversation.attach(extensions)
        assert extensions.start() == []
        try:
            await extensions.ready()
            yield Zot(conversation, client, extensions)
        finally:
            await extensions.close()


async def ssh(root: Path) -> None:
    there = root / "there"
    there.mkdir()
    (there / "a.txt").write_text("one\ntwo\n")
    with ssh_server(root / "server") as server, pytest.MonkeyPatch.context() as patch:
        patch.setenv("ZOT_SSH_CONFIG", server.config)
        async with running("ssh", root, ssh=f"far:{there}") as zot:
            assert await zot.call("read", path="a.txt") == ("one\ntwo\n", False)
            edited = await zot.call("edit", path="a.txt", edits=[{"oldText": "two", "newText": "three"}])
            assert edited == ("changed a.txt\n@@ -2,+2 @@", False)
            assert (there / "a.txt").read_text() == "one\nthree\n"
            assert (await zot.call("grep", pattern="three"))[0] == "a.txt:2: three"
            assert f"{there}\n\n[exit 0]" in (await zot.call("bash", command="pwd"))[0]
            server.stop()
            assert "cannot be used" in (await zot.call("bash", command="touch here"))[0]
            assert "cannot be used" in (await zot.call("write", path="here", content=""))[0]
            assert not (root / "project" / "here").exists()
            await zot.command("ssh", "off")
            await until(lambda: events.Notify("ssh", "info", "the tools use this machine again") in zot.told)
            await zot.call("bash", command="touch here")
            assert (root / "project" / "here").exists()
    async with running("ssh", root, ssh="far") as zot:  # there is no such host any more
        assert "cannot be used: no connection to far" in (await zot.call("ls"))[0]


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


async def status_line(root: Path) -> None:
    async with running("status-line", root) as zot:
        await zot.call("bash", command="true")
        await until(lambda: len({event.key for event in zot.told if isinstance(event, events.WidgetChange)}) == 2)
        seen = {event.key: event.lines for event in zot.told if isinstance(event, events.WidgetChange)}
        assert seen["last"][0][1]["text"] == "bash"


async def overlay_test(root: Path) -> None:
    async with running("overlay-test", root) as zot:
        await zot.conversation.run_command("overlay", "all")
        await until(lambda: len({event.panel.id for event in zot.overlays if not event.panel.hidden}) == 9)
        zot.play("tab")
        await until(lambda: {event.panel.id: event.panel.focused for event in zot.overlays}["center"])


async def snake(root: Path) -> None:
    async with running("snake", root) as zot:
        await zot.conversation.run_command("snake")
        await until(lambda: zot.overlays and len(zot.overlays[-1].panel.lines) == 13)
        zot.play("up")
        await until(lambda: "over:" in str(zot.overlays[-1].panel.lines))
        zot.play("q")
        await until(lambda: any(isinstance(event, events.PanelClose) for event in zot.told))


async def space_invaders(root: Path) -> None:
    async with running("space-invaders", root) as zot:
        await zot.conversation.run_command("invaders")
        await until(lambda: zot.overlays and len(zot.overlays[-1].panel.lines) == 19)

        def hit() -> bool:  # a shot between two of them misses
            zot.play(" ")
            zot.play("enter")
            return "0 points" in str(zot.overlays[-1].panel.lines[0]).replace("'0 points", "")

        await until(hit)


async def tic_tac_toe(root: Path) -> None:
    async with running("tic-tac-toe", root) as zot:
        zot.client.add(Turn(calls=[Call("tic_tac_toe", {"cell": 1})]), "your turn")
        await zot.conversation.run_command("tic-tac-toe")
        await until(lambda: zot.overlays)
        zot.play("enter")
        await until(lambda: "  O  " in str(zot.overlays[-1].panel.lines))
        await zot.conversation.idle()


async def custom_footer(root: Path) -> None:
    async with running("custom-footer", root) as zot:
        (root / "project" / ".git").mkdir()
        (root / "project" / ".git" / "HEAD").write_text("ref: refs/heads/side\n")
        await zot.call("bash", command="true")

        def branches() -> list[Any]:
            drawn = [event for event in zot.told if isinstance(event, events.WidgetChange)]
            return [event.lines[0][0]["text"] for event in drawn if event.place == "footer"]

        await until(lambda: " side " in branches())


async def session_name(root: Path) -> None:
    async with running("session-name", root) as zot:
        with pytest.raises(CommandError, match="there is no prompt yet"):
            await zot.command("session-name")
        with pytest.raises(CommandError, match="this session is not stored"):
            await zot.command("session-name", "mine")


async def preset(root: Path) -> None:
    async with running("preset", root) as zot:
        zot.client.add("b")
        assert await zot.command("preset", "save plain") == events.Display(
            "preset", "plain is scripted with reasoning off"
        )
        runtime = zot.conversation.runtime
        runtime.set_model("other:high")
        assert await zot.conversation.prompt("/preset plain") == "completed"
        assert (runtime.agent.model.id, runtime.agent.reasoning) == ("scripted", "off")


async def send_user_message(root: Path) -> None:
    async with running("send-user-message", root) as zot:
        zot.client.add("one")
        shown = await zot.command("say", "follow_up hello")
        assert shown == events.Display("send-user-message", "started: the model reads it when it would stop")
        await zot.conversation.idle()
        assert zot.client.requests[0].messages[0].text == "hello"
        with pytest.raises(CommandError, match="No such file"):
            await zot.command("say-image", "none.png what?")


async def git_checkpoint(root: Path) -> None:
    project = root / "project"
    project.mkdir()
    for words in ("init --quiet", "config user.name T", "config user.email t@example.com"):
        subprocess.run(["git", *words.split()], cwd=project, check=True)
    (project / "a").write_text("committed")
    for words in ("add a", "commit --quiet -m one"):
        subprocess.run(["git", *words.split()], cwd=project, check=True)
    (project / "a").write_text("changed")
    async with running("git-checkpoint", root) as zot:
        await zot.call("bash", command="true")
        while (shown := await zot.command("checkpoints")) == events.Display("git-checkpoint", "no checkpoints yet"):
            pass
        assert isinstance(shown, events.Display)
        assert re.fullmatch(r"1\. [0-9a-f]{12}", shown.text)
        (project / "a").write_text("lost")
        await zot.command("checkpoint-restore")
        assert (project / "a").read_text() == "changed"


async def questionnaire(root: Path) -> None:
    async with running("questionnaire", root, {"q1": "red"}) as zot:
        shown = await zot.call("questionnaire", title="Colours", questions=["Which?"], options={"Which?": ["red"]})
        assert shown == ("Which?\nred", False)


async def qna(root: Path) -> None:
    async with running("qna", root, {"q1": "blue"}) as zot:
        with pytest.raises(CommandError, match="there is no answer yet"):
            await zot.command("qna")
        zot.client.add("Which colour?", "Which colour?", "Blue it is.")
        await zot.conversation.prompt("paint it")
        assert await zot.command("qna") == events.Display("qna", "1 of 1 questions answered")
        await until(lambda: zot.client.requests[-1].messages[-1].text == "Which colour?\nblue")
        await zot.conversation.idle()


async def auto_commit(root: Path) -> None:
    project = root / "project"
    project.mkdir()
    for words in ("init --quiet", "config user.name T", "config user.email t@example.com"):
        subprocess.run(["git", *words.split()], cwd=project, check=True)
    async with running("auto-commit", root) as zot:
        assert await zot.command("auto-commit") == events.Display("auto-commit", "off")
        await zot.command("auto-commit", "on")
        zot.client.add(Turn(calls=[Call("write", {"path": "a", "content": "x"})]), "done")
        await zot.conversation.prompt("write a file")
        await until(lambda: events.Notify("auto-commit", "success", "committed: write a file") in zot.told)
    log = subprocess.run(["git", "log", "--format=%s"], cwd=project, check=True, capture_output=True, text=True)
    assert log.stdout == "write a file\n"


async def handoff(root: Path) -> None:
    async with running("handoff", root) as zot:
        zot.client.add("first answer", "the notes", "second answer")
        await zot.conversation.prompt("first")
        assert await zot.conversation.prompt("/fresh ship it") == "completed"
        assert "user: first\nassistant: first answer" in zot.client.requests[1].messages[0].text
        said = [message.text for message in zot.conversation.runtime.messages]
        assert said == ["Notes from an earlier session:\n\nthe notes", "ship it", "second answer"]


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


async def event_bus(root: Path) -> None:
    shutil.copytree(EXTENSIONS / "event-bus-log", root / "event-bus-log")
    async with running("event-bus", root, beside=("event-bus-log",)) as zot:
        shown = await zot.command("announce", "hi")
        assert shown == events.Display("event-bus", "sent to 1 extensions")
        assert await zot.command("heard") == events.Display("event-bus-log", 'event-bus note.text {"text":"hi"}')


async def event_bus_log(root: Path) -> None:
    async with running("event-bus-log", root) as zot:
        assert await zot.command("heard", "clear") == events.Display("event-bus-log", "nothing yet")


async def team_kit(root: Path) -> None:
    (root / "project").mkdir()
    (root / "project" / "pyproject.toml").write_text("")
    async with running("team-kit", root) as zot:
        assert await zot.command("kit") == events.Display("team-kit", "skills/for-python")


async def file_trigger(root: Path) -> None:
    async with running("file-trigger", root) as zot:
        zot.client.add("on it")
        (root / "project" / ".zot").mkdir()
        (root / "project" / "new").write_text("the build has failed")
        (root / "project" / "new").rename(root / "project" / ".zot" / "trigger.txt")
        await until(lambda: bool(zot.client.requests))
        assert zot.client.requests[0].messages[-1].text == "the build has failed"


async def claude_rules(root: Path) -> None:
    (root / "project" / ".claude" / "rules").mkdir(parents=True)
    (root / "project" / ".claude" / "rules" / "style.md").touch()
    async with running("claude-rules", root) as zot:
        await zot.call("bash", command="true")
        assert zot.client.requests[0].system.endswith("\n- .claude/rules/style.md")


async def plan_flag(root: Path) -> None:
    async with running("plan-flag", root) as zot:
        assert not (await zot.call("bash", command="echo x"))[1]
    async with running("plan-flag", root, plan=True, **{"plan-steps": 2}) as zot:
        assert await zot.call("bash", command="echo x") == ("in plan mode nothing is changed", True)
        assert "a plan of at most 2 steps" in zot.client.requests[-1].system
        assert await zot.command("planning") == events.Display("plan-flag", "on")


async def plan_mode(root: Path) -> None:
    plan = "I looked.\n\nPlan:\n1. touch a\n2. touch b\n"
    async with running("plan-mode", root, plan=True) as zot:
        assert await zot.call("bash", command="touch a") == ("in plan mode nothing is changed", True)
        zot.client.add(plan)
        await zot.conversation.prompt("plan it")
        assert "numbered steps" in zot.client.requests[-1].system
        await until(lambda: len(shown(zot, "steps")) == 1)
        ticks = [Call("bash", {"command": "touch a"}), Call("step_done", {"number": 1})]
        zot.client.add(Turn(calls=ticks), "The first is done.")
        await zot.conversation.run_command("plan", "go")
        await zot.conversation.idle()
        assert (root / "project" / "a").exists()
        first, second = shown(zot, "steps")[-1]
        assert (first[1]["strike"], second[1]["text"]) == (True, "touch b")
        assert "numbered steps" not in zot.client.requests[-1].system


async def model_status(root: Path) -> None:
    async with running("model-status", root) as zot:
        await until(lambda: shown(zot, "model") != [])
        assert await zot.command("model-status") == events.Display("model-status", "scripted since the start")
        assert shown(zot, "model")[-1][0][0]["text"] == "scripted"


async def notify(root: Path) -> None:
    async with running("notify", root) as zot:
        await zot.call("bash", command="exit 3")
        await until(lambda: events.Alert("notify", "bash has failed") in zot.told)
        assert await zot.command("alert", "90 tea") == events.Display("notify", "I call you in 90 min")


async def todo_tree(root: Path) -> None:
    async with running("todo-tree", root) as zot:
        assert await zot.call("steps", action="add", text="cut") == ("1. [ ] cut", False)
        before = zot.runtime.messages[-1].id
        zot.client.add(
            Turn(calls=[Call("steps", {"action": "tick", "number": 1}), Call("steps", {"action": "add", "text": "b"})]),
            "done",
        )
        await zot.runtime.prompt("go on")
        assert await zot.command("steps") == events.Display("todo-tree", "1. [x] cut\n2. [ ] b")
        assert await zot.command("steps", "clear") == events.Display("todo-tree", "no steps")
        await zot.runtime.branches.go_to(before)
        assert await zot.command("steps") == events.Display("todo-tree", "1. [ ] cut")


async def tools(root: Path) -> None:
    async with running("tools", root, ["read"]) as zot:
        assert await zot.command("tools", "read bash grep") == events.Display("tools", "the model has bash, grep, read")
        assert not (await zot.call("bash", command="true"))[1]
        assert await zot.command("tools") == events.Display("tools", "the model has read")
        assert (await zot.call("bash", command="true"))[0].startswith('unknown tool "bash"; the tools are: read')


async def dynamic_tools(root: Path) -> None:
    async with running("dynamic-tools", root) as zot:
        await zot.command("teach", "deploy tag, then push")
        assert await zot.call("deploy") == ("tag, then push", False)
        assert "The person has something to say about deploy" in zot.client.requests[-1].system
        await zot.command("forget", "deploy")
        assert (await zot.call("deploy"))[1]
        assert "about deploy" not in zot.client.requests[-1].system


async def structured_output(root: Path) -> None:
    async with running("structured-output", root) as zot:
        zot.client.add(Turn(calls=[Call("report", {"summary": "Fine.", "verdict": "good", "findings": ["a"]})]))
        assert await zot.runtime.prompt("report") == "completed"
        assert len(zot.client.requests) == 1
        shown = await zot.command("report")
        assert isinstance(shown, events.Display)
        assert json.loads(shown.text) == {"summary": "Fine.", "verdict": "good", "findings": ["a"]}


async def tool_override(root: Path) -> None:
    async with running("tool-override", root) as zot:
        for name in ("a.txt", ".env"):
            (root / "project" / name).write_text("content\n")
        assert await zot.call("read", path="a.txt") == ("content\n", False)
        assert await zot.call("read", path=".env") == (".env has secrets, which are not for you", True)
        assert await zot.command("reads") == events.Display("tool-override", "a.txt")


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


async def custom_provider(root: Path) -> None:
    await asyncio.to_thread(relay, Command(root))


def relay(zot: Command) -> None:
    """Everything that a person does with a provider, through the command."""
    ext = ("--ext", str(EXTENSIONS / "custom-provider"))
    script = [Turn("Hello", reasoning="hm", calls=[Call("ls", {"path": "."})]), "there"]
    with ScriptedServer(script, key="relay-key", models=["claude-haiku-4-5", "claude-new"]) as server:
        zot.env = zot.keyless_env | {"RELAY_URL": server.url}
        assert "no API key for relay: set RELAY_KEY" in zot.run(*ext, "-p", "--model", "relay/claude-new", "hi").err
        zot.env["RELAY_KEY"] = "relay-key"
        asked = zot.run(*ext, "--json", "--provider", "relay", "hi")
        assert asked.code == 0, asked.err
        usage = [event for event in asked.events if event["type"] == "usage"][-1]["cumulative"]
        assert (usage["input"], usage["output"], usage["cost_usd"]) == (20, 10, 0.00007)
        first, second = server.requests
        assert first.headers["x-api-key"] == "relay-key"
        thinking, text, call = second.body["messages"][1]["content"]
        assert (thinking["signature"], text["text"], call["name"]) == ("signature", "Hello", "ls")
        assert second.body["messages"][2]["content"][0]["type"] == "tool_result"
        listed = zot.run(*ext, "--list-models", "relay")
        assert [line.split()[0] for line in listed.out.splitlines()] == ["relay/claude-haiku-4-5", "relay/claude-new"]


async def club(root: Path) -> None:
    await asyncio.to_thread(membership, Command(root))


def membership(zot: Command) -> None:
    """A sign-in through the command, and an answer with its token."""
    folder = zot.home / "extensions" / "club"
    shutil.copytree(EXTENSIONS / "club", folder)
    with (
        SignInServer(SignInScript(device=["authorization_pending"])) as accounts,
        ScriptedServer(["welcome"]) as server,
    ):
        manifest = (folder / "extension.json").read_text()
        (folder / "extension.json").write_text(manifest.replace("https://api.club.example", server.url))
        zot.env = zot.keyless_env | {"CLUB_URL": accounts.url}
        assert "run zot auth login club" in zot.run("-p", "--model", "club/club-1", "hi").err
        signed_in = zot.run("auth", "login", "club", "--account")
        assert signed_in.code == 0, signed_in.err
        assert "WDJB-MJHT" in signed_in.err
        assert re.search(r"^club +sign-in in ", zot.run("auth", "status").out, re.M)
        assert zot.run("-p", "--model", "club/club-1", "hi").out == "welcome\n"
        assert server.requests[0].headers["authorization"].removeprefix("Bearer ") in accounts.granted
        assert zot.run("auth", "logout", "club").code == 0


async def confirm_destructive(root: Path) -> None:
    async with running("confirm-destructive", root, False, True) as zot:
        with pytest.raises(NotAllowed, match="you said no"):
            await zot.conversation.new_session()
        await zot.conversation.new_session()
        assert await zot.command("refused") == events.Display("confirm-destructive", "Begin a new session?")


async def custom_compaction(root: Path) -> None:
    async with running("custom-compaction", root) as zot:
        zot.client.add("a", "b", "c", "decided: all")
        for _ in range(3):
            await zot.conversation.prompt("go")
        await zot.conversation.compact()
        shown = await zot.command("summarizer")
        assert shown == events.Display("custom-compaction", "1 summaries; the current model writes them")
        assert "decided: all" in zot.conversation.runtime.messages[0].text


async def dirty_repo_guard(root: Path) -> None:
    project = root / "project"
    project.mkdir()
    subprocess.run(["git", "init", "--quiet", str(project)], check=True)
    (project / "new.txt").write_text("")
    async with running("dirty-repo-guard", root, False, True) as zot:
        with pytest.raises(NotAllowed, match="commit your work first"):
            await zot.conversation.new_session()
        await zot.conversation.new_session()


async def asked(zot: Zot, prompt: str) -> list[str]:
    """What the model reads of a prompt."""
    zot.client.add("ok")
    await zot.conversation.prompt(prompt)
    return [message.text for message in zot.client.requests[-1].messages]


async def inline_bash(root: Path) -> None:
    async with running("inline-bash", root) as zot:
        assert await asked(zot, "this is !{echo one}, this !{echo two}") == ["this is one, this two"]


async def input_transform(root: Path) -> None:
    async with running("input-transform", root) as zot:
        await zot.conversation.prompt("ping")
        assert await asked(zot, "?why") == ["Answer in one sentence: why"]


async def pirate(root: Path) -> None:
    async with running("pirate", root) as zot:
        await asked(zot, "one")
        await zot.command("pirate")
        await asked(zot, "two")
        assert [request.system.endswith("Talk like a pirate.") for request in zot.client.requests] == [False, True]


async def prompt_customizer(root: Path) -> None:
    async with running("prompt-customizer", root) as zot:
        (root / "project" / "NOTE.md").write_text("use tabs\n")
        assert await asked(zot, "go") == ["go", "use tabs"]
        assert await asked(zot, "no note: go") == ["go", "use tabs", "ok", "no note: go"]


async def github_issue_autocomplete(root: Path) -> None:
    async with running("github-issue-autocomplete", root) as zot:
        assert await zot.command("issues") == events.Display(
            "github-issue-autocomplete", "this project is not on GitHub"
        )


async def message_renderer(root: Path) -> None:
    async with running("message-renderer", root) as zot:
        added = await zot.command("remind", "tea")
        assert isinstance(added, events.MessageAdded)
        assert added.message.text == "tea"
        assert await asked(zot, "go") == ["tea", "go"]


async def entry_renderer(root: Path) -> None:
    async with running("entry-renderer", root) as zot:
        assert await asked(zot, "go") == ["go"]
        await zot.conversation.run_command("card", "ready")
        (entry,) = [each for each in await zot.conversation.runtime.branches.with_data() if not isinstance(each, str)]
        assert (entry.custom_type, entry.data["text"]) == ("card", "ready")
        assert await asked(zot, "on") == ["go", "ok", "on"]


async def markdown_transformer(root: Path) -> None:
    async with running("markdown-transformer", root) as zot:
        shown = "numbers of issues are links to https://x.test/"
        assert await zot.command("links", "https://x.test") == events.Display("markdown-transformer", shown)


async def built_in_tool_renderer(root: Path) -> None:
    async with running("built-in-tool-renderer", root) as zot:
        await zot.call("bash", command="true")
        assert await zot.command("drawn") == events.Display("built-in-tool-renderer", "0 results")


async def minimal_mode(root: Path) -> None:
    async with running("minimal-mode", root) as zot:
        assert await zot.command("minimal") == events.Display("minimal-mode", "results are shown")


def shown(zot: Zot, key: str) -> list[Any]:
    """The lines of a widget, each time that it has changed."""
    return [event.lines for event in zot.told if isinstance(event, events.WidgetChange) and event.key == key]


async def custom_header(root: Path) -> None:
    async with running("custom-header", root) as zot:
        assert await zot.command("header") == events.WidgetChange("custom-header", "header", "header")
        await zot.command("header")
        assert shown(zot, "header")[-1][0][1]["text"] == "project"


async def widget_placement(root: Path) -> None:
    async with running("widget-placement", root) as zot:
        await zot.command("places")
        assert all(shown(zot, place) for place in ("header", "top_left", "bottom_right", "status"))
        await zot.command("places")
        assert shown(zot, "header")[-1] == ()


async def working_indicator(root: Path) -> None:
    async with running("working-indicator", root) as zot:
        changed = await zot.command("working", "moon")
        assert isinstance(changed, events.WorkingChange)
        assert (changed.message, changed.interval_ms) == ("thinking hard", 150)


async def titlebar_spinner(root: Path) -> None:
    async with running("titlebar-spinner", root) as zot:
        await asked(zot, "go")
        await until(lambda: events.TitleChange("titlebar-spinner", "✓ zot is done") in zot.told)


async def rainbow_editor(root: Path) -> None:
    async with running("rainbow-editor", root) as zot:  # without a screen nothing is drawn
        await zot.command("rainbow")


async def border_status_editor(root: Path) -> None:
    async with running("border-status-editor", root) as zot:
        await zot.command("count", "one two")
        await until(lambda: shown(zot, "model"))


SCENES: dict[str, Callable[[Path], Coroutine[Any, Any, None]]] = {
    "custom-header": custom_header,
    "widget-placement": widget_placement,
    "working-indicator": working_indicator,
    "titlebar-spinner": titlebar_spinner,
    "message-renderer": message_renderer,
    "entry-renderer": entry_renderer,
    "markdown-transformer": markdown_transformer,
    "built-in-tool-renderer": built_in_tool_renderer,
    "minimal-mode": minimal_mode,
    "github-issue-autocomplete": github_issue_autocomplete,
    "bookmark": bookmark,
    "auto-commit": auto_commit,
    "qna": qna,
    "questionnaire": questionnaire,
    "git-checkpoint": git_checkpoint,
    "handoff": handoff,
    "preset": preset,
    "send-user-message": send_user_message,
    "session-name": session_name,
    "custom-footer": custom_footer,
    "overlay-test": overlay_test,
    "snake": snake,
    "space-invaders": space_invaders,
    "tic-tac-toe": tic_tac_toe,
    "rainbow-editor": rainbow_editor,
    "border-status-editor": border_status_editor,
    "status-line": status_line,
    "permission-gate": permission_gate,
    "question": question,
    "summarize": summarize,
    "timed-confirm": timed_confirm,
    "custom-provider": custom_provider,
    "club": club,
    "clock": clock,
    "guard": guard,
    "hello": hello,
    "hello-raw": hello_raw,
    "outline": outline,
    "event-bus": event_bus,
    "event-bus-log": event_bus_log,
    "team-kit": team_kit,
    "file-trigger": file_trigger,
    "claude-rules": claude_rules,
    "plan-flag": plan_flag,
    "plan-mode": plan_mode,
    "model-status": model_status,
    "notify": notify,
    "scratchpad": scratchpad,
    "shell": shell,
    "todo": todo,
    "confirm-destructive": confirm_destructive,
    "custom-compaction": custom_compaction,
    "dirty-repo-guard": dirty_repo_guard,
    "inline-bash": inline_bash,
    "input-transform": input_transform,
    "pirate": pirate,
    "prompt-customizer": prompt_customizer,
    "todo-tree": todo_tree,
    "tools": tools,
    "dynamic-tools": dynamic_tools,
    "structured-output": structured_output,
    "tool-override": tool_override,
    "weather": weather,
    "ssh": ssh,
}
NEEDS = {
    "clock": ("node",),
    "dirty-repo-guard": ("node", "tsx"),
    "outline": ("bwrap",),
    "scratchpad": ("node", "tsx"),
    "handoff": ("node", "tsx"),
    "shell": ("jq",),
    "ssh": ("ssh", "ssh-keygen", "sshd", "ps"),
    "event-bus-log": ("jq",),
    "event-bus": ("jq",),
    "team-kit": ("node", "tsx"),
}


def test_every_example_has_its_scene() -> None:
    names = {path.parent.name for path in EXTENSIONS.glob("*/extension.json")}
    assert set(SCENES) == {name for name in names if load_manifest(EXTENSIONS / name).exec}


@pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.needs(*NEEDS.get(name, ()))) for name in SCENES])
async def test_an_example_works_under_zot(name: str, tmp_path: Path) -> None:
    await SCENES[name](tmp_path)
